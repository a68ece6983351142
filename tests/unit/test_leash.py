"""A command on the leash ends when its parent ends, and else behaves as without."""

import os
import signal
import subprocess
import sys
import time

import pytest

LEASH = [sys.executable, "-m", "lib.leash"]
OURS = [*LEASH, str(os.getpid())]


@pytest.mark.parametrize("code", [0, 3])
def test_words_and_exit_code_pass(code):
    done = subprocess.run([*OURS, "bash", "-c", f"echo $1; exit {code}", "x", "a b"], capture_output=True, text=True)
    assert (done.stdout, done.returncode) == ("a b\n", code)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux tells a process that its parent ended")
@pytest.mark.parametrize("leashed", [False, True], ids=["before the leash is on", "after"])
def test_it_ends_with_its_parent(leashed):
    script = 'python=$1; shift; "$python" -m lib.leash $$ "$@" & echo $!; wait'
    parent = subprocess.Popen(
        ["bash", "-c", script, "x", sys.executable, "sleep", "60"], stdout=subprocess.PIPE, text=True
    )
    child = int(parent.stdout.readline())
    if leashed:
        wait_until(lambda: b"sleep\0" + b"60" in command_line(child) and b"leash" not in command_line(child))
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    parent.stdout.close()
    wait_until(lambda: b"sleep" not in command_line(child))


def command_line(process: int) -> bytes:
    try:
        with open(f"/proc/{process}/cmdline", "rb") as handle:
            return handle.read()
    except (FileNotFoundError, ProcessLookupError):
        return b""


def wait_until(test, seconds: float = 30) -> None:
    deadline = time.monotonic() + seconds
    while not test():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_the_command_sees_the_same_environment():
    done = subprocess.run([*OURS, "env"], capture_output=True, text=True, env=os.environ | {"SHADE": "blue"})
    assert "SHADE=blue" in done.stdout
