"""Simulated annealing of a split: swaps at random, worse ones too at first, fewer and fewer of them later.

Where lengths are held, swaps that only improve soon find no further one (0.19 on Spider-SSP, against 0.23 from here).
One swap touches some thirty compounds; on so few, plain lists are three times as fast as arrays.
"""

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass


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


def anneal(sides: Sides, rng: random.Random, proposals: int, hot: float, cold: float) -> None:
    """Changes a split towards a higher divergence.

    Args:
        sides: the split.
        rng: draws the swaps.
        proposals: how many swaps to try.
        hot: fall of divergence that is accepted with probability 1/e at the start.
        cold: the same at the end; falls between by equal factors.
    """
    movable = [group for group in range(len(sides.sizes)) if not sides.is_held_out[group]]
    partners: dict[int, list[int]] = {}
    for group, is_held_out in enumerate(sides.is_held_out):
        if is_held_out:
            partners.setdefault(sides.sizes[group], []).append(group)
    divergence = 1 - sides.overlap / sides.norm(*sides.sums)
    for step in range(proposals if movable else 0):
        place = int(rng.random() * len(movable))
        leaving = movable[place]
        among = partners.get(sides.sizes[leaving])
        if not among or any(sides.atom_groups[atom] < 2 for atom in sides.atoms[leaving]):
            continue
        partner = int(rng.random() * len(among))
        coming = among[partner]
        if not sides.bounds[0] <= sides.span + sides.spans[leaving] - sides.spans[coming] <= sides.bounds[1]:
            continue
        overlap = sides.overlap + sides.change(leaving, coming)
        more = sides.totals[coming] - sides.totals[leaving]
        sums = (sides.sums[0] + more, sides.sums[1] - more)
        new = 1 - overlap / sides.norm(*sums)
        warmth = hot * (cold / hot) ** (step / proposals)
        if new >= divergence or rng.random() < math.exp((new - divergence) / warmth):
            sides.swap(leaving, coming)
            sides.overlap, sides.sums, divergence = overlap, sums, new
            movable[place], among[partner] = coming, leaving
