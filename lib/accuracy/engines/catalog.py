"""Addresses of databases -> engines. Each engine's client is loaded only when it is asked for."""

from importlib import import_module
from urllib.parse import unquote, urlsplit

from lib.accuracy.engines.base import Engine
from lib.errors import EngineError, ParameterError, suggest

# Scheme -> (module, class, packages of its extra; the extra has the scheme's name).
_ENGINES = {
    "sqlite": ("lib.accuracy.engines.sqlite", "SqliteEngine", ""),
    "duckdb": ("lib.accuracy.engines.duckdb", "DuckdbEngine", "duckdb"),
    "postgres": ("lib.accuracy.engines.postgres", "PostgresEngine", "psycopg"),
    "snowflake": ("lib.accuracy.engines.snowflake", "SnowflakeEngine", "snowflake-connector-python"),
    "bigquery": ("lib.accuracy.engines.bigquery", "BigqueryEngine", "google-cloud-bigquery"),
}
_FILES = {"sqlite": (".sqlite", ".sqlite3", ".db", ".db3"), "duckdb": (".duckdb", ".ddb")}


def open_engine(address: str) -> Engine:
    """The engine at an address such as `sqlite:path/to/file.sqlite` or `path/to/file.db`.

    Raises:
        ParameterError: if the address names no known kind of engine.
        EngineError: if the client of the engine is not installed; the message names the extra.
    """
    scheme, rest = _kind(address)
    if scheme not in _ENGINES:
        raise ParameterError(f"unknown engine '{scheme}' in '{scheme}:…': {suggest(scheme, _ENGINES)}")
    module, name, package = _ENGINES[scheme]
    try:
        kind = getattr(import_module(module), name)
    except ImportError as error:
        raise EngineError(f"the {scheme} engine needs {package}: pip install 'spidercompose[{scheme}]'") from error
    return kind(rest)


def _kind(address: str) -> tuple[str, str]:
    """The scheme and what its engine takes: a path, or the whole address."""
    for scheme, endings in _FILES.items():
        if address.lower().endswith(endings) and ":" not in address.split("/")[0]:
            return scheme, address
    scheme, colon, rest = address.partition(":")
    if not colon:
        raise ParameterError(f"no engine in '{address}': give one such as sqlite:file.sqlite")
    scheme = {"postgresql": "postgres"}.get(scheme.lower(), scheme.lower())
    if scheme in _FILES:
        return scheme, _path(rest)
    return scheme, address


def _path(rest: str) -> str:
    """The path in `sqlite:a.db`, `sqlite:///a.db` (relative, as SQLAlchemy writes it) or `sqlite:////a.db`."""
    if rest.startswith("///"):
        return unquote(urlsplit(f"x:{rest}").path)[1:] or rest
    return rest
