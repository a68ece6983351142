"""Columns that are neither grouped nor aggregated: SQLite takes them from any row of the group.

Such a golden result is determined only if all rows of each group agree, which the database can tell: the least and the
greatest value of the column in the group are then the same.
"""

import re

from lib.accuracy.outline import Item, Outline
from lib.accuracy.records import Limits

_AGGREGATE = re.compile(r"\b(?:count|sum|avg|total|group_concat|string_agg)\s*\(", re.IGNORECASE)
_CHOOSING = re.compile(r"\b(?:min|max)\s*\(", re.IGNORECASE)  # with one of these SQLite takes the row that has it
_GROUPED = re.compile(r"\bgroup\s+by\b", re.IGNORECASE)


def undetermined_columns(shape: Outline, engine, limits: Limits) -> bool:
    """Whether a golden query returns a column whose value SQLite was free to choose.

    Args:
        shape: the query's top level.
        engine: the database; only SQLite allows such columns.
        limits: of the query that looks.
    """
    if engine.dialect != "sqlite" or shape.compound or shape.distinct or shape.items_stop < 0:
        return False
    if _CHOOSING.search(shape.text) or not (_GROUPED.search(shape.text) or _AGGREGATE.search(shape.text)):
        return False
    columns = [item for item in shape.items if _is_column(item)]
    if not columns or (len(columns) == len(shape.items) and not _GROUPED.search(shape.text)):
        return False
    bounds = "".join(f", min({item.text}), max({item.text}), count({item.text}), count(*)" for item in columns)
    result = engine.run(shape.text[: shape.items_stop] + bounds + shape.text[shape.items_stop :], limits, golden=True)
    if result.status != "ok":
        return False
    first = len(result.columns) - 4 * len(columns)  # a star stands for several columns
    return any(_differs(row[place : place + 4]) for row in result.rows for place in range(first, len(row), 4))


def _is_column(item: Item) -> bool:
    name = item.tokens[-1]
    return (len(item.tokens) == 1 or (len(item.tokens) == 3 and item.tokens[1] == ".")) and (
        name[0] in '"`[' or name.isidentifier()
    )


def _differs(bounds: tuple) -> bool:
    least, greatest, known, rows = bounds
    return least != greatest or 0 < known < rows
