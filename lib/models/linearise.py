"""SQL of a pair -> tokens of a sequence encoder.

Keywords in lower case, names as words (`birth_date`: birth date), aliases replaced by their tables, values word for
word. Works on whole and on partial SQL; a partial one takes its aliases from the whole query that it belongs to.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from lib.errors import SqlError
from lib.records import Pair, Schema
from lib.sql_tokens import DIALECTS, SqlToken, lex
from lib.tokens import tokenize

# Words that cannot be an alias behind a table name.
_KEYWORDS = frozenset(
    """select distinct from where group by having order limit offset intersect union except all as on using join inner
    left right full outer cross natural and or not in like between is null exists case when then else end asc desc with
    over partition rows range values""".split()  # noqa: SIM905 (a list of quoted words is harder to read)
)
_SET_WORDS = frozenset(("intersect", "union", "except"))
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_ALIAS = re.compile(r"t\d+", re.IGNORECASE)


@dataclass
class _Scope:
    """One SELECT: the tables that its aliases stand for, and the SELECT around it."""

    outer: "_Scope | None" = None
    aliases: dict[str, str] = field(default_factory=dict)

    def table(self, name: str) -> str | None:
        scope: _Scope | None = self
        while scope is not None:
            if name in scope.aliases:
                return scope.aliases[name]
            scope = scope.outer
        return None


def read(sql: str) -> list[SqlToken]:
    """Lexes SQL in the first dialect that reads it.

    Raises:
        SqlError: if none does, or there is no token.
    """
    first: SqlError | None = None
    for dialect in DIALECTS:
        try:
            tokens = [token for token in lex(sql, dialect) if token.kind != "end"]
        except SqlError as error:
            first = first or error
            continue
        if not tokens:
            raise SqlError("no SQL: the text is empty or holds comments only; give one query or a part of one")
        return tokens
    assert first is not None
    raise first


def linearise(sql: str, schema: Schema | None = None, whole: str | None = None) -> tuple[str, ...]:
    """Turns SQL into the tokens that a sequence encoder reads.

    Args:
        sql: one query, or a part of one that starts at a clause.
        schema: gives the natural words of names; without it they are cut at underscores and capitals.
        whole: the query that a partial `sql` belongs to, which says what its aliases stand for.

    Raises:
        SqlError: if the SQL cannot be read.

    >>> " ".join(linearise("SELECT T1.birthDate FROM player AS T1 WHERE T1.hand = 'L'"))
    'select player . birth date from player where player . hand = L'
    >>> " ".join(linearise("WHERE T1.hand = 'L'", whole="SELECT T1.id FROM player AS T1 WHERE T1.hand = 'L'"))
    'where player . hand = L'
    """
    outer = _Scope(aliases=top_aliases(whole)) if whole else None
    tokens = read(sql)
    scopes, dropped = _scopes(tokens, outer)
    words = _Words(schema)
    result: list[str] = []
    for index, token in enumerate(tokens):
        if index in dropped:
            continue
        result += _said(tokens, index, token, scopes[index], words)
    return tuple(result)


def top_aliases(sql: str) -> dict[str, str]:
    """The aliases of the outermost SELECT, lower case, with their tables."""
    tokens = read(sql)
    scopes, _ = _scopes(tokens, None)
    return scopes[0].aliases


def _scopes(tokens: list[SqlToken], outer: _Scope | None) -> tuple[list[_Scope], set[int]]:
    """The scope of each token, and the tokens of alias definitions, which say nothing."""
    stack, scopes, dropped = [_Scope(outer)], [], set()
    seen_select = [False]
    in_from = [False]
    for index, token in enumerate(tokens):
        word = token.text.lower() if token.kind == "word" else ""
        if token.kind == "open":
            stack.append(_Scope(stack[-1]))
            seen_select.append(False)
            in_from.append(False)
        elif token.kind == "close" and len(stack) > 1:
            for pile in (stack, seen_select, in_from):
                pile.pop()
        elif word == "select" or word in _SET_WORDS:
            if seen_select[-1] or word in _SET_WORDS:  # the other side of a set operator has aliases of its own
                stack[-1] = _Scope(stack[-1].outer)
            seen_select[-1], in_from[-1] = word == "select", False
        elif word in ("from", "join"):
            in_from[-1] = True
        elif word in ("where", "group", "order", "having", "limit"):
            in_from[-1] = False
        if in_from[-1]:
            dropped |= _define(tokens, index, stack[-1])
        scopes.append(stack[-1])
    return scopes, dropped


def _define(tokens: list[SqlToken], index: int, scope: _Scope) -> set[int]:
    """Notes the alias of a table named at `index`; returns the positions of the definition."""
    if not _is_table(tokens, index):
        return set()
    behind = index + 1
    if _word(tokens, behind) == "as":
        behind += 1
    if behind >= len(tokens) or tokens[behind].kind not in ("word", "quoted") or _word(tokens, behind) in _KEYWORDS:
        return set()
    scope.aliases[_bare(tokens[behind]).lower()] = _bare(tokens[index])
    return set(range(index + 1, behind + 1))


def _is_table(tokens: list[SqlToken], index: int) -> bool:
    if index == 0 or tokens[index].kind not in ("word", "quoted") or _word(tokens, index) in _KEYWORDS:
        return False
    before = tokens[index - 1].text.lower()
    return before in ("from", "join", ",")


def _said(tokens: list[SqlToken], index: int, token: SqlToken, scope: _Scope, words: "_Words") -> list[str]:
    """The words for one token."""
    if token.kind == "string":
        return list(value_words(token.text[1:-1].replace(token.text[0] * 2, token.text[0])))
    if token.kind in ("word", "quoted"):
        return _named(tokens, index, token, scope, words)
    if token.text == "." and index and _unknown_alias(tokens, index - 1, scope):
        return []
    return [token.text.lower()]


def _named(tokens: list[SqlToken], index: int, token: SqlToken, scope: _Scope, words: "_Words") -> list[str]:
    name = _bare(token)
    dotted = index + 1 < len(tokens) and tokens[index + 1].text == "."
    if dotted:
        if _unknown_alias(tokens, index, scope):
            return []
        return words.table(scope.table(name.lower()) or name)
    if index > 1 and tokens[index - 1].text == ".":
        owner = _bare(tokens[index - 2])
        return words.column(scope.table(owner.lower()) or owner, name)
    if token.kind == "word" and name.lower() in _KEYWORDS:
        return [name.lower()]
    if token.kind == "quoted" and not words.knows(name):  # SQLite reads a double-quoted non-name as a value
        return list(value_words(name))
    if index and tokens[index - 1].text.lower() in ("from", "join"):
        return words.table(name)
    return words.column(None, name)


def _unknown_alias(tokens: list[SqlToken], index: int, scope: _Scope) -> bool:
    """An alias without a definition in sight (a part without its whole query) would only be noise."""
    name = _bare(tokens[index])
    return is_unknown_alias(name) and scope.table(name.lower()) is None


def is_unknown_alias(name: str) -> bool:
    """Whether a name that no definition explains looks like an alias: `T1`.

    >>> is_unknown_alias("T1"), is_unknown_alias("team")
    (True, False)
    """
    return bool(_ALIAS.fullmatch(name))


def _word(tokens: list[SqlToken], index: int) -> str:
    return tokens[index].text.lower() if index < len(tokens) and tokens[index].kind == "word" else ""


def _bare(token: SqlToken) -> str:
    return token.text[1:-1] if token.kind == "quoted" else token.text


def value_words(value: str) -> tuple[str, ...]:
    """The words of a value, as a question would spell them; wildcards of LIKE stay apart.

    >>> value_words("%New York%")
    ('%', 'New', 'York', '%')
    """
    return tokenize(value) or ("''",)  # an empty value is said somehow


class _Words:
    """Names of a schema -> their natural words."""

    def __init__(self, schema: Schema | None):
        self._tables: dict[str, str] = {}
        self._columns: dict[tuple[str | None, str], str] = {}
        if schema is None:
            return
        self._tables = {name.lower(): said for name, said in zip(schema.tables, schema.natural_tables, strict=True)}
        for column in schema.columns:
            self._columns[schema.tables[column.table].lower(), column.name.lower()] = column.natural
            self._columns.setdefault((None, column.name.lower()), column.natural)

    def knows(self, name: str) -> bool:
        """Whether a double-quoted text names something; without a schema, it is taken for a value."""
        return name.lower() in self._tables or (None, name.lower()) in self._columns

    def table(self, name: str) -> list[str]:
        said = self._tables.get(name.lower())
        return said.lower().split() if said else name_words(name)

    def column(self, table: str | None, name: str) -> list[str]:
        key = name.lower()
        said = self._columns.get((table.lower() if table else None, key)) or self._columns.get((None, key))
        said = said or (self._tables.get(key) if table is None else None)
        return said.lower().split() if said else name_words(name)


def name_words(name: str) -> list[str]:
    """Cuts a name at underscores and capitals.

    >>> name_words("birth_date"), name_words("birthDate"), name_words("HTMLPage")
    (['birth', 'date'], ['birth', 'date'], ['html', 'page'])
    """
    return [part.lower() for part in _CAMEL.sub("_", name).replace(" ", "_").split("_") if part] or [name.lower()]


def whole_queries(pairs: Iterable[Pair]) -> dict[str, str]:
    """The longest SQL of each example: its whole query, unless a partition took that away."""
    longest: dict[str, Pair] = {}
    for pair in pairs:
        best = longest.get(pair.example_id)
        if best is None or pair.n_clauses > best.n_clauses:
            longest[pair.example_id] = pair
    return {example_id: pair.sql for example_id, pair in longest.items()}
