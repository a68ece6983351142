"""Studies: their parameters are checked, and one that fails or is killed leaves nothing half-done."""

import os
import signal
import subprocess
import sys
import time

import pytest
import yaml

from lib.cli import main
from lib.datasets import read_manifest
from lib.errors import ParameterError, StudyError
from lib.files import read_json
from lib.inputs import changes_of, only_of
from lib.notebooks import parameters_of, read_notebook
from lib.parameters import load_study, notebook_names, study_names, study_of
from lib.paths import NOTEBOOKS, ROOT
from lib.run_results import BASELINE_NAMES, NEAREST, read_results
from lib.study import _NOISE, Places, make_dataset, notebook_parameters, run_names, run_study, train_run

VALUES = {
    "name": "mine",
    "title": "Mine",
    "corpus": "builtin",
    "aligner": "algorithm1",
    "models": ["bilstm", "rgt"],
    "datasets": ["paper", "clean"],
    "seeds": 2,
    "settings": "epochs:1",
    "notebooks": ["01_method"],
}


@pytest.mark.parametrize("name", study_names())
def test_every_study_can_be_read(name, tmp_path):
    study = load_study(name)
    assert study.name == name
    for notebook in study.notebooks:
        declared = parameters_of(read_notebook(NOTEBOOKS / f"{notebook}.ipynb"), notebook)
        assert notebook_parameters(study, Places(tmp_path, name), notebook).keys() <= declared.keys()


def test_builtin_study_runs_notebooks_with_the_parameters_that_they_declare(monkeypatch):
    """So the stored notebooks are those of the built-in study, and a reader who runs them by hand gets the same."""
    study = load_study("builtin")
    for notebook in study.notebooks:
        declared = parameters_of(read_notebook(NOTEBOOKS / f"{notebook}.ipynb"), notebook)
        given = notebook_parameters(study, Places(ROOT, "builtin"), notebook)
        assert {name: declared[name].default for name in given} == given


def test_every_notebook_belongs_to_the_builtin_study():
    assert list(load_study("builtin").notebooks) == notebook_names()


def test_runs_of_a_study_begin_with_one_seed_of_everything():
    assert run_names(study_of(VALUES, "x")) == [
        "bilstm-paper-1", "rgt-paper-1", "bilstm-clean-1", "rgt-clean-1",
        "bilstm-paper-2", "rgt-paper-2", "bilstm-clean-2", "rgt-clean-2",
    ]  # fmt: skip


def test_settings_by_model_or_dataset_come_after_those_for_all():
    study = study_of(VALUES | {"settings_by": {"rgt": "epochs:3 width:16", "clean": "epochs:2"}}, "x")
    found = {(m, d): study.settings_of(m, d) for m in study.models for d in study.datasets}
    assert found == {
        ("bilstm", "paper"): "epochs:1",
        ("bilstm", "clean"): "epochs:1 epochs:2",
        ("rgt", "paper"): "epochs:1 epochs:3 width:16",
        ("rgt", "clean"): "epochs:1 epochs:2 epochs:3 width:16",
    }
    assert changes_of(found["rgt", "clean"])["epochs"] == 3


def test_a_model_can_be_trained_on_some_datasets_alone():
    study = study_of(VALUES | {"seeds": 1, "only": {"rgt": ["clean"], "abs": ["tmcd"]}}, "x")
    assert run_names(study) == ["bilstm-paper-1", "bilstm-clean-1", "rgt-clean-1"]
    assert study_of(VALUES | {"seeds": 1, "only": "rgt:clean abs:tmcd"}, "x") == study
    told = notebook_parameters(study, Places(ROOT, "mine"), "05_model_comparison")["only"]
    assert only_of(told) == study.only == {"rgt": ("clean",), "abs": ("tmcd",)}


def test_a_study_survives_its_file(tmp_path):
    study = study_of(VALUES | {"settings_by": {"clean": "epochs:2"}, "only": {"rgt": ["paper", "clean"]}}, "x")
    path = tmp_path / "mine.yaml"
    path.write_text(yaml.safe_dump(study.as_dict()))
    assert load_study(str(path)) == study


def test_lists_can_be_given_on_the_command_line():
    assert load_study("builtin", {"models": "rgt, abs", "datasets": "clean"}).runs()[1].name == "abs-clean-1"


def test_a_dataset_is_made_with_what_it_is_made_from_by_two_processes_at_once(tmp_path, small_corpus):
    study = study_of(VALUES | {"datasets": ["clean-experiment2", "template"], "corpus": str(small_corpus)}, "x")
    path = tmp_path / "mine.yaml"
    path.write_text(yaml.safe_dump(study.as_dict()))
    command = [sys.executable, "-m", "lib.cli", "study", str(path), "--out", str(tmp_path), "--dataset"]
    both = [subprocess.Popen([*command, "clean-experiment2"], stderr=subprocess.PIPE) for _ in range(2)]
    assert [process.communicate()[1] for process in both] == [b"", b""]
    places = Places(tmp_path, "mine")
    made = make_dataset(study, places, "clean-experiment2")
    assert read_manifest(made)["ablation"]["by"] == "text"
    assert read_manifest(places.data / "clean")["options"]["variant"] == "clean"
    split = read_manifest(make_dataset(study, places, "template"))
    assert split["options"]["method"] == "template"
    with pytest.raises(ParameterError, match="study 'mine' has no dataset 'tmdc': known: clean-experiment2, template"):
        make_dataset(study, places, "tmdc")


def test_a_run_makes_its_dataset_and_knows_its_study(tmp_path, small_corpus):
    tiny = "epochs:1 embedding:8 decoder.hidden:8 batch_size:64"
    study = study_of(
        VALUES | {"datasets": ["experiment2"], "corpus": str(small_corpus), "settings": tiny, "models": ["bilstm"]}, "x"
    )
    places = Places(tmp_path, "mine")
    with pytest.raises(ParameterError, match="study 'mine' has no run 'bilstm-paper-1': did you mean"):
        train_run(study, places, "bilstm-paper-1")
    folder = train_run(study, places, "bilstm-experiment2-2")
    assert folder == places.runs / "bilstm-experiment2-2"
    assert read_json(folder / "config.json")["settings"]["seed"] == 2
    published = {result.system: result for result in read_results(places.records)}
    assert published.keys() == {"bilstm", *BASELINE_NAMES}
    assert published["bilstm"].seed == 2
    assert published["bilstm"].ids == published[NEAREST].ids
    assert published["bilstm"].facts["data"].keys() >= {"train", "validation", "test"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sedes": 1}, "x has an unknown key 'sedes': did you mean 'seeds'?"),
        ({"seeds": "two"}, "x: 'seeds' must be int, not 'two'"),
        ({"seeds": 0}, "'seeds' must be at least 1, not 0"),
        ({"seeds": 1.5}, "x: 'seeds' must be int, not 1.5"),
        ({"corpus": 3}, "x: 'corpus' must be str, not 3"),
        ({"aligner": "viterby"}, "unknown aligner 'viterby': did you mean 'viterbi'?"),
        ({"models": ["bilstn"]}, "unknown name 'bilstn' in 'models': did you mean 'bilstm'?"),
        ({"models": []}, "'models' must hold one name or more, each once"),
        ({"datasets": ["clean", "clean"]}, "'datasets' must hold one name or more, each once"),
        ({"datasets": ["cleen"]}, "unknown name 'cleen' in 'datasets': did you mean 'clean'?"),
        ({"datasets": [1]}, "x: 'datasets' must be a list of names, not [1]"),
        ({"settings": "epoch:1"}, "unknown setting 'epoch': known: "),
        ({"settings": "width:16"}, "unknown setting 'width'"),
        ({"settings_by": {"cleen": ""}}, "unknown name 'cleen' in 'settings_by': did you mean 'clean'?"),
        ({"settings_by": {"rgd": ""}}, "unknown name 'rgd' in 'settings_by': did you mean 'rgt'?"),
        ({"settings_by": {"clean": 3}}, "x: 'settings_by' must hold 'name: settings' lines"),
        ({"settings_by": "epochs:1"}, "x: 'settings_by' must hold 'name: settings' lines, not 'epochs:1'"),
        ({"settings_by": {"bilstm": "width:16"}}, "unknown setting 'width'"),
        ({"only": {"rgd": ["clean"]}}, "unknown name 'rgd' in 'only': did you mean 'rgt'?"),
        ({"only": {"rgt": ["cleen"]}}, "unknown name 'cleen' in 'only: rgt': did you mean 'clean'?"),
        ({"only": {"rgt": []}}, "'only: rgt' must hold one name or more, each once"),
        ({"only": {"rgt": ["clean", "clean"]}}, "'only: rgt' must hold one name or more, each once"),
        ({"only": {"rgt": 1}}, "x: 'only: rgt' must be a list of names, not 1"),
        ({"only": ["rgt"]}, "x: 'only' must hold 'model: [dataset, dataset]' lines, not ['rgt']"),
        ({"only": "rgt"}, "'only' must hold MODEL:DATASET,DATASET for each model once, not 'rgt'"),
        ({"only": "rgt:clean rgt:paper"}, "each model once, not 'rgt:paper'"),
        ({"only": {"bilstm": ["clean"]}}, "'only' must leave the first dataset, paper, to the first model"),
        ({"notebooks": ["1_method"]}, "unknown name '1_method' in 'notebooks': did you mean '01_method'?"),
        ({"notebooks": 1}, "x: 'notebooks' must be a list of names"),
        ({"name": "../up"}, "a study is named with letters, digits, '_' and '-', not '../up'"),
    ],
)
def test_wrong_keys_and_values(change, message):
    with pytest.raises(ParameterError) as caught:
        study_of(VALUES | change, "x")
    assert message in str(caught.value)


def test_missing_key():
    """`settings_by` and `only` may be missing, the others not."""
    with pytest.raises(ParameterError, match="x lacks title, seeds"):
        study_of({key: value for key, value in VALUES.items() if key not in ("title", "seeds")}, "x")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: [", "is not YAML"),
        ("- 1", "must hold 'name: value' lines"),
        ("", "must hold"),
        ("a: !!python/name:os.x 1", "YAML"),
    ],
)
def test_files_that_are_no_study(tmp_path, text, message):
    path = tmp_path / "odd.yaml"
    path.write_text(text)
    with pytest.raises(ParameterError, match=message):
        load_study(str(path))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["study", "builtn"], "no study 'builtn': did you mean 'builtin'?"),
        (["study", "builtin", "--set", "seeds"], "--set wants NAME=VALUE, not 'seeds'"),
        (["study", "builtin", "--set", "sedes=1"], "unknown key 'sedes': did you mean 'seeds'?"),
        (["study", "builtin", "--cores", "0"], "--cores must be at least 1, not 0"),
        (["study", "builtin", "--only", "modles"], "did you mean 'models'"),
        (["study", "builtin", "--notebook", "05_model"], "did you mean '05_model_comparison'"),
        (["study", "builtin", "--notebok", "x"], "unknown option '--notebok': did you mean '--notebook'?"),
    ],
)
def test_wrong_use_is_one_line_and_exit_code_2(capsys, tmp_path, arguments, message):
    assert main([*arguments, "--out", str(tmp_path)]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_words_for_users_pass_and_others_do_not():
    kept = ["Job 2: dataset paper", "3 of 9 steps (33%) done", "spidercompose: Spider is not here", "epoch 3: loss 2.1"]
    noise = ["Building DAG of jobs...", "    jobid: 2", "notebook    4", "  Host: vm", ""]
    assert [line for line in kept + noise if not _NOISE.match(line + "\n")] == kept


@pytest.mark.slow
def test_a_failing_step_ends_the_study_in_one_line_and_leaves_no_output(tmp_path, monkeypatch, capfd):
    monkeypatch.delenv("SPIDER_HOME", raising=False)
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    (corpus / "tables.json").write_text("{")
    study = study_of(VALUES | {"corpus": str(corpus)}, "x")
    with pytest.raises(StudyError, match="a step of study 'mine' failed"):
        run_study(study, tmp_path / "out", 1, ["datasets"])
    error = capfd.readouterr().err
    assert "tables.json" in error
    assert "Traceback" not in error
    assert not list((tmp_path / "out" / "build").rglob("*.jsonl"))


@pytest.mark.slow
def test_a_killed_study_takes_its_children_along_and_goes_on(tmp_path, small_corpus):
    """SIGKILL of the first process alone: nothing goes on behind its back, and the next run makes the same files."""
    settings = tmp_path / "mine.yaml"
    study = study_of(VALUES | {"datasets": ["paper", "experiment2"], "corpus": str(small_corpus)}, "x")
    settings.write_text(yaml.safe_dump(study.as_dict()))
    command = [sys.executable, "-m", "lib.cli", "study", str(settings), "--only", "datasets", "--cores", "2"]
    begin = time.monotonic()
    whole = subprocess.run([*command, "--out", str(tmp_path / "whole")], capture_output=True, check=True)
    seconds = time.monotonic() - begin
    assert b"2 of 3 steps" in whole.stderr
    out = tmp_path / "killed"
    for share in (0.3, 0.5, 0.6):
        with subprocess.Popen([*command, "--out", str(out)], stderr=subprocess.DEVNULL) as process:
            time.sleep(share * seconds)
            process.send_signal(signal.SIGKILL)
        assert gone(str(out), seconds=10)
    subprocess.run([*command, "--out", str(out)], capture_output=True, check=True)
    expected, found = (made(folder, "build", "data") for folder in (tmp_path / "whole", out))
    for name in study.datasets:
        parts = ("train.jsonl", "validation.jsonl", "test.jsonl", "manifest.json")
        assert expected.keys() >= {f"build/mine/data/{name}/{part}" for part in parts}
    assert f"data/results/mine/runs/nearest-sql-{name}.csv" in expected
    assert found == expected
    assert not list(out.rglob("*.part"))


def made(out, *folders) -> dict[str, bytes]:
    """What is in the files below some folders, by their names."""
    paths = (path for folder in folders for path in (out / folder).rglob("*.*") if path.is_file())
    return {path.relative_to(out).as_posix(): path.read_bytes() for path in paths}


def gone(text: str, seconds: float) -> bool:
    """Whether no process names the text on its command line any more, after waiting for that."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if not any(text in command for command in command_lines()):
            return True
        time.sleep(0.05)
    return False


def command_lines():
    for entry in os.listdir("/proc"):
        if entry.isdigit() and int(entry) != os.getpid():
            try:
                with open(f"/proc/{entry}/cmdline", encoding="utf-8", errors="replace") as handle:
                    yield handle.read()
            except OSError:
                continue
