"""Steps on a cluster, with stand-ins for SLURM's commands; tests/cluster has the real ones."""

import fcntl
import io
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from lib import cluster
from lib.cli import main
from lib.cluster import cancel, check_executor, job_name, slurm_options, watched
from lib.errors import StudyError
from lib.paths import ROOT
from lib.study import _show, _show_logs

NAME = job_name(Path("/tmp/mine"))
# Jobs are lines "NUMBER NAME" of a file. A cancelled one is seen once more, as one that is completing.
COMMANDS = {
    "squeue": 'cat "$JOBS"; grep -v " .* ending" "$JOBS" >"$JOBS.new"; mv "$JOBS.new" "$JOBS"',
    "scancel": 'echo "$@" >>"$JOBS.cancelled"; for job; do sed -i "s/^$job .*/& x ending/" "$JOBS"; done',
    "scontrol": 'echo "AccountingStorageType   = $ACCOUNTING"',
    "sacct": "",
    "sbatch": "",
}


def script(path: Path, body: str) -> None:
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)


@pytest.fixture
def slurm(tmp_path, monkeypatch):
    """Stand-ins for SLURM's commands; returns the file of the jobs."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name, body in COMMANDS.items():
        script(folder / name, body)
    jobs = tmp_path / "jobs"
    jobs.touch()
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("JOBS", str(jobs))
    monkeypatch.setenv("ACCOUNTING", "accounting_storage/none")
    monkeypatch.setattr(cluster, "find_spec", lambda name: name)
    monkeypatch.setattr(cluster, "_PAUSE", 0.05)
    return jobs


def cancelled(jobs: Path) -> list[str]:
    path = jobs.with_name("jobs.cancelled")
    return path.read_text().split() if path.exists() else []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--executor", "slrum"], "unknown executor 'slrum': did you mean 'slurm'? Known: local, slurm"),
        (["--executor", ""], "unknown executor '': known: local, slurm"),
        (["--snakemake", "--executor slurm"], "--executor is no option for --snakemake: say --executor NAME"),
        (["--snakemake", "-e slurm"], "-e is no option for --snakemake"),
        (["--executor", "slurm", "--snakemake=--slurm-jobname-prefix=x"], "--slurm-jobname-prefix is no option"),
        (["--executor", "slurm", "--cores", "0"], "--cores must be at least 1, not 0"),
    ],
)
def test_wrong_use_is_one_line_and_exit_code_2(capsys, tmp_path, slurm, arguments, message):
    assert main(["study", "quick", "--out", str(tmp_path / "out"), *arguments]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_what_is_missing_is_said_in_one_line_before_anything_is_written(capsys, tmp_path, slurm, monkeypatch):
    command = ["study", "quick", "--out", str(tmp_path / "out"), "--executor", "slurm"]
    script(slurm.parent / "bin" / "scontrol", "echo 'error: Unable to contact slurm controller' >&2; exit 1")
    assert main(command) == 3
    assert "SLURM does not answer: error: Unable to contact slurm controller" in capsys.readouterr().err
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(command) == 3
    assert "there is no sbatch here" in capsys.readouterr().err
    monkeypatch.setattr(cluster, "find_spec", lambda name: None)
    assert main(command) == 3
    error = capsys.readouterr().err
    assert "needs the package snakemake-executor-plugin-slurm: pip install 'spidercompose[slurm]'" in error
    assert error.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_local_execution_needs_no_cluster(monkeypatch):
    monkeypatch.setenv("PATH", "")
    check_executor("local", ["--set-resources", "train:mem_mb=6000", "--slurm-qos", "x"])


def test_jobs_are_named_after_the_folder():
    names = {job_name(Path(folder)) for folder in ("/a", "/b", "/a b")}
    assert len(names) == 3
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{1,50}", name) for name in names)  # what Snakemake's plugin takes


@pytest.mark.parametrize(
    ("kind", "command"),
    [
        ("accounting_storage/none", "squeue"),
        ("(null)", "squeue"),
        ("accounting_storage/slurmdbd", "sacct"),
    ],
)
def test_states_come_from_the_accounting_where_there_is_one(slurm, monkeypatch, kind, command):
    monkeypatch.setenv("ACCOUNTING", kind)
    options = slurm_options(Path("/tmp/mine"), 7, Path("/tmp/mine/logs"))
    given = dict(zip(options[::2], options[1::2], strict=True))
    assert given["--slurm-status-command"] == command
    assert (given["--jobs"], given["--slurm-logdir"]) == ("7", "/tmp/mine/logs")


def test_only_jobs_of_the_study_are_cancelled_and_waited_for(slurm):
    slurm.write_text(f"5 {NAME}_a\n6 other_{NAME}\n77 {NAME}_b\n8\n")
    assert cancel(NAME) == 2
    assert cancelled(slurm) == ["5", "77"]
    assert slurm.read_text() == f"6 other_{NAME}\n8\n"


def test_jobs_that_do_not_end_are_named(slurm, monkeypatch):
    monkeypatch.setattr(cluster, "_PATIENCE", 0.5)
    script(slurm.parent / "bin" / "scancel", "true")
    slurm.write_text(f"5 {NAME}_a\n")
    with pytest.raises(StudyError, match="jobs that were cancelled do not end, see squeue: 5"):
        cancel(NAME)


def test_jobs_of_an_earlier_run_are_cancelled_first(slurm, tmp_path, capfd):
    slurm.write_text(f"5 {NAME}_a\n")
    with open(tmp_path / "lock", "w") as lock, watched(NAME, lock.fileno()):
        assert cancelled(slurm) == ["5"]
    assert "study: 1 jobs of an earlier run were cancelled" in capfd.readouterr().err


def test_a_killed_study_has_its_jobs_cancelled_and_its_lock_kept_until_then(slurm, tmp_path):
    lock = tmp_path / "lock"
    code = (
        "import fcntl, sys, time; from lib.cluster import watched\n"
        f"lock = open({str(lock)!r}, 'w'); fcntl.flock(lock, fcntl.LOCK_EX)\n"
        f"with watched({NAME!r}, lock.fileno()): print('ready', flush=True); time.sleep(60)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        assert process.stdout.readline() == "ready\n"
        slurm.write_text(f"5 {NAME}_a\n")
        os.kill(process.pid, signal.SIGKILL)
    with open(lock) as handle:
        with pytest.raises(BlockingIOError):
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        start = time.monotonic()
        fcntl.flock(handle, fcntl.LOCK_EX)
    assert cancelled(slurm) == ["5"]
    assert slurm.read_text() == ""
    assert time.monotonic() - start < 30


@pytest.mark.parametrize(("failures", "left"), [(2, ""), (99, f"5 {NAME}_a\n")])
def test_the_watcher_asks_again_when_slurm_does_not_answer(slurm, monkeypatch, failures, left):
    squeue = slurm.parent / "bin" / "squeue"
    count = f"n=$(cat $JOBS.n 2>/dev/null || echo 0); echo $((n + 1)) >$JOBS.n; [ $n -ge {failures} ] || exit 1"
    script(squeue, f"{count}\n{COMMANDS['squeue']}")
    slurm.write_text(f"5 {NAME}_a\n")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))
    if left:
        with pytest.raises(SystemExit, match="may be left: SLURM does not answer"):
            cluster.main(NAME)
    else:
        cluster.main(NAME)
    assert slurm.read_text() == left


def test_words_of_jobs_pass_and_those_of_the_plugin_do_not(capfd):
    for line in (
        "SLURM run ID: spidercompose-454671e605c3_ab",
        "No SLURM account given, trying to guess.",
        "No account was given, not able to get a SLURM account via sacct: x",
        "Unable to guess SLURM account. Trying to proceed without.",
        "Job 4 has been submitted with SLURM jobid 3 (log: /tmp/3.log).",
        "Provided remote nodes: 100",
        "Cleaning up SLURM log files older than 10 day(s).",
        "localrule datasets:",
        "    message: dataset paper",
        "    message: SLURM-job '2' failed, SLURM status is: 'TIMEOUT'. Detailed failure reason unavailable",
        "    message: SLURM sbatch failed. The error message was 'sbatch: error: invalid partition: x'.",
        "    message: SLURM sbatch failed. The error message was 'sbatch: error: invalid partition: y",
        "sbatch: error: Batch job submission failed: Invalid partition name specified'.",
        "    sbatch call:",
        "        sbatch --parsable --job-name x",
        "For further error details see the cluster/cloud log and the log files of the involved rule(s).",
        "Job 4: dataset paper",
    ):
        _show(line + "\n")
    assert capfd.readouterr().err.splitlines() == [
        "study: SLURM-job '2' failed, SLURM status is: 'TIMEOUT'.",
        "study: SLURM sbatch failed. The error message was 'sbatch: error: invalid partition: x'.",
        "study: SLURM sbatch failed. The error message was 'sbatch: error: invalid partition: y",
        "sbatch: error: Batch job submission failed: Invalid partition name specified'.",
        "study: dataset paper",
    ]


def test_logs_of_failed_jobs_are_shown(tmp_path, capfd):
    path = tmp_path / "rule_build" / "paper" / "3.log"
    path.parent.mkdir(parents=True)
    path.write_text("Building DAG of jobs...\nspidercompose: tables.json is not JSON\n    jobid: 0\n")
    _show_logs(tmp_path)
    assert capfd.readouterr().err == f"study: from {path}:\nspidercompose: tables.json is not JSON\n"
    _show_logs(tmp_path / "none")
    assert capfd.readouterr().err == ""


def test_every_step_says_what_it_needs():
    """Clusters give a job little memory and time if it does not ask."""
    rules = re.split(r"^rule ", (ROOT / "Snakefile").read_text(), flags=re.M)[1:]
    steps = [rule for rule in rules if "    shell:\n" in rule]
    assert len(steps) >= 4
    assert not [rule.split(":")[0] for rule in steps if not re.search(r"resources:\n +mem_mb=\d+,\n +runtime=", rule)]
