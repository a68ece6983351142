"""SQL of a pair -> tokens of a sequence encoder.

Keywords in lower case, names as people say them, aliases replaced by their tables, values word for word. Works on
whole and on partial SQL; a partial one takes its aliases and tables from the whole query that it belongs to.
"""

from dataclasses import dataclass
from functools import lru_cache

from lib.errors import SqlError
from lib.models.names import PLAIN, Scope, Words, is_unknown_alias, scope_with
from lib.splitting import split
from lib.sql_tokens import DIALECTS, SqlToken, lex
from lib.tokens import tokenize

# Words that cannot be an alias behind a table name.
_KEYWORDS = frozenset(
    """select distinct from where group by having order limit offset intersect union except all as on using join inner
    left right full outer cross natural and or not in like between is null exists case when then else end asc desc with
    over partition rows range values""".split()  # noqa: SIM905 (a list of quoted words is harder to read)
)
_SET_WORDS = frozenset(("intersect", "union", "except"))


@dataclass(frozen=True, slots=True)
class _Reading:
    """The tokens of SQL and what each of them is."""

    tokens: list[SqlToken]
    scopes: list[Scope]  # of each token
    tables: set[int]  # positions of the tables of FROM
    dropped: set[int]  # positions of alias definitions, which say nothing


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


def linearise(sql: str, whole: str | None = None, words: Words = PLAIN) -> tuple[str, ...]:
    """Turns SQL into the tokens that a sequence encoder reads.

    Args:
        sql: one query, or a part of one that starts at a clause.
        whole: the query that a partial `sql` belongs to, which says what its aliases stand for.
        words: for the names of its database; without them, names are cut at underscores and capitals.

    Raises:
        SqlError: if the SQL has no clauses.

    >>> " ".join(linearise("SELECT T1.birthDate FROM player AS T1 WHERE T1.hand = 'L'"))
    'select player . birth date from player where player . hand = L'
    >>> " ".join(linearise("WHERE T1.hand = 'L'", whole="SELECT T1.id FROM player AS T1 WHERE T1.hand = 'L'"))
    'where player . hand = L'
    """
    scope = scope_of(whole or sql, words)
    return tuple(word for clause in split(sql) for word in clause_words(clause.sql, scope))


@lru_cache(maxsize=16384)  # a dataset has each clause several times, but not always in pairs that follow each other
def clause_words(sql: str, scope: Scope) -> tuple[str, ...]:
    """The tokens for one clause of a query that reads from the tables of `scope`."""
    reading = _read(sql, scope.words, scope)
    kept = (index for index in range(len(reading.tokens)) if index not in reading.dropped)
    return tuple(word for index in kept for word in _said(reading, index))


@lru_cache(maxsize=16384)
def scope_of(sql: str, words: Words = PLAIN) -> Scope:
    """The tables of the outermost SELECT of a query, to look names up in; the same object for the same tables.

    Raises:
        SqlError: if the SQL cannot be read.
    """
    return scope_with(words, _read(sql, words).scopes[0].tables)


def _read(sql: str, words: Words, outer: Scope | None = None) -> _Reading:
    """Finds the scope of each token."""
    reading = _Reading(read(sql), [], set(), set())
    stack, seen_select, in_from = [Scope(words, outer)], [False], [False]
    for index, token in enumerate(reading.tokens):
        word = token.text.lower() if token.kind == "word" else ""
        if token.kind == "open":
            stack.append(Scope(words, stack[-1]))
            seen_select.append(False)
            in_from.append(False)
        elif token.kind == "close" and len(stack) > 1:
            for pile in (stack, seen_select, in_from):
                pile.pop()
        elif word == "select" or word in _SET_WORDS:
            if seen_select[-1] or word in _SET_WORDS:  # the other side of a set operator has aliases of its own
                stack[-1] = Scope(words, stack[-1].outer)
            seen_select[-1], in_from[-1] = word == "select", False
        elif word in ("from", "join"):
            in_from[-1] = True
        elif word in ("where", "group", "order", "having", "limit"):
            in_from[-1] = False
        if in_from[-1]:
            _define(reading, index, stack[-1])
        reading.scopes.append(stack[-1])
    return reading


def _define(reading: _Reading, index: int, scope: Scope) -> None:
    """Notes a table named at `index` with its alias, or the alias of a query that ends there."""
    tokens = reading.tokens
    if not _is_table(tokens, index) and tokens[index].kind != "close":
        return
    behind = index + 1
    if _word(tokens, behind) == "as":
        behind += 1
    named = behind < len(tokens) and tokens[behind].kind in ("word", "quoted")
    alias = _bare(tokens[behind]) if named and _word(tokens, behind) not in _KEYWORDS else ""
    if _is_table(tokens, index):
        reading.tables.add(index)
        scope.define(_bare(tokens[index]), alias)
    elif not is_unknown_alias(alias):  # a name that somebody chose for a query says something, `T1` does not
        return
    if alias:
        reading.dropped.update(range(index + 1, behind + 1))


def _is_table(tokens: list[SqlToken], index: int) -> bool:
    if index == 0 or tokens[index].kind not in ("word", "quoted") or _word(tokens, index) in _KEYWORDS:
        return False
    before = tokens[index - 1].text.lower()
    return before in ("from", "join", ",")


def _said(reading: _Reading, index: int) -> tuple[str, ...]:
    """The words for one token."""
    token = reading.tokens[index]
    if token.kind == "string":
        return value_words(token.text[1:-1].replace(token.text[0] * 2, token.text[0]))
    if token.kind in ("word", "quoted"):
        return _named(reading, index)
    if token.text == "." and index and _explains_nothing(reading, index - 1):
        return ()
    return (token.text.lower(),)


def _named(reading: _Reading, index: int) -> tuple[str, ...]:
    tokens, scope = reading.tokens, reading.scopes[index]
    token, name = tokens[index], _bare(tokens[index])
    if index + 1 < len(tokens) and tokens[index + 1].text == ".":
        return () if _explains_nothing(reading, index) else scope.words.table(scope.table(name) or name)
    if index > 1 and tokens[index - 1].text == ".":
        owner = _bare(tokens[index - 2])
        return scope.words.column(scope.table(owner) or owner, name)
    if token.kind == "word" and name.lower() in _KEYWORDS:
        return (name.lower(),)
    if index in reading.tables:
        return scope.words.table(name)
    if token.text[0] == '"' and not scope.names_column(name):  # SQLite reads a double-quoted non-name as a value
        return value_words(name)
    return scope.words.column(scope.owner(name), name)


def _explains_nothing(reading: _Reading, index: int) -> bool:
    """An alias without a definition in sight (a part without its whole query) would only be noise."""
    name = _bare(reading.tokens[index])
    return is_unknown_alias(name) and reading.scopes[index].table(name) is None


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
