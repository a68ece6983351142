"""Atoms and trees of SQL as Shaw et al. (2021) define them for Spider-SSP.

Their grammar is written for the queries of Spider-SSP, in which each has exactly one tree; this reader gives the same
trees by descent. It also takes what other corpora need (IS NULL, outer joins, several tables in FROM, nested
conditions), in the manner of the grammar. A rule of one part ("an expression is an atom") makes no node.
"""

from collections.abc import Callable

from lib.errors import SqlError
from lib.partition.nodes import BLANK, Node, joined
from lib.partition.template import sql_tokens
from lib.sql_tokens import SqlToken

_PAIRS = {("group", "by"), ("order", "by"), ("not", "like")}  # one token each in the published tokenizer
_SET_OPERATORS = ("union", "intersect", "except")
_JOINS = ("join", "left", "right", "inner", "outer", "cross", "natural", "full")
_COMPARISONS = ("=", "!=", "<>", ">", "<", ">=", "<=", "==", "like", "not like", "in", "is")
_ARITHMETIC = ("+", "-", "*", "/", "||", "%")
_ENDS = {
    "", ")", ",", "from", "where", "group by", "order by", "having", "limit", "on", "and", "or", "as", "asc", "desc",
    "between", "not", "offset", "when", "then", "else", "end",
}.union(_SET_OPERATORS, _JOINS, _COMPARISONS, _ARITHMETIC)  # fmt: skip


def atoms(query: str) -> tuple[str, ...]:
    """The distinct tokens of a query, sorted.

    >>> atoms("SELECT a FROM t GROUP BY a")
    ('a', 'from', 'group by', 'select', 't')
    """
    return tuple(sorted({text for text, _ in _words(query)}))


def read(query: str) -> Node:
    """The tree of a query.

    Raises:
        SqlError: if the query is outside the grammar.

    >>> read("SELECT count(*) FROM t LIMIT 3").label
    '___ limit ___'
    """
    reader = _Reader(query)
    try:
        tree = reader.query()
    except RecursionError as error:
        raise SqlError("cannot take the SQL apart: it is nested too deeply") from error
    if reader.next:
        reader.fail()
    return tree


def _words(query: str) -> list[tuple[str, SqlToken]]:
    words: list[tuple[str, SqlToken]] = []
    for token in sql_tokens(query):
        if words and (words[-1][0], token.text) in _PAIRS:
            words[-1] = (f"{words[-1][0]} {token.text}", words[-1][1])
        else:
            words.append((token.text, token))
    return words


class _Reader:
    """Reads one query from left to right."""

    def __init__(self, query: str):
        self._query = query
        self._words = _words(query)
        self._place = 0

    @property
    def next(self) -> str:
        """The word to be read; "" at the end."""
        return self._words[self._place][0] if self._place < len(self._words) else ""

    def fail(self):
        """Raises the error that the next word is out of place."""
        if not self.next:
            raise SqlError("the published definition cannot read the SQL: it ends too early")
        start, text = self._words[self._place][1].start, " ".join(self._query.split())
        raise SqlError(f"the published definition cannot read the SQL: '{self.next}' is out of place", text, start)

    def take(self, *known: str) -> str:
        """Reads one word; if any are given, it must be one of them."""
        if not self.next or (known and self.next not in known):
            self.fail()
        self._place += 1
        return self._words[self._place - 1][0]

    def found(self, *words: str) -> str:
        """Reads the next word if it is one of these, else nothing."""
        return self.take() if self.next in words else ""

    def query(self) -> Node:
        tree = self._select()
        while operator := self.found(*_SET_OPERATORS):
            operator += " all" if self.found("all") else ""
            tree = Node(f"{BLANK} {operator} {BLANK}", (tree, self._select()))
        return tree

    def _select(self) -> Node:
        if self.found("("):
            return self._closed(self.query())
        self.take("select")
        distinct = " distinct" if self.found("distinct") else ""
        items = self._listed(self._item)
        if not self.found("from"):
            return Node(f"select{distinct} {BLANK}", (items,))
        tree = Node(f"select{distinct} {BLANK} from {BLANK}", (items, self._from()))
        readers = {
            "where": self._condition,
            "group by": lambda: self._listed(self._atom),
            "having": self._condition,
            "order by": lambda: self._listed(self._ordered),
            "limit": self._atom,
            "offset": self._atom,
        }
        while keyword := self.found(*readers):
            tree = Node(f"{BLANK} {keyword} {BLANK}", (tree, readers[keyword]()))
        return tree

    def _listed(self, read_one: Callable[[], Node]) -> Node:
        nodes = [read_one()]
        while self.found(","):
            nodes.append(read_one())
        return joined(",", nodes)

    def _closed(self, inner: Node) -> Node:
        self.take(")")
        return Node(f"( {BLANK} )", (inner,))

    def _item(self) -> Node:
        return self._named(self._condition())

    def _named(self, node: Node) -> Node:
        if self.found("as"):
            return Node(f"{BLANK} as {BLANK}", (node, Node(self.take())))
        if self.next not in _ENDS:  # an alias without AS
            return Node(f"{BLANK} {BLANK}", (node, Node(self.take())))
        return node

    def _from(self) -> Node:
        tree = self._source()
        while True:
            if self.found(","):
                tree = Node(f"{BLANK} , {BLANK}", (tree, self._source()))
            elif self.next in _JOINS:
                words = [self.take()]
                while words[-1] != "join":
                    words.append(self.take(*_JOINS))
                tree = Node(f"{BLANK} {' '.join(words)} {BLANK}", (tree, self._joined()))
            else:
                return tree

    def _joined(self) -> Node:
        source = self._source()
        return Node(f"{BLANK} on {BLANK}", (source, self._condition())) if self.found("on") else source

    def _source(self) -> Node:
        return self._named(self._closed(self.query()) if self.found("(") else self._name())

    def _condition(self) -> Node:
        tree = self._comparison()
        while word := self.found("and", "or"):
            tree = Node(f"{BLANK} {word} {BLANK}", (tree, self._comparison()))
        return tree

    def _comparison(self) -> Node:
        if word := self.found("not", "exists"):
            return Node(f"{word} {BLANK}", (self._comparison(),))
        left = self._atom()
        negated = self._negation()
        if self.found("between"):
            minus = "- " if self.found("-") else ""
            low = self._atom()
            self.take("and")
            between = Node(f"{negated}between {minus}{BLANK} and {BLANK}", (low, self._atom()))
            return Node(f"{BLANK} {BLANK}", (left, between))
        if operator := self.found(*_COMPARISONS):
            operator += " not" if operator == "is" and self.found("not") else ""
            return Node(f"{BLANK} {negated}{operator} {BLANK}", (left, self._atom()))
        return left if not negated else self.fail()

    def _negation(self) -> str:
        return "not " if self.found("not") else ""

    def _ordered(self) -> Node:
        node = self._comparison()
        direction = self.found("asc", "desc")
        return Node(f"{BLANK} {direction}", (node,)) if direction else node

    def _atom(self) -> Node:
        left = self._operand()
        while operator := self.found(*_ARITHMETIC):
            left = Node(f"{BLANK} {operator} {BLANK}", (left, self._operand()))
        return left

    def _operand(self) -> Node:
        if self.found("("):
            return self._closed(self.query() if self.next == "select" else self._listed(self._condition))
        if self.found("-"):
            return Node(f"- {BLANK}", (self._operand(),))
        return self._name()

    def _name(self) -> Node:
        if self.next in _ENDS and self.next != "*":
            self.fail()
        word = self.take()
        if self.found("("):
            distinct = "distinct " if self.found("distinct") else ""
            if self.found(")"):
                return Node(f"{word} ( )")
            inner = self._listed(self._condition)
            self.take(")")
            return Node(f"{word} ( {distinct}{BLANK} )", (inner,))
        tree = Node(word)
        while self.found("."):
            tree = Node(f"{BLANK} . {BLANK}", (tree, Node(self.take())))
        return tree
