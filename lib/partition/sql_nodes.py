"""Trees of SQL by our definition, made from sqlglot's; also of parts of a query.

A query is a chain of its clauses, SELECT innermost, so that the tree of a part of it is a part of its tree. Aliases
are dropped, columns go without their table, and every value is the same leaf.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lib.errors import SqlError
from lib.partition.nodes import BLANK, Node, joined
from lib.records import Schema
from lib.splitting import split
from lib.sql_parse import parse

if TYPE_CHECKING:
    from sqlglot import exp

REST = "..."  # leaf for the clauses that a part of a query lacks
VALUE = Node("value")
_ABSENT = "_rest"  # stands for them while sqlglot reads the part
_SYMBOLS = {
    "eq": "=", "neq": "!=", "gt": ">", "gte": ">=", "lt": "<", "lte": "<=", "add": "+", "sub": "-", "mul": "*",
    "div": "/", "mod": "%", "dpipe": "||",
}  # fmt: skip
_FLAGS = ("distinct", "desc", "side", "kind", "method", "unique", "recursive")  # arguments that are words, not nodes
_VALUES = {"literal", "hexstring", "bitstring", "national", "rawstring", "parameter", "placeholder", "boolean"}
_TRANSPARENT = {"alias", "paren", "subquery", "tablealias", "from"}


def read(query: str, schema: Schema | None = None) -> Node:
    """The tree of a query, or of a part of one that starts at a clause.

    Args:
        query: SQL text.
        schema: its database, which tells double-quoted texts from names.

    Raises:
        SqlError: if it is no SQL query, nor a part of one.

    >>> read("SELECT T1.a FROM t AS T1 ORDER BY T1.b DESC").label
    '___ order by ___'
    >>> read("WHERE a = 'x'").children[0].label
    '...'
    """
    try:
        if split(query)[0].kind != "SELECT":
            query = f"SELECT {_ABSENT} FROM {_ABSENT} {query}"
        return _query(parse(query, schema))
    except RecursionError as error:
        raise SqlError("cannot take the SQL apart: it is nested too deeply") from error


def _query(node: exp.Expression) -> Node:
    """A SELECT or set operation, with its clauses around it in the order in which they are written."""
    if node.key == "subquery":
        return _clauses(node, _query(node.this))
    return _clauses(node, _select(node) if node.key == "select" else _operation(node))


def _clauses(node: exp.Expression, tree: Node) -> Node:
    args = node.args
    for name, keyword in (("where", "where"), ("group", "group by"), ("having", "having"), ("qualify", "qualify"),
                          ("order", "order by"), ("limit", "limit"), ("offset", "offset")):  # fmt: skip
        parts = _parts(args[name]) if args.get(name) else []
        if parts:
            tree = Node(f"{BLANK} {keyword} {BLANK}", (tree, joined(",", parts)))
    for definition in getattr(args.get("with_"), "expressions", ()):
        tree = Node(f"with {BLANK} {BLANK}", (_node(definition.this), tree))
    return tree


def _select(node: exp.Select) -> Node:
    items = _parts(node, ("expressions",))
    source = node.args.get("from_")
    if source is not None and source.this.name == _ABSENT:
        return Node(REST)
    word = "select distinct" if node.args.get("distinct") else "select"
    if source is None:
        return Node(f"{word} {BLANK}", (joined(",", items),))
    tree = _node(source.this)
    for join in node.args.get("joins") or ():
        tree = _joined(tree, join)
    return Node(f"{word} {BLANK} from {BLANK}", (joined(",", items), tree))


def _joined(tree: Node, join: exp.Join) -> Node:
    words = " ".join(str(join.args[name]).lower() for name in ("method", "side", "kind") if join.args.get(name))
    source, condition = _node(join.this), join.args.get("on")
    if condition is not None:
        source = Node(f"{BLANK} on {BLANK}", (source, _node(condition)))
    return Node(f"{BLANK} {f'{words} join'.strip()} {BLANK}", (tree, source))


def _operation(node: exp.Expression) -> Node:
    if "expression" not in node.args or not node.args.get("this"):
        return _other(node)
    keyword = node.key if node.args.get("distinct", True) else f"{node.key} all"
    return Node(f"{BLANK} {keyword} {BLANK}", (_node(node.this), _node(node.expression)))


def _node(node: exp.Expression) -> Node:
    """Any other node of sqlglot's tree."""
    from sqlglot import exp

    if isinstance(node, exp.Query):
        return _query(node)
    if node.key in _TRANSPARENT:
        return _node(node.this)
    if node.key in _VALUES or (node.key == "neg" and node.this.key == "literal"):
        return VALUE
    if node.key in ("column", "table", "identifier"):
        return Node(node.name.lower()) if node.name else _other(node)
    if node.key == "ordered":
        return Node(f"{BLANK} {'desc' if node.args.get('desc') else 'asc'}", (_node(node.this),))
    if node.key == "in":
        among = joined(",", _parts(node, ("expressions", "query", "unnest", "field")) or [VALUE])
        return Node(f"{BLANK} in {BLANK}", (_node(node.this), among))
    if node.key == "between":
        return Node(
            f"{BLANK} between {BLANK} and {BLANK}", tuple(map(_node, (node.this, node.args["low"], node.args["high"])))
        )
    if isinstance(node, exp.Binary):
        return Node(f"{BLANK} {_SYMBOLS.get(node.key, node.key)} {BLANK}", (_node(node.this), _node(node.expression)))
    return _other(node)


def _other(node: exp.Expression) -> Node:
    """A function, or whatever has no form of its own here: its name and the nodes below it, in order."""
    word = "*" if node.key == "star" else node.name.lower() if node.key == "anonymous" else node.key
    flags = [str(node.args[name]).lower() for name in _FLAGS if isinstance(node.args.get(name), str)]
    flags += [name for name in _FLAGS if node.args.get(name) is True]
    children = tuple(_parts(node))
    return Node(" ".join([word, *flags, *[BLANK] * len(children)]), children)


def _parts(node: exp.Expression, names: tuple[str, ...] | None = None) -> list[Node]:
    """The trees of the nodes below a node, in the order of its arguments."""
    from sqlglot import exp

    found = []
    for name, value in node.args.items():
        if names is None or name in names:
            found += [
                _node(item)
                for item in (value if isinstance(value, list) else [value])
                if isinstance(item, exp.Expression)
            ]
    return found
