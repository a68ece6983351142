"""Tags -> spans -> fragments (paper 3.2.2, algorithm 1), in one pass."""

from collections.abc import Collection, Iterable, Sequence

from lib.records import Fragment

Span = tuple[int, int]  # half-open range of token positions


def splice(tags: Sequence[Collection[str]], kind: str) -> tuple[Span, ...]:
    """The intervals of one kind of clause (algorithm 1): O(n) for n tokens.

    An interval opens at the first token tagged with the kind and closes before the next token that has tags but not
    this one; an interval still open at the end closes there.

    Args:
        tags: for each token the kinds of clauses that it speaks of; may be empty.
        kind: the kind to find, one of `records.KINDS`.

    Returns:
        Half-open ranges of tokens, sorted and disjoint; none if no token carries the kind.

    >>> splice([{"SELECT"}, set(), {"WHERE"}, {"SELECT", "WHERE"}, set()], "SELECT")
    ((0, 2), (3, 5))
    """
    spans, start = [], None
    for position, kinds in enumerate(tags):
        if kind in kinds:
            start = position if start is None else start
        elif kinds and start is not None:
            spans.append((start, position))
            start = None
    if start is not None:
        spans.append((start, len(tags)))
    return tuple(spans)


def spans_of(positions: Iterable[int]) -> tuple[Span, ...]:
    """The ranges that a set of token positions forms.

    >>> spans_of({4, 0, 1, 5})
    ((0, 2), (4, 6))
    """
    spans: list[Span] = []
    for position in sorted(positions):
        if spans and spans[-1][1] == position:
            spans[-1] = (spans[-1][0], position + 1)
        else:
            spans.append((position, position + 1))
    return tuple(spans)


def positions_of(spans: Iterable[Span]) -> list[int]:
    """The token positions of ranges, in their order.

    >>> positions_of(((0, 2), (4, 6)))
    [0, 1, 4, 5]
    """
    return [position for start, stop in spans for position in range(start, stop)]


def to_fragment(tokens: Sequence[str], kind: str, spans: Sequence[Span]) -> Fragment:
    """The fragment of a question that these spans form.

    Args:
        tokens: tokens of the question.
        kind: kind of the clause it belongs to.
        spans: sorted, disjoint, half-open ranges inside the question.

    Raises:
        ValueError: if the spans are empty ranges, overlap, are not sorted or leave the question.
    """
    last = 0
    for start, stop in spans:
        if not last <= start < stop <= len(tokens):
            raise ValueError(f"spans {tuple(spans)} do not fit a question of {len(tokens)} tokens")
        last = stop
    return Fragment(kind, tuple(spans), " ".join(tokens[position] for position in positions_of(spans)))
