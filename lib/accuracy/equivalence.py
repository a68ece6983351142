"""Neighbours that mean the same as their golden query on every database that keeps the rules: no mistakes at all."""

from __future__ import annotations

from lib.accuracy.constraints import Constraints, Table
from lib.accuracy.neighbours import Neighbour
from lib.accuracy.sites import Place, Site


def same_under(
    neighbour: Neighbour, sites: tuple[Site | None, ...], tables: dict[str, Table], rules: Constraints
) -> str | None:
    """Why a neighbour cannot differ from its golden query; None if it may.

    Args:
        neighbour: the changed query.
        sites: the SELECTs of the golden query, as `sites.sites` reads them.
        tables: the database.
        rules: what it promises.
    """
    site = sites[neighbour.select]
    if neighbour.kind == "null":
        table, _, column = neighbour.column.partition(".")
        return f"{neighbour.column} is never NULL" if rules.is_not_null(table, tables[table].at(column)) else None
    if site is None:
        return None
    if neighbour.kind == "distinct" and not neighbour.change.startswith("UNION"):
        outputs = site.counted if neighbour.change.startswith("COUNT") else site.outputs
        if outputs and determines_rows(outputs, site, tables, rules):
            return "its columns hold a key of every table"
    if neighbour.kind == "join" and _always_joins(site, rules):
        return "every row finds a partner"
    return None


def determines_rows(outputs: tuple[Place, ...], site: Site, tables: dict[str, Table], rules: Constraints) -> bool:
    """Whether rows alike in some columns come from the same rows of all tables."""
    known, rows = set(outputs), set()
    changed = True
    while changed:
        before = len(known) + len(rows)
        for number, name in enumerate(site.tables):
            own = [column for place, column in known if place == number]
            if number not in rows and _holds_key(name, own, rules):
                rows.add(number)
                known |= {(number, column) for column in range(len(tables[name].columns))}
            known |= {(number, rule.column) for rule in rules.depends if rule.table == name and rule.given in own}
        for left, right in site.joins:
            if left in known or right in known:
                known |= {left, right}
        changed = len(known) + len(rows) > before
    return len(rows) == len(site.tables)


def _holds_key(name: str, columns: list[int], rules: Constraints) -> bool:
    """Whether columns hold a key without NULL, which would allow for repeats."""
    return any(
        rule.table == name
        and set(columns) >= set(rule.columns)
        and all(rules.is_not_null(name, column) for column in rule.columns)
        for rule in rules.unique
    )


def _always_joins(site: Site, rules: Constraints) -> bool:
    """Whether no inner join of a SELECT loses a row: each goes from a reference that is never NULL to its key."""
    joined = {0}
    for number in range(1, len(site.tables)):
        pairs = [(a, b) if b[0] == number else (b, a) for a, b in site.joins if max(a[0], b[0]) == number]
        if len(pairs) != 1 or pairs[0][0][0] not in joined:
            return False
        (source, column), (_, to) = pairs[0]
        names = site.tables[source], site.tables[number]
        refers = any((rule.table, rule.column, rule.target, rule.target_column) == (names[0], column, names[1], to)
                     for rule in rules.within)  # fmt: skip
        if not refers or not rules.is_not_null(names[0], column):
            return False
        joined.add(number)
    return True
