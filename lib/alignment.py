"""Questions -> one fragment for each clause, by one of several aligners (paper 3.2).

- `algorithm1`: the paper's: keyword tags, spliced. It scans once and knows of no alternative.
- `viterbi`: ours: the best sequence of labels for the phrases of the question.
"""

from collections.abc import Callable, Sequence

from lib.errors import ParameterError, suggest
from lib.records import Clause, Fragment, Schema
from lib.segmentation import segment
from lib.splicing import Span, spans_of, splice, to_fragment
from lib.tagging import tag

Spans = tuple[tuple[Span, ...], ...]  # for each clause its spans


def algorithm1(tokens: Sequence[str], clauses: Sequence[Clause], schema: Schema | None) -> Spans:
    """Tags spliced by algorithm 1 of the paper; the question of a query of one clause is its fragment."""
    if len(clauses) < 2:
        return tuple(spans_of(range(len(tokens))) for _ in clauses)
    tags = tag(tokens, clauses, schema)
    return tuple(splice(tags, clause.kind) for clause in clauses)


ALIGNERS: dict[str, Callable[[Sequence[str], Sequence[Clause], Schema | None], Spans]] = {
    "algorithm1": algorithm1,
    "viterbi": segment,
}


def align(
    tokens: Sequence[str], clauses: Sequence[Clause], schema: Schema | None, aligner: str = "algorithm1"
) -> tuple[Fragment, ...]:
    """Aligns a question to the clauses of its query.

    Args:
        tokens: tokens of the question.
        clauses: the clauses of its query, in order.
        schema: its database; without it the names in the SQL are all that is known of tables and columns.
        aligner: name in ALIGNERS.

    Returns:
        One fragment for each clause, in order; they may share tokens, and are empty only if the question is.

    Raises:
        ParameterError: if the aligner is unknown.

    >>> clauses = (Clause("SELECT", "SELECT name FROM ship", 0, 21), Clause("WHERE", "WHERE built > 1990", 22, 40))
    >>> question = "Show the names of ships that were built after 1990".split()
    >>> [fragment.text for fragment in align(question, clauses, None, "viterbi")]
    ['Show the names of ships', 'that were built after 1990']
    """
    if aligner not in ALIGNERS:
        raise ParameterError(f"unknown aligner '{aligner}': {suggest(aligner, ALIGNERS)}")
    spans = ALIGNERS[aligner](tokens, clauses, schema)
    return tuple(to_fragment(tokens, clause.kind, s) for clause, s in zip(clauses, spans, strict=True))
