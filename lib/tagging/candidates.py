"""Clauses -> candidate words: what a question would say if it spoke of the clause (paper 3.2.1).

Two sorts, as in the paper: words of this query (names of tables and columns, values, words for its aggregates and
operators) and words of all queries (question words, relative pronouns, "each", "sorted").
"""

import re
from collections import defaultdict
from dataclasses import dataclass
from functools import lru_cache

from lib.records import SET_OPERATORS, Clause, Column, Schema
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
    words: dict[str, tuple[tuple[str, float], ...]]  # any other word -> kind of clause and weight
    values: tuple[tuple[str, tuple[str, ...]], ...]  # kind of clause and words of a value
    superlatives: dict[str, float]  # kinds of clauses that superlatives speak of, with weights


@lru_cache(maxsize=64)  # questions on one query stand side by side in corpora
def candidates(clauses: tuple[Clause, ...], schema: Schema | None) -> Candidates:
    """The candidate words of all clauses of one query.

    Args:
        clauses: the clauses of one query, in order.
        schema: its database; without it, or for tables that it lacks, the names in the SQL are the only ones.
    """
    facts = clause_words(clauses, schema)
    read = facts[0].tables
    names: dict[str, list[tuple[int, Name]]] = defaultdict(list)
    number = 0
    for clause in facts:
        for spoken, weight in _names(clause, read, schema):
            keys = {word: _variants(word) for word in spoken}
            name = Name(clause.kind, len(keys), weight)
            for forms in keys.values():
                for form in forms:
                    names[form].append((number, name))
            number += 1
    found: dict[str, dict[str, float]] = defaultdict(dict)
    for clause in facts:
        for word, weight in _other_words(clause, facts):
            found[word][clause.kind] = max(weight, found[word].get(clause.kind, 0.0))
    return Candidates(
        facts=facts,
        names={word: tuple(entries) for word, entries in names.items()},
        words={word: tuple(weights.items()) for word, weights in found.items()},
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
    """Base forms and synonyms of a word of a name, and the adjectives that measure it."""
    forms = lemmas(word)
    synonyms = frozenset().union(*(lexicon.SYNONYMS.get(form, ()) for form in forms))
    return forms | synonyms


def _names(clause: ClauseWords, read: tuple[str, ...], schema: Schema | None):
    """The words of each name in a clause, with the weight of the name."""
    for table, column in clause.columns:
        own = split_words(column)
        for words in {own, _natural_column(schema, table, column, clause.tables or read)} - {()}:
            yield _telling(words), COLUMN
    asked = {table for table, _ in clause.columns} | set(clause.tables[:1])
    for table in clause.tables:
        is_joined = clause.kind == "SELECT" and table not in asked and any(name for name, _ in clause.columns)
        for words in sorted({split_words(table), split_words(_natural_table(schema, table))} - {()}):
            yield _telling(words), TABLE * (0.5 if is_joined else 1.0)


def _telling(words: tuple[str, ...]) -> tuple[str, ...]:
    kept = tuple(word for word in words if word not in lexicon.STOP_WORDS)
    return kept or words


def _natural_column(schema: Schema | None, table: str, column: str, read: tuple[str, ...]) -> tuple[str, ...]:
    if schema is None:
        return ()
    places = _places(schema).get(column, ())
    wanted = (table,) if table else read
    for place in (*(place for place in places if schema.tables[place.table].lower() in wanted), *places):
        return split_words(place.natural)
    return ()


@lru_cache(maxsize=256)
def _places(schema: Schema) -> dict[str, tuple[Column, ...]]:
    places: dict[str, list[Column]] = defaultdict(list)
    for column in schema.columns:
        places[column.name.lower()].append(column)
    return {name: tuple(columns) for name, columns in places.items()}


def _natural_table(schema: Schema | None, table: str) -> str:
    if schema is None:
        return ""
    return next((schema.natural_tables[i] for i, name in enumerate(schema.tables) if name.lower() == table), "")


def _superlative(clause: ClauseWords) -> float:
    """What a superlative says for a clause: much where it ranks rows or takes an extreme, else nothing."""
    if clause.kind == "ORDER BY" and (clause.limit or clause.descending):
        return ADJECTIVE
    if clause.aggregates & {"max", "min"} or (clause.nested and clause.kind != "SELECT"):
        return AGGREGATE
    return 0.0


def _other_words(clause: ClauseWords, facts: tuple[ClauseWords, ...]):
    """Words for aggregates, operators and the kind of clause itself, with their weights."""
    for aggregate in sorted(clause.aggregates):
        for word in lexicon.AGGREGATE_WORDS.get(aggregate, ()):
            yield word, AGGREGATE
    if clause.kind != "SELECT":
        for operator in sorted(clause.operators):
            for word in lexicon.OPERATOR_WORDS.get(operator, ()):
                yield word, OPERATOR
    yield from _measuring(clause)
    yield from _generic(clause)


def _measuring(clause: ClauseWords):
    """Adjectives and question words that speak of a column without its name."""
    nouns = {word for _, column in clause.columns for word in split_words(column)}
    for adjective, measured in lexicon.ADJECTIVES.items():
        if not measured.isdisjoint(nouns):
            yield adjective, ADJECTIVE
    for value in clause.values:
        for word in lexicon.VALUE_WORDS.get(value.lower(), ()):
            yield word, ADJECTIVE


def _generic(clause: ClauseWords):
    if clause.kind == "GROUP BY":
        for word in lexicon.GROUP_WORDS:
            yield word, GENERIC
    elif clause.kind == "ORDER BY":
        for word in lexicon.ORDER_WORDS:
            yield word, GENERIC
        if clause.limit:
            for word in lexicon.EXTREMES:
                yield word, GENERIC
    elif clause.kind in SET_OPERATORS:
        for word in lexicon.SET_WORDS[clause.kind]:
            yield word, OPERATOR
