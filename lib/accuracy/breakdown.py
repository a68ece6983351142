"""What a golden query is made of: its number of clauses, in the study's terms, and its constructs."""

from functools import lru_cache

from lib.errors import SqlError
from lib.splitting import split
from lib.sql_tokens import lex

CONSTRUCTS = (
    "join",
    "aggregate",
    "distinct",
    "group by",
    "having",
    "order by",
    "limit",
    "nested",
    "set operator",
    "like",
    "case",
)
_AGGREGATES = {"COUNT", "SUM", "AVG", "MIN", "MAX", "TOTAL", "GROUP_CONCAT", "STRING_AGG", "MEDIAN"}
_WORDS = {
    "join": {"JOIN"},
    "distinct": {"DISTINCT"},
    "group by": {"GROUP"},
    "having": {"HAVING"},
    "order by": {"ORDER"},
    "limit": {"LIMIT", "FETCH"},
    "set operator": {"UNION", "INTERSECT", "EXCEPT"},
    "like": {"LIKE", "ILIKE", "GLOB"},
    "case": {"CASE"},
}


@lru_cache(maxsize=4096)
def clause_count(sql: str) -> int | None:
    """Clauses of a query (see `splitting.split`); None if it cannot be read."""
    try:
        return len(split(sql))
    except SqlError:
        return None


@lru_cache(maxsize=4096)
def constructs(sql: str) -> tuple[str, ...]:
    """Names of CONSTRUCTS that a query uses, in that order; none if it cannot be read.

    >>> constructs("SELECT max(a) FROM t JOIN u ON t.x = u.x WHERE b IN (SELECT b FROM v)")
    ('join', 'aggregate', 'nested')
    """
    try:
        tokens = lex(sql)
    except SqlError:
        return ()
    words = [token.text.upper() if token.kind == "word" else "" for token in tokens]
    used = {name for name, marks in _WORDS.items() if not marks.isdisjoint(words)}
    for index, word in enumerate(words):
        after = tokens[index + 1].text if index + 1 < len(tokens) else ""
        if word in _AGGREGATES and after == "(":
            used.add("aggregate")
        if word == "SELECT" and index and tokens[index - 1].text == "(":
            used.add("nested")
    return tuple(name for name in CONSTRUCTS if name in used)
