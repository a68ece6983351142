"""Kinds of error in a generated text, found by rules from its SQL and a reference.

A rule holds the reading of the text against what the SQL wants said and against the reference. The reference counts as
a way to say it: what SQL names but the reference leaves out is no error if the text leaves it out too. So a reference
is correct by itself, and what a rule costs shows on a second reference of the same SQL (see `edits`).

Several kinds may hold for one text. Rules find what words show; a wrong sense in right words passes.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from lib.metrics.errors import clause_rules, word_rules
from lib.metrics.errors.case import (
    AGGREGATE,
    COLUMN,
    COMPARISON,
    DROPPED,
    INVENTED,
    KINDS_OF_ERROR,
    MERGED,
    ORDER,
    REPETITION,
    VALUE,
    Case,
    Finding,
)
from lib.metrics.errors.facets import wanted
from lib.metrics.errors.readings import read
from lib.metrics.text import normalised
from lib.records import Clause, Schema

__all__ = ["AGGREGATE", "COLUMN", "COMPARISON", "CORRECT", "DROPPED", "INVENTED", "KINDS_OF_ERROR", "MERGED",
           "ORDER", "PARAPHRASE", "REPETITION", "VALUE", "WRONG", "Case", "Diagnosis", "Finding", "diagnose",
           "find"]  # fmt: skip

CORRECT, PARAPHRASE, WRONG = "correct", "no error found", "error found"
RULES: tuple[Callable[[Case], Iterator[Finding]], ...] = (
    clause_rules.clause_invented,
    word_rules.wrong_aggregate,
    word_rules.wrong_comparison,
    word_rules.wrong_value,
    word_rules.wrong_column,
    clause_rules.order_of_clauses,
    word_rules.repetition,
)


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What the rules say of one text."""

    verdict: str  # CORRECT (exact match), PARAPHRASE or WRONG
    findings: tuple[Finding, ...]

    @property
    def errors(self) -> frozenset[str]:
        """The kinds of error that hold."""
        return frozenset(finding.error for finding in self.findings)


def diagnose(
    text: str,
    references: Sequence[str],
    clauses: tuple[Clause, ...],
    schema: Schema | None = None,
    kinds: tuple[str, ...] = (),
) -> Diagnosis:
    """Finds the kinds of error in a text.

    Args:
        text: what a system wrote.
        references: at least one text that says the SQL; the one with the fewest findings counts.
        clauses: the clauses of the whole query.
        schema: its database, or None.
        kinds: the kinds of clauses that belong to the pair; empty for all.

    >>> clauses = (Clause("SELECT", "SELECT name FROM boat", 0, 21), Clause("WHERE", "WHERE length > 20", 22, 39))
    >>> found = diagnose("Give the names of boats shorter than 20", ["Show the names of boats longer than 20"], clauses)
    >>> sorted(found.errors)
    ['wrong comparison']
    """
    if any(normalised(text) == normalised(reference) for reference in references):
        return Diagnosis(CORRECT, ())
    asked, reading = wanted(clauses, schema, kinds), read(text)
    found = min((find(Case(asked, reading, read(reference))) for reference in references), key=len)
    return Diagnosis(WRONG if found else PARAPHRASE, found)


def find(case: Case) -> tuple[Finding, ...]:
    """All errors of a text against one reference."""
    missing = list(clause_rules.clause_dropped(case))
    case = Case(case.wanted, case.text, case.reference, frozenset(finding.clause for finding in missing))
    merged = list(clause_rules.clauses_merged(case))
    if merged:  # what the merged clauses lost is not counted again
        taken = frozenset(kind for finding in merged for kind in finding.clause.split("+"))
        missing = [finding for finding in missing if finding.clause not in taken]
        case = Case(case.wanted, case.text, case.reference, case.dropped | taken)
    found = [finding for rule in RULES for finding in rule(case)]
    return tuple(dict.fromkeys([*missing, *merged, *found]))
