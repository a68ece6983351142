"""Runs a command that ends when its parent ends: `python -m lib.leash COMMAND ARGUMENTS`.

Without it, killing `make study` leaves its children at work, and the next start would meet them. Linux only; elsewhere
the command just runs.
"""

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1  # from linux/prctl.h


def main(command: list[str]) -> None:
    """Becomes the command; never returns."""
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    os.execvp(command[0], command)


if __name__ == "__main__":
    main(sys.argv[1:])
