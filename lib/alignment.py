"""Questions -> one fragment for each clause."""

from collections.abc import Callable, Sequence

from lib.errors import ParameterError, suggest
from lib.records import Clause, Fragment, Schema
from lib.segmentation import segment
from lib.splicing import Span, spans_of, splice, to_fragment
from lib.tagging import tag

Spans = tuple[tuple[Span, ...], ...]  # for each clause its spans


def algorithm1(tokens: Sequence[str], clauses: Sequence[Clause], schema: Schema | None) -> Spans:
    """Tags spliced by algorithm 1 of the paper; the question of a query of one clause is its fragment."""
    if len(clauses) == 1:
        return (spans_of(range(len(tokens))),)
    tags = tag(tokens, clauses, schema)
    return tuple(splice(tags, clause.kind) for clause in clauses)


ALIGNERS: dict[str, Callable[[Sequence[str], Sequence[Clause], Schema | None], Spans]] = {
    "algorithm1": algorithm1,
    "viterbi": segment,
}


def align(
    tokens: Sequence[str], clauses: Sequence[Clause], schema: Schema | None, aligner: str = "algorithm1"
) -> tuple[Fragment, ...]:
    """One fragment for each clause, in order."""
    if aligner not in ALIGNERS:
        raise ParameterError(f"unknown aligner '{aligner}': {suggest(aligner, ALIGNERS)}")
    spans = ALIGNERS[aligner](tokens, clauses, schema)
    return tuple(to_fragment(tokens, clause.kind, s) for clause, s in zip(clauses, spans, strict=True))
