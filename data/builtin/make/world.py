"""One database while questions about it are made: its description, its rows, and random choices among them."""

from dataclasses import dataclass
from random import Random
from typing import Any

from data.builtin.make.model import Bridge, Column, Domain, Table


class NoChoice(Exception):
    """This database has nothing that fits the construct."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A query, in the canonical writing of sql.py, and several marked questions for it."""

    sql: str
    texts: list[str]


@dataclass(frozen=True, slots=True)
class Link:
    """Rows of `child` that refer to rows of `parent`."""

    child: Table
    column: Column
    parent: Table


@dataclass(frozen=True, slots=True)
class World:
    """A database with its rows and a random generator."""

    domain: Domain
    rows: dict[str, list[dict[str, Any]]]  # table name -> rows
    rng: Random

    def one_of(self, options: list) -> Any:
        """A random element.

        Raises:
            NoChoice: if there is none.
        """
        if not options:
            raise NoChoice
        return self.rng.choice(options)

    def table(self, *roles: str, titled: bool = True) -> Table:
        """A random table that has columns of each role (and a name, if `titled`)."""
        fitting = [t for t in self.domain.tables if all(t.of_role(role) for role in roles) and (t.title or not titled)]
        return self.rng.choices(fitting, [len(t.columns) for t in fitting])[0] if fitting else self.one_of([])

    def links(self) -> list[Link]:
        """All references that have words."""
        return [
            Link(table, column, self.domain.table(column.target))
            for table in self.domain.tables
            for column in table.of_role("ref")
            if column.have and column.of
        ]

    def link(self, *child_roles: str) -> Link:
        """A random reference to a table with a name, from one that has columns of each role."""
        return self.one_of(
            [x for x in self.links() if x.parent.title and all(x.child.of_role(role) for role in child_roles)]
        )

    def bridge(self) -> tuple[Bridge, Table, Table, Table]:
        """A random link through a third table: the bridge, the described, the linking and the other table."""
        bridge = self.one_of(list(self.domain.bridges))
        middle = self.domain.table(bridge.table)
        left, right = (self.domain.table(middle.column(name).target) for name in (bridge.left, bridge.right))
        return bridge, left, middle, right

    def column(self, table: Table, *roles: str, but: tuple[Column, ...] = ()) -> Column:
        """A random column of one of these roles."""
        return self.one_of([column for column in table.of_role(*roles) if column not in but])

    def shown(self, table: Table, least: int = 1, most: int = 2) -> list[Column]:
        """Columns to select: most often the name, then others."""
        others = table.of_role("cat", "num", "year", "day")
        count = self.rng.randint(least, most)
        if table.title and (count > 1 or self.rng.random() < 0.7):
            return [table.title, *self.rng.sample(others, min(count - 1, len(others)))]
        return self.rng.sample(others, min(count, len(others))) or self.one_of([])

    def values(self, table: Table, column: Column) -> list:
        """The different values that occur in a column, sorted, without NULL."""
        return sorted({row[column.name] for row in self.rows[table.name]} - {None})
