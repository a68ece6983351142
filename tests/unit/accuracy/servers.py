"""Starts a real PostgreSQL server for tests: own data folder, own socket, no network, gone afterwards."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

SUPERUSER, READER = "owner", "reader"


def binaries() -> Path:
    """Folder of the newest installed server; skips the test where there is none."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[4].split(".")[0]))
    found += [Path(path) for path in [shutil.which("initdb")] if path]
    if not found:
        pytest.skip("no PostgreSQL server is installed (initdb is neither in PATH nor under /usr/lib/postgresql)")
    return found[-1].parent


@contextmanager
def postgres_server() -> Iterator[str]:
    """A server with an empty database `postgres`; yields the folder of its socket."""
    bin_folder = binaries()
    folder = Path(tempfile.mkdtemp(prefix="pg-", dir="/tmp"))  # a socket's path must be short
    user = _unprivileged(folder)
    data, log = folder / "data", folder / "log"
    options = f"-k {folder} -c listen_addresses='' -c fsync=off -c max_connections=20"
    try:
        _run(
            [
                bin_folder / "initdb",
                "-D",
                data,
                "-A",
                "trust",
                "-U",
                SUPERUSER,
                "--no-sync",
                "-E",
                "UTF8",
                "--locale=C",
            ],
            user,
        )
        _run([bin_folder / "pg_ctl", "-D", data, "-l", log, "-w", "-o", options, "start"], user)
        yield str(folder)
    finally:
        if (data / "postmaster.pid").exists():
            _run([bin_folder / "pg_ctl", "-D", data, "-m", "immediate", "-w", "stop"], user)
        shutil.rmtree(folder, ignore_errors=True)


def _unprivileged(folder: Path) -> int | None:
    """The user to run as: the server refuses root."""
    if os.geteuid() != 0:
        return None
    import pwd

    try:
        user = pwd.getpwnam("postgres").pw_uid
    except KeyError:
        user = pwd.getpwnam("nobody").pw_uid
    os.chown(folder, user, -1)
    return user


def _run(command: list, user: int | None) -> None:
    done = subprocess.run(
        list(map(str, command)), user=user, cwd="/tmp", stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    if done.returncode:
        raise RuntimeError(f"{command[0]} failed: {done.stderr.decode()}")
