"""Small rules of English that all phrasings share."""

import re

_BAR = re.compile(r"(\w+)\|(\w+)")
_PAST = re.compile(r"(?!with)[\w ]+ (in|after|before|since) \d{4}")  # a participle and a year
_NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def agree(phrase: str, plural: bool = True) -> str:
    """Chooses the forms that fit the number.

    >>> agree("who live|lives in York", plural=False)
    'who lives in York'
    """
    return _BAR.sub(r"\1" if plural else r"\2", phrase)


def predicate(phrase: str) -> str:
    """Turns a phrase behind a noun into a verb phrase, both forms kept.

    >>> predicate("from York"), predicate("who live|lives in York"), predicate("with a roof")
    ('are|is from York', 'live|lives in York', 'have|has a roof')
    >>> predicate("built after 1950")
    'were|was built after 1950'
    """
    first, _, rest = phrase.partition(" ")
    if first in ("who", "that"):
        return rest
    if _PAST.fullmatch(phrase):
        return f"were|was {phrase}"
    return f"have|has {rest}" if first == "with" else f"are|is {phrase}"


def predicates(first: str, second: str) -> str:
    """Joins two phrases behind a noun into one verb phrase.

    >>> predicates("in York", "with a roof"), predicates("in York", "older than 40")
    ('are|is in York and have|has a roof', 'are|is in York and older than 40')
    """
    one, two = predicate(first), predicate(second)
    verb = one.split(" ", 1)[0] + " "
    return f"{one} and {two.removeprefix(verb) if verb == 'are|is ' else two}"


def is_clause(phrase: str) -> bool:
    """Whether a phrase starts with a relative pronoun."""
    return phrase.split(" ", 1)[0] in ("who", "that", "whose")


def both(first: str, second: str) -> str:
    """Joins two phrases behind one noun; `first` must not be a clause unless `second` is one too.

    >>> both("from York", "who own|owns a hive"), both("older than 40", "from York")
    ('from York who own|owns a hive', 'older than 40 and from York')
    """
    if not is_clause(first) and is_clause(second):
        return f"{first} {second}"
    same = first.split(" ", 1)[0]
    if is_clause(second) and same in ("who", "that") and second.startswith(same + " "):
        return f"{first} and {second.split(' ', 1)[1]}"
    return f"{first} and {second}"


def listing(words: list[str]) -> str:
    """Joins words as in a sentence.

    >>> listing(["a", "b", "c"])
    'a, b and c'
    """
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " and " + words[-1]


def number(value: int, rng) -> str:
    """A small number, as a word or in digits."""
    return _NUMBERS[value] if 0 <= value <= 10 and rng.random() < 0.7 else str(value)


def article(noun: str) -> str:
    """The noun with a or an before it."""
    return ("an " if noun[0].lower() in "aeio" else "a ") + noun
