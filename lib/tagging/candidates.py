"""Clauses -> candidate words: what a question would say if it spoke of the clause (paper 3.2.1).

Two sorts, as in the paper: words of this query (names of tables and columns, values, words for its aggregates and
operators) and words of all queries (question words, relative pronouns, "each", "sorted").
"""

import re
from collections import defaultdict
from dataclasses import dataclass
from functools import lru_cache

from lib.records import SET_OPERATORS, Clause, Schema
from lib.tagging import lexicon
from lib.tagging.clause_words import ClauseWords, clause_words
from lib.tokens import lemmas

# How much a match says, in the unit "the full name of a column". Set by hand: a value is nearly proof, the name of a
# table nearly nothing, because every clause speaks of the table.
VALUE, COLUMN, TABLE, OPERATOR, AGGREGATE, GENERIC = 2.5, 1.0, 0.4, 0.8, 1.0, 1.5
PART = 0.5  # of COLUMN or TABLE, for one word of a name of several
ADJECTIVE = 1.5  # an adjective that measures a column, or a superlative where rows are ranked


@dataclass(frozen=True, slots=True)
class Name:
    """A name of a column or table in one clause."""

    kind: str  # kind of the clause
    size: int  # number of its words that say something
    weight: float  # what a full match says


@dataclass(frozen=True, slots=True)
class Candidates:
    """The candidate words of one query; words in base form and lower case."""

    facts: tuple[ClauseWords, ...]  # what each clause names
    names: dict[str, tuple[tuple[int, Name], ...]]  # word -> the names it is part of, with their number
    uses: dict[str, tuple[tuple[str, float], ...]]  # use of other words (lexicon.USES) -> kinds of clauses and weights
    values: tuple[tuple[str, tuple[str, ...]], ...]  # kind of clause and words of a value
    superlatives: dict[str, float]  # kinds of clauses that superlatives speak of, with weights


class _Handle:
    """A schema as the key of a cache: compared by identity, because hashing hundreds of columns takes long."""

    __slots__ = ("schema",)

    def __init__(self, schema: Schema | None):
        self.schema = schema

    def __hash__(self) -> int:
        return id(self.schema)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Handle) and self.schema is other.schema


def candidates(clauses: tuple[Clause, ...], schema: Schema | None) -> Candidates:
    """The candidate words of all clauses of one query.

    Args:
        clauses: the clauses of one query, in order.
        schema: its database; without it, or for tables that it lacks, the names in the SQL are the only ones.
    """
    return _candidates(clauses, _Handle(schema))


@lru_cache(maxsize=64)  # questions on one query stand side by side in corpora
def _candidates(clauses: tuple[Clause, ...], handle: _Handle) -> Candidates:
    spoken = _spoken_names(handle)
    facts = clause_words(clauses, spoken.columns if spoken else None)
    read = facts[0].tables
    names: dict[str, list[tuple[int, Name]]] = defaultdict(list)
    uses: dict[str, dict[str, float]] = defaultdict(dict)
    number = 0
    for clause in facts:
        for parts, weight in _names(clause, read, spoken):
            name = Name(clause.kind, len(set(parts)), weight)
            for form in sorted(frozenset().union(*map(_variants, parts))):
                names[form].append((number, name))
            number += 1
        for use, weight in _uses(clause):
            uses[use][clause.kind] = max(weight, uses[use].get(clause.kind, 0.0))
    return Candidates(
        facts=facts,
        names={word: tuple(entries) for word, entries in names.items()},
        uses={use: tuple(weights.items()) for use, weights in uses.items()},
        values=tuple(
            (clause.kind, words) for clause in facts for value in clause.values if (words := split_words(value))
        ),
        superlatives={clause.kind: weight for clause in facts if (weight := _superlative(clause))},
    )


_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+(?:[.,]\d+)*|[^\W\d_a-zA-Z]+")


@lru_cache(maxsize=4096)
def split_words(name: str) -> tuple[str, ...]:
    """The lower-case words of a name or value.

    >>> split_words("CountryCode"), split_words("birth_date"), split_words("West Ham 2")
    (('country', 'code'), ('birth', 'date'), ('west', 'ham', '2'))
    """
    return tuple(word.lower() for word in _WORD.findall(name))


@lru_cache(maxsize=4096)
def _variants(word: str) -> frozenset[str]:
    """Base forms and synonyms of a word of a name."""
    forms = lemmas(word)
    synonyms = frozenset().union(*(lexicon.SYNONYMS.get(form, ()) for form in forms))
    return forms | synonyms


@dataclass(frozen=True, slots=True)
class SpokenNames:
    """The names of a schema as people say them; keys in lower case."""

    columns: dict[str, dict[str, tuple[str, ...]]]  # column -> table -> words of the column
    tables: dict[str, tuple[str, ...]]  # table -> its words


@lru_cache(maxsize=1024)
def _spoken_names(handle: _Handle) -> SpokenNames | None:
    schema = handle.schema
    if schema is None:
        return None
    columns: dict[str, dict[str, tuple[str, ...]]] = defaultdict(dict)
    for column in schema.columns:
        columns[column.name.lower()][schema.tables[column.table].lower()] = split_words(column.natural)
    tables = {name.lower(): split_words(schema.natural_tables[i]) for i, name in enumerate(schema.tables)}
    return SpokenNames(dict(columns), tables)


@dataclass(frozen=True, slots=True)
class Called:
    """One name in a clause, and how people may call it."""

    kind: str  # kind of the clause
    table: str  # lower case; "" for a column whose table is not told
    column: str  # lower case; "" for a table
    ways: tuple[tuple[frozenset[str], ...], ...]  # for each way to call it, for each of its words the forms that say it


def names_of(clauses: tuple[Clause, ...], schema: Schema | None) -> tuple[Called, ...]:
    """The columns and tables that each clause of one query names, with the words for each.

    Args:
        clauses: the clauses of one query, in order.
        schema: its database, or None.
    """
    spoken = _spoken_names(_Handle(schema))
    found = []
    for clause in candidates(clauses, schema).facts:
        for table, column in clause.columns:
            said = _spoken_column(spoken, table, column, clause.tables)
            found.append(Called(clause.kind, table, column, _ways(column, said)))
        for table in clause.tables:
            found.append(Called(clause.kind, table, "", _ways(table, spoken.tables.get(table, ()) if spoken else ())))
    return tuple(found)


def _ways(name: str, said: tuple[str, ...]) -> tuple[tuple[frozenset[str], ...], ...]:
    ways = dict.fromkeys(parts for parts in (split_words(name), said) if parts)
    return tuple(tuple(map(_variants, _telling(parts))) for parts in ways)


def _names(clause: ClauseWords, read: tuple[str, ...], spoken: SpokenNames | None):
    """The words of each name in a clause, with the weight of the name."""
    for table, column in clause.columns:
        own, said = split_words(column), _spoken_column(spoken, table, column, clause.tables or read)
        for parts in (own, said) if said != own else (own,):
            if parts:
                yield _telling(parts), COLUMN
    asked = {table for table, _ in clause.columns} | set(clause.tables[:1])
    qualified = any(table for table, _ in clause.columns)
    for table in clause.tables:
        is_joined = clause.kind == "SELECT" and qualified and table not in asked
        own, said = split_words(table), spoken.tables.get(table, ()) if spoken else ()
        for parts in (own, said) if said != own else (own,):
            if parts:
                yield _telling(parts), TABLE * (PART if is_joined else 1.0)


def _telling(parts: tuple[str, ...]) -> tuple[str, ...]:
    kept = tuple(word for word in parts if word not in lexicon.STOP_WORDS)
    return kept or parts


def _spoken_column(spoken: SpokenNames | None, table: str, column: str, read: tuple[str, ...]) -> tuple[str, ...]:
    places = spoken.columns.get(column, {}) if spoken else {}
    wanted = (table,) if table else read
    return next((parts for name, parts in places.items() if name in wanted), next(iter(places.values()), ()))


def _superlative(clause: ClauseWords) -> float:
    """What a superlative says for a clause: much where it ranks rows or takes an extreme, else nothing."""
    if clause.kind == "ORDER BY":
        return ADJECTIVE
    if clause.aggregates & {"max", "min"} or (clause.nested and clause.kind != "SELECT"):
        return AGGREGATE
    return 0.0


def _uses(clause: ClauseWords):
    """The uses of words that speak of a clause for its aggregates, operators, columns, values and its kind."""
    for aggregate in clause.aggregates:
        yield f"aggregate {aggregate}", AGGREGATE
    if clause.kind != "SELECT":
        for operator in clause.operators:
            yield f"operator {operator}", OPERATOR
    if clause.kind != "SELECT" or not clause.aggregates.isdisjoint(("max", "min")):
        for _, column in clause.columns:
            for word in split_words(column):
                yield f"measures {word}", ADJECTIVE
    for value in clause.values:
        yield f"value {value.lower()}", ADJECTIVE
    if clause.kind == "ORDER BY" and clause.limit:
        yield "extreme", GENERIC
    yield clause.kind, OPERATOR if clause.kind in SET_OPERATORS else GENERIC
