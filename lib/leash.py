"""Runs a command that ends when its parent ends: `python -m lib.leash PARENT COMMAND ARGUMENTS`.

PARENT is the parent's process id, so that one who ended before the leash was on is noticed too. Without the leash,
killing `make study` leaves its children at work, and the next start would meet them. Linux only; elsewhere the
command just runs.
"""

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1  # from linux/prctl.h


def main(parent: str, *command: str) -> None:
    """Becomes the command, or ends at once if the parent has ended; never returns."""
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != int(parent):
            sys.exit(128 + signal.SIGKILL)
    os.execvp(command[0], command)


if __name__ == "__main__":
    main(*sys.argv[1:])
