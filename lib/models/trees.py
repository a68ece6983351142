"""SQL -> the tree that tree and graph encoders read; one builder for whole and partial queries.

Inner nodes are queries, set operations, clauses, logic, conditions, arithmetic, columns and tables; leaves are the
words of names, values, aggregates, `distinct`, `asc`, `desc` and `not` (Ma et al. 2022, section 3). Aliases are
replaced by their tables and names by their words, as for sequence encoders.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from lib.errors import SqlError
from lib.models.linearise import clause_words, read, scope_of, value_words
from lib.models.names import PLAIN, Scope, Words, is_unknown_alias
from lib.splitting import QUERY_STARTS, split
from lib.sql_parse import parse

if TYPE_CHECKING:
    from sqlglot import exp

KINDS = ("root", "set", "clause", "logic", "condition", "arithmetic", "column", "table", "leaf")
LEAF = KINDS.index("leaf")
_MISSING = "SELECT 1 "  # stands in front of a partial query, and is taken off its tree


@dataclass(frozen=True, slots=True)
class Node:
    """A node with everything below it."""

    kind: str  # one of KINDS
    label: str  # what it says: `where`, `>`, a word
    children: tuple[Node, ...] = ()
    name: tuple[str, str] = ("", "")  # of columns and tables: table and column, lower case, where they are known


@dataclass(frozen=True, slots=True)
class Tree:
    """The nodes of a tree from the root down, each before its children, those of a node in order."""

    labels: tuple[str, ...]
    kinds: tuple[int, ...]  # indices in KINDS
    parents: tuple[int, ...]  # -1 for the root
    names: tuple[tuple[str, str], ...]  # table and column of columns and tables, else empty

    @property
    def leaves(self) -> tuple[int, ...]:
        """Numbers of the leaves, in order."""
        return tuple(index for index, kind in enumerate(self.kinds) if kind == LEAF)


def tree_of(sql: str, whole: str | None = None, words: Words = PLAIN) -> Tree:
    """The tree of SQL, put together from those of its clauses.

    Args:
        sql: one query, or a part of one that starts at a clause.
        whole: the query that a partial `sql` belongs to, which says what its aliases stand for.
        words: for the names of its database; without them, names are cut at underscores and capitals.

    Raises:
        SqlError: if the SQL has no clauses. A clause that cannot be parsed becomes leaves of its words.

    >>> tree = tree_of("WHERE age > 30")
    >>> list(zip(tree.labels, tree.parents))
    [('query', -1), ('where', 0), ('>', 1), ('column', 2), ('age', 3), ('30', 2)]
    """
    scope = scope_of(whole or sql, words)
    nodes = (node for clause in split(sql) for node in _clause(clause.sql, scope))
    return _flat(Node("root", "query", tuple(nodes)))


@lru_cache(maxsize=16384)  # parsing takes long, and a dataset has each clause several times
def _clause(sql: str, scope: Scope) -> tuple[Node, ...]:
    """The nodes below the root that one clause makes."""
    partial = read(sql)[0].text.upper() not in QUERY_STARTS and not sql.startswith("(")
    try:
        root = _query(parse(_MISSING + sql if partial else sql), scope)
    except SqlError:
        return tuple(map(_leaf, clause_words(sql, scope)))
    return root.children[1:] if partial else root.children


def _flat(root: Node) -> Tree:
    labels, kinds, parents, names = [], [], [], []
    stack = [(root, -1)]
    while stack:
        node, parent = stack.pop()
        number = len(labels)
        labels.append(node.label)
        kinds.append(KINDS.index(node.kind))
        parents.append(parent)
        names.append(node.name)
        stack += [(child, number) for child in reversed(node.children)]
    return Tree(tuple(labels), tuple(kinds), tuple(parents), tuple(names))


def _leaf(word: str) -> Node:
    return Node("leaf", word)


def _query(tree: exp.Expression, scope: Scope) -> Node:
    """A query: its clauses, then its set operations, each with the query on its other side."""
    return Node("root", "query", tuple(_clauses(tree, scope)))


def _clauses(tree: exp.Expression, scope: Scope) -> list[Node]:
    from sqlglot import exp

    tree = tree.unnest() if isinstance(tree, exp.Subquery | exp.Paren) else tree
    if isinstance(tree, exp.SetOperation):
        label = tree.key + ("" if tree.args.get("distinct", True) else " all")
        nodes = [*_clauses(tree.this, scope), Node("set", label, (_query(tree.expression, scope),))]
    elif isinstance(tree, exp.Select):
        scope = _inside(tree, scope)
        nodes = [_select(tree, scope), *_filters(tree, scope)]
    else:  # VALUES and the like
        nodes = [Node("clause", tree.key, _units(tree.iter_expressions(), scope))]
    return [*_common(tree, scope), *nodes, *_order(tree, scope)]


def _inside(select: exp.Select, outer: Scope) -> Scope:
    from sqlglot import exp

    scope = Scope(outer.words, outer)
    for table in _sources(select):
        if isinstance(table, exp.Table):
            scope.define(table.name, table.alias)
    return scope


def _sources(select: exp.Select) -> list:
    start = select.args.get("from_")
    return [*([start.this] if start else []), *(join.this for join in select.args.get("joins") or ())]


def _common(tree: exp.Expression, scope: Scope) -> list[Node]:
    """Common table expressions."""
    ctes = getattr(tree, "ctes", ())
    return [Node("clause", "with", (_table(cte.alias, scope), _query(cte.this, scope))) for cte in ctes]


def _select(select: exp.Select, scope: Scope) -> Node:
    """SELECT with its FROM, as the clause splitter has it."""
    distinct = (_leaf("distinct"),) if select.args.get("distinct") else ()
    tables, conditions = [], []
    for source in _sources(select):
        tables.append(_source(source, scope))
    for join in select.args.get("joins") or ():
        if join.args.get("on") is not None:
            conditions.append(_unit(join.args["on"], scope))
        conditions += [_column("", column.name, scope) for column in join.args.get("using") or ()]
    origin = (Node("clause", "from", (*tables, *conditions)),) if tables else ()
    return Node("clause", "select", (*distinct, *_units(select.expressions, scope), *origin))


def _source(source: exp.Expression, scope: Scope) -> Node:
    from sqlglot import exp

    if isinstance(source, exp.Table):
        return _table(source.name, scope)
    return _unit(source, scope)


def _filters(select: exp.Select, scope: Scope) -> list[Node]:
    """WHERE and GROUP BY with HAVING."""
    nodes = []
    if select.args.get("where"):
        nodes.append(Node("clause", "where", (_unit(select.args["where"].this, scope),)))
    having = select.args.get("having")
    inner = (Node("clause", "having", (_unit(having.this, scope),)),) if having else ()
    if select.args.get("group"):
        nodes.append(Node("clause", "group by", (*_units(select.args["group"].expressions, scope), *inner)))
    elif inner:
        nodes += inner
    return nodes


def _order(tree: exp.Expression, scope: Scope) -> list[Node]:
    """ORDER BY with LIMIT and OFFSET."""
    ends = []
    for key in ("limit", "offset"):
        if tree.args.get(key) is not None:
            ends.append(Node("clause", key, _units([tree.args[key].expression or tree.args[key]], scope)))
    if not tree.args.get("order"):
        return ends
    return [Node("clause", "order by", (*_units(tree.args["order"].expressions, scope), *ends))]


def _units(expressions, scope: Scope) -> tuple[Node, ...]:
    return tuple(node for expression in expressions for node in _spread(expression, scope))


def _spread(expression: exp.Expression, scope: Scope) -> tuple[Node, ...]:
    """One node, or several leaves for a value of several words."""
    from sqlglot import exp

    if isinstance(expression, exp.Literal):
        return tuple(map(_leaf, value_words(expression.this)))
    return (_unit(expression, scope),)


def _unit(expression: exp.Expression, scope: Scope) -> Node:
    """The node of an expression."""
    from sqlglot import exp

    for kinds, make in _makers():
        if isinstance(expression, kinds):
            return make(expression, scope)
    children = _units(expression.iter_expressions(), scope)
    if not children:
        return _leaf(expression.sql().lower())
    kind = "condition" if isinstance(expression, exp.Predicate) else "arithmetic"
    return Node(kind, expression.key, children)


def _makers():
    """Which function makes the node of which expressions; the first that fits counts."""
    from sqlglot import exp

    return (
        ((exp.Paren, exp.Alias, exp.TableAlias), lambda e, s: _unit(e.this, s)),
        ((exp.Query, exp.Subquery), _query),
        ((exp.Column,), _column_of),
        ((exp.Star,), lambda e, s: _leaf("*")),
        ((exp.Table,), lambda e, s: _table(e.name, s)),
        ((exp.Literal,), lambda e, s: Node("column", "value", _spread(e, s))),
        ((exp.Ordered,), _ordered),
        ((exp.Not,), _negated),
        ((exp.And, exp.Or), _logic),
        ((exp.AggFunc,), _aggregate),
        ((exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Is, exp.Like), _binary),
        ((exp.Add, exp.Sub, exp.Mul, exp.Div), _binary),
    )  # fmt: skip


_SIGNS = {"eq": "=", "neq": "!=", "gt": ">", "gte": ">=", "lt": "<", "lte": "<=", "add": "+", "sub": "-", "mul": "*",
          "div": "/"}  # fmt: skip


def _binary(expression: exp.Binary, scope: Scope) -> Node:
    kind = "arithmetic" if expression.key in ("add", "sub", "mul", "div") else "condition"
    sides = (expression.this, expression.expression)
    return Node(kind, _SIGNS.get(expression.key, expression.key), _units(sides, scope))


def _logic(expression: exp.Connector, scope: Scope) -> Node:
    """AND and OR, with all of their operands at once."""
    return Node("logic", expression.key, _units(expression.flatten(), scope))


def _negated(expression: exp.Not, scope: Scope) -> Node:
    inner = _unit(expression.this, scope)
    if inner.kind == "condition":
        return _with(inner, _leaf("not"), front=True)
    return Node("logic", "not", (_leaf("not"), inner))


def _ordered(expression: exp.Ordered, scope: Scope) -> Node:
    return _with(_unit(expression.this, scope), _leaf("desc" if expression.args.get("desc") else "asc"))


def _with(node: Node, leaf: Node, front: bool = False) -> Node:
    """A node with one more leaf."""
    if node.kind == "leaf":
        return Node("column", "column", (node, leaf))
    children = (leaf, *node.children) if front else (*node.children, leaf)
    return Node(node.kind, node.label, children, node.name)


def _aggregate(expression: exp.AggFunc, scope: Scope) -> Node:
    """An aggregate of a column is a leaf of the column's node; of anything else, a node of its own."""
    from sqlglot import exp

    inner, distinct = expression.this, ()
    if isinstance(inner, exp.Distinct):
        inner, distinct = inner.expressions[0] if inner.expressions else None, (_leaf("distinct"),)
    words = (_leaf(expression.key), *distinct)
    if isinstance(inner, exp.Column | exp.Star) or inner is None:
        node = _unit(inner, scope) if inner is not None else Node("column", "column")
        if node.kind == "leaf":
            return Node("column", "column", (*words, node))
        return Node(node.kind, node.label, (*words, *node.children), node.name)
    return Node("arithmetic", expression.key, (*words, _unit(inner, scope)))


def _column_of(column: exp.Column, scope: Scope) -> Node:
    from sqlglot import exp

    table = scope.table(column.table) or ("" if is_unknown_alias(column.table) else column.table)
    if isinstance(column.this, exp.Star):
        owner = (_table(table, scope),) if table else ()
        return Node("column", "column", (*owner, _leaf("*")), (table.lower(), "*"))
    return _column(table, column.name, scope)


def _column(table: str, name: str, scope: Scope) -> Node:
    """A column with the table that it is written with; the name tells its table also where none is written."""
    owner = table or scope.owner(name)
    said = map(_leaf, scope.words.column(owner, name))
    return Node("column", "column", (*((_table(table, scope),) if table else ()), *said), (owner.lower(), name.lower()))


def _table(name: str, scope: Scope) -> Node:
    return Node("table", "table", tuple(map(_leaf, scope.words.table(name))), (name.lower(), ""))
