"""How a database is described: tables, columns with their rows, and the English words for them.

A phrase describes rows behind their noun: "from {}" (keepers from York), "who live|lives in {}". Where the number of
the noun changes a word, both forms stand with a bar between: plural|singular. `{}` is the value.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

Values = Callable[[Random, int], list]  # (generator, number of rows) -> one value a row


@dataclass(frozen=True, slots=True)
class Column:
    """One column: how it is stored, filled and talked about."""

    name: str  # in the database
    one: str  # as people say it, singular
    many: str  # plural
    role: str  # id, ref, name, cat, flag, num, year or day
    values: Values | None  # None for id and ref
    type: str  # text, number, time or boolean, as in tables.json
    fits: tuple[str, ...] = ()  # phrases for "has this value"
    unfit: str = ""  # phrase for "has another value"
    says: dict[Any, str] = field(default_factory=dict)  # words for coded values
    over: str = ""  # phrases for more, less and between
    under: str = ""
    span: str = ""
    most: str = ""  # superlatives of the row with the largest and the smallest value
    least: str = ""
    high: str = "highest"  # superlatives of the value itself
    low: str = "lowest"
    unit: str = ""
    total: bool = False  # a sum makes sense
    target: str = ""  # table that a ref points to
    have: str = ""  # verb of the target with its rows: "own|owns {}"
    of: str = ""  # phrase for rows of one target: "owned by {}"


@dataclass(frozen=True, slots=True)
class Table:
    """One table and the nouns for its rows."""

    name: str  # in the database
    one: str  # noun for a row, singular
    many: str  # plural
    rows: int  # number of rows
    columns: tuple[Column, ...]
    natural: str = ""  # name in tables.json, if not the singular noun
    who: bool = False  # the rows are people

    def column(self, name: str) -> Column:
        """The column with this name."""
        return next(column for column in self.columns if column.name == name)

    def of_role(self, *roles: str) -> list[Column]:
        """Columns of these roles, in order."""
        return [column for column in self.columns if column.role in roles]

    @property
    def key(self) -> Column | None:
        """The primary key, if there is one."""
        return next(iter(self.of_role("id")), None)

    @property
    def title(self) -> Column | None:
        """The column that people know a row by, if there is one."""
        return next(iter(self.of_role("name")), None)


@dataclass(frozen=True, slots=True)
class Bridge:
    """A table that links two others, and the phrase that leads from one to the other."""

    table: str  # the table between
    left: str  # column of `table` that points to the described table
    right: str  # column of `table` that points to the other table
    phrase: str  # "who have|has borrowed {}"


@dataclass(frozen=True, slots=True)
class Domain:
    """One database."""

    db_id: str
    tables: tuple[Table, ...]  # referred tables first
    bridges: tuple[Bridge, ...] = ()

    def table(self, name: str) -> Table:
        """The table with this name."""
        return next(table for table in self.tables if table.name == name)


def ident(name: str, one: str) -> Column:
    """A primary key, numbered from 1."""
    return Column(name, one, one + "s", "id", None, "number")


def ref(name: str, one: str, target: str, have: str = "", of: str = "") -> Column:
    """A foreign key to the primary key of another table."""
    return Column(name, one, one + "s", "ref", None, "number", target=target, have=have, of=of)


def name(name: str, one: str, values: Values, many: str = "", fits: tuple[str, ...] = ()) -> Column:
    """What people call a row by; unique in its table."""
    return Column(name, one, many or one + "s", "name", values, "text", fits=fits)


def cat(name: str, one: str, values: Values, *fits: str, many: str = "", unfit: str = "", says=None) -> Column:
    """A text column with few values."""
    return Column(name, one, many or one + "s", "cat", values, "text", fits=fits, unfit=unfit, says=says or {})


def flag(name: str, one: str, values: Values, yes: str, no: str) -> Column:
    """A yes–no column; the phrases hold no value."""
    return Column(name, one, one + "s", "flag", values, "boolean", fits=(yes,), unfit=no)


def num(name: str, one: str, values: Values, over: str, under: str, many: str = "", **words) -> Column:
    """A measured or counted number."""
    words = _extremes(one) | words
    return Column(name, one, many or one + "s", "num", values, "number", over=over, under=under, **words)


def _extremes(one: str) -> dict[str, str]:
    """Superlatives that go with a noun; without special ones the column keeps highest and lowest."""
    last = one.split()[-1]
    if last in ("length", "duration", "time", "range", "experience"):
        return {"high": "longest", "low": "shortest"}
    if last in ("height", "depth", "distance"):
        return {"high": "greatest", "low": "smallest"}
    if one.startswith(("number of", "amount of")) or last in ("size", "area", "diameter", "quantity"):
        return {"high": "largest", "low": "smallest"}
    return {}


def year(name: str, one: str, values: Values, *fits: str, many: str = "", **words) -> Column:
    """A year; the phrases come as in, after and before."""
    during, over, under = fits
    words = {"high": "latest", "low": "earliest"} | words
    return Column(name, one, many or one + "s", "year", values, "number", (during,), over=over, under=under, **words)


def day(name: str, one: str, values: Values, many: str = "", **words) -> Column:
    """A date, written YYYY-MM-DD."""
    words = {"high": "latest", "low": "earliest"} | words
    return Column(name, one, many or one + "s", "day", values, "time", **words)
