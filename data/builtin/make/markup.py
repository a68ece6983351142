"""Questions with their fragments: "[s Which hives] [w stand in the sun]?" -> text and token positions.

The letters before the blank name the clauses that a part belongs to. Marks outside brackets belong to the clauses that
the words on both sides share; so the closing mark belongs to none.
"""

import re
from dataclasses import dataclass

from lib.tokens import tokenize

LETTERS = {"s": "select", "w": "where", "g": "group", "o": "order", "i": "intersect", "u": "union", "e": "except"}
_PART = re.compile(r"\[([swgoiue]+) ([^\[\]]+)\]|([^\[\]]+)")


@dataclass(frozen=True, slots=True)
class Marked:
    """A question and the token positions of each of its clauses."""

    question: str
    fragments: dict[str, list[int]]  # clause name of LETTERS -> sorted token positions


def read(text: str) -> Marked:
    """Reads a marked question.

    Raises:
        ValueError: if a bracket is not closed, a word stands outside all brackets, or a token crosses two parts.
    """
    parts = [(found[1] or "", found[2] or found[3]) for found in _PART.finditer(text)]
    question = _capital("".join(part for _, part in parts))
    if "".join(found[0] for found in _PART.finditer(text)) != text:
        raise ValueError(f"brackets do not match: {text}")
    labels = [frozenset(letters) for letters, part in parts for _ in tokenize(part)]
    words = [word for _, part in parts for word in tokenize(part)]
    if [w.lower() for w in words] != [w.lower() for w in tokenize(question)]:
        raise ValueError(f"a token crosses two parts: {text}")
    labels = [label or _shared(labels, at) for at, label in enumerate(labels)]
    _check(words, labels, text)
    used = [letter for letter in LETTERS if any(letter in label for label in labels)]
    return Marked(question, {LETTERS[x]: [at for at, label in enumerate(labels) if x in label] for x in used})


def _shared(labels: list[frozenset], at: int) -> frozenset:
    before = labels[at - 1] if at else frozenset()
    after = labels[at + 1] if at + 1 < len(labels) else frozenset()
    return before & after


def _check(words: list[str], labels: list[frozenset], text: str) -> None:
    for word, label in zip(words, labels, strict=True):
        if not label and re.search(r"\w", word):
            raise ValueError(f"the word '{word}' belongs to no clause: {text}")


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
