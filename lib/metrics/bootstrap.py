"""How sure a figure is: intervals by resampling groups, paired tests, means over seeds, order agreement.

The 200 test pairs hold 111 distinct SQL, so pairs are not independent: all resampling draws whole groups (the pairs
of one SQL) with replacement.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import sqrt
from statistics import fmean, stdev

import numpy as np

from lib.errors import ParameterError

# Two-sided 95 % quantiles of Student's t by degrees of freedom; a study has three to ten seeds.
_T_95 = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228)


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value and its 95 % interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """System A against system B on the same pairs."""

    difference: Estimate  # score of A minus score of B
    p: float  # two-sided, by resampling; never below 2 / (resamples + 1)


def _weights(groups: Sequence[Hashable], resamples: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """How often each group is drawn in each resample, (resamples, groups), and the group of each row, (n,)."""
    if not groups:
        raise ParameterError("nothing to resample: the set is empty")
    if resamples < 1:
        raise ParameterError(f"resamples must be at least 1, not {resamples}")
    number = {group: index for index, group in enumerate(dict.fromkeys(groups))}
    rng = np.random.default_rng(seed)
    weights = rng.multinomial(len(number), [1 / len(number)] * len(number), size=resamples)
    return weights, np.array([number[group] for group in groups])


def resampled(statistics: np.ndarray, groups: Sequence[Hashable], resamples: int, seed: int) -> np.ndarray:
    """Statistics summed up over resamples.

    Args:
        statistics: (n, k), one row a pair.
        groups: n labels; pairs of one group are drawn together.
        resamples: number of draws, at least 1.
        seed: of the draws; one seed draws the same groups for every system.

    Returns:
        (resamples, k).

    Raises:
        ParameterError: if there are no pairs, or not as many groups as rows.
    """
    if len(statistics) != len(groups):
        raise ParameterError(f"{len(statistics)} rows for {len(groups)} groups: give one group for each row")
    weights, number = _weights(groups, resamples, seed)
    sums = np.zeros((weights.shape[1], statistics.shape[1]), dtype=statistics.dtype)
    np.add.at(sums, number, statistics)
    # In floating point, which is exact for such counts and has a fast product.
    return (weights.astype(float) @ sums.astype(float)).astype(statistics.dtype)


def interval(
    statistics: np.ndarray,
    groups: Sequence[Hashable],
    score: Callable[[np.ndarray], float],
    resamples: int = 1000,
    seed: int = 1,
) -> Estimate:
    """A score with its 95 % bootstrap interval (percentiles).

    Args:
        statistics: (n, k) what the score needs to know of each pair; sums of rows are statistics too.
        groups: n labels; pairs of one group are drawn together, such as those of one SQL.
        score: from summed statistics, (k,), to the score.
        resamples: number of draws, at least 1.
        seed: of the draws.

    Raises:
        ParameterError: if there are no pairs, or not as many groups as rows.
    """
    draws = [score(row) for row in resampled(statistics, groups, resamples, seed)]
    return estimate(float(score(statistics.sum(axis=0))), np.array(draws))


def compare(
    ours: np.ndarray,
    theirs: np.ndarray,
    groups: Sequence[Hashable],
    score: Callable[[np.ndarray], float],
    resamples: int = 1000,
    seed: int = 1,
) -> Comparison:
    """Paired bootstrap of two systems (Koehn 2004): both are scored on the same draws.

    Args:
        ours: (n, k) statistics of system A.
        theirs: (n, k) statistics of system B on the same pairs, in the same order.
        groups: n labels; pairs of one group are drawn together.
        score: from summed statistics, (k,), to the score.
        resamples: number of draws, at least 1.
        seed: of the draws.

    Raises:
        ParameterError: if there are no pairs, or the numbers of rows and groups differ.
    """
    a = np.array([score(row) for row in resampled(ours, groups, resamples, seed)])
    b = np.array([score(row) for row in resampled(theirs, groups, resamples, seed)])
    value = float(score(ours.sum(axis=0)) - score(theirs.sum(axis=0)))
    return Comparison(estimate(value, a - b), p_value(a - b))


def estimate(value: float, draws: np.ndarray) -> Estimate:
    """A value with its 95 % interval, from what resamples gave, (resamples,)."""
    low, high = np.quantile(draws, (0.025, 0.975))
    return Estimate(float(value), float(low), float(high))


def p_value(draws: np.ndarray) -> float:
    """How often resamples of a difference, (resamples,), lie on the other side of 0; two-sided, never 0."""
    tail = min(int((draws <= 0).sum()), int((draws >= 0).sum()))
    return min(1.0, 2 * (tail + 1) / (len(draws) + 1))


def holm(values: Sequence[float]) -> list[float]:
    """p-values of several tests, raised so that all of them together err as rarely as one (Holm 1979).

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    raised, highest = [0.0] * len(values), 0.0
    for rank, index in enumerate(sorted(range(len(values)), key=values.__getitem__)):
        highest = max(highest, min(1.0, (len(values) - rank) * values[index]))
        raised[index] = highest
    return raised


def mean_interval(values: Sequence[float]) -> Estimate:
    """Mean over seeds with its 95 % interval by Student's t; a single value has an endless one.

    Raises:
        ParameterError: if there are no values.

    >>> mean_interval([30.0, 32.0, 34.0])
    Estimate(value=32.0, low=27.03, high=36.97)
    """
    if not values:
        raise ParameterError("no values to average")
    mean, freedom = fmean(values), len(values) - 1
    if freedom == 0:
        return Estimate(mean, float("-inf"), float("inf"))
    quantile = _T_95[freedom - 1] if freedom <= len(_T_95) else 1.96 + 2.4 / freedom  # error below 0.005
    half = quantile * stdev(values) / sqrt(len(values))
    return Estimate(mean, round(mean - half, 2), round(mean + half, 2))


def kendall_tau(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """Kendall's tau-b between two scorings of the same systems, -1 to 1; NaN if one of them ties all.

    Raises:
        ParameterError: if the numbers differ or are below 2.

    >>> kendall_tau([1, 2, 3], [10, 20, 30]), kendall_tau([1, 2, 3], [3, 2, 1])
    (1.0, -1.0)
    """
    if len(ours) != len(theirs) or len(ours) < 2:
        raise ParameterError(f"cannot compare the order of {len(ours)} and {len(theirs)} systems: give two lists alike")
    pairs = list(combinations(range(len(ours)), 2))
    a = np.array([np.sign(ours[i] - ours[j]) for i, j in pairs])
    b = np.array([np.sign(theirs[i] - theirs[j]) for i, j in pairs])
    spread = sqrt(float((a != 0).sum() * (b != 0).sum()))
    return float((a * b).sum() / spread) if spread else float("nan")
