"""Queries that say the same as a golden one in other words: whoever calls them wrong is mistaken."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lib.records import Schema
from lib.sql_parse import parse

if TYPE_CHECKING:
    from sqlglot import exp


@dataclass(frozen=True, slots=True)
class Rewrite:
    """Another way to say a query."""

    sql: str
    change: str  # what was done, for people


def rewrites(query: str, schema: Schema | None = None, dialect: str = "sqlite") -> tuple[Rewrite, ...]:
    """Rewrites of a query with the same result, columns in another order or under other names included.

    Args:
        query: golden SQL.
        schema: its database, None if unknown.
        dialect: one of `sql_tokens.DIALECTS`.

    Raises:
        SqlError: if the query cannot be read.

    >>> [item.sql for item in rewrites("SELECT a, b FROM t WHERE c > 5")]  # doctest: +NORMALIZE_WHITESPACE
    ['SELECT a, b FROM t WHERE 5 < c', 'SELECT a AS c1, b AS c2 FROM t WHERE c > 5', 'SELECT b, a FROM t WHERE c > 5']
    """
    tree = parse(query, schema, dialect)
    own = tree.sql(dialect)
    found = []
    for change, other in _ways(tree):
        text = other.sql(dialect)
        if text != own and text not in [item.sql for item in found]:
            found.append(Rewrite(text, change))
    return tuple(found)


def _ways(tree: exp.Query) -> Iterator[tuple[str, exp.Expression]]:
    from sqlglot import exp

    yield "conditions turned round", tree.transform(_turned)
    if isinstance(tree, exp.Select) and not any(item.is_star for item in tree.expressions):
        yield "columns renamed", _renamed(tree)
        if not _by_position(tree):
            yield "columns in another order", _reversed(tree)
    if isinstance(tree, exp.Select) and _joins_two_tables(tree):
        yield "tables in another order", _swapped(tree)


def _turned(node: exp.Expression) -> exp.Expression:
    """`a > 5` becomes `5 < a`, both sides of AND change places, BETWEEN becomes two comparisons."""
    from sqlglot import exp

    mirrored = {exp.GT: exp.LT, exp.LT: exp.GT, exp.GTE: exp.LTE, exp.LTE: exp.GTE, exp.EQ: exp.EQ}
    if type(node) in mirrored:
        return mirrored[type(node)](this=node.expression, expression=node.this)
    if isinstance(node, exp.And):
        return exp.And(this=exp.Paren(this=node.expression), expression=exp.Paren(this=node.this))
    if isinstance(node, exp.Between):
        subject, low, high = node.this, node.args["low"], node.args["high"]
        lower = exp.GTE(this=subject.copy(), expression=low)
        return exp.Paren(this=exp.And(this=lower, expression=exp.LTE(this=subject, expression=high)))
    return node


def _renamed(tree: exp.Select) -> exp.Select:
    """New names for all columns. Where ORDER BY or GROUP BY uses an old alias, the alias stays."""
    from sqlglot import exp

    other = tree.copy()
    used = {column.name.lower() for column in other.find_all(exp.Column) if not column.table}
    items = []
    for number, item in enumerate(other.expressions, 1):
        kept = item.alias and item.alias.lower() in used
        items.append(item if kept else exp.alias_(item.unalias().copy(), f"c{number}"))
    other.set("expressions", items)
    return other


def _by_position(tree: exp.Select) -> bool:
    """Whether ORDER BY or GROUP BY counts columns."""
    from sqlglot import exp

    keys = [key for name in ("order", "group") if tree.args.get(name) for key in tree.args[name].expressions]
    return any(isinstance(key.this if isinstance(key, exp.Ordered) else key, exp.Literal) for key in keys)


def _reversed(tree: exp.Select) -> exp.Select:
    other = tree.copy()
    other.set("expressions", [item.copy() for item in reversed(other.expressions)])
    return other


def _joins_two_tables(tree: exp.Select) -> bool:
    from sqlglot import exp

    joins = tree.args.get("joins") or []
    if len(joins) != 1 or joins[0].side or not joins[0].args.get("on"):
        return False
    return isinstance(joins[0].this, exp.Table) and isinstance(tree.args["from_"].this, exp.Table)


def _swapped(tree: exp.Select) -> exp.Select:
    """The second table first. ORDER BY keeps its order only as far as its keys say, in the golden query too."""
    other = tree.copy()
    first, join = other.args["from_"].this, other.args["joins"][0]
    second = join.this.copy()
    join.set("this", first.copy())
    first.replace(second)
    return other
