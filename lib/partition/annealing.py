"""Simulated annealing of a split: swaps at random, worse ones too at first, fewer and fewer of them later.

Where lengths are held, swaps that only improve soon find no further one (0.15 on Spider-SSP, against 0.235 from here).
Most swaps drawn at random are far too bad to be accepted. The sum of what both groups would change alone, computed
for all groups at once, tells these apart, so that only about one in ten is computed in full. That one touches some
thirty compounds; on so few, plain lists are three times as fast as arrays.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

_BLOCK = 10  # swaps a group that are drawn at once, all judged by the same ranks
_MARGIN = 1.0  # in units of warmth: how much better a swap may be than the sum of its halves and still be found
_DIGITS = 12  # to which logarithms are rounded: NumPy's differ between processors


@dataclass(slots=True)
class Sides:
    """A split with all that a swap needs, in plain lists; changed in place."""

    rows: Sequence[dict[int, int]]  # compounds of each group, with their counts
    atoms: Sequence[Sequence[int]]  # atoms of each group
    sizes: Sequence[int]  # examples of each group
    spans: Sequence[int]  # summed lengths of each group
    totals: Sequence[int]  # compounds of each group
    bounds: tuple[float, float]  # of the summed length of the held-out side
    powers: tuple[Sequence[float], Sequence[float]]  # of counts, for the training and the held-out side
    norm: Callable[[int, int], float]  # of the numbers of compounds of both sides
    is_held_out: list[bool]  # by group
    train: list[int]  # counts of the compounds, training side
    held_out: list[int]  # the same, held-out side
    atom_groups: list[int]  # training groups with each atom
    sums: tuple[int, int]  # compounds of both sides
    span: int  # summed length of the held-out side
    overlap: float  # Σ power(train) power(held_out)

    def change(self, leaving: int, coming: int) -> float:
        """What a swap adds to the overlap."""
        (first, second), train, held_out = self.powers, self.train, self.held_out
        left, right, added = self.rows[leaving], self.rows[coming], 0.0
        for number, count in left.items():
            count -= right.get(number, 0)
            if count:
                a, b = train[number], held_out[number]
                added += first[a - count] * second[b + count] - first[a] * second[b]
        for number, count in right.items():
            if number not in left:
                a, b = train[number], held_out[number]
                added += first[a + count] * second[b - count] - first[a] * second[b]
        return added

    def swap(self, leaving: int, coming: int) -> None:
        """Lets two groups change sides; `overlap` is left to the caller."""
        for group, sign in ((leaving, -1), (coming, 1)):
            for number, count in self.rows[group].items():
                self.train[number] += sign * count
                self.held_out[number] -= sign * count
            for atom in self.atoms[group]:
                self.atom_groups[atom] += sign
            self.is_held_out[group] = sign < 0
        self.span += self.spans[leaving] - self.spans[coming]

    def divergence(self) -> float:
        """The compound divergence of the sides."""
        return 1 - self.overlap / self.norm(*self.sums)

    def allows(self, leaving: int, coming: int) -> bool:
        """Whether two groups may change sides: they stand there, training keeps all atoms, and lengths are held."""
        return (
            not self.is_held_out[leaving]
            and self.is_held_out[coming]
            and self.bounds[0] <= self.span + self.spans[leaving] - self.spans[coming] <= self.bounds[1]
            and all(self.atom_groups[atom] > 1 for atom in self.atoms[leaving])
        )

    def swap_if_worth(self, leaving: int, coming: int, least: float) -> None:
        """Lets two groups change sides if the divergence is then at least this much."""
        overlap = self.overlap + self.change(leaving, coming)
        more = self.totals[coming] - self.totals[leaving]
        sums = (self.sums[0] + more, self.sums[1] - more)
        if 1 - overlap / self.norm(*sums) >= least:
            self.swap(leaving, coming)
            self.overlap, self.sums = overlap, sums


def anneal(
    sides: Sides,
    rank: Callable[[np.ndarray], np.ndarray],
    draw: np.random.RandomState,
    proposals: int,
    hot: float,
    cold: float,
) -> None:
    """Changes a split towards a higher divergence.

    Args:
        sides: the split.
        rank: gives for a split, (groups,) of which are held out, the divergence after moving each one group,
            (groups,); -inf for those that may not move.
        draw: draws the swaps.
        proposals: how many swaps to draw, in whole blocks.
        hot: fall of divergence that is accepted with probability 1/e at the start.
        cold: the same at the end; falls between by equal factors.
    """
    sizes, spans = np.array(sides.sizes, dtype=np.int64), np.array(sides.spans, dtype=np.int64)
    block = _BLOCK * len(sizes)
    for first in range(0, proposals, max(1, block)):
        warmth = hot * (cold / hot) ** (first / proposals)
        is_held_out = np.array(sides.is_held_out)
        gains = rank(is_held_out) - sides.divergence()
        chances = draw.random_sample((3, block))
        leaving, coming = _pairs(sizes, is_held_out, chances[0], chances[1])
        accepted = np.round(warmth * np.log(1 - chances[2]), _DIGITS)  # the fall that chance accepts here, at most 0
        promising = gains[leaving] + gains[coming] >= accepted[: len(leaving)] - _MARGIN * warmth
        # Swaps that would leave the bounds as lengths stand now are dropped although earlier ones of the block may
        # make room: the best splits lie at a bound, and this lets lengths drift off it and back (0.235, else 0.233).
        spans_after = sides.span + spans[leaving] - spans[coming]
        promising &= (sides.bounds[0] <= spans_after) & (spans_after <= sides.bounds[1])
        swaps = (values[: len(leaving)][promising].tolist() for values in (leaving, coming, accepted))
        for left, right, fall in zip(*swaps, strict=True):
            if sides.allows(left, right):
                sides.swap_if_worth(left, right, sides.divergence() + fall)


def _pairs(
    sizes: np.ndarray, is_held_out: np.ndarray, first: np.ndarray, second: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Draws training groups and for each a held-out group of its size; both are empty if there are no such pairs.

    Args:
        sizes: examples of each group.
        is_held_out: by group.
        first: random numbers, 0-1, that choose the training groups.
        second: the same for the held-out ones.
    """
    held_out = np.flatnonzero(is_held_out)
    held_out = held_out[np.argsort(sizes[held_out], kind="stable")]
    training = np.flatnonzero(~is_held_out)
    training = training[np.isin(sizes[training], sizes[held_out])]
    if not len(training):
        return training, training
    leaving = training[(first * len(training)).astype(np.int64)]
    low, high = (np.searchsorted(sizes[held_out], sizes[leaving], side=side) for side in ("left", "right"))
    return leaving, held_out[low + (second * (high - low)).astype(np.int64)]
