"""lib.metrics.bootstrap, held against formulas and hand-made worlds."""

from math import isinf, isnan, sqrt

import numpy as np
import pytest

from lib.errors import ParameterError
from lib.metrics.bootstrap import compare, interval, kendall_tau, mean_interval


def share(sums: np.ndarray) -> float:
    """Successes per trial."""
    return sums[0] / sums[1]


def trials(successes: int, n: int) -> np.ndarray:
    """n rows of (success, 1)."""
    return np.array([[int(i < successes), 1] for i in range(n)])


def test_interval_of_a_share_against_the_normal_approximation():
    found = interval(trials(120, 400), list(range(400)), share, resamples=4000)
    half = 1.96 * sqrt(0.3 * 0.7 / 400)
    assert found.value == 0.3
    assert found.low == pytest.approx(0.3 - half, abs=0.006)
    assert found.high == pytest.approx(0.3 + half, abs=0.006)


def test_pairs_of_one_group_are_no_new_evidence():
    once = interval(trials(30, 100), list(range(100)), share)
    fourfold = interval(np.repeat(trials(30, 100), 4, axis=0), [i // 4 for i in range(400)], share)
    assert (fourfold.low, fourfold.high) == (once.low, once.high)
    naive = interval(np.repeat(trials(30, 100), 4, axis=0), list(range(400)), share)
    assert naive.high - naive.low < 0.6 * (once.high - once.low)


def test_one_group_has_no_spread_and_no_evidence_for_a_difference():
    found = interval(trials(1, 3), ["a"] * 3, share)
    assert found.low == found.value == found.high == pytest.approx(1 / 3)


def test_the_same_seed_draws_the_same():
    rows, groups = trials(20, 60), list(range(60))
    assert interval(rows, groups, share, seed=4) == interval(rows, groups, share, seed=4)
    spread = {interval(rows, groups, share, resamples=50, seed=seed) for seed in range(9)}
    assert len(spread) > 1


def test_equal_systems_do_not_differ():
    rows = trials(20, 60)
    found = compare(rows, rows, list(range(60)), share)
    assert found.difference.value == 0
    assert found.p == 1


def test_a_clear_difference_is_found_and_pairing_helps():
    groups = list(range(200))
    theirs = trials(100, 200)
    ours = trials(115, 200)  # right wherever B is right, and 15 times more
    found = compare(ours, theirs, groups, share)
    assert found.difference.value == pytest.approx(0.075)
    assert found.difference.low > 0
    assert found.p < 0.01
    shuffled = np.random.default_rng(1).permutation(ours)
    assert compare(shuffled, theirs, groups, share).p > found.p


def test_p_of_random_differences_is_even():
    rng = np.random.default_rng(7)
    ps = []
    for _ in range(200):
        ours, theirs = (np.stack([rng.integers(0, 2, 80), np.ones(80, dtype=int)], axis=1) for _ in range(2))
        ps.append(compare(ours, theirs, list(range(80)), share, resamples=200).p)
    assert 0.02 <= np.mean(np.array(ps) < 0.05) <= 0.1
    assert np.median(ps) == pytest.approx(0.5, abs=0.12)


@pytest.mark.parametrize(
    ("rows", "groups", "resamples"),
    [(trials(1, 2), [1], 10), (trials(1, 2)[:0], [], 10), (trials(1, 2), [1, 2], 0)],
)
def test_nothing_to_resample(rows, groups, resamples):
    with pytest.raises(ParameterError):
        interval(rows, groups, share, resamples)


def test_mean_over_seeds():
    found = mean_interval([1.0, 2.0, 3.0])
    assert found.value == 2
    assert found.high - found.value == pytest.approx(4.303 / sqrt(3), abs=0.005)
    assert isinf(mean_interval([5.0]).high)
    many = mean_interval([float(i % 2) for i in range(31)])
    assert many.high - many.value == pytest.approx(
        2.042 * np.std([i % 2 for i in range(31)], ddof=1) / sqrt(31), abs=0.005
    )
    with pytest.raises(ParameterError):
        mean_interval([])


@pytest.mark.parametrize(
    ("ours", "theirs", "tau"),
    [
        ([1, 2, 3, 4], [1, 2, 4, 3], 4 / 6),  # one of six pairs turned round
        ([1, 2, 3, 4], [4, 3, 2, 1], -1),
        ([1, 1, 2], [1, 2, 3], 2 / sqrt(2 * 3)),  # tau-b: one tie on one side
    ],
)
def test_kendall(ours, theirs, tau):
    assert kendall_tau(ours, theirs) == pytest.approx(tau)


def test_kendall_without_an_order():
    assert isnan(kendall_tau([1, 1], [1, 2]))
    with pytest.raises(ParameterError):
        kendall_tau([1], [1])
