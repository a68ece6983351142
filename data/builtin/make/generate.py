"""Draws questions for one database from all constructs, keeping what runs and gives rows."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from sqlite3 import Connection

from data.builtin.make import composed, markup, one_clause, order_group, sets, where
from data.builtin.make.model import Domain
from data.builtin.make.sql import draw_style, written
from data.builtin.make.world import Draft, NoChoice, World

CONSTRUCTS: dict[Callable[[World], Draft], int] = (
    one_clause.CONSTRUCTS | where.CONSTRUCTS | order_group.CONSTRUCTS | composed.CONSTRUCTS | sets.CONSTRUCTS
)
_LIMITED = re.compile(r"SELECT .+? (?P<rest>FROM .+ ORDER BY (?P<key>\S+)(?: DESC| ASC)?) LIMIT (?P<count>\d+)")
_TRIES = 60  # draws for one query before its construct is given up for this database


@dataclass(frozen=True, slots=True)
class Item:
    """One question of the corpus with its query and, where known, its fragments."""

    db_id: str
    question: str
    query: str
    fragments: dict[str, list[int]]
    construct: str  # what made it, or "handwritten"


def generate(domain: Domain, rows: dict, connection: Connection, seed: int, scale: float) -> Iterator[Item]:
    """Yields the questions of one database, the paraphrases of a query behind each other.

    Args:
        domain: the database.
        rows: its rows, by table name.
        connection: to the database, for trying the queries.
        seed: of the random choices.
        scale: queries per unit of weight of a construct.
    """
    rng = Random(f"{seed}:{domain.db_id}:questions")
    world, seen = World(domain, rows, rng), set()
    for construct, weight in CONSTRUCTS.items():
        for _ in range(_rounded(weight * scale, rng)):
            draft = _draft(world, construct, connection, seen)
            if draft:
                yield from _items(domain, draft, _called(construct), rng, seen)


def _draft(world: World, construct: Callable[[World], Draft], connection: Connection, seen: set) -> Draft | None:
    for _ in range(_TRIES):
        try:
            draft = construct(world)
        except NoChoice:
            continue
        if draft.sql not in seen and _sound(connection, draft.sql):
            seen.add(draft.sql)
            return draft
    return None


def _sound(connection: Connection, sql: str) -> bool:
    """Whether a query gives rows that it fully determines: no tie cut by LIMIT, no NULL for a group or at an end."""
    found = connection.execute(sql).fetchall()
    if "GROUP BY" in sql and any(None in row for row in found):
        return False
    limited = _LIMITED.fullmatch(sql)
    if limited:
        key, count = limited["key"], int(limited["count"])
        probe = f"SELECT {key} {limited['rest']} LIMIT {count + 1}"
        keys = [row[0] for row in connection.execute(probe)]
        if None in keys[:count] or len(keys) <= count or keys[count - 1] == keys[count]:
            return False
    return gives_rows(connection, sql)


def gives_rows(connection: Connection, sql: str) -> bool:
    """Whether a query runs and gives rows, not counting a single row of zeros and NULLs."""
    found = connection.execute(sql).fetchmany(2)
    return len(found) == 2 or bool(found and any(found[0]))


def _items(domain: Domain, draft: Draft, construct: str, rng: Random, seen: set) -> Iterator[Item]:
    sql = written(draft.sql, draw_style(rng))
    texts = list(dict.fromkeys(draft.texts))
    head, rest = texts[:2], texts[2:]  # constructs put their rarer forms early
    rng.shuffle(rest)
    texts = rng.sample(head + rest[:4], len(head + rest[:4]))
    wanted, made = rng.choice([2, 2, 2, 3]), 0
    for text in texts:
        marked = markup.read(text)
        if made < wanted and marked.question not in seen:
            seen.add(marked.question)
            made += 1
            yield Item(domain.db_id, marked.question, sql, marked.fragments, construct)


def _called(construct: Callable) -> str:
    return f"{construct.__module__.rsplit('.', 1)[1]}.{construct.__name__}"


def _rounded(amount: float, rng: Random) -> int:
    """A whole number near the amount, the fraction drawn."""
    return int(amount) + (rng.random() < amount - int(amount))
