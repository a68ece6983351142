"""Known faults: edits that put one kind of error into a question that people wrote."""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from lib.metrics.errors import (
    AGGREGATE,
    COLUMN,
    COMPARISON,
    DROPPED,
    INVENTED,
    MERGED,
    ORDER,
    REPETITION,
    VALUE,
)
from lib.metrics.errors.facets import Facet, value_places, wanted
from lib.metrics.errors.readings import forms_of, is_content, read
from lib.metrics.text import joined
from lib.records import SET_OPERATORS, Clause, Schema


@dataclass(frozen=True, slots=True)
class Sample:
    """A question that people wrote, with all that an edit and a rule need to know."""

    clauses: tuple[Clause, ...]
    schema: Schema
    words: tuple[str, ...]  # of the question, in the form of `metrics.text.joined`
    positions: Mapping[str, Sequence[int]]  # kind of clause -> positions of its fragment in the words
    reference: str  # another question of the same SQL; empty if there is none

    @property
    def text(self) -> str:
        """The question."""
        return " ".join(self.words)


Edit = Callable[[Sample, random.Random], list[str] | None]  # the words of the edited text, or None if it cannot be


def drop_clause(sample: Sample, rng: random.Random) -> list[str] | None:
    """Leaves out the words that belong to one clause alone."""
    chosen = [(kind, own) for kind, own in _own_positions(sample).items() if _is_enough(sample, own)]
    if len(sample.clauses) < 2 or not chosen:
        return None
    _, own = rng.choice(chosen)
    return [word for place, word in enumerate(sample.words) if place not in own]


def _own_positions(sample: Sample) -> dict[str, set[int]]:
    own = {}
    for kind, places in sample.positions.items():
        others = {place for other, found in sample.positions.items() if other != kind for place in found}
        own[kind] = set(places) - others
    return own


def _is_enough(sample: Sample, own: set[int]) -> bool:
    """Whether a clause is gone without its own words: at least two, and all but two of its fragment."""
    return any(own >= set(places) for places in sample.positions.values() if own & set(places)) and len(own) >= 2


def invent_clause(sample: Sample, rng: random.Random) -> list[str] | None:
    """Adds a clause that the SQL does not have."""
    kinds = {clause.kind for clause in sample.clauses}
    word, number = joined(rng.choice(sample.schema.columns).natural), str(rng.randint(21, 98))
    endings = [(kind, ending) for kind, ending in _ENDINGS if kind not in kinds]
    if "select" in " ".join(clause.sql.lower()[6:] for clause in sample.clauses):
        endings = [(kind, ending) for kind, ending in endings if kind == "WHERE"]
    if not any(fact.aggregates for fact in wanted(sample.clauses, sample.schema).facts):
        endings = [(kind, ending) for kind, ending in endings if kind != "GROUP BY"]  # "for each" adds nothing else
    if not endings:
        return None
    _, ending = rng.choice(endings)
    return _body(sample.words) + ending.format(word=word, number=number).split()


_ENDINGS = (
    ("ORDER BY", ", sorted by {word}"),
    ("ORDER BY", "in alphabetical order"),
    ("ORDER BY", "in descending order of {word}"),
    ("ORDER BY", "with the highest {word}"),
    ("WHERE", "with a {word} above {number}"),
    ("WHERE", "that have more than {number} in all"),
    ("WHERE", "before {number}"),
    ("GROUP BY", "for each {word}"),
    ("GROUP BY", "per {word}"),
    ("EXCEPT", "except the blue ones"),
)


def _body(words: Sequence[str]) -> list[str]:
    return [*words[:-1], *([] if words[-1] in (".", "?", "!") else words[-1:])]


def merge_clauses(sample: Sample, rng: random.Random) -> list[str] | None:
    """Leaves out what lies between the values of two clauses, so that one phrase says half of each."""
    reading, asked = read(sample.text), wanted(sample.clauses, sample.schema)
    compared = {found.number: found for found in reading.compared}
    places = sorted(
        (place, facet.kind)
        for facet in asked.of("value")
        if facet.kind in ("WHERE", "GROUP BY", *SET_OPERATORS)
        for place in value_places(reading, facet)
        if place in compared
    )
    pairs = [(a, b) for (a, one), (b, other) in pairwise(places) if one != other]
    if not pairs or len(reading.words) != len(sample.words):
        return None
    first, second = rng.choice(pairs)
    if compared[first].start > first or compared[second].start > second:  # 30 or older
        return None
    return [*sample.words[:first], *sample.words[second:]]


def swap_aggregate(sample: Sample, rng: random.Random) -> list[str] | None:
    """Says another aggregate."""
    asked = {facet.what for facet in wanted(sample.clauses, sample.schema).of("aggregate", "SELECT")}
    places = [i for i, word in enumerate(sample.words) if _AGGREGATES.get(word) in asked]
    if not places:
        return None
    place = rng.choice(places)
    mine = _AGGREGATES[sample.words[place]]
    near = {"count", "sum"} if mine == "count" else {"count"}  # the total of boats is their number
    others = sorted(word for word, name in _AGGREGATES.items() if name not in asked | near | {mine})
    if mine == "count" and sample.words[place + 1 : place + 2] != ("of",):
        return None
    return [*sample.words[:place], rng.choice(others), *sample.words[place + 1 :]]


_AGGREGATES = {
    "average": "avg", "mean": "avg", "maximum": "max", "highest": "max", "largest": "max", "minimum": "min",
    "lowest": "min", "smallest": "min", "total": "sum", "number": "count",
}  # fmt: skip


def swap_comparison(sample: Sample, rng: random.Random) -> list[str] | None:
    """Turns a comparison or an order round."""
    reading = read(sample.text)
    if len(reading.words) != len(sample.words):
        return None
    asked = wanted(sample.clauses, sample.schema)
    places = [p for found in reading.compared for p in (found.start, found.start + 1) if reading.words[p] in _OPPOSITES]
    if not asked.of("comparison"):
        places = []
    if "ORDER BY" in asked.kinds and reading.directions:
        places += [i for i, word in enumerate(reading.words) if word in _ORDERS][:1]
    if not places:
        return None
    place = rng.choice(places)
    word = sample.words[place]
    return [*sample.words[:place], (_ORDERS | _OPPOSITES)[word], *sample.words[place + 1 :]]


def _both_ways(pairs: str) -> dict[str, str]:
    words = [pair.split("/") for pair in pairs.split()]
    return dict(words) | {b: a for a, b in words}


_OPPOSITES = _both_ways(
    """more/fewer over/under above/below after/before older/younger larger/smaller higher/lower longer/shorter
    greater/less later/earlier heavier/lighter taller/shorter least/most"""
)
_ORDERS = _both_ways(
    """descending/ascending highest/lowest largest/smallest oldest/youngest longest/shortest most/fewest
    latest/earliest greatest/least decreasing/increasing"""
)


def change_value(sample: Sample, rng: random.Random) -> list[str] | None:
    """Says another number or name in all places of one value."""
    reading, asked = read(sample.text), wanted(sample.clauses, sample.schema)
    found = [(facet, places) for facet in asked.of("value") if (places := value_places(reading, facet))]
    if not found or len(reading.words) != len(sample.words):
        return None
    facet, places = rng.choice(found)
    other = str(int(facet.what) + rng.randint(3, 9)) if facet.what.isdigit() else rng.choice(_NAMES)
    size = 1 if facet.what.isdigit() else max(1, len(facet.what.split()))
    words = list(sample.words)
    for place in reversed(places):
        words[place : place + size] = [other]
    return words


_NAMES = ("quimper", "zanzibar", "halloran", "cobalt", "wexford")


def change_column(sample: Sample, rng: random.Random) -> list[str] | None:
    """Names another column of the database in place of one."""
    asked, reading = wanted(sample.clauses, sample.schema), read(sample.text)
    known = frozenset().union(*(forms for facet in asked.facets for way in facet.ways for forms in way))
    others = [
        column.natural
        for column in sample.schema.columns
        if not frozenset().union(*map(forms_of, column.natural.split())) & (known | reading.forms)
        and all(is_content(word) for word in column.natural.split())
    ]
    found = [run for facet in asked.of("column") if (run := _run_of(sample.words, facet))]
    if not others or not found:
        return None
    start, stop = rng.choice(found)
    return [*sample.words[:start], *rng.choice(others).split(), *sample.words[stop:]]


def _run_of(words: Sequence[str], facet: Facet) -> tuple[int, int] | None:
    """The only place where a text has all words of a name, one behind the other."""
    for way in facet.ways:
        size = len(way)
        runs = [
            (start, start + size)
            for start in range(len(words) - size + 1)
            if all(forms & forms_of(words[start + i]) for i, forms in enumerate(way))
        ]
        if len(runs) == 1:
            return runs[0]
    return None


def swap_clauses(sample: Sample, rng: random.Random) -> list[str] | None:
    """Exchanges two fragments that stand side by side."""
    end = {place for place in (0, len(sample.words) - 1) if not sample.words[place].isalnum()}
    own = {kind: sorted(places - end) for kind, places in _own_positions(sample).items() if len(places - end) > 1}
    spans = sorted((places[0], places[-1] + 1) for places in own.values() if _is_range(places))
    pairs = [(a, b) for a, b in pairwise(spans) if a[1] == b[0]]
    if not pairs:
        return None
    (start, middle), (_, stop) = rng.choice(pairs)
    words = sample.words
    return [*words[:start], *words[middle:stop], *words[start:middle], *words[stop:]]


def _is_range(places: Sequence[int]) -> bool:
    return places[-1] - places[0] == len(places) - 1


def repeat(sample: Sample, rng: random.Random) -> list[str] | None:
    """Writes one to four words again, once to three times."""
    size, times = rng.randint(1, 4), rng.randint(1, 3)
    words = sample.words
    starts = [i for i in range(len(words) - size) if any(is_content(word) for word in words[i : i + size])]
    if not starts:
        return None
    start = rng.choice(starts)
    return [*words[:start], *words[start : start + size] * times, *words[start:]]


EDITS: dict[str, Edit] = {
    DROPPED: drop_clause,
    INVENTED: invent_clause,
    MERGED: merge_clauses,
    AGGREGATE: swap_aggregate,
    COMPARISON: swap_comparison,
    VALUE: change_value,
    COLUMN: change_column,
    ORDER: swap_clauses,
    REPETITION: repeat,
}
