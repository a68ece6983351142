"""Constructs with INTERSECT, UNION and EXCEPT."""

from data.builtin.make import conditions as c
from data.builtin.make import english
from data.builtin.make.phrasing import amounts, direct, openings, tail
from data.builtin.make.sql import joined
from data.builtin.make.world import Draft, World


def union(world: World) -> Draft:
    """SELECT WHERE UNION SELECT WHERE, on two columns."""
    table = world.table()
    first, second = _pair(world, table)
    select = f"SELECT {table.title.name} FROM {table.name} WHERE"
    verbs, texts = direct(first.phrase) and direct(second.phrase), []
    for opening in openings(world, [table.title], table, verbs=verbs):
        one, two = tail(opening, first.phrase), tail(opening, second.phrase)
        if verbs and not opening.verb and english.is_clause(first.phrase) != english.is_clause(second.phrase):
            one, two = (english.agree(english.predicate(x.phrase)) for x in (first, second))
            one = f"{c.relative(table)} {one}"
        either = (
            "[u either] "
            if one == english.agree(first.phrase)
            and not english.is_clause(one)
            and not opening.verb
            and world.rng.random() < 0.3
            else ""
        )
        texts.append(f"[s {opening.text}] {either}[w {one}] [u or {two}]{opening.mark}")
    texts.append(
        f"[s List the {table.title.many} of all {table.many}] [w {english.agree(first.phrase)}], "
        f"[u as well as those {english.agree(second.phrase)}]."
    )
    return Draft(f"{select} {first.on()} UNION {select} {second.on()}", texts)


def except_rows(world: World) -> Draft:
    """SELECT WHERE EXCEPT SELECT WHERE, on two columns."""
    table = world.table()
    first, second = _pair(world, table)
    select = f"SELECT {table.title.name} FROM {table.name} WHERE"
    second_phrase = english.agree(second.phrase)
    ways = [
        f"except those {second_phrase}",
        f"but leave out the ones {second_phrase}",
        f"apart from those {second_phrase}",
        f"except for the ones {second_phrase}",
    ]
    texts = []
    for at, opening in enumerate(openings(world, [table.title], table, verbs=direct(first.phrase))):
        way = ways[at % 4] if opening.command or not ways[at % 4].startswith("but") else ways[0]
        texts.append(f"[s {opening.text}] [w {tail(opening, first.phrase)}], [e {way}]{opening.mark}")
    return Draft(f"{select} {first.on()} EXCEPT {select} {second.on()}", texts)


def _pair(world: World, table) -> tuple[c.Condition, c.Condition]:
    first = c.simple(world, table)
    return first, c.simple(world, table, first.columns, c.POSITIVE)


def shared_values(world: World) -> Draft:
    """SELECT column WHERE INTERSECT or EXCEPT SELECT column WHERE."""
    table = world.table("cat", titled=False)
    column = world.column(table, "cat")
    first = c.simple(world, table, (column,))
    second = c.simple(world, table, (column,))
    if first.columns == second.columns and not c.opposed(first, second):
        second = c.simple(world, table, (column, *first.columns))
    select = f"SELECT {column.name} FROM {table.name} WHERE"
    one, two = english.agree(first.phrase), english.agree(second.phrase)
    if world.rng.random() < 0.5:
        texts = [
            f"[s Which {column.many}] [w have {table.many} {one}] [e but no {table.many} {two}]?",
            f"[s List the {column.many} of the {table.many}] [w {one}], [e except those of {table.many} {two}].",
            f"[s What are the {column.many}] [w of {table.many} {one}], [e leaving out those of {table.many} {two}]?",
        ]
        return Draft(f"{select} {first.on()} EXCEPT {select} {second.on()}", texts)
    texts = [
        f"[s Which {column.many}] [w have {table.many} {one}] [i as well as {table.many} {two}]?",
        f"[s What are the {column.many}] [i that both] [w {table.many} {one}] [i and {table.many} {two} have]?",
        f"[s Find the {column.many}] [i shared by] [w {table.many} {one}] [i and {table.many} {two}].",
        f"[s List the {column.many}] [w of {table.many} {one}] [i that are also {column.many} of {table.many} {two}].",
    ]
    return Draft(f"{select} {first.on()} INTERSECT {select} {second.on()}", texts)


def two_children(world: World) -> Draft:
    """SELECT the parents WHERE a child is so INTERSECT, UNION or EXCEPT WHERE a child is so (joins)."""
    link = world.link()
    first = c.simple(world, link.child)
    second = c.simple(world, link.child)
    if first.columns == second.columns and not (c.opposed(first, second) or _two_values(first, second)):
        second = c.simple(world, link.child, first.columns)
    title = link.parent.title
    select = f"SELECT T1.{title.name} {joined(link.parent, link.child, link.column)} WHERE"
    operator = world.one_of(["INTERSECT", "INTERSECT", "UNION", "EXCEPT"])
    texts = []
    for opening in openings(world, [title], link.parent):
        texts.append(f"[s {opening.text}] {_children(link, opening, operator, first, second)}{opening.mark}")
    return Draft(f"{select} {first.on('T2')} {operator} {select} {second.on('T2')}", texts)


def _two_values(first: c.Condition, second: c.Condition) -> bool:
    return first.sql != second.sql and all(" = " in one.sql for one in (first, second))


def _children(link, opening, operator: str, first: c.Condition, second: c.Condition) -> str:
    one = f"{link.child.many} {english.agree(first.phrase)}"
    two = f"{link.child.many} {english.agree(second.phrase)}"
    pronoun = "" if opening.verb else c.relative(link.parent) + " "
    verb, _, rest = english.agree(link.column.have).partition("{}")
    if rest.strip():  # "have books on loan": the verb closes around both objects
        one, two = one + rest, two + rest
    if operator == "UNION":
        return f"[w {pronoun}{verb}{one}] [u or {two}]"
    if operator == "EXCEPT":
        return f"[w {pronoun}{verb}{one}] [e but no {two}]"
    return f"[w {pronoun}{verb.strip()}] [i both] [w {one}] [i and {two}]"


def minus_children(world: World) -> Draft:
    """SELECT the parents EXCEPT those that have a child [of some kind] (a join)."""
    link = world.link()
    title = link.parent.title
    condition = c.simple(world, link.child, kinds=c.POSITIVE) if world.rng.random() < 0.75 else None
    where = f" WHERE {condition.on('T2')}" if condition else ""
    source = joined(link.parent, link.child, link.column)
    sql = f"SELECT {title.name} FROM {link.parent.name} EXCEPT SELECT T1.{title.name} {source}{where}"
    phrase = c.without_child(link, condition)
    texts = []
    for opening in openings(world, [title], link.parent):
        texts.append(f"[s {opening.text}] [e {tail(opening, phrase)}]{opening.mark}")
    if condition:
        those = english.agree(c.with_child(link, condition))
        texts.insert(1, f"[s List the {title.many} of all {link.parent.many}] [e except those {those}].")
    return Draft(sql, texts)


def groups_minus(world: World) -> Draft:
    """SELECT column [WHERE] GROUP BY HAVING, EXCEPT, INTERSECT or UNION SELECT column WHERE."""
    table = world.table("cat", titled=False)
    column = world.column(table, "cat")
    where = c.simple(world, table, (column,)) if world.rng.random() < 0.6 else None
    second = c.simple(world, table, (column, *(where.columns if where else ())))
    bound, words = amounts(world, 2, 3)
    if bound.startswith("<"):
        world.one_of([])
    select = f"SELECT {column.name} FROM {table.name}"
    middle = f" WHERE {where.on()}" if where else ""
    rest = f" [w {english.agree(where.phrase)}]" if where else ""
    two, operator = english.agree(second.phrase), world.one_of(["EXCEPT", "EXCEPT", "INTERSECT", "UNION"])
    sql = f"{select}{middle} GROUP BY {column.name} HAVING count(*) {bound} {operator} {select} WHERE {second.on()}"
    endings = {
        "EXCEPT": [f"[e but none {two}]", f"[e except those with {table.many} {two}]"],
        "INTERSECT": [f"[i and also {table.many} {two}]", f"[i and that also have {table.many} {two}]"],
        "UNION": [f"[u or any {table.many} {two}]", f"[u or that have {table.many} {two}]"],
    }[operator]
    texts = [
        f"[s Which {column.many}] [g have {words} {table.many}]{rest} {endings[0]}?",
        f"[s List the {column.many}] [g that have {words} {table.many}]{rest} {endings[1]}.",
        f"[s Find the {column.many}] [g with {words} {table.many}]{rest} {endings[0]}.",
        f"[s What are the {column.many}] [g with {words} {table.many}]{rest} {endings[operator != 'INTERSECT']}?",
    ]
    return Draft(sql, texts)


def minus_values(world: World) -> Draft:
    """SELECT name EXCEPT SELECT name WHERE; two clauses."""
    table = world.table()
    condition = c.simple(world, table, kinds=c.POSITIVE)
    title, phrase = table.title, english.agree(condition.phrase)
    sql = f"SELECT {title.name} FROM {table.name} EXCEPT SELECT {title.name} FROM {table.name} WHERE {condition.on()}"
    return Draft(
        sql,
        [
            f"[s List the {title.many} of all {table.many}] [e except those {phrase}].",
            f"[s What are the {title.many} of the {table.many}], [e leaving out those {phrase}]?",
            f"[s Give me the {title.many} of all the {table.many}] [e apart from the ones {phrase}].",
            f"[s Show the {title.many} of the {table.many}], [e but not of those {phrase}].",
        ],
    )


CONSTRUCTS = {
    union: 4, except_rows: 4, shared_values: 5, two_children: 7, minus_children: 4, groups_minus: 6, minus_values: 2,
}  # fmt: skip
