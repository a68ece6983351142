"""Names in SQL -> the words that people say, and the tables that aliases and columns belong to."""

import re
from functools import lru_cache

from lib.datasets import Names

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_ALIAS = re.compile(r"t\d+", re.IGNORECASE)


def name_words(name: str) -> tuple[str, ...]:
    """Cuts a name at underscores and capitals.

    >>> name_words("birth_date"), name_words("birthDate"), name_words("HTMLPage")
    (('birth', 'date'), ('birth', 'date'), ('html', 'page'))
    """
    parts = _CAMEL.sub("_", name).replace(" ", "_").split("_")
    return tuple(part.lower() for part in parts if part) or (name.lower(),)


def is_unknown_alias(name: str) -> bool:
    """Whether a name that no definition explains looks like an alias: `T1`.

    >>> is_unknown_alias("T1"), is_unknown_alias("team")
    (True, False)
    """
    return bool(_ALIAS.fullmatch(name))


class Words:
    """The words for the names of one database.

    Args:
        names: what people call its tables and columns; names that it lacks are cut at underscores and capitals.
    """

    def __init__(self, names: Names | None = None):
        self._tables: dict[str, tuple[str, ...]] = {}
        self._columns: dict[tuple[str, str], tuple[str, ...]] = {}  # "" stands for any table
        if names is None:
            return
        self._tables = {table: tuple(said.split()) for table, said in names.tables.items()}
        for table, columns in names.columns.items():
            for column, said in columns.items():
                self._columns[table, column] = tuple(said.split())
                self._columns.setdefault(("", column), tuple(said.split()))

    def has(self, table: str, column: str) -> bool:
        """Whether a table is known to have a column; `""` stands for any table."""
        return (table.lower(), column.lower()) in self._columns

    def table(self, name: str) -> tuple[str, ...]:
        """The words for a table."""
        return self._tables.get(name.lower()) or name_words(name)

    def column(self, table: str, name: str) -> tuple[str, ...]:
        """The words for a column of a table; for that of another table if this one lacks it or is `""`."""
        key = name.lower()
        return self._columns.get((table.lower(), key)) or self._columns.get(("", key)) or name_words(name)


PLAIN = Words()


class Scope:
    """One SELECT: the tables that it reads from, and the SELECT around it.

    Args:
        words: for the names of its database.
        outer: the SELECT around it; of a part of a query, its whole query.
    """

    def __init__(self, words: Words = PLAIN, outer: "Scope | None" = None):
        self.words, self.outer = words, outer
        self._tables: dict[str, str] = {}  # qualifier in lower case -> table as written

    @property
    def tables(self) -> tuple[tuple[str, str], ...]:
        """The tables of its FROM in order, each behind what a column of it may be qualified with, in lower case."""
        return tuple(self._tables.items())

    def define(self, table: str, alias: str = "") -> None:
        """Notes a table of FROM."""
        self._tables[(alias or table).lower()] = table

    def table(self, qualifier: str) -> str | None:
        """The table that an alias or a table's own name means; None if no FROM says it."""
        key = qualifier.lower()
        return next((scope._tables[key] for scope in self._around() if key in scope._tables), None)

    def owner(self, column: str) -> str:
        """The table that a column without a qualifier belongs to, the nearest FROM first; `""` if none is known."""
        tables = (table for scope in self._around() for table in scope._tables.values())
        return next((table for table in tables if self.words.has(table, column)), "")

    def names_column(self, quoted: str) -> bool:
        """Whether SQLite reads a double-quoted text as a column here, and not as a value."""
        if any(scope._tables for scope in self._around()):
            return bool(self.owner(quoted))
        return self.words.has("", quoted)  # a part of a query without its FROM

    def _around(self):
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.outer


@lru_cache(maxsize=16384)
def scope_with(words: Words, tables: tuple[tuple[str, str], ...]) -> Scope:
    """The scope with given tables, one for all queries that read from them: clauses that they share are read once."""
    scope = Scope(words)
    for qualifier, table in tables:
        scope.define(table, qualifier)
    return scope
