"""Questions -> one fragment for each clause."""

from collections.abc import Callable, Sequence

from lib.errors import ParameterError, suggest
from lib.records import Clause, Fragment, Schema
from lib.splicing import splice, to_fragment
from lib.tagging import tag


def algorithm1(tokens, clauses, schema) -> tuple[tuple[tuple[int, int], ...], ...]:
    """Tags spliced by algorithm 1 of the paper."""
    tags = tag(tokens, clauses, schema)
    return tuple(splice(tags, clause.kind) for clause in clauses)


ALIGNERS: dict[str, Callable] = {"algorithm1": algorithm1, "viterbi": algorithm1}


def align(
    tokens: Sequence[str], clauses: Sequence[Clause], schema: Schema | None, aligner: str = "algorithm1"
) -> tuple[Fragment, ...]:
    """One fragment for each clause, in order."""
    if aligner not in ALIGNERS:
        raise ParameterError(f"unknown aligner '{aligner}': {suggest(aligner, ALIGNERS)}")
    spans = ALIGNERS[aligner](tokens, clauses, schema)
    return tuple(to_fragment(tokens, clause.kind, s) for clause, s in zip(clauses, spans, strict=True))
