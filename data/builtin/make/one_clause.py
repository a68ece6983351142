"""Constructs of one clause: SELECT alone."""

from data.builtin.make import english
from data.builtin.make.phrasing import wanted
from data.builtin.make.sql import AGGREGATES, joined
from data.builtin.make.world import Draft, World


def columns(world: World) -> Draft:
    """SELECT one, two or three columns of all rows."""
    table = world.table()
    chosen = world.shown(table, 1, 3)
    what = wanted(chosen)
    sql = f"SELECT {', '.join(column.name for column in chosen)} FROM {table.name}"
    return Draft(
        sql,
        [
            f"[s What are the {what} of all {table.many}]?",
            f"[s List the {what} of all the {table.many}].",
            f"[s Show the {wanted(chosen, plural=False)} of every {table.one}].",
            f"[s Give me the {wanted(chosen, plural=False)} of each {table.one}].",
            f"[s For every {table.one}, show the {wanted(chosen, plural=False)}].",
            f"[s Can you list the {what} of the {table.many}]?",
        ],
    )


def count(world: World) -> Draft:
    """SELECT count(*)."""
    table = world.table(titled=False)
    return Draft(
        f"SELECT count(*) FROM {table.name}",
        [
            f"[s How many {table.many} are there]?",
            f"[s Count the {table.many}].",
            f"[s What is the total number of {table.many}]?",
            f"[s How many {table.many} do we have]?",
        ],
    )


def count_distinct(world: World) -> Draft:
    """SELECT count(DISTINCT column)."""
    table = world.table("cat", titled=False)
    column = world.column(table, "cat")
    return Draft(
        f"SELECT count(DISTINCT {column.name}) FROM {table.name}",
        [
            f"[s How many different {column.many} are there among the {table.many}]?",
            f"[s Count the distinct {column.many} of the {table.many}].",
            f"[s How many different {column.many} do the {table.many} have]?",
            f"[s What is the number of different {column.many} of {table.many}]?",
        ],
    )


def distinct(world: World) -> Draft:
    """SELECT DISTINCT column."""
    table = world.table("cat", titled=False)
    column = world.column(table, "cat")
    return Draft(
        f"SELECT DISTINCT {column.name} FROM {table.name}",
        [
            f"[s What are the different {column.many} of the {table.many}]?",
            f"[s List all distinct {column.many} of the {table.many}].",
            f"[s Which {column.many} occur among the {table.many}]?",
            f"[s Show every {column.one} that a {table.one} can have, without repeats].",
        ],
    )


def aggregates(world: World) -> Draft:
    """SELECT one to three aggregates of a number."""
    table = world.table("num", titled=False)
    column = world.column(table, "num")
    usable = [name for name in AGGREGATES if name != "sum" or column.total]
    chosen = world.rng.sample(usable, world.rng.choice([1, 2, 2, 3]) if len(usable) > 2 else 1)
    words = english.listing([aggregate_word(name, column) for name in chosen])
    verb = "is" if len(chosen) == 1 else "are"
    return Draft(
        f"SELECT {', '.join(f'{name}({column.name})' for name in chosen)} FROM {table.name}",
        [
            f"[s What {verb} the {words} {column.one} of the {table.many}]?",
            f"[s What {verb} the {words} {column.one} across all {table.many}]?",
            f"[s Find the {words} {column.one} of all {table.many}].",
            f"[s Show me the {words} {column.one} over all {table.many}].",
        ],
    )


def aggregate_word(name: str, column) -> str:
    """The adjective for an aggregate of a column."""
    return {"max": column.high, "min": column.low}.get(name) or AGGREGATES[name]


def with_parent(world: World) -> Draft:
    """SELECT a column of the child and the name of its parent."""
    link = world.link()
    child, parent = link.child, link.parent
    column = child.title or world.column(child, "cat", "num", "year", "day")
    title, both = parent.title, f"{column.one} of every {child.one}"
    return Draft(
        f"SELECT T1.{column.name}, T2.{title.name} {joined(child, parent, link.column)}",
        [
            f"[s Show the {column.one} of each {child.one} together with the {title.one} of its {parent.one}].",
            f"[s What are the {column.many} of the {child.many} and the {title.many} of their {parent.many}]?",
            f"[s List the {both} along with the {title.one} of the corresponding {parent.one}].",
            f"[s For every {child.one}, give its {column.one} and the {title.one} of the {parent.one}].",
        ],
    )


CONSTRUCTS = {columns: 5, count: 1, count_distinct: 2, distinct: 2, aggregates: 4, with_parent: 3}
