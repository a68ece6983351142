"""Questions -> the kinds of clauses that each token speaks of (paper 3.2.1)."""

import re
from collections.abc import Sequence

from lib.records import Clause, Schema
from lib.tokens import lemmas


def tag(tokens: Sequence[str], clauses: Sequence[Clause], schema: Schema | None) -> tuple[frozenset[str], ...]:
    """For each token the kinds of the clauses that it speaks of."""
    tags: list[set[str]] = [set() for _ in tokens]
    for clause in clauses:
        names = re.findall(r"[A-Za-z]+|\d+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", clause.sql))
        words = frozenset().union(*(lemmas(name) for name in names))
        for position, token in enumerate(tokens):
            if lemmas(token) & words:
                tags[position].add(clause.kind)
    if tags:
        tags[0].add("SELECT")
    return tuple(map(frozenset, tags))
