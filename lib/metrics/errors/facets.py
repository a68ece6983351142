"""What the SQL of a pair wants said: for each clause its values, columns, tables, aggregates, comparisons and cues.

Facets are read by `tagging`: what a clause names, and the words that each name, value and operator can be said by.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from lib.metrics.errors.readings import Reading
from lib.records import SET_OPERATORS, Clause, Schema
from lib.tagging import lexicon
from lib.tagging.candidates import VALUE, candidates, names_of, split_words
from lib.tagging.clause_words import SIGNS, ClauseWords, lex_clause, literal
from lib.tagging.matching import find_value

SORTS = ("value", "column", "table", "aggregate", "comparison", "cue")
_SAME_SIGN = {"==": "=", "<>": "!="}
_NEGATIVE = frozenset({"not", "!=", "<>", "null"})
_LEADING = frozenset({"like", "ilike", "glob", "between", "in"})


@dataclass(frozen=True, slots=True)
class Facet:
    """One thing that one clause wants said."""

    kind: str  # kind of the clause
    sort: str  # one of SORTS
    what: str  # value, name, aggregate, sign of a comparison; of a cue "not" or empty
    ways: tuple[tuple[frozenset[str], ...], ...] = ()  # of a name: for each way to call it, the forms of each word
    limit: str = ""  # of a comparison: the number that it compares with, where there is one
    nested: bool = False  # from a query inside the clause, which people put into other words


@dataclass(frozen=True, slots=True)
class Wanted:
    """All that a pair wants said."""

    kinds: tuple[str, ...]  # kinds of its clauses, in order
    facets: tuple[Facet, ...]
    facts: tuple[ClauseWords, ...]  # of its clauses
    negates: bool  # holds a NOT, != or EXCEPT

    def of(self, sort: str, kind: str = "") -> list[Facet]:
        """The facets of a sort, of one clause or of all."""
        return [facet for facet in self.facets if facet.sort == sort and kind in ("", facet.kind)]


def wanted(clauses: tuple[Clause, ...], schema: Schema | None, kinds: tuple[str, ...] = ()) -> Wanted:
    """Reads what SQL wants said.

    Args:
        clauses: the clauses of the whole query, so that its aliases are known.
        schema: its database, or None.
        kinds: the kinds of clauses that belong to the pair; empty for all.
    """
    kinds = kinds or tuple(clause.kind for clause in clauses)
    facts = tuple(fact for fact in candidates(clauses, schema).facts if fact.kind in kinds)
    facets = dict.fromkeys(facet for fact in facts for facet in _facets(fact))
    for name in names_of(clauses, schema):
        if name.kind in kinds:
            sort, what = ("column", name.column) if name.column else ("table", name.table)
            facets[Facet(name.kind, sort, what, name.ways)] = None
    for clause in clauses:
        if clause.kind in kinds:
            facets |= dict.fromkeys(_conditions(clause))
    negates = any(fact.operators & _NEGATIVE or fact.kind == "EXCEPT" for fact in facts)
    return Wanted(kinds, tuple(facets), facts, negates)


def _facets(fact: ClauseWords) -> Iterator[Facet]:
    yield Facet(fact.kind, "cue", "not" if fact.operators & _NEGATIVE else "")
    for value in fact.values:
        if split_words(value) and not (fact.having and value == "1"):
            yield Facet(fact.kind, "value", value)
    if fact.limit not in ("", "1"):
        yield Facet(fact.kind, "value", fact.limit)
    for aggregate in sorted(fact.aggregates):
        yield Facet(fact.kind, "aggregate", aggregate, nested=fact.nested)


def _conditions(clause: Clause) -> Iterator[Facet]:
    """The comparisons of a clause, with the literal behind each."""
    tokens = lex_clause(clause.sql)
    nested = False
    for place, token in enumerate(tokens):
        word = token.text.lower()
        nested = nested or (word == "select" and place > 0 and clause.kind not in SET_OPERATORS)
        if token.text not in SIGNS and not (token.kind == "word" and word in _LEADING):
            continue
        after = tokens[place + 1] if place + 1 < len(tokens) else None
        if after is None or after.kind == "word":  # a join, or two columns
            continue
        sign = _SAME_SIGN.get(word, word)
        limit = literal(after) if after.kind in ("number", "string") else ""
        yield Facet(clause.kind, "comparison", sign, limit=limit, nested=nested)


def says(reading: Reading, facet: Facet) -> bool:
    """Whether a text says a facet, by any of the words that it can be said by."""
    return _SAYS[facet.sort](reading, facet)


def _says_value(reading: Reading, facet: Facet) -> bool:
    words = split_words(facet.what)
    if any(weight >= VALUE for _, _, weight in _found(reading.words, words)):
        return True
    if any(f"value {facet.what.lower()}" in lexicon.USES.get(form, ()) for form in reading.forms):
        return True
    places = {place for start, stop, _ in _found(reading.words, words) for place in range(start, stop)}
    return 2 * len(places) >= len(words) > 1


@lru_cache(maxsize=65536)
def _found(words: tuple[str, ...], value: tuple[str, ...]) -> tuple:
    return tuple(find_value(words, value))


def value_places(reading: Reading, facet: Facet) -> list[int]:
    """Where a text says a value: the first word of each place."""
    return [start for start, _, weight in _found(reading.words, split_words(facet.what)) if weight >= VALUE]


GENERAL = lexicon.words("name id number code no type title label date")  # half of a name that says little alone


def calls_by_name(facet: Facet) -> bool:
    """Whether a column holds the names of rows, which "Which boat ..." asks for without saying it."""
    return facet.sort == "column" and any(forms & _NAMING for way in facet.ways for forms in way)


_NAMING = lexicon.words("name title label id")


def _says_name(reading: Reading, facet: Facet) -> bool:
    for way in facet.ways:
        said = [forms for forms in way if forms & reading.forms]
        if 2 * len(said) >= len(way) and (len(said) == len(way) or any(not forms & GENERAL for forms in said)):
            return True
    nouns = frozenset().union(*(forms for way in facet.ways for forms in way))
    return facet.sort == "column" and any(nouns & lexicon.ADJECTIVES.get(form, frozenset()) for form in reading.forms)


def name_words(facets: Sequence[Facet]) -> frozenset[str]:
    """All forms that some names can be said by."""
    return frozenset().union(*(forms for facet in facets for way in facet.ways for forms in way))


def _says_aggregate(reading: Reading, facet: Facet) -> bool:
    return facet.what in reading.aggregates


def _says_comparison(reading: Reading, facet: Facet) -> bool:
    signs = {found.sign for found in reading.compared}
    return facet.what in signs or ("?" in signs and facet.what in (">", "<", ">=", "<="))


def _says_cue(reading: Reading, facet: Facet) -> bool:
    if facet.kind == "ORDER BY":
        return reading.sorts or reading.ranks or _ends_in_first(reading.words)
    if facet.kind == "GROUP BY":
        return reading.groups or not _GROUPED.isdisjoint(reading.words)
    if facet.kind in SET_OPERATORS:
        said = lexicon.SET_WORDS[facet.kind] | lexicon.BETWEEN_QUERIES[facet.kind]
        return bool(said & reading.forms)
    if facet.kind == "SELECT":
        return asks(reading)
    return facet.what == "not" and reading.negates


def _ends_in_first(words: Sequence[str]) -> bool:
    """longest first, with the largest number first; not "saw first light"."""
    return any(word == "first" and words[i + 1 : i + 2] in ((), (".",), (",",), ("?",)) for i, word in enumerate(words))


def asks(reading: Reading) -> bool:
    """Whether a text asks for something at its start, or behind a phrase that opens it.

    A relative pronoun alone at the start may be left over from a clause, so it asks only in front of a noun or a form
    of "be": "who live in" does not.
    """
    words = reading.words
    if words[:1] and (words[0] in ("i", "please", "can") or words[0] in lexicon.ORDER_VERBS):
        return True
    for place, word in enumerate(words):
        before = words[place - 1] if place else ""
        leads = place == 1 and before in lexicon.PREPOSITIONS  # for which, in what
        if not leads and place and before not in _BREAKS:
            continue
        if word in lexicon.COMMANDS or word in ("what", "how", "which"):
            return True
        if word in lexicon.INTERROGATIVES and word != "whose" and "?" in words:
            return True
    return False


_GROUPED = lexicon.GROUP_WORDS - {"group"} | lexicon.DISTINCT
_BREAKS = frozenset({",", ".", "?", "and", ":", ";"})


_SAYS = {
    "value": _says_value,
    "column": _says_name,
    "table": _says_name,
    "aggregate": _says_aggregate,
    "comparison": _says_comparison,
    "cue": _says_cue,
}


def numbers_said(reading: Reading) -> frozenset[str]:
    """The numbers of a text as digits."""
    words = (reading.words[place] for place in reading.numbers)
    return frozenset(lexicon.NUMBERS.get(word, word.replace(",", "")) for word in words)
