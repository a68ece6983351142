"""Which generated column stands for which golden one: one mapping for all rows, found by refinement and search.

Both results are tables with a label a row (0 for all where order is free, the tie block where it matters). A mapping
fits if, for each labelled row, lower count <= generated count <= upper count. Equality, "is among" and "chosen from
the rows that tie at LIMIT" are all of this form.

Each step gives rows a class (label and values of the columns mapped so far) and keeps as partners of a golden column
only those generated columns whose counts of (class, value) fit. Rows that look alike split as columns are mapped, so
mostly one or two choices decide everything. It is graph isomorphism in general: beyond a budget the answer is None.
"""

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

BUDGET = 30_000  # cells visited while searching, beyond a few visits of every cell: about 10 ms


@dataclass(frozen=True, slots=True)
class Table:
    """Rows with their labels."""

    rows: Sequence[tuple]
    labels: Sequence[Hashable]  # one a row


@dataclass(frozen=True, slots=True)
class Target:
    """What generated rows are held against."""

    upper: Table | None  # each generated row must be among these, with multiplicity; None: no bound
    lower: Table | None  # these must be among the generated rows; None: no bound
    width: int  # golden columns


class _Exhausted(Exception):
    """The budget of the search is spent."""


def find_mapping(target: Target, pred: Table, width: int, budget: int = BUDGET) -> tuple[int, ...] | bool | None:
    """The generated column of each golden column.

    Args:
        target: golden rows.
        pred: generated rows.
        width: generated columns; at least `target.width`, or there is no mapping.
        budget: cells that the search may visit beyond two passes over all of them.

    Returns:
        Indices of generated columns; False if no mapping fits; None if the budget ran out first.
    """
    if width < target.width:
        return False
    search = _Search(target, pred, width, budget)
    try:
        found = search.extend(search.start(), {})
    except _Exhausted:
        return None
    return False if found is None else found


class _Search:
    def __init__(self, target: Target, pred: Table, width: int, budget: int):
        self.width, self.pred_width = target.width, width
        self.sides = [_Side(table, target.width) for table in (target.upper, target.lower) if table is not None]
        self.same = len(self.sides) == 2 and target.upper is target.lower
        self.has_upper, self.has_lower = target.upper is not None, target.lower is not None
        if self.same:
            self.sides = self.sides[:1]
        self.pred = _Side(pred, width)
        rows = len(pred.rows) + sum(len(side.columns[0]) if side.columns else 0 for side in self.sides)
        self.left = budget + 4 * rows * (target.width + width)

    def start(self) -> list[list]:
        """Row classes of each side before any column is mapped."""
        return [side.labels for side in (*self.sides, self.pred)]

    def extend(self, classes: list[list], mapped: dict[int, int]) -> tuple[int, ...] | None:
        """Maps the golden column with the fewest partners, then the rest; the first full mapping, or None."""
        partners = self.partners(classes, mapped)
        if partners is None:
            return None
        if all(len(few) == 1 for few in partners.values()):  # nothing left to choose: look at whole rows
            whole = {**mapped, **{column: few[0] for column, few in partners.items()}}
            return self.whole(whole)
        column = min(partners, key=lambda one: len(partners[one]))
        seen = set()
        for partner in partners[column]:
            content = self.pred.identity(partner)
            if content in seen:  # the same values in each row: the same outcome
                continue
            seen.add(content)
            found = self.extend(self.refined(classes, column, partner), {**mapped, column: partner})
            if found is not None:
                return found
        return None

    def whole(self, mapped: dict[int, int]) -> tuple[int, ...] | None:
        """The mapping, if the rows fit under it."""
        places = tuple(mapped[column] for column in range(self.width))
        if len(set(places)) < self.width:
            return None
        tables = [(side, range(self.width)) for side in self.sides] + [(self.pred, places)]
        labelled = any(side.labelled for side, _ in tables)
        counts = [Counter(side.picked(ats, labelled)) for side, ats in tables]
        return places if self.fits(counts) else None

    def partners(self, classes: list[list], mapped: dict[int, int]) -> dict[int, list[int]] | None:
        """For each golden column that is not mapped yet, the generated ones that may be it; None if one has none."""
        taken = set(mapped.values())
        free = [index for index in range(self.pred_width) if index not in taken]
        profiles = {index: self.profile(self.pred, classes[-1], index) for index in free}
        found = {}
        for column in range(self.width):
            if column in mapped:
                continue
            wanted = [self.profile(side, rows, column) for side, rows in zip(self.sides, classes, strict=False)]
            few = [index for index in free if self.fits([*wanted, profiles[index]])]
            if not few:
                return None
            found[column] = sorted(few, key=lambda index, column=column: (index != column, index))  # same place first
        return found

    def profile(self, side: "_Side", classes: list, column: int) -> Counter:
        self.left -= len(classes)
        if self.left < 0:
            raise _Exhausted
        if not side.labelled and classes is side.labels:
            return Counter(side.columns[column])
        return Counter(zip(classes, side.columns[column], strict=True))

    def fits(self, counts: list[Counter]) -> bool:
        pred = counts[-1]
        if self.same:
            return same_counts(counts[0], pred)
        if self.has_upper and not within(pred, counts[0]):
            return False
        return not self.has_lower or within(counts[-2], pred)

    def refined(self, classes: list[list], column: int, partner: int) -> list[list]:
        """Splits the row classes by the values of a mapped column; one numbering for all sides."""
        numbers: dict = {}
        picked = [side.columns[column] for side in self.sides] + [self.pred.columns[partner]]
        return [
            [numbers.setdefault(pair, len(numbers)) for pair in zip(rows, values, strict=True)]
            for rows, values in zip(classes, picked, strict=True)
        ]


class _Side:
    """A table by columns."""

    def __init__(self, table: Table, width: int):
        self.labels = table.labels
        self.labelled = any(table.labels)
        self.columns = list(zip(*table.rows, strict=True)) if table.rows else [()] * width
        self._identities: dict[tuple, int] = {}

    def picked(self, places, labelled: bool):
        """Rows of some columns, with their labels if these say anything."""
        return zip(*([self.labels] if labelled else []), *(self.columns[place] for place in places), strict=True)

    def identity(self, column: int) -> int:
        """A number that columns share if they hold the same values in each row."""
        return self._identities.setdefault(self.columns[column], len(self._identities))


def same_counts(left: Counter, right: Counter) -> bool:
    """Equality at the speed of dictionaries, as neither holds a zero (Counter compares in Python, 20 times slower)."""
    return dict.__eq__(left, right)


def within(small: Counter, large: Counter) -> bool:
    """Whether each thing occurs in `large` at least as often."""
    return len(small) <= len(large) and all(count <= large.get(key, 0) for key, count in small.items())
