"""lib.models.runs: run folders, and the commands on them."""

import errno
import fcntl
import json
import os
import pickle
import shutil
import signal
import subprocess
import sys
import time

import pytest
import torch

from lib.cli import main
from lib.errors import CorpusError, ModelError, ParameterError
from lib.models import runs
from lib.models.evaluation import evaluate
from lib.models.sources import source_of
from lib.paths import ROOT

RESULTS = ("model.safetensors", "vocabulary.json", "learning_curve.csv")


@pytest.fixture
def finished(dataset, tiny_settings, tmp_path):
    """A finished run."""
    runs.train(dataset, tiny_settings(), tmp_path / "run")
    return tmp_path / "run"


def test_a_run_is_whole(finished, dataset):
    manifest = json.loads((finished / "manifest.json").read_text())
    assert manifest["pairs"] == {"train": 8, "recombined": 0, "validation": 8}
    assert manifest["left_out"]["train without text"] == 1
    assert manifest["sha256"].keys() == set(RESULTS)
    assert set(manifest["data"]) == {"train", "validation", "test"}
    assert (finished / "learning_curve.csv").read_text().startswith("epoch,learning_rate,train_loss,validation_loss,")
    assert not list(finished.glob("*.part"))
    assert not (finished / "state.safetensors").exists()


def test_a_finished_run_is_not_trained_again(finished, dataset, tiny_settings, monkeypatch):
    monkeypatch.setattr(runs, "_train", lambda *_: pytest.fail("trained again"))
    assert runs.train(dataset, tiny_settings(), finished)["epochs"] == 2


def test_other_settings_or_data_need_another_folder(finished, dataset, tiny_settings):
    with pytest.raises(ModelError, match=r"another settings.training.epochs \(2, not 3\)"):
        runs.train(dataset, tiny_settings(epochs=3), finished)
    (dataset / "test.jsonl").write_text("")
    with pytest.raises(ModelError, match=r"another data\.test"):
        runs.train(dataset, tiny_settings(), finished)


def test_a_folder_with_other_things_is_refused(dataset, tiny_settings, tmp_path):
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(ModelError, match="holds other files"):
        runs.train(dataset, tiny_settings(), tmp_path)


def test_one_training_a_folder(dataset, tiny_settings, tmp_path):
    (tmp_path / "run").mkdir()
    with open(tmp_path / "run" / ".lock", "w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        with pytest.raises(ModelError, match="in use"):
            runs.train(dataset, tiny_settings(), tmp_path / "run")


def test_an_interrupted_run_goes_on_to_the_same_bytes(finished, dataset, tiny_settings, tmp_path, monkeypatch):
    def stop(line):
        if line.startswith("epoch 2"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        runs.train(dataset, tiny_settings(), tmp_path / "other", stop)
    with pytest.raises(ModelError, match="unfinished"):
        runs.load(tmp_path / "other")
    said = []
    runs.train(dataset, tiny_settings(), tmp_path / "other", said.append)
    assert said[0] == "going on after epoch 1"
    for name in RESULTS:
        assert (tmp_path / "other" / name).read_bytes() == (finished / name).read_bytes(), name


@pytest.mark.slow
def test_killed_runs_go_on_to_the_same_bytes(dataset, tmp_path):
    changes = ["encoder.embedding=6", "encoder.hidden=5", "decoder.hidden=7", "decoder.embedding=6", "epochs=25"]
    options = [word for change in changes for word in ("--set", change)]

    def start(name):
        command = [
            sys.executable,
            "-m",
            "lib.cli",
            "train",
            "--data",
            str(dataset),
            "--out",
            str(tmp_path / name),
            *options,
        ]
        return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    assert start("whole").wait() == 0
    kills = 0
    for delay in (0.02, 0.3):
        process = start("killed")
        while process.poll() is None and not (tmp_path / "killed" / "learning_curve.csv").exists():
            time.sleep(0.01)
        time.sleep(delay)
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            kills += 1
        process.wait()
    assert start("killed").wait() == 0
    assert kills > 0
    for name in RESULTS:
        assert (tmp_path / "killed" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes(), name


def test_a_full_disk_ends_in_one_line_and_leaves_the_last_state(dataset, tmp_path, monkeypatch, capsys):
    real, calls = os.fsync, []

    def full(descriptor):
        calls.append(descriptor)
        if len(calls) > 4:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        real(descriptor)

    monkeypatch.setattr(os, "fsync", full)
    changes = ["--set", "encoder.embedding=6", "--set", "encoder.hidden=5", "--epochs", "3"]
    assert main(["train", "--data", str(dataset), "--out", str(tmp_path / "run"), *changes]) == 3
    error = capsys.readouterr().err.splitlines()[-1]
    assert error.startswith("spidercompose: ")
    assert error.endswith("No space left on device")
    assert not list((tmp_path / "run").glob("*.part"))
    monkeypatch.setattr(os, "fsync", real)
    assert main(["train", "--data", str(dataset), "--out", str(tmp_path / "run"), *changes]) == 0


def test_translation(finished):
    run = runs.load(finished)
    text = run.translate_sql("SELECT name FROM player WHERE hand = 'Left'")
    assert text == run.translate([source_of("SELECT name FROM player WHERE hand = 'Left'", "bilstm")])[0]
    assert isinstance(run.translate_sql("WHERE T1.age > 30", beam=3), str)
    with pytest.raises(ParameterError, match="beam"):
        run.translate([source_of("SELECT 1", "bilstm")], 0)
    with pytest.raises(ModelError, match="reads at most 400"):
        run.translate_sql("SELECT " + ", ".join(["a"] * 201))


def _write(path, content):
    path.write_bytes(content)


@pytest.mark.parametrize(
    "damage",
    [
        lambda run: (run / "model.safetensors").unlink(),
        lambda run: _write(run / "model.safetensors", b"\xff" * 64),
        lambda run: _write(run / "model.safetensors", (run / "model.safetensors").read_bytes()[:-100]),
        lambda run: _write(run / "model.safetensors", (run / "model.safetensors").read_bytes()[:-4] + b"\0\0\0\1"),
        lambda run: _write(run / "model.safetensors", pickle.dumps({"a": 1})),
        lambda run: runs.write_tensors(run / "model.safetensors", {"encoder": torch.zeros(3)}, {}),
        lambda run: _write(run / "vocabulary.json", b'{"source": ["a"], "target": ["a"]}'),
        lambda run: _write(run / "vocabulary.json", b'{"source": "ab"}'),
        lambda run: _write(run / "config.json", b'{"settings": {"model": "bilstm", "encoder": {"hidden": 8000}}}'),
        lambda run: _write(run / "config.json", b'{"settings": {"model": "bilstm", "encoder": {"hidden": 1e99}}}'),
        lambda run: _write(run / "config.json", b"[]"),
        lambda run: (run / "config.json").unlink(),
        lambda run: _write(run / "config.json", (run / "config.json").read_bytes().replace(b'"beam": 1', b'"beam": 3')),
        lambda run: (run / "vocabulary.json").unlink(),
    ],
)  # fmt: skip
def test_a_broken_run_is_refused_in_one_line(finished, damage, capsys):
    damage(finished)
    assert main(["translate", "--run", str(finished), "SELECT 1"]) == 3
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "broken run" in error
    assert error.count("train again") == 1


def test_a_broken_state_is_refused(finished, dataset, tiny_settings):
    (finished / "manifest.json").unlink()
    runs.write_tensors(finished / "state.safetensors", {"model.x": torch.zeros(2)}, {"curve": [], "seconds": []})
    with pytest.raises(ModelError, match="not the state of this run"):
        runs.train(dataset, tiny_settings(), finished)


def test_commands_from_training_to_score(dataset, tmp_path, capsys):
    out, options = str(tmp_path / "r"), ["--set", "encoder.hidden=5", "--set", "decoder.hidden=7", "--copy"]
    assert main(["train", "--data", str(dataset), "--out", out, "--epochs", "1", *options]) == 0
    assert "best epoch 1 of 1" in capsys.readouterr().out
    assert main(["translate", "--run", out, "SELECT name FROM player"]) == 0
    assert main(["evaluate", "--run", out, "--data", str(dataset), "--beam", "2"]) == 0
    report = json.loads(capsys.readouterr().out.partition("\n{")[2].join(["{", ""]))
    assert report["all"]["pairs"] == 8
    assert "tok:none" in report["bleu_signature"]
    predictions = str(tmp_path / "r" / "predictions-test.jsonl")
    assert main(["score", "--predictions", predictions, "--data", str(dataset)]) == 0
    scored = json.loads(capsys.readouterr().out)
    assert scored["all"] == report["all"]
    assert scored["by_clauses"] == report["by_clauses"]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["train", "--data", "nowhere", "--out", "x"], 3, "not a dataset"),
        (["train", "--data", "x", "--out", "x", "--model", "bilstn"], 2, "did you mean 'bilstm'"),
        (["train", "--data", "x", "--out", "x", "--set", "training.epohs=3"], 2, "did you mean"),
        (["train", "--data", "x", "--out", "x", "--set", "seed=4"], 2, "give it by --seed"),
        (["train", "--data", "x", "--out", "x", "--set", "model=rgt"], 2, "give it by --model"),
        (["train", "--data", "x", "--out", "x", "--epochs", "2", "--set", "training.epochs=1"], 2, "is given twice"),
        (["train", "--data", "x", "--out", "x", "--copy", "--set", "copy=false"], 2, "is given twice"),
        (["translate", "--run", "nowhere", "SELECT 1"], 3, "holds no run"),
        (["evaluate", "--run", "nowhere", "--data", "x", "--split", "tests"], 2, "did you mean 'test'"),
        (["score", "--predictions", "x", "--data", "nowhere"], 3, "not a dataset"),
    ],
)
def test_wrong_use_ends_in_one_line(arguments, code, message, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == code
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_not_sql_and_no_sql(finished, capsys):
    assert main(["translate", "--run", str(finished), ""]) == 2
    for sql in ("SELECT 'a", "hello", "SELECT a FROM t; SELECT b FROM t", "SELECT a FROM t WHERE"):
        assert main(["translate", "--run", str(finished), sql]) == 2
    assert capsys.readouterr().err.count("\n") == 5


def test_a_broken_manifest_of_a_run_is_refused(finished, dataset, tiny_settings):
    (finished / "manifest.json").write_text("[]")
    with pytest.raises(ModelError, match="not the manifest of a run"):
        runs.train(dataset, tiny_settings(), finished)


def test_what_is_no_sql_is_not_learnt(dataset, tiny_settings, tmp_path):
    first, *others = (dataset / "train.jsonl").read_text().splitlines()
    record = json.loads(first) | {"sql": "how many?"}
    (dataset / "train.jsonl").write_text("\n".join([json.dumps(record), *others]) + "\n")
    with pytest.raises(CorpusError, match=record["id"]):
        runs.train(dataset, tiny_settings(), tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_a_dataset_that_is_not_what_its_manifest_names_is_refused(dataset, tiny_settings, tmp_path):
    manifest = json.loads((dataset / "manifest.json").read_text())
    files = {f"{part}.jsonl": runs.sha256(dataset / f"{part}.jsonl") for part in ("train", "validation", "test")}
    (dataset / "manifest.json").write_text(json.dumps(manifest | {"sha256": files}))
    lines = (dataset / "train.jsonl").read_text().splitlines(keepends=True)
    (dataset / "train.jsonl").write_text("".join(lines[:4]))
    with pytest.raises(CorpusError, match=r"'train' in .* is missing, or not the file .* build the dataset again"):
        runs.train(dataset, tiny_settings(), tmp_path / "new")
    assert not (tmp_path / "new").exists()
    (dataset / "train.jsonl").write_text("".join(lines))
    (dataset / "queries.json").write_text("{}")
    for stated in (files, [], 3):
        (dataset / "manifest.json").write_text(json.dumps(manifest | {"sha256": stated}))
        with pytest.raises(CorpusError, match="build the dataset again"):
            runs.train(dataset, tiny_settings(), tmp_path / "new")


def test_evaluation_of_another_dataset_and_part(finished, dataset, tmp_path):
    shutil.copytree(dataset, tmp_path / "copy")
    report = evaluate(finished, tmp_path / "copy", "train")
    assert report["without_reference"] == 1
    assert (finished / "scores-train.json").exists()
    with pytest.raises(ParameterError, match="unknown part"):
        evaluate(finished, dataset, "dev")
