"""What the rows of two results share, columns in their places: counted once, used by matches, scores and views."""

from collections import Counter
from dataclasses import dataclass
from itertools import islice
from operator import ge, gt, le


@dataclass(frozen=True, slots=True)
class Overlap:
    """Rows of two results, counted as multisets and as sets."""

    equal_bags: bool  # the same rows, each as often
    subset: bool  # each generated row is among the golden ones, with multiplicity
    superset: bool
    shared: int  # distinct rows on both sides
    union: int  # distinct rows on either side
    missing: tuple[tuple, int] | None = None  # the first row that the golden side has more often; how many there are
    extra: tuple[tuple, int] | None = None  # the same for the generated side, rows that only it has first

    @property
    def equal_sets(self) -> bool:
        """Whether the same rows occur, however often."""
        return self.shared == self.union


def overlap(gold: list[tuple], pred: list[tuple]) -> Overlap:
    """Counts the rows of both results.

    The generated rows are counted on top of the golden ones. Both tables then hold the golden rows in the same order,
    so that all the rest is arithmetic on two lists of numbers: each row is looked up once, and nothing loops in Python.

    >>> found = overlap([(1,), (1,), (2,)], [(1,), (3,)])
    >>> found.shared, found.union, found.missing, found.extra
    (1, 3, ((1,), 2), ((3,), 1))
    """
    if gold == pred:
        return Overlap(True, True, True, 1, 1)
    wanted = Counter(gold)
    both: Counter = Counter()
    dict.update(both, wanted)  # keeps hashes, unlike Counter's own copy
    both.update(pred)
    counts, sums = [*wanted.values()], [*both.values()]
    twice, known = [2 * count for count in counts], sums[: len(counts)]
    only_gold = len(sums) == len(counts)
    if only_gold and known == twice:
        return Overlap(True, True, True, 1, 1)
    subset, superset = only_gold and all(map(le, known, twice)), all(map(ge, known, twice))
    return Overlap(
        equal_bags=False,
        subset=subset,
        superset=superset,
        shared=sum(map(gt, known, counts)),
        union=len(sums),
        missing=None if superset else _missing(wanted, known, twice),
        extra=None if subset else _extra(wanted, both, known, twice),
    )


def _missing(wanted: Counter, known: list[int], twice: list[int]) -> tuple[tuple, int]:
    row = next(row for row, total, equal in zip(wanted, known, twice, strict=True) if total < equal)
    return row, sum(equal - total for total, equal in zip(known, twice, strict=True) if total < equal)


def _extra(wanted: Counter, both: Counter, known: list[int], twice: list[int]) -> tuple[tuple, int]:
    again = sum(total - equal for total, equal in zip(known, twice, strict=True) if total > equal)
    new = sum(islice(both.values(), len(wanted), None))
    if new:
        return next(islice(both, len(wanted), None)), again + new
    return next(row for row, total, equal in zip(wanted, known, twice, strict=True) if total > equal), again
