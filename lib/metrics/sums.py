"""Scores from counts: what all scores need to know of each text, in rows that add up and hold no word.

So a score of any selection of texts, such as a resample, costs one addition, and published counts are enough to
compute every table again.
"""

from collections.abc import Callable, Sequence

import numpy as np

from lib.metrics.errors.case import DROPPED, KINDS_OF_ERROR
from lib.metrics.text import N_CHRF, N_STATISTICS, bleu_of, bleu_statistics, chrf_of, chrf_statistics, exact_matches
from lib.metrics.text import joined as as_compared

# The smallest columns that tell all the rest: matches and lengths of words (BLEU) and of characters (chrF).
COLUMNS = (
    "exact", "words", "reference_words", *(f"words_{n}" for n in range(1, 5)),
    "characters", "reference_characters", *(f"characters_{n}" for n in range(1, 7)),
)  # fmt: skip
ERROR_COLUMNS = tuple(kind.replace(" ", "_") for kind in KINDS_OF_ERROR)  # 1 where a text has an error of the kind
_PAIRS, _EXACT = 0, 1
_BLEU = slice(2, 2 + N_STATISTICS)
_CHRF = slice(_BLEU.stop, _BLEU.stop + N_CHRF)
_WRONG = _CHRF.stop  # texts with an error
_ERRORS = slice(_WRONG + 1, _WRONG + 1 + len(ERROR_COLUMNS))
N_SUMS = _ERRORS.stop


def counts(texts: Sequence[str], references: Sequence[str]) -> np.ndarray:
    """What the scores need to know of each text.

    Args:
        texts: what a system wrote, n of them.
        references: one for each.

    Returns:
        (n, len(COLUMNS)) integers.

    Raises:
        ParameterError: if the numbers differ or are 0.
    """
    exact = np.array(exact_matches(texts, references), dtype=np.int64)
    ours, theirs = list(map(as_compared, texts)), list(map(as_compared, references))
    words, characters = bleu_statistics(ours, theirs), chrf_statistics(ours, theirs)
    lengths = np.array([[len("".join(text.split())) for text in side] for side in (ours, theirs)]).T
    return np.column_stack([exact, words[:, 8:], words[:, :4], lengths, characters[:, 2::3]])


def sums(rows: np.ndarray, errors: np.ndarray) -> np.ndarray:
    """Counts as rows that add up, (n, N_SUMS).

    Args:
        rows: (n, len(COLUMNS)), as `counts` gives them.
        errors: (n, len(ERROR_COLUMNS)), 0 or 1.
    """
    place = {name: index for index, name in enumerate(COLUMNS)}
    words, reference = rows[:, place["words"]], rows[:, place["reference_words"]]
    found = [np.ones_like(words), rows[:, place["exact"]]]
    found += [rows[:, place[f"words_{n}"]] for n in range(1, 5)]
    found += [_grams(words, n) for n in range(1, 5)]
    found += [words, reference]
    ours, theirs = rows[:, place["characters"]], rows[:, place["reference_characters"]]
    for n in range(1, 7):
        there = _grams(theirs, n)
        found += [np.where(there > 0, _grams(ours, n), 0), there, rows[:, place[f"characters_{n}"]]]
    return np.column_stack([*found, errors.any(axis=1), errors])


def _grams(length: np.ndarray, n: int) -> np.ndarray:
    """How many n-grams a sequence has."""
    return np.maximum(0, length - n + 1)


def bleu(total: np.ndarray) -> np.ndarray:
    """Corpus BLEU-4, 0-100, of sums of shape (..., N_SUMS)."""
    return bleu_of(total[..., _BLEU])


def chrf(total: np.ndarray) -> np.ndarray:
    """Corpus chrF, 0-100, of sums of shape (..., N_SUMS)."""
    return chrf_of(total[..., _CHRF])


def exact_match(total: np.ndarray) -> np.ndarray:
    """Exact match in percent, of sums of shape (..., N_SUMS)."""
    return 100 * total[..., _EXACT] / total[..., _PAIRS]


def mean(total: np.ndarray) -> np.ndarray:
    """The mean of BLEU and exact match, 0-100: the paper's score without its human ratings."""
    return (bleu(total) + exact_match(total)) / 2


def sound(total: np.ndarray) -> np.ndarray:
    """Percent of the texts in which no rule finds an error, of sums of shape (..., N_SUMS)."""
    return 100 * (1 - total[..., _WRONG] / total[..., _PAIRS])


def dropped(total: np.ndarray) -> np.ndarray:
    """Percent of the texts that drop a clause, of sums of shape (..., N_SUMS)."""
    return 100 * total[..., _ERRORS][..., KINDS_OF_ERROR.index(DROPPED)] / total[..., _PAIRS]


SCORES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "BLEU-4": bleu,
    "chrF": chrf,
    "exact match %": exact_match,
    "mean": mean,
    "no error found %": sound,
    "clause dropped %": dropped,
}
