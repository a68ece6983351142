"""Kinds of error in a generated text, found by rules from its SQL and a reference.

A rule holds the reading of the text against what the SQL wants said and against the reference. The reference counts as
a way to say it: what SQL names but the reference leaves out is no error if the text leaves it out too. So a reference
is correct by itself, and what a rule costs shows on a second reference of the same SQL (see `edits`).

Several kinds may hold for one text. Rules find what words show; a wrong sense in right words passes.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from lib.metrics.facets import Facet, Wanted, calls_by_name, name_words, numbers_said, says, value_places, wanted
from lib.metrics.readings import DOWN, UP, Compared, Reading, forms_of, is_content, read, repeated, sorts_at
from lib.metrics.text import normalised
from lib.records import SET_OPERATORS, Clause, Schema
from lib.tagging import lexicon
from lib.tagging.signs import is_participle

DROPPED, INVENTED, MERGED = "clause dropped", "clause invented", "clauses merged"
AGGREGATE, COMPARISON, VALUE = "wrong aggregate", "wrong comparison", "wrong value"
COLUMN, ORDER, REPETITION = "wrong column", "order of clauses", "repetition"
KINDS_OF_ERROR = (DROPPED, INVENTED, MERGED, AGGREGATE, COMPARISON, VALUE, COLUMN, ORDER, REPETITION)
CORRECT, PARAPHRASE, WRONG = "correct", "no error found", "error found"
_SIGNED = frozenset({">", ">=", "<", "<=", "between"})


@dataclass(frozen=True, slots=True)
class Finding:
    """One error."""

    error: str  # one of KINDS_OF_ERROR
    clause: str  # kind of the clause that it concerns, empty if it is none alone
    what: str  # the words, name or sign that it is about


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What the rules say of one text."""

    verdict: str  # CORRECT (exact match), PARAPHRASE or WRONG
    findings: tuple[Finding, ...]

    @property
    def errors(self) -> frozenset[str]:
        """The kinds of error that hold."""
        return frozenset(finding.error for finding in self.findings)


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
    >>> found = diagnose("the names of boats shorter than 20", ["Show the names of boats longer than 20"], clauses)
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
    missing = list(clause_dropped(case))
    case = Case(case.wanted, case.text, case.reference, frozenset(finding.clause for finding in missing))
    merged = list(clauses_merged(case))
    if merged:  # what the merged clauses lost is not counted again
        taken = frozenset(kind for finding in merged for kind in finding.clause.split("+"))
        missing = [finding for finding in missing if finding.clause not in taken]
        case = Case(case.wanted, case.text, case.reference, case.dropped | taken)
    found = [finding for rule in RULES for finding in rule(case)]
    return tuple(dict.fromkeys([*missing, *merged, *found]))


# --- Whole clauses ----------------------------------------------------------------------------------------------
def clause_dropped(case: Case) -> Iterator[Finding]:
    """Nothing is left of what the reference says for a clause and for no other one, nor anything in its place."""
    for kind in case.wanted.kinds:
        own = [facet for facet in _own(case.wanted, kind) if says(case.reference, facet)]
        if own and not any(says(case.text, facet) for facet in own) and not _replaced(case, kind):
            yield Finding(DROPPED, kind, "")


def _own(asked: Wanted, kind: str) -> list[Facet]:
    """The facets of a clause that no other clause of the pair has too; tables tell clauses apart badly."""
    others = {(facet.sort, facet.what) for facet in asked.facets if facet.kind != kind and facet.sort != "cue"}
    mine = [facet for facet in asked.facets if facet.kind == kind and facet.sort != "table"]
    return [facet for facet in mine if (facet.sort, facet.what) not in others]


def _replaced(case: Case, kind: str) -> bool:
    """Whether something stands where a condition was: then its words are wrong, and it is not dropped."""
    if kind in ("SELECT", "ORDER BY"):
        return False
    conditions = sum(bool(case.wanted.of("comparison", other)) for other in case.wanted.kinds)
    if kind == "GROUP BY" and not case.wanted.of("comparison", kind):
        return False
    return modifiers(case.text) >= max(modifiers(case.reference), conditions)


def modifiers(reading: Reading) -> int:
    """How many phrases of a text restrict something: relative pronouns, with, without, comparisons.

    >>> modifiers(read("Show the boats that are longer than 20 and have no sail, with their owners"))
    3
    """
    count = len(reading.compared)
    for place, word in enumerate(reading.words):
        before = reading.words[place - 1] if place else ","
        relative = word in lexicon.RELATIVES and before not in ("and", ",", ".", "or")
        count += relative or word in lexicon.CONDITIONS
    return count


def clause_invented(case: Case) -> Iterator[Finding]:
    """The text has the sign of a clause that neither the pair nor the reference has."""
    kinds, text, reference = case.wanted.kinds, case.text, case.reference
    nested = any(fact.nested or fact.kind in SET_OPERATORS for fact in case.wanted.facts)
    extremes = any(fact.aggregates & {"max", "min"} for fact in case.wanted.facts)
    if "ORDER BY" not in kinds and not nested:
        if text.sorts and not reference.sorts:
            yield Finding(INVENTED, "ORDER BY", "sorted")
        elif text.ranks and not (reference.ranks or extremes):
            yield Finding(INVENTED, "ORDER BY", "superlative")
    counted = text.sure or "many" in text.words  # "of every boat" alone says no more than "of all boats"
    if "GROUP BY" not in kinds and not nested and counted and text.groups and not reference.groups:
        yield Finding(INVENTED, "GROUP BY", "each")
    if _comparisons_invented(case):
        yield Finding(INVENTED, "WHERE", "comparison")
    for kind in SET_OPERATORS:
        joined = case.wanted.negates or len(case.wanted.of("value")) > 1  # "both" may join two conditions with AND
        if kind not in kinds and kind in text.sets - reference.sets and not joined:
            yield Finding(INVENTED, kind, "")


def _comparisons_invented(case: Case) -> bool:
    """More comparisons with numbers than the SQL and the reference have."""
    asked = sum(2 if facet.what == "between" else 1 for facet in case.wanted.of("comparison"))
    return len(_with_number(case.text)) > max(asked, len(_with_number(case.reference)))


def _with_number(reading: Reading) -> set[int]:
    return {found.number for found in reading.compared if found.number >= 0}


def clauses_merged(case: Case) -> Iterator[Finding]:
    """The words that compare for one clause stand in front of the value of another."""
    places = {
        facet: (value_places(case.reference, facet), value_places(case.text, facet))
        for facet in case.wanted.of("value")
        if facet.kind in ("WHERE", "GROUP BY", *SET_OPERATORS)
    }
    for one in places:
        for other in places:
            if one.kind == other.kind or one.what == other.what:
                continue
            first, second = (_comparing(case.reference, places[facet][0]) for facet in (one, other))
            mixed, kept = (_comparing(case.text, places[facet][1]) for facet in (other, one))
            if first & mixed - second and not first & kept:
                yield Finding(MERGED, "+".join(sorted((one.kind, other.kind))), " ".join(min(first & mixed)))


def _comparing(reading: Reading, places: Sequence[int]) -> set[tuple[str, ...]]:
    """The words that compare with the numbers at some places."""
    return {reading.words[found.start : found.start + 2] for found in reading.compared if found.number in places}


# --- Words of a clause ------------------------------------------------------------------------------------------
def wrong_aggregate(case: Case) -> Iterator[Finding]:
    """An aggregate that the reference says is gone, or the text surely means one that neither has."""
    asked = {facet.what for facet in case.wanted.of("aggregate")}
    for facet in case.lost:
        implied = facet.what == "count" and facet.kind != "SELECT"  # the most boats, more than two boats
        if facet.sort == "aggregate" and not (facet.nested or implied) and facet.what in _plain(case.reference):
            yield Finding(AGGREGATE, facet.kind, facet.what)
    ranked = "ORDER BY" in case.wanted.kinds or any(fact.nested for fact in case.wanted.facts)
    for name in sorted(case.text.sure - asked - case.reference.aggregates):
        if name in ("max", "min") and (ranked or not asked):
            continue  # a superlative that ranks
        if name == "count" and _counted(case.text) & name_words(case.wanted.of("column")):
            continue  # the number of stars, which is a column
        yield Finding(AGGREGATE, "SELECT" if "SELECT" in case.wanted.kinds else "", name)


def _counted(reading: Reading) -> frozenset[str]:
    """Forms of the words near behind "number of"."""
    words = reading.words
    places = [i for i in range(len(words) - 2) if words[i].startswith("number") and words[i + 1] == "of"]
    return frozenset().union(*(forms_of(word) for i in places for word in words[i + 2 : i + 5]))


def _plain(reading: Reading) -> frozenset[str]:
    """Aggregates that a text says; how many and number mean a count."""
    return reading.sure | ({"count"} & reading.aggregates)


def wrong_comparison(case: Case) -> Iterator[Finding]:
    """A comparison with another sign, one lost in front of its value, a negation more or less, another direction."""
    yield from _wrong_signs(case)
    yield from _lost_signs(case)
    yield from _wrong_negation(case)
    yield from _wrong_direction(case)


def _wrong_signs(case: Case) -> Iterator[Finding]:
    asked = case.wanted.of("comparison")
    signs = {facet.what for facet in asked} | {found.sign for found in case.reference.compared}
    for found in case.text.compared:
        if asked and found.sign in _SIGNED and found.sign not in signs:
            yield Finding(COMPARISON, _clause_of(case, found), found.sign)


def _clause_of(case: Case, found: Compared) -> str:
    """The clause whose value a comparison names; else the first one that compares and is there."""
    asked = [facet for facet in case.wanted.of("comparison") if facet.kind not in case.dropped]
    word = forms_of(case.text.words[found.number]) if found.number >= 0 else frozenset()
    named = [facet.kind for facet in asked if facet.limit in word]
    return next(iter(named + [facet.kind for facet in asked]), "")


def _lost_signs(case: Case) -> Iterator[Finding]:
    """The value is there, what compares with it is not: with 3 boats for more than 3 boats."""
    for facet in case.wanted.of("comparison"):
        if facet.kind in case.dropped or not facet.limit or facet.what not in _SIGNED:
            continue
        value = Facet(facet.kind, "value", facet.limit)
        there, here = value_places(case.reference, value), value_places(case.text, value)
        if here and _comparing(case.reference, there) and not _comparing(case.text, here):
            yield Finding(COMPARISON, facet.kind, facet.what)


def _wrong_negation(case: Case) -> Iterator[Finding]:
    text, reference = case.text.negates, case.reference.negates
    if text == reference or (text and case.wanted.negates):
        return
    if text or (case.wanted.negates and "EXCEPT" not in case.dropped):
        kinds = [fact.kind for fact in case.wanted.facts if fact.kind not in case.dropped]
        clause = next((kind for kind in ("EXCEPT", "WHERE", *kinds) if kind in kinds), "")
        yield Finding(COMPARISON, clause, "not")


def _wrong_direction(case: Case) -> Iterator[Finding]:
    """Descending for ascending, the most for the fewest."""
    if "ORDER BY" not in case.wanted.kinds or "ORDER BY" in case.dropped:
        return
    order = next(fact for fact in case.wanted.facts if fact.kind == "ORDER BY")
    text, reference = dict(case.text.directions), dict(case.reference.directions)
    truth = {"sort": DOWN if order.descending else UP} | reference
    if order.aggregates:  # what is ranked is a number, so that its size and the order say the same
        truth["size"] = UP if order.descending else DOWN
    for family, said in text.items():
        if said not in (truth.get(family, said), reference.get(family)):
            yield Finding(COMPARISON, "ORDER BY", said)


def wrong_value(case: Case) -> Iterator[Finding]:
    """A value that the reference says is gone, or a number stands there that neither has."""
    gone = [facet for facet in case.lost if facet.sort == "value"]
    for facet in gone:
        yield Finding(VALUE, facet.kind, facet.what)
    known = numbers_said(case.reference).union(*(facet.what.split() for facet in case.wanted.of("value")))
    foreign = sorted(numbers_said(case.text) - known)
    if foreign and not gone and not _comparisons_invented(case):
        yield Finding(VALUE, next((facet.kind for facet in case.wanted.of("value")), ""), foreign[0])


def wrong_column(case: Case) -> Iterator[Finding]:
    """A column or table that the reference names is gone, and a strange noun stands there.

    Without a strange noun a lost column counts if it is asked for: nothing else says it.
    """
    strange, which = case.strange, not _WHICH.isdisjoint(case.text.words)
    for facet in case.lost:
        asked = facet.sort == "column" and facet.kind == "SELECT" and not (which and calls_by_name(facet))
        if facet.sort in ("column", "table") and (strange or asked):
            yield Finding(COLUMN, facet.kind, facet.what)


_WHICH = frozenset({"which", "who", "whose"})


# --- The text as a whole ----------------------------------------------------------------------------------------
def order_of_clauses(case: Case) -> Iterator[Finding]:
    """Clauses stand where English does not let them: a request behind what it asks for, a condition behind an order.

    Other orders are no errors: "For each harbour, show ..." and "Show ... for each harbour" say the same.
    """
    text, reference = _misplaced(case.text), _misplaced(case.reference)
    for clause in sorted(text - reference):
        yield Finding(ORDER, clause, "")


def _misplaced(reading: Reading) -> frozenset[str]:
    found = set()
    words = reading.words
    for place in range(1, len(words)):
        if _late_request(words, place):
            found.add("SELECT")
        if place > 1 and sorts_at(words, place - 1) is False and _late_condition(words, place):
            found.add("ORDER BY")
    return frozenset(found)


def _late_request(words: Sequence[str], place: int) -> bool:
    """A command or what/how inside a sentence, with nothing in front that leads to it."""
    word, before = words[place], words[place - 1]
    if word in ("what", "how"):
        asks_here = words[place + 1 : place + 2] in (("is",), ("are",), ("many",), ("much",))
    else:
        asks_here = word in ("show", "list", "find", "give", "return", "display") and before not in lexicon.ARTICLES
    if not asks_here or before in lexicon.PREPOSITIONS or before in _LEADS:
        return False
    return words[0] not in lexicon.PREPOSITIONS and words[0] not in lexicon.COMMANDS


_LEADS = lexicon.words(", . ? ; : and please me you then also")


def _late_condition(words: Sequence[str], place: int) -> bool:
    """A relative pronoun or participle right behind words that sort."""
    word, before = words[place], words[place - 1]
    ends = before in lexicon.DIRECTIONS or (before == "order" and place > 1 and words[place - 2] in lexicon.DIRECTIONS)
    return ends and (word in ("who", "whose", "that", "which", "where") or is_participle(word))


def repetition(case: Case) -> Iterator[Finding]:
    """Words follow themselves, more often than in the reference."""
    known = set(repeated(case.reference.words))
    for words in repeated(case.text.words):
        if words not in known:
            yield Finding(REPETITION, "", " ".join(words))


RULES: tuple[Callable[[Case], Iterator[Finding]], ...] = (
    clause_invented,
    wrong_aggregate,
    wrong_comparison,
    wrong_value,
    wrong_column,
    order_of_clauses,
    repetition,
)
