"""Questions -> tokens and lemmas, and tokens -> text.

The tokens are those of the Penn Treebank, as in Spider's own token fields, with three deviations that value matching
needs: typographic quotes become plain ones, a quote in front of a word is a token of its own (Spider keeps `'KLM`),
and a full stop in front of a new sentence is split off. One regular expression, because NLTK's tokenizer costs 0.3 s
to import and 15 times as long to run; the tests hold it against NLTK's.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

_PLAIN = str.maketrans("‘’‚‛′“”„‟″", "'" * 5 + '"' * 5)

# Titles and the like whose full stop ends no sentence although a capital follows.
_TITLES = "Mr|Mrs|Ms|Dr|St|Ste|Mt|Ft|Prof|Gen|Gov|Capt|Sgt|Rev|Hon|Jr|Sr|No|vs"
_ABBREVIATION = rf"(?:[A-Za-z]|{_TITLES}|(?:[A-Za-z]\.)+[A-Za-z])"
_CONTRACTION = r"(?:[nN]'[tT]|(?<=\w)'(?:[sSmMdD]|ll|LL|re|RE|ve|VE))(?!\w)"
_SENTENCE_END = r"""\.(?=[\])}>"']*\s*$|["']?\s+["'(]?[A-Z])"""
_MARK = rf"""\.\.\.|--|``|["`;@\#$%&?!()\[\]{{}}<>]|''|[:,](?!\d)|{_SENTENCE_END}"""
_TOKEN = re.compile(
    rf"""
    (?P<abbreviation>(?<!\S){_ABBREVIATION}\.(?=\s+\S))
  | (?P<mark>{_MARK})
  | (?P<joined>\b(?i:can(?=not\b)|gim(?=me\b)|gon(?=na\b)|got(?=ta\b)|lem(?=me\b)|wan(?=na\b)))
  | {_CONTRACTION} | '
  | (?:(?!{_MARK}|{_CONTRACTION}|'(?!\w))\S)+
    """,
    re.VERBOSE,
)
_QUOTES = {"``": '"', "''": '"', '"': '"', "'": "'", "`": "`"}
_NO_BLANK_BEFORE = frozenset(".,;:?!)]}%") | {"...", "n't", "'s", "'m", "'d", "'ll", "'re", "'ve"}
_NO_BLANK_AFTER = frozenset("([{$#@")


def tokenize(question: str) -> tuple[str, ...]:
    """Cuts a question into tokens.

    Args:
        question: text as people write it.

    >>> tokenize('Which carrier is called ‘KLM’, and isn\\'t "big"?')
    ('Which', 'carrier', 'is', 'called', "'", 'KLM', "'", ',', 'and', 'is', "n't", '``', 'big', "''", '?')
    >>> tokenize("Find Mr. Fox's rooms in. List 1,000 of them.")
    ('Find', 'Mr.', 'Fox', "'s", 'rooms', 'in', '.', 'List', '1,000', 'of', 'them', '.')
    """
    text = question.translate(_PLAIN)
    return tuple(_name(match, text) for match in _TOKEN.finditer(text))


def _name(match: re.Match, text: str) -> str:
    token = match[0]
    if token not in ('"', "''"):
        return token
    start = match.start()
    return "``" if start == 0 or text[start - 1] in " \t\n([{<" else "''"


def detokenize(tokens: Sequence[str]) -> str:
    """Joins tokens the way people write them.

    >>> detokenize(("What", "is", "Brazil", "'s", "rank", "(", "by", "GNP", ")", "?"))
    "What is Brazil's rank (by GNP)?"
    >>> detokenize(("Names", "in", "``", "North", "''", "or", "``", "South", "''", "."))
    'Names in "North" or "South".'
    """
    parts: list[str] = []
    glue, open_quote = True, None
    for token in tokens:
        quote = _QUOTES.get(token)
        closes = quote is not None and quote == open_quote
        if not (glue or closes or (quote is None and token in _NO_BLANK_BEFORE)):
            parts.append(" ")
        parts.append(quote or token)
        if quote:
            open_quote = None if closes else quote
        glue = token in _NO_BLANK_AFTER or (quote is not None and not closes)
    return "".join(parts)


@lru_cache(maxsize=65536)
def lemmas(word: str) -> frozenset[str]:
    """The lower-case word and its base forms in any part of speech ("dogs" -> dog, "tallest" -> tall).

    Args:
        word: one token; a name that no dictionary knows gets its singular by rule.

    >>> sorted(lemmas("Hired"))
    ['hire', 'hired']
    """
    lower = word.lower()
    if not lower.isalpha():
        return frozenset((lower,))
    found = _lemminflect().getAllLemmas(lower)
    if not found and len(lower) > 3:
        found = _lemminflect().getAllLemmasOOV(lower, "NOUN")
    return frozenset((lower, *(lemma.lower() for forms in found.values() for lemma in forms)))


@lru_cache(maxsize=65536)
def parts_of_speech(word: str) -> frozenset[str]:
    """The parts of speech that a dictionary gives a word, any of ADJ, ADV, NOUN, VERB, AUX, PROPN; empty if unknown.

    >>> sorted(parts_of_speech("students")), sorted(parts_of_speech("hired"))
    (['NOUN'], ['VERB'])
    """
    lower = word.lower()
    return frozenset(_lemminflect().getAllLemmas(lower)) if lower.isalpha() else frozenset()


@lru_cache(maxsize=1)
def _lemminflect():
    import lemminflect  # 0.3 s with its data, so only when words are matched

    return lemminflect
