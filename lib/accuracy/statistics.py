"""Intervals and tests for shares of right queries."""

import random
from collections.abc import Mapping, Sequence
from math import comb, sqrt

_Z = 1.959963984540054  # 97.5 % of the normal distribution


def wilson(right: int, total: int) -> tuple[float, float]:
    """The 95 % interval of a share (Wilson 1927); (0, 1) without observations.

    >>> [round(bound, 3) for bound in wilson(8, 10)]
    [0.49, 0.943]
    """
    if not total:
        return 0.0, 1.0
    share, weight = right / total, _Z * _Z / total
    centre = (share + weight / 2) / (1 + weight)
    half = _Z * sqrt(share * (1 - share) / total + weight / (4 * total)) / (1 + weight)
    return max(0.0, centre - half), min(1.0, centre + half)


def clustered_bootstrap(
    clusters: Mapping[str, Sequence[bool]], rounds: int = 1000, seed: int = 0
) -> tuple[float, float]:
    """The 95 % interval of a share when whole clusters (databases) are drawn anew.

    Args:
        clusters: verdicts by database.
        rounds: number of samples.
        seed: of the generator; the same seed gives the same interval.
    """
    sizes = [(sum(values), len(values)) for _, values in sorted(clusters.items()) if values]
    if not sizes:
        return 0.0, 1.0
    generator = random.Random(seed)
    shares = []
    for _ in range(rounds):
        drawn = generator.choices(sizes, k=len(sizes))
        shares.append(sum(right for right, _ in drawn) / sum(total for _, total in drawn))
    shares.sort()
    return shares[int(0.025 * rounds)], shares[min(rounds - 1, int(0.975 * rounds))]


def mcnemar(gains: int, losses: int) -> float:
    """The two-sided p-value of the exact McNemar test: is one system right where the other is wrong by chance alone?

    >>> mcnemar(0, 0), mcnemar(1, 9)
    (1.0, 0.021484375)
    """
    total, fewer = gains + losses, min(gains, losses)
    if not total:
        return 1.0
    tail = sum(comb(total, count) for count in range(fewer + 1))
    return min(1.0, 2 * tail / 2**total)
