"""A text beside what its SQL wants said and beside a reference: what the rules look at, and what they find."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from lib.metrics.errors.facets import Facet, Wanted, name_words, says
from lib.metrics.errors.readings import Reading, forms_of, is_content

DROPPED, INVENTED, MERGED = "clause dropped", "clause invented", "clauses merged"
AGGREGATE, COMPARISON, VALUE = "wrong aggregate", "wrong comparison", "wrong value"
COLUMN, ORDER, REPETITION = "wrong column", "order of clauses", "repetition"
KINDS_OF_ERROR = (DROPPED, INVENTED, MERGED, AGGREGATE, COMPARISON, VALUE, COLUMN, ORDER, REPETITION)


SIGNED = frozenset({">", ">=", "<", "<=", "between"})  # signs that a text compares with numbers for


@dataclass(frozen=True, slots=True)
class Finding:
    """One error."""

    error: str  # one of KINDS_OF_ERROR
    clause: str  # kind of the clause that it concerns, empty if it is none alone
    what: str  # the words, name or sign that it is about


@dataclass(frozen=True)
class Case:
    """A text beside what its SQL wants said and a reference."""

    wanted: Wanted
    text: Reading
    reference: Reading
    dropped: frozenset[str] = field(default=frozenset())  # clauses found to be missing; other rules leave them alone

    @cached_property
    def lost(self) -> list[Facet]:
        """What the reference says and the text does not, in clauses that are not dropped."""
        return [facet for facet in self.wanted.facets if facet.kind not in self.dropped and self.is_lost(facet)]

    def is_lost(self, facet: Facet) -> bool:
        """Whether the reference says something that the text does not."""
        return says(self.reference, facet) and not says(self.text, facet)

    @cached_property
    def strange(self) -> list[str]:
        """Nouns of the text that neither the reference nor the names and values of the SQL explain."""
        values = " ".join(facet.what.lower() for facet in self.wanted.of("value"))
        known = self.reference.forms | name_words(self.wanted.facets)
        return [
            word
            for word in dict.fromkeys(self.text.words)
            if is_content(word) and not forms_of(word) & known and word not in values
        ]


def comparisons_invented(case: Case) -> bool:
    """More comparisons with numbers than the SQL and the reference have."""
    signs = [facet.what for facet in case.wanted.of("comparison") if facet.what in SIGNED]
    asked = sum(2 if sign == "between" else 1 for sign in signs)
    return len(with_number(case.text)) > max(asked, len(with_number(case.reference)))


def with_number(reading: Reading) -> set[int]:
    """The places of the numbers that something is compared with."""
    return {found.number for found in reading.compared if found.number >= 0}


def comparing(reading: Reading, places: Sequence[int]) -> set[tuple[str, ...]]:
    """The words that compare with the numbers at some places."""
    return {reading.words[found.start : found.start + 2] for found in reading.compared if found.number in places}
