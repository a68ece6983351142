"""The runner is stricter than papermill, and what it writes is the same each time."""

import nbformat
import pytest

from lib.errors import CorpusError, ParameterError, StudyError
from lib.notebooks import checked, faults, normalised, parameters_of, read_notebook, run_notebook, write_notebook


def notebook_of(*sources, parameters="seed: int = 1\nquick: bool = True\nrate: float = 0.5\nname: str = 'a'"):
    cells = [nbformat.v4.new_code_cell(parameters, metadata={"tags": ["parameters"]})]
    cells += [nbformat.v4.new_code_cell(source) for source in sources]
    return nbformat.v4.new_notebook(cells=cells)


@pytest.fixture
def declared():
    return parameters_of(notebook_of(), "nb")


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, {}),
        ({"seed": 3}, {"seed": 3}),
        ({"seed": "3"}, {"seed": 3}),
        ({"quick": "false"}, {"quick": False}),
        ({"quick": "True"}, {"quick": True}),
        ({"rate": 2}, {"rate": 2.0}),
        ({"rate": "1e-3"}, {"rate": 0.001}),
        ({"name": "3"}, {"name": "3"}),
    ],
)
def test_values_of_the_declared_type(declared, given, expected):
    values = checked(given, declared, "nb")
    assert values == expected
    assert [type(value) for value in values.values()] == [type(value) for value in expected.values()]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"sede": 3}, "nb has no parameter 'sede': did you mean 'seed'? Known: name, quick, rate, seed"),
        ({"seed": "three"}, "nb: 'seed' must be int, not 'three'"),
        ({"seed": 1.5}, "nb: 'seed' must be int, not 1.5"),
        ({"seed": True}, "nb: 'seed' must be int, not True"),
        ({"quick": 0}, "nb: 'quick' must be bool, not 0"),
        ({"quick": "no"}, "nb: 'quick' must be bool, not 'no'"),
        ({"name": 3}, "nb: 'name' must be str, not 3"),
        ({"name": None}, "nb: 'name' must be str, not None"),
        ({"rate": [1]}, "nb: 'rate' must be float, not [1]"),
    ],
)
def test_values_of_another_type_or_name(declared, given, message):
    with pytest.raises(ParameterError) as caught:
        checked(given, declared, "nb")
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("seed = 1", "'seed = 1' is not 'name: type = literal'"),
        ("seed: int", "'seed: int' is not"),
        ("seed: int = 1 + 1", "is not 'name: type = literal'"),
        ("seed: int = 1.0", "is not 'name: type = literal'"),
        ("seeds: list = [1]", "is not 'name: type = literal'"),
        ("import os", "'import os' is not"),
        ("seed: int = (", "parameters cell, line 1:"),
    ],
)
def test_parameters_cell_of_literals_only(source, message):
    with pytest.raises(StudyError, match="nb") as caught:
        parameters_of(notebook_of(parameters=source), "nb")
    assert message in str(caught.value)


def test_negative_numbers_are_literals():
    assert parameters_of(notebook_of(parameters="shift: int = -2"), "nb")["shift"].default == -2


def test_exactly_one_parameters_cell():
    notebook = notebook_of()
    notebook.cells += notebook.cells
    with pytest.raises(StudyError, match="2 cells tagged"):
        parameters_of(notebook, "nb")


@pytest.mark.parametrize("content", ["", "{", "[]", '{"cells": 3}', '{"nbformat": 4, "nbformat_minor": 5}'])
def test_not_a_notebook(tmp_path, content):
    path = tmp_path / "x.ipynb"
    path.write_text(content)
    with pytest.raises(StudyError, match="is not a notebook"):
        read_notebook(path)


def test_missing_notebook(tmp_path):
    with pytest.raises(CorpusError, match="No such file"):
        read_notebook(tmp_path / "x.ipynb")


def run(tmp_path, *sources, **options):
    notebook, output = tmp_path / "nb.ipynb", tmp_path / "out" / "nb.ipynb"
    write_notebook(notebook, notebook_of(*sources))
    run_notebook(notebook, output, options.pop("parameters", {}), **options)
    return output


@pytest.mark.slow
def test_a_run_is_stored_whole_and_repeats_to_the_byte(tmp_path, capfd):
    sources = (
        "import os, sys, lib\nprint(seed, quick, os.environ['SHADE'], 'lib' in lib.__file__)",
        "for i in range(200):\n    print(i, flush=True)",
        "seed",
    )
    options = {"parameters": {"seed": "7", "quick": False}, "environment": {"SHADE": "blue"}}
    first = run(tmp_path, *sources, **options).read_bytes()
    second = run(tmp_path, *sources, **options).read_bytes()
    assert first == second
    assert "WARNING" not in capfd.readouterr().err, "a kernel that others on the machine could listen to"
    cells = read_notebook(tmp_path / "out" / "nb.ipynb").cells
    assert cells[2].outputs[0].text == "7 False blue True\n"
    assert [output.output_type for output in cells[3].outputs] == ["stream"]
    assert cells[4].outputs[0].data["text/plain"] == "7"
    assert faults(tmp_path / "out" / "nb.ipynb") == []
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["nb.ipynb"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("import sys\nsys.exit(0)", "cell 1: it ended with SystemExit"),
        ("raise ValueError('odd')", "cell 1: ValueError: odd"),
        ("import os\nos._exit(0)", "the kernel died"),
        ("import time\ntime.sleep(60)", "took over 2 seconds"),
    ],
    ids=["exit 0", "error", "kernel gone", "endless"],
)
def test_a_notebook_that_does_not_end_well_leaves_nothing(tmp_path, source, message):
    with pytest.raises(StudyError) as caught:
        run(tmp_path, source, "print('never')", cell_limit=2)
    assert message in str(caught.value)
    assert list((tmp_path / "out").iterdir()) == []


def test_unknown_parameter_stops_before_anything_runs(tmp_path):
    with pytest.raises(ParameterError, match="did you mean 'quick'"):
        run(tmp_path, parameters={"quik": True})
    assert not (tmp_path / "out").exists()


def test_normalising_drops_what_changes_by_itself():
    notebook = notebook_of("print(1)")
    injected = nbformat.v4.new_code_cell("seed = 2", metadata={"tags": ["injected-parameters"]})
    notebook.cells.insert(1, injected)
    notebook.metadata["papermill"] = {"start_time": "2020-01-01T00:00:00"}
    for number, cell in enumerate(notebook.cells):
        cell.execution_count = number + 5
        cell.metadata["papermill"] = {"duration": 0.5}
    clean = normalised(notebook, drop_injected=True)
    assert [cell.execution_count for cell in clean.cells] == [1, 2]
    assert [cell.id for cell in clean.cells] == ["cell-00", "cell-01"]
    assert "papermill" not in str(clean)
    assert len(normalised(notebook).cells) == 3
    assert normalised(clean) == clean


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("see /home/me/x", "an absolute path"),
        ("<object at 0x7f12ab34cd56>", "an address in memory"),
        ("done in 00:01:02", "a clock"),
        (" 45%|####   |", "a progress bar"),
    ],
)
def test_faults_of_a_stored_notebook(tmp_path, text, fault):
    notebook = notebook_of("pass")
    for number, cell in enumerate(notebook.cells):
        cell.execution_count = number + 1
    path = tmp_path / "nb.ipynb"
    write_notebook(path, normalised(notebook))
    assert faults(path) == []
    notebook.cells[1].outputs = [nbformat.v4.new_output("stream", name="stdout", text=text)]
    write_notebook(path, normalised(notebook))
    assert faults(path) == [f"cell 1 shows {fault}"]


def test_a_notebook_that_is_too_large_or_not_run(tmp_path):
    path = tmp_path / "nb.ipynb"
    write_notebook(path, normalised(notebook_of("x = '" + "a" * 200_000 + "'")))
    assert [fault.split(",")[0] for fault in faults(path)][1:] == ["cell 0 was not run", "cell 1 was not run"]
    assert "the limit is 200,000" in faults(path)[0]


def test_kernels_are_spoken_to_in_private(tmp_path, monkeypatch):
    """By files of a folder that nobody else may read; where their names would be too long, encrypted."""
    found = []
    for folder in (tmp_path, tmp_path / ("long" * 30)):
        folder.mkdir(exist_ok=True)
        monkeypatch.setattr("tempfile.tempdir", str(folder))
        source = (
            "import json\nfrom pathlib import Path\nfrom ipykernel.kernelapp import IPKernelApp\n"
            "app = IPKernelApp.instance()\n"
            "known = json.loads(Path(app.abs_connection_file).read_text())\n"
            "mode = Path(known['ip']).parent.stat().st_mode & 0o77 if app.transport == 'ipc' else None\n"
            "print(app.transport, mode, 'curve_publickey' in known)"
        )
        write_notebook(folder / "a.ipynb", notebook_of(source))
        run_notebook(folder / "a.ipynb", folder / "out.ipynb", {})
        found.append(read_notebook(folder / "out.ipynb").cells[-1].outputs[0].text.strip())
    assert found == ["ipc 0 False", "tcp None True"]
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith("kernel-")] == []
