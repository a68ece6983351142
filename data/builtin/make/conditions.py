"""Conditions on one table: SQL, and the phrase that says it behind a noun."""

from dataclasses import dataclass
from typing import Any

from data.builtin.make import english
from data.builtin.make.model import Column, Table
from data.builtin.make.sql import literal
from data.builtin.make.world import Link, NoChoice, World


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition; `{t}` in its SQL stands for the alias of the table."""

    sql: str
    phrase: str  # plural|singular forms still in it
    columns: tuple[Column, ...]

    def on(self, alias: str = "") -> str:
        """The SQL for a table that is called `alias`."""
        return self.sql.replace("{t}", f"{alias}." if alias else "")


def equal(world: World, table: Table, but: tuple[Column, ...] = ()) -> Condition:
    """A text column has a value."""
    column = world.column(table, "cat", but=but)
    value = world.one_of(world.values(table, column))
    phrase = world.one_of(list(column.fits)).format(_said(world, column, value))
    return Condition(f"{{t}}{column.name} = {literal(value)}", phrase, (column,))


def different(world: World, table: Table, but: tuple[Column, ...] = ()) -> Condition:
    """A text column has another value."""
    column = world.one_of([c for c in table.of_role("cat") if c.unfit and c not in but])
    value = world.one_of(world.values(table, column))
    return Condition(
        f"{{t}}{column.name} != {literal(value)}", column.unfit.format(_said(world, column, value)), (column,)
    )


def either(world: World, table: Table, but: tuple[Column, ...] = ()) -> Condition:
    """A text column has one of two values."""
    column = world.column(table, "cat", but=but)
    values = world.values(table, column)
    if len(values) < 3:
        raise NoChoice
    first, second = world.rng.sample(values, 2)
    words = f"{column.says.get(first, first)} or {column.says.get(second, second)}"
    phrase = world.one_of(list(column.fits)).format(words)
    if world.rng.random() < 0.4:
        return Condition(f"{{t}}{column.name} IN ({literal(first)}, {literal(second)})", phrase, (column,))
    sql = f"{{t}}{column.name} = {literal(first)} OR {{t}}{column.name} = {literal(second)}"
    return Condition(sql, phrase, (column,))


def compared(world: World, table: Table, but: tuple[Column, ...] = ()) -> Condition:
    """A number or year is above or below a value."""
    column = world.column(table, "num", "year", but=but)
    values = world.values(table, column)
    cut = world.one_of(values[len(values) // 5 : -len(values) // 5] or values)
    cut = _rounded(cut, values)
    sign, phrase = world.one_of([(">", column.over), ("<", column.under)])
    return Condition(f"{{t}}{column.name} {sign} {cut}", phrase.format(measured(column, cut)), (column,))


def between(world: World, table: Table, but: tuple[Column, ...] = ()) -> Condition:
    """A number or year lies in a range."""
    column = world.column(table, "num", "year", but=but)
    values = world.values(table, column)
    low, high = _rounded(values[len(values) // 4], values), _rounded(values[-len(values) // 4], values)
    if low >= high:
        raise NoChoice
    pattern = column.span or f"whose {column.one} is|is between {{}} and {{}}"
    phrase = pattern.format(low, measured(column, high))
    return Condition(f"{{t}}{column.name} BETWEEN {low} AND {high}", phrase, (column,))


def flagged(world: World, table: Table, but: tuple[Column, ...] = ()) -> Condition:
    """A yes–no column says yes or no."""
    if world.rng.random() < 0.65:
        return affirmed(world, table, but)
    column = world.column(table, "flag", but=but)
    return Condition(f"{{t}}{column.name} = {literal(world.values(table, column)[0])}", column.unfit, (column,))


def affirmed(world: World, table: Table, but: tuple[Column, ...] = ()) -> Condition:
    """A yes–no column says yes."""
    column = world.column(table, "flag", but=but)
    yes = world.values(table, column)[-1]  # "Y" > "N", "T" > "F"
    return Condition(f"{{t}}{column.name} = {literal(yes)}", column.fits[0], (column,))


def like(world: World, table: Table, but: tuple[Column, ...] = ()) -> Condition:
    """The name starts with a letter or holds a word."""
    column = table.title
    if column is None or column in but:
        raise NoChoice
    value = world.one_of(world.values(table, column))
    word = world.one_of(value.split())
    quoted = world.one_of(['"{}"', "'{}'"])
    pattern, phrase = world.one_of(
        [
            (f"{value[0]}%", f"whose {column.one} starts with the letter {quoted.format(value[0])}"),
            (f"{value[0]}%", f"whose {column.one} begins with {quoted.format(value[0])}"),
            (f"%{word}%", f"whose {column.one} contains {quoted.format(word)}"),
            (f"%{word}%", f"with the word {quoted.format(word)} in their|its {column.one}"),
        ]
    )
    if "the word" in phrase and table.who:
        raise NoChoice
    return Condition(f"{{t}}{column.name} LIKE {literal(pattern)}", phrase, (column,))


def unknown(world: World, table: Table, but: tuple[Column, ...] = ()) -> Condition:
    """A value is missing, or is there."""
    holes = [c for c in table.of_role("cat", "num", "year") if c not in but and _has_holes(world, table, c)]
    column = world.one_of(holes)
    absent = [f"whose {column.one} is unknown", f"without a known {column.one}", f"whose {column.one} is not recorded"]
    present = [f"whose {column.one} is known", f"whose {column.one} has been recorded"]
    if world.rng.random() < 0.65:
        return Condition(f"{{t}}{column.name} IS NULL", world.one_of(absent), (column,))
    return Condition(f"{{t}}{column.name} IS NOT NULL", world.one_of(present), (column,))


def above_average(world: World, table: Table, but: tuple[Column, ...] = ()) -> Condition:
    """A number is above or below the average of its table."""
    column = world.column(table, "num", but=but)
    sign, side, than, phrase = world.one_of(
        [(">", "above", "greater", column.over), ("<", "below", "less", column.under)]
    )
    phrases = [
        f"whose {column.one} is {side} the average",
        f"whose {column.one} is {than} than the average {column.one}",
    ]
    if phrase.endswith("than {}"):
        phrases.append(phrase.format("average"))
        phrases.append(phrase.format(f"the average {table.one}"))
    sql = f"{{t}}{column.name} {sign} (SELECT avg({column.name}) FROM {table.name})"
    return Condition(sql, world.one_of(phrases), (column,))


def same_as(world: World, table: Table, but: tuple[Column, ...] = ()) -> Condition:
    """A text column has the same value as in the row of a given name."""
    column, title = world.column(table, "cat", but=but), table.title
    if title is None:
        raise NoChoice
    row = world.one_of([row for row in world.rows[table.name] if row[column.name] is not None])
    inner = f"SELECT {column.name} FROM {table.name} WHERE {title.name} = {literal(row[title.name])}"
    phrase = f"with the same {column.one} as {row[title.name]}"
    return Condition(f"{{t}}{column.name} = ({inner})", phrase, (column, title))


SIMPLE = (equal, equal, equal, compared, compared, flagged, different)
POSITIVE = (equal, equal, compared, affirmed)  # for what stands behind a negation
RICH = (*SIMPLE, either, between, like, unknown)


def simple(world: World, table: Table, but: tuple[Column, ...] = (), kinds: tuple = SIMPLE) -> Condition:
    """A condition of a random kind that this table allows."""
    kinds = list(kinds)
    world.rng.shuffle(kinds)
    for kind in kinds:
        try:
            return kind(world, table, but)
        except NoChoice:
            continue
    raise NoChoice


def opposed(first: Condition, second: Condition) -> bool:
    """Whether one asks for more and the other for less."""
    return {"<", ">"} == {sign for one in (first, second) for sign in ("<", ">") if f" {sign} " in one.sql}


def of_parent(world: World, link: Link, kinds: tuple = SIMPLE) -> Condition:
    """Rows of the child whose parent has a certain name or fulfils a condition; `{t}` is the parent."""
    if link.parent.title and world.rng.random() < 0.4:
        value = world.one_of(world.values(link.parent, link.parent.title))
        return Condition(f"{{t}}{link.parent.title.name} = {literal(value)}", link.column.of.format(value), ())
    condition = simple(world, link.parent, kinds=kinds)
    words = f"{link.parent.many} {english.agree(condition.phrase)}"
    return Condition(condition.sql, link.column.of.format(words), condition.columns)


def with_child(link: Link, condition: Condition) -> str:
    """Phrase for rows of the parent that have a child row which fulfils a condition."""
    children = f"{link.child.many} {english.agree(condition.phrase)}"
    return f"{relative(link.parent)} {link.column.have.format(children)}"


def without_child(link: Link, condition: Condition | None = None) -> str:
    """Phrase for rows of the parent that have no such child row."""
    children = link.child.many + (f" {english.agree(condition.phrase)}" if condition else "")
    verb = english.agree(link.column.have).format(f"any {children}")
    return f"{relative(link.parent)} do|does not {verb}"


def relative(table: Table) -> str:
    """The relative pronoun for rows of a table."""
    return "who" if table.who else "that"


def measured(column: Column, value: Any) -> str:
    """A number with its unit."""
    return f"{value} {column.unit}".strip()


def _said(world: World, column: Column, value: str) -> str:
    word = column.says.get(value, value)
    if value in column.says or world.rng.random() < 0.85:
        return word
    return world.one_of([f"'{word}'", f'"{word}"'])


def _rounded(value: Any, values: list) -> Any:
    """A rounder number near a value, if the column's numbers are large."""
    if isinstance(value, float):
        return round(value) if values[-1] > 10 or value == int(value) else value
    size = 1000 if values[-1] >= 20000 else 100 if values[-1] >= 4000 else 10 if values[-1] >= 300 else 5
    if values[0] >= 1000 and values[-1] <= 2030:  # years stay as they are
        return value
    return value if values[-1] < 60 else round(value / size) * size


def _has_holes(world: World, table: Table, column: Column) -> bool:
    return any(row[column.name] is None for row in world.rows[table.name])
