"""What a text says by its words alone: comparisons, aggregates, order, groups, negation, repeated words.

A reading knows nothing of the SQL. `errors` holds the reading of a generated text against the reading of a reference
and against what the SQL wants said. The words are those of `tagging.lexicon`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from lib.metrics.text import joined
from lib.tagging import lexicon
from lib.tagging.matching import is_superlative
from lib.tokens import lemmas, parts_of_speech

UP, DOWN = "up", "down"
_FLIPPED = {">": "<=", "<": ">=", ">=": "<", "<=": ">", "?": "?"}
_INCLUSIVE = {">": ">=", "<": "<=", "?": "?"}
_ABOVE = frozenset({"over", "above", "after", "beyond"})
_BELOW = frozenset({"under", "below", "before"})
# Adjectives of time: "older" is more of an age and less of a year, so their direction depends on what is compared.
_TIME = lexicon.words("old young new recent recently early late elderly senior")
_LATER = lexicon.words("young new recent recently late")
_NO_COMPARISON = frozenset({"other", "rather", "different"})
_NEGATIONS = frozenset({"no", "not", "n't", "never"})
_YEAR = 1000  # a number from here on is a year or an amount, hardly an age


@dataclass(frozen=True, slots=True)
class Compared:
    """A phrase that compares: more than 5, at least two, before 1990, 30 or older."""

    sign: str  # >, >=, <, <=, between, or ? where the words do not tell the direction
    start: int  # position of its first word
    number: int  # position of the number that it compares with, -1 if there is none


@dataclass(frozen=True, slots=True)
class Reading:
    """What a text says by its words."""

    words: tuple[str, ...]  # tokens in lower case
    forms: frozenset[str]  # base forms of all its words, numbers also as digits
    compared: tuple[Compared, ...]
    aggregates: frozenset[str]  # that some word can mean
    sure: frozenset[str]  # aggregates that some word means and nothing else
    directions: tuple[
        tuple[str, str], ...
    ]  # family of words and UP or DOWN of its first one; families: sort, size, time
    sorts: bool  # says that something is sorted
    ranks: bool  # has a superlative
    groups: bool  # says for each, every, per
    negates: bool  # says not, without, except
    sets: frozenset[str]  # set operators that only they are said by: both, either, except
    numbers: tuple[int, ...]  # positions of its numbers


@lru_cache(maxsize=65536)
def read(text: str) -> Reading:
    """Reads a text.

    Args:
        text: raw, or tokens joined by blanks.

    >>> found = read("Show the average age of divers older than 30 in descending order")
    >>> found.sure, [(c.sign, found.words[c.number]) for c in found.compared], found.directions
    (frozenset({'avg'}), [('>', '30')], (('sort', 'down'),))
    """
    words = tuple(joined(text).split())
    compared = tuple(_comparisons(words))
    used = {place for found in compared for place in range(found.start, found.start + 2)}
    possible = [_aggregates(words, i) if i not in used else frozenset() for i in range(len(words))]
    extremes = [i for i in range(len(words)) if is_extreme(words, i)]
    return Reading(
        words=words,
        forms=frozenset().union(*map(forms_of, words)),
        compared=compared,
        aggregates=frozenset().union(*possible),
        sure=frozenset().union(*(found for found in possible if len(found) == 1)),
        directions=tuple(_directions(words, extremes)),
        sorts=any(sorts_at(words, i) for i in range(len(words))),
        ranks=bool(extremes),
        groups=any(_groups(words, i) for i in range(len(words))),
        negates=any(_negates(words, i) for i in range(len(words))),
        sets=frozenset(kind for kind, said in _SET_SIGNS.items() if said & set(words)),
        numbers=tuple(i for i, word in enumerate(words) if _is_number(words, i)),
    )


# Words that hardly say anything but the set operator; lexicon.SET_WORDS also has those that WHERE is said by.
_SET_SIGNS = {
    "INTERSECT": frozenset({"both"}),
    "UNION": frozenset({"either"}),
    "EXCEPT": frozenset({"except", "excluding"}),
}


@lru_cache(maxsize=65536)
def forms_of(word: str) -> frozenset[str]:
    """Base forms of a word, number words also as digits."""
    return lemmas(word) | ({lexicon.NUMBERS[word]} if word in lexicon.NUMBERS else frozenset())


@lru_cache(maxsize=65536)
def direction(word: str) -> str:
    """UP for words that say more (`larger`, `highest`), DOWN for less, else empty.

    >>> direction("larger"), direction("fewest"), direction("blue")
    ('up', 'down', '')
    """
    forms = lemmas(word)
    up, down = forms & lexicon.OPERATOR_WORDS[">"], forms & lexicon.OPERATOR_WORDS["<"]
    if bool(up) == bool(down):
        return UP if word == "most" else DOWN if word == "least" else ""
    return UP if up else DOWN


def is_extreme(words: Sequence[str], position: int) -> bool:
    """Whether a word is a superlative that ranks: the oldest, the most, top 3; not at least, at most."""
    word, before = words[position], words[position - 1] if position else ""
    return before != "at" and (is_superlative(word) or word in ("top", "bottom"))


def sorts_at(words: Sequence[str], position: int) -> bool:
    """Whether a word says that something is sorted: sorted by, in alphabetical order, order them by.

    >>> words = "list them in order of age".split()
    >>> [word for i, word in enumerate(words) if sorts_at(words, i)]
    ['order']
    """
    word, before, after = words[position], words[max(0, position - 3) : position], words[position + 1 : position + 2]
    if word in lexicon.DIRECTIONS:
        return True
    if word == "ordered":  # "goods ordered before" sorts nothing
        return after[:1] in (("by",), ("in",), ("from",)) or bool(set(after) & lexicon.DIRECTIONS)
    if word == "order":
        return "in" in before or after in (("by",), ("them",)) or bool(before and before[-1] == "and")
    named = lemmas(word) & (lexicon.ORDER_VERBS - {"put"})
    return bool(named) and (after == ("by",) or word in ("sorted", "arranged", "sort", "arrange"))


def _groups(words: Sequence[str], position: int) -> bool:
    """each, every, per, grouped by."""
    grouped = "group" in lemmas(words[position]) and words[position + 1 : position + 2] == ("by",)
    return grouped or words[position] in lexicon.GROUP_WORDS - {"group", "corresponding", "individual"}


_NO_NUMBERS = lexicon.words("one single first second third hundred thousand once twice dozen")


def _is_number(words: Sequence[str], position: int) -> bool:
    """Numbers that may be a value; "one" and "first" mean too much else."""
    word = words[position]
    return word.replace(",", "").replace(".", "").isdigit() or (word in lexicon.NUMBERS and word not in _NO_NUMBERS)


def _comparisons(words: Sequence[str]) -> Iterator[Compared]:
    for position in range(len(words)):
        for rule in (_than, _at_least, _or_more, _preposition, _between):
            found = rule(words, position)
            if found:
                yield found
                break


def _number_behind(words: Sequence[str], position: int, reach: int) -> int:
    places = range(position + 1, min(len(words), position + 1 + reach))
    return next((i for i in places if _is_number(words, i) or words[i] in lexicon.NUMBERS), -1)


def _than(words: Sequence[str], position: int) -> Compared | None:
    """more than 5, no older than 30, shallower than 20, greater than or equal to 3."""
    word = words[position]
    than = words[position + 1 : position + 2] == ("than",)
    greater = word.endswith("er") and direction(word) and _number_behind(words, position, 1) >= 0  # greater 5
    if not (than or greater) or word in _NO_COMPARISON:
        return None
    number = _number_behind(words, position + than, 5)
    sign = {UP: ">", DOWN: "<", "": "?"}[direction(word)]
    if lemmas(word) & _TIME and (number < 0 or _value(words[number]) >= _YEAR):
        sign = "?"
    before = words[max(0, position - 2) : position]
    if _NEGATIONS & set(before[-1:]) or (before and before[0] in ("no", "not", "n't") and before[-1] != "and"):
        sign = _FLIPPED[sign]
    elif words[position + 2 : position + 4] == ("or", "equal"):
        sign = _INCLUSIVE[sign]
    return Compared(sign, position, number)


def _value(word: str) -> float:
    try:
        return float(lexicon.NUMBERS.get(word, word).replace(",", ""))
    except ValueError:
        return 0.0


def _at_least(words: Sequence[str], position: int) -> Compared | None:
    """at least two, at most 5, up to 10, prior to 1990."""
    pair = words[position : position + 2]
    sign = {("at", "least"): ">=", ("at", "most"): "<=", ("up", "to"): "<=", ("prior", "to"): "<"}.get(tuple(pair))
    number = _number_behind(words, position + 1, 4)
    return Compared(sign, position, number) if sign and (number >= 0 or pair[0] == "at") else None


def _preposition(words: Sequence[str], position: int) -> Compared | None:
    """over 20, before 1990, exceeds 5, since 2010."""
    word = words[position]
    exceeds = "exceed" in lemmas(word)
    sign = ">" if word in _ABOVE or exceeds else "<" if word in _BELOW else {"since": ">=", "until": "<="}.get(word)
    number = _number_behind(words, position, 4) if sign else -1
    if not sign or (number < 0 and not exceeds):
        return None
    if words[position - 1 : position] in (("or",), ("and",)) and words[position - 2 : position - 1] in _AT:
        sign = _INCLUSIVE.get(sign, sign)  # in or after 1990
    negated = position and words[position - 1] in _NEGATIONS
    return Compared(_FLIPPED.get(sign, sign) if negated else sign, position, number)


_AT = (("in",), ("on",), ("at",), ("from",))


def _or_more(words: Sequence[str], position: int) -> Compared | None:
    """30 or older, 5 or more, 2000 metres or higher, 1990 or later."""
    if position < 2 or words[position - 1] not in ("or", "and") or words[position + 1 : position + 2] == ("than",):
        return None
    said = direction(words[position]) or {"above": UP, "over": UP, "below": DOWN, "under": DOWN}.get(words[position])
    near = [i for i in range(max(0, position - 5), position - 1) if _is_number(words, i)]
    if not said or not near or _number_behind(words, position, 1) >= 0 or is_superlative(words[position]):
        return None
    return Compared(">=" if said == UP else "<=", position - 1, near[-1])


def _between(words: Sequence[str], position: int) -> Compared | None:
    number = _number_behind(words, position, 4) if words[position] == "between" else -1
    return Compared("between", position, number) if number >= 0 else None


def _aggregates(words: Sequence[str], position: int) -> frozenset[str]:
    """The aggregates that a word can mean; superlatives in front of a noun among them."""
    word = words[position]
    if is_superlative(word) or word in ("top", "bottom", "first", "last"):
        said = direction(word)
        return frozenset({"max", "min"} if not said else {"max"} if said == UP else {"min"})
    if word == "many":  # how many
        return frozenset({"count", "sum"})
    after = words[position + 1] if position + 1 < len(words) else ""
    if (word in ("number", "numbers") and after != "of") or (word == "combined" and after == "with"):
        return frozenset()  # a card number; names combined with ratings
    plain = lemmas(word) & _AGGREGATE_WORDS
    return frozenset(name for name, listed in lexicon.AGGREGATE_WORDS.items() if plain & listed)


# Without adjectives: "large" speaks of an aggregate as "largest" only.
_AGGREGATE_WORDS = frozenset().union(*lexicon.AGGREGATE_WORDS.values()) - frozenset(
    word for listed in (lexicon.OPERATOR_WORDS[">"], lexicon.OPERATOR_WORDS["<"]) for word in listed
) - {"most", "least", "many", "much", "good", "top"}  # fmt: skip


def _directions(words: Sequence[str], extremes: Sequence[int]) -> Iterator[tuple[str, str]]:
    """The first direction of each family of words: two families are never compared."""
    seen = set()
    for position, word in enumerate(words):
        if word in lexicon.DIRECTIONS:
            down = word.startswith(("desc", "decr", "reverse"))
            family, said = "sort", DOWN if down else UP
        elif position in extremes and lemmas(word) & _TIME:
            family, said = "time", UP if lemmas(word) & _LATER else DOWN
        elif position in extremes:
            family, said = "size", direction(word)
        else:
            continue
        if said and family not in seen:
            seen.add(family)
            yield family, said


def _negates(words: Sequence[str], position: int) -> bool:
    """not, no, without, except; not "no more than", which only turns a comparison round."""
    word = words[position]
    if word not in _NEGATIVE:
        return (word, *words[position + 1 : position + 2]) in lexicon.CONDITION_PAIRS - {("such", "that")}
    return not (word in ("no", "not", "n't") and "than" in words[position + 1 : position + 4])


_NEGATIVE = (lexicon.OPERATOR_WORDS["not"] | lexicon.SET_WORDS["EXCEPT"]) - {"but", "other", "any", "exclude"} | {
    "excluding",
    "neither",
    "n't",
}


def repeated(words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Word sequences that follow themselves, at once or behind a joint: "common common", "of the name of the name".

    >>> list(repeated("the name and name of the boats of the boats".split()))
    [('name',), ('of', 'the', 'boats')]
    """
    position = 0
    while position < len(words):
        found = _loop_at(words, position)
        if found:
            yield tuple(words[position : position + found])
        position += found or 1


def _loop_at(words: Sequence[str], start: int) -> int:
    """Length of the longest sequence at a position that comes again, at most two joints later; 0 if none does."""
    for size in range(min(8, (len(words) - start) // 2), 0, -1):
        gram = words[start : start + size]
        if not any(word.isalnum() and word not in _LINKS for word in gram):
            continue
        for gap in range(3 if size > 1 else 2):
            again = start + size + gap
            joint = words[start + size : again]
            if words[again : again + size] == gram and all(word in _JOINTS for word in joint):
                return size
    return 0


_LINKS = lexicon.PREPOSITIONS | lexicon.ARTICLES | lexicon.CONJUNCTIONS | lexicon.VERBS | {"that"}  # alone no loop
_JOINTS = lexicon.CONJUNCTIONS | lexicon.words("of the , in for with")


@lru_cache(maxsize=65536)
def is_content(word: str) -> bool:
    """Whether a word may name a thing: a noun or a word that no dictionary knows, and no word of grammar.

    >>> [word for word in "show the oldest kites of each zorb".split() if is_content(word)]
    ['kites', 'zorb']
    """
    if not word.isalpha() or len(word) < 2 or word in _GRAMMAR or is_superlative(word):
        return False
    if lemmas(word) & _GRAMMAR:
        return False
    parts = parts_of_speech(word)
    return not parts or not parts.isdisjoint(("NOUN", "PROPN"))


_GRAMMAR = frozenset(lexicon.USES) | lexicon.INTERROGATIVES | lexicon.COMMANDS | lexicon.DISTINCT | lexicon.RELATIVES
_GRAMMAR |= lexicon.PREPOSITIONS | lexicon.VERBS | lexicon.ARTICLES | lexicon.CONJUNCTIONS | frozenset(lexicon.NUMBERS)
_GRAMMAR |= lexicon.STOP_WORDS | lexicon.words("than you i me we us it they them he she one ones us there so if then")
