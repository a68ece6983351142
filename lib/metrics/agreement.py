"""Whether raters agree: Krippendorff's alpha between them, and each with themselves on silent repeats."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from lib.errors import ParameterError, suggest
from lib.metrics.bootstrap import interval
from lib.metrics.ratings import LEVELS, SCALES, Item, Ratings

if TYPE_CHECKING:
    from pandas import DataFrame

Values = Mapping[tuple[str, int], int]  # rater and item -> rating


@dataclass(frozen=True, slots=True)
class Alpha:
    """Krippendorff's alpha, or why there is none."""

    value: float | None  # 1 for full agreement, 0 for that of chance, below 0 for worse
    low: float | None  # lower end of its 95 % interval over items; None if it was not computed or is not defined
    high: float | None  # upper end
    reason: str  # why it is not defined; empty if it is
    items: int  # items that two or more people rated
    raters: int  # people with a rating on such an item


def alpha(values: Values, distance: str = "ordinal") -> Alpha:
    """Krippendorff's alpha; an item that a single person rated does not count.

    Args:
        values: ratings by rater and item; pairs that are missing were not rated.
        distance: how far apart two ratings are, a name in DISTANCES.

    Raises:
        ParameterError: if the distance is unknown.
    """
    if distance not in DISTANCES:
        raise ParameterError(f"unknown distance '{distance}': {suggest(distance, DISTANCES)}")
    often = Counter(item for _, item in values)
    shared = sorted((rater, item, value) for (rater, item), value in values.items() if often[item] > 1)
    items, raters = len({item for _, item, _ in shared}), len({rater for rater, _, _ in shared})
    reason = _why_not(values, [value for *_, value in shared])
    if reason:
        return Alpha(None, None, None, reason, items, raters)
    from nltk.metrics.agreement import AnnotationTask  # 0.3 s

    places = dict(zip(LEVELS, DISTANCES[distance](_totals(value for *_, value in shared)), strict=True))
    task = AnnotationTask(shared, lambda one, other: float((places[one] - places[other]) ** 2))
    return Alpha(float(task.alpha()), None, None, "", items, raters)


def alpha_interval(values: Values, distance: str = "ordinal") -> tuple[float, float]:
    """The 95 % interval of alpha from resampling items, NaN if some resample has ratings of one level only.

    Args:
        values: ratings by rater and item, with which alpha is defined.
        distance: a name in DISTANCES.
    """
    units: dict[int, list[int]] = {}
    for (_, item), value in sorted(values.items()):
        units.setdefault(item, []).append(value)
    tables = np.array([_coincidences(unit) for unit in units.values() if len(unit) > 1])
    found = interval(tables, range(len(tables)), lambda sums: alpha_of(sums, distance))
    return found.low, found.high


def _coincidences(unit: Sequence[int]) -> np.ndarray:
    """How often two raters gave one item each pair of levels, flat; every rating weighs 1 (Krippendorff 2011)."""
    counts = _totals(unit)
    return ((np.outer(counts, counts) - np.diag(counts)) / (len(unit) - 1)).ravel()


def _totals(values: Iterable[int]) -> np.ndarray:
    often = Counter(values)
    return np.array([often[level] for level in LEVELS], dtype=float)


def alpha_of(coincidences: np.ndarray, distance: str = "ordinal") -> float:
    """Alpha of summed coincidences, as nltk's but fast enough for resamples; NaN if all ratings are equal.

    Args:
        coincidences: (levels * levels,) how often two ratings of one item were each pair of levels.
        distance: a name in DISTANCES.
    """
    table = coincidences.reshape(len(LEVELS), len(LEVELS))
    totals = table.sum(axis=0)
    places = DISTANCES[distance](totals)
    gaps = np.subtract.outer(places, places) ** 2
    expected = float((np.outer(totals, totals) * gaps).sum())
    return 1 - float((totals.sum() - 1) * (table * gaps).sum()) / expected if expected else float("nan")


def _why_not(values: Values, shared: list[int]) -> str:
    if not values:
        return "no ratings yet"
    if len({rater for rater, _ in values}) == 1:
        return "only one rater"
    if not shared:
        return "no text was rated by two people"
    if len(set(shared)) == 1:
        return f"all ratings are {shared[0]}, so that chance alone would agree as well"
    return ""


# Where each level lies, from how often each was given; the distance of two is the square of their gap. On the ordinal
# scale it is the levels' middle ranks, since between two of them lie all ratings in between, ends counted half.
DISTANCES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "ordinal": lambda totals: np.cumsum(totals) - totals / 2,
    "interval": lambda totals: np.array(LEVELS, dtype=float),
}


def agreement(ratings: Ratings, scale: str, distance: str = "ordinal") -> Alpha:
    """Alpha on one scale with its interval; silent repeats do not count.

    Args:
        ratings: all ratings.
        scale: a name in `ratings.SCALES`.
        distance: a name in DISTANCES.
    """
    repeats = repeats_of(ratings.items)
    values = {key: value for key, value in ratings.values(scale).items() if key[1] not in repeats}
    found = alpha(values, distance)
    if found.value is None:
        return found
    low, high = alpha_interval(values, distance)
    return found if np.isnan(low) else replace(found, low=low, high=high)


def between_raters(ratings: Ratings) -> "DataFrame":
    """Alpha on both scales.

    Returns:
        Columns scale, distance, alpha, low, high (95 %, over texts), texts rated by two or more, raters, remark.
    """
    import pandas

    rows = []
    for scale in SCALES:
        for distance in DISTANCES:
            found = agreement(ratings, scale, distance)
            remark = f"not defined: {found.reason}" if found.reason else ""
            rows.append((scale, distance, found.value, found.low, found.high, found.items, found.raters, remark))
    columns = ["scale", "distance", "alpha", "low", "high", "texts rated by two or more", "raters", "remark"]
    return pandas.DataFrame(rows, columns=columns).astype(dict.fromkeys(columns[2:5], float))


def repeats_of(items: Iterable[Item]) -> dict[int, int]:
    """The number of each repeat, and of the item that it repeats."""
    return {item.number: item.repeat_of for item in items if item.repeat_of}


def with_themselves(ratings: Ratings) -> "DataFrame":
    """How far each rater gives the same text the same rating when it silently comes again.

    Returns:
        Columns rater, scale, texts rated (repeats not counted), rated twice, same %, mean distance (points).
    """
    import pandas

    repeats, rows = repeats_of(ratings.items), []
    for rater in ratings.raters:
        for scale in SCALES:
            own = {item: value for (who, item), value in ratings.values(scale).items() if who == rater}
            gaps = [abs(own[a] - own[b]) for a, b in repeats.items() if a in own and b in own]
            same = 100 * gaps.count(0) / len(gaps) if gaps else None
            mean = sum(gaps) / len(gaps) if gaps else None
            rows.append((rater, scale, len(own.keys() - repeats.keys()), len(gaps), same, mean))
    columns = ["rater", "scale", "texts rated", "rated twice", "same %", "mean distance"]
    return pandas.DataFrame(rows, columns=columns).astype({"same %": float, "mean distance": float})
