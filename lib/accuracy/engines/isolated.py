"""An engine in a process of its own: for engines whose single functions neither stop in time nor bound their memory.

The child may use a limited amount of memory and is killed shortly after the deadline. What it sends back is read with
an unpickler that knows plain values only, as the child has worked on hostile SQL.
"""

import io
import os
import pickle
import resource
import select
import struct
import subprocess
import sys
from dataclasses import astuple
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from time import perf_counter
from uuid import UUID

from lib.accuracy.engines.base import Engine, failed
from lib.accuracy.engines.sqlite import file_digest
from lib.accuracy.records import Limits, Result
from lib.errors import EngineError
from lib.paths import ROOT

_GRACE = 0.04  # share of the deadline after which the child is killed
_START_S = 60  # seconds that a child may take to start on a busy machine
_SPARE = 1 << 30  # bytes of address space beyond the limit, for the engine itself
_LENGTH = struct.Struct(">Q")
_PLAIN = {(kind.__module__, kind.__name__): kind for kind in (Decimal, date, datetime, time, timedelta, timezone, UUID)}
_PLAIN["builtins", "frozenset"] = frozenset


class IsolatedEngine(Engine):
    """A file-based engine behind a pipe.

    Args:
        path: the database file.
    """

    module = ""  # module whose `serve_engine(path)` makes the engine inside the child

    def __init__(self, path: str | Path):
        self._child: subprocess.Popen | None = None
        self.path = Path(path)

    def run(self, sql: str, limits: Limits, golden: bool = False) -> Result:
        """See `Engine.run`."""
        started = perf_counter()
        if not self.path.is_file():
            return failed("no_database", f"no database at '{self.path}'", started)
        child = self._started()
        started = perf_counter()  # the start of a process is not the query's
        try:
            _send(child.stdin, (sql, astuple(limits), golden))
            answer = _receive(child.stdout, limits.timeout_s * (1 + _GRACE) + 0.02)
        except (OSError, EOFError, pickle.UnpicklingError) as error:
            self.close()
            return failed("truncated", f"the engine's process ended ({str(error) or 'out of memory'})", started)
        if answer is None:
            self.close()
            return failed("timeout", f"stopped after {limits.timeout_s:g} s", started)
        return Result(*answer)

    def _started(self) -> subprocess.Popen:
        if self._child is None or self._child.poll() is not None:
            environment = {**os.environ, "PYTHONPATH": str(ROOT)}
            command = [sys.executable, "-m", "lib.accuracy.engines.isolated", self.module, str(self.path.absolute())]
            self._child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)
            if _receive(self._child.stdout, _START_S) != "ready":
                self.close()
                raise EngineError(f"the process of the {self.name} engine does not start")
        return self._child

    def digest(self) -> str:
        """See `Engine.digest`."""
        try:
            stat = self.path.stat()
        except OSError:
            return ""
        return file_digest(str(self.path), stat.st_size, stat.st_mtime_ns)

    def close(self) -> None:
        """Ends the child."""
        if self._child is not None:
            self._child.kill()
            self._child.wait()
            for pipe in (self._child.stdin, self._child.stdout):
                pipe.close()
            self._child = None

    def __del__(self):
        self.close()


class _PlainUnpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str):
        if (module, name) not in _PLAIN:
            raise pickle.UnpicklingError(f"{module}.{name} is no plain value")
        return _PLAIN[module, name]


def _send(pipe, value) -> None:
    data = pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)
    try:
        pipe.write(_LENGTH.pack(len(data)) + data)
        pipe.flush()
    except BrokenPipeError as error:
        raise EOFError("the other side is gone") from error


def _receive(pipe, timeout_s: float | None):
    """The next value; None after the timeout.

    Raises:
        EOFError: if the other side ended.
    """
    if timeout_s is not None and not select.select([pipe], [], [], timeout_s)[0]:
        return None
    header = pipe.read(_LENGTH.size)
    if len(header) < _LENGTH.size:
        raise EOFError
    size = _LENGTH.unpack(header)[0]
    data = pipe.read(size)
    if len(data) < size:
        raise EOFError
    return _PlainUnpickler(io.BytesIO(data)).load()


def serve(engine: Engine, source, sink) -> None:
    """Answers requests until the other side ends."""
    _send(sink, "ready")
    limited = 0
    while True:
        try:
            sql, limits, golden = _receive(source, None)
        except EOFError:
            return
        limits = Limits(*limits)
        if not limited:
            engine.run("SELECT 1", limits, golden)  # opens the database before memory is counted
            limited = _limit_memory(limits.max_memory)
        result = engine.run(sql, limits, golden)
        try:
            _send(sink, _fields(result))
        except MemoryError:
            _send(sink, ("truncated", (), [], "out of memory", result.seconds))


def _fields(result: Result) -> tuple:
    return (result.status, result.columns, result.rows, result.error, result.seconds)


def _limit_memory(allowed: int) -> int:
    """Bounds the process's address space; 0 where the system cannot."""
    try:
        with open("/proc/self/statm") as handle:
            size = int(handle.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
        limit = size + allowed + _SPARE
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    except (OSError, ValueError):
        return 0
    return limit


def main(module: str, path: str) -> None:
    """The child: serves one engine over standard input and output."""
    from importlib import import_module

    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever prints goes to standard error, not between the answers
    serve(import_module(module).serve_engine(path), sys.stdin.buffer, output)


if __name__ == "__main__":
    main(*sys.argv[1:])
