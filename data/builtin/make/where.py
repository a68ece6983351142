"""Constructs of two clauses with WHERE."""

from data.builtin.make import conditions as c
from data.builtin.make import english
from data.builtin.make.one_clause import aggregate_word
from data.builtin.make.phrasing import Opening, direct, openings, tail, wanted
from data.builtin.make.sql import AGGREGATES, joined
from data.builtin.make.world import Draft, World


def rows(world: World) -> Draft:
    """SELECT columns WHERE one condition of a common kind."""
    return _rows(world, c.RICH)


def missing(world: World) -> Draft:
    """SELECT columns WHERE IS NULL or IS NOT NULL."""
    return _rows(world, (c.unknown,))


def alternatives(world: World) -> Draft:
    """SELECT columns WHERE one of two values."""
    return _rows(world, (c.either,))


def spelling(world: World) -> Draft:
    """SELECT columns WHERE LIKE."""
    return _rows(world, (c.like,))


def ranges(world: World) -> Draft:
    """SELECT columns WHERE BETWEEN."""
    return _rows(world, (c.between,))


def compared_inside(world: World) -> Draft:
    """SELECT columns WHERE a nested query gives the value to compare with."""
    return _rows(world, (c.above_average, c.same_as))


def _rows(world: World, kinds: tuple) -> Draft:
    table = world.table()
    condition = c.simple(world, table, kinds=kinds)
    chosen = _others(world, table, condition)
    sql = f"SELECT {', '.join(x.name for x in chosen)} FROM {table.name} WHERE {condition.on()}"
    return Draft(sql, described(world, chosen, table, condition.phrase))


def two_conditions(world: World) -> Draft:
    """SELECT columns WHERE two conditions."""
    table = world.table()
    first, second = pair(world, table)
    chosen = _others(world, table, first, second)
    sql = f"SELECT {', '.join(x.name for x in chosen)} FROM {table.name} WHERE {first.on()} AND {second.on()}"
    phrase = english.both(first.phrase, second.phrase)
    verb = english.predicates(first.phrase, second.phrase) if direct(first.phrase) and direct(second.phrase) else ""
    return Draft(sql, described(world, chosen, table, phrase, verb))


def pair(world: World, table, but: tuple = ()) -> tuple[c.Condition, c.Condition]:
    """Two conditions on different columns, in an order that English can join."""
    first = c.simple(world, table, but)
    second = c.simple(world, table, (*but, *first.columns))
    if english.is_clause(first.phrase) and not english.is_clause(second.phrase):
        return second, first
    return first, second


def count(world: World) -> Draft:
    """SELECT count(*) WHERE."""
    table = world.table(titled=False)
    condition = c.simple(world, table, kinds=c.RICH)
    return Draft(f"SELECT count(*) FROM {table.name} WHERE {condition.on()}", counted(world, table, condition.phrase))


def aggregate(world: World) -> Draft:
    """SELECT an aggregate WHERE."""
    table = world.table("num", titled=False)
    column = world.column(table, "num")
    name = world.one_of([x for x in AGGREGATES if x != "sum" or column.total])
    condition = c.simple(world, table, (column,))
    what = f"{aggregate_word(name, column)} {column.one}"
    phrase = english.agree(condition.phrase)
    return Draft(
        f"SELECT {name}({column.name}) FROM {table.name} WHERE {condition.on()}",
        [
            f"[s What is the {what} of the {table.many}] [w {phrase}]?",
            f"[s Find the {what} of all {table.many}] [w {phrase}].",
            f"[s Give me the {what} of {table.many}] [w {phrase}].",
            f"[w For the {table.many} {phrase}], [s what is the {what}]?",
        ],
    )


def by_parent(world: World) -> Draft:
    """SELECT columns of the child WHERE its parent is so (a join of two tables)."""
    link = world.one_of([x for x in world.links() if x.child.of_role("cat", "num", "year")])
    condition = c.of_parent(world, link)
    source = joined(link.child, link.parent, link.column)
    if world.rng.random() < 0.3:
        sql = f"SELECT count(*) {source} WHERE {condition.on('T2')}"
        return Draft(sql, counted(world, link.child, condition.phrase))
    chosen = world.shown(link.child)
    sql = f"SELECT {', '.join(f'T1.{x.name}' for x in chosen)} {source} WHERE {condition.on('T2')}"
    return Draft(sql, described(world, chosen, link.child, condition.phrase))


def by_child(world: World) -> Draft:
    """SELECT the parents that have a child of some kind: DISTINCT over a join, or IN."""
    link = world.link()
    condition = c.simple(world, link.child)
    chosen = [link.parent.title]
    phrase = c.with_child(link, condition)
    if world.rng.random() < 0.6:
        columns = ", ".join(f"T1.{x.name}" for x in chosen)
        sql = f"SELECT DISTINCT {columns} {joined(link.parent, link.child, link.column)} WHERE {condition.on('T2')}"
    else:
        inner = f"SELECT {link.column.name} FROM {link.child.name} WHERE {condition.on()}"
        sql = f"SELECT {chosen[0].name} FROM {link.parent.name} WHERE {link.parent.key.name} IN ({inner})"
    return Draft(sql, described(world, chosen, link.parent, phrase))


def childless(world: World) -> Draft:
    """SELECT the parents that have no child (of some kind): NOT IN."""
    link = world.link()
    condition = c.simple(world, link.child, kinds=c.POSITIVE) if world.rng.random() < 0.5 else None
    inner = f"SELECT {link.column.name} FROM {link.child.name}" + (f" WHERE {condition.on()}" if condition else "")
    phrase = c.without_child(link, condition)
    where = f"WHERE {link.parent.key.name} NOT IN ({inner})"
    if world.rng.random() < 0.25:
        return Draft(f"SELECT count(*) FROM {link.parent.name} {where}", counted(world, link.parent, phrase))
    chosen = world.shown(link.parent)
    sql = f"SELECT {', '.join(x.name for x in chosen)} FROM {link.parent.name} {where}"
    return Draft(sql, described(world, chosen, link.parent, phrase))


def across(world: World) -> Draft:
    """SELECT over a bridge (a join of three tables)."""
    bridge, left, middle, right = world.bridge()
    condition = c.simple(world, right)
    words = f"{right.many} {english.agree(condition.phrase)}"
    if right.title and world.rng.random() < 0.35:
        value = world.one_of(world.values(right, right.title))
        condition, words = c.Condition(f'{{t}}{right.title.name} = "{value}"', "", ()), value
    chosen = [left.title or world.one_of([])]
    sql = (
        f"SELECT DISTINCT {', '.join(f'T1.{x.name}' for x in chosen)} FROM {left.name} AS T1 "
        f"JOIN {middle.name} AS T2 ON T1.{left.key.name} = T2.{bridge.left} "
        f"JOIN {right.name} AS T3 ON T2.{bridge.right} = T3.{right.key.name} WHERE {condition.on('T3')}"
    )
    return Draft(sql, described(world, chosen, left, bridge.phrase.format(words)))


def described(world: World, chosen: list, table, phrase: str, verb: str = "") -> list[str]:
    """Marked questions for rows with a condition; `verb` is its verb phrase where no rule gives it."""
    texts = []
    for opening in openings(world, chosen, table, verbs=direct(phrase)):
        ending = english.agree(verb) if opening.verb and verb else tail(opening, phrase)
        texts.append(f"[s {opening.text}] [w {ending}]{opening.mark}")
    plain, whole = wanted(chosen), english.agree(phrase)
    if world.rng.random() < 0.4:
        texts.insert(0, f"[w For the {table.many} {whole}], [s what are their {plain}]?")
    if world.rng.random() < 0.2:
        texts.insert(0, f"[w Look at the {table.many} {whole}]. [s What are their {plain}]?")
    if world.rng.random() < 0.2 and chosen != [table.title]:
        texts.insert(0, f"[s Show the {plain} for all {table.many}] [w {whole}].")
    return texts


def counted(world: World, table, phrase: str) -> list[str]:
    """Marked questions for the number of rows with a condition."""
    whole = english.agree(phrase)
    texts = [
        f"[s Count the {table.many}] [w {whole}].",
        f"[s What is the number of {table.many}] [w {whole}]?",
        f"[s Find the number of {table.many}] [w {whole}].",
    ]
    if direct(phrase):
        texts += [f"[s How many {table.many}] [w {tail(Opening('', '?', verb=True), phrase)}]?"] * 3
        texts.append(f"[s How many of the {table.many}] [w {tail(Opening('', '?', verb=True), phrase)}]?")
    else:
        texts.append(f"[s How many {table.many} are there] [w {whole}]?")
    world.rng.shuffle(texts)
    return texts


def _others(world: World, table, *used: c.Condition) -> list:
    """Columns to select that the conditions do not already fix."""
    fixed = [x for one in used for x in one.columns if x.role == "cat" or one.sql.endswith("IS NULL")]
    return [x for x in world.shown(table) if x not in fixed] or [table.title or world.one_of([])]


CONSTRUCTS = {
    rows: 5, missing: 2, alternatives: 2, spelling: 2, ranges: 2, compared_inside: 3, two_conditions: 6, count: 5,
    aggregate: 5, by_parent: 8, by_child: 6, childless: 5, across: 6,
}  # fmt: skip
