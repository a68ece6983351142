"""SQL -> clauses (paper 3.1): cut at the top-level keywords, never inside anything nested.

FROM and joins stay with SELECT, HAVING with GROUP BY, LIMIT with ORDER BY (else with the clause before it). A set
operator and everything after it is one clause.
"""

import re
from functools import lru_cache
from itertools import pairwise

from lib.errors import SqlError
from lib.records import KINDS, SET_OPERATORS, Clause
from lib.sql_tokens import DIALECTS, SqlToken, lex

_ORDER = {kind: rank for rank, kind in enumerate(KINDS)}
QUERY_STARTS = {"SELECT", "WITH", "VALUES", "FROM", "TABLE"}
_LEADS_TO_SELECT = {"WITH", "FROM"}  # common table expressions; DuckDB's leading FROM
_CHANGES_DATA = {"INSERT", "UPDATE", "DELETE", "MERGE", "REPLACE"}
_KEYWORDS = {"SELECT", "WHERE", "GROUP", "ORDER", *SET_OPERATORS}
_SET_MODIFIERS = {"ALL", "DISTINCT", "BY", "NAME"}
_CLOSES = {"(": ")", "[": "]", "{": "}"}
# A `#` begins a comment in MySQL. In PostgreSQL it is a rare operator, in DuckDB `#1` is a column's position.
_HASH_COMMENT = re.compile(r"#(?![>\-#\d])")
_HASH_ORDER = ("sqlite", "mysql", "postgres", "duckdb")


@lru_cache(maxsize=64)  # corpora split a query to check it and hand it on; Spider asks most queries twice in a row
def split(query: str, dialect: str = "auto") -> tuple[Clause, ...]:
    """Cuts a query, or a part of one that starts at a clause, into clauses.

    Args:
        query: one SQL query; semicolons around it, comments and brackets around the whole are dropped.
        dialect: one of `sql_tokens.DIALECTS`, or `auto`: the first of them that reads the query.

    Raises:
        SqlError: if the text is empty, not a query, several statements, or has unbalanced brackets.
        ParameterError: if the dialect is unknown.

    >>> [(clause.kind, clause.sql) for clause in split("SELECT a FROM t WHERE b = 'x' ORDER BY a LIMIT 3;")]
    [('SELECT', 'SELECT a FROM t'), ('WHERE', "WHERE b = 'x'"), ('ORDER BY', 'ORDER BY a LIMIT 3')]
    """
    if dialect != "auto":
        return _split(query, dialect)
    errors = []
    for candidate in _HASH_ORDER if _HASH_COMMENT.search(query) else DIALECTS:
        try:
            return _split(query, candidate)
        except SqlError as error:
            errors.append(error)
    raise max(errors, key=lambda error: error.position or 0)  # of the dialect that came furthest


def _split(query: str, dialect: str) -> tuple[Clause, ...]:
    tokens = _one_statement(query, lex(query, dialect))
    if not tokens:
        raise SqlError("no SQL: the text is empty or holds comments only; give one query")
    depths, outer = _nesting(query, tokens)
    if outer:
        tokens, depths = tokens[outer:-outer], [depth - outer for depth in depths[outer:-outer]]
    cuts = _checked(query, tokens, _with_prefix(query, tokens, depths, _cuts(query, tokens, depths)))
    ends = [start for start, _ in cuts[1:]] + [len(tokens)]
    return tuple(_clause(kind, tokens[start:end]) for (start, kind), end in zip(cuts, ends, strict=True))


def _one_statement(query: str, tokens: list[SqlToken]) -> list[SqlToken]:
    while tokens and tokens[-1].kind == "end":
        tokens = tokens[:-1]
    while tokens and tokens[0].kind == "end":
        tokens = tokens[1:]
    for token in tokens:
        if token.kind == "end":
            raise SqlError("more than one statement: give one query", query, token.start)
    return tokens


def _nesting(query: str, tokens: list[SqlToken]) -> tuple[list[int], int]:
    """Nesting depth of each token (a bracket counts as inside), and how many brackets enclose the whole query."""
    depths, stack, partner = [], [], {}
    for index, token in enumerate(tokens):
        if token.kind == "open":
            stack.append(index)
        depths.append(len(stack))
        if token.kind == "close":
            if not stack or _CLOSES[tokens[stack[-1]].text] != token.text:
                raise SqlError(f"'{token.text}' closes nothing", query, token.start)
            partner[stack.pop()] = index
    if stack:
        opened = tokens[stack[-1]]
        raise SqlError(f"'{opened.text}' is never closed", query, opened.start)
    outer, last = 0, len(tokens) - 1
    while last - 2 * outer > 1 and tokens[outer].text == "(" and partner[outer] == last - outer:
        outer += 1
    return depths, outer


def _cuts(query: str, tokens: list[SqlToken], depths: list[int]) -> list[tuple[int, str]]:
    """Index and kind of the first token of each clause."""
    cuts: list[tuple[int, str]] = []
    for index, token in enumerate(tokens):
        if depths[index] or token.kind != "word" or token.text.upper() not in _KEYWORDS:
            continue
        kind = _opens(query, tokens, index)
        if kind:
            cuts.append((index, kind))
            if kind in SET_OPERATORS:
                break
    return cuts


def _with_prefix(
    query: str, tokens: list[SqlToken], depths: list[int], cuts: list[tuple[int, str]]
) -> list[tuple[int, str]]:
    """What stands before the first keyword (WITH, DuckDB's leading FROM, a bracketed operand) belongs to SELECT."""
    if cuts and cuts[0][0] == 0:
        return cuts
    first = next((token for token in tokens if token.text != "("), tokens[0])
    start = first.text.upper()
    if first.kind != "word" or start not in QUERY_STARTS:
        shown = tokens[0].text if len(tokens[0].text) < 40 else f"{tokens[0].text[:40]}..."
        raise SqlError(
            f"not a query: it starts with '{shown}', not with SELECT or another clause", query, tokens[0].start
        )
    if tokens[0] is first and start == "WITH":
        _check_with(query, tokens, depths)
    if tokens[0] is first and start in _LEADS_TO_SELECT and cuts and cuts[0][1] == "SELECT":
        return [(0, "SELECT"), *cuts[1:]]
    return [(0, "SELECT"), *cuts]


def _check_with(query: str, tokens: list[SqlToken], depths: list[int]) -> None:
    """A WITH must lead to a query, not to a statement that changes data."""
    top = [token for token, depth in zip(tokens, depths, strict=True) if depth == 0 and token.kind == "word"]
    verb = next((token for token in top[1:] if token.text.upper() in QUERY_STARTS | _CHANGES_DATA), None)
    if verb and verb.text.upper() in _CHANGES_DATA:
        raise SqlError(f"not a query: WITH leads to {verb.text.upper()}", query, verb.start)
    bracketed = any(before.text == ")" and token.text == "(" for before, token in pairwise(tokens))
    if not verb and not bracketed:
        raise SqlError("not a query: nothing follows WITH", query, tokens[-1].start)


def _checked(query: str, tokens: list[SqlToken], cuts: list[tuple[int, str]]) -> list[tuple[int, str]]:
    for (_, before), (index, kind) in pairwise(cuts):
        if _ORDER[kind] <= _ORDER[before]:
            raise SqlError(f"{kind} cannot follow {before}", query, tokens[index].start)
    return cuts


def _opens(query: str, tokens: list[SqlToken], index: int) -> str | None:
    """The kind of clause that a top-level keyword opens, or None."""
    before = tokens[index - 1].text if index else ""
    if before == ".":  # a column that is called like a keyword
        return None
    word = tokens[index].text.upper()
    if word in ("SELECT", "WHERE"):
        return word
    if word in ("GROUP", "ORDER"):
        hint = before.upper() == "FOR"  # MySQL's USE INDEX FOR ORDER BY (...)
        return f"{word} BY" if _word(tokens, index + 1) == "BY" and not hint else None
    if _operand_follows(tokens, index + 1):
        return word
    if before != "*":  # SELECT * EXCEPT (a)
        raise SqlError(f"no query follows {word}", query, tokens[index].start)
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
