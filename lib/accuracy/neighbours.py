"""Neighbours of a golden query: queries one small change of its tree away.

Their use is to ask whether a database can tell right from wrong: a neighbour with the golden result is a wrong query
that would pass.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lib.accuracy.changes import changes
from lib.accuracy.parts import parts
from lib.errors import SqlError
from lib.records import Schema
from lib.sql_parse import parse

if TYPE_CHECKING:
    from sqlglot import exp

KINDS = (
    "operator",
    "connector",
    "literal",
    "pattern",
    "aggregate",
    "distinct",
    "null",
    "join",
    "group",
    "clause",
    "order",
    "limit",
    "set operator",
)


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A query one change away from a golden one."""

    sql: str
    kind: str  # one of KINDS
    change: str  # what was done, for people: "operator > instead of >="
    select: int = 0  # which SELECT was changed, counted depth first
    column: str = ""  # for the kind "null": the `table.column`, lower case, that makes the difference where it is NULL


def neighbours(query: str, schema: Schema | None = None, dialect: str = "sqlite") -> tuple[Neighbour, ...]:
    """All neighbours of a query, in the order of its text.

    Args:
        query: golden SQL.
        schema: its database; without it COUNT(*) has no neighbour COUNT(column).
        dialect: one of `sql_tokens.DIALECTS`.

    Raises:
        SqlError: if the query cannot be read.

    >>> [item.sql for item in neighbours("SELECT a FROM t WHERE b > 5")][1:4]
    ['SELECT a FROM t WHERE b >= 5', 'SELECT a FROM t WHERE b < 5', 'SELECT a FROM t']
    """
    from sqlglot import exp

    tree = parse(query, schema, dialect)
    seen = {parts(tree, schema).text}
    found = []
    selects = [id(node) for node in _nodes(tree) if isinstance(node, exp.Select)]
    for index, node in enumerate(_nodes(tree)):
        for kind, change, edit, column in changes(node, schema):
            holder = exp.Subquery(this=tree.copy())  # so that the root can be replaced like any other node
            edit(_nodes(holder.this)[index])
            text = holder.this.sql(dialect)
            meaning = _meaning(text, schema, dialect)
            if meaning is not None and meaning not in seen:
                seen.add(meaning)
                found.append(Neighbour(text, kind, change, selects.index(_home(node)), column))
    return tuple(found)


def _nodes(tree: exp.Expression) -> list[exp.Expression]:
    return list(tree.dfs())


def _home(node: exp.Expression) -> int:
    """Identity of the SELECT that a node belongs to; of a set operation its first."""
    from sqlglot import exp

    if not isinstance(node, exp.Select):
        node = node.find_ancestor(exp.Query) if not isinstance(node, exp.SetOperation) else node
    return id(node if isinstance(node, exp.Select) else node.find(exp.Select, bfs=False))


def _meaning(text: str, schema: Schema | None, dialect: str) -> str | None:
    """The canonical text, to find changes that change nothing; None for what is no query any more."""
    try:
        return parts(parse(text, schema, dialect), schema).text
    except SqlError:
        return None
