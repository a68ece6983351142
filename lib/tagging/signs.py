"""Signs of phrases: the words that English uses to begin one.

A relative pronoun, "with", a participle, a preposition in front of a value, "for each", "sorted by", a new sentence.
Each rule is a small function that says what sign of a new phrase a token is.
"""

from collections.abc import Iterator, Sequence
from enum import IntEnum

from lib.records import SET_OPERATORS
from lib.tagging import lexicon
from lib.tagging.candidates import COLUMN
from lib.tagging.matching import Matches, is_superlative
from lib.tokens import lemmas, parts_of_speech


class Sign(IntEnum):
    """How clearly a phrase begins at a token, and what it is."""

    NONE = 0
    INSIDE = 1  # a part of a noun phrase that may say something of its own: the tallest | singer
    WEAK = 2  # perhaps a phrase
    CLEAR = 3  # a phrase, nearly always
    MODIFIER = 4  # a phrase that says more of the noun before it, so hardly what is asked for
    SENTENCE = 5  # a sentence


Signs = Iterator[tuple[int, Sign]]  # position of the first token of a phrase, and the sign


def _at(words: Sequence[str], position: int) -> str:
    return words[position] if 0 <= position < len(words) else ""


def _leading(words: Sequence[str], position: int, allowed: frozenset[str], most: int = 2) -> int:
    """How many of the words in front belong to what begins at a position."""
    count = 0
    while count < most and _at(words, position - count - 1) in allowed:
        count += 1
    return count


def _is_noun(matches: Matches, position: int) -> bool:
    word = _at(matches.words, position)
    if not word.isalnum() or word in lexicon.VERBS or word in lexicon.PREPOSITIONS or word in lexicon.ARTICLES:
        return False
    parts = parts_of_speech(word)
    return not parts or not parts.isdisjoint(("NOUN", "PROPN")) or bool(matches.strengths[position])


# --- Sentences and requests -------------------------------------------------------------------------------------
def sentence(matches: Matches) -> Signs:
    """A new sentence; one that begins with a preposition says first which rows it is about."""
    for position, starts in enumerate(matches.starts):
        if starts:
            yield position, Sign.MODIFIER if matches.words[position] in lexicon.PREPOSITIONS else Sign.SENTENCE


def behind_opening(matches: Matches) -> Signs:
    """For each team, | what ...: the request behind a phrase that opens the sentence."""
    words = matches.words
    for start, starts in enumerate(matches.starts):
        if not starts or words[start] not in lexicon.PREPOSITIONS:
            continue
        for position in range(start + 2, len(words)):
            requests = words[position] in lexicon.INTERROGATIVES or words[position] in lexicon.COMMANDS
            if words[position] == "," and _requests(words[position + 1 : position + 3]):
                yield position, Sign.CLEAR
                break
            if requests and position > start + 2 and words[position - 1] not in lexicon.ARTICLES | lexicon.PREPOSITIONS:
                yield position, Sign.WEAK
                break


def _requests(words: Sequence[str]) -> bool:
    return any(word in lexicon.INTERROGATIVES or word in lexicon.COMMANDS for word in words)


def further_request(matches: Matches) -> Signs:
    """A further thing asked for: , and how many | and list the | as well as."""
    words = matches.words
    for position in range(2, len(words) - 1):
        word, before = words[position], words[position - 1]
        asks = before in ("and", ",") and word in lexicon.INTERROGATIVES
        if (
            word == "and"
            and ("each" in words[:position] or "every" in words[:position])
            and _is_asked(matches, position + 1)
        ):
            yield position, Sign.WEAK
        commands = before in ("and", ",") and word in lexicon.COMMANDS and "NOUN" not in parts_of_speech(word)
        if asks or commands or (word == "as" and words[position + 1] == "well"):
            yield position - _leading(words, position, _JOINS), Sign.WEAK


_JOINS = frozenset({"and", ",", "then", "but"})


# --- Conditions -------------------------------------------------------------------------------------------------
def relative_pronoun(matches: Matches) -> Signs:
    """who, whose, that ... inside a sentence, with the preposition in front: for which."""
    words = matches.words
    for position, word in enumerate(words):
        before = _at(words, position - 1)
        if word not in lexicon.RELATIVES or matches.starts[position] or before in ("and", ",", "than", "or", "as"):
            continue
        led = before in lexicon.PREPOSITIONS
        if word == "that" and (led or _at(words, position + 1) == "of"):  # a demonstrative
            continue
        yield position - led, Sign.MODIFIER


def condition_word(matches: Matches) -> Signs:
    """with, without, having, except, but not, other than, apart from."""
    words = matches.words
    for position, word in enumerate(words):
        after = _at(words, position + 1)
        if word == "with" and _is_asked(matches, position + 1):
            yield position, Sign.CLEAR  # with the number of: asked for
        elif (
            word in lexicon.CONDITIONS
            or (word, after) in lexicon.CONDITION_PAIRS
            or (word == "not" and after in lexicon.PREPOSITIONS and _is_noun(matches, position - 1))
        ):
            yield position, Sign.MODIFIER


def _is_asked(matches: Matches, position: int) -> bool:
    """Whether the first telling word from a position on speaks of what SELECT asks for, and of no condition."""
    for strength in matches.strengths[position : position + 3]:
        if strength:
            return strength.get("SELECT", 0.0) >= COLUMN and strength.keys() <= {"SELECT", "GROUP BY", "ORDER BY"}
    return False


def led_value(matches: Matches) -> Signs:
    """A preposition in front of a value: in Asia, after 2013, from the north."""
    words = matches.words
    for position, word in enumerate(words):
        if word not in lexicon.PREPOSITIONS or matches.starts[position] or position < 2:
            continue
        for place in range(position + 1, min(position + 5, len(words))):
            if matches.in_value[place]:
                yield position, Sign.WEAK if word in ("of", "to", "by", "for") else Sign.MODIFIER
                break
            if words[place] in _ENDS_REACH:
                break


_ENDS_REACH = lexicon.PREPOSITIONS | lexicon.RELATIVES | lexicon.VERBS | {",", "and"}


def participle(matches: Matches) -> Signs:
    """A participle behind a noun: films directed by, ships named, books published after."""
    words = matches.words
    for position in range(2, len(words) - 1):
        word, after = words[position], words[position + 1]
        if matches.starts[position] or not is_participle(word) or not _is_noun(matches, position - 1):
            continue
        if _stands_in_front(matches, position):
            continue
        follows = after in lexicon.PREPOSITIONS or matches.in_value[position + 1] or after in ("``", "'", '"')
        yield position, Sign.MODIFIER if follows else Sign.WEAK


def _stands_in_front(matches: Matches, position: int) -> bool:
    """Left handed players, best paid staff: an adjective before the participle, its noun behind it."""
    after = _at(matches.words, position + 1)
    behind = after.isalnum() and after not in lexicon.PREPOSITIONS and "NOUN" in parts_of_speech(after)
    return behind and "ADJ" in parts_of_speech(matches.words[position - 1]) and not matches.in_value[position + 1]


def is_participle(word: str) -> bool:
    """Whether a word may be a participle.

    >>> [word for word in ("directed", "won", "born", "opening", "red", "name") if is_participle(word)]
    ['directed', 'won', 'born', 'opening']
    """
    ends = word.endswith(("ed", "en", "wn", "rn", "ght", "ing")) or word in lexicon.PARTICIPLES
    return ends and "VERB" in parts_of_speech(word) and bool(lemmas(word) - {word})


def comparison(matches: Matches) -> Signs:
    """A comparison behind a noun: singers above age 20, people older than 30."""
    words = matches.words
    for position in range(2, len(words) - 1):
        word, after = words[position], words[position + 1]
        if matches.starts[position] or not _is_noun(matches, position - 1):
            continue
        if word in ("above", "below", "over", "under", "after", "before", "between") or (
            after == "than" and word not in ("other", "rather")
        ):
            yield position, Sign.MODIFIER


def predicate(matches: Matches) -> Signs:
    """The verb behind the noun that is asked for: How many ships | were, Which shop | has."""
    words = matches.words
    for start, starts in enumerate(matches.starts):
        first, second = words[start], _at(words, start + 1)
        counts = (first, second) == ("how", "many")
        if not starts or second in lexicon.VERBS or not (counts or first in ("which", "what")):
            continue
        for position in range(start + 2 + counts, min(start + 10, len(words))):
            word = words[position]
            if word in lexicon.SENTENCE_ENDS or word in lexicon.RELATIVES:
                break
            if word in lexicon.VERBS or (_is_noun(matches, position - 1) and _is_verb(matches, position)):
                says_nothing = word in lexicon.DO or _at(words, position + 1) == "there"
                yield position, Sign.WEAK if says_nothing else Sign.MODIFIER
                break


def _is_verb(matches: Matches, position: int) -> bool:
    """Whether a word behind a noun is a verb that agrees with it: regions | supply, a region | supplies."""
    word, before, after = matches.words[position], matches.words[position - 1], _at(matches.words, position + 1)
    parts = parts_of_speech(word)
    if "VERB" not in parts:
        return False
    if parts.isdisjoint(("NOUN", "ADJ")):
        return True
    is_plural = before.endswith("s") and bool(lemmas(before) - {before})
    agrees = is_participle(word) or word.endswith("s") != is_plural
    follows = after in _AFTER_VERB or after in lexicon.NUMBERS or after.isdigit()
    return agrees and (is_plural or follows)


_AFTER_VERB = lexicon.ARTICLES | lexicon.PREPOSITIONS | {"more", "fewer", "less", "both", "either"}


def second_operand(matches: Matches) -> Signs:
    """What follows "and", "but", "or" may be the other query of a set operator."""
    words = matches.words
    if not any(kind in SET_OPERATORS for kind in matches.kinds):
        return
    for position in range(2, len(words) - 1):
        if words[position] in ("and", "or") and words[position + 1] not in lexicon.CONJUNCTIONS:
            yield position, Sign.WEAK
        elif words[position] in ("both", "either"):
            yield position, Sign.INSIDE
            yield position + 1, Sign.INSIDE


# --- GROUP BY and ORDER BY --------------------------------------------------------------------------------------
def each(matches: Matches) -> Signs:
    """for each, in every, does each, per."""
    words = matches.words
    for position, word in enumerate(words):
        if word == "per":
            yield position, Sign.CLEAR
        elif word in ("each", "every") and not matches.starts[position]:
            led = _at(words, position - 1) in lexicon.PREPOSITIONS | lexicon.DO
            yield position - led, Sign.CLEAR if led else Sign.WEAK


def ordering(matches: Matches) -> Signs:
    """sorted by, in descending order, and order them, from the oldest to the youngest, with the largest first."""
    if "ORDER BY" not in matches.kinds:
        return
    words = matches.words
    for position, word in enumerate(words):
        if matches.starts[position]:
            continue
        before = _at(words, position - 1)
        verb = lemmas(word) & lexicon.ORDER_VERBS and word not in ("rank", "ranks", "order", "orders", "sort")
        command = word in _ORDER_COMMANDS and before in _JOINS and _at(words, position + 1) in _AFTER_ORDER
        if verb or command or (word in lexicon.DIRECTIONS and before == ","):
            yield position - _leading(words, position, _BEFORE_ORDER), Sign.MODIFIER
        elif (word == "in" and _names_an_order(words[position + 1 : position + 6])) or (
            word in ("from", "starting", "beginning") and _names_extremes(words[position + 1 : position + 9])
        ):
            yield position - _leading(words, position, _JOINS), Sign.MODIFIER
        elif word in ("with", ",") and _ends_in_first(words[position + 1 : position + 6]):
            yield position, Sign.MODIFIER


_ORDER_COMMANDS = frozenset({"order", "rank", "sort", "arrange", "put"})
_AFTER_ORDER = lexicon.ARTICLES | {"by", "them", "it", "in", "results", "from"}
_BEFORE_ORDER = _JOINS | {"are", "is", "that"}


def _names_an_order(words: Sequence[str]) -> bool:
    if any(word in lexicon.DIRECTIONS for word in words[:2]):
        return True
    return "order" in words and not any(word in lexicon.RELATIVES for word in words[: words.index("order")])


def _names_extremes(words: Sequence[str]) -> bool:
    """the oldest to the youngest, high to low, the smallest number."""
    measures = [word for word in words if is_superlative(word) or word in lexicon.ADJECTIVES or word in ("low", "few")]
    return bool(measures) and ("to" in words or words[0] in ("with", "from"))


def _ends_in_first(words: Sequence[str]) -> bool:
    place = next((i for i, word in enumerate(words) if word in ("first", "last")), 0)
    return any(is_superlative(word) for word in words[:place])


def superlative(matches: Matches) -> Signs:
    """with the most, by the largest; and inside a noun phrase: the five most distant | stars."""
    words = matches.words
    for position in range(1, len(words)):
        if not _is_extreme(words, position):
            continue
        start = position - _leading(words, position, _BEFORE_SUPERLATIVE)
        before = _at(words, start - 1)
        if before in lexicon.PREPOSITIONS - {"of", "to"} or before in lexicon.VERBS:
            yield start - 1, Sign.WEAK
        elif "ORDER BY" in matches.kinds:
            yield start, Sign.INSIDE
        if "ORDER BY" in matches.kinds:
            yield _behind_superlative(matches, position), Sign.INSIDE


_BEFORE_SUPERLATIVE = frozenset({"the", "a", "single", "our"}) | set(lexicon.NUMBERS) | {str(n) for n in range(100)}


def _is_extreme(words: Sequence[str], position: int) -> bool:
    word, before = words[position], words[position - 1]
    return before != "at" and (is_superlative(word) or word in ("top", "maximum", "minimum"))


def _behind_superlative(matches: Matches, position: int) -> int:
    """The end of what a superlative says: top 5 |, most common |, largest number of ships (no end)."""
    words = matches.words
    quantifies = words[position] in ("most", "least", "fewest")
    after = position + 1
    if quantifies and not _describes(matches, after):
        return -1  # most ships: what is counted belongs to it
    while after < min(position + 4, len(words)) and (
        words[after].isdigit()
        or words[after] in lexicon.NUMBERS
        or "ORDER BY" in matches.strengths[after]
        or "ADV" in parts_of_speech(words[after])
        or (quantifies and after == position + 1)
    ):
        after += 1
    return -1 if _at(words, after) == "of" else after


def _describes(matches: Matches, position: int) -> bool:
    """Whether a word is an adjective, an adverb or a participle rather than a noun."""
    word = _at(matches.words, position)
    parts = parts_of_speech(word)
    return is_participle(word) or not parts.isdisjoint(("ADJ", "ADV"))


RULES = (
    sentence,
    behind_opening,
    further_request,
    relative_pronoun,
    condition_word,
    led_value,
    participle,
    comparison,
    predicate,
    second_operand,
    each,
    ordering,
    superlative,
)
