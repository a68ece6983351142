"""One random variant of a database for one query: which changes are tried, how many of each."""

from __future__ import annotations

from functools import partial
from random import Random
from typing import Any

from lib.accuracy.constraints import Constraints, Table
from lib.accuracy.sites import Condition, Place, Site
from lib.accuracy.variants import ROWS, Variant


def make_variant(
    tables: dict[str, Table],
    constraints: Constraints,
    sites: tuple[Site, ...],
    random: Random,
    blanks: tuple[tuple[str, int], ...] = (),
) -> dict[str, list[tuple]]:
    """Builds one variant.

    Args:
        tables: the real database.
        constraints: what every variant keeps.
        sites: the SELECTs of the query, those that read plain tables.
        random: decides everything.
        blanks: columns in which NULL may be planted: (table, column).

    Returns:
        Rows by lower-case name of the table.
    """
    variant = Variant(tables, constraints, random)
    variant.sample(sites, random.choice((4, ROWS // 2, ROWS)))
    used = sorted({name for site in sites for name in site.tables})
    for _ in range(random.choice((0, 6, 20)) if used else 0):
        name = random.choice(used)
        variant.attempt(partial(variant.resample, name))
    for _ in range(random.choice((0, 0, 6)) if used else 0):
        name = random.choice(used)
        variant.attempt(partial(variant.remove, name))
    for site in sites:
        _plant_borders(variant, site)
        _plant_groups(variant, site)
    for name, column in blanks:
        variant.attempt(partial(variant.blank, name, column))
    variant.shuffle()
    return variant.rows


def _plant_borders(variant: Variant, site: Site) -> None:
    """Copies of joined rows: all conditions met, but for one, or at random."""
    random = variant.random
    combinations = variant.joined(site, 3)
    for _ in range(random.choice((2, 6, 12))):
        combination = random.choice(combinations) if combinations else _any_rows(variant, site)
        if combination is None:
            return
        edits = _edits(site.conditions, random)
        if site.outputs and random.random() < 0.3:
            edits |= _new_output(variant, site, combination, edits)
        fresh = {number for number in range(len(site.tables)) if random.random() < 0.5}
        planted = random.random() < 0.7 and variant.attempt(partial(variant.plant, site, combination, edits, fresh))
        if not planted:
            variant.attempt(partial(variant.overwrite, site, combination, edits))


def _new_output(
    variant: Variant, site: Site, combination: tuple[tuple, ...], edits: dict[Place, Any]
) -> dict[Place, Any]:
    """A value that no other row shows: where rows are shown once only, one row must decide alone."""
    number, column = variant.random.choice(site.outputs)
    name = site.tables[number]
    if (number, column) in edits or variant.reference(name, column) is not None:
        return {}
    return {(number, column): variant.fresh(name, column, combination[number][column])}


def _any_rows(variant: Variant, site: Site) -> tuple[tuple, ...] | None:
    """Any row of each source, where no rows join yet."""
    if not all(variant.rows[name] for name in site.tables):
        return None
    return tuple(variant.random.choice(variant.rows[name]) for name in site.tables)


def _edits(conditions: tuple[Condition, ...], random: Random) -> dict[Place, Any]:
    """Values for the columns of all conditions; mostly all conditions but one are met."""
    spared = random.randrange(len(conditions)) if conditions and random.random() < 0.6 else -1
    wild = random.random() < 0.2
    edits: dict[Place, Any] = {}
    for number, condition in enumerate(conditions):
        choices = condition.fails if number == spared or (wild and random.random() < 0.5) else condition.holds
        if choices and (condition.place not in edits or random.random() < 0.5):
            edits[condition.place] = random.choice(choices)
    return edits


def _plant_groups(variant: Variant, site: Site) -> None:
    """Groups with as many rows as HAVING asks for, one more, one less."""
    met = {condition.place: condition.holds[0] for condition in site.conditions if condition.holds}
    many = _many_side(variant, site)
    for size in site.sizes:
        combination = next(iter(variant.joined(site, 1)), None)
        if combination is None:
            return
        if len(many) < len(site.tables):
            combination = _plant_head(variant, site, combination, met)
            missing = size - 1
        else:
            missing = size - _present(variant, site, combination)
        if combination is not None:
            edits = {place: value for place, value in met.items() if place[0] in many}
            edits |= {place: combination[place[0]][place[1]] for place in site.groups if place[0] in many}
            for _ in range(missing):
                variant.attempt(partial(variant.plant, site, combination, edits, set(many)))


def _present(variant: Variant, site: Site, combination: tuple[tuple, ...]) -> int:
    """Rows that are in the group of a combination already, where one table is read."""
    rows = variant.rows[site.tables[0]]
    columns = [place[1] for place in site.groups if place[0] == 0]
    return sum(all(row[column] == combination[0][column] for column in columns) for row in rows)


def _many_side(variant: Variant, site: Site) -> tuple[int, ...]:
    """The sources of which several rows join one row of the others."""
    keyed = {place[0] for pair in site.joins for place in pair
             if variant.constraints.is_unique(site.tables[place[0]], [place[1]])}  # fmt: skip
    return tuple(number for number in range(len(site.tables)) if number not in keyed) or (len(site.tables) - 1,)


def _plant_head(variant: Variant, site: Site, combination: tuple, met: dict[Place, Any]) -> tuple | None:
    """A new group with one row: copies of all rows of a combination. Returns the copies."""
    before = {name: len(rows) for name, rows in variant.rows.items()}
    if not variant.attempt(partial(variant.plant, site, combination, met, set(range(len(site.tables))))):
        return None
    seen = dict(before)
    copies = []
    for name in site.tables:
        copies.append(variant.rows[name][seen[name]])
        seen[name] += 1
    return tuple(copies)
