"""Questions -> phrases: where one clause may end and the next begin.

A phrase begins at a word that English uses to begin one: a relative pronoun, "with", a participle, a preposition in
front of a value, "for each", "sorted by", a new sentence. Each rule is a small function that says how clear a sign a
word is, from NONE to a new SENTENCE; the clearest sign counts.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import pairwise

from lib.records import SET_OPERATORS
from lib.tagging import lexicon
from lib.tagging.matching import Matches, is_superlative
from lib.tokens import lemmas, parts_of_speech


class Sign(IntEnum):
    """How clearly a phrase begins at a token."""

    NONE = 0
    WEAK = 1  # perhaps
    CLEAR = 2  # nearly always
    SENTENCE = 3  # always


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
            if 0 < position < count:
                signs[position] = max(signs[position], sign)
    _keep_words_together(matches, signs)
    cuts = [0, *(position for position in range(1, count) if signs[position]), count]
    return tuple(Phrase(a, b, signs[a] if a else Sign.SENTENCE) for a, b in pairwise(cuts))


def _keep_words_together(matches: Matches, signs: list[Sign]) -> None:
    """No phrase is one word of grammar, and none begins with punctuation that ends the one before."""
    for position in range(len(signs) - 1, 0, -1):
        lone = signs[position] and signs[position - 1] and signs[position] < Sign.SENTENCE
        if lone and (matches.words[position - 1] in lexicon.PREPOSITIONS | lexicon.CONJUNCTIONS | {","}):
            signs[position - 1], signs[position] = max(signs[position - 1], signs[position]), Sign.NONE


def _at(words: Sequence[str], position: int) -> str:
    return words[position] if 0 <= position < len(words) else ""


def _is_noun(matches: Matches, position: int) -> bool:
    word = _at(matches.words, position)
    if not word or word in lexicon.VERBS or word in lexicon.PREPOSITIONS or word in lexicon.ARTICLES:
        return False
    parts = parts_of_speech(word)
    return not parts or not parts.isdisjoint(("NOUN", "PROPN")) or bool(matches.strengths[position])


def sentence(matches: Matches):
    """A new sentence."""
    for position, starts in enumerate(matches.starts):
        if starts:
            yield position, Sign.SENTENCE


def relative_pronoun(matches: Matches):
    """who, whose, that ... inside a sentence, with the preposition in front: "for which"."""
    words = matches.words
    for position, word in enumerate(words):
        before = _at(words, position - 1)
        if word not in lexicon.RELATIVES or matches.starts[position] or before in ("and", ",", "than", "or"):
            continue
        if word == "that" and _at(words, position + 1) == "of":
            continue
        led = before in lexicon.PREPOSITIONS and before not in ("than", "from")
        yield position - led, Sign.CLEAR


def condition_word(matches: Matches):
    """with, without, having, except, but not."""
    for position, word in enumerate(matches.words):
        if word in ("with", "without", "having", "except", "excluding", "whose") or word == "but":
            yield position, Sign.CLEAR


def ordering(matches: Matches):
    """sorted by, in descending order, and order them."""
    words = matches.words
    if "ORDER BY" not in matches.kinds:
        return
    for position, word in enumerate(words):
        forms = lemmas(word)
        verb = forms & lexicon.ORDER_VERBS and word not in ("rank", "ranks", "order") and not matches.starts[position]
        imperative = word in ("order", "rank") and _at(words, position - 1) in ("and", ",", "then")
        if verb or imperative:
            yield position - _leading(words, position, ("and", ",", "then", "are", "is", "that")), Sign.CLEAR
        elif word == "in" and _names_an_order(words[position + 1 : position + 5]):
            yield position - _leading(words, position, (",",)), Sign.CLEAR


def _names_an_order(words: Sequence[str]) -> bool:
    return bool(words) and (
        any(lemmas(word) & lexicon.ORDER_WORDS - {"order"} for word in words[:2])
        or ("order" in words and not any(word in lexicon.RELATIVES for word in words[: words.index("order")]))
    )


def _leading(words: Sequence[str], position: int, allowed: tuple[str, ...]) -> int:
    """How many of the words in front belong to what begins at a position."""
    count = 0
    while count < 2 and _at(words, position - count - 1) in allowed:
        count += 1
    return count


def each(matches: Matches):
    """for each, in every, per."""
    words = matches.words
    for position, word in enumerate(words):
        if word == "per":
            yield position, Sign.CLEAR
        elif word in ("each", "every") and not matches.starts[position]:
            led = _at(words, position - 1) in lexicon.PREPOSITIONS
            yield position - led, Sign.CLEAR if led else Sign.WEAK
        elif word == "group" and "GROUP BY" in matches.kinds:
            yield position, Sign.WEAK


def led_value(matches: Matches):
    """A preposition in front of a value: in Asia, after 2013, from the north."""
    words = matches.words
    for position, word in enumerate(words):
        if word not in lexicon.PREPOSITIONS or matches.starts[position] or position < 2:
            continue
        ahead = range(position + 1, min(position + 5, len(words)))
        for place in ahead:
            if matches.in_value[place]:
                yield position, Sign.WEAK if word in ("of", "to", "by", "for") else Sign.CLEAR
                break
            if words[place] in lexicon.PREPOSITIONS | lexicon.RELATIVES | lexicon.VERBS | {",", "and"}:
                break


def participle(matches: Matches):
    """A participle behind a noun: films directed by, ships named, books published after."""
    words = matches.words
    for position in range(2, len(words) - 1):
        word, before = words[position], words[position - 1]
        if matches.starts[position] or not _is_participle(word) or not _is_noun(matches, position - 1):
            continue
        if before in lexicon.CONJUNCTIONS or before == ",":
            continue
        after = words[position + 1]
        follows = after in lexicon.PREPOSITIONS or matches.in_value[position + 1] or after in ("``", "'", '"')
        yield position, Sign.CLEAR if follows else Sign.WEAK


def _is_participle(word: str) -> bool:
    return (word.endswith(("ed", "en", "wn", "ght", "ing")) or word in ("made", "won", "sold", "led", "held")) and (
        "VERB" in parts_of_speech(word) and bool(lemmas(word) - {word})
    )


def predicate(matches: Matches):
    """The verb behind the noun that a question asks for: How many ships | were, Which shop | has."""
    words = matches.words
    for start in (position for position, starts in enumerate(matches.starts) if starts):
        first, second = words[start], _at(words, start + 1)
        if not (first in ("which", "what") or (first, second) == ("how", "many")):
            continue
        for position in range(start + 2, min(start + 9, len(words))):
            word = words[position]
            if word in lexicon.SENTENCE_ENDS or word in lexicon.RELATIVES or word in lexicon.PREPOSITIONS:
                break
            if word in lexicon.VERBS or (_is_verb(word) and _is_noun(matches, position - 1)):
                if second not in lexicon.VERBS:
                    yield position, Sign.WEAK
                break


def _is_verb(word: str) -> bool:
    parts = parts_of_speech(word)
    return "VERB" in parts and not parts & {"NOUN", "ADJ"}


def comparison(matches: Matches):
    """A comparison behind a noun: singers above age 20, people older than 30, cities larger than."""
    words = matches.words
    for position in range(2, len(words) - 1):
        word, after = words[position], words[position + 1]
        if matches.starts[position] or not _is_noun(matches, position - 1):
            continue
        compares = after == "than" and word not in ("other", "rather")
        bounds = word in ("above", "below", "over", "under", "after", "before", "between")
        if compares or bounds:
            yield position, Sign.CLEAR if bounds else Sign.WEAK


def second_operand(matches: Matches):
    """What follows "and", "but", "or" may be the other query of a set operator."""
    words = matches.words
    if not any(kind in SET_OPERATORS for kind in matches.kinds):
        return
    for position in range(3, len(words) - 1):
        if words[position - 1] in ("and", "or") and words[position] not in lexicon.CONJUNCTIONS:
            yield position, Sign.WEAK


def further_request(matches: Matches):
    """A further thing asked for: , and how many, and list the."""
    words = matches.words
    for position in range(2, len(words) - 1):
        word = words[position]
        if _at(words, position - 1) not in ("and", ","):
            continue
        asks = word in ("what", "how", "which", "when", "where", "who") and words[position - 1] != "or"
        commands = word in lexicon.COMMANDS and "NOUN" not in parts_of_speech(word)
        if asks or commands or (word == "as" and _at(words, position + 1) == "well"):
            yield position - _leading(words, position, ("and", ",")), Sign.WEAK


def after_group(matches: Matches):
    """For each X, | what ...: the comma behind a leading phrase."""
    words = matches.words
    for start in (position for position, starts in enumerate(matches.starts) if starts):
        if words[start] not in lexicon.PREPOSITIONS:
            continue
        for position in range(start + 2, min(start + 16, len(words))):
            if words[position] == ",":
                yield position, Sign.CLEAR
                break
            if words[position] in lexicon.COMMANDS | lexicon.INTERROGATIVES and position > start + 2:
                yield position, Sign.WEAK
                break


def superlative(matches: Matches):
    """with the most, by the largest: a preposition and an article in front of a superlative."""
    words = matches.words
    for position in range(2, len(words)):
        if not (is_superlative(words[position]) or words[position] in ("top", "maximum", "minimum")):
            continue
        lead = 1 + (_at(words, position - 1) in ("the", "a"))
        if _at(words, position - lead) in lexicon.PREPOSITIONS - {"of", "to"}:
            yield position - lead, Sign.WEAK


RULES = (
    sentence,
    relative_pronoun,
    condition_word,
    ordering,
    each,
    led_value,
    participle,
    predicate,
    comparison,
    second_operand,
    further_request,
    after_group,
    superlative,
)
