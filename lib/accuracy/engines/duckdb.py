"""DuckDB: a file opened read-only, no access to anything outside it, settings locked, queries interrupted in time.

A single function call, such as a `repeat` of gigabytes, neither sees an interrupt nor DuckDB's memory limit; therefore
the database lives in a process of its own, which can be killed.
"""

from pathlib import Path
from threading import Timer
from time import perf_counter

import duckdb

from lib.accuracy.engines.base import Engine, TooLarge, failed, fetched
from lib.accuracy.engines.isolated import IsolatedEngine
from lib.accuracy.records import Limits, Result

_SETTINGS = {
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_unsigned_extensions": "false",
    "allow_community_extensions": "false",
    "threads": "2",
    "temp_directory": "",  # nothing is spilt to disk
}


class DuckdbEngine(IsolatedEngine):
    """A DuckDB file."""

    dialect = "duckdb"
    name = "duckdb"
    module = "lib.accuracy.engines.duckdb"


class _InProcess(Engine):
    """The engine inside the child. Golden and generated queries run on cursors of one locked, read-only instance."""

    dialect = "duckdb"
    name = "duckdb"

    def __init__(self, path: str | Path):
        self.path = Path(path)
        self._connection: duckdb.DuckDBPyConnection | None = None
        self._memory = 0

    def run(self, sql: str, limits: Limits, golden: bool = False) -> Result:
        """See `Engine.run`; golden and generated queries cannot touch each other, as nothing can be written."""
        started = perf_counter()
        try:
            connection = self._connected(limits).cursor()
        except duckdb.Error as error:
            return failed("no_database", f"cannot open '{self.path}': {error}", started)
        with connection:
            return self._run(connection, sql, limits, started)

    def _run(self, connection, sql: str, limits: Limits, started: float) -> Result:
        stopped: list[bool] = []

        def stop() -> None:
            stopped.append(True)
            connection.interrupt()

        timer = Timer(limits.timeout_s, stop)
        timer.daemon = True
        timer.start()
        try:
            refused = _refused(connection, sql, started)
            if refused:
                return refused
            cursor = connection.execute(sql)
            names = tuple(column[0] for column in cursor.description or ())
            return fetched(cursor, limits, started, names)
        except (duckdb.Error, TooLarge, MemoryError, RuntimeError, ValueError, OverflowError, SystemError) as error:
            if isinstance(error, duckdb.FatalException | duckdb.InternalException):
                self.close()  # such an instance answers nothing more; the next query opens a new one
            if stopped:
                return failed("timeout", f"stopped after {limits.timeout_s:g} s", started)
            return failed(_status(error), error, started)
        finally:
            timer.cancel()

    def _connected(self, limits: Limits) -> duckdb.DuckDBPyConnection:
        if self._connection is None or self._memory != limits.max_memory:
            self.close()
            config = {**_SETTINGS, "memory_limit": f"{limits.max_memory // 1024}KiB"}
            self._connection = duckdb.connect(str(self.path), read_only=True, config=config)
            self._connection.execute("SET lock_configuration = true")
            self._memory = limits.max_memory
        return self._connection

    def close(self) -> None:
        """Closes the file."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def serve_engine(path: str) -> Engine:
    """The engine that a child process serves."""
    return _InProcess(path)


def _refused(connection, sql: str, started: float) -> Result | None:
    """DuckDB's own parser is asked what the text is."""
    statements = connection.extract_statements(sql)
    if len(statements) != 1:
        return failed("error", f"{len(statements)} statements: give one query", started)
    if statements[0].type != duckdb.StatementType.SELECT:
        return failed("unsafe", f"{statements[0].type.name} is no query: only one SELECT may run", started)
    return None


def _status(error: BaseException) -> str:
    if isinstance(error, duckdb.PermissionException) or "disabled by configuration" in str(error):
        return "unsafe"
    if "read-only mode" in str(error) or "configuration has been locked" in str(error):
        return "unsafe"
    if isinstance(error, TooLarge | MemoryError | duckdb.OutOfMemoryException):
        return "truncated"
    return "error"
