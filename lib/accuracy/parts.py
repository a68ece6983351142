"""A parsed query -> what it says, clause by clause: sets of canonical items, aliases dropped, nested queries apart.

Our own light qualification instead of sqlglot's optimizer, which is slow and refuses queries whose schema is not whole.
What SQL writes in several ways gets one form: `a BETWEEN 1 AND 2` and `a >= 1 AND a <= 2`, `a IN (1, 2)` and
`a = 1 OR a = 2`, `5 < a` and `a > 5`, `FROM s, t WHERE s.a = t.a` and `JOIN ... ON`, a name and its alias or position
in ORDER BY, columns that an inner join makes equal.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lib.accuracy.forms import NESTED, choice, membership, merge, number
from lib.accuracy.scopes import Scope, key_columns, sources, table_columns
from lib.records import Schema

if TYPE_CHECKING:
    from sqlglot import exp

CLAUSES = ("SELECT", "FROM", "JOIN", "WHERE", "GROUP BY", "HAVING", "ORDER BY", "LIMIT", "SET OPERATOR")

_FLIPPED = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "=": "=", "<>": "<>"}
_NEGATED = {"<": ">=", ">": "<=", "<=": ">", ">=": "<", "=": "<>", "<>": "="}
_COMPARISONS = {"eq": "=", "neq": "<>", "lt": "<", "gt": ">", "lte": "<=", "gte": ">="}
_COMMUTATIVE = {"add": "+", "mul": "*"}
_BINARY = {
    "sub": "-",
    "div": "/",
    "mod": "%",
    "dpipe": "||",
    "like": "LIKE",
    "glob": "GLOB",
    "is": "IS",
    "ilike": "ILIKE",
}
_SPECIAL = frozenset({"and", "or", "not", "in", "between", "exists", "null", "star", "distinct"})
# What a tree carries that says nothing of its meaning here.
_IGNORED = {"nulls_first", "quoted", "typed", "safe", "big_int", "is_left_assoc"}


@dataclass(frozen=True, slots=True)
class Parts:
    """What one query says."""

    items: dict[str, tuple[str, ...]]  # clause -> its items, sorted, repeated ones kept; only clauses that have any
    nested: tuple[tuple[str, Parts], ...]  # queries inside, each with the clause or operand that holds it
    subtrees: Counter[str]  # canonical text of each expression at any depth, how often
    text: str  # canonical text of the whole query


def parts(tree: exp.Query, schema: Schema | None = None) -> Parts:
    """Takes a query apart.

    Args:
        tree: the query, as `sql_parse.parse` gives it; not changed.
        schema: its database, to say whose column is meant; None if unknown.

    Returns:
        Its parts, names in lower case.
    """
    return _query(tree, None, schema, {})


def _query(tree: exp.Expression, outer: Scope | None, schema: Schema | None, ctes: dict[str, exp.Expression]) -> Parts:
    from sqlglot import exp

    while isinstance(tree, exp.Subquery | exp.Paren) and not tree.args.get("limit") and not tree.args.get("order"):
        tree = tree.this
    defined = {cte.alias.lower(): cte.this for cte in tree.args["with_"].expressions} if tree.args.get("with_") else {}
    ctes = {**ctes, **defined}
    if isinstance(tree, exp.SetOperation):
        return _set_operation(tree, outer, schema, ctes)
    if isinstance(tree, exp.Select):
        return _Select(tree, outer, schema, ctes).parts()
    return _other(tree, schema)


def _other(tree: exp.Expression, schema: Schema | None) -> Parts:
    """VALUES, and what else may stand in place of a SELECT."""
    text = " ".join(tree.sql().split())
    return Parts({"SELECT": (text,)}, (), Counter([text]), text)


def _set_operation(tree: exp.SetOperation, outer: Scope | None, schema: Schema | None, ctes: dict) -> Parts:
    name = _operator_name(tree)
    operands = [_query(operand, outer, schema, ctes) for operand in _operands(tree, name)]
    places = ["operand"] * len(operands)
    if name.startswith("EXCEPT"):
        places = ["left operand", "right operand"]
    else:
        operands.sort(key=lambda operand: operand.text)
    reader = _Select(tree, outer, schema, ctes)
    reader.items["SET OPERATOR"] = [name] * (len(operands) - 1)
    reader.tail()
    reader.nested += zip(places, operands, strict=True)
    return reader.finish()


def _operator_name(tree: exp.SetOperation) -> str:
    return tree.key.upper() if tree.args.get("distinct") is not False else f"{tree.key.upper()} ALL"


def _operands(tree: exp.Expression, name: str) -> list[exp.Expression]:
    """The operands of a chain of one associative operator; two for EXCEPT."""
    left, right = tree.this, tree.expression
    plain = not any(left.args.get(key) for key in ("limit", "order", "with_"))
    if type(left) is type(tree) and plain and not name.startswith("EXCEPT") and _operator_name(left) == name:
        return [*_operands(left, name), right]
    return [left, right]


class _Select:
    """Reads one SELECT, or the tail of a set operation; used once."""

    def __init__(self, tree: exp.Expression, outer: Scope | None, schema: Schema | None, ctes: dict):
        self.tree, self.schema, self.ctes = tree, schema, ctes
        self.scope = Scope(outer=outer)
        self.items: dict[str, list[str]] = {}
        self.nested: list[tuple[str, Parts]] = []
        self.subtrees: list[str] = []
        self.place = "SELECT"  # the clause that is being read
        self.outputs: dict[str, exp.Expression] = {}  # alias -> select item

    def parts(self) -> Parts:
        args = self.tree.args
        conditions = self._from()
        selected = [self.text(item) for item in self._at("SELECT", self.tree.expressions)]
        if args.get("distinct"):
            selected.append("DISTINCT")
        self.items["SELECT"] = selected
        self.outputs = {item.alias.lower(): item.this for item in self.tree.expressions if item.alias}
        self.items["WHERE"] = [self.text(condition) for condition in self._at("WHERE", conditions)]
        self.items["WHERE"] = merge(self.items["WHERE"])
        if args.get("group"):
            keys = [self._output(key) for key in args["group"].expressions]
            self.items["GROUP BY"] = sorted({self.text(key) for key in self._at("GROUP BY", keys)})
        if args.get("having"):
            found = [self.text(condition) for condition in self._at("HAVING", self._conjuncts(args["having"].this))]
            self.items["HAVING"] = merge(found)
        self.tail()
        return self.finish()

    def _at(self, place: str, nodes) -> list:
        self.place = place
        return nodes

    def _from(self) -> list:
        """Reads the sources and joins; returns the conjuncts that belong to WHERE."""
        where = self.tree.args.get("where")
        found = sources(self.tree)
        self.place = "FROM"
        names = [self._source(source) for source, _ in found]
        self.items["FROM"] = names
        loose = [*self._conjuncts(where.this)] if where else []
        inner, joined = [], []
        for name, (_, join) in zip(names, found, strict=True):
            if join is None:
                continue
            conditions = [*self._conjuncts(join.args["on"])] if join.args.get("on") else []
            if join.side or join.args.get("method"):
                words = f"{join.args.get('method') or ''} {join.side} JOIN".strip()
                self.place = "JOIN"
                joined += [f"{words} {name}", *(f"{words} ON {self.text(item)}" for item in conditions)]
            else:
                inner += conditions
            joined += [f"USING {key.name.lower()}" for key in join.args.get("using") or ()]
        return self._split_joins([*inner, *loose], joined, bool(joined))

    def _split_joins(self, conditions: list, joined: list[str], outer_joins: bool) -> list:
        """An equality of columns of two sources is a join wherever it stands; all else is a WHERE."""
        pairs, rest = [], []
        for condition in conditions:
            pair = self._column_pair(condition)
            if pair:
                pairs.append(pair)
            else:
                rest.append(condition)
        self.place = "JOIN"
        self.items["JOIN"] = sorted([*joined, *(f"{left} = {right}" for left, right in pairs)])
        self.subtrees += [f"{left} = {right}" for left, right in pairs]
        if not outer_joins:
            self.scope.join_equal(pairs, key_columns(self.schema) if self.schema else frozenset())
        return rest

    def _column_pair(self, condition: exp.Expression) -> tuple[str, str] | None:
        from sqlglot import exp

        if not (isinstance(condition, exp.EQ) and isinstance(condition.this, exp.Column)):
            return None
        if not isinstance(condition.expression, exp.Column):
            return None
        left, right = sorted((self._column(condition.this), self._column(condition.expression)))
        owners = left.rpartition(".")[0], right.rpartition(".")[0]
        own = all(owner in self.scope.columns for owner in owners)
        return (left, right) if own and owners[0] != owners[1] else None

    def _source(self, source: exp.Expression) -> str:
        from sqlglot import exp

        alias = (source.alias or source.name or "").lower()
        if isinstance(source, exp.Table) and source.name.lower() not in self.ctes:
            known = table_columns(self.schema).get(source.name.lower()) if self.schema else None
            return self.scope.add(alias, source.name.lower() or "source", known)
        ctes = self.ctes
        if isinstance(source, exp.Table):
            query = ctes[source.name.lower()]
            ctes = {name: tree for name, tree in ctes.items() if name != source.name.lower()}  # recursion ends here
        else:
            query = source.this if isinstance(source, exp.Subquery | exp.Lateral) else source
        self.nested.append(("FROM", _query(query, self.scope, self.schema, ctes)))
        outputs = {item.alias_or_name.lower() for item in getattr(query, "selects", None) or ()}
        return self.scope.add(alias, NESTED, frozenset(outputs) if outputs and "*" not in outputs else None)

    def tail(self) -> None:
        """ORDER BY, LIMIT and OFFSET."""
        args = self.tree.args
        self.place = "ORDER BY"
        if args.get("order"):
            keys = [self._sort_key(key) for key in args["order"].expressions]
            self.items["ORDER BY"] = [key for index, key in enumerate(keys) if key not in keys[:index]]
        self.place = "LIMIT"
        limits = [(name, args[name]) for name in ("limit", "offset") if args.get(name)]
        self.items["LIMIT"] = [f"{name.upper()} {self._bound(node)}" for name, node in limits]

    def _bound(self, node: exp.Expression) -> str:
        value = node.args.get("expression") or node.args.get("count")
        return self.text(value) if value is not None else "1"

    def _sort_key(self, key: exp.Expression) -> str:
        from sqlglot import exp

        inner = key.this if isinstance(key, exp.Ordered) else key
        return f"{self.text(self._output(inner))} {'DESC' if key.args.get('desc') else 'ASC'}"

    def _output(self, node: exp.Expression) -> exp.Expression:
        """The select item that an alias or a position means, else the node itself."""
        from sqlglot import exp

        if isinstance(node, exp.Literal) and not node.is_string and node.name.isdecimal():
            items = getattr(self.tree, "selects", [])
            place = int(node.name) - 1
            return items[place].unalias() if 0 <= place < len(items) else node
        if isinstance(node, exp.Column) and not node.table:
            return self.outputs.get(node.name.lower(), node)
        return node

    def finish(self) -> Parts:
        """Freezes what was read. Sort keys keep their order: each carries the number of its place."""
        items = {name: tuple(sorted(found)) for name, found in self.items.items() if found}
        if len(self.items.get("ORDER BY", ())) > 1:
            items["ORDER BY"] = tuple(f"{index + 1}. {key}" for index, key in enumerate(self.items["ORDER BY"]))
        ordered = {name: items[name] for name in CLAUSES if name in items}
        nested = tuple(self.nested)
        words = [f"{name} {', '.join(found)}" for name, found in ordered.items()]
        text = " ".join([*words, *(f"({place}: {query.text})" for place, query in nested)])
        subtrees = Counter(self.subtrees)
        for clause, found in ordered.items():
            subtrees.update(f"{clause}: {item}" for item in found)
        for place, query in nested:
            subtrees.update(query.subtrees)
            subtrees[f"{place}: {query.text}"] += 1
        return Parts(ordered, nested, subtrees, text)

    def _conjuncts(self, node: exp.Expression) -> list[exp.Expression]:
        """The conditions that all must hold."""
        from sqlglot import exp

        found, stack = [], [node]
        while stack:
            current = stack.pop()
            if isinstance(current, exp.Paren):
                stack.append(current.this)
            elif isinstance(current, exp.And):
                stack += [current.expression, current.this]
            elif isinstance(current, exp.Between):  # copies: a new parent would take the nodes from the tree
                subject, low, high = (current.args[name].copy() for name in ("this", "low", "high"))
                found += [exp.GTE(this=subject, expression=low), exp.LTE(this=subject.copy(), expression=high)]
            else:
                found.append(current)
        return found

    def _column(self, node: exp.Column) -> str:
        return self.scope.qualify(node.table.lower(), node.name.lower())

    def text(self, node: exp.Expression) -> str:
        """The canonical text of an expression; every subtree is noted."""
        text = self._text(node)
        self.subtrees.append(text)
        return text

    def _text(self, node: exp.Expression) -> str:
        from sqlglot import exp

        if isinstance(node, exp.Column):
            return self._column(node)
        if isinstance(node, exp.Literal):
            return "'" + node.name.replace("'", "''") + "'" if node.is_string else number(node.name)
        if isinstance(node, exp.Alias | exp.Paren):
            return self._text(node.this)
        if isinstance(node, exp.Query):
            self.nested.append((self.place, _query(node, self.scope, self.schema, self.ctes)))
            return NESTED
        special = getattr(self, f"_{node.key}", None) if node.key in _SPECIAL else None
        if special:
            return special(node)
        if node.key in _COMPARISONS:
            return self._comparison(node, _COMPARISONS[node.key])
        if node.key in _COMMUTATIVE:
            return f" {_COMMUTATIVE[node.key]} ".join(sorted(self.text(item) for item in node.flatten()))
        if node.key in _BINARY:
            return f"{self.text(node.this)} {_BINARY[node.key]} {self.text(node.expression)}"
        return self._call(node)

    def _comparison(self, node: exp.Expression, operator: str) -> str:
        from sqlglot import exp

        left, right = self.text(node.this), self.text(node.expression)
        fixed = [isinstance(side, exp.Literal | exp.Query) for side in (node.this, node.expression)]
        if fixed[0] > fixed[1] or (fixed[0] == fixed[1] and right < left):
            left, right, operator = right, left, _FLIPPED[operator]
        return f"{left} {operator} {right}"

    def _and(self, node: exp.Expression) -> str:
        found = merge(sorted({self.text(item) for item in self._conjuncts(node)}))
        return found[0] if len(found) == 1 else f"({' AND '.join(found)})"

    _between = _and

    def _or(self, node: exp.Expression) -> str:
        choices: dict[str, list[str]] = {}
        rest = set()
        for item in node.flatten():
            text = self.text(item)
            column, values = choice(text)
            if column:
                choices.setdefault(column, []).extend(values)
            else:
                rest.add(text)
        found = [*(membership(column, values) for column, values in choices.items()), *rest]
        return found[0] if len(found) == 1 else f"({' OR '.join(sorted(found))})"

    def _not(self, node: exp.Expression) -> str:
        from sqlglot import exp

        inner = node.this.unnest()
        if isinstance(inner, exp.Not):
            return self.text(inner.this)
        if inner.key in _COMPARISONS:
            return self._comparison(inner, _NEGATED[_COMPARISONS[inner.key]])
        text = self.text(inner)
        for word in ("IN", "LIKE", "IS"):
            head, found, rest = text.partition(f" {word} ")
            if inner.key == word.lower() and found:
                return f"{head} IS NOT {rest}" if word == "IS" else f"{head} NOT {word} {rest}"
        return f"NOT {text}"

    def _in(self, node: exp.Expression) -> str:
        subject = self.text(node.this)
        if node.args.get("query"):
            return f"{subject} IN {self.text(node.args['query'])}"
        return membership(subject, [self.text(item) for item in node.expressions])

    def _exists(self, node: exp.Expression) -> str:
        return f"EXISTS {self.text(node.this)}"

    def _null(self, node: exp.Expression) -> str:
        return "NULL"

    def _star(self, node: exp.Expression) -> str:
        return "*"

    def _distinct(self, node: exp.Expression) -> str:
        return f"DISTINCT {', '.join(self.text(item) for item in node.expressions)}"

    def _call(self, node: exp.Expression) -> str:
        """Functions and all other nodes: their name and their arguments."""
        from sqlglot import exp

        found = []
        for name, value in node.args.items():
            if name in _IGNORED or value is None or value is False or value == []:
                continue
            for item in value if isinstance(value, list) else (value,):
                found.append(self.text(item) if isinstance(item, exp.Expression) else str(item).lower())
        name = node.key.upper() if not isinstance(node, exp.Anonymous) else str(found.pop(0)).upper()
        return f"{name}({', '.join(found)})" if found or isinstance(node, exp.Func) else name
