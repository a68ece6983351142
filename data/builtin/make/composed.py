"""Constructs of three and four clauses without set operators."""

from data.builtin.make import conditions as c
from data.builtin.make import english
from data.builtin.make.one_clause import aggregate_word
from data.builtin.make.order_group import (
    best,
    direction,
    few,
    frequent,
    measured,
    numbered,
    per_parent,
    rich_parents,
)
from data.builtin.make.phrasing import amounts, openings, ordered, orders
from data.builtin.make.sql import joined
from data.builtin.make.world import Draft, World


def where_order(world: World) -> Draft:
    """SELECT WHERE ORDER BY."""
    table = world.table()
    key = world.column(table, "name", "num", "num", "year", "day")
    condition = c.simple(world, table, (key,), kinds=c.RICH)
    descending = world.rng.random() < (0.2 if key.role == "name" else 0.6)
    chosen = _chosen(world, table, key, condition)
    ways = orders(world, key, descending)
    texts = []
    for at, opening in enumerate(openings(world, chosen, table, verbs=False)):
        body = f"[s {opening.text}] [w {english.agree(condition.phrase)}]"
        texts.append(ordered(world, opening, body, ways[at % len(ways)]))
    sql = f"SELECT {', '.join(x.name for x in chosen)} FROM {table.name} WHERE {condition.on()} ORDER BY {key.name}"
    return Draft(sql + direction(world, descending), texts)


def where_top(world: World) -> Draft:
    """SELECT WHERE ORDER BY LIMIT 1 or more."""
    table = world.table()
    key = world.column(table, "num", "year", "day")
    condition = c.simple(world, table, (key,))
    descending = world.rng.random() < 0.65
    chosen = _chosen(world, table, key, condition)
    count = world.one_of([1, 1, 1, 2, 3])
    sql = f"SELECT {', '.join(x.name for x in chosen)} FROM {table.name} WHERE {condition.on()} ORDER BY {key.name}"
    sql = f"{sql}{direction(world, descending)} LIMIT {count}"
    if count > 1:
        rest = f"[w {english.agree(condition.phrase)}]"
        return Draft(sql, few(world, chosen, table, key, descending, count, rest))
    texts = best(world, chosen, table, key, descending, f"[w {english.agree(condition.phrase, plural=False)}]")
    adjective = key.most if descending else key.least
    if adjective and chosen == [table.title]:
        many = english.agree(condition.phrase)
        texts[1:1] = [
            f"[w Of the {table.many} {many}], [s which] [o is the {adjective}]?",
            f"[w Among the {table.many} {many}], [s give me the {table.title.one} of] [o the {adjective} one].",
        ]
    return Draft(sql, texts)


def join_where_order(world: World) -> Draft:
    """SELECT the children WHERE the parent is so ORDER BY (a join)."""
    link = world.one_of([x for x in world.links() if x.child.of_role("num", "year", "day")])
    key = world.column(link.child, "num", "year", "day")
    condition = c.of_parent(world, link)
    descending = world.rng.random() < 0.6
    chosen = _chosen(world, link.child, key)
    source = joined(link.child, link.parent, link.column)
    sql = (
        f"SELECT {', '.join(f'T1.{x.name}' for x in chosen)} {source} WHERE {condition.on('T2')} ORDER BY T1.{key.name}"
    )
    phrase, ways, texts = english.agree(condition.phrase), orders(world, key, descending), []
    if link.child.title and world.rng.random() < 0.5:
        texts = best(world, chosen, link.child, key, descending, f"[w {english.agree(condition.phrase, plural=False)}]")
        return Draft(sql + direction(world, descending) + " LIMIT 1", texts)
    for at, opening in enumerate(openings(world, chosen, link.child, verbs=False)):
        texts.append(ordered(world, opening, f"[s {opening.text}] [w {phrase}]", ways[at % len(ways)]))
    return Draft(sql + direction(world, descending), texts)


def where_group(world: World) -> Draft:
    """SELECT column, count(*) or aggregate WHERE GROUP BY."""
    table = world.table("cat", titled=False)
    column = world.column(table, "cat")
    condition = c.simple(world, table, (column,))
    rest = f"[w {english.agree(condition.phrase)}]"
    measures = [x for x in table.of_role("num") if x not in condition.columns]
    if measures and world.rng.random() < 0.5:
        measure, name = world.one_of(measures), world.one_of(["avg", "avg", "max", "min"])
        what, shown = f"{aggregate_word(name, measure)} {measure.one}", f"{name}({measure.name})"
        texts = measured(world, table, column, what, rest)
        texts.insert(1, f"[w Among the {table.many} {rest[3:-1]}], [s what is the {what}] [sg for each {column.one}]?")
    else:
        shown, texts = "count(*)", numbered(world, table, column, rest)
        texts.insert(1, f"[w Of the {table.many} {rest[3:-1]}], [s how many are there] [sg for each {column.one}]?")
    sql = f"SELECT {column.name}, {shown} FROM {table.name} WHERE {condition.on()} GROUP BY {column.name}"
    return Draft(sql, texts)


def where_having(world: World) -> Draft:
    """SELECT column WHERE GROUP BY HAVING."""
    table = world.table("cat", titled=False)
    column = world.column(table, "cat")
    condition = c.simple(world, table, (column,))
    bound, words = amounts(world, 2, 4)
    sql = (
        f"SELECT {column.name} FROM {table.name} WHERE {condition.on()} GROUP BY {column.name} HAVING count(*) {bound}"
    )
    return Draft(sql, frequent(world, table, column, words, f"[w {english.agree(condition.phrase)}]"))


def parent_where_group(world: World) -> Draft:
    """SELECT the parents, with the number of such children or only those with enough (a join)."""
    link = world.link()
    condition = c.simple(world, link.child)
    rest = f"[w {english.agree(condition.phrase)}]"
    source = joined(link.parent, link.child, link.column)
    where = f"{source} WHERE {condition.on('T2')} GROUP BY T1.{link.parent.key.name}"
    if world.rng.random() < 0.5:
        return Draft(f"SELECT T1.{link.parent.title.name}, count(*) {where}", per_parent(world, link, rest))
    bound, words = amounts(world, 2, 4)
    sql = f"SELECT T1.{link.parent.title.name} {where} HAVING count(*) {bound}"
    return Draft(sql, rich_parents(world, link, words, rest))


def commonest(world: World) -> Draft:
    """SELECT column [WHERE] GROUP BY ORDER BY count(*) LIMIT 1 or more."""
    table = world.table("cat", titled=False)
    column = world.column(table, "cat")
    condition = c.simple(world, table, (column,)) if world.rng.random() < 0.45 else None
    where = f" WHERE {condition.on()}" if condition else ""
    most, count = world.rng.random() < 0.75, world.one_of([1, 1, 1, 3])
    sql = f"SELECT {column.name} FROM {table.name}{where} GROUP BY {column.name} ORDER BY count(*)"
    sql += f"{' DESC' if most else direction(world, False)} LIMIT {count}"
    rest = f" [w {english.agree(condition.phrase)}]" if condition else ""
    texts = _common(world, table, column, most, count, rest)
    if condition and count == 1:
        word = "most" if most else "least"
        group = f"{table.many} {english.agree(condition.phrase)}"
        texts.insert(1, f"[w Among the {group}], [s what is] [go the {word} common] [sg {column.one}]?")
    return Draft(sql, texts)


def _common(world: World, table, column, most: bool, count: int, rest: str) -> list[str]:
    word, amount = ("most", "largest") if most else ("least", "smallest")
    if count > 1:
        return [
            f"[s What are] [go the three {word} common] [sg {column.many}] [s of the {table.many}]{rest}?",
            f"[s List] [go the three] [sg {column.many}] [go with the {amount} numbers of {table.many}]{rest}.",
            f"[s Find] [go the three {word} frequent] [sg {column.many}] [s among the {table.many}]{rest}.",
        ]
    few = "most" if most else "fewest"
    texts = [
        f"[s What is] [go the {word} common] [sg {column.one}] [s of the {table.many}]{rest}?",
        f"[s Find] [go the {word} common] [sg {column.one}] [s among the {table.many}]{rest}.",
        f"[s Which {column.one}] [go has the {few} {table.many}]{rest}?",
        f"[s Which {column.one}] [go occurs {word} often] [s among the {table.many}]{rest}?",
        f"[s Give me the {column.one}] [go with the {amount} number of {table.many}]{rest}.",
        f"[s Return the {column.one}] [go shared by the {few} {table.many}]{rest}.",
    ]
    world.rng.shuffle(texts)
    return texts


def busiest_parent(world: World) -> Draft:
    """SELECT the parent with the most children [that fulfil a condition] (a join)."""
    link = world.link()
    parent, child = link.parent, link.child
    condition = c.simple(world, child) if world.rng.random() < 0.5 else None
    where = f" WHERE {condition.on('T2')}" if condition else ""
    most = world.rng.random() < 0.8
    chosen = [parent.title, *world.rng.sample(parent.of_role("cat", "num", "year"), k=world.one_of([0, 0, 1]))]
    group = world.one_of([parent.key.name, parent.key.name, parent.title.name])
    sql = f"SELECT {', '.join(f'T1.{x.name}' for x in chosen)} {joined(parent, child, link.column)}{where}"
    sql += f" GROUP BY T1.{group} ORDER BY count(*){' DESC' if most else direction(world, False)} LIMIT 1"
    rest = f" [w {english.agree(condition.phrase)}]" if condition else ""
    return Draft(sql, _busiest(world, link, chosen, most, rest))


def _busiest(world: World, link, chosen: list, most: bool, rest: str) -> list[str]:
    parent, few = link.parent, "most" if most else "fewest"
    what = english.listing([x.one for x in chosen])
    verb = english.agree(link.column.have, plural=False).format(f"the {few} {link.child.many}")
    number = f"{'largest' if most else 'smallest'} number of {link.child.many}"
    texts = [
        f"[s Find the {what} of the {parent.one}] [go {c.relative(parent)} {verb}]{rest}.",
        f"[s What {'is' if len(chosen) == 1 else 'are'} the {what} of the {parent.one}] [go with the {number}]{rest}?",
        f"[s Give the {what} of the {parent.one}] [go with the {few} {link.child.many}]{rest}.",
        f"[s Which {parent.one}] [go {verb}]{rest}?"
        if len(chosen) == 1
        else f"[s Which {parent.one}] [go {verb}]{rest}? [s Show the {what}].",
    ]
    world.rng.shuffle(texts)
    return texts


def groups_in_order(world: World) -> Draft:
    """SELECT column, count(*) or aggregate [WHERE] GROUP BY [HAVING] ORDER BY."""
    table = world.table("cat", titled=False)
    column = world.column(table, "cat")
    condition = c.simple(world, table, (column,)) if world.rng.random() < 0.5 else None
    where = f" WHERE {condition.on()}" if condition else ""
    rest = f" [w {english.agree(condition.phrase)}]" if condition else ""
    descending = world.rng.random() < 0.65
    measures = [x for x in table.of_role("num") if not condition or x not in condition.columns]
    if measures and world.rng.random() < 0.5:
        measure, name = world.one_of(measures), world.one_of(["avg", "avg", "max"])
        shown, (first, last) = f"{name}({measure.name})", (measure.high, measure.low)
        what = f"{aggregate_word(name, measure)} {measure.one} of the {table.many}"
        thing = measure.one if name == "max" else f"average {measure.one}"
    else:
        shown, thing, what, (first, last) = "count(*)", "number", f"number of {table.many}", ("largest", "smallest")
    if not descending:
        first, last = last, first
    sql = f"SELECT {column.name}, {shown} FROM {table.name}{where} GROUP BY {column.name} ORDER BY {shown}"
    order = "descending" if descending else "ascending"
    texts = [
        f"[sg For each {column.one}], [s show the {what}]{rest}, [o in {order} order of that {thing}].",
        f"[s What is the {what}]{rest} [sg for each {column.one}]? [o Sort the result by that {thing}, {first} first].",
        f"[s List] [sg each {column.one}] [s with the {what}]{rest}, [o from the {first} {thing} to the {last}].",
        f"[s Give the {what}]{rest} [sg per {column.one}], [o starting with the {first} {thing}].",
        f"[s Show the {what}]{rest} [sg for every {column.one}] [o and put the {first} {thing} first].",
    ]
    world.rng.shuffle(texts)
    return Draft(sql + direction(world, descending), texts)


def having_in_order(world: World) -> Draft:
    """SELECT column [WHERE] GROUP BY HAVING ORDER BY."""
    table = world.table("cat", titled=False)
    column = world.column(table, "cat")
    condition = c.simple(world, table, (column,)) if world.rng.random() < 0.6 else None
    where = f" WHERE {condition.on()}" if condition else ""
    rest = f" [w {english.agree(condition.phrase)}]" if condition else ""
    bound, words = amounts(world, 2, 3)
    by_name = world.rng.random() < 0.5
    key = column.name if by_name else "count(*) DESC"
    ways = (
        ["in alphabetical order", "sorted alphabetically", "ordered from A to Z"]
        if by_name
        else ["the most frequent first", "from the most frequent to the rarest", "starting with the most common"]
    )
    sql = f"SELECT {column.name} FROM {table.name}{where} GROUP BY {column.name} HAVING count(*) {bound} ORDER BY {key}"
    texts = [
        f"[s List the {column.many}] [g with {words} {table.many}]{rest}, [o {ways[0]}].",
        f"[s What are the {column.many}] [g shared by {words} {table.many}]{rest}, [o {ways[1]}]?",
        f"[s Show the {column.many}] [g that have {words} {table.many}]{rest}, [o {ways[2]}].",
        f"[s Which {column.many}] [g have {words} {table.many}]{rest}? [o {_order_sentence(by_name)}].",
    ]
    world.rng.shuffle(texts)
    return Draft(sql, texts)


def _order_sentence(by_name: bool) -> str:
    return "Put them in alphabetical order" if by_name else "Put the most frequent first"


def parents_in_order(world: World) -> Draft:
    """SELECT the parent's name, count(*) [WHERE] GROUP BY ORDER BY (a join)."""
    link = world.link()
    parent, child, title = link.parent, link.child, link.parent.title
    condition = c.simple(world, child) if world.rng.random() < 0.5 else None
    where = f" WHERE {condition.on('T2')}" if condition else ""
    rest = f" [w {english.agree(condition.phrase)}]" if condition else ""
    descending = world.rng.random() < 0.7
    first, last = ("largest", "smallest") if descending else ("smallest", "largest")
    verb = english.agree(link.column.have).format("")
    sql = f"SELECT T1.{title.name}, count(*) {joined(parent, child, link.column)}{where}"
    sql += f" GROUP BY T1.{parent.key.name} ORDER BY count(*){direction(world, descending)}"
    way = "descending" if descending else "ascending"
    names = f"the {title.many} of the {parent.many}"
    show = f"show the {title.one} and the number of {child.many}"
    count = f"[s How many {child.many}]{rest} [sg does each {parent.one}] [s {' '.join(verb.split())}]?"
    texts = [
        f"[g For each {parent.one}], [s {show}]{rest}, [o {first} number first].",
        f"{count} [o Sort the {parent.many} from the {first} number to the {last}].",
        f"[s List {names} with the number of {child.many}]{rest} [g for each], [o {way} by that number].",
        f"[g For every {parent.one}], [s {show}]{rest}, [o in {way} order of that number].",
    ]
    world.rng.shuffle(texts)
    return Draft(sql, texts)


def _chosen(world: World, table, key, condition: c.Condition | None = None) -> list:
    null = condition is not None and condition.sql.endswith("IS NULL")
    fixed = [x for x in condition.columns if x.role == "cat" or null] if condition else []
    chosen = [x for x in world.shown(table) if x not in (*fixed, key)]
    if key.role == "name":
        return [key, *chosen[:1]]
    return chosen or [table.title or world.one_of([])]


CONSTRUCTS = {
    where_order: 6, where_top: 7, join_where_order: 5, where_group: 5, where_having: 3, parent_where_group: 5,
    commonest: 6, busiest_parent: 7, groups_in_order: 5, having_in_order: 5, parents_in_order: 4,
}  # fmt: skip
