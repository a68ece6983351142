"""Golden SQL of one dialect in another, so that one suite serves several engines.

Beyond what sqlglot translates, habits of SQLite are put into words that stricter engines read: double-quoted values
become literals (see `sql_parse`), a column that is neither grouped nor aggregated becomes its minimum in the group,
LIKE ignores letter case, and a derived table gets a name.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from lib.errors import ParameterError, SqlError, suggest
from lib.sql_parse import parse

if TYPE_CHECKING:
    from sqlglot import exp

_STRICT = {"postgres", "duckdb", "snowflake", "bigquery"}  # refuse columns that are neither grouped nor aggregated


def check_dialect(name: str) -> None:
    """Refuses what is no dialect.

    Raises:
        ParameterError: if sqlglot reads no such dialect.
    """
    from sqlglot.dialects import Dialects

    known = [dialect.value for dialect in Dialects if dialect.value]
    if name not in known:
        raise ParameterError(f"unknown dialect '{name}': {suggest(name, known)}")


@lru_cache(maxsize=256)
def translated(sql: str, source: str, target: str) -> str:
    """A query in another dialect.

    Args:
        sql: one query.
        source: its dialect, as sqlglot calls it; "" for the target's own.
        target: the engine's dialect.

    Returns:
        The translation; the same text if both dialects are one, or the query cannot be read.

    >>> translated('SELECT a, b FROM t WHERE c LIKE "x%" GROUP BY a', "sqlite", "postgres")
    "SELECT a, MIN(b) AS b FROM t WHERE c ILIKE 'x%' GROUP BY a"
    """
    if not source or source == target:
        return sql
    try:
        tree = parse(sql, dialect=source) if source == "sqlite" else _read(sql, source)
        if source == "sqlite" and target in _STRICT:
            tree = _spelt_out(tree)
        return tree.sql(dialect=target)
    except (SqlError, RecursionError, ValueError):
        return sql


def _read(sql: str, source: str) -> exp.Expression:
    import sqlglot

    try:
        return sqlglot.parse_one(sql, dialect=source)
    except sqlglot.errors.SqlglotError as error:
        raise SqlError(f"cannot read the query as {source}: {error}", sql) from error


def _spelt_out(tree: exp.Expression) -> exp.Expression:
    from sqlglot import exp

    for like in list(tree.find_all(exp.Like)):
        like.replace(exp.ILike(this=like.this, expression=like.expression))
    for number, subquery in enumerate(list(tree.find_all(exp.Subquery))):
        if isinstance(subquery.parent, exp.From | exp.Join) and not subquery.alias:
            subquery.set("alias", exp.TableAlias(this=exp.to_identifier(f"derived_{number}")))
    for select in list(tree.find_all(exp.Select)):
        if select.args.get("group") or _aggregates(select):
            _aggregate_bare_columns(select)
    return tree


def _aggregates(select: exp.Select) -> bool:
    from sqlglot import exp

    return any(
        node.find_ancestor(exp.Select) is select for item in select.expressions for node in item.find_all(exp.AggFunc)
    )


def _aggregate_bare_columns(select: exp.Select) -> None:
    """Wraps what is neither grouped nor aggregated, in the select list, HAVING and ORDER BY."""
    from sqlglot import exp

    group = select.args.get("group")
    grouped = {key.sql() for key in group.expressions} if group else set()
    grouped |= {key.name for key in group.expressions if isinstance(key, exp.Column)} if group else set()
    aliases = {item.alias for item in select.expressions if item.alias}
    places = [*select.expressions, select.args.get("having"), select.args.get("order")]
    for place in places:
        for column in list(place.find_all(exp.Column)) if place is not None else ():
            if column.sql() in grouped or column.name in grouped or (place is not None and not _free(column, select)):
                continue
            if not column.table and column.name in aliases and place not in select.expressions:
                continue
            minimum = exp.Min(this=column.copy())
            column.replace(exp.alias_(minimum, column.name, quoted=False) if column is place else minimum)


def _free(column: exp.Column, select: exp.Select) -> bool:
    """Whether a column stands in this SELECT itself, outside aggregates and windows, and is no star."""
    from sqlglot import exp

    if isinstance(column.this, exp.Star) or column.find_ancestor(exp.Select) is not select:
        return False
    inside = column.find_ancestor(exp.AggFunc, exp.Window, exp.Select)
    return inside is select
