"""Question tokens against candidate words: how strongly each token speaks of each clause."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from lib.records import SET_OPERATORS, Clause, Schema
from lib.tagging import lexicon
from lib.tagging.candidates import COLUMN, GENERIC, OPERATOR, PART, VALUE, Candidates, candidates
from lib.tokens import lemmas, parts_of_speech

_QUOTES = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"'})
_NEAR = 3  # tokens that may lie between two words of one name
_LONG = 5  # letters of the shortest word in which one letter may be wrong


@dataclass(frozen=True, slots=True)
class Matches:
    """A question beside the clauses of its query."""

    words: tuple[str, ...]  # tokens in lower case, without quotes and possessive endings glued to them
    candidates: Candidates  # what was looked for
    strengths: tuple[dict[str, float], ...]  # for each token: kind of clause -> how strongly it speaks of it
    in_value: tuple[bool, ...]  # for each token whether it is part of a value
    starts: tuple[bool, ...]  # for each token whether a sentence starts there
    kinds: tuple[str, ...]  # kinds of the clauses, in the order of the query


def match(tokens: Sequence[str], clauses: Sequence[Clause], schema: Schema | None) -> Matches:
    """Matches each token of a question with the candidate words of each clause.

    Args:
        tokens: tokens of the question; a corpus's own may have quotes glued to them.
        clauses: the clauses of one query, in order.
        schema: its database, or None.
    """
    wanted = candidates(tuple(clauses), schema)
    words = tuple(map(_clean, tokens))
    strengths: list[dict[str, float]] = [{} for _ in words]
    starts = _sentence_starts(words)
    in_value = _match_values(_without_articles(tokens, words), wanted, strengths)
    forms = [_forms(word) for word in words]
    _match_names(words, forms, wanted, strengths, in_value)
    for position, word in enumerate(words):
        if not in_value[position]:
            _match_word(word, forms[position], wanted, strengths[position])
    _match_number_of_rows(words, wanted, strengths)
    _match_second_query(words, wanted, strengths)
    _match_beginnings(words, starts, strengths)
    kinds = tuple(clause.kind for clause in clauses)
    return Matches(words, wanted, tuple(strengths), tuple(in_value), tuple(starts), kinds)


@lru_cache(maxsize=65536)
def _clean(token: str) -> str:
    text = token.translate(_QUOTES).lower()
    if len(text) > 1 and text not in ("''", "``", "'s", "'re", "'ve", "'ll", "'d", "'m"):
        text = text.strip("'\"`").removesuffix("'s") or text
    return text


@lru_cache(maxsize=65536)
def _forms(word: str) -> tuple[str, ...]:
    """The base forms to look up; number words also as digits."""
    found = lemmas(word) | ({lexicon.NUMBERS[word]} if word in lexicon.NUMBERS else set())
    return tuple(sorted(found))


def _sentence_starts(words: Sequence[str]) -> list[bool]:
    starts, fresh = [], True
    for word in words:
        starts.append(fresh and word.isalnum())
        fresh = (fresh and not word.isalnum()) or word in lexicon.SENTENCE_ENDS
    return starts


def _add(strength: dict[str, float], kind: str, weight: float) -> None:
    strength[kind] = max(weight, strength.get(kind, 0.0))


def _without_articles(tokens: Sequence[str], words: Sequence[str]) -> list[str]:
    """The words that may say a value: "a" is an article unless it is a capital or in quotes."""
    return [
        "" if token == "a" and (not place or words[place - 1] not in ("'", "``")) else words[place]
        for place, token in enumerate(tokens)
    ]


# --- Values -----------------------------------------------------------------------------------------------------
def _match_values(words: Sequence[str], wanted: Candidates, strengths: list[dict[str, float]]) -> list[bool]:
    in_value = [False] * len(words)
    for kind, value in wanted.values:
        for start, stop, weight in find_value(words, value):
            for position in range(start, stop):
                _add(strengths[position], kind, weight)
                in_value[position] = True
    return in_value


def find_value(words: Sequence[str], value: tuple[str, ...]) -> list[tuple[int, int, float]]:
    """Ranges that say a value: whole; written as one word; else its single words."""
    whole = [
        (start, start + len(value), VALUE)
        for start in range(len(words) - len(value) + 1)
        if all(_same_value(words[start + i], part) for i, part in enumerate(value))
    ]
    if whole:
        return whole
    joined = "".join(value)
    if len(value) > 1:
        single = [(i, i + 1, VALUE) for i, word in enumerate(words) if word.replace("-", "") == joined]
        telling = [part for part in value if part not in lexicon.STOP_WORDS and (len(part) > 1 or part.isdigit())]
        return single or [
            (i, i + 1, VALUE * len(telling) / (len(value) + 1))
            for i, word in enumerate(words)
            if any(_same_value(word, part) for part in telling)
        ]
    return [
        (i, i + size, VALUE) for size in (2, 3) for i in range(len(words)) if "".join(words[i : i + size]) == joined
    ]


@lru_cache(maxsize=65536)
def _same_value(word: str, value: str) -> bool:
    """Whether a word says a word of a value: the same, its number, or a form of it ("Russian" for Russia)."""
    if word == value or word.replace(",", "") == value:
        return True
    if value[0].isdigit():
        return lexicon.NUMBERS.get(word) == value or _float(word) == _float(value) is not None
    if len(value) >= _LONG - 1 and value in lemmas(word):
        return True
    stem = min(len(word), len(value)) - 1
    return stem >= 4 and word[:stem] == value[:stem] and abs(len(word) - len(value)) <= 3 and not lemmas(word) - {word}


def _float(word: str) -> float | None:
    try:
        return float(word.replace(",", ""))
    except ValueError:
        return None


# --- Names ------------------------------------------------------------------------------------------------------
def _match_names(words, forms, wanted: Candidates, strengths: list[dict[str, float]], in_value: list[bool]) -> None:
    """Names of tables and columns; a word of a longer name counts fully beside another word of it."""
    found = [_lookup(form, wanted) for form in forms]
    if wanted.names:
        _correct_typos(words, found, wanted)
    for position, names in enumerate(found):
        if not names or in_value[position]:
            continue
        for number, name in names.items():
            near = range(max(0, position - _NEAR), min(len(words), position + _NEAR + 1))
            is_whole = name.size == 1 or any(
                number in found[i] and words[i] != words[position] for i in near if i != position
            )
            _add(strengths[position], name.kind, name.weight * (1.0 if is_whole else PART))


def _lookup(forms: tuple[str, ...], wanted: Candidates) -> dict:
    return {number: name for form in forms for number, name in wanted.names.get(form, ())}


def _correct_typos(words: Sequence[str], found: list[dict], wanted: Candidates) -> None:
    """Looks up a word that no dictionary knows, and that matches nothing, with one letter changed."""
    for position, word in enumerate(words):
        if found[position] or len(word) < _LONG or not word.isalpha() or word in lexicon.USES or parts_of_speech(word):
            continue
        for name in wanted.names:
            if len(name) >= _LONG - 1 and is_near(word, name):
                found[position] = dict(wanted.names[name])
                break


@lru_cache(maxsize=65536)
def is_near(word: str, other: str) -> bool:
    """Whether two words, or the first without a plural s, differ by one letter added, dropped, changed or swapped.

    >>> is_near("langauge", "language"), is_near("cartoones", "cartoon"), is_near("cards", "cartoon")
    (True, True, False)
    """
    return any(_one_edit(form, other) for form in {word, word.removesuffix("s")})


def _one_edit(word: str, other: str) -> bool:
    if abs(len(word) - len(other)) > 1 or word == other:
        return word == other
    start = next((i for i, (a, b) in enumerate(zip(word, other, strict=False)) if a != b), min(len(word), len(other)))
    rest, other_rest = word[start:], other[start:]
    swapped = rest[:2] == other_rest[:2][::-1] and rest[2:] == other_rest[2:]
    return swapped or rest[1:] == other_rest[1:] or rest == other_rest[1:] or rest[1:] == other_rest


# --- Other words ------------------------------------------------------------------------------------------------
def _match_word(word: str, forms: tuple[str, ...], wanted: Candidates, strength: dict[str, float]) -> None:
    for form in forms:
        for use in lexicon.USES.get(form, ()):
            for kind, weight in wanted.uses.get(use, ()):
                _add(strength, kind, weight)
    if wanted.superlatives and is_superlative(word):
        for kind, weight in wanted.superlatives.items():
            _add(strength, kind, weight)


@lru_cache(maxsize=65536)
def is_superlative(word: str) -> bool:
    """Whether a word is a superlative: most, least, or an adjective in -est.

    >>> [word for word in ("tallest", "interest", "most", "west", "fewest") if is_superlative(word)]
    ['tallest', 'most', 'fewest']
    """
    word = word.split("-")[0]  # best-paid
    if word in ("most", "least", "best", "worst"):
        return True
    return word.endswith("est") and bool(lemmas(word) - {word}) and bool(parts_of_speech(word) & {"ADJ", "ADV"})


def _match_number_of_rows(words: Sequence[str], wanted: Candidates, strengths: list[dict[str, float]]) -> None:
    """The n of LIMIT n, where n is not 1, which nobody says."""
    for clause in wanted.facts:
        if clause.kind == "ORDER BY" and clause.limit not in ("", "1"):
            for position, word in enumerate(words):
                if word == clause.limit or lexicon.NUMBERS.get(word) == clause.limit:
                    _add(strengths[position], clause.kind, COLUMN)


def _match_second_query(words: Sequence[str], wanted: Candidates, strengths: list[dict[str, float]]) -> None:
    """The conjunction that leads to the second query of a set operator, behind the first word of the condition."""
    for clause in wanted.facts:
        if clause.kind not in SET_OPERATORS:
            continue
        others = {"SELECT", clause.kind}
        conditions = [
            i
            for i, strength in enumerate(strengths)
            if any(strength[kind] > COLUMN for kind in strength.keys() - others)
        ]
        for position in range(conditions[0] if conditions else len(words), len(words)):
            if words[position] in lexicon.BETWEEN_QUERIES[clause.kind]:
                _add(strengths[position], clause.kind, OPERATOR)


def _match_beginnings(words: Sequence[str], starts: Sequence[bool], strengths: list[dict[str, float]]) -> None:
    """Question words and commands speak of SELECT at the start of a sentence or of one of its parts."""
    for position, word in enumerate(words):
        before = words[position - 1] if position else ""
        if word in lexicon.INTERROGATIVES or word in lexicon.COMMANDS:
            if starts[position]:
                _add(strengths[position], "SELECT", GENERIC)
            elif before in ("and", ",", ":") and (word in lexicon.INTERROGATIVES or "VERB" in parts_of_speech(word)):
                _add(strengths[position], "SELECT", OPERATOR)
        elif word in lexicon.DISTINCT:
            _add(strengths[position], "SELECT", OPERATOR)
