"""Clauses and fragments of one question–SQL pair -> all their combinations (paper 3.3).

Only clauses of one query are combined, so each combination makes sense and its text needs no hand.
"""

from collections.abc import Sequence
from itertools import combinations

from lib.records import Clause, Example, Fragment, Pair


def compose(example: Example, clauses: Sequence[Clause], fragments: Sequence[Fragment]) -> list[Pair]:
    """Combines the clauses of one query in all ways, with the text of each combination.

    The SQL is the clauses in order. The text is the tokens of the fragments in order, each once, however many
    fragments share it. The whole query keeps the whole question.

    Args:
        example: the question–SQL pair.
        clauses: its clauses in order.
        fragments: one for each clause, in the same order.

    Returns:
        2^n - 1 pairs for n clauses, by size, then in the order of the query; a pair without text is flagged `empty`.

    Raises:
        ValueError: if clauses and fragments do not belong together.
    """
    if [clause.kind for clause in clauses] != [fragment.kind for fragment in fragments]:
        raise ValueError(f"{example.id}: fragments do not match the clauses; align them first")
    positions = [{j for start, stop in fragment.spans for j in range(start, stop)} for fragment in fragments]
    pairs = []
    for size in range(1, len(clauses) + 1):
        for chosen in combinations(range(len(clauses)), size):
            union = set().union(*(positions[i] for i in chosen)) if size < len(clauses) else range(len(example.tokens))
            pairs.append(_pair(example, [clauses[i] for i in chosen], sorted(union)))
    return pairs


def whole(example: Example, clauses: Sequence[Clause]) -> Pair:
    """The pair of all clauses of an example and its whole question."""
    return _pair(example, list(clauses), list(range(len(example.tokens))))


def _pair(example: Example, clauses: list[Clause], positions: list[int]) -> Pair:
    kinds = tuple(clause.kind for clause in clauses)
    text = " ".join(example.tokens[j] for j in positions)
    return Pair(
        id=f"{example.id}:{'+'.join(kinds)}",
        example_id=example.id,
        db_id=example.db_id,
        kinds=kinds,
        sql=" ".join(clause.sql for clause in clauses),
        text=text,
        n_clauses=len(clauses),
        source=example.source,
        flags={} if text else {"empty": True},
    )
