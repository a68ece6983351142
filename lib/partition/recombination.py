"""Recombination: clauses of one question behind the clauses of another, for longer training pairs.

A way to teach composition with nothing but the training part (compare Jia and Liang 2016; Andreas 2020). Clauses may
follow those of another question of the database if both questions' queries read from the same tables under the same
aliases, so that the new SQL is valid, and if their kinds come later, so that the new text is in a usual order. A set
operation also needs the same SELECT clause. GROUP BY and ORDER BY of one query stay together: "with the most visits"
says both at once, and apart they would be said twice.

Only questions that are cut cleanly lend clauses: those whose longer pairs say what their clauses say, one behind the
other. Where an alignment is doubtful or clauses are said in another order, joining the parts gives no sentence. Queries
of the validation and test parts are never made, lest a model learns what it is asked.
"""

import random
from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from operator import itemgetter

from lib.records import KINDS, SET_OPERATORS, Clause, Pair
from lib.splitting import split

_RANK = {kind: rank for rank, kind in enumerate(KINDS)}
_TOTALS = (3, 4)  # clauses of a new pair; what the training part of the study lacks
_TOGETHER = {"GROUP BY", "ORDER BY"}
_TRIES = 20  # a donor is drawn so often until it is of another example than its head
_DRAWS = 4  # of a head with a donor, for each pair wanted; what comes twice is left out
_STOPS = (".", "?", "!")


@dataclass(frozen=True, slots=True)
class _Place:
    """What clauses must share with those that they follow."""

    db_id: str
    select: str  # the SELECT clause of their query, or what stands in it behind FROM


def recombine(
    pairs: Sequence[Pair],
    wholes: Mapping[str, str],
    count: int,
    rng: random.Random,
    taken: Set[tuple[str, str]] = frozenset(),
) -> list[Pair]:
    """Makes new pairs of 3 or 4 clauses.

    Args:
        pairs: of the training part, with texts.
        wholes: the whole query of each example.
        count: of new pairs, at least 0; fewer come out if little can be recombined.
        rng: decides which.
        taken: databases with SQL, as `asked` gives them, that are not to be made.

    Returns:
        Pairs whose SQL starts with SELECT, none twice, with ids of their own.
    """
    queries = {example: split(wholes[example]) for example in sorted({pair.example_id for pair in pairs})}
    clean = _cleanly_cut(pairs)
    usable = [pair for pair in pairs if pair.example_id in clean and _complete(pair, queries[pair.example_id])]
    donors = _donors(usable, queries)
    choices = [(pair, _choices(pair, queries, donors)) for pair in usable if pair.kinds[0] == "SELECT"]
    heads = [(pair, found) for pair, found in choices if found]
    made: dict[tuple[str, str], Pair] = {}
    for _ in range(_DRAWS * count if heads else 0):
        if len(made) == count:
            break
        head, found = rng.choice(heads)
        drawn = (rng.choice(rng.choice(found)) for _ in range(_TRIES))
        donor = next((pair for pair in drawn if pair.example_id != head.example_id), None)
        new = _joined([head, donor], len(made)) if donor else None
        if new and asked(new) not in taken:
            made.setdefault((new.sql, new.text), new)
    return list(made.values())


def asked(pair: Pair) -> tuple[str, str]:
    """The database and the SQL of a pair, however it is spaced and spelt."""
    return pair.db_id, " ".join(pair.sql.lower().split())


def _cleanly_cut(pairs: Sequence[Pair]) -> set[str]:
    """Examples whose pairs of several clauses all say what their clauses say, one behind the other.

    A pair tells nothing if one of its clauses is not there as a pair; at least one must tell.
    """
    clauses = {(pair.example_id, pair.kinds[0]): _bare(pair.text.split()) for pair in pairs if pair.n_clauses == 1}
    told: dict[str, bool] = {}
    for pair in pairs:
        parts = [clauses.get((pair.example_id, kind)) for kind in pair.kinds]
        if pair.n_clauses > 1 and None not in parts:
            alike = _bare(pair.text.split()) == [word for part in parts for word in part]
            told[pair.example_id] = told.get(pair.example_id, True) and alike
    return {example for example, clean in told.items() if clean}


def _complete(pair: Pair, query: Sequence[Clause]) -> bool:
    """Whether a pair has GROUP BY and ORDER BY, or neither, where its query has both."""
    return not {clause.kind for clause in query} >= _TOGETHER or len(_TOGETHER & set(pair.kinds)) != 1


def _place(pair: Pair, query: Sequence[Clause], kind: str) -> _Place:
    said = " ".join(query[0].sql.lower().split())
    return _Place(pair.db_id, said if kind in SET_OPERATORS else said.partition(" from ")[2])


def _donors(pairs: Sequence[Pair], queries: Mapping) -> dict[_Place, dict[tuple[str, ...], list[Pair]]]:
    """Pairs that can follow others, by place, then by kinds."""
    found = defaultdict(lambda: defaultdict(list))
    for pair in pairs:
        if pair.kinds[0] != "SELECT":
            found[_place(pair, queries[pair.example_id], pair.kinds[-1])][pair.kinds].append(pair)
    return found


def _choices(head: Pair, queries: Mapping, donors: Mapping) -> list[list[Pair]]:
    """For all kinds that may follow, the pairs that have them."""
    query = queries[head.example_id]
    places = {_place(head, query, kind) for kind in ("ORDER BY", "UNION")}  # one for set operators, one for others
    there = [item for place in places for item in donors.get(place, {}).items()]
    last = _RANK[head.kinds[-1]] if head.kinds[-1] not in SET_OPERATORS else len(KINDS)
    return [
        pairs
        for kinds, pairs in sorted(there, key=itemgetter(0))
        if _RANK[kinds[0]] > last and head.n_clauses + len(kinds) in _TOTALS and _valid(head.kinds + kinds)
    ]


def _valid(kinds: tuple[str, ...]) -> bool:
    """A query with a set operator is sorted behind it, so that its own ORDER BY cannot stand before it."""
    return "ORDER BY" not in kinds or not set(SET_OPERATORS) & set(kinds)


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
    """Texts behind each other; a stop behind one of them moves to the end.

    >>> _sentence([["Who", "are", "they", "?"], ["by", "age"]])
    'Who are they by age ?'
    """
    stops = [words[-1] for words in texts if words[-1] in _STOPS]
    return " ".join([word for words in texts for word in _bare(words)] + stops[:1])


def _bare(words: list[str]) -> list[str]:
    """Without the stop at the end."""
    return words[:-1] if words[-1] in _STOPS else words
