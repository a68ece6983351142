"""TMCD: the two sides of a split made as different in their compounds as the atoms allow (Shaw et al. 2021).

Each atom of the held-out side occurs at least once in training. Under this constraint, groups of examples of the same
size change sides as long as the compound divergence grows. Groups are examples with the same SQL, which stay
together. The best change is taken first; its gain is computed from the compounds that it touches, repeated ones with
their counts, and equals that of a full computation (the tests hold the two together).
"""

import math
import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from lib.errors import ParameterError
from lib.partition.annealing import Sides, anneal
from lib.partition.compounds import Parts
from lib.partition.grouping import fill, shuffled

TRAIN_WEIGHT = 0.1  # exponent of the training side (Keysers et al. 2020): it may know more than is tested
_GENTLE_WEIGHT = 0.5  # for finding a way; see _climb_gently
_LEAST_GAIN = 1e-9  # of a swap, in divergence; smaller ones are the noise of sums
_DIGITS = 12  # to which figures are rounded before they decide, so that every machine decides alike
_WIDEST = 24  # candidates of one side that a thorough step tries
LENGTH_TOLERANCE = 0.099  # of mean lengths, where they are held; below a tenth, so that it shows as less than 10 %
_STRATA = 20  # of length, for starts that hold it
_HOT, _COLD, _PROPOSALS = 3e-4, 1e-5, 4000  # of annealing: warmth in divergence, proposals a group


@dataclass(frozen=True, slots=True)
class Outcome:
    """A split found by `maximise`."""

    held_out: tuple[int, ...]  # groups of the held-out side, sorted
    divergences: tuple[float, ...]  # at the start and after each swap, rising


def maximise(
    parts: Sequence[Parts],
    sizes: Sequence[int],
    held_out: int,
    rng: random.Random,
    lengths: Sequence[int] | None = None,
) -> Outcome:
    """Finds the held-out side of a split with high compound divergence.

    Args:
        parts: atoms and compounds of one example of each group.
        sizes: number of examples of each group, at least 1.
        held_out: examples that the held-out side should have; as near below as can be if no groups make that.
        rng: decides where the search starts.
        lengths: length of one example of each group. If given, the mean lengths of both sides are held within
            LENGTH_TOLERANCE of each other.

    Raises:
        ParameterError: if the atoms leave too few groups that can be held out.
    """
    sizes = np.asarray(sizes, dtype=np.int64)
    spans = np.zeros_like(sizes) if lengths is None else sizes * np.asarray(lengths, dtype=np.int64)
    state = _State(parts, sizes, spans)
    for group in _start(parts, sizes.tolist(), spans, held_out, shuffled(len(sizes), rng)):
        state.move(group)
    divergences = [state.divergence()]
    if lengths is not None:
        state.hold_length()
    _keep_if_better(state, divergences, lambda: _climb_gently(state) if lengths is None else _anneal(state, rng))
    _climb(state, divergences)
    while _one_swap(state, divergences):
        pass
    return Outcome(tuple(np.flatnonzero(state.is_held_out).tolist()), tuple(divergences))


def _keep_if_better(state: "_State", divergences: list[float], change: Callable[[], None]) -> None:
    """Changes the split, and takes that back if the divergence has not grown."""
    before = state.is_held_out.copy()
    change()
    if state.divergence() > divergences[-1]:
        divergences.append(state.divergence())
    else:
        _move_to(state, before)


def _move_to(state: "_State", is_held_out: np.ndarray) -> None:
    for group in np.flatnonzero(state.is_held_out != is_held_out).tolist():
        state.move(group)


def _start(parts: Sequence[Parts], sizes: list[int], spans: np.ndarray, held_out: int, order: list[int]) -> list[int]:
    """Groups to hold out first: the first of the order whose atoms all occur in the others.

    If lengths are to be held, short and long groups are taken in equal shares: groups are cut into strata by length,
    and each stratum is used up at the same pace.
    """
    free = _coverable(parts, order)
    if sum(sizes[group] for group in free) < held_out:
        raise ParameterError(
            f"cannot hold out {held_out} examples so that training knows all their atoms: hold out fewer"
        )
    lengths = (spans / sizes).round().astype(np.int64)
    bounds = np.unique(np.quantile(lengths, np.arange(1, _STRATA) / _STRATA))
    stratum = np.searchsorted(bounds, lengths, side="right").tolist()
    count, seen = [stratum.count(number) for number in range(_STRATA + 1)], [0] * (_STRATA + 1)
    share = {}
    for group in free:
        seen[stratum[group]] += 1
        share[group] = seen[stratum[group]] / count[stratum[group]]
    return fill(sizes, sorted(free, key=share.__getitem__), held_out)


def _coverable(parts: Sequence[Parts], order: list[int]) -> list[int]:
    """Groups that can all be held out at once, in the order given: the others have all their atoms.

    Groups are kept for training by falling need: those with the rarest atoms first, then the last of the order.
    """
    frequency = Counter(atom for part in parts for atom in part.atoms)
    rarest = [min((frequency[atom] for atom in part.atoms), default=len(parts)) for part in parts]
    known: set[str] = set()
    free = set()
    last_first = order[::-1]
    for group in sorted(last_first, key=rarest.__getitem__):
        if known.issuperset(parts[group].atoms):
            free.add(group)
        known.update(parts[group].atoms)
    return [group for group in order if group in free]


class _Matrix:
    """A sparse matrix of counts, (groups, columns): the entries of a row lie together."""

    def __init__(self, rows: Sequence[Sequence[tuple[str, int]]]):
        number: dict[str, int] = {}
        for name, _ in chain.from_iterable(rows):
            number.setdefault(name, len(number))
        lengths = np.array([len(row) for row in rows], dtype=np.int64)
        self.first = np.concatenate([[0], np.cumsum(lengths)])
        self.row = np.repeat(np.arange(len(rows)), lengths)
        self.column = np.fromiter((number[name] for name, _ in chain.from_iterable(rows)), dtype=np.int64)
        self.count = np.fromiter((count for _, count in chain.from_iterable(rows)), dtype=np.int64)
        self.n_columns = len(number)

    def entries(self, row: int) -> slice:
        return slice(self.first[row], self.first[row + 1])

    def sums(self, values: np.ndarray) -> np.ndarray:
        """Sums of one value an entry, by row."""
        return np.bincount(self.row, weights=values, minlength=len(self.first) - 1)


class _State:
    """Which groups are held out, and all counts that a swap needs."""

    def __init__(self, parts: Sequence[Parts], sizes: np.ndarray, spans: np.ndarray):
        self.sizes, self._spans = sizes, spans  # examples of each group, and the sum of their lengths
        self._held_span, self._bounds = 0, (-math.inf, math.inf)  # summed length of the held-out side
        self.is_held_out = np.zeros(len(sizes), dtype=bool)
        self.compounds = _Matrix([part.compounds for part in parts])
        self.compounds.count *= sizes[self.compounds.row]
        self.atoms = _Matrix([[(atom, 1) for atom in part.atoms] for part in parts])
        self.totals = self.compounds.sums(self.compounds.count).astype(np.int64)  # compounds of each group
        # (2, compounds): how often training and held-out side have each
        self.counts = np.zeros((2, self.compounds.n_columns), dtype=np.int64)
        np.add.at(self.counts[0], self.compounds.column, self.compounds.count)
        self.atom_groups = np.bincount(self.atoms.column, minlength=self.atoms.n_columns)  # training groups with each
        self._sums = [int(self.totals.sum()), 0]  # compounds of each side
        self.weigh(TRAIN_WEIGHT)

    def weigh(self, weight: float) -> None:
        """Sets the exponent of the training side; that of the other is the rest to 1."""
        self.weight = weight
        self._powers = _powers(int(self.counts.sum(axis=0).max(initial=0)), weight)
        self._overlap = float(self._overlaps(slice(None)).sum())  # Σ train^weight held_out^(1 - weight) of counts

    def move(self, group: int) -> None:
        """Puts a group on the other side."""
        sign = 1 if self.is_held_out[group] else -1  # for the training side
        entries = self.compounds.entries(group)
        columns, change = self.compounds.column[entries], sign * self.compounds.count[entries]
        before = self._overlaps(columns)
        self.counts[0, columns] += change
        self.counts[1, columns] -= change
        self._overlap += float(np.sum(self._overlaps(columns) - before))
        self._sums[0] += sign * int(self.totals[group])
        self._sums[1] -= sign * int(self.totals[group])
        self.atom_groups[self.atoms.column[self.atoms.entries(group)]] += sign
        self._held_span -= sign * int(self._spans[group])
        self.is_held_out[group] = not self.is_held_out[group]

    def hold_length(self) -> None:
        """From here on `partners` keep the mean lengths of both sides within the tolerance of each other."""
        held, total = int(self.sizes[self.is_held_out].sum()), int(self.sizes.sum())
        if not self._spans.any() or held in (0, total):
            return
        ratios = [factor * held / (total - held) for factor in (1 - LENGTH_TOLERANCE, 1 + LENGTH_TOLERANCE)]
        low, high = (int(self._spans.sum()) * ratio / (1 + ratio) for ratio in ratios)
        self._bounds = (min(low, self._held_span), max(high, self._held_span))  # a start outside them gets no worse

    def partners(self, group: int) -> np.ndarray:
        """Whether a held-out group may come back for a training group, (groups,): of its size, and not too long."""
        span = self._held_span + self._spans[group] - self._spans
        fits = (self._bounds[0] <= span) & (span <= self._bounds[1])
        return self.is_held_out & (self.sizes == self.sizes[group]) & fits

    def sides(self) -> Sides:
        """The same in plain lists."""
        entries = zip(
            self.compounds.row.tolist(), self.compounds.column.tolist(), self.compounds.count.tolist(), strict=True
        )
        rows: list[dict[int, int]] = [{} for _ in self.sizes]
        for row, column, count in entries:
            rows[row][column] = count
        atoms = [self.atoms.column[self.atoms.entries(group)].tolist() for group in range(len(self.sizes))]
        return Sides(
            rows, atoms, self.sizes.tolist(), self._spans.tolist(), self.totals.tolist(), self._bounds,
            (self._powers[0].tolist(), self._powers[1].tolist()), _norm, self.is_held_out.tolist(),
            self.counts[0].tolist(), self.counts[1].tolist(), self.atom_groups.tolist(), (self._sums[0], self._sums[1]),
            self._held_span, self._overlap,
        )  # fmt: skip

    def divergence(self) -> float:
        """1 - Σ p^0.1 q^0.9 over the compounds' shares p in training and q on the held-out side."""
        return round(1.0 - self._overlap / _norm(*self._sums, self.weight), _DIGITS)

    def divergences_after(self) -> np.ndarray:
        """The divergence after moving each one group, (groups,)."""
        matrix, sign = self.compounds, np.where(self.is_held_out, 1, -1)
        base = self._overlaps(slice(None))
        self._overlap = float(base.sum())  # the sum of many small changes drifts; here it is made anew
        change = matrix.count * sign[matrix.row]
        train, held_out = self.counts[0, matrix.column], self.counts[1, matrix.column]
        new = self._powers[0][train + change] * self._powers[1][held_out - change]
        overlap = self._overlap + matrix.sums(new - base[matrix.column])
        norm = _norms(self._sums[0] + sign * self.totals, self._sums[1] - sign * self.totals, self.weight)
        return np.round(1.0 - overlap / norm, _DIGITS)

    def can_leave_training(self) -> np.ndarray:
        """Whether the other training groups have all atoms of a training group, (groups,); False for the rest."""
        last = self.atoms.sums((self.atom_groups[self.atoms.column] < 2).astype(np.int64))
        return (last == 0) & ~self.is_held_out

    def may_leave_training(self, group: int) -> bool:
        """`can_leave_training` of one group."""
        columns = self.atoms.column[self.atoms.entries(group)]
        return not self.is_held_out[group] and bool(np.all(self.atom_groups[columns] > 1))

    def _overlaps(self, columns: np.ndarray | slice) -> np.ndarray:
        return self._powers[0][self.counts[0, columns]] * self._powers[1][self.counts[1, columns]]


def _norm(train: int, held_out: int, weight: float = TRAIN_WEIGHT) -> float:
    """What turns an overlap of counts into one of shares; sides without compounds have nothing to share."""
    return train**weight * held_out ** (1 - weight) or 1.0


def _norms(train: np.ndarray, held_out: np.ndarray, weight: float) -> np.ndarray:
    """`_norm` of arrays."""
    return np.maximum(train, 1) ** weight * np.maximum(held_out, 1) ** (1 - weight)


def _powers(highest: int, weight: float) -> tuple[np.ndarray, np.ndarray]:
    """Both powers of all counts up to the highest, from the standard library: NumPy's differ between processors."""
    both = (weight, 1 - weight)
    return tuple(np.array([round(math.pow(n, power), _DIGITS) for n in range(highest + 1)]) for power in both)


def _anneal(state: _State, rng: random.Random) -> None:
    sides = state.sides()
    draw = np.random.RandomState(rng.getrandbits(32))  # of NumPy's generators the one whose numbers never change
    anneal(sides, lambda is_held_out: _ranks(state, is_held_out), draw, _PROPOSALS * len(state.sizes), _HOT, _COLD)
    _move_to(state, np.array(sides.is_held_out))


def _ranks(state: _State, is_held_out: np.ndarray) -> np.ndarray:
    """The divergence after moving each one group of a split, (groups,); -inf for those that training needs."""
    _move_to(state, is_held_out)
    return np.where(state.is_held_out | state.can_leave_training(), state.divergences_after(), -math.inf)


def _climb_gently(state: _State) -> None:
    """Climbs first where a compound counts less for being in training at all.

    With the weight of the measure, the first copies of a compound that leave training gain nearly nothing, the last
    ones much; swaps that each must gain find no way there where a corpus repeats itself (100,000 queries made of
    8,034: 0.15 without this, 0.29 with it).
    """
    state.weigh(_GENTLE_WEIGHT)
    _climb(state, [state.divergence()])
    state.weigh(TRAIN_WEIGHT)


def _climb(state: _State, divergences: list[float]) -> None:
    """Swaps groups, many at a time, fewer when that becomes hard."""
    width = max(1, len(state.is_held_out) // 50)
    while width:
        gained = _many_swaps(state, divergences, width)
        if gained <= width // 2:
            width //= 2


def _many_swaps(state: _State, divergences: list[float], width: int) -> int:
    """Pairs the best groups of both sides, as they are ranked now; returns how many swaps grew the divergence."""
    after = state.divergences_after()
    leaving = _best(after, state.can_leave_training())[:width].tolist()
    coming = _best(after, state.is_held_out)
    gained = 0
    for group in leaving:
        partner = coming[state.partners(group)[coming]][:1].tolist()
        if partner and state.may_leave_training(group) and _swapped(state, divergences, group, partner[0]):
            gained += 1
    return gained


def _best(values: np.ndarray, allowed: np.ndarray) -> np.ndarray:
    """The allowed groups by falling value; equal ones in order."""
    groups = np.flatnonzero(allowed)
    return groups[np.argsort(-values[groups], kind="stable")]


def _swapped(state: _State, divergences: list[float], leaving: int, coming: int) -> bool:
    """Swaps two groups if that lets the divergence grow."""
    state.move(leaving)
    state.move(coming)
    value = state.divergence()
    if value > divergences[-1] + _LEAST_GAIN:
        divergences.append(value)
        return True
    state.move(coming)
    state.move(leaving)
    return False


def _one_swap(state: _State, divergences: list[float]) -> bool:
    """Tries the best groups that can leave training, each with the partner that is best once it has left."""
    for group in _best(state.divergences_after(), state.can_leave_training())[:_WIDEST].tolist():
        partners = state.partners(group)
        state.move(group)
        best = _best(state.divergences_after(), partners)[:1].tolist()
        state.move(group)
        if best and _swapped(state, divergences, group, best[0]):
            return True
    return False
