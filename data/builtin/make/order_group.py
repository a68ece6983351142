"""Constructs of two clauses with ORDER BY or GROUP BY."""

from data.builtin.make import english
from data.builtin.make.conditions import relative
from data.builtin.make.one_clause import aggregate_word
from data.builtin.make.phrasing import amounts, extremes, openings, ordered, orders, single, wanted
from data.builtin.make.sql import AGGREGATES, joined
from data.builtin.make.world import Draft, World


def direction(world: World, descending: bool) -> str:
    """How the direction is written; ascending is most often left out."""
    return " DESC" if descending else world.one_of([" ASC", "", ""])


def sorted_rows(world: World) -> Draft:
    """SELECT columns ORDER BY one."""
    table = world.table()
    key = world.column(table, "name", "num", "num", "year", "day")
    descending = world.rng.random() < (0.2 if key.role == "name" else 0.6)
    chosen = [x for x in world.shown(table) if x != key]
    if key.role == "name" or not chosen:
        chosen = [table.title, *chosen[:1]]
    ways = orders(world, key, descending)
    texts = []
    for at, opening in enumerate(openings(world, chosen, table, verbs=False)):
        texts.append(ordered(world, opening, f"[s {opening.text}]", ways[at % len(ways)]))
    sql = f"SELECT {', '.join(x.name for x in chosen)} FROM {table.name} ORDER BY {key.name}"
    return Draft(sql + direction(world, descending), texts)


def top(world: World) -> Draft:
    """SELECT columns ORDER BY one LIMIT 1."""
    table = world.table()
    key = world.column(table, "num", "year", "day")
    descending = world.rng.random() < 0.65
    chosen = [x for x in world.shown(table) if x != key] or [table.title]
    sql = f"SELECT {', '.join(x.name for x in chosen)} FROM {table.name} ORDER BY {key.name}"
    return Draft(f"{sql}{direction(world, descending)} LIMIT 1", best(world, chosen, table, key, descending))


def best(world: World, chosen: list, table, key, descending: bool, rest: str = "") -> list[str]:
    """Marked questions for the row at one end; `rest` is a marked condition behind its noun."""
    texts = []
    for _ in range(4):
        for way in extremes(key, descending):
            before, noun, mark = single(world, chosen, table)
            texts.append(_placed(before, noun, way, rest) + mark)
    if chosen == [table.title]:
        for way in extremes(key, descending):
            if way.startswith("["):
                texts.append(f"[s Which {table.one}{_joint(rest)} [o is {way.split('[o ')[1].split(']')[0]}]?")
            else:
                value = f"{key.high if descending else key.low} {key.one}"
                texts.append(f"[s Which {table.one}{_joint(rest)} [o has the {value}]?")
    world.rng.shuffle(texts)
    return texts


def _joint(rest: str) -> str:
    return f"] {rest}" if rest else "]"


def _placed(before: str, noun: str, way: str, rest: str) -> str:
    rest = f" {rest}" if rest else ""
    if way.startswith("["):
        return f"[s {before}] {way.format(f'[s {noun}]')}{rest}"
    tail = way.split(" ", 1)[1]
    return f"[s {before} the {noun}]{rest} {tail}"


def top_few(world: World) -> Draft:
    """SELECT columns ORDER BY one LIMIT n."""
    table = world.table()
    key = world.column(table, "num", "year", "day")
    count, descending = world.rng.randint(2, 6), world.rng.random() < 0.65
    chosen = [x for x in world.shown(table) if x != key] or [table.title]
    sql = f"SELECT {', '.join(x.name for x in chosen)} FROM {table.name} ORDER BY {key.name}"
    return Draft(
        f"{sql}{direction(world, descending)} LIMIT {count}", few(world, chosen, table, key, descending, count)
    )


def few(world: World, chosen: list, table, key, descending: bool, count: int, rest: str = "") -> list[str]:
    """Marked questions for several rows at one end."""
    word, rest = english.number(count, world.rng), f" {rest}" if rest else ""
    adjective, value = (key.most, key.high) if descending else (key.least, key.low)
    what, noun = wanted(chosen), table.many
    texts = [
        f"[s What are the {what} of] [o the {word}] [s {noun}]{rest} [o with the {value} {key.one}]?",
        f"[s List the {what} of] [o the {word}] [s {noun}]{rest} [o with the {value} {key.one}].",
    ]
    if adjective:
        texts += [
            f"[s What are the {what} of] [o the {word} {adjective}] [s {noun}]{rest}?",
            f"[s Show the {what} of] [o the {word} {adjective}] [s {noun}]{rest}.",
            f"[s Give me the {what} of] [o the {word} {adjective}] [s {noun}]{rest}.",
        ]
        if chosen == [table.title]:
            texts.append(f"[s Which {noun}]{rest} [o are the {word} {adjective}]?")
    world.rng.shuffle(texts)
    return texts


def by_parent(world: World) -> Draft:
    """SELECT a column of the child ORDER BY one of the parent, or the other way round, LIMIT 1."""
    link = world.one_of([x for x in world.links() if x.child.title and x.parent.of_role("num", "year")])
    key = world.column(link.parent, "num", "year")
    descending = world.rng.random() < 0.6
    sql = f"SELECT T1.{link.child.title.name} {joined(link.child, link.parent, link.column)} ORDER BY T2.{key.name}"
    first, last = (key.high, key.low) if descending else (key.low, key.high)
    order = f"the {key.one} of their {link.parent.many}"
    many = link.child.title.many
    return Draft(
        sql + direction(world, descending),
        [
            f"[s List the {many} of the {link.child.many}], [o sorted by {order}, {first} first].",
            f"[s Show the {many} of all {link.child.many}] [o in order of {order}, from {first} to {last}].",
            f"[s What are the {many} of the {link.child.many}], [o ordered by {order} starting with the {first}]?",
        ],
    )


def count_per_value(world: World) -> Draft:
    """SELECT column, count(*) GROUP BY column."""
    table = world.table("cat", titled=False)
    column = world.column(table, "cat")
    shown = world.one_of([f"{column.name}, count(*)", f"count(*), {column.name}"])
    sql = f"SELECT {shown} FROM {table.name} GROUP BY {column.name}"
    return Draft(sql, numbered(world, table, column))


def numbered(world: World, table, column, rest: str = "") -> list[str]:
    """Marked questions for the number of rows per value; `rest` is a marked condition behind the noun."""
    rest = f" {rest}" if rest else ""
    texts = [
        f"[s How many {table.many}]{rest} [s are there] [sg for each {column.one}]?",
        f"[sg For each {column.one}], [s how many {table.many}]{rest} [s are there]?",
        f"[sg For each {column.one}], [s give the number of {table.many}]{rest}.",
        f"[s Count the {table.many}]{rest} [sg for each {column.one}].",
        f"[s What is the number of {table.many}]{rest} [sg per {column.one}]?",
        f"[s Show] [sg each {column.one}] [s with its number of {table.many}]{rest}.",
        f"[s What are the {column.many}, and how many {table.many}]{rest} [s are there] [g for each of them]?",
    ]
    texts += [
        f"[s How many {table.many}]{rest} [sg {english.agree(english.predicate(fit)).format(f'each {column.one}')}]?"
        for fit in column.fits
        if column.one.split()[-1] not in fit and not rest and "{}" in fit
    ]
    world.rng.shuffle(texts)
    return texts


def aggregate_per_value(world: World) -> Draft:
    """SELECT column, aggregate GROUP BY column."""
    table = world.table("cat", "num", titled=False)
    column, measure = world.column(table, "cat"), world.column(table, "num")
    name = world.one_of([x for x in AGGREGATES if x != "sum" or measure.total])
    sql = f"SELECT {column.name}, {name}({measure.name}) FROM {table.name} GROUP BY {column.name}"
    return Draft(sql, measured(world, table, column, f"{aggregate_word(name, measure)} {measure.one}"))


def measured(world: World, table, column, what: str, rest: str = "") -> list[str]:
    """Marked questions for an aggregate per value."""
    rest = f" {rest}" if rest else ""
    texts = [
        f"[s What is the {what} of the {table.many}]{rest} [sg for each {column.one}]?",
        f"[sg For each {column.one}], [s what is the {what} of the {table.many}]{rest}?",
        f"[s Find the {what} of the {table.many}]{rest} [sg in each {column.one}]."
        if "in {}" in " ".join(column.fits)
        else f"[s Find the {what} of the {table.many}]{rest} [sg for every {column.one}].",
        f"[s Show] [sg each {column.one}] [s along with the {what} of its {table.many}]{rest}.",
        f"[s List the {column.many} and the {what} of the {table.many}]{rest} [g for each].",
    ]
    world.rng.shuffle(texts)
    return texts


def count_per_parent(world: World) -> Draft:
    """SELECT the parent's name, count(*) GROUP BY parent (a join)."""
    link = world.link()
    parent, child = link.parent, link.child
    group = world.one_of([parent.key.name, parent.key.name, parent.title.name])
    sql = f"SELECT T1.{parent.title.name}, count(*) {joined(parent, child, link.column)} GROUP BY T1.{group}"
    return Draft(sql, per_parent(world, link))


def per_parent(world: World, link, rest: str = "") -> list[str]:
    """Marked questions for the number of children of each parent."""
    parent, child, title = link.parent, link.child, link.parent.title
    verb, rest = english.agree(link.column.have).format("").split(), f" {rest}" if rest else ""
    pronoun = "they have" if parent.who else "it has"
    texts = [
        f"[s How many {child.many}]{rest} [sg does each {parent.one}] [s {' '.join(verb)}]?",
        f"[s Show the {title.one} of] [g each {parent.one}] [s and the number of {child.many}]{rest}.",
        f"[g For each {parent.one}], [s give the {title.one} and the number of {child.many}]{rest}.",
        f"[s List the {title.many} of the {parent.many} and the number of {child.many}]{rest} [g for each].",
        f"[g For every {parent.one}], [s show its {title.one} and how many {child.many} {pronoun}]."
        if not rest and not parent.who
        else f"[s Count the {child.many}]{rest} [g of every {parent.one}] [s and show the {title.one}].",
    ]
    world.rng.shuffle(texts)
    return texts


def having_count(world: World) -> Draft:
    """SELECT column GROUP BY column HAVING count(*)."""
    table = world.table("cat", titled=False)
    column = world.column(table, "cat")
    bound, words = amounts(world)
    sql = f"SELECT {column.name} FROM {table.name} GROUP BY {column.name} HAVING count(*) {bound}"
    return Draft(sql, frequent(world, table, column, words))


def frequent(world: World, table, column, words: str, rest: str = "") -> list[str]:
    """Marked questions for values with some number of rows."""
    rest = f" {rest}" if rest else ""
    texts = [
        f"[s Which {column.many}] [g have {words} {table.many}]{rest}?",
        f"[s What are the {column.many}] [g that {words} {table.many}]{rest} [g share]?",
        f"[s List the {column.many}] [g with {words} {table.many}]{rest}.",
        f"[s Find every {column.one}] [g that {words} {table.many}]{rest} [g have].",
        f"[s Show the {column.many}] [g shared by {words} {table.many}]{rest}.",
    ]
    world.rng.shuffle(texts)
    return texts


def having_average(world: World) -> Draft:
    """SELECT column GROUP BY column HAVING avg(number)."""
    table = world.table("cat", "num", titled=False)
    column, measure = world.column(table, "cat"), world.column(table, "num")
    values = world.values(table, measure)
    cut, (sign, side) = round(values[len(values) // 2]), world.one_of([(">", "above"), ("<", "below")])
    limit = f"{cut} {measure.unit}".strip()
    sql = f"SELECT {column.name} FROM {table.name} GROUP BY {column.name} HAVING avg({measure.name}) {sign} {cut}"
    return Draft(
        sql,
        [
            f"[s Which {column.many}] [g have {table.many} with an average {measure.one} {side} {limit}]?",
            f"[s For which {column.many}] [g is the average {measure.one} of the {table.many} {side} {limit}]?",
            f"[s List the {column.many}] [g whose {table.many} have an average {measure.one} {side} {limit}].",
            f"[s Find the {column.many}] [g for which the {table.many} have an average {measure.one} {side} {limit}].",
        ],
    )


def having_children(world: World) -> Draft:
    """SELECT the parents with some number of children (a join)."""
    link = world.link()
    bound, words = amounts(world)
    group = world.one_of([link.parent.key.name, link.parent.key.name, link.parent.title.name])
    source = joined(link.parent, link.child, link.column)
    sql = f"SELECT T1.{link.parent.title.name} {source} GROUP BY T1.{group} HAVING count(*) {bound}"
    return Draft(sql, rich_parents(world, link, words))


def rich_parents(world: World, link, words: str, rest: str = "") -> list[str]:
    """Marked questions for parents with some number of children."""
    parent, rest = link.parent, f" {rest}" if rest else ""
    verb = english.agree(link.column.have).format(f"{words} {link.child.many}")
    texts = [
        f"[s Which {parent.many}] [g {verb}]{rest}?",
        f"[s What are the {parent.title.many} of the {parent.many}] [g {relative(parent)} {verb}]{rest}?",
        f"[s List the {parent.title.many} of {parent.many}] [g with {words} {link.child.many}]{rest}.",
        f"[s Find the {parent.many}] [g {relative(parent)} {verb}]{rest} [s and show their {parent.title.many}].",
    ]
    world.rng.shuffle(texts)
    return texts


CONSTRUCTS = {
    sorted_rows: 6, top: 6, top_few: 3, by_parent: 2, count_per_value: 5, aggregate_per_value: 5, count_per_parent: 4,
    having_count: 3, having_average: 2, having_children: 4,
}  # fmt: skip
