"""What people are asked to rate: two scales with their anchors, and a blind choice of texts (paper 5.1.4).

The paper takes the mean of BLEU, exact match and a human rating; how people rated, it does not say. Here they rate
fluency and adequacy from 1 to 5, without knowing which system wrote a text.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

from lib.errors import ParameterError
from lib.metrics.text import joined
from lib.records import Pair
from lib.sql_tokens import lex
from lib.tokens import detokenize

SCALES = ("fluency", "adequacy")
LEVELS = (1, 2, 3, 4, 5)
_FUNCTIONS = ("count", "avg", "min", "max", "sum")
QUESTIONS = {
    "fluency": "Is the text good English? Look at its words alone, not at the SQL. Capitals do not count.",
    "adequacy": "Does the text ask for what the SQL computes? Look at the meaning alone, however clumsy the words.",
}
RUBRIC = {
    "fluency": {
        5: "Flawless: a fluent speaker could have written it.",
        4: "One small slip, such as an article or a plural, that does not slow reading.",
        3: "Clumsy or wrong in places, yet understood at first reading.",
        2: "Hard to read: parts must be read twice, words are missing or repeated.",
        1: "No sentence: scraps or a string of words; also an empty text.",
    },
    "adequacy": {
        5: "All that the SQL does and nothing else: one could write the SQL again from the text.",
        4: "Every clause is there; one detail is vague, but most readers would guess it rightly.",
        3: "One clause is missing, invented or wrong: a column, value, comparison, aggregate or order.",
        2: "Two or more clauses are missing, invented or wrong, but it is about the same things.",
        1: "About something else, or not to be understood; also an empty text.",
    },
}


@dataclass(frozen=True, slots=True)
class Item:
    """One text to be rated, and what raters must not see of it."""

    number: int  # what raters see; says nothing about system or pair
    repeat_of: int | None  # number of the item that it silently repeats
    pair: str  # id of the test pair
    sql: str  # of the pair, as shown to raters
    clauses: int  # of the pair
    text: str  # as shown to raters
    systems: tuple[str, ...]  # all that wrote this text for this pair


@dataclass(frozen=True, slots=True)
class Rating:
    """What one person says of one item; None where nothing was said."""

    rater: str  # name of the sheet
    item: int  # number of the item
    fluency: int | None  # 1 to 5
    adequacy: int | None  # 1 to 5
    remark: str  # free words


@dataclass(frozen=True, slots=True)
class Ratings:
    """Items with all that was said of them."""

    items: tuple[Item, ...]  # in the order of their numbers
    raters: tuple[str, ...]  # all who have a sheet
    ratings: tuple[Rating, ...]  # sheet by sheet; those with neither scale are left out

    def values(self, scale: str) -> dict[tuple[str, int], int]:
        """The ratings on one scale by rater and item, repeats included."""
        found = {(rating.rater, rating.item): getattr(rating, scale) for rating in self.ratings}
        return {key: value for key, value in found.items() if value is not None}

    def of_raters(self, *names: str) -> "Ratings":
        """Those of some raters only."""
        return Ratings(self.items, names, tuple(rating for rating in self.ratings if rating.rater in names))


def shown(text: str) -> str:
    """A text as raters see it: in lower case and spaced alike, since capitals and blanks betray the system.

    >>> shown("Which halls in Brno 's centre are open ?"), shown("which halls in brno's centre are open?")
    ("which halls in brno's centre are open?", "which halls in brno's centre are open?")
    """
    return detokenize(joined(text).split())


def shown_sql(sql: str) -> str:
    """A query as raters see it: with the blanks that people write.

    >>> shown_sql("SELECT T1 . name , count ( * ) FROM hall AS T1 WHERE T1 . id IN ( 1 , 2 )")
    'SELECT T1.name, count(*) FROM hall AS T1 WHERE T1.id IN (1, 2)'
    """
    text, last = "", ""
    for token in lex(sql):
        called = token.text == "(" and last.lower() in _FUNCTIONS
        tight = not text or called or token.text in (".", ",", ")") or last in (".", "(")
        text, last = f"{text}{'' if tight else ' '}{token.text}", token.text
    return text


def choose(
    texts: Mapping[str, Sequence[str]], pairs: Sequence[Pair], items: int, seed: int, repeats: int = 5
) -> tuple[Item, ...]:
    """Chooses what is rated: of each chosen pair the texts of all systems, so that systems are compared on the same.

    Pairs are drawn by number of clauses, in proportion, with at least one of each number where there is room; of
    several pairs with the same SQL only one is drawn. A text that several systems wrote is rated once for all.

    Args:
        texts: what each system wrote, a text for each pair, in their order.
        pairs: test pairs.
        items: most texts on a sheet, repeats not counted.
        seed: of the choice.
        repeats: texts that come twice, to see whether raters agree with themselves.

    Returns:
        Items by number. Numbers are drawn at random.

    Raises:
        ParameterError: if there is nothing to rate, the numbers of texts and pairs differ, or `items` has no room for
            the texts of a single pair.
    """
    _check(texts, pairs, items, repeats)
    rng, chosen = Random(seed), []
    for index in _drawn(pairs, rng):
        found = _distinct(texts, index, pairs[index])
        if len(chosen) + len(found) > items:
            break
        chosen += found
    if not chosen:
        raise ParameterError(f"'items' must be at least {len(found)}, the texts of one pair, not {items}")
    again = [(item, True) for item in rng.sample(chosen, min(repeats, len(chosen)))]
    return _numbered([(item, False) for item in chosen] + again, rng)


def _check(texts: Mapping[str, Sequence[str]], pairs: Sequence[Pair], items: int, repeats: int) -> None:
    if not texts or not pairs:
        raise ParameterError("nothing to rate: there must be a system and a test pair")
    for system, written in texts.items():
        if len(written) != len(pairs):
            raise ParameterError(f"'{system}' has {len(written)} texts for {len(pairs)} pairs: give one for each")
    if items < 1 or repeats < 0:
        raise ParameterError(f"'items' must be at least 1 and 'repeats' at least 0, not {items} and {repeats}")


def _drawn(pairs: Sequence[Pair], rng: Random) -> list[int]:
    """Pairs with distinct SQL in an order of which any beginning holds each number of clauses in proportion."""
    order = list(range(len(pairs)))
    rng.shuffle(order)
    first = {pairs[index].sql: index for index in reversed(order)}  # of each SQL the first in that order
    strata: dict[int, list[int]] = {}
    for index in (i for i in order if first[pairs[i].sql] == i):
        strata.setdefault(pairs[index].n_clauses, []).append(index)
    places = [
        (place / len(stratum), size, index)
        for size, stratum in sorted(strata.items())
        for place, index in enumerate(stratum)
    ]
    return [index for _, _, index in sorted(places)]


def _distinct(texts: Mapping[str, Sequence[str]], index: int, pair: Pair) -> list[Item]:
    """The different texts for one pair, not numbered yet."""
    authors: dict[str, list[str]] = {}
    for system in sorted(texts):
        authors.setdefault(shown(texts[system][index]), []).append(system)
    return [
        Item(0, None, pair.id, shown_sql(pair.sql), pair.n_clauses, text, tuple(systems))
        for text, systems in authors.items()
    ]


def _numbered(items: Sequence[tuple[Item, bool]], rng: Random) -> tuple[Item, ...]:
    """Items with random numbers; those marked as repeats point to the item with the same pair and text."""
    order = list(items)
    rng.shuffle(order)
    numbers = {(item.pair, item.text): number for number, (item, is_repeat) in enumerate(order, 1) if not is_repeat}
    return tuple(
        replace(item, number=number, repeat_of=numbers[item.pair, item.text] if is_repeat else None)
        for number, (item, is_repeat) in enumerate(order, 1)
    )


def order_for(items: Sequence[Item], rater: str, seed: int) -> list[Item]:
    """The items in the order of one rater's sheet, other for each; a repeat comes in the other half than its model.

    Args:
        items: all items.
        rater: name of the sheet.
        seed: of the study.
    """
    rng = Random(f"{seed} {rater}")  # a text seeds alike everywhere, unlike its hash
    repeated = {item.repeat_of for item in items if item.repeat_of}
    plain = [item for item in items if not item.repeat_of and item.number not in repeated]
    rng.shuffle(plain)
    half = len(plain) // 2
    early = plain[:half] + [item for item in items if item.number in repeated]
    late = plain[half:] + [item for item in items if item.repeat_of]
    rng.shuffle(early)
    rng.shuffle(late)
    if early and len(late) > 1 and late[0].repeat_of == early[-1].number:  # side by side it would be seen
        late.append(late.pop(0))
    return early + late


def still_written(ratings: Ratings, texts: Mapping[str, Sequence[str]], pairs: Sequence[Pair]) -> tuple[Ratings, int]:
    """Leaves out what systems no longer write, such as after another training.

    Args:
        ratings: all ratings.
        texts: what each system writes now, a text for each pair.
        pairs: test pairs.

    Returns:
        The ratings with the systems of each item that still write its text, and how many texts of systems were left
        out (repeats not counted).
    """
    now = {
        (system, pair.id): shown(text)
        for system, written in texts.items()
        for pair, text in zip(pairs, written, strict=True)
    }
    items, gone = [], 0
    for item in ratings.items:
        kept = tuple(system for system in item.systems if now.get((system, item.pair)) == item.text)
        gone += 0 if item.repeat_of else len(item.systems) - len(kept)
        items.append(replace(item, systems=kept))
    return replace(ratings, items=tuple(items)), gone


def by_clauses(items: Iterable[Item]) -> dict[int, int]:
    """How many texts there are of each number of clauses, repeats not counted."""
    counts: dict[int, int] = {}
    for item in items:
        if not item.repeat_of:
            counts[item.clauses] = counts.get(item.clauses, 0) + 1
    return dict(sorted(counts.items()))
