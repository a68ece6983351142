"""The steps of a study as jobs of a SLURM cluster, none of which outlives the study.

Snakemake submits the jobs and cancels them when it is interrupted, but not when it is killed. So a watcher, a process
of its own session on the submitting machine, waits for the end of the study, whatever that is, and cancels what is
left. Jobs are known by their name, which is made from the study's folder: nothing has to be remembered, and what even
the watcher could not cancel (the machine went down) is cancelled when the study is started again.
"""

import hashlib
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from lib.errors import ParameterError, StudyError, suggest

EXECUTORS = ("local", "slurm")
JOBS = 100  # at a time, unless the user says otherwise; the cluster has a queue of its own
_PLUGIN = "snakemake_executor_plugin_slurm"
_ALIVE = "PENDING,CONFIGURING,RUNNING,SUSPENDED,STOPPED,COMPLETING,REQUEUED"
_PATIENCE = 180  # seconds that cancelled jobs may take to end; SLURM kills them after 30 by default
_CALM = 5  # looks without a job, after which no sbatch is at work any more that a killed Snakemake had begun
_ATTEMPTS = 6  # of the watcher to reach SLURM, whose controller may be away for a while
_PAUSE = 1.0  # seconds between two looks
_LATENCY = 60  # seconds that a file of another machine may take to be seen on a shared file system
_POLL = 10  # seconds before the first look at the state of jobs, later ones are rarer


def check_executor(name: str, options: Sequence[str] = ()) -> None:
    """Checks that steps can be run in this way here.

    Args:
        name: one of EXECUTORS.
        options: the user's own for Snakemake.

    Raises:
        ParameterError: if the name is unknown, or the options contradict it.
        StudyError: if SLURM or Snakemake's plugin for it is not installed.
    """
    if name not in EXECUTORS:
        raise ParameterError(f"unknown executor '{name}': {suggest(name, EXECUTORS)}")
    for option in options:
        if re.match(r"(--executor|-e|--slurm-jobname-prefix)(=|$)", option):
            raise ParameterError(f"{option.split('=')[0]} is no option for --snakemake: say --executor NAME instead")
    if name == "slurm":
        if not find_spec(_PLUGIN):
            package = _PLUGIN.replace("_", "-")
            raise StudyError(f"--executor slurm needs the package {package}: pip install 'spidercompose[slurm]'")
        if not shutil.which("sbatch"):
            raise StudyError("--executor slurm needs SLURM's commands, and there is no sbatch here: use a login node")


def job_name(folder: Path) -> str:
    """What the names of all jobs of studies in a folder begin with.

    >>> job_name(Path("/tmp/mine"))
    'spidercompose-454671e605c3'
    """
    return f"spidercompose-{hashlib.sha256(str(folder).encode()).hexdigest()[:12]}"


def slurm_options(folder: Path, jobs: int, logs: Path) -> list[str]:
    """Options for Snakemake that make it run the steps of a study through SLURM.

    Args:
        folder: of the study.
        jobs: at a time, waiting ones included.
        logs: folder for what the jobs say; it is shared by all machines, as the study's folder is.

    Raises:
        StudyError: if SLURM does not answer.
    """
    return [
        "--executor", "slurm", "--jobs", str(jobs), "--latency-wait", str(_LATENCY),
        "--slurm-jobname-prefix", job_name(folder), "--slurm-logdir", str(logs),
        "--slurm-init-seconds-before-status-checks", str(_POLL), "--slurm-status-command", _status_command(),
    ]  # fmt: skip


def _status_command() -> str:
    """Where the states of jobs are read: from the accounting's data base, or from the controller if there is none."""
    kind = re.search(r"^AccountingStorageType\s*=\s*(\S+)", _ask("scontrol", "show", "config"), re.M)
    return "sacct" if kind and kind[1].endswith("slurmdbd") and shutil.which("sacct") else "squeue"


def _ask(*command: str) -> str:
    """What a command of SLURM prints."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_PATIENCE)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise StudyError(f"SLURM does not answer: {error}") from error
    if done.returncode:
        raise StudyError(f"SLURM does not answer: {done.stderr.strip() or f'{command[0]} failed'}")
    return done.stdout


def _alive(name: str) -> set[str]:
    """Numbers of the user's jobs that wait or run and whose name begins in this way."""
    lines = _ask("squeue", "--me", "--noheader", "--states", _ALIVE, "--format", "%A %j").splitlines()
    return {line.split()[0] for line in lines if line.split()[1:2] and line.split()[1].startswith(name)}


def cancel(name: str, calm: int = 1) -> int:
    """Cancels all jobs of a study and waits for their end; returns how many there were.

    Args:
        name: what their names begin with.
        calm: looks in a row that must find no job.

    Raises:
        StudyError: if SLURM does not answer, or jobs do not end.
    """
    cancelled: set[str] = set()
    quiet, deadline = 0, time.monotonic() + _PATIENCE
    while True:
        left = _alive(name)
        quiet = 0 if left else quiet + 1
        if quiet >= calm:
            return len(cancelled)
        if time.monotonic() > deadline:
            raise StudyError(f"jobs that were cancelled do not end, see squeue: {', '.join(sorted(left))}")
        if left - cancelled:
            _ask("scancel", *sorted(left - cancelled))
            cancelled |= left
        time.sleep(_PAUSE)


@contextmanager
def watched(name: str, lock: int) -> Iterator[None]:
    """Sees to it that no job of a study is left when the block ends, or this process does, in whatever way.

    Args:
        name: what the names of the jobs begin with.
        lock: descriptor of the study's lock; the watcher holds it too, so that the next study waits for it.

    Raises:
        StudyError: if jobs of an earlier run cannot be cancelled.
    """
    count = cancel(name)
    if count:
        print(f"study: {count} jobs of an earlier run were cancelled", file=sys.stderr, flush=True)
    with subprocess.Popen(
        [sys.executable, "-m", "lib.cluster", name], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
        pass_fds=[lock], start_new_session=True, cwd=Path(__file__).parents[1],
    ) as watcher:  # fmt: skip
        yield
        watcher.communicate(b"ended")  # nobody submits jobs any more


def main(name: str) -> None:
    """Waits until the other end of standard input is closed, then cancels the jobs of that name."""
    calm = 1 if sys.stdin.buffer.read() else _CALM
    for left in reversed(range(_ATTEMPTS)):
        try:
            count = cancel(name, calm)
            break
        except StudyError as error:  # the controller may be busy or start again
            if not left:
                sys.exit(f"spidercompose: jobs named {name}_... may be left: {error}")
            time.sleep(10 * _PAUSE)
    if count:
        print(f"study: {count} jobs were cancelled", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
