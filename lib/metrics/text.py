"""BLEU-4, chrF and exact match of texts against one reference each (paper 5.1.2).

All three compare texts that are made alike first: tokenised by `lib.tokens`, joined by single blanks, lower case.
BLEU then needs no tokenizer of its own, and its signature says so (`tok:none|case:lc`).
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from lib.errors import ParameterError
from lib.records import Pair
from lib.tokens import tokenize

_END_MARKS = frozenset(".?!")
_QUOTES = frozenset(["'", '"', "`"])
_CLITICS = frozenset(["'s", "'m", "'d", "'ll", "'re", "'ve", "n't"])
N_STATISTICS = 10  # matches and totals of 1- to 4-grams, lengths of text and reference, in tokens
N_CHRF = 18  # for 1- to 6-grams of characters: those of the text, of the reference, and of both


@dataclass(frozen=True, slots=True)
class TextScores:
    """Scores of a set of texts."""

    pairs: int  # number of texts
    bleu: float  # corpus BLEU-4, 0-100
    chrf: float  # corpus chrF, 0-100
    exact_match: float  # percent of texts that equal their reference after `normalised`, 0-100


def joined(text: str) -> str:
    """The form in which BLEU and chrF compare texts: tokens of `lib.tokens`, single blanks, lower case, plain quotes.

    Raw text and text that is tokens already come out alike: each word is cut by itself, and what is a token stays.

    >>> joined("What's the singer's name?")
    "what 's the singer 's name ?"
    >>> joined("What 's the singer 's name ?")
    "what 's the singer 's name ?"
    """
    return " ".join(token for word in text.split() for token in _cut(word)).lower()


def _cut(word: str) -> list[str]:
    if word.lower() in _CLITICS:  # alone, its quote would be an opening one
        return [word]
    tokens = ['"' if token in ("``", "''") else token for token in tokenize(word)]
    if len(tokens) == 1:
        return tokens
    return [part for token in tokens for part in _cut(token)]  # a part may look different once it stands alone


def normalised(text: str) -> str:
    """The form in which exact match compares texts: `joined`, without quotes and without end marks.

    >>> normalised("List 'Paris' hotels.")
    'list paris hotels'
    """
    tokens = [token for token in joined(text).split() if token not in _QUOTES]
    while tokens and tokens[-1] in _END_MARKS:
        tokens.pop()
    return " ".join(tokens)


def bleu_metric(tokenizer: str = "none", sentence: bool = False):
    """sacrebleu's BLEU-4 with our settings.

    Args:
        tokenizer: sacrebleu's name; `none` for texts that are tokens already.
        sentence: for single texts: n-grams longer than the text are left out, else no text of three tokens scores.
    """
    from sacrebleu.metrics import BLEU

    return BLEU(lowercase=True, tokenize=tokenizer, smooth_method="exp", effective_order=sentence, force=True)


def bleu(texts: Sequence[str], references: Sequence[str]) -> float:
    """Corpus BLEU-4, 0-100; an empty text keeps its place and counts in the brevity penalty.

    Args:
        texts: what systems wrote, one for each reference; tokens joined by blanks.
        references: what people wrote, in the same form.

    Raises:
        ParameterError: if the numbers differ or are 0.
    """
    _check(texts, references)
    return bleu_metric().corpus_score(list(texts), [list(references)]).score


def bleu_signature() -> str:
    """How BLEU was computed, to be printed with every score."""
    metric = bleu_metric()
    metric.corpus_score(["a"], [["a"]])  # the signature is complete only after a first use
    return str(metric.get_signature())


def sentence_bleu(text: str, reference: str) -> float:
    """BLEU-4 of one text, 0-100, for showing single examples; its mean is not the corpus score."""
    return bleu_metric(sentence=True).sentence_score(text, [reference]).score


def chrf(texts: Sequence[str], references: Sequence[str]) -> float:
    """Corpus chrF (character 6-grams, beta 2), 0-100.

    Raises:
        ParameterError: if the numbers differ or are 0.
    """
    from sacrebleu.metrics import CHRF

    _check(texts, references)
    return CHRF(lowercase=True).corpus_score(list(texts), [list(references)]).score


def exact_matches(texts: Sequence[str], references: Sequence[str]) -> list[bool]:
    """Which texts equal their reference after `normalised`; an empty text never does.

    Raises:
        ParameterError: if the numbers differ or are 0.
    """
    _check(texts, references)
    return [
        bool(text) and text == other
        for text, other in zip(map(normalised, texts), map(normalised, references), strict=True)
    ]


def score_texts(texts: Sequence[str], references: Sequence[str]) -> TextScores:
    """All scores of a set of texts; raw texts and joined tokens give the same.

    Args:
        texts: what a system wrote.
        references: one reference for each.

    Raises:
        ParameterError: if the numbers differ or are 0.
    """
    _check(texts, references)
    ours, theirs = [joined(text) for text in texts], [joined(text) for text in references]
    matches = exact_matches(texts, references)
    return TextScores(len(ours), bleu(ours, theirs), chrf(ours, theirs), 100 * sum(matches) / len(matches))


def report(texts: Sequence[str], pairs: Sequence[Pair]) -> dict:
    """Scores over all pairs and by number of clauses, with the signature of BLEU.

    Args:
        texts: what a system wrote, one for each pair.
        pairs: dataset pairs with their references.

    Raises:
        ParameterError: if the numbers differ or are 0.
    """
    _check(texts, pairs)
    by_size = {}
    for size in sorted({pair.n_clauses for pair in pairs}):
        chosen = [index for index, pair in enumerate(pairs) if pair.n_clauses == size]
        by_size[str(size)] = _scores([texts[i] for i in chosen], [pairs[i] for i in chosen])
    return {
        "bleu_signature": bleu_signature(),
        "all": _scores(texts, pairs),
        "by_clauses": by_size,
        "empty_texts": sum(not text.strip() for text in texts),
        "distinct_sql": len({pair.sql for pair in pairs}),
    }


def _scores(texts: Sequence[str], pairs: Sequence[Pair]) -> dict:
    found = asdict(score_texts(texts, [pair.text for pair in pairs]))
    return {name: round(value, 2) if isinstance(value, float) else value for name, value in found.items()}


def bleu_statistics(texts: Iterable[str], references: Iterable[str]) -> np.ndarray:
    """What corpus BLEU needs to know of each text, so that resamples add up rows instead of counting n-grams.

    Args:
        texts: tokens joined by blanks, n of them.
        references: one for each.

    Returns:
        (n, N_STATISTICS) integers.
    """
    metric = bleu_metric(sentence=True)
    rows = []
    for text, reference in zip(texts, references, strict=True):
        found = metric.sentence_score(text, [reference])
        rows.append([*found.counts, *found.totals, found.sys_len, found.ref_len])
    return np.array(rows, dtype=np.int64).reshape(-1, N_STATISTICS)


def bleu_of(statistics: np.ndarray) -> np.ndarray:
    """Corpus BLEU-4, 0-100, of summed statistics, shape (..., N_STATISTICS); many sums are scored at once.

    As sacrebleu does it: a precision without matches counts as half, a quarter ... of a match.
    """
    statistics = np.asarray(statistics, dtype=float)
    matches, totals = statistics[..., :4], statistics[..., 4:8]
    length, reference = statistics[..., 8], statistics[..., 9]
    halvings = np.cumsum(matches == 0, axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        precisions = np.where(matches > 0, matches, 0.5**halvings) / totals
        brevity = np.where(length < reference, np.exp(1 - reference / length), 1.0)
        scores = 100 * brevity * np.exp(np.log(precisions).mean(axis=-1))
    scored = (totals > 0).all(axis=-1) & (matches > 0).any(axis=-1)  # else the text is too short, or all wrong
    return np.where(scored, scores, 0.0)[()]


def chrf_statistics(texts: Iterable[str], references: Iterable[str]) -> np.ndarray:
    """What corpus chrF needs to know of each text; rows add up.

    Args:
        texts: tokens joined by blanks, n of them.
        references: one for each.

    Returns:
        (n, N_CHRF) integers.
    """
    rows = []
    for text, reference in zip(texts, references, strict=True):
        ours, theirs = ("".join(words.lower().split()) for words in (text, reference))
        row = []
        for size in range(1, 7):
            here, there = (Counter(w[i : i + size] for i in range(len(w) - size + 1)) for w in (ours, theirs))
            row += [here.total() if there else 0, there.total(), (here & there).total()]
        rows.append(row)
    return np.array(rows, dtype=np.int64).reshape(-1, N_CHRF)


def chrf_of(statistics: np.ndarray) -> np.ndarray:
    """Corpus chrF, 0-100, of summed statistics, shape (..., N_CHRF); many sums are scored at once."""
    statistics = np.asarray(statistics, dtype=float)
    ours, theirs, both = (statistics[..., i::3] for i in range(3))
    known = (ours > 0) & (theirs > 0)  # orders longer than all texts or references do not count
    with np.errstate(divide="ignore", invalid="ignore"):
        precision, recall = (
            np.where(known, both / whole, 0.0).sum(axis=-1) / known.sum(axis=-1) for whole in (ours, theirs)
        )
        scores = 100 * 5 * precision * recall / (4 * precision + recall)  # beta 2: recall counts twice
    return np.where(scores > 0, scores, 0.0)[()]


def _check(texts: Sequence, references: Sequence) -> None:
    if len(texts) != len(references):
        raise ParameterError(f"{len(texts)} texts for {len(references)} references: give one for each, in their order")
    if not texts:
        raise ParameterError("no texts to score: the set is empty")
