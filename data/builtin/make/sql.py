"""SQL text: literals, joins, and the habits of handwriting that vary from query to query."""

import re
from dataclasses import dataclass
from random import Random
from typing import Any

from data.builtin.make.model import Column, Table

_TEXT = re.compile(r'"[^"]*"')
_WORD = re.compile(r"\b[A-Z]{2,}\b")
_KEYWORDS = frozenset(
    [
        "SELECT",
        "DISTINCT",
        "FROM",
        "JOIN",
        "ON",
        "AS",
        "WHERE",
        "AND",
        "OR",
        "NOT",
        "IN",
        "IS",
        "NULL",
        "LIKE",
        "BETWEEN",
        "GROUP",
        "BY",
        "HAVING",
        "ORDER",
        "ASC",
        "DESC",
        "LIMIT",
        "UNION",
        "INTERSECT",
        "EXCEPT",
    ]
)
AGGREGATES = {"avg": "average", "max": "", "min": "", "sum": "total"}


@dataclass(frozen=True, slots=True)
class Style:
    """How one query is written down."""

    quote: str  # around text values: " as in most of Spider, or '
    lower: bool  # keywords in lower case
    capital_count: bool  # COUNT and AVG in upper case
    wide: bool  # two blanks around operators, as in part of Spider
    semicolon: bool


def draw_style(rng: Random) -> Style:
    """A random style, in proportions like Spider's."""
    return Style(
        quote='"' if rng.random() < 0.65 else "'",
        lower=rng.random() < 0.12,
        capital_count=rng.random() < 0.25,
        wide=rng.random() < 0.3,
        semicolon=rng.random() < 0.05,
    )


def written(sql: str, style: Style) -> str:
    """Writes a query, given with upper-case keywords and double quotes, in a style."""
    texts = _TEXT.findall(sql)
    pieces = [_plain(piece, style) for piece in _TEXT.split(sql)]
    quoted = [style.quote + text[1:-1] + style.quote for text in texts] + [""]
    whole = "".join(piece + text for piece, text in zip(pieces, quoted, strict=True))
    return whole + (";" if style.semicolon else "")


def _plain(piece: str, style: Style) -> str:
    if style.capital_count:
        piece = re.sub(r"\b(count|avg|sum|min|max)\(", lambda found: found[0].upper(), piece)
    if style.lower:
        piece = _WORD.sub(lambda found: found[0].lower() if found[0] in _KEYWORDS else found[0], piece)
    if style.wide:
        piece = re.sub(r" (=|>|<|>=|<=|!=) ", r"  \1  ", piece)
    return piece


def literal(value: Any) -> str:
    """A value as it stands in a query."""
    return f'"{value}"' if isinstance(value, str) else str(value)


def joined(first: Table, second: Table, reference: Column) -> str:
    """FROM two tables called T1 and T2, one of which refers to the other by `reference`."""
    if reference in first.columns:
        return f"FROM {first.name} AS T1 JOIN {second.name} AS T2 ON T1.{reference.name} = T2.{second.key.name}"
    return f"FROM {first.name} AS T1 JOIN {second.name} AS T2 ON T1.{first.key.name} = T2.{reference.name}"
