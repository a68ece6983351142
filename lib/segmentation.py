"""Question -> phrases -> the best sequence of labels, by dynamic programming (Viterbi).

Each phrase gets a label, a set of clauses. A sequence scores the fit of its labels and pays for changes that no word
announces and for going on where a word announces a change; every clause of the query must get a phrase.
"""

from collections.abc import Sequence

from lib.records import Clause, Schema
from lib.splicing import Span, spans_of
from lib.tagging.labels import Label, labels, scores, step_cost
from lib.tagging.matching import Matches, match
from lib.tagging.phrases import Phrase, phrases
from lib.tagging.signs import Sign


def segment(tokens: Sequence[str], clauses: Sequence[Clause], schema: Schema | None) -> tuple[tuple[Span, ...], ...]:
    """The spans of each clause, in order; together they cover the question, and none is empty.

    Args:
        tokens: tokens of the question.
        clauses: the clauses of its query, in order.
        schema: its database, or None.
    """
    if len(clauses) < 2 or not tokens:
        return tuple(spans_of(range(len(tokens))) for _ in clauses)
    matches = match(tokens, clauses, schema)
    parts = phrases(matches)
    chosen = best_labels(matches, parts)
    return tuple(
        spans_of(
            position
            for part, label in zip(parts, chosen, strict=True)
            if clause.kind in label.kinds
            for position in range(part.start, part.stop)
        )
        for clause in clauses
    )


def best_labels(matches: Matches, parts: Sequence[Phrase]) -> list[Label]:
    """The best label of each phrase; of equal sequences the first in the order of `labels`."""
    known = labels(matches.candidates)
    masks = [sum(1 << i for i, kind in enumerate(matches.kinds) if kind in label.kinds) for label in known]
    everything = (1 << len(matches.kinds)) - 1
    # (label, clauses said so far) -> best score; and where it came from
    first = scores(matches, parts[0], known)
    states = {(i, masks[i]): fit - step_cost(None, known[i], parts[0].sign) for i, fit in enumerate(first)}
    history: list[dict[tuple[int, int], tuple[int, int]]] = []
    costs: dict[Sign, list[list[float]]] = {}
    for part in parts[1:]:
        fits = scores(matches, part, known)
        if part.sign not in costs:
            costs[part.sign] = [[step_cost(before, label, part.sign) for label in known] for before in known]
        steps = costs[part.sign]
        after: dict[tuple[int, int], float] = {}
        origin: dict[tuple[int, int], tuple[int, int]] = {}
        for (i, said), total in states.items():
            for j, fit in enumerate(fits):
                state = (j, said | masks[j])
                reached = total + fit - steps[i][j]
                if state not in after or reached > after[state]:
                    after[state], origin[state] = reached, (i, said)
        states = after
        history.append(origin)
    state = max((s for s in states if s[1] == everything), key=lambda s: (states[s], -s[0]))
    path = [state]
    for origin in reversed(history):
        state = origin[state]
        path.append(state)
    return [known[i] for i, _ in reversed(path)]
