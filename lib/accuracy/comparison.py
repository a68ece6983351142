"""Two results -> what they have in common: exact, contains, subset, superset, lenient, and the first difference."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from operator import itemgetter

from lib.accuracy.golden import Golden
from lib.accuracy.mapping import Table, Target, find_mapping, same_counts, within
from lib.accuracy.naming import columns_fit
from lib.accuracy.overlap import Overlap, overlap
from lib.accuracy.records import Result, Settings
from lib.accuracy.scores import shared_places
from lib.accuracy.tolerance import lenient_rows, merged
from lib.accuracy.values import shown_row

_LARGE = 2_000_000  # cells of both results from which only columns in their places are tried beyond `exact`


@dataclass(frozen=True, slots=True)
class Matches:
    """What two results have in common; None is undecided."""

    exact: bool | None
    contains: bool | None
    subset: bool | None
    superset: bool | None
    lenient: bool | None
    flags: tuple[str, ...] = ()  # how they match: permuted, tolerance
    by_name: bool = False  # exact, with each column under its own name in another place


@dataclass(frozen=True, slots=True)
class _View:
    """Golden and generated rows in one form (as they are, with tolerance, folded), and what order means for them."""

    gold: list[tuple]
    pred: list[tuple]
    gold_width: int
    pred_width: int
    blocks: tuple[tuple[int, tuple[tuple, ...]], ...] | None  # (size, rows) where order or a cut tie matters
    ordered: bool

    @property
    def large(self) -> bool:
        """Whether looking at every cell again and again would take too long."""
        return len(self.gold) * self.gold_width + len(self.pred) * self.pred_width > _LARGE


def compare(
    golden: Golden, pred: Result, settings: Settings, pred_sql: str = "", common: Overlap | None = None
) -> Matches:
    """Compares a generated result with a golden one.

    Args:
        golden: the golden side, with its tie blocks if they are needed (see `needs_ties`).
        pred: a result with status `ok`.
        settings: order and tolerance; the mode plays no part.
        pred_sql: the generated query, to know what the columns of an empty result are.
        common: what `overlap` counted, if it was called before.
    """
    gold = golden.result
    if not gold.rows or not pred.rows:
        return _with_empty(golden, pred, pred_sql)
    common = common or overlap(gold.rows, pred.rows)
    if gold.rows == pred.rows or (common.equal_bags and not golden.ordered):
        return Matches(True, True, True, True, True)
    if _equal_by_name(golden, pred):
        return Matches(True, True, True, True, True, ("permuted",), by_name=True)
    view = _view(golden, pred)
    exact, flags, contains, subset, superset = _strict(view, settings.tolerance, common)
    if exact is not True and golden.pool_unknown and len(gold.rows) == len(pred.rows):
        exact = contains = None  # rows that we could not read might hold the answer
    lenient = _lenient(view, settings.tolerance) if exact is False else exact
    return Matches(exact, contains, subset, superset, lenient, flags)


def _equal_by_name(golden: Golden, pred: Result) -> bool:
    """Whether the rows are equal with columns of the same names in other places: the usual permutation."""
    gold = golden.result
    places = [place for _, place in shared_places(gold.columns, pred.columns)]
    if len(gold.rows) != len(pred.rows) or not len(places) == len(gold.columns) == len(pred.columns):
        return False
    if places == sorted(places):
        return False
    rows = [*map(itemgetter(*places), pred.rows)]
    return rows == gold.rows if golden.ordered else overlap(gold.rows, rows).equal_bags


def needs_ties(golden: Golden, pred: Result) -> bool:
    """Whether the verdict hangs on which golden rows have equal sort keys."""
    return golden.ordered and len(golden.result.rows) == len(pred.rows) > 1 and golden.result.rows != pred.rows


def _view(golden: Golden, pred: Result) -> _View:
    gold, cut = golden.result, bool(golden.cut_blocks)
    blocks = None
    if golden.blocks is not None and (golden.ordered or cut):
        blocks = tuple((block.size, block.rows) for block in golden.blocks)
    elif golden.ordered:
        blocks = tuple((1, (row,)) for row in gold.rows)
    return _View(gold.rows, pred.rows, len(gold.columns), len(pred.columns), blocks, golden.ordered)


def _with_empty(golden: Golden, pred: Result, pred_sql: str) -> Matches:
    """One of the results, or both, has no rows: then the columns decide."""
    gold = golden.result
    same = columns_fit(gold.columns, golden.sql, pred.columns, pred_sql)
    wider = same or columns_fit(gold.columns, golden.sql, pred.columns, pred_sql, further=True)
    if not gold.rows and not pred.rows:
        return Matches(same, wider, same, same, same)
    return Matches(False, False, same and not pred.rows, same and not gold.rows, False)


def _strict(
    view: _View, tolerance: float, common: Overlap
) -> tuple[bool | None, tuple[str, ...], bool | None, bool | None, bool | None]:
    exact, permuted = _equal(view)
    if exact is True:
        return True, ("permuted",) if permuted else (), True, True, True
    contains = _contains(view, exact)
    subset, superset = _among(view, common) if exact is not None else (None, None)
    softer = _merged_view(view, tolerance)
    if softer is None:
        return exact, (), contains, subset, superset
    soft_common = overlap(softer.gold, softer.pred)
    soft_exact, soft_flags, soft_contains, soft_subset, soft_superset = _strict(softer, 0.0, soft_common)
    flags = ("tolerance", *soft_flags) if soft_exact is True else ()
    return (
        _either(exact, soft_exact),
        flags,
        _either(contains, soft_contains),
        _either(subset, soft_subset),
        _either(superset, soft_superset),
    )


def _either(first: bool | None, second: bool | None) -> bool | None:
    """True if one is; else undecided if one is."""
    if first is True or second is True:
        return True
    return None if first is None or second is None else False


def _merged_view(view: _View, tolerance: float) -> _View | None:
    pool = [row for _, rows in view.blocks or () for row in rows]
    both = merged(view.gold + pool, view.pred, tolerance)
    if both is None:
        return None
    return _replaced(view, both[0], both[1])


def _replaced(view: _View, gold: list[tuple], pred: list[tuple]) -> _View:
    """The same view with other values; `gold` holds the golden rows, then those of the blocks."""
    blocks, at = None, len(view.gold)
    if view.blocks is not None:
        blocks = []
        for size, rows in view.blocks:
            blocks.append((size, tuple(gold[at : at + len(rows)])))
            at += len(rows)
        blocks = tuple(blocks)
    return _View(gold[: len(view.gold)], pred, view.gold_width, view.pred_width, blocks, view.ordered)


def _lenient(view: _View, tolerance: float) -> bool | None:
    if len(view.gold) != len(view.pred) or view.gold_width != view.pred_width:
        return False
    if view.large:
        return None
    pool = [row for _, rows in view.blocks or () for row in rows]
    gold, pred = lenient_rows(view.gold + pool, view.pred)
    free = _replaced(view, gold, pred)
    has_pool = any(size < len(rows) for size, rows in view.blocks or ())
    free = _View(free.gold, free.pred, free.gold_width, free.pred_width, free.blocks if has_pool else None, False)
    exact, _ = _equal(free)
    softer = _merged_view(free, tolerance) if exact is not True else None
    return exact if softer is None else _either(exact, _equal(softer)[0])


def _equal(view: _View) -> tuple[bool | None, bool]:
    """Whether both results are the same, and whether only after permuting columns."""
    if len(view.gold) != len(view.pred) or view.gold_width != view.pred_width:
        return False, False
    target, pred = _target(view)
    if _fits_in_place(target, pred):
        return True, False
    if view.gold_width == 1:
        return False, False
    return _mapped(target, pred, view.pred_width), True


def _contains(view: _View, exact: bool | None) -> bool | None:
    if len(view.gold) != len(view.pred) or view.gold_width >= view.pred_width:
        return exact if view.gold_width == view.pred_width else False
    return _mapped(*_target(view), view.pred_width)


def _among(view: _View, common: Overlap) -> tuple[bool | None, bool | None]:
    """Whether the generated rows are among the golden ones, and the other way round."""
    if view.gold_width != view.pred_width:
        return False, False
    pool = [row for _, rows in view.blocks or () for row in rows]
    gold, pred = Table(view.gold, [0] * len(view.gold)), Table(view.pred, [0] * len(view.pred))
    wide = Table(pool, [0] * len(pool)) if len(pool) > len(view.gold) else gold
    subset = common.subset or _among_mapped(view, Target(wide, None, view.gold_width), pred, len(wide.rows))
    superset = common.superset or _among_mapped(view, Target(None, gold, view.gold_width), pred, len(pred.rows))
    return subset, superset


def _among_mapped(view: _View, target: Target, pred: Table, most: int) -> bool | None:
    """Whether the smaller side fits into the larger one, of `most` rows, with columns permuted."""
    less = len(pred.rows) if target.upper is not None else len(view.gold)
    if less > most:
        return False
    if target.width == 1:
        return (
            _fits_in_place(target, pred)
            if target.upper is not None and len(target.upper.rows) > len(view.gold)
            else False
        )
    return None if view.large else _mapped(target, pred, view.pred_width)


def _mapped(target: Target, pred: Table, width: int) -> bool | None:
    """Whether some mapping of columns fits; None if the search ran out of its budget."""
    mapping = find_mapping(target, pred, width)
    return None if mapping is None else mapping is not False


def _target(view: _View) -> tuple[Target, Table]:
    """What the generated rows must be, with labels that say where order matters."""
    if view.blocks is None:
        gold = Table(view.gold, [0] * len(view.gold))
        return Target(gold, gold, view.gold_width), Table(view.pred, gold.labels)
    spread = [(number if view.ordered else 0, size, rows) for number, (size, rows) in enumerate(view.blocks)]
    upper = _table(spread)
    lower = _table([part for part in spread if part[1] == len(part[2])])
    places = [label for label, size, _ in spread for _ in range(size)]
    same = len(lower.rows) == len(upper.rows)
    return Target(upper, upper if same else lower, view.gold_width), Table(view.pred, places)


def _table(parts: Sequence[tuple[int, int, tuple[tuple, ...]]]) -> Table:
    return Table([row for _, _, rows in parts for row in rows], [label for label, _, rows in parts for _ in rows])


def _fits_in_place(target: Target, pred: Table) -> bool:
    """Whether the rows fit with each column where it is."""
    if target.upper is not None and len(target.upper.rows[0]) != len(pred.rows[0]):
        return False
    labelled = any(any(table.labels) for table in (target.upper, target.lower, pred) if table is not None)
    counts = _count(pred, labelled)
    if target.upper is target.lower:
        assert target.upper is not None
        return same_counts(_count(target.upper, labelled), counts)
    return (target.upper is None or within(counts, _count(target.upper, labelled))) and (
        target.lower is None or within(_count(target.lower, labelled), counts)
    )


def _count(table: Table, labelled: bool) -> Counter:
    return Counter(zip(table.labels, table.rows, strict=True)) if labelled else Counter(table.rows)


def first_difference(golden: Golden, pred: Result, matches: Matches, common: Overlap | None = None) -> str | None:
    """The first difference in one line, None for equal results."""
    gold = golden.result
    if matches.exact is True:
        return None
    names = f"golden {shown_row(gold.columns)}, generated {shown_row(pred.columns)}"
    if len(gold.columns) != len(pred.columns):
        return f"columns: {len(gold.columns)} and {len(pred.columns)}: {names}"
    if not gold.rows and not pred.rows:
        return f"columns of empty results: {names}"
    common = common or overlap(gold.rows, pred.rows)
    if common.equal_bags:
        return _order_difference(gold.rows, pred.rows)
    counts = f"rows: {len(gold.rows)} golden, {len(pred.rows)} generated"
    return (
        (counts if len(gold.rows) != len(pred.rows) else "rows differ")
        + _only("missing", common.missing)
        + _only("not golden", common.extra)
    )


def _only(name: str, found: tuple[tuple, int] | None) -> str:
    """The first row that one side has more often, and how many there are."""
    if found is None:
        return ""
    row, total = found
    return f"; {name}: {shown_row(row)}" + (f" and {total - 1} more" if total > 1 else "")


def _order_difference(gold: list[tuple], pred: list[tuple]) -> str:
    index = next(index for index, (a, b) in enumerate(zip(gold, pred, strict=True)) if a != b)
    return f"order: row {index + 1}: golden {shown_row(gold[index])}, generated {shown_row(pred[index])}"
