"""Snowflake: a reading role, statement timeouts on the server, cached results, retries with growing pauses.

Tested with an emulator of its Python connector (see the tests), not with Snowflake itself. Snowflake has no read-only
transactions: what a query may do is what its role may do. Give a role that may only read; names may be qualified
(DATABASE.SCHEMA.TABLE).
"""

import math
import os
import time
from collections.abc import Callable
from time import perf_counter
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from lib.accuracy.engines.base import Engine, TooLarge, failed, fetched, one_line
from lib.accuracy.records import Limits, Result
from lib.errors import EngineError, ParameterError

_TRIES = 4  # of a connection or query that failed for reasons of the network or the service
_FIRST_PAUSE_S = 0.5  # doubles each time
_OPTIONS = {"warehouse", "role", "connection_name", "use_cached_result"}
_CREDENTIALS = {
    "SNOWFLAKE_USER": "user",
    "SNOWFLAKE_PASSWORD": "password",
    "SNOWFLAKE_AUTHENTICATOR": "authenticator",
    "SNOWFLAKE_TOKEN": "token",
    "SNOWFLAKE_PRIVATE_KEY_FILE": "private_key_file",
    "SNOWFLAKE_PRIVATE_KEY_FILE_PWD": "private_key_file_pwd",
}
_TIMEOUTS = {604, 630}  # cancelled, statement timeout reached
_FORBIDDEN = {3001, 3003, 3007}  # access control
_PASSING = {250001, 250003, 251007, 253007, 390114, 604000}  # cannot reach the service, session gone


class SnowflakeEngine(Engine):
    """A Snowflake database.

    Args:
        address: `snowflake://ACCOUNT/DATABASE/SCHEMA?warehouse=W&role=R`; `use_cached_result=false` turns Snowflake's
            result cache off; `connection_name=C` reads the connector's own connections.toml. Credentials come from
            SNOWFLAKE_* variables or that file, never from the address.
        connect: the connector's `connect`; found by itself.
        pause: waits some seconds.
    """

    dialect = "snowflake"
    name = "snowflake"

    def __init__(self, address: str, connect: Callable[..., Any] | None = None, pause: Callable = time.sleep):
        self.options, self.cached = connection_options(address)
        self._connect, self._pause = connect or _connector(), pause
        self._connections: dict[bool, Any] = {}

    def run(self, sql: str, limits: Limits, golden: bool = False) -> Result:
        """See `Engine.run`."""
        started = perf_counter()
        for attempt in range(_TRIES):
            try:
                return self._run(sql, limits, golden, started)
            except (TooLarge, MemoryError) as error:
                return failed("truncated", error or "out of memory", started)
            except Exception as error:  # the connector's classes are known only where it is installed
                status = _status(error)
                if status != "no_database" or attempt == _TRIES - 1:
                    return failed(status, error, started)
                self._drop(golden)
                self._pause(_FIRST_PAUSE_S * 2**attempt)
        raise AssertionError("the last try returns")

    def _run(self, sql: str, limits: Limits, golden: bool, started: float) -> Result:
        connection = self._connected(golden)
        seconds = max(1, math.ceil(limits.timeout_s))
        cursor = connection.cursor()
        try:
            cursor.execute(f"ALTER SESSION SET STATEMENT_TIMEOUT_IN_SECONDS = {seconds}")
            cursor.execute(sql, timeout=seconds, num_statements=1)
            names = tuple(column[0] for column in cursor.description or ())
            return fetched(cursor, limits, started, names)
        finally:
            cursor.close()

    def _connected(self, golden: bool):
        if golden not in self._connections:
            parameters = {
                "QUERY_TAG": f"spidercompose {'golden' if golden else 'generated'}",
                "USE_CACHED_RESULT": self.cached,
                "MULTI_STATEMENT_COUNT": 1,
                "ABORT_DETACHED_QUERY": True,
            }
            secrets = {name: os.environ[key] for key, name in _CREDENTIALS.items() if os.environ.get(key)}
            connection = self._connect(**self.options, **secrets, session_parameters=parameters, autocommit=False)
            connection.cursor().execute("USE SECONDARY ROLES NONE")  # the role named is the only one
            self._connections[golden] = connection
        return self._connections[golden]

    def _drop(self, golden: bool) -> None:
        connection = self._connections.pop(golden, None)
        if connection is not None:
            connection.close()

    def close(self) -> None:
        """Closes both connections."""
        for golden in (True, False):
            self._drop(golden)


def connection_options(address: str) -> tuple[dict[str, str], bool]:
    """The connector's options in an address, and whether cached results may be used.

    >>> connection_options("snowflake://acme-eu/SHOP/PUBLIC?role=READER&warehouse=SMALL&use_cached_result=false")[1]
    False
    """
    parts = urlsplit(address)
    if parts.username or parts.password:
        raise ParameterError("no credentials in a Snowflake address: set SNOWFLAKE_USER and the like instead")
    query = {name: values[-1] for name, values in parse_qs(parts.query).items()}
    unknown = sorted(query.keys() - _OPTIONS)
    if unknown:
        raise ParameterError(f"unknown option '{unknown[0]}' in the address; known: {', '.join(sorted(_OPTIONS))}")
    if "role" not in query and "connection_name" not in query:
        raise ParameterError("a Snowflake address needs a role that may only read: ...?role=READER")
    cached = query.pop("use_cached_result", "true").lower() != "false"
    places = [unquote(place) for place in parts.path.split("/") if place]
    names = dict(zip(("database", "schema"), places, strict=False))
    return {name: value for name, value in {"account": parts.netloc, **names, **query}.items() if value}, cached


def _connector() -> Callable[..., Any]:
    try:
        from snowflake.connector import connect
    except ImportError as error:
        raise EngineError(
            "the snowflake engine needs snowflake-connector-python: pip install 'spidercompose[snowflake]'"
        ) from error
    return connect


def _status(error: Exception) -> str:
    number = getattr(error, "errno", None)
    if number in _TIMEOUTS:
        return "timeout"
    if number in _FORBIDDEN or "insufficient privileges" in one_line(error).lower():
        return "unsafe"
    if number in _PASSING or type(error).__name__ in (
        "OperationalError",
        "InterfaceError",
        "HttpError",
        "DatabaseError",
    ):
        return "no_database"
    return "error"
