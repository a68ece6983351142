"""PostgreSQL: each query in a read-only transaction that is rolled back, with the server's own deadline."""

import os
from time import perf_counter

import psycopg
from psycopg import sql as composing

from lib.accuracy.engines.base import Engine, TooLarge, failed, fetched, one_line
from lib.accuracy.records import Limits, Result
from lib.errors import EngineError

_CONNECT_S = 10  # seconds to wait for a server
_SETTINGS = {
    "default_transaction_read_only": "on",
    "lock_timeout": "2000",  # milliseconds
    "idle_in_transaction_session_timeout": "60000",
    "temp_file_limit": "1000000",  # kB; only a superuser may set it, so it is tried
}
# First characters of SQLSTATE: https://www.postgresql.org/docs/current/errcodes-appendix.html
_STATES = {
    "57014": "timeout",  # query_canceled: statement_timeout
    "55P03": "timeout",  # lock_not_available
    "25006": "unsafe",  # read_only_sql_transaction
    "42501": "unsafe",  # insufficient_privilege
    "54000": "truncated",  # program_limit_exceeded: a value over 1 GB
    "53200": "truncated",  # out_of_memory
    "53400": "truncated",  # configuration_limit_exceeded: temp_file_limit
}


class PostgresEngine(Engine):
    """A PostgreSQL database.

    Args:
        address: `postgresql://host/db`; user and password come from it, from PG* variables or from ~/.pgpass. For
            hostile SQL give a role that may only read: a read-only transaction does not bind a superuser's functions.
    """

    dialect = "postgres"
    name = "postgres"

    def __init__(self, address: str):
        self.address = address.replace("postgres:", "postgresql:", 1) if address.startswith("postgres:") else address
        self._connections: dict[bool, psycopg.Connection] = {}

    def run(self, sql: str, limits: Limits, golden: bool = False) -> Result:
        """See `Engine.run`."""
        started = perf_counter()
        try:
            connection = self._connected(golden)
        except psycopg.Error as error:
            return failed("no_database", error, started)
        try:
            return self._run(connection, sql, limits, started)
        except psycopg.Error as error:
            return failed(_status(error), error, started)
        except (TooLarge, MemoryError) as error:
            return failed("truncated", error or "out of memory", started)
        except (ValueError, UnicodeError, OverflowError) as error:
            return failed("error", error, started)
        finally:
            self._rollback(connection, golden)

    def _run(self, connection: psycopg.Connection, sql: str, limits: Limits, started: float) -> Result:
        """One query through a server-side cursor, so that no more than the limits crosses the wire."""
        milliseconds = max(1, round(1000 * limits.timeout_s))
        connection.execute(composing.SQL("SET LOCAL statement_timeout = {}").format(milliseconds))
        with connection.cursor("spidercompose") as cursor:
            cursor.itersize = 1000
            cursor.execute(sql.encode("utf-8").rstrip(b"; \n\t\r"))
            names = tuple(column.name for column in cursor.description or ())
            reader = _Deadline(cursor, connection, started + limits.timeout_s)
            return fetched(reader, limits, started, names)

    def _connected(self, golden: bool) -> psycopg.Connection:
        connection = self._connections.get(golden)
        if connection is None or connection.closed:
            connection = psycopg.connect(self.address, connect_timeout=_CONNECT_S, application_name="spidercompose")
            for name, value in _SETTINGS.items():
                self._set(connection, name, value)
            connection.read_only = True
            self._connections[golden] = connection
        return connection

    def _set(self, connection: psycopg.Connection, name: str, value: str) -> None:
        try:
            connection.execute("SELECT set_config(%s, %s, false)", (name, value))
            connection.commit()
        except psycopg.errors.InsufficientPrivilege:
            connection.rollback()

    def _rollback(self, connection: psycopg.Connection, golden: bool) -> None:
        try:
            connection.rollback()
        except psycopg.Error:
            self._connections.pop(golden, None)

    def close(self) -> None:
        """Closes both connections."""
        for connection in self._connections.values():
            connection.close()
        self._connections.clear()

    def check(self) -> None:
        """Asks for one row.

        Raises:
            EngineError: if the server cannot be reached.
        """
        try:
            self._connected(True).rollback()
        except psycopg.Error as error:
            where = os.path.basename(self.address.rsplit("@", 1)[-1])
            raise EngineError(f"cannot reach PostgreSQL at '{where}': {one_line(error)}") from error


class _Deadline:
    """Reads a server-side cursor with what is left of the time: the server's own deadline counts each FETCH anew."""

    def __init__(self, cursor, connection: psycopg.Connection, deadline: float):
        self.cursor, self.connection, self.deadline = cursor, connection, deadline

    def fetchmany(self, size: int) -> list[tuple]:
        left = round(1000 * (self.deadline - perf_counter()))
        if left <= 0:
            raise psycopg.errors.QueryCanceled("stopped at the deadline")
        self.connection.execute(composing.SQL("SET LOCAL statement_timeout = {}").format(left))
        return self.cursor.fetchmany(size)


def _status(error: psycopg.Error) -> str:
    state = error.sqlstate or ""
    if isinstance(error, psycopg.errors.QueryCanceled):
        return "timeout"
    if state[:2] in ("08", "57") and state != "57014":
        return "no_database"
    return _STATES.get(state, "error")
