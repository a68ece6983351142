"""Rows, SQLite files and tables.json of a described database."""

import os
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from random import Random
from typing import Any

from data.builtin.make.model import Column, Domain, Table
from data.builtin.make.values import references

_SQL_TYPES = {"text": "TEXT", "time": "TEXT", "boolean": "TEXT"}


def fill(domain: Domain, seed: int) -> dict[str, list[dict[str, Any]]]:
    """The rows of each table, by table name; the same for the same seed."""
    rng = Random(f"{seed}:{domain.db_id}")
    return {table.name: _rows(domain, table, rng) for table in domain.tables}


def _rows(domain: Domain, table: Table, rng: Random) -> list[dict[str, Any]]:
    columns = {column.name: _values(domain, table, column, rng) for column in table.columns}
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _values(domain: Domain, table: Table, column: Column, rng: Random) -> list:
    if column.role == "id":
        return list(range(1, table.rows + 1))
    if column.role == "ref":
        return references(rng, domain.table(column.target).rows, table.rows)
    values = column.values(rng, table.rows)
    if len(values) != table.rows:
        raise ValueError(f"{domain.db_id}.{table.name}.{column.name}: {len(values)} values for {table.rows} rows")
    return values


def write(domain: Domain, rows: dict[str, list[dict[str, Any]]], path: Path) -> None:
    """Writes the SQLite file: the same bytes for the same rows and SQLite version, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, part = tempfile.mkstemp(dir=path.parent, suffix=".part")
    os.close(descriptor)
    try:
        with closing(sqlite3.connect(part)) as connection:
            connection.execute("PRAGMA page_size = 1024")
            connection.execute("PRAGMA journal_mode = OFF")  # the file counts only when it is whole
            connection.execute("PRAGMA synchronous = OFF")
            for table in domain.tables:
                connection.execute(_create(domain, table))
                marks = ", ".join("?" * len(table.columns))
                values = [tuple(row.values()) for row in rows[table.name]]
                connection.executemany(f"INSERT INTO {table.name} VALUES ({marks})", values)
            connection.commit()
            connection.execute("VACUUM")
        os.chmod(part, 0o644)
        os.replace(part, path)
    finally:
        Path(part).unlink(missing_ok=True)


def _create(domain: Domain, table: Table) -> str:
    lines = [
        f"  {column.name} {_sql_type(column)}" + " PRIMARY KEY" * (column.role == "id") for column in table.columns
    ]
    for column in table.of_role("ref"):
        target = domain.table(column.target)
        lines.append(f"  FOREIGN KEY ({column.name}) REFERENCES {target.name}({target.key.name})")
    return f"CREATE TABLE {table.name} (\n" + ",\n".join(lines) + "\n)"


def _sql_type(column: Column) -> str:
    if column.type == "number":
        return "INTEGER" if column.role in ("id", "ref", "year") else "NUMERIC"
    return _SQL_TYPES[column.type]


@contextmanager
def opened(path: Path) -> Iterator[sqlite3.Connection]:
    """A read-only connection."""
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        yield connection


def schema(domain: Domain) -> dict[str, Any]:
    """The database as a record of tables.json."""
    columns = [(at, column) for at, table in enumerate(domain.tables) for column in table.columns]
    index = {(at, column.name): number for number, (at, column) in enumerate(columns, start=1)}
    places = {table.name: at for at, table in enumerate(domain.tables)}
    foreign = [
        [index[at, column.name], index[places[column.target], domain.table(column.target).key.name]]
        for at, column in columns
        if column.role == "ref"
    ]
    return {
        "column_names": [[-1, "*"], *([at, column.one] for at, column in columns)],
        "column_names_original": [[-1, "*"], *([at, column.name] for at, column in columns)],
        "column_types": ["text", *(column.type for _, column in columns)],
        "db_id": domain.db_id,
        "foreign_keys": foreign,
        "primary_keys": [index[at, column.name] for at, column in columns if column.role == "id"],
        "table_names": [table.natural or table.one for table in domain.tables],
        "table_names_original": [table.name for table in domain.tables],
    }
