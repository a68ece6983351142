"""What is odd about the sound records of a corpus: they are kept, `spidercompose check` tells of them."""

import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from lib.corpora import Corpus, Note
from lib.errors import SqlError
from lib.records import Example, Schema
from lib.sql_parse import parse, unknown_qualifiers, unknown_tables

if TYPE_CHECKING:
    from sqlglot import exp

Progress = Callable[[Iterable[Example], str], Iterable[Example]]

_NUMBER = re.compile(r"\s*[-+]?(\d+\.?\d*|\.\d+)\s*")
_VALUES_SEEN = 1000  # different values of a column that are looked at
_MOSTLY = 0.5  # share of numbers from which on a text column is taken for numbers


def defects(corpus: Corpus, source: str, progress: Progress | None = None) -> Iterator[Note]:
    """Yields a note for each oddity of each example of a source.

    Args:
        corpus: the corpus.
        source: `train` or `dev`.
        progress: passes the examples on and shows how many went by, such as `lib.progress.progress`.

    Raises:
        CorpusError: if the source cannot be read.
    """
    file = corpus.file(source).name
    examples = corpus.examples(source)
    for example in progress(examples, f"{source} examples") if progress else examples:
        record = int(example.id.rsplit("-", 1)[1])
        yield from (Note(file, record, text) for text in _oddities(example, corpus))


def _oddities(example: Example, corpus: Corpus) -> Iterator[str]:
    schema = corpus.schemas[example.db_id]
    try:
        tree = parse(example.query, schema)
    except SqlError as error:
        yield f"'query' was split into clauses, but a parser cannot read it: {error}"
        return
    for name in unknown_tables(tree, schema):
        yield f"table {name.lower()} is not in tables.json"
    for name in unknown_qualifiers(tree):
        yield f"no table is called {name} where the query uses it, so it cannot run"
    database = corpus.database(example.db_id)
    if database:
        yield from _text_sorts(tree, schema, database)


def _text_sorts(tree: "exp.Query", schema: Schema, database: Path) -> Iterator[str]:
    """Sort keys that look like numbers and are stored as text."""
    for table, column in dict.fromkeys(_sort_keys(tree, schema)):
        others = _non_numbers(database, table, column)
        if others is not None:
            yield (
                f"{column} of {table} holds numbers as text{others}: its order is lexicographic, so do not judge this "
                "query by its result"
            )


def _sort_keys(tree: "exp.Query", schema: Schema) -> Iterator[tuple[str, str]]:
    """Table and column, as in the schema, of what is sorted or of which a minimum or maximum is taken."""
    from sqlglot import exp

    for key in tree.find_all(exp.Ordered, exp.Max, exp.Min, bfs=False):
        select = key.find_ancestor(exp.Select)
        if isinstance(key.this, exp.Column) and select is not None:
            aliases = {table.alias_or_name.lower(): table.name.lower() for table in select.find_all(exp.Table)}
            yield from _columns(key.this, aliases, schema)


def _columns(column: "exp.Column", aliases: dict[str, str], schema: Schema) -> Iterator[tuple[str, str]]:
    qualifier = column.table.lower()
    tables = {aliases.get(qualifier, qualifier)} if qualifier else set(aliases.values())
    for known in schema.columns:
        table = schema.tables[known.table]
        if known.name.lower() == column.name.lower() and table.lower() in tables:
            yield table, known.name


@lru_cache(maxsize=4096)
def _non_numbers(database: Path, table: str, column: str) -> str | None:
    """If a column is text and most of its values are numbers: which other values it has, in words; else None."""
    name, place = (f'"{part.replace(chr(34), chr(34) * 2)}"' for part in (column, table))
    try:
        with closing(sqlite3.connect(f"{database.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as connection:
            connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
            query = f"SELECT DISTINCT {name} FROM {place} WHERE typeof({name}) = 'text' LIMIT {_VALUES_SEEN}"
            values = [value for (value,) in connection.execute(query)]
    except sqlite3.Error:  # a broken database is reported by `check`, once
        return None
    others = sorted({value for value in values if not _NUMBER.fullmatch(value)})
    numbers = sorted({value for value in values if _NUMBER.fullmatch(value)})
    if len(numbers) <= _MOSTLY * len(values) or (not others and numbers == sorted(numbers, key=float)):
        return None  # words; or years and the like, whose two orders are one
    return f" (and {', '.join(repr(value[:20]) for value in others[:3])})" if others else ""
