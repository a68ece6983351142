"""Recombination: clauses of other questions of a database behind the clauses of one, for longer training pairs.

A way to teach composition with nothing but the training part (compare Jia and Liang 2016; Andreas 2020). A clause may
follow the clauses of another question if both questions' queries read from the same tables under the same aliases, so
that the new SQL is valid, and if its kind comes later, so that the new text is in a usual order. A set operation also
needs the same SELECT clause.
"""

import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lib.records import KINDS, SET_OPERATORS, Pair
from lib.splitting import split

_RANK = {kind: rank for rank, kind in enumerate(KINDS)}
_TOTALS = (3, 4)  # clauses of a new pair; what the training part of the study lacks
_TRIES = 10  # draws of a donor from another example, and of a head for each pair wanted
_STOPS = (".", "?", "!")


@dataclass(frozen=True, slots=True)
class _Place:
    """What a query offers to clauses that follow: clauses of queries with the same place may follow each other."""

    db_id: str
    select: str  # its SELECT clause, or what stands in it behind FROM


def recombine(pairs: Sequence[Pair], wholes: Mapping[str, str], count: int, rng: random.Random) -> list[Pair]:
    """Makes new pairs of 3 or 4 clauses.

    Args:
        pairs: of the training part, with texts.
        wholes: the whole query of each example.
        count: of new pairs, at least 0; fewer come out if nothing can be recombined.
        rng: decides which.

    Returns:
        Pairs whose SQL starts with SELECT, with ids of their own; none of them holds two donors of one example.
    """
    selects = {example: split(wholes[example])[0].sql for example in sorted({pair.example_id for pair in pairs})}
    donors = _donors(pairs, selects)
    choices = [(pair, _choices(pair, selects, donors)) for pair in pairs if pair.kinds[0] == "SELECT"]
    heads = [(pair, lists) for pair, lists in choices if lists]
    made: list[Pair] = []
    for _ in range(_TRIES * count if heads else 0):
        parts = _parts(*rng.choice(heads), rng)
        if len(parts) > 1:
            made.append(_joined(parts, len(made)))
        if len(made) == count:
            break
    return made


def _places(db_id: str, select: str, kind: str) -> _Place:
    said = " ".join(select.lower().split())
    return _Place(db_id, said if kind in SET_OPERATORS else said.partition(" from ")[2])


def _donors(pairs: Sequence[Pair], selects: Mapping[str, str]) -> dict[tuple[_Place, str], list[Pair]]:
    """Pairs of one clause that can follow others, by place and kind."""
    found: dict[tuple[_Place, str], list[Pair]] = defaultdict(list)
    for pair in pairs:
        if pair.n_clauses == 1 and pair.kinds[0] != "SELECT":
            kind = pair.kinds[0]
            found[_places(pair.db_id, selects[pair.example_id], kind), kind].append(pair)
    return found


def _choices(head: Pair, selects: Mapping[str, str], donors: Mapping) -> list[list[Pair]]:
    """For each kind that may follow, in order, the pairs that have it."""
    if head.kinds[-1] in SET_OPERATORS:
        return []
    later = KINDS[_RANK[head.kinds[-1]] + 1 :]
    found = (donors.get((_places(head.db_id, selects[head.example_id], kind), kind)) for kind in later)
    return [pairs for pairs in found if pairs]


def _parts(head: Pair, choices: Sequence[Sequence[Pair]], rng: random.Random) -> list[Pair]:
    """The head and what follows it, each from an example of its own."""
    wanted = max(1, rng.choice(_TOTALS) - head.n_clauses)
    parts = [head]
    for kind in sorted(rng.sample(range(len(choices)), min(wanted, len(choices)))):
        used = {part.example_id for part in parts}
        drawn = (rng.choice(choices[kind]) for _ in range(_TRIES))
        other = next((pair for pair in drawn if pair.example_id not in used), None)
        if other and parts[-1].kinds[-1] not in SET_OPERATORS:
            parts.append(other)
    return parts


def _joined(parts: Sequence[Pair], number: int) -> Pair:
    name = f"recombined-{number:06}"
    return Pair(
        id=name,
        example_id=name,
        db_id=parts[0].db_id,
        kinds=tuple(kind for part in parts for kind in part.kinds),
        sql=" ".join(part.sql for part in parts),
        text=_sentence([part.text.split() for part in parts]),
        n_clauses=sum(part.n_clauses for part in parts),
        source="train",
        flags={},
    )


def _sentence(texts: Sequence[list[str]]) -> str:
    """Texts behind each other; a stop inside moves to the end.

    >>> _sentence([["Who", "are", "they", "?"], ["by", "age"]])
    'Who are they by age ?'
    """
    bare = [[word for word in words if word not in _STOPS] for words in texts]
    stops = [words[-1] for words in texts if words[-1] in _STOPS]
    return " ".join([word for words in bare for word in words] + stops[:1])
