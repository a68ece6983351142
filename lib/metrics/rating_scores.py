"""What ratings say of systems: means with intervals, and the paper's mean of BLEU, exact match and human rating."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from lib.metrics.bootstrap import interval
from lib.metrics.ratings import SCALES, Ratings
from lib.metrics.text import N_STATISTICS, bleu_of, bleu_statistics, exact_matches, joined
from lib.records import Pair

if TYPE_CHECKING:
    from pandas import DataFrame

BOTH = "both scales"
METRICS = ("BLEU-4", "exact match %", "human rating")
_EXACT, _PAIRS, _RATED, _TEXTS = range(N_STATISTICS, N_STATISTICS + 4)  # places behind what BLEU needs


def to_percent(rating: float) -> float:
    """A rating or a mean of ratings on the scale of the other scores: 1 becomes 0, 3 becomes 50, 5 becomes 100.

    >>> to_percent(1), to_percent(4.5)
    (0.0, 87.5)
    """
    return 25.0 * (rating - 1)


def of_items(ratings: Ratings) -> dict[int, dict[str, float]]:
    """For each item the mean of its raters on each scale, and on both where it has both; repeats are left out.

    Every item counts once, however many people rated it.
    """
    plain, found = {item.number for item in ratings.items if not item.repeat_of}, {}
    for scale in SCALES:
        said: dict[int, list[int]] = {}
        for (_, item), value in sorted(ratings.values(scale).items()):
            if item in plain:
                said.setdefault(item, []).append(value)
        for item, values in said.items():
            found.setdefault(item, {})[scale] = sum(values) / len(values)
    for means in found.values():
        if len(means) == len(SCALES):
            means[BOTH] = sum(means[scale] for scale in SCALES) / len(SCALES)
    return found


def means(ratings: Ratings, systems: Sequence[str]) -> "DataFrame":
    """Mean ratings with 95 % intervals from resampling the texts by SQL; the raters stay the same.

    Args:
        ratings: all ratings.
        systems: whose, in the order of the rows.

    Returns:
        Columns system, scale, texts, mean (1-5), low, high; without texts the last three are missing.
    """
    import pandas

    by_item, rows = of_items(ratings), []
    for system in systems:
        own = [item for item in ratings.items if system in item.systems]
        for scale in (*SCALES, BOTH):
            rated = [(item.sql, by_item[item.number][scale]) for item in own if scale in by_item.get(item.number, ())]
            rows.append((system, scale, len(rated), *_mean(rated)))
    columns = ["system", "scale", "texts", "mean", "low", "high"]
    return pandas.DataFrame(rows, columns=columns).astype(dict.fromkeys(columns[3:], float))


def _mean(rated: Sequence[tuple[str, float]]) -> tuple[float | None, float | None, float | None]:
    if not rated:
        return None, None, None
    statistics = np.array([(value, 1.0) for _, value in rated])
    found = interval(statistics, [sql for sql, _ in rated], lambda sums: float(sums[0] / sums[1]))
    return found.value, found.low, found.high


def scores(texts: Mapping[str, Sequence[str]], pairs: Sequence[Pair], ratings: Ratings) -> "DataFrame":
    """The paper's score of each system: the mean of BLEU, exact match and human rating, each 0-100.

    Until a system has ratings on both scales, its score is the mean of the other two. BLEU and exact match are of all
    pairs, the human rating is of those that were rated.

    Args:
        texts: what each system wrote, a text for each pair.
        pairs: test pairs.
        ratings: may be empty.

    Returns:
        Columns system, BLEU-4, exact match %, human rating, score, low, high (95 %, by resampling SQL), mean of.
    """
    import pandas

    rows = []
    for system, written in texts.items():
        table = _statistics(system, written, pairs, ratings)
        rated = bool(table[:, _TEXTS].any())
        used = METRICS if rated else METRICS[:2]
        found = interval(table, [pair.sql for pair in pairs], lambda sums, used=used: _mean_of(sums, used))
        parts = _parts(table.sum(axis=0))
        rows.append((system, *(parts[name] for name in METRICS), found.value, found.low, found.high, ", ".join(used)))
    return pandas.DataFrame(rows, columns=["system", *METRICS, "score", "low", "high", "mean of"])


def _statistics(system: str, texts: Sequence[str], pairs: Sequence[Pair], ratings: Ratings) -> np.ndarray:
    """What the score needs to know of each pair, (pairs, N_STATISTICS + 4)."""
    by_item, rated = of_items(ratings), dict.fromkeys((pair.id for pair in pairs), (0.0, 0))
    for item in ratings.items:
        if system in item.systems and BOTH in by_item.get(item.number, ()):
            rated[item.pair] = (by_item[item.number][BOTH], 1)
    references = [pair.text for pair in pairs]
    counts = bleu_statistics(map(joined, texts), map(joined, references))
    exact = np.array(exact_matches(texts, references), dtype=float)
    return np.column_stack([counts, exact, np.ones_like(exact), np.array([rated[pair.id] for pair in pairs])])


def _parts(sums: np.ndarray) -> dict[str, float]:
    human = to_percent(sums[_RATED] / sums[_TEXTS]) if sums[_TEXTS] else float("nan")
    values = (bleu_of(sums[:N_STATISTICS]), 100 * sums[_EXACT] / sums[_PAIRS], human)
    return dict(zip(METRICS, map(float, values), strict=True))


def _mean_of(sums: np.ndarray, used: Sequence[str]) -> float:
    parts = _parts(sums)
    return sum(parts[name] for name in used) / len(used)
