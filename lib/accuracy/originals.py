"""A SQLite database to be varied: its tables, what it promises, its schema; and how a variant is written."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass, field
from pathlib import Path

from lib.accuracy.chance import connect
from lib.accuracy.constraints import Constraints, Table, mine, quoted, read_tables
from lib.accuracy.sites import join_hints, sites
from lib.errors import EngineError
from lib.records import Column, Schema
from lib.sql_parse import parse

_DEFINITIONS = (
    "SELECT sql FROM sqlite_master WHERE type IN ('table', 'view', 'index') AND sql IS NOT NULL "
    "AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY type != 'table', rowid"
)


@dataclass(slots=True)
class Original:
    """A database to be varied."""

    path: Path
    tables: dict[str, Table]
    definitions: tuple[str, ...]  # SQL that creates its tables and views
    variants: list[Path] = field(default_factory=list)  # kept so far
    private: int = 0  # variants with planted NULLs kept so far: each is for one query


def open_original(path: Path) -> Original:
    """Reads a SQLite database.

    Raises:
        EngineError: if it is missing or no database.
    """
    try:
        connection = connect(path)
        connection.text_factory = lambda data: data.decode("utf-8", "surrogateescape")
        tables = read_tables(connection)
        rows = connection.execute(_DEFINITIONS)
        definitions = tuple(row[0] for row in rows.fetchall())
        connection.close()
    except sqlite3.Error as error:
        raise EngineError(f"cannot read the database '{path}': {error}; give a SQLite file") from error
    return Original(Path(path), tables, definitions)


def rules_of(original: Original, query: str, schema: Schema | None) -> Constraints:
    """What a database promises, seen with the joins that one query uses."""
    hints = join_hints(sites(parse(query, schema, "sqlite"), original.tables), original.tables)
    if schema is not None:
        hints |= _references(schema)
    with connect(original.path) as connection:
        rules = mine(connection, original.tables, sorted(hints))
    connection.close()
    return rules


def schema_of(original: Original, db_id: str = "") -> Schema:
    """The schema of a database that has no entry in `tables.json`: names, types and keys that it declares."""
    columns, keys, places = [], [], {}
    for number, (name, table) in enumerate(original.tables.items()):
        for column, (label, kind) in enumerate(zip(table.columns, table.types, strict=True)):
            places[(name, column)] = len(columns)
            columns.append(Column(number, label, label.lower().replace("_", " "), kind.lower() or "others"))
        keys += [places[(name, column)] for column in table.key]
    names = tuple(table.name for table in original.tables.values())
    with connect(original.path) as connection:
        within = mine(connection, original.tables).within
    connection.close()
    links = tuple((places[(r.table, r.column)], places[(r.target, r.target_column)]) for r in within if r.declared)
    natural = tuple(name.lower().replace("_", " ") for name in names)
    return Schema(db_id, names, natural, tuple(columns), tuple(keys), links)


def _references(schema: Schema) -> set[tuple[str, str, str, str]]:
    ends = [[(schema.tables[schema.columns[index].table].lower(), schema.columns[index].name.lower()) for index in pair]
            for pair in schema.foreign_keys]  # fmt: skip
    return {(*source, *target) for source, target in ends}


def write_variant(original: Original, rows: dict[str, list[tuple]], path: Path) -> None:
    """Writes a variant as a SQLite file with the definitions of its original."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = OFF")
    connection.execute("PRAGMA synchronous = OFF")
    connection.execute("BEGIN")
    for definition in original.definitions:
        connection.execute(definition)
    for name, table in original.tables.items():
        marks = ", ".join("?" * len(table.columns))
        connection.executemany(
            f"INSERT INTO {quoted(table.name)} VALUES ({marks})", [_bindable(row) for row in rows[name]]
        )
    connection.execute("COMMIT")
    connection.close()


def _bindable(row: tuple) -> tuple:
    """Bytes of a text that are no UTF-8 become the replacement character: a variant need not keep them."""
    return tuple(_readable(value) if isinstance(value, str) and not value.isascii() else value for value in row)


def _readable(text: str) -> str:
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
