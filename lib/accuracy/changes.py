"""Small changes of a query's tree, each a mistake that people make. Rules by class of node.

Changes that cannot matter (DISTINCT under IN, ORDER BY in a set operand) are not made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from lib.records import Schema

if TYPE_CHECKING:
    from sqlglot import exp

_OPERATORS = {"gt": ("GTE", "LT"), "gte": ("GT", "LTE"), "lt": ("LTE", "GT"), "lte": ("LT", "GTE"), "eq": ("NEQ",),
              "neq": ("EQ",)}  # fmt: skip
_AGGREGATES = {"max": "Min", "min": "Max", "sum": "Avg", "avg": "Sum"}
_SET_OPERATORS = {"union": "Intersect", "intersect": "Union", "except": "Intersect"}

_Edit = Callable[["exp.Expression"], object]  # changes the node in a fresh copy of the tree
Change = tuple[str, str, _Edit, str]  # kind, description, edit, column


@lru_cache(maxsize=1)
def _rules() -> dict[str, Callable[[exp.Expression, Schema | None], Iterator[Change]]]:
    comparisons = dict.fromkeys(_OPERATORS, _comparison)
    aggregates = dict.fromkeys(_AGGREGATES, _aggregate)
    operators = dict.fromkeys(_SET_OPERATORS, _set_operator)
    return {**comparisons, **aggregates, **operators, "and": _connector, "or": _connector, "in": _negation,
            "between": _negation, "is": _negation, "like": _negation, "literal": _literal, "count": _count,
            "select": _select, "join": _join, "ordered": _direction, "limit": _limit}  # fmt: skip


def changes(node: exp.Expression, schema: Schema | None) -> Iterator[Change]:
    """The changes of one node of a query's tree.

    Args:
        node: the node, in its tree; not changed.
        schema: the query's database, None if unknown.
    """
    rule = _rules().get(node.key)
    if rule is not None:
        yield from rule(node, schema)


def _replace_by(name: str) -> _Edit:
    """Puts another class of node with the same two operands."""

    def edit(node: exp.Expression) -> None:
        from sqlglot import exp

        node.replace(getattr(exp, name)(this=node.this, expression=node.args.get("expression")))

    return edit


def _comparison(node: exp.Expression, schema: Schema | None) -> Iterator[Change]:
    from sqlglot import exp

    if _is_join_condition(node):
        return
    for name in _OPERATORS[node.key]:
        new = getattr(exp, name)(this=node.this.copy(), expression=node.expression.copy()).sql()
        yield "operator", f"{new} for {node.sql()}", _replace_by(name), ""
    yield from _dropped_condition(node)


def _is_join_condition(node: exp.Expression) -> bool:
    from sqlglot import exp

    return isinstance(node, exp.EQ) and isinstance(node.this, exp.Column) and isinstance(node.expression, exp.Column)


def _connector(node: exp.Expression, schema: Schema | None) -> Iterator[Change]:
    from sqlglot import exp

    if any(_is_join_condition(side.unnest()) for side in (node.this, node.expression)):
        return
    old, new = ("AND", "OR") if isinstance(node, exp.And) else ("OR", "AND")

    def edit(found: exp.Expression) -> None:
        turned = (exp.Or if new == "OR" else exp.And)(this=found.this, expression=found.expression)
        found.replace(exp.Paren(this=turned))

    yield "connector", f"{new} for {old}", edit, ""


def _negation(node: exp.Expression, schema: Schema | None) -> Iterator[Change]:
    """IN, BETWEEN, IS NULL and LIKE, turned round."""
    from sqlglot import exp

    if isinstance(node.parent, exp.Not):
        yield "operator", f"without NOT: {node.sql()}", lambda found: found.parent.replace(found.copy()), ""
        yield from _dropped_condition(node.parent, up=1)
    else:
        yield "operator", f"NOT {node.sql()}", lambda found: found.replace(exp.Not(this=found.copy())), ""
        yield from _dropped_condition(node)


def _dropped_condition(node: exp.Expression, up: int = 0) -> Iterator[Change]:
    """One operand of AND or OR, or the whole WHERE or HAVING, left out.

    Args:
        node: the condition.
        up: how many parents above the node that the edit gets the condition stands.
    """
    from sqlglot import exp

    def edit(found: exp.Expression) -> None:
        for _ in range(up):
            found = found.parent
        while isinstance(found.parent, exp.Paren):
            found = found.parent
        parent = found.parent
        if isinstance(parent, exp.Connector):
            parent.replace((parent.expression if found.arg_key == "this" else parent.this).copy())
        else:
            parent.pop()

    place = node.parent
    while isinstance(place, exp.Paren):
        place = place.parent
    if isinstance(place, exp.Connector | exp.Where | exp.Having):
        yield "clause", f"without {node.sql()}", edit, ""


def _literal(node: exp.Expression, schema: Schema | None) -> Iterator[Change]:
    from sqlglot import exp

    if not isinstance(node.parent, exp.Binary | exp.Between | exp.In) or not node.find_ancestor(exp.Where, exp.Having):
        return
    if isinstance(node.parent, exp.Like):
        yield from _pattern(node)
        return
    for shift in (-1, 1):
        text = shifted(node.name, shift)
        if text is not None:
            new = exp.Literal.string(text) if node.is_string else exp.Literal.number(text)
            yield "literal", f"{new.sql()} for {node.sql()}", lambda found, new=new: found.replace(new.copy()), ""


def shifted(text: str, shift: int) -> str | None:
    """The number one higher or lower, in its last written digit; None for what is no number."""
    from decimal import Decimal, InvalidOperation

    try:
        number = Decimal(text)
    except InvalidOperation:
        return None
    if not number.is_finite() or abs(number.adjusted()) > 30 or not text.isascii():
        return None
    return format(number + shift * Decimal(1).scaleb(number.as_tuple().exponent), "f")


def _pattern(node: exp.Expression) -> Iterator[Change]:
    """Each end of a LIKE pattern opened or closed."""
    from sqlglot import exp

    text = node.name
    turned = (text.removeprefix("%") if text.startswith("%") else f"%{text}",
              text.removesuffix("%") if text.endswith("%") else f"{text}%")  # fmt: skip
    for new in dict.fromkeys(turned):
        if new.strip("%"):
            literal = exp.Literal.string(new)
            yield "pattern", f"LIKE {literal.sql()} for {node.sql()}", lambda found, new=literal: found.replace(new), ""


def _aggregate(node: exp.Expression, schema: Schema | None) -> Iterator[Change]:
    from sqlglot import exp

    name = _AGGREGATES[node.key]
    if len(node.args.get("expressions") or ()):  # SQLite's max(a, b) is no aggregate
        return
    yield "aggregate", f"{name.upper()} for {node.key.upper()}", lambda found: found.replace(
        getattr(exp, name)(this=found.this.copy())), ""  # fmt: skip


def _count(node: exp.Expression, schema: Schema | None) -> Iterator[Change]:
    from sqlglot import exp

    if isinstance(node.this, exp.Distinct) and len(node.this.expressions) == 1:
        plain = node.this.expressions[0]
        yield "distinct", "COUNT without DISTINCT", lambda found: found.set("this", found.this.expressions[0]), ""
        if isinstance(plain, exp.Star):
            return
    elif isinstance(node.this, exp.Column) and not node.this.is_star:
        yield "distinct", "COUNT with DISTINCT", lambda found: found.set(
            "this", exp.Distinct(expressions=[found.this.copy()])), ""  # fmt: skip
    elif isinstance(node.this, exp.Star) and schema is not None:
        yield from _count_of_nullable(node, schema)


def _count_of_nullable(node: exp.Expression, schema: Schema) -> Iterator[Change]:
    """COUNT(column) for COUNT(*), with the first column that is no key and that the query does not use."""
    from sqlglot import exp

    select = node.find_ancestor(exp.Select)
    source = select.args["from_"].this if select is not None and select.args.get("from_") else None
    if not isinstance(source, exp.Table):
        return
    used = {column.name.lower() for column in node.root().find_all(exp.Column)}
    keys = {*schema.primary_keys, *(index for pair in schema.foreign_keys for index in pair)}
    for index, column in enumerate(schema.columns):
        if schema.tables[column.table].lower() == source.name.lower() and index not in keys:
            if column.name.lower() in used:
                continue
            new = exp.column(
                exp.to_identifier(column.name, quoted=not column.name.isidentifier()), source.alias_or_name
            )
            yield ("null", f"COUNT({new.sql()}) for COUNT(*)", lambda found, new=new: found.set("this", new.copy()),
                   f"{source.name}.{column.name}".lower())  # fmt: skip
            return


def _select(node: exp.Expression, schema: Schema | None) -> Iterator[Change]:
    from sqlglot import exp

    if _counts_rows(node):
        if node.args.get("distinct"):
            yield "distinct", "without DISTINCT", lambda found: found.set("distinct", None), ""
        elif not node.args.get("group") and not any(item.find(exp.AggFunc) for item in node.expressions):
            yield "distinct", "with DISTINCT", lambda found: found.set("distinct", exp.Distinct()), ""
    yield from _group(node)
    for name, words in (("group", "GROUP BY"), ("order", "ORDER BY"), ("limit", "LIMIT"), ("having", "HAVING")):
        if node.args.get(name) and (name != "order" or _order_matters(node)):
            kind = {"order": "order", "limit": "limit"}.get(name, "clause")
            yield kind, f"without {words}", lambda found, name=name: found.set(name, None), ""


def _group(select: exp.Expression) -> Iterator[Change]:
    """Groups by the column that is shown instead of the one that tells the groups apart."""
    from sqlglot import exp

    group = select.args.get("group")
    shown = [item.unalias() for item in select.expressions]
    shown = [item for item in shown if isinstance(item, exp.Column) and not item.is_star]
    if group and shown and all(key.name.lower() != item.name.lower() for key in group.expressions for item in shown):
        yield "group", f"GROUP BY {shown[0].sql()}", lambda found: found.set(
            "group", exp.Group(expressions=[shown[0].copy()])), ""  # fmt: skip


def _counts_rows(select: exp.Expression) -> bool:
    """Whether it matters how often a row comes: not under IN, EXISTS, an operator that removes duplicates, LIMIT 1."""
    from sqlglot import exp

    limit = select.args.get("limit")
    if limit is not None and isinstance(limit.expression, exp.Literal) and limit.expression.name == "1":
        return False
    outer = select.parent
    while isinstance(outer, exp.Subquery | exp.Paren):
        outer = outer.parent
    if isinstance(outer, exp.SetOperation):
        return outer.args.get("distinct") is False
    return not isinstance(outer, exp.In | exp.Exists | exp.Binary)


def _order_matters(select: exp.Expression) -> bool:
    return select.parent is None or bool(select.args.get("limit"))


def _join(node: exp.Expression, schema: Schema | None) -> Iterator[Change]:
    from sqlglot import exp

    if not node.args.get("on") and not node.args.get("using"):
        return
    if node.side.upper() in ("LEFT", "RIGHT", "FULL"):
        yield (
            "join",
            f"JOIN for {node.side.upper()} JOIN",
            lambda found: (found.set("side", None), found.set("kind", None)),
            "",
        )
    elif not node.kind or node.kind.upper() == "INNER":
        select = node.parent
        name = node.alias_or_name.lower()
        later = select.args["joins"][select.args["joins"].index(node) + 1 :]
        places = [select.args.get("where"), select.args.get("having"), *(join.args.get("on") for join in later)]
        asked = [column for place in places if place is not None for column in place.find_all(exp.Column)]
        if all(column.table and column.table.lower() != name for column in asked):  # else NULLs are refused anyway
            yield "join", "LEFT JOIN for JOIN", lambda found: (found.set("side", "LEFT"), found.set("kind", None)), ""


def _direction(node: exp.Expression, schema: Schema | None) -> Iterator[Change]:
    select = node.parent.parent
    if not _order_matters(select):
        return
    descends = bool(node.args.get("desc"))

    def edit(found: exp.Expression) -> None:
        found.set("desc", not descends)
        found.set("nulls_first", descends)  # SQLite's own order, so that nothing is written

    yield "order", "ASC for DESC" if descends else "DESC for ASC", edit, ""


def _limit(node: exp.Expression, schema: Schema | None) -> Iterator[Change]:
    from sqlglot import exp

    bound = node.expression
    if isinstance(bound, exp.Literal) and bound.name.isdecimal():
        for number in (int(bound.name) - 1, int(bound.name) + 1):
            if number > 0:
                new = exp.Literal.number(number)
                yield "limit", f"LIMIT {number}", lambda found, new=new: found.set("expression", new.copy()), ""


def _set_operator(node: exp.Expression, schema: Schema | None) -> Iterator[Change]:
    from sqlglot import exp

    name = _SET_OPERATORS[node.key]

    def turn(found: exp.Expression) -> None:
        args = {key: value for key, value in found.args.items() if value is not None}
        new = getattr(exp, name)(**{**args, "distinct": True})
        found.replace(new)

    yield "set operator", f"{name.upper()} for {node.key.upper()}", turn, ""
    if node.key == "union" and _counts_rows(node):
        every = node.args.get("distinct") is False
        yield "distinct", "UNION" if every else "UNION ALL", lambda found: found.set("distinct", every), ""
    yield "clause", f"without {node.key.upper()}", lambda found: found.replace(found.this.copy()), ""
