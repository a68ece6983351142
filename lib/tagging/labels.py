"""Phrases -> labels: sets of clauses that a phrase may speak of, and how well each fits.

The score of a label is what its clauses explain of the phrase (for each token the strongest of them) minus the cost
of the label. The costs, all in the unit of `candidates.COLUMN`, are set by hand:

- every further clause costs one name, because most phrases speak of one clause;
- GROUP BY without a condition is rarely said alone: "for each country" also belongs to SELECT, which counts in it;
- GROUP BY and an ORDER BY that ranks groups are one thing in English: "the country with the most singers".

A sequence of labels also pays for changes that no word announces, for asking in a phrase that modifies, and for going
back from a set operator to the query before it. No F1 changes by more than 0.015 if one of these costs is halved
or doubled.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from lib.records import SET_OPERATORS
from lib.tagging.candidates import Candidates
from lib.tagging.matching import Matches
from lib.tagging.phrases import Phrase
from lib.tagging.signs import Sign

FURTHER = 1.0  # a further clause
GROUP_ALONE = 1.0  # GROUP BY without a condition and without SELECT
GROUPED = 0.6  # GROUP BY together with SELECT
CHANGE = {Sign.INSIDE: 0.3, Sign.WEAK: 0.6, Sign.CLEAR: 0.0, Sign.MODIFIER: 0.0, Sign.SENTENCE: 0.0}
ASKING = 1.0  # SELECT alone in a phrase that modifies
BACK = 1.0  # WHERE behind a set operator


@dataclass(frozen=True, slots=True)
class Label:
    """A set of clauses that share a phrase."""

    kinds: frozenset[str]
    cost: float
    units: tuple[frozenset[str], ...]  # the same kinds, those that English says as one thing together


def labels(candidates: Candidates) -> tuple[Label, ...]:
    """All labels for one query, the cheapest ones of each size first; the last holds all its clauses."""
    units = _units(candidates)
    has_condition = any(clause.having for clause in candidates.facts)
    ranks_groups = any(unit > {"GROUP BY"} for unit in units)
    found = []
    for size in range(1, len(units) + 1):
        for chosen in combinations(units, size):
            kinds = frozenset().union(*chosen)
            found.append(Label(kinds, _cost(kinds, size, has_condition, ranks_groups), chosen))
    return tuple(found)


def _units(candidates: Candidates) -> list[frozenset[str]]:
    """The clauses, those that English says as one thing together."""
    facts = {clause.kind: clause for clause in candidates.facts}
    group, order = facts.get("GROUP BY"), facts.get("ORDER BY")
    counted = "SELECT" in facts and facts["SELECT"].aggregates
    if group and order and order.aggregates and not group.having and (order.limit or not counted):
        rest = [frozenset({kind}) for kind in facts if kind not in ("GROUP BY", "ORDER BY")]
        return [*rest, frozenset({"GROUP BY", "ORDER BY"})]
    return [frozenset({kind}) for kind in facts]


def _cost(kinds: frozenset[str], size: int, has_condition: bool, ranks_groups: bool) -> float:
    cost = FURTHER * (size - 1)
    if "GROUP BY" in kinds and not has_condition and not ranks_groups:
        cost += GROUPED - FURTHER if "SELECT" in kinds else GROUP_ALONE
    return cost


def scores(matches: Matches, phrase: Phrase, known: Sequence[Label]) -> list[float]:
    """How well each label fits a phrase."""
    found = [-label.cost for label in known]
    for strength in matches.strengths[phrase.start : phrase.stop]:
        if not strength:
            continue
        for i, label in enumerate(known):
            kinds, best = label.kinds, 0.0
            for kind, weight in strength.items():
                if weight > best and kind in kinds:
                    best = weight
            found[i] += best
    return found


def step_cost(before: Label | None, label: Label, sign: Sign) -> float:
    """What a label costs behind another one, at a sign.

    Args:
        before: label of the phrase in front, None at the start.
        label: label of the phrase.
        sign: how the phrase begins.
    """
    cost = ASKING if sign == Sign.MODIFIER and label.kinds == _SELECT else 0.0
    if before is None or before.kinds == label.kinds:
        return cost
    returns = (
        sign != Sign.INSIDE
        and "WHERE" in label.kinds
        and before.kinds & _SET_OPERATORS
        and not label.kinds & _SET_OPERATORS
    )
    return cost + CHANGE[sign] + (BACK if returns else 0.0)


_SELECT = frozenset({"SELECT"})
_SET_OPERATORS = frozenset(SET_OPERATORS)
