"""Whether raters agree: Krippendorff's alpha between them, and each with themselves on silent repeats."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lib.errors import ParameterError, suggest
from lib.metrics.ratings import SCALES, Item, Ratings

if TYPE_CHECKING:
    from pandas import DataFrame

Values = Mapping[tuple[str, int], int]  # rater and item -> rating


@dataclass(frozen=True, slots=True)
class Alpha:
    """Krippendorff's alpha, or why there is none."""

    value: float | None  # 1 for full agreement, 0 for that of chance, below 0 for worse
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
        return Alpha(None, reason, items, raters)
    from nltk.metrics.agreement import AnnotationTask  # 0.3 s

    task = AnnotationTask(shared, DISTANCES[distance](Counter(value for *_, value in shared)))
    return Alpha(float(task.alpha()), "", items, raters)


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


def _ordinal(often: Mapping[int, int]) -> Callable[[int, int], float]:
    """Krippendorff's ordinal distance: the square of how many ratings lie between two, ends counted half."""

    def distance(one: int, other: int) -> float:
        low, high = min(one, other), max(one, other)
        between = sum(count for value, count in often.items() if low <= value <= high)
        return (between - (often[one] + often[other]) / 2) ** 2

    return distance


def _interval(often: Mapping[int, int]) -> Callable[[int, int], float]:
    from nltk.metrics.distance import interval_distance

    return interval_distance


DISTANCES = {"ordinal": _ordinal, "interval": _interval}


def agreement(ratings: Ratings, scale: str, distance: str = "ordinal") -> Alpha:
    """Alpha on one scale; silent repeats do not count.

    Args:
        ratings: all ratings.
        scale: a name in `ratings.SCALES`.
        distance: a name in DISTANCES.
    """
    repeats = repeats_of(ratings.items)
    return alpha({key: value for key, value in ratings.values(scale).items() if key[1] not in repeats}, distance)


def between_raters(ratings: Ratings) -> "DataFrame":
    """Alpha on both scales.

    Returns:
        Columns scale, distance, alpha, texts rated by two or more, raters, remark.
    """
    import pandas

    rows = []
    for scale in SCALES:
        for distance in DISTANCES:
            found = agreement(ratings, scale, distance)
            remark = f"not defined: {found.reason}" if found.reason else ""
            rows.append((scale, distance, found.value, found.items, found.raters, remark))
    columns = ["scale", "distance", "alpha", "texts rated by two or more", "raters", "remark"]
    return pandas.DataFrame(rows, columns=columns).astype({"alpha": float})


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
