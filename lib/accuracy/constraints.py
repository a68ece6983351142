"""What a database promises: keys that it declares, and rules that its rows keep without saying so (mined).

A variant of a database must keep them, or it refutes queries that are right. A rule that few rows happen to keep is no
rule: mined ones need `SUPPORT` rows that could have broken them.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass

SUPPORT = 20  # rows that could have broken a mined rule; below, a handful of rows keeps anything
_MAX_COLUMNS = 40  # of a table, for dependencies between pairs of its columns


@dataclass(frozen=True, slots=True)
class Table:
    """One table: names as in the database, rows as tuples."""

    name: str
    columns: tuple[str, ...]
    types: tuple[str, ...]  # as declared
    key: tuple[int, ...]  # columns of the declared primary key
    rows: tuple[tuple, ...]

    def at(self, column: str) -> int:
        """Index of a column, letter case aside; -1 if there is none."""
        names = [name.lower() for name in self.columns]
        return names.index(column.lower()) if column.lower() in names else -1


@dataclass(frozen=True, slots=True)
class Unique:
    """No two rows of a table have the same values in some columns; NULL equals nothing here."""

    table: str
    columns: tuple[int, ...]
    declared: bool


@dataclass(frozen=True, slots=True)
class NotNull:
    """A column has no NULL."""

    table: str
    column: int
    declared: bool


@dataclass(frozen=True, slots=True)
class Depends:
    """Rows alike in one column are alike in another."""

    table: str
    given: int
    column: int


@dataclass(frozen=True, slots=True)
class Within:
    """Each value of a column, NULL aside, is a value of a unique column elsewhere."""

    table: str
    column: int
    target: str
    target_column: int
    declared: bool


@dataclass(frozen=True, slots=True)
class Constraints:
    """All that a database promises."""

    unique: tuple[Unique, ...]
    not_null: tuple[NotNull, ...]
    depends: tuple[Depends, ...]
    within: tuple[Within, ...]

    def is_unique(self, table: str, columns: Iterable[int]) -> bool:
        """Whether some columns hold a key of a table."""
        known = set(columns)
        return any(rule.table == table and known.issuperset(rule.columns) for rule in self.unique)

    def is_not_null(self, table: str, column: int) -> bool:
        """Whether a column has no NULL."""
        return any(rule.table == table and rule.column == column for rule in self.not_null)

    def counts(self) -> dict[str, int]:
        """How many there are of each kind, for reports."""
        mined = sum(not rule.declared for rules in (self.unique, self.not_null, self.within) for rule in rules)
        return {"unique": len(self.unique), "not null": len(self.not_null), "dependencies": len(self.depends),
                "inclusions": len(self.within), "mined": mined + len(self.depends)}  # fmt: skip


def read_tables(connection: sqlite3.Connection) -> dict[str, Table]:
    """All tables of a SQLite database, by lower-case name, in their order."""
    found = {}
    names = connection.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
    )
    for (name,) in names.fetchall():
        info = connection.execute(f"PRAGMA table_info({quoted(name)})").fetchall()
        key = sorted((place, number) for number, *_, place in info if place)
        columns = tuple(row[1] for row in info)
        rows = connection.execute(f"SELECT {', '.join(map(quoted, columns))} FROM {quoted(name)}").fetchall()
        found[name.lower()] = Table(name, columns, tuple(row[2] for row in info), tuple(n for _, n in key), tuple(rows))
    return found


def quoted(name: str) -> str:
    """A name as SQL."""
    return '"' + name.replace('"', '""') + '"'


def mine(connection: sqlite3.Connection, tables: dict[str, Table], joins: Iterable[tuple] = ()) -> Constraints:
    """Finds what a database promises. Declared rules that its own rows break are left out.

    Args:
        connection: the database.
        tables: its tables.
        joins: equalities that queries use, each (table, column, table, column) in lower case: hints at references that
            nobody declared.
    """
    unique = [*_declared_unique(connection, tables), *_mined_unique(tables)]
    unique = [rule for index, rule in enumerate(unique) if not _covered(rule, unique[:index])]
    not_null = [*_not_null(connection, tables)]
    within = [*_within(connection, tables, joins)]
    return Constraints(tuple(unique), tuple(not_null), tuple(_depends(tables, unique)), tuple(within))


def _covered(rule: Unique, earlier: list[Unique]) -> bool:
    return any(rule.table == other.table and set(rule.columns) >= set(other.columns) for other in earlier)


def _declared_unique(connection: sqlite3.Connection, tables: dict[str, Table]) -> Iterable[Unique]:
    for name, table in tables.items():
        sets = [table.key] if table.key else []
        for _, index, is_unique, _, partial in connection.execute(
            f"PRAGMA index_list({quoted(table.name)})"
        ).fetchall():
            if is_unique and not partial:
                numbers = [row[1] for row in connection.execute(f"PRAGMA index_info({quoted(index)})")]
                sets += [tuple(numbers)] if all(number is not None and number >= 0 for number in numbers) else []
        for columns in sorted(set(sets), key=lambda found: (len(found), found)):
            if _holds_unique(table.rows, columns):
                yield Unique(name, columns, True)


def _mined_unique(tables: dict[str, Table]) -> Iterable[Unique]:
    for name, table in tables.items():
        if len(table.rows) >= SUPPORT:
            for column in range(len(table.columns)):
                values = {row[column] for row in table.rows}
                # measurements differ by nature: that says nothing
                if len(values) == len(table.rows) and not any(isinstance(value, float) for value in values):
                    yield Unique(name, (column,), False)


def _holds_unique(rows: Iterable[tuple], columns: tuple[int, ...]) -> bool:
    seen = set()
    for row in rows:
        values = tuple(row[column] for column in columns)
        if None not in values:
            if values in seen:
                return False
            seen.add(values)
    return True


def _not_null(connection: sqlite3.Connection, tables: dict[str, Table]) -> Iterable[NotNull]:
    for name, table in tables.items():
        declared = {
            row[0] for row in connection.execute(f"PRAGMA table_info({quoted(table.name)})") if row[3] or row[5]
        }
        # a reference without NULL keeps it: under NULL, NOT IN and NOT EXISTS are no longer the same question
        references = connection.execute(f"PRAGMA foreign_key_list({quoted(table.name)})").fetchall()
        declared |= {table.at(row[3]) for row in references}
        for column in range(len(table.columns)):
            if any(row[column] is None for row in table.rows):
                continue
            if column in declared or len(table.rows) >= SUPPORT:
                yield NotNull(name, column, column in declared)


def _depends(tables: dict[str, Table], unique: list[Unique]) -> Iterable[Depends]:
    keys = {(rule.table, rule.columns[0]) for rule in unique if len(rule.columns) == 1}
    for name, table in tables.items():
        if len(table.columns) > _MAX_COLUMNS or len(table.rows) < SUPPORT:
            continue
        columns = [column for column in range(len(table.columns)) if (name, column) not in keys]
        for given in columns:
            repeats = len(table.rows) - len({row[given] for row in table.rows})
            if repeats >= SUPPORT:
                for column in columns:
                    if column != given and _varies(table, column) and _holds_dependency(table.rows, given, column):
                        yield Depends(name, given, column)


def _varies(table: Table, column: int) -> bool:
    """A column with one value depends on all; that is no rule but a lack of data."""
    return len({row[column] for row in table.rows}) > 1


def _holds_dependency(rows: Iterable[tuple], given: int, column: int) -> bool:
    seen: dict = {}
    return all(seen.setdefault(row[given], row[column]) == row[column] for row in rows)


def _within(connection: sqlite3.Connection, tables: dict[str, Table], joins: Iterable[tuple]) -> Iterable[Within]:
    pairs: dict[tuple[str, int, str, int], bool] = {}
    for name, table in tables.items():
        for row in connection.execute(f"PRAGMA foreign_key_list({quoted(table.name)})").fetchall():
            target = tables.get(row[2].lower())
            if target is not None:
                to = target.at(row[4]) if row[4] else (target.key[0] if target.key else -1)
                pairs[(name, table.at(row[3]), row[2].lower(), to)] = True
    for left, a, right, b in joins:
        for table, column, target, other in ((left, a, right, b), (right, b, left, a)):
            if table in tables and target in tables and table != target:
                pairs.setdefault((table, tables[table].at(column), target, tables[target].at(other)), False)
    for (name, column, target, to), declared in sorted(pairs.items()):
        supported = declared or len(tables[name].rows) >= SUPPORT
        if min(column, to) >= 0 and supported and holds_within(tables[name].rows, column, tables[target].rows, to):
            yield Within(name, column, target, to, declared)


def reference_key(value):
    """The value as SQLite compares it between columns of number and text: 7 and '7' refer to the same."""
    if isinstance(value, str):
        try:
            number = float(value)
        except ValueError:
            return value
        return number if number == number else value
    return value


def holds_within(rows: Iterable[tuple], column: int, targets: Iterable[tuple], to: int) -> bool:
    """Whether each value of a column, NULL aside, is among those of another."""
    known = {reference_key(row[to]) for row in targets}
    return all(row[column] is None or reference_key(row[column]) in known for row in rows)


def broken(constraints: Constraints, rows: dict[str, list[tuple]], table: str) -> str | None:
    """The first rule about one table that some rows break, for people; None if they keep all.

    Args:
        constraints: what must hold.
        rows: all rows, by lower-case name of the table.
        table: the table that was changed; rules of tables that refer to it are looked at too.
    """
    for rule in constraints.unique:
        if rule.table == table and not _holds_unique(rows[table], rule.columns):
            return f"{table} is unique in columns {rule.columns}"
    for rule in constraints.not_null:
        if rule.table == table and any(row[rule.column] is None for row in rows[table]):
            return f"{table}, column {rule.column}, is never NULL"
    for rule in constraints.depends:
        if rule.table == table and not _holds_dependency(rows[table], rule.given, rule.column):
            return f"{table}, column {rule.column}, depends on column {rule.given}"
    for rule in constraints.within:
        if table in (rule.table, rule.target):
            source, target = rows[rule.table], rows[rule.target]
            if not holds_within(source, rule.column, target, rule.target_column):
                return f"{rule.table}, column {rule.column}, refers to {rule.target}"
    return None
