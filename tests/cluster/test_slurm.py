"""The quick study through a real SLURM: the same bytes as without, and no job that outlives it.

A cluster that is there is used; else one is started on loopback. Only on request: with two whole studies it takes half
an hour.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import pytest

from lib.cluster import job_name
from lib.paths import ROOT

SCRIPT = Path(__file__).with_name("slurm.sh")
FOLDERS = ("build", "runs", "data", "figures", "site")
POLL = "--slurm-init-seconds-before-status-checks 2"

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("slurm")]


def missing() -> str:
    """Why these tests cannot run here, or "" if they can."""
    if os.environ.get("SPIDERCOMPOSE_SLURM") != "1":
        return "SPIDERCOMPOSE_SLURM=1 is not set: it asks for tests with a real SLURM"
    absent = [name for name in ("slurmctld", "slurmd", "munged", "sbatch") if not shutil.which(name)]
    if absent:
        return f"no {absent[0]} here: apt-get install slurm-wlm munge"
    if not find_spec("snakemake_executor_plugin_slurm"):
        return "snakemake-executor-plugin-slurm is not installed: pip install -e '.[slurm]'"
    return ""


@pytest.fixture(scope="module")
def slurm(tmp_path_factory):
    reason = missing()
    if reason:
        pytest.skip(reason)
    if subprocess.run(["sinfo"], capture_output=True).returncode == 0:
        yield
        return
    folder = tmp_path_factory.mktemp("slurm")
    subprocess.run([SCRIPT, "start", folder], check=True)
    yield
    subprocess.run([SCRIPT, "stop", folder], check=True)


def command(out: Path, *more: str) -> list[str]:
    return [sys.executable, "-m", "lib.cli", "study", "quick", "--out", str(out), *more]


def through_slurm(out: Path, *more: str) -> list[str]:
    return command(out, "--executor", "slurm", "--snakemake", POLL, *more)


def jobs(out: Path, states: str) -> list[str]:
    """Numbers of the jobs of a study in the given states."""
    found = subprocess.run(
        ["squeue", "--me", "--noheader", "--states", states, "--format", "%A %j"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    lines = [line.split() for line in found.stdout.splitlines()]
    return [number for number, name in lines if name.startswith(job_name(out))]


def until(test, seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if test():
            return True
        time.sleep(0.2)
    return False


def results(out: Path) -> dict[str, bytes]:
    """Every file that a study made, less the seconds in its records and the name of its own folder."""
    found = {}
    for path in sorted(path for folder in FOLDERS for path in (out / folder).rglob("*")):
        if path.is_file() and not path.name.startswith("."):
            found[str(path.relative_to(out))] = comparable(path).replace(str(out).encode(), b"OUT")
    return found


def comparable(path: Path) -> bytes:
    if path.suffix != ".json":
        return path.read_bytes()
    values = json.loads(path.read_text())
    if isinstance(values, dict) and not isinstance(values.get("seconds"), str):
        values.pop("seconds", None)
    return json.dumps(values).encode()


def progress_of(out: Path) -> tuple[int, int]:
    """How many jobs SLURM got, and how many steps Snakemake had, by its own log."""
    log = "".join(path.read_text() for path in (out / ".snakemake" / "log").glob("*.log"))
    return log.count("has been submitted with SLURM jobid"), int(re.search(r"(\d+) of \1 steps \(100%\)", log)[1])


def test_results_are_the_same_bytes_through_slurm(slurm, tmp_path):
    local, cluster = tmp_path / "local", tmp_path / "cluster"
    subprocess.run(command(local, "--cores", "2"), check=True, cwd=ROOT)
    subprocess.run(through_slurm(cluster), check=True, cwd=ROOT)
    expected, made = results(local), results(cluster)
    assert made.keys() == expected.keys()
    assert sum(name.endswith("/predictions-test.jsonl") for name in made) >= 4
    assert sum(name.startswith("data/results/quick/") for name in made) >= 20
    assert not [name for name in made if made[name] != expected[name]]
    submitted, steps = progress_of(cluster)
    assert submitted == steps >= 15  # every step was a job
    assert sorted(path.name for path in cluster.iterdir()) == sorted([*FOLDERS, ".snakemake"])


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_study_that_ends_early_leaves_no_job_and_goes_on(slurm, tmp_path, number):
    arguments = through_slurm(tmp_path, "--only", "datasets")
    with subprocess.Popen(arguments, cwd=ROOT, start_new_session=True) as process:
        assert until(lambda: jobs(tmp_path, "RUNNING"), 60)
        if number == signal.SIGINT:
            os.killpg(process.pid, number)  # as a terminal does
        else:
            os.kill(process.pid, number)
    assert until(lambda: not jobs(tmp_path, "PENDING,CONFIGURING,RUNNING,COMPLETING"), 60)
    time.sleep(5)
    assert not jobs(tmp_path, "PENDING,CONFIGURING,RUNNING,COMPLETING")
    subprocess.run(arguments, check=True, cwd=ROOT)
    assert len(list(tmp_path.glob("build/quick/data/*/manifest.json"))) >= 4
    assert not list(tmp_path.rglob("*.part"))


def test_words_of_a_failing_step_are_shown(slurm, tmp_path):
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    (corpus / "tables.json").write_text("{")
    done = subprocess.run(
        through_slurm(tmp_path / "out", "--only", "datasets", "--set", f"corpus={corpus}"),
        capture_output=True, text=True, cwd=ROOT,
    )  # fmt: skip
    assert done.returncode == 3
    assert "SLURM status is: 'FAILED'" in done.stderr
    assert "spidercompose: " in done.stderr.split("study: from ")[1]
    assert "tables.json" in done.stderr.split("study: from ")[1]
    assert not jobs(tmp_path / "out", "PENDING,RUNNING")


def test_a_request_that_the_cluster_refuses_is_told_in_its_words(slurm, tmp_path):
    done = subprocess.run(
        through_slurm(tmp_path, "--only", "datasets", "--snakemake", f"{POLL} --default-resources slurm_partition=nil"),
        capture_output=True, text=True, cwd=ROOT,
    )  # fmt: skip
    assert done.returncode == 3
    assert "invalid partition" in done.stderr
