"""A whole study in small: every notebook runs through the Snakefile, and what is stored in notebooks/ is in order."""

import ast
import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from html.parser import HTMLParser
from pathlib import Path

import pytest
import yaml

from lib.errors import StudyError
from lib.notebooks import faults, parameters_of, read_notebook
from lib.parameters import load_study, notebook_names
from lib.paths import FIGURES, NOTEBOOKS, RESULTS, ROOT
from lib.study import Places, run_study_notebook

# One worker runs all of these, so that the study is run once.
pytestmark = pytest.mark.xdist_group("study")
# Tables and figures that show what questions say; only those of our own corpus are written.
WORDS_OF_THE_CORPUS = {"06_tree", "06_attention_sequence", "06_attention_tree", "06_each", "06_typical", "06_worst",
                       "07_sheet"}  # fmt: skip
STORED = [NOTEBOOKS / f"{name}.ipynb" for name in notebook_names()]


def contents(*folders: Path) -> dict[str, str]:
    """Hash of each file below some folders."""
    files = (path for folder in folders if folder.is_dir() for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def command(settings: Path, out: Path) -> list[str]:
    return [sys.executable, "-m", "lib.cli", "study", str(settings), "--out", str(out), "--cores", "2"]


@pytest.fixture(scope="module")
def settings(tmp_path_factory, small_corpus) -> Path:
    folder = tmp_path_factory.mktemp("settings")
    values = yaml.safe_load((NOTEBOOKS / "studies/quick.yaml").read_text())
    path = folder / "small.yaml"
    path.write_text(yaml.safe_dump(values | {"corpus": str(small_corpus)}))
    return path


@pytest.fixture(scope="module")
def finished(settings, tmp_path_factory) -> Places:
    """A study that ran once, undisturbed."""
    if "PYTEST_XDIST_WORKER" in os.environ:
        # Fails where a second worker would run it too, which took two minutes before anybody saw it.
        (tmp_path_factory.getbasetemp().parent / "study").mkdir()
    before = contents(RESULTS, FIGURES)
    out = tmp_path_factory.mktemp("out")
    done = subprocess.run(command(settings, out), capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert contents(RESULTS, FIGURES) == before, "a study elsewhere must not touch the committed results"
    return Places(out, "small")


@pytest.mark.slow
@pytest.mark.parametrize("name", notebook_names())
def test_notebook_runs_to_its_end(finished, name):
    path = finished.notebooks / f"{name}.ipynb"
    assert faults(path) == []
    prefix = name.split("_")[0]
    written = [item.name for folder in (finished.results, finished.figures) for item in folder.glob(f"{prefix}_*")]
    assert f"{prefix}_claims.csv" in written or name == "04_train"
    opening = read_notebook(path).cells[0].source
    promised = re.findall(rf"`({prefix}_\w+)`", opening)
    assert promised
    hidden = {output for output in promised if output in WORDS_OF_THE_CORPUS}
    assert {output for output in promised if f"{output}.csv" not in written} == hidden


def test_words_of_our_corpus_are_published():
    there = {path.stem for root in ("data/results", "figures") for path in (ROOT / root / "builtin").glob("*.csv")}
    assert there >= WORDS_OF_THE_CORPUS


@pytest.mark.slow
def test_report_is_complete_and_needs_no_network(finished):
    pages = sorted(finished.site.rglob("*.html"))
    assert [page.name for page in pages] == ["index.html", *(f"{name}.html" for name in sorted(notebook_names()))]
    for page in pages:
        for link in links(page):
            assert not re.match(r"(https?:)?//", link) or "doi.org" in link, f"{page.name} leads to {link}"
            if not re.match(r"https?:|data:|#", link):
                assert (page.parent / link).exists(), f"{page.name} leads to {link}"
    shown = (finished.site / "index.html").read_text()
    for path in [*finished.results.glob("*.csv"), *finished.figures.glob("*.csv")]:
        assert path.name in shown


def links(page: Path) -> list[str]:
    found = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag, attributes):
            found.extend(value for name, value in attributes if name in ("src", "href") and value)

    Reader().feed(page.read_text())
    return found


@pytest.mark.slow
def test_a_finished_study_is_left_alone(finished, settings):
    before = contents(finished.out)
    done = subprocess.run(command(settings, finished.out), capture_output=True, text=True, timeout=120)
    assert done.returncode == 0
    assert "study:" not in done.stderr
    after = contents(finished.out)
    assert {name for name in before if before[name] != after.get(name) and ".snakemake" not in name} == set()


@pytest.mark.slow
def test_killed_at_any_time_it_ends_with_the_same_files(finished, settings, tmp_path):
    out = tmp_path / "killed"
    for pause in (4.0, 7.0, 11.0, 6.0):  # in the datasets, in training, in notebooks
        with subprocess.Popen(command(settings, out), stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as process:
            time.sleep(pause)
            process.send_signal(signal.SIGKILL)
    done = subprocess.run(command(settings, out), capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    killed = Places(out, finished.name)
    for folder in ("data", "results", "figures"):
        expected, found = (
            {path.relative_to(getattr(places, folder)): untimed(path) for path in files(getattr(places, folder))}
            for places in (finished, killed)
        )
        assert expected == found


def untimed(path: Path) -> bytes:
    """What is in a file, without the seconds that a run took."""
    content = path.read_bytes()
    if path.parent.name != "runs" or path.suffix != ".json":
        return content
    return json.dumps({key: value for key, value in json.loads(content).items() if key != "seconds"}).encode()


def files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


@pytest.mark.slow
def test_a_wrong_value_stops_in_the_cell_that_checks(tmp_path, monkeypatch):
    study, places = load_study("quick"), Places(tmp_path, "quick")
    monkeypatch.setattr("lib.study.notebook_parameters", lambda *_: {"aligner": "viterby"})
    with pytest.raises(StudyError, match="01_method, cell 4: ParameterError: unknown aligner 'viterby': did you mean"):
        run_study_notebook(study, places, "01_method")


@pytest.mark.parametrize("path", STORED, ids=lambda path: path.stem)
class TestStored:
    """What is in notebooks/."""

    def test_is_from_a_clean_run_small_and_free_of_what_changes(self, path):
        assert faults(path) == []

    def test_opens_like_a_lab_sheet(self, path):
        opening = read_notebook(path).cells[0]
        assert opening.cell_type == "markdown"
        assert opening.source.startswith(f"# {int(path.stem.split('_')[0])}. ")
        for needed in ("?", "**You learn**", "In the paper", "Time and memory", "Inputs", "Outputs"):
            assert needed in opening.source

    def test_parameters_have_one_line_each_that_says_what_they_are(self, path):
        notebook = read_notebook(path)
        cell = next(cell for cell in notebook.cells if "parameters" in cell.metadata.get("tags", ()))
        declared = parameters_of(notebook, path.stem)
        lines = cell.source.splitlines()
        assert len(lines) == len(declared)
        for line in lines:
            code, _, comment = line.partition("  # ")
            assert comment
            assert line.count("=") == 1, "papermill cannot read a line with a second '='"
            assert ast.parse(code)

    def test_checks_its_parameters_next(self, path):
        notebook = read_notebook(path)
        code = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
        called = ast.parse(code[1]).body[-1].value
        assert called.func.id == "check_all"
        assert {keyword.arg for keyword in called.keywords} == parameters_of(notebook, path.stem).keys()

    def test_has_words_before_code_and_short_cells(self, path):
        cells = read_notebook(path).cells
        assert (
            sum(cell.cell_type == "markdown" for cell in cells) >= sum(cell.cell_type == "code" for cell in cells) / 2
        )
        assert [number for number, cell in enumerate(cells) if len(cell.source.splitlines()) > 30] == []
        for cell in cells:
            if cell.cell_type == "code":
                functions = [node for node in ast.walk(ast.parse(cell.source)) if isinstance(node, ast.FunctionDef)]
                assert all(node.end_lineno - node.lineno < 5 for node in functions)

    def test_kernel_is_python3(self, path):
        assert read_notebook(path).metadata.kernelspec.name == "python3"


def test_some_cells_are_marked_for_nbval_and_they_do_not_train():
    marked = {path.stem for path in STORED if "NBVAL_CHECK_OUTPUT" in path.read_text()}
    assert marked
    assert not [name for name in marked if "runs" in parameters_of(read_notebook(NOTEBOOKS / f"{name}.ipynb"), name)]


def test_committed_results_belong_to_the_stored_notebooks():
    """Every table and figure that a stored notebook shows is in data/results and figures, and the other way round."""
    shown = set()
    for path in STORED:
        for cell in read_notebook(path).cells:
            for output in cell.get("outputs", ()):
                shown |= set(re.findall(r'<(?:table|p) id="(\w+)"', output.get("data", {}).get("text/html", "")))
    kept = {path.stem for folder in (RESULTS, FIGURES) for path in (folder / "builtin").glob("*.csv")}
    assert kept == shown
    assert str(ROOT) not in "".join(path.read_text() for path in (RESULTS / "builtin").glob("*.csv"))
