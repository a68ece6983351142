"""Variants of a database: small, made of its own rows, with rows planted where a query decides; all rules kept.

Every change is tried, checked against the rules and taken back if it breaks one. A variant holds a sample of the rows
(with those that they refer to), copies of rows on both sides of each border of the query, groups of the sizes at which
HAVING decides, values drawn from those of the same column, and rows left out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

from lib.accuracy.constraints import Constraints, Depends, Table, Within, broken, reference_key
from lib.accuracy.sites import Place, Site

ROWS = 24  # rows sampled of a table, before planting
_TRIES = 40  # rows looked at for the next table of a join
_Row = list[Any]


@dataclass(slots=True)
class Variant:
    """A database under change."""

    tables: dict[str, Table]  # the real database
    constraints: Constraints
    random: Random
    rows: dict[str, list[tuple]] = field(default_factory=dict)  # by lower-case name of the table

    def sample(self, sites: tuple[Site, ...], size: int = ROWS) -> None:
        """Starts with rows that the query joins, random others, and all that these refer to."""
        picked: dict[str, dict[tuple, None]] = {name: {} for name in self.tables}
        for site in sites:
            for joined in self._joined_of(site, {name: table.rows for name, table in self.tables.items()}, 6):
                for name, row in zip(site.tables, joined, strict=True):
                    picked[name][row] = None
        for name, table in self.tables.items():
            for row in self._some(table.rows, size):
                picked[name][row] = None
        self._close(picked)
        for name, table in self.tables.items():
            self.rows[name] = [row for row in table.rows if row in picked[name]]

    def _close(self, picked: dict[str, dict[tuple, None]]) -> None:
        """Adds the rows that picked rows refer to, until nothing is missing."""
        changed = True
        while changed:
            changed = False
            for rule in self.constraints.within:
                present = {reference_key(row[rule.target_column]) for row in picked[rule.target]}
                asked = {reference_key(row[rule.column]) for row in picked[rule.table] if row[rule.column] is not None}
                if asked - present:
                    changed = True
                    for row in self.tables[rule.target].rows:
                        if reference_key(row[rule.target_column]) in asked - present:
                            picked[rule.target][row] = None

    def _some(self, rows, count: int) -> list:
        return list(rows) if len(rows) <= count else self.random.sample(rows, count)

    def joined(self, site: Site, count: int) -> list[tuple[tuple, ...]]:
        """Up to `count` combinations of rows that the joins of a SELECT let through, one row a source."""
        return self._joined_of(site, self.rows, count)

    def _joined_of(self, site: Site, rows: dict, count: int) -> list[tuple[tuple, ...]]:
        found = []
        for _ in range(4 * count):
            combination: list[tuple] = []
            for number, name in enumerate(site.tables):
                row = self._partner(site, number, combination, rows[name])
                if row is None:
                    break
                combination.append(row)
            else:
                found.append(tuple(combination))
            if len(found) == count:
                break
        return found

    def _partner(self, site: Site, number: int, chosen: list[tuple], rows) -> tuple | None:
        """A row of the source `number` that joins the rows chosen for the sources before it."""
        wanted = [(b[1], chosen[a[0]][a[1]]) if b[0] == number else (a[1], chosen[b[0]][b[1]])
                  for a, b in site.joins if max(a[0], b[0]) == number]  # fmt: skip
        if not rows:
            return None
        if not wanted:
            good = [row for row in self._some(rows, _TRIES) if _meets(site, number, row)]
            return self.random.choice(good if good and self.random.random() < 0.7 else rows)
        keys = [(column, reference_key(value)) for column, value in wanted]
        fitting = [row for row in rows if all(reference_key(row[column]) == value for column, value in keys)]
        return self.random.choice(fitting) if fitting else None

    def attempt(self, change: Callable[[], set[str]]) -> bool:
        """Makes a change, given as a function that returns the tables it touched; takes it back if a rule breaks."""
        before = {name: list(rows) for name, rows in self.rows.items()}
        touched = change()
        if any(broken(self.constraints, self.rows, name) for name in sorted(touched)):
            self.rows = before
            return False
        return bool(touched)

    def plant(self, site: Site, combination: tuple[tuple, ...], edits: dict[Place, Any], fresh: set[int]) -> set[str]:
        """Adds copies of some rows of a combination, with values set and new keys, joined as the rows they copy.

        Args:
            site: the SELECT.
            combination: one row a source.
            edits: values to set.
            fresh: the sources to copy; those with edits are copied anyway.
        """
        fresh = fresh | {place[0] for place in edits}
        new = {number: list(combination[number]) for number in sorted(fresh)}
        for (number, column), value in edits.items():
            new[number][column] = value
        fixed = {number: {place[1] for place in edits if place[0] == number} for number in new}
        for number, row in new.items():
            self._renew(site.tables[number], row, fixed[number])
        self._link(site, combination, new, fixed)
        for number, row in new.items():
            self._mend(site.tables[number], row, fixed[number])
        for number, row in new.items():
            self.rows[site.tables[number]].append(tuple(row))
        return {site.tables[number] for number in new}

    def overwrite(self, site: Site, combination: tuple[tuple, ...], edits: dict[Place, Any]) -> set[str]:
        """Sets values in rows as they stand: for rows that cannot be copied, as each is referred to."""
        touched = set()
        for number in sorted({place[0] for place in edits}):
            name, row = site.tables[number], list(combination[number])
            if combination[number] not in self.rows[name]:
                continue
            columns = {column for place, column in edits if place == number}
            for column in sorted(columns):
                row[column] = edits[(number, column)]
            self._mend(name, row, columns)
            self.rows[name][self.rows[name].index(combination[number])] = tuple(row)
            touched.add(name)
        return touched

    def _renew(self, name: str, row: _Row, fixed: set[int]) -> None:
        """Gives a copy keys of its own."""
        for rule in self.constraints.unique:
            if rule.table == name and not fixed.intersection(rule.columns):
                free = [column for column in rule.columns if self.reference(name, column) is None]
                column = free[-1] if free else self.random.choice(rule.columns)
                row[column] = self._target(name, column) if not free else self.fresh(name, column, row[column])

    def _link(self, site: Site, combination: tuple, new: dict[int, _Row], fixed: dict[int, set[int]]) -> None:
        """Copies keep referring to copies."""
        for left, right in site.joins:
            if self.constraints.is_unique(site.tables[left[0]], [left[1]]):
                left, right = right, left  # now `right` holds the key, if one does
            if left[0] in new and left[1] not in fixed[left[0]]:
                source = new.get(right[0], combination[right[0]])
                new[left[0]][left[1]] = _alike(source[right[1]], combination[left[0]][left[1]])
            elif right[0] in new and right[1] not in fixed[right[0]] and left[0] in new:
                new[right[0]][right[1]] = _alike(new[left[0]][left[1]], combination[right[0]][right[1]])

    def _mend(self, name: str, row: _Row, fixed: set[int]) -> None:
        """Sets what depends on the values set; a value that was set gets a new determinant, which is set then too."""
        fixed = set(fixed)
        rules = [rule for rule in self.constraints.depends if rule.table == name]
        for _ in range(3):  # one mended value may ask for another
            for rule in rules:
                expected = self._expected(rule, row[rule.given])
                if expected is None or row[rule.column] == expected[0]:
                    continue
                if rule.column not in fixed:
                    row[rule.column] = expected[0]
                elif rule.given not in fixed and self.reference(name, rule.given) is None:
                    row[rule.given] = self.fresh(name, rule.given, row[rule.given])
                    fixed.add(rule.given)

    def _expected(self, rule: Depends, value: Any) -> tuple[Any] | None:
        for rows in (self.rows[rule.table], self.tables[rule.table].rows):
            for row in rows:
                if row[rule.given] == value:
                    return (row[rule.column],)
        return None

    def reference(self, name: str, column: int) -> Within | None:
        """The rule by which a column refers to another table, if it does."""
        for rule in self.constraints.within:
            if rule.table == name and rule.column == column:
                return rule
        return None

    def _target(self, name: str, column: int) -> Any:
        """A random value that a referring column may have."""
        rule = self.reference(name, column)
        assert rule is not None
        rows = self.rows[rule.target]
        own = self.tables[name].rows[0][column] if self.tables[name].rows else None
        return _alike(self.random.choice(rows)[rule.target_column], own) if rows else None

    def fresh(self, name: str, column: int, like: Any) -> Any:
        """A value that the column does not have yet, of the form of another."""
        used = {row[column] for row in (*self.rows[name], *self.tables[name].rows)}
        numbers = [int(value) for value in used if _is_whole(value)]
        if isinstance(like, int | float) or (isinstance(like, str) and _is_whole(like)) or like is None:
            number = max(numbers, default=0) + 1
            return str(number) if isinstance(like, str) else number
        stem, count = str(like), 2
        while f"{stem} {count}" in used:
            count += 1
        return f"{stem} {count}"

    def resample(self, name: str) -> set[str]:
        """One value of one row becomes another value of its column, or another reference."""
        table, rows = self.tables[name], self.rows[name]
        columns = [c for c in range(len(table.columns)) if not self.constraints.is_unique(name, [c])]
        if not rows or not columns:
            return set()
        at, column = self.random.randrange(len(rows)), self.random.choice(columns)
        row = list(rows[at])
        if self.reference(name, column) is not None:
            row[column] = self._target(name, column)
        else:
            row[column] = self.random.choice(self.random.choice((rows, table.rows)) or rows)[column]
        self._mend(name, row, {column})
        rows[at] = tuple(row)
        return {name}

    def remove(self, name: str) -> set[str]:
        """Leaves one row out."""
        rows = self.rows[name]
        if len(rows) < 2:
            return set()
        rows.pop(self.random.randrange(len(rows)))
        return {name}

    def blank(self, name: str, column: int) -> set[str]:
        """Half of a column becomes NULL."""
        rows = self.rows[name]
        for at in self._some(range(len(rows)), max(1, len(rows) // 2)):
            rows[at] = (*rows[at][:column], None, *rows[at][column + 1 :])
        return {name}

    def shuffle(self) -> None:
        """Puts the rows of each table in another order."""
        for rows in self.rows.values():
            self.random.shuffle(rows)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) or (
        isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) < 16
    )


def _alike(value: Any, other: Any) -> Any:
    """A key as the referring column stores it."""
    if isinstance(other, str) and isinstance(value, int):
        return str(value)
    if isinstance(other, int) and isinstance(value, str) and _is_whole(value):
        return int(value)
    return value


def _meets(site: Site, number: int, row: tuple) -> bool:
    """Whether a row has one of the values that meet each condition on it; a hint, no proof."""
    return all(
        row[condition.place[1]] in condition.holds for condition in site.conditions if condition.place[0] == number
    )
