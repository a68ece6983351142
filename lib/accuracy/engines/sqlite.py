"""SQLite: read-only files, an authorizer that sees what a statement does, a deadline inside the virtual machine."""

import hashlib
import os
import re
import sqlite3
from collections import OrderedDict
from contextlib import closing
from functools import lru_cache
from pathlib import Path
from time import perf_counter
from urllib.parse import quote

from lib.accuracy.engines.base import Engine, failed
from lib.accuracy.records import Limits, Result
from lib.records import Column, Schema

_STEPS = 500  # virtual-machine instructions between two looks at the clock: about 10 microseconds
_LOOKS = 16  # looks at the clock between two looks at the memory
_OPEN = 24  # databases kept open in a process
_FEW, _CHUNK = 8, 128  # rows read first, and then
_MAX_CHUNK = 8192
_SLOW = 0.005  # seconds for a chunk, above which chunks get smaller: between chunks the limits are looked at
_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096
_READS = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_RECURSIVE}
_ACTION_NAME = re.compile(
    r"SQLITE_((?:CREATE|DROP|ALTER)_\w+|DELETE|INSERT|UPDATE|PRAGMA|TRANSACTION|SAVEPOINT|ATTACH|DETACH|REINDEX)"
)
_ACTIONS = {
    getattr(sqlite3, name): found[1] for name in sorted(dir(sqlite3)) if (found := _ACTION_NAME.fullmatch(name))
}
_COLUMNS = """SELECT m.name, c.name FROM sqlite_master AS m JOIN pragma_table_info(m.name) AS c
    WHERE m.type IN ('table', 'view') AND m.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY m.rowid, c.cid"""
_FUNCTIONS = {"load_extension", "fts3_tokenizer", "readfile", "writefile", "edit", "sqlite_log", "zipfile", "fsdir"}


class SqliteEngine(Engine):
    """A SQLite file; connections to the latest files stay open."""

    dialect = "sqlite"
    name = "sqlite"

    def __init__(self, path: str | Path):
        self.path = Path(path)

    def run(self, sql: str, limits: Limits, golden: bool = False) -> Result:
        """See `Engine.run`."""
        started = perf_counter()
        try:
            guard = _guard(str(self.path), golden)
        except FileNotFoundError:
            return failed("no_database", f"no database at '{self.path}'", started)
        except sqlite3.Error as error:
            return failed("no_database", f"cannot open '{self.path}': {error}", started)
        return guard.run(sql, limits, started)

    def digest(self) -> str:
        """See `Engine.digest`."""
        try:
            stat = os.stat(self.path)
        except OSError:
            return ""
        return file_digest(str(self.path), stat.st_size, stat.st_mtime_ns)

    def schema(self) -> Schema | None:
        """See `Engine.schema`."""
        try:
            stat = os.stat(self.path)
            return file_schema(str(self.path), stat.st_size, stat.st_mtime_ns)
        except (OSError, sqlite3.Error):
            return None

    def close(self) -> None:
        """Closes both connections."""
        for key in ((str(self.path), True), (str(self.path), False)):
            if key in _open:
                _open.pop(key).connection.close()


_digests: dict[tuple, str] = {}


def file_digest(path: str, size: int, changed: int) -> str:
    """The first 16 hex digits of a file's SHA-256, read again only if its size or time changed."""
    key = (path, size, changed)
    if key not in _digests:
        with open(path, "rb") as handle:
            _digests[key] = hashlib.file_digest(handle, "sha256").hexdigest()[:16]
    return _digests[key]


@lru_cache(maxsize=_OPEN)
def file_schema(path: str, size: int, changed: int) -> Schema | None:
    """Tables and columns of a file, read again only if its size or time changed; None if there is no table."""
    with closing(_connect(path)) as connection:
        found = connection.execute(_COLUMNS).fetchall()
    tables = tuple(dict.fromkeys(table for table, _ in found))
    columns = tuple(Column(tables.index(table), name, name.lower(), "others") for table, name in found)
    return Schema(Path(path).stem, tables, tuple(map(str.lower, tables)), columns, (), ()) if tables else None


_open: OrderedDict[tuple[str, bool], "_Guard"] = OrderedDict()


def _guard(path: str, golden: bool) -> "_Guard":
    """The open connection to a file; a new one if there is none, or the file is another one by now."""
    key = (path, golden)
    stat = os.stat(path)
    identity = (os.getpid(), stat.st_ino, stat.st_size, stat.st_mtime_ns)
    guard = _open.get(key)
    if guard is not None and guard.identity == identity:
        _open.move_to_end(key)
        return guard
    guard = _open[key] = _Guard(path, identity)
    _open.move_to_end(key)
    while len(_open) > 2 * _OPEN:
        _open.popitem(last=False)[1].connection.close()
    return guard


class _Guard:
    """A connection with everything closed that a query does not need."""

    def __init__(self, path: str, identity: tuple):
        self.identity = identity
        self.denied, self.stopped = "", ""
        self.deadline, self.memory, self.looks = float("inf"), 0, 0
        self.connection = _connect(path)
        self.connection.execute("PRAGMA query_only = 1")
        self.connection.execute("PRAGMA trusted_schema = 0")
        # Sorters write runs of a few megabytes to unlinked files: in memory they would sort everything at the end,
        # in one instruction that no deadline stops (measured: 7.5 s instead of 5 s).
        self.connection.execute("PRAGMA temp_store = 1")
        self.cell = 0
        for what, limit in (
            ("ATTACHED", 0),
            ("SQL_LENGTH", 1_000_000),
            ("LIKE_PATTERN_LENGTH", 1000),
            ("VDBE_OP", 1_000_000),
        ):
            self.connection.setlimit(getattr(sqlite3, f"SQLITE_LIMIT_{what}"), limit)
        self.connection.set_authorizer(self._authorize)
        self.connection.set_progress_handler(self._look, _STEPS)

    def run(self, sql: str, limits: Limits, started: float) -> Result:
        if self.cell != limits.max_cell:
            self.cell = limits.max_cell
            self.connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, limits.max_cell)
        self.denied = self.stopped = ""
        self.deadline = started + limits.timeout_s
        self.memory, self.looks = 0, 0
        self.limits = limits
        try:
            return self._fetch(sql, limits, started)
        except (sqlite3.Error, sqlite3.Warning, ValueError, MemoryError, OverflowError) as error:
            return self._explained(error, sql, limits, started)

    def _fetch(self, sql: str, limits: Limits, started: float) -> Result:
        cursor = self.connection.execute(sql)
        columns = tuple(column[0] for column in cursor.description or ())
        rows = cursor.fetchmany(_FEW)
        if len(rows) == _FEW:
            self._fetch_rest(cursor, rows, limits)
        if len(rows) > limits.max_rows:
            del rows[limits.max_rows :]
            return Result("truncated", columns, rows, f"more than {limits.max_rows} rows", perf_counter() - started)
        return Result("ok", columns, rows, "", perf_counter() - started)

    def _fetch_rest(self, cursor: sqlite3.Cursor, rows: list[tuple], limits: Limits) -> None:
        step, before = min(_CHUNK, self._affordable(rows)), perf_counter()
        while len(rows) <= limits.max_rows:
            chunk = cursor.fetchmany(min(step, limits.max_rows + 1 - len(rows)))
            rows += chunk
            if len(chunk) < step:
                break
            now = perf_counter()
            if self._over_memory():
                raise MemoryError
            if now > self.deadline:
                self.stopped = "timeout"
                raise sqlite3.OperationalError("interrupted")
            step = min(step * 2, _MAX_CHUNK) if now - before < _SLOW else max(step // 2, _FEW)
            step = min(step, self._affordable(chunk))
            before = now
        cursor.close()

    def _affordable(self, rows: list[tuple]) -> int:
        """Rows like the last one that take a tenth of the memory allowed."""
        size = sum(len(cell) for cell in rows[-1] if type(cell) in (str, bytes)) + 64
        return max(1, self.limits.max_memory // (10 * size))

    def _explained(self, error: BaseException, sql: str, limits: Limits, started: float) -> Result:
        text = str(error)
        if isinstance(error, sqlite3.OperationalError) and text.startswith("Could not decode"):
            return self._run_undecoded(sql, limits, started)
        if self.stopped == "timeout":
            return failed("timeout", f"stopped after {limits.timeout_s:g} s", started)
        if self.stopped == "memory" or isinstance(error, MemoryError) or "out of memory" in text:
            return failed("truncated", f"the query needs more than {limits.max_memory} bytes", started)
        if "too big" in text:
            return failed("truncated", f"a value over {limits.max_cell} bytes", started)
        if self.denied or "readonly database" in text or "not authorized" in text or "prohibited" in text:
            return failed("unsafe", f"refused: {self.denied or text}", started)
        if "not a database" in text or "malformed" in text or "disk I/O" in text:
            return failed("no_database", text, started)
        return failed("error", text, started)

    def _run_undecoded(self, sql: str, limits: Limits, started: float) -> Result:
        """Texts that are not UTF-8 keep their bytes as surrogates, so that different texts stay different."""
        self.connection.text_factory = lambda data: data.decode("utf-8", "surrogateescape")
        try:
            return self._fetch(sql, limits, started)
        except (sqlite3.Error, sqlite3.Warning, ValueError, MemoryError, OverflowError) as error:
            return self._explained(error, sql, limits, started)
        finally:
            self.connection.text_factory = str

    def _authorize(self, action: int, first, second, database, trigger) -> int:
        if action in _READS:
            return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_FUNCTION:
            if second.lower() not in _FUNCTIONS:
                return sqlite3.SQLITE_OK
            self.denied = f"the function {second}"
        elif action == sqlite3.SQLITE_UPDATE and first == "sqlite_master":  # what SQLite does to make one
            self.denied = "a virtual table, such as a pragma"
        else:
            self.denied = _ACTIONS.get(action, f"action {action}").replace("_", " ")
        return sqlite3.SQLITE_DENY

    def _look(self) -> int:
        """Called by the virtual machine; anything but 0 stops the query."""
        if perf_counter() > self.deadline:
            self.stopped = "timeout"
            return 1
        self.looks += 1
        if self.looks % _LOOKS == 0 and self._over_memory():
            self.stopped = "memory"
            return 1
        return 0

    def _over_memory(self) -> bool:
        resident = _resident()
        if not self.memory:
            self.memory = resident
        return resident - self.memory > self.limits.max_memory


def _connect(path: str) -> sqlite3.Connection:
    """A read-only connection; a database with a write-ahead log in a read-only folder opens only as immutable."""
    if os.path.isdir(path):
        raise sqlite3.OperationalError("it is a folder")
    for options in ("mode=ro", "mode=ro&immutable=1"):
        connection = sqlite3.connect(f"file:{quote(os.path.abspath(path))}?{options}", uri=True, isolation_level=None,
                                     check_same_thread=False, cached_statements=256)  # fmt: skip
        try:
            connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchall()
            return connection
        except sqlite3.OperationalError:
            connection.close()
            if "immutable" in options:
                raise
        except sqlite3.Error:
            connection.close()
            raise
    raise AssertionError("the loop returns or raises")


def _resident() -> int:
    """Bytes of memory that the process holds; 0 where the system does not tell."""
    try:
        with open("/proc/self/statm", "rb", buffering=0) as handle:
            return int(handle.read(64).split()[1]) * _PAGE
    except OSError:
        return 0
