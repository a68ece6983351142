"""Canonical texts of small pieces of SQL: numbers, lists of values, conditions."""

from decimal import Decimal, InvalidOperation

NESTED = "(query)"  # stands for a nested query in an item; the query itself is compared apart


def number(text: str) -> str:
    """A number without what does not change it.

    >>> number("5.0"), number("1e2"), number(".50")
    ('5', '100', '0.5')
    """
    try:
        value = Decimal(text)
    except InvalidOperation:
        return text
    return format(value.normalize(), "f") if value.is_finite() and abs(value.adjusted()) < 40 else text


def membership(subject: str, values: list[str]) -> str:
    """Says that a subject has one of some values.

    >>> membership("t.a", ["2", "1", "2"]), membership("t.a", ["1"])
    ('t.a IN (1, 2)', 't.a = 1')
    """
    unique = sorted(set(values))
    if len(unique) == 1 and unique[0] != NESTED:
        return f"{subject} = {unique[0]}"
    return f"{subject} IN ({', '.join(unique)})"


def choice(text: str) -> tuple[str, list[str]]:
    """A condition that lists values of one column: the column and the values."""
    column, found, value = text.partition(" = ")
    if found and " " not in column and (value[:1] == "'" or value[:1].isdigit()) and value.count("'") in (0, 2):
        return column, [value]
    column, found, values = text.partition(" IN (")
    if found and " " not in column and NESTED[1:] not in values and "'" not in values:
        return column, values[:-1].split(", ")
    return "", []


def merge(conditions: list[str]) -> list[str]:
    """Without conditions that are said twice."""
    return list(dict.fromkeys(conditions))
