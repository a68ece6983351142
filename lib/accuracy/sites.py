"""What each SELECT of a query asks of the data: its tables, the joins, the conditions, the sizes of its groups.

Knows where a row must stand so that a wrong query gives another result: on the literals and beside them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lib.accuracy.changes import shifted
from lib.accuracy.constraints import Table
from lib.accuracy.scopes import sources

if TYPE_CHECKING:
    from sqlglot import exp

Place = tuple[int, int]  # which source of a SELECT, which column of it

_FILL = "xx"  # put for % in a LIKE pattern
_COMPARED = ("eq", "neq", "gt", "gte", "lt", "lte")
_MIRRORED = {"gt": "lt", "gte": "lte", "lt": "gt", "lte": "gte", "eq": "eq", "neq": "neq"}
_MAX_GROUP = 30  # rows that are planted to fill one group


@dataclass(frozen=True, slots=True)
class Condition:
    """One comparison of a column with literals."""

    place: Place
    holds: tuple[Any, ...]  # values that meet it, on the border first
    fails: tuple[Any, ...]  # values that do not, on the border first


@dataclass(frozen=True, slots=True)
class Site:
    """One SELECT."""

    tables: tuple[str, ...]  # lower-case names of its sources, in order
    joins: tuple[tuple[Place, Place], ...]  # columns that must be equal
    conditions: tuple[Condition, ...]
    outputs: tuple[Place, ...] | None  # its result columns; None if one is no plain column
    counted: tuple[Place, ...]  # columns inside COUNT
    groups: tuple[Place, ...]  # columns of GROUP BY
    sizes: tuple[int, ...]  # group sizes at which HAVING decides
    distinct: bool


def sites(tree: exp.Query, tables: dict[str, Table]) -> tuple[Site | None, ...]:
    """Reads each SELECT of a query, depth first; None for one that reads something other than plain tables."""
    from sqlglot import exp

    return tuple(_site(node, tables) for node in tree.dfs() if isinstance(node, exp.Select))


def _site(select: exp.Select, tables: dict[str, Table]) -> Site | None:
    from sqlglot import exp

    found = [source for source, _ in sources(select)]
    if not found or not all(isinstance(source, exp.Table) and source.name.lower() in tables for source in found):
        return None
    names = _Names(tuple(source.alias_or_name.lower() for source in found),
                   tuple(tables[source.name.lower()] for source in found))  # fmt: skip
    own = list(select.dfs(prune=lambda node: isinstance(node, exp.Query) and node is not select))
    joins = [pair for node in own if isinstance(node, exp.EQ) and (pair := names.pair(node)) is not None]
    conditions = [item for node in own if (item := _condition(node, names)) is not None]
    outputs = [names.place(item.unalias()) for item in select.expressions]
    counted = [
        names.place(column) for node in own if isinstance(node, exp.Count) for column in node.find_all(exp.Column)
    ]
    group = select.args.get("group")
    groups = [names.place(key) for key in group.expressions] if group else []
    return Site(
        tuple(source.name.lower() for source in found), tuple(joins), tuple(conditions),
        None if None in outputs else tuple(outputs), tuple(place for place in counted if place is not None),
        tuple(place for place in groups if place is not None), tuple(sorted(_sizes(own))),
        bool(select.args.get("distinct")),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Names:
    """The sources of a SELECT by name."""

    aliases: tuple[str, ...]
    tables: tuple[Table, ...]

    def place(self, node: exp.Expression) -> Place | None:
        """Where a column stands; None if it is no column of this SELECT."""
        from sqlglot import exp

        if not isinstance(node, exp.Column):
            return None
        for number, (alias, table) in enumerate(zip(self.aliases, self.tables, strict=True)):
            column = table.at(node.name)
            if column >= 0 and node.table.lower() in ("", alias):
                return number, column
        return None

    def pair(self, node: exp.EQ) -> tuple[Place, Place] | None:
        left, right = self.place(node.this), self.place(node.expression)
        return (left, right) if left is not None and right is not None and left[0] != right[0] else None

    def stored(self, place: Place, literal: str) -> Any:
        """A literal as the column stores its values: '7' among texts, 7 among numbers."""
        values = [row[place[1]] for row in self.tables[place[0]].rows[:50] if row[place[1]] is not None]
        texts = sum(isinstance(value, str) for value in values)
        numeric = 2 * texts <= len(values) if values else "TEXT" not in self.tables[place[0]].types[place[1]].upper()
        if numeric and re.fullmatch(r"-?\d+(\.\d+)?", literal):
            return float(literal) if "." in literal else int(literal)
        return literal


def _sizes(nodes: list[exp.Expression]) -> set[int]:
    from sqlglot import exp

    found = set()
    for node in nodes:
        if node.key in _COMPARED and node.find(exp.Count) and isinstance(node.expression, exp.Literal):
            text = node.expression.name
            if text.isdecimal() and int(text) < _MAX_GROUP:
                found |= {max(1, int(text) - 1), int(text), int(text) + 1}
    return found - {0}


def _condition(node: exp.Expression, names: _Names) -> Condition | None:
    from sqlglot import exp

    if node.key in _COMPARED or isinstance(node, exp.Like):
        left, right, key = node.this, node.expression, node.key
        if isinstance(left, exp.Literal):
            left, right, key = right, left, _MIRRORED.get(key, key)
        values = [right]
    elif isinstance(node, exp.Between):
        left, values, key = node.this, [node.args["low"], node.args["high"]], "between"
    elif isinstance(node, exp.In) and node.expressions:
        left, values, key = node.this, node.expressions, "in"
    else:
        return None
    texts = [_literal(value) for value in values]
    # the column itself, or the one inside MAX(...) or LOWER(...)
    column = left if isinstance(left, exp.Column) else next(iter(left.find_all(exp.Column)), None)
    place = names.place(column) if column is not None else None
    if place is None or None in texts or left.find(exp.Query) or left.find(exp.Count):
        return None
    return _bordering(place, key, texts, names)


def _literal(node: exp.Expression) -> str | None:
    from sqlglot import exp

    if isinstance(node, exp.Neg) and isinstance(node.this, exp.Literal):
        return f"-{node.this.name}"
    return node.name if isinstance(node, exp.Literal) else None


def _bordering(place: Place, key: str, texts: list[str], names: _Names) -> Condition:
    if key == "like":
        holds, fails = _around_pattern(texts[0])
    else:
        below, above = shifted(texts[0], -1), shifted(texts[-1], 1)
        inner, outer = shifted(texts[0], 1), shifted(texts[-1], -1)
        choices = {
            "eq": (texts, [below, above]), "neq": ([below, above], texts), "gt": ([above], [*texts, below]),
            "gte": ([*texts, above], [below]), "lt": ([below], [*texts, above]), "lte": ([*texts, below], [above]),
            "between": ([*texts, inner, outer], [below, above]), "in": (texts, [below, above]),
        }  # fmt: skip
        holds, fails = choices[key]
    both = [
        tuple(names.stored(place, text) for text in dict.fromkeys(found) if text is not None)
        for found in (holds, fails)
    ]
    return Condition(place, *both)


def _around_pattern(pattern: str) -> tuple[list[str], list[str]]:
    """Texts that a LIKE pattern takes, and texts that it takes only with another end opened."""
    core = pattern.strip("%").replace("%", _FILL).replace("_", _FILL[0])
    texts = [core, f"{core}{_FILL}", f"{_FILL}{core}", f"{_FILL}{core}{_FILL}"]
    expression = re.compile(re.escape(pattern).replace("%", ".*").replace("_", "."), re.IGNORECASE | re.DOTALL)
    return [text for text in texts if expression.fullmatch(text)], [
        text for text in texts if not expression.fullmatch(text)
    ]


def join_hints(found: tuple[Site | None, ...], tables: dict[str, Table]) -> set[tuple[str, str, str, str]]:
    """The equalities of columns that a query uses to join tables: hints at references that nobody declared."""
    hints = set()
    for site in found:
        for (left, a), (right, b) in site.joins if site else ():
            first, second = tables[site.tables[left]], tables[site.tables[right]]
            hints.add((site.tables[left], first.columns[a].lower(), site.tables[right], second.columns[b].lower()))
    return hints
