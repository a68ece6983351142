"""Rules for whole clauses: dropped, invented, merged, in a wrong order."""

from collections.abc import Iterator, Sequence

from lib.metrics.errors.case import DROPPED, INVENTED, MERGED, ORDER, Case, Finding, comparing, comparisons_invented
from lib.metrics.errors.facets import GENERAL, Facet, Wanted, asks, name_words, says, value_places
from lib.metrics.errors.readings import Reading, sorts_at
from lib.records import SET_OPERATORS
from lib.tagging import lexicon
from lib.tagging.signs import is_participle


def clause_dropped(case: Case) -> Iterator[Finding]:
    """Nothing is left of what the reference says for a clause and for no other one, nor anything in its place."""
    for kind in case.wanted.kinds:
        own = [facet for facet in _own(case.wanted, kind) if says(case.reference, facet)]
        left = [facet for facet in own if says(case.text, facet)]
        if kind == "SELECT" and _starts_inside(case.text.words, case.reference.words) and not _asks_later(case.text, 0):
            left = [facet for facet in left if facet.sort != "cue"]
        moved = kind == "SELECT" and "SELECT" in _misplaced(case.text)  # there, in a wrong place
        if own and not left and not moved and not _replaced(case, kind):
            yield Finding(DROPPED, kind, "")


def _starts_inside(words: Sequence[str], reference: Sequence[str]) -> bool:
    """Whether a text begins with what the reference has in its middle: its "who" or "which" asks for nothing."""
    start = words[:2]
    if not start or start[0] not in lexicon.RELATIVES:
        return False
    return start != reference[:2] and start in (reference[i : i + 2] for i in range(1, len(reference) - 1))


def _own(asked: Wanted, kind: str) -> list[Facet]:
    """The facets of a clause that no other clause of the pair has too; tables tell clauses apart badly."""
    rest = [facet for facet in asked.facets if facet.kind != kind]
    others, words = {(facet.sort, facet.what) for facet in rest if facet.sort != "cue"}, name_words(rest)
    nested = kind == "WHERE" and any(fact.nested for fact in asked.facts if fact.kind == kind)
    mine = [facet for facet in asked.facets if facet.kind == kind and (facet.sort != "table" or nested)]
    return [facet for facet in mine if (facet.sort, facet.what) not in others and not _is_within(facet, words)]


def _is_within(facet: Facet, words: frozenset[str]) -> bool:
    """Whether other clauses have all telling words of a name: boat_id beside the table boat."""
    return facet.sort == "column" and any(all(forms & (words | GENERAL) for forms in way) for way in facet.ways)


def _replaced(case: Case, kind: str) -> bool:
    """Whether something stands where a condition was: then its words are wrong, and it is not dropped."""
    if kind in ("SELECT", "ORDER BY"):
        return False
    conditions = sum(bool(case.wanted.of("comparison", other)) for other in case.wanted.kinds)
    if kind == "GROUP BY" and not case.wanted.of("comparison", kind):
        return False
    return modifiers(case.text) >= max(modifiers(case.reference), conditions) or _strange_condition(case)


def _strange_condition(case: Case) -> bool:
    """A strange noun behind words that lead to a condition: in the south for in the north."""
    strange, words = set(case.strange), case.text.words
    places = [place for place, word in enumerate(words) if word in strange]
    return any(not _LEADS_TO_VALUE.isdisjoint(words[max(0, place - 3) : place]) for place in places)


_LEADS_TO_VALUE = lexicon.PREPOSITIONS - {"of"} | lexicon.CONDITIONS | lexicon.RELATIVES | {'"', "'", "is", "are"}


def modifiers(reading: Reading) -> int:
    """How many phrases of a text restrict something: relative pronouns, with, without, comparisons.

    >>> from lib.metrics.errors.readings import read
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
    if comparisons_invented(case):
        yield Finding(INVENTED, "WHERE", "comparison")
    for kind in SET_OPERATORS:
        told = case.wanted.negates if kind == "EXCEPT" else len(case.wanted.of("value")) > 1  # "both" may say AND
        if kind not in kinds and kind in text.sets - reference.sets and not told:
            yield Finding(INVENTED, kind, "")


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
            first, second = (comparing(case.reference, places[facet][0]) for facet in (one, other))
            mixed, kept = (comparing(case.text, places[facet][1]) for facet in (other, one))
            if first & mixed - second and not first & kept:
                yield Finding(MERGED, "+".join(sorted((one.kind, other.kind))), " ".join(min(first & mixed)))


def order_of_clauses(case: Case) -> Iterator[Finding]:
    """Clauses stand where English does not let them: a request behind what it asks for, a condition behind an order.

    Other orders are no errors: "For each harbour, show ..." and "Show ... for each harbour" say the same.
    """
    text, reference = _misplaced(case.text), _misplaced(case.reference)
    for clause in sorted(text - reference):
        yield Finding(ORDER, clause, "")
    if "SELECT" not in text and _request_moved(case):
        yield Finding(ORDER, "SELECT", "")
    early, known = (_sorts_before_condition(case, reading) for reading in (case.text, case.reference))
    if early and not known and "ORDER BY" not in text:
        yield Finding(ORDER, "ORDER BY", "")


def _request_moved(case: Case) -> bool:
    """Whether the first words of the reference stand inside the text, with nothing in front that leads to them."""
    words, start = case.text.words, case.reference.words[:2]
    places = [i for i in range(1, len(words) - 1) if words[i : i + 2] == start and words[i - 1] not in _LEADS]
    return bool(places) and asks(case.reference) and words[:2] != start


def _sorts_before_condition(case: Case, reading: Reading) -> bool:
    """Whether words that sort stand inside the text, with all values of other clauses behind them."""
    values = [facet for facet in case.wanted.of("value") if facet.kind != "ORDER BY"]
    places = [place for facet in values for place in value_places(reading, facet)]
    sorting = [place for place in range(3, len(reading.words)) if sorts_at(reading.words, place)]
    return bool(places and sorting) and sorting[-1] < min(places) and not _asks_later(reading, sorting[-1])


def _asks_later(reading: Reading, place: int) -> bool:
    """Whether a request follows: "Sorted by age, show ..."."""
    return any(word in lexicon.COMMANDS or word in ("what", "how") for word in reading.words[place + 1 :])


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
    return words[0] not in lexicon.COMMANDS


_LEADS = lexicon.words(", . ? ; : and please me you then also")


def _late_condition(words: Sequence[str], place: int) -> bool:
    """A relative pronoun or participle right behind words that sort."""
    word, before = words[place], words[place - 1]
    ends = before in lexicon.DIRECTIONS or (before == "order" and place > 1 and words[place - 2] in lexicon.DIRECTIONS)
    return ends and (word in ("who", "whose", "that", "which", "where") or is_participle(word))
