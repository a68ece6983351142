"""Questions -> phrases: where one clause may end and the next begin."""

from dataclasses import dataclass
from itertools import pairwise

from lib.tagging import lexicon
from lib.tagging.matching import Matches
from lib.tagging.signs import RULES, Sign


@dataclass(frozen=True, slots=True)
class Phrase:
    """A half-open range of tokens that belongs to the same clauses throughout."""

    start: int
    stop: int
    sign: Sign  # how clearly it begins


def phrases(matches: Matches) -> tuple[Phrase, ...]:
    """Cuts a question into phrases; together they cover it.

    Args:
        matches: the matched question; empty questions have no phrases.
    """
    count = len(matches.words)
    if not count:
        return ()
    signs = [Sign.NONE] * count
    for rule in RULES:
        for position, sign in rule(matches):
            if 0 <= position < count:
                signs[position] = max(signs[position], sign)
    _keep_words_together(matches, signs)
    signs[0] = signs[0] or Sign.SENTENCE
    cuts = [position for position in range(count) if signs[position]]
    return tuple(Phrase(start, stop, signs[start]) for start, stop in pairwise([*cuts, count]))


def _keep_words_together(matches: Matches, signs: list[Sign]) -> None:
    """A preposition, a conjunction, an auxiliary or a comma is no phrase of its own: it leads what follows."""
    for position in range(len(signs) - 1, 0, -1):
        if (
            Sign.NONE < signs[position] < Sign.SENTENCE
            and signs[position - 1]
            and matches.words[position - 1] in _LEADERS
        ):
            signs[position - 1], signs[position] = max(signs[position - 1], signs[position]), Sign.NONE


_LEADERS = lexicon.PREPOSITIONS | lexicon.CONJUNCTIONS | lexicon.VERBS | {",", "the", "not"}
