"""The records that all modules pass to each other: frozen, small, without behaviour."""

from dataclasses import dataclass

KINDS = ("SELECT", "WHERE", "GROUP BY", "ORDER BY", "INTERSECT", "UNION", "EXCEPT")
SET_OPERATORS = ("INTERSECT", "UNION", "EXCEPT")


@dataclass(frozen=True, slots=True)
class Example:
    """One question–SQL pair of a corpus."""

    id: str  # unique in the corpus: source and 0-based index in its file, such as "dev-00412"
    db_id: str  # database it asks
    question: str  # as written in the corpus
    tokens: tuple[str, ...]  # question tokens: the corpus's own where it has them, else ours
    query: str  # SQL as written in the corpus
    source: str  # "train" or "dev"


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause of a query, the unit of composition (paper 3.1)."""

    kind: str  # one of KINDS
    sql: str  # its tokens joined by single blanks, comments left out
    start: int  # offset of its first character in the query
    stop: int  # offset behind its last character


@dataclass(frozen=True, slots=True)
class Fragment:
    """The part of a question that says what one clause says (paper 3.2)."""

    kind: str  # kind of its clause
    spans: tuple[tuple[int, int], ...]  # half-open, sorted, disjoint ranges of question tokens; may be empty
    text: str  # its tokens joined by single blanks


@dataclass(frozen=True, slots=True)
class Pair:
    """A combination of clauses of one query with its text (paper 3.3)."""

    id: str  # example id and kinds, such as "dev-00412:SELECT+ORDER BY"
    example_id: str  # example that it comes from
    db_id: str  # database of that example
    kinds: tuple[str, ...]  # kinds of its clauses, in the order of the query
    sql: str  # its clauses joined by single blanks
    text: str  # its tokens joined by single blanks
    n_clauses: int  # 1 to 4 (5 in principle)
    source: str  # "train" or "dev"
    flags: dict[str, bool | str]  # may hold "empty": True (no text) and "duplicate_of": id of the first pair alike


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a schema."""

    table: int  # index in Schema.tables
    name: str  # as in the database
    natural: str  # as people say it ("birth date" for BirthDate), lower case
    type: str  # text, number, time, boolean or others


@dataclass(frozen=True, slots=True)
class Schema:
    """One database of tables.json, without the `*` column."""

    db_id: str
    tables: tuple[str, ...]  # names as in the database
    natural_tables: tuple[str, ...]  # the same as people say them, lower case
    columns: tuple[Column, ...]  # in file order
    primary_keys: tuple[int, ...]  # indices in columns
    foreign_keys: tuple[tuple[int, int], ...]  # indices in columns: (referring, referred)
