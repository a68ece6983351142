"""Rules for the words of a clause: wrong aggregate, comparison, value, column; and words that follow themselves."""

from collections.abc import Iterator

from lib.metrics.errors.case import (
    AGGREGATE,
    COLUMN,
    COMPARISON,
    REPETITION,
    SIGNED,
    VALUE,
    Case,
    Finding,
    comparing,
    comparisons_invented,
)
from lib.metrics.errors.facets import Facet, calls_by_name, name_words, numbers_said, value_places
from lib.metrics.errors.readings import DOWN, UP, Compared, Reading, direction, forms_of, repeated


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
    asked = [facet for facet in case.wanted.of("comparison") if facet.kind not in case.dropped]
    signs = {facet.what for facet in asked} | {found.sign for found in case.reference.compared}
    for found in case.text.compared:
        known = _signs_of(case, found)
        if not known and comparisons_invented(case):
            continue  # it belongs to a clause that the SQL does not have
        known = known or signs
        if asked and found.sign in SIGNED and found.sign not in known:
            yield Finding(COMPARISON, _clause_of(case, found), found.sign)
    turned = _times(case.text) - _times(case.reference)
    if asked and turned and _times(case.reference):
        yield Finding(COMPARISON, asked[0].kind, min(turned))


def _signs_of(case: Case, found: Compared) -> set[str]:
    """The signs that the SQL and the reference have in front of the number of a comparison; empty if it is strange."""
    if found.number < 0:
        return set()
    word, words = forms_of(case.text.words[found.number]), case.reference.words
    theirs = [other for other in case.reference.compared if other.number >= 0 and forms_of(words[other.number]) & word]
    mine = {facet.what for facet in case.wanted.of("comparison") if facet.limit in word}
    return mine | {other.sign for other in theirs}


def _times(reading: Reading) -> set[str]:
    """Directions of older, younger, newer ..., where the words alone do not tell what is more."""
    return {said for found in reading.compared if found.sign == "?" and (said := direction(reading.words[found.start]))}


def _clause_of(case: Case, found: Compared) -> str:
    """The clause whose value a comparison names; else the first one that compares and is there."""
    asked = [facet for facet in case.wanted.of("comparison") if facet.kind not in case.dropped]
    word = forms_of(case.text.words[found.number]) if found.number >= 0 else frozenset()
    named = [facet.kind for facet in asked if facet.limit in word]
    return next(iter(named + [facet.kind for facet in asked]), "")


def _lost_signs(case: Case) -> Iterator[Finding]:
    """The value is there, what compares with it is not: with 3 boats for more than 3 boats."""
    for facet in case.wanted.of("comparison"):
        if facet.kind in case.dropped or not facet.limit or facet.what not in SIGNED:
            continue
        value = Facet(facet.kind, "value", facet.limit)
        there, here = value_places(case.reference, value), value_places(case.text, value)
        if here and comparing(case.reference, there) and not comparing(case.text, here):
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
    order = next((fact for fact in case.wanted.facts if fact.kind == "ORDER BY"), None)
    if order is None or "ORDER BY" not in case.wanted.kinds or "ORDER BY" in case.dropped:
        return
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
    if foreign and not gone and not comparisons_invented(case):
        kinds = [facet.kind for facet in case.wanted.of("value") if facet.kind not in case.dropped]
        yield Finding(VALUE, next(iter(kinds), ""), foreign[0])


def wrong_column(case: Case) -> Iterator[Finding]:
    """A column or table that the reference names is gone, and a strange noun stands there.

    Without a strange noun a lost column counts if it is asked for: nothing else says it.
    """
    strange, which = case.strange, not _WHICH.isdisjoint(case.text.words)
    for facet in case.wanted.facets:
        if facet.sort not in ("column", "table") or facet.kind in case.dropped or (which and calls_by_name(facet)):
            continue
        lost = facet in case.lost
        asked = facet.sort == "column" and facet.kind == "SELECT"
        half = facet.sort == "column" and missing_words(case, facet)
        if (lost and (strange or asked)) or (half and strange):
            yield Finding(COLUMN, facet.kind, facet.what)


def missing_words(case: Case, facet: Facet) -> bool:
    """Whether the reference says all words of a name and the text not all, by any way to call it."""
    said = [way for way in facet.ways if all(forms & case.reference.forms for forms in way)]
    return bool(said) and not any(all(forms & case.text.forms for forms in way) for way in facet.ways)


_WHICH = frozenset({"which", "who", "whose"})


def repetition(case: Case) -> Iterator[Finding]:
    """Words follow themselves, more often than in the reference."""
    known = set(repeated(case.reference.words))
    for words in repeated(case.text.words):
        if words not in known:
            yield Finding(REPETITION, "", " ".join(words))
