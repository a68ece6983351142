"""What the names of one SELECT mean: aliases, columns without a table, columns that joins make equal."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

from lib.records import Schema

if TYPE_CHECKING:
    from sqlglot import exp


@dataclass(slots=True)
class Scope:
    """The sources of one SELECT."""

    names: dict[str, str] = field(default_factory=dict)  # alias or table name, lower case -> canonical name
    columns: dict[str, frozenset[str] | None] = field(default_factory=dict)  # canonical name -> columns, None unknown
    outer: Scope | None = None  # the SELECT around it
    equal: dict[str, str] = field(default_factory=dict)  # qualified column -> the one that stands for its class

    def add(self, alias: str, name: str, columns: frozenset[str] | None) -> str:
        """Adds a source; a second one of the same table is named `ship#2`. Returns its canonical name."""
        canonical, count = name, 1
        while canonical in self.columns:
            count += 1
            canonical = f"{name}#{count}"
        self.names[alias] = canonical
        self.columns[canonical] = columns
        return canonical

    def qualify(self, table: str, column: str) -> str:
        """The canonical name of a column: `ship.id`, or `id` alone where nothing says whose it is."""
        scope: Scope | None = self
        while scope is not None:
            owner = scope.names.get(table) if table else scope._owner(column)
            if owner is not None:
                name = f"{owner}.{column}"
                return scope.equal.get(name, name)
            scope = scope.outer
        return f"{table}.{column}" if table else column

    def _owner(self, column: str) -> str | None:
        owners = [name for name, columns in self.columns.items() if columns is not None and column in columns]
        if owners:
            return owners[0]
        unknown = [name for name, columns in self.columns.items() if columns is None]
        return unknown[0] if len(unknown) == 1 else None

    def join_equal(self, pairs: Iterable[tuple[str, str]], keys: frozenset[str]) -> None:
        """Lets columns that inner joins make equal share one name: a primary key's, else the one that sorts first."""
        for pair in pairs:
            names = {self.equal.get(name, name) for name in pair}
            first = min(names, key=lambda name: (name not in keys, name))
            for name, stands in [*self.equal.items()]:
                if stands in names:
                    self.equal[name] = first
            self.equal.update(dict.fromkeys(names, first))


@lru_cache(maxsize=512)
def key_columns(schema: Schema) -> frozenset[str]:
    """Lower-case `table.column` of the primary keys."""
    keys = (schema.columns[index] for index in schema.primary_keys)
    return frozenset(f"{schema.tables[key.table]}.{key.name}".lower() for key in keys)


@lru_cache(maxsize=512)
def table_columns(schema: Schema) -> dict[str, frozenset[str]]:
    """Lower-case table name -> lower-case names of its columns."""
    found: dict[str, set[str]] = {name.lower(): set() for name in schema.tables}
    for column in schema.columns:
        found[schema.tables[column.table].lower()].add(column.name.lower())
    return {name: frozenset(columns) for name, columns in found.items()}


def sources(select: exp.Select) -> list[tuple[exp.Expression, exp.Join | None]]:
    """The sources of a SELECT in order, each with the join that brings it (None for the first)."""
    start = select.args.get("from_")
    joins = [(join.this, join) for join in select.args.get("joins") or ()]
    nested = [(join.this, join) for join in (start.this.args.get("joins") or ())] if start else []
    return [*([(start.this, None)] if start else []), *nested, *joins]
