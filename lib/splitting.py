"""SQL -> clauses (paper 3.1): cut at the top-level keywords, never inside anything nested.

FROM and joins stay with SELECT, HAVING with GROUP BY, LIMIT with ORDER BY (else with the clause before it). A set
operator and everything after it is one clause.
"""

from itertools import pairwise

from lib.errors import SqlError
from lib.records import KINDS, SET_OPERATORS, Clause
from lib.sql_tokens import DIALECTS, SqlToken, lex

_ORDER = {kind: rank for rank, kind in enumerate(KINDS)}
QUERY_STARTS = {"SELECT", "WITH", "VALUES", "FROM", "TABLE"}
_SET_MODIFIERS = {"ALL", "DISTINCT", "BY", "NAME"}
_CLOSES = {"(": ")", "[": "]", "{": "}"}


def split(query: str, dialect: str = "auto") -> tuple[Clause, ...]:
    """Cuts a query, or a part of one that starts at a clause, into clauses.

    Args:
        query: one SQL query; a closing semicolon and comments are dropped.
        dialect: one of `sql_tokens.DIALECTS`, or `auto`: the first of them that reads the query.

    Raises:
        SqlError: if the text is empty, not a query, several statements, or has unbalanced brackets.
        ParameterError: if the dialect is unknown.

    >>> [(clause.kind, clause.sql) for clause in split("SELECT a FROM t WHERE b = 'x' ORDER BY a LIMIT 3;")]
    [('SELECT', 'SELECT a FROM t'), ('WHERE', "WHERE b = 'x'"), ('ORDER BY', 'ORDER BY a LIMIT 3')]
    """
    if dialect != "auto":
        return _split(query, dialect)
    first_error = None
    for candidate in DIALECTS:
        try:
            return _split(query, candidate)
        except SqlError as error:
            first_error = first_error or error
    assert first_error is not None
    raise first_error


def _split(query: str, dialect: str) -> tuple[Clause, ...]:
    tokens = _unwrap(_one_statement(query, lex(query, dialect)))
    if not tokens:
        raise SqlError("no SQL: the text is empty or holds comments only; give one query")
    depths = _depths(query, tokens)
    cuts = _cuts(query, tokens, depths)
    ends = [start for start, _ in cuts[1:]] + [len(tokens)]
    return tuple(_clause(kind, tokens[start:end]) for (start, kind), end in zip(cuts, ends, strict=True))


def _one_statement(query: str, tokens: list[SqlToken]) -> list[SqlToken]:
    while tokens and tokens[-1].kind == "end":
        tokens = tokens[:-1]
    for token in tokens:
        if token.kind == "end":
            raise SqlError("more than one statement: give one query", query, token.start)
    return tokens


def _depths(query: str, tokens: list[SqlToken]) -> list[int]:
    """Nesting depth of each token; a bracket counts as inside."""
    depths, stack = [], []
    for token in tokens:
        if token.kind == "open":
            stack.append(token)
        depths.append(len(stack))
        if token.kind == "close":
            if not stack or _CLOSES[stack[-1].text] != token.text:
                raise SqlError(f"'{token.text}' closes nothing", query, token.start)
            stack.pop()
    if stack:
        raise SqlError(f"'{stack[-1].text}' is never closed", query, stack[-1].start)
    return depths


def _unwrap(tokens: list[SqlToken]) -> list[SqlToken]:
    """Drops brackets around the whole query, which say nothing."""
    while len(tokens) > 2 and tokens[0].text == "(" and _matching(tokens) == len(tokens) - 1:
        tokens = tokens[1:-1]
    return tokens


def _matching(tokens: list[SqlToken]) -> int:
    depth = 0
    for index, token in enumerate(tokens):
        depth += (token.kind == "open") - (token.kind == "close")
        if depth == 0:
            return index
    return -1


def _cuts(query: str, tokens: list[SqlToken], depths: list[int]) -> list[tuple[int, str]]:
    """Index and kind of the first token of each clause."""
    cuts: list[tuple[int, str]] = []
    for index, token in enumerate(tokens):
        if depths[index] or token.kind != "word":
            continue
        kind = _opens(tokens, index)
        if kind:
            cuts.append((index, kind))
            if kind in SET_OPERATORS:
                break
    return _checked(query, tokens, _with_prefix(query, tokens, cuts))


def _with_prefix(query: str, tokens: list[SqlToken], cuts: list[tuple[int, str]]) -> list[tuple[int, str]]:
    """What stands before the first keyword (WITH, DuckDB's leading FROM, a bracketed operand) belongs to SELECT."""
    first = tokens[0]
    if cuts and cuts[0][0] == 0:
        return cuts
    if first.text.upper() not in QUERY_STARTS and first.text != "(":
        raise SqlError(
            f"not a query: it starts with '{first.text}', not with SELECT or another clause", query, first.start
        )
    if cuts and cuts[0][1] == "SELECT":
        return [(0, "SELECT"), *cuts[1:]]
    return [(0, "SELECT"), *cuts]


def _checked(query: str, tokens: list[SqlToken], cuts: list[tuple[int, str]]) -> list[tuple[int, str]]:
    for (_, before), (index, kind) in pairwise(cuts):
        if _ORDER[kind] <= _ORDER[before]:
            raise SqlError(f"{kind} cannot follow {before}", query, tokens[index].start)
    return cuts


def _opens(tokens: list[SqlToken], index: int) -> str | None:
    """The kind of clause that a top-level word opens, or None."""
    if index and tokens[index - 1].text == ".":  # a column that is called like a keyword
        return None
    word = tokens[index].text.upper()
    if word in ("SELECT", "WHERE"):
        return word
    if word in ("GROUP", "ORDER"):
        return f"{word} BY" if _word(tokens, index + 1) == "BY" else None
    if word in SET_OPERATORS and _operand_follows(tokens, index + 1):
        return word
    return None


def _operand_follows(tokens: list[SqlToken], index: int) -> bool:
    """Tells a set operator from `SELECT * EXCEPT (a)` and the like."""
    while _word(tokens, index) in _SET_MODIFIERS:
        index += 1
    while index < len(tokens) and tokens[index].text == "(":
        index += 1
    return _word(tokens, index) in QUERY_STARTS


def _word(tokens: list[SqlToken], index: int) -> str:
    return tokens[index].text.upper() if index < len(tokens) and tokens[index].kind == "word" else ""


def _clause(kind: str, tokens: list[SqlToken]) -> Clause:
    return Clause(kind, " ".join(token.text for token in tokens), tokens[0].start, tokens[-1].stop)
