"""What a clause speaks of: the tables, columns, values, operators and aggregates that its SQL names.

Read from the tokens, not from a parse tree: a clause alone is no query, and a full parse of each would take longer
than all else together.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from lib.errors import SqlError
from lib.records import SET_OPERATORS, Clause
from lib.sql_tokens import DIALECTS, SqlToken, lex

_AGGREGATES = frozenset({"count", "sum", "avg", "min", "max", "group_concat", "string_agg", "total", "median"})
SIGNS = frozenset({"=", "==", "!=", "<>", "<", ">", "<=", ">="})
_OPERATORS = SIGNS | {"like", "ilike", "glob", "between", "in", "not", "null"}
_KEYWORDS = frozenset(
    [
        "all",
        "and",
        "any",
        "as",
        "asc",
        "between",
        "by",
        "case",
        "cross",
        "current_date",
        "current_time",
        "current_timestamp",
        "desc",
        "distinct",
        "else",
        "end",
        "escape",
        "except",
        "exists",
        "false",
        "fetch",
        "filter",
        "first",
        "for",
        "from",
        "full",
        "glob",
        "group",
        "having",
        "ilike",
        "in",
        "inner",
        "intersect",
        "interval",
        "is",
        "join",
        "last",
        "left",
        "like",
        "limit",
        "natural",
        "not",
        "null",
        "nulls",
        "offset",
        "on",
        "or",
        "order",
        "outer",
        "over",
        "partition",
        "recursive",
        "right",
        "rows",
        "select",
        "some",
        "then",
        "top",
        "true",
        "union",
        "using",
        "values",
        "when",
        "where",
        "window",
        "with",
    ]
)
_SET_WORDS = frozenset(kind.lower() for kind in SET_OPERATORS)
_BEFORE_TABLE = frozenset({"from", "join"})
_ENDS_FROM = frozenset({"where", "group", "order", "having", "limit", "on", "using", "select", "window", *_SET_WORDS})


@dataclass(frozen=True, slots=True)
class ClauseWords:
    """What one clause names; names in lower case."""

    kind: str  # kind of the clause
    tables: tuple[str, ...]  # tables it reads or qualifies columns with, aliases resolved
    columns: tuple[tuple[str, str], ...]  # (table or "" if it is not told, column)
    values: tuple[str, ...]  # literals as written, without their quotes and the wildcards at their ends
    operators: frozenset[str]  # comparison words and signs, "not" and "null" among them
    aggregates: frozenset[str]  # names of aggregate functions
    having: bool  # GROUP BY with a condition
    limit: str  # number of rows, "" if there is no LIMIT
    descending: bool  # ORDER BY with DESC
    nested: bool  # holds a query of its own


@dataclass(slots=True)
class _Reader:
    """What was read so far; becomes a ClauseWords."""

    tables: dict[str, None] = field(default_factory=dict)
    columns: dict[tuple[str, str], None] = field(default_factory=dict)
    values: dict[str, None] = field(default_factory=dict)
    operators: set[str] = field(default_factory=set)
    aggregates: set[str] = field(default_factory=set)


Places = Mapping[str, Collection[str]]  # column -> the tables that have it; all in lower case


def clause_words(clauses: Sequence[Clause], places: Places | None = None) -> tuple[ClauseWords, ...]:
    """Reads what each clause of one query names.

    Args:
        clauses: the clauses of one query, in order; the aliases of SELECT hold in all but the set operator.
        places: the tables of each column of the database, which tells double-quoted values from names; without it a
            double-quoted word that follows an operator counts as a value.

    >>> first, second = clause_words((Clause("SELECT", "SELECT T1.name FROM singer AS T1", 0, 33),
    ...                               Clause("WHERE", 'WHERE T1.age > = 30 OR T1.city LIKE "%New%"', 34, 77)))
    >>> first.tables, first.columns, second.columns, second.values, sorted(second.operators)
    (('singer',), (('singer', 'name'),), (('singer', 'age'), ('singer', 'city')), ('30', 'New'), ['>=', 'like'])
    """
    shared: dict[str, str] = {}
    found = []
    for clause in clauses:
        tokens = lex_clause(clause.sql)
        aliases = dict(_aliases(tokens))
        if clause.kind not in SET_OPERATORS:
            shared = aliases = aliases | shared
        found.append(_read(clause.kind, tokens, aliases, places))
    return tuple(found)


def lex_clause(sql: str) -> list[SqlToken]:
    """The tokens of a clause, in the first dialect that reads it."""
    for dialect in DIALECTS[:-1]:
        try:
            return lex(sql, dialect)
        except SqlError:
            continue
    return lex(sql, DIALECTS[-1])


def _name(token: SqlToken) -> str:
    return (token.text[1:-1] if token.kind == "quoted" else token.text).lower()


def _aliases(tokens: Sequence[SqlToken]) -> Iterator[tuple[str, str]]:
    """Alias -> table, and each table's own name -> itself."""
    for index, is_table in enumerate(_table_places(tokens)):
        if not is_table:
            continue
        table = _name(tokens[index])
        yield table, table
        after = index + 1
        if after < len(tokens) and tokens[after].text.lower() == "as":
            after += 1
        if (
            after < len(tokens)
            and tokens[after].kind in ("word", "quoted")
            and tokens[after].text.lower() not in _KEYWORDS
        ):
            yield _name(tokens[after]), table


def _table_places(tokens: Sequence[SqlToken]) -> list[bool]:
    """For each token whether it is the name of a table in a FROM."""
    places, in_from, expected = [], False, False
    for index, token in enumerate(tokens):
        word = token.text.lower() if token.kind == "word" else ""
        is_table = expected and token.kind in ("word", "quoted") and word not in _KEYWORDS
        if is_table and index + 1 < len(tokens) and tokens[index + 1].text == ".":  # a schema's name before the table's
            is_table = False
        elif not (expected and token.text == "."):
            expected = False
        places.append(is_table)
        if word in _BEFORE_TABLE:
            in_from = expected = True
        elif word in _ENDS_FROM:
            in_from = False
        elif token.text == "," and in_from:
            expected = True
    return places


def _read(kind: str, tokens: list[SqlToken], aliases: dict[str, str], places: Places | None) -> ClauseWords:
    reader, tables = _Reader(), _table_places(tokens)
    words = [token.text.lower() if token.kind == "word" else "" for token in tokens]
    limit = words.index("limit") if "limit" in words and kind not in SET_OPERATORS else len(tokens)
    joins = _in_join_condition(words)
    for index, token in enumerate(tokens[:limit]):
        if token.kind == "string":
            reader.values[literal(token)] = None
        elif token.kind == "number":
            reader.values[token.text] = None
        elif tables[index]:
            reader.tables[_name(token)] = None
        elif joins[index]:  # how tables are joined is nothing that a question says
            continue
        elif token.text in SIGNS:
            reader.operators.add(token.text)
        elif token.kind in ("word", "quoted"):
            _read_word(reader, tokens, index, aliases, places)
    return ClauseWords(
        kind=kind,
        tables=tuple(reader.tables),
        columns=tuple(reader.columns),
        values=tuple(value for value in reader.values if value),
        operators=frozenset(reader.operators),
        aggregates=frozenset(reader.aggregates),
        having="having" in words and kind == "GROUP BY",
        limit=_limit(tokens[limit + 1 :]),
        descending="desc" in words,
        nested="select" in words[1:],
    )


def _in_join_condition(words: Sequence[str]) -> list[bool]:
    inside, found = False, []
    for word in words:
        inside = word == "on" or (inside and word != "join" and word not in _ENDS_FROM)
        found.append(inside)
    return found


def _read_word(
    reader: _Reader, tokens: list[SqlToken], index: int, aliases: dict[str, str], places: Places | None
) -> None:
    token, word = tokens[index], _name(tokens[index])
    before = tokens[index - 1].text.lower() if index else ""
    after = tokens[index + 1].text if index + 1 < len(tokens) else ""
    if token.kind == "word" and before != "." and (word in _KEYWORDS or after == "("):
        reader.operators.update({word} & _OPERATORS)
        reader.aggregates.update({word} & _AGGREGATES)
    elif after == ".":
        reader.tables[aliases.get(word, word)] = None
    elif before == ".":
        reader.columns[aliases.get(_name(tokens[index - 2]), ""), word] = None
    elif token.text.startswith('"') and _is_value(tokens, index, aliases, places):
        reader.values[literal(token)] = None
    elif before != "as" and word not in aliases:
        reader.columns["", word] = None


def _is_value(tokens: list[SqlToken], index: int, aliases: dict[str, str], places: Places | None) -> bool:
    """Whether a double-quoted word is a literal: no table that is read has such a column, or it stands like one."""
    if places is not None:
        return not any(table in aliases.values() for table in places.get(_name(tokens[index]), ()))
    before = tokens[index - 1].text.lower() if index else ""
    return before in _OPERATORS or before in ("and", "(", ",")


def literal(token: SqlToken) -> str:
    """The text of a literal, without its quotes and the wildcards at its ends."""
    text = token.text.lstrip("xXnNbBeE") if token.text[0] not in "'\"$" else token.text
    return text.strip("'\"$").replace("''", "'").strip("% _").strip()


def _limit(tokens: Sequence[SqlToken]) -> str:
    """The number of rows of `LIMIT n`, `LIMIT n OFFSET m` and MySQL's `LIMIT m, n`."""
    numbers = [token.text for token in tokens if token.kind == "number"]
    has_comma = any(token.text == "," for token in tokens)
    return numbers[1] if has_comma and len(numbers) > 1 else numbers[0] if numbers else ""
