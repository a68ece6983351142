"""Two results -> what they have in common: exact, contains, subset, superset, lenient, and the first difference."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from lib.accuracy.golden import Golden
from lib.accuracy.mapping import Table, Target, find_mapping
from lib.accuracy.naming import columns_fit
from lib.accuracy.records import Result, Settings
from lib.accuracy.tolerance import lenient_rows, merged
from lib.accuracy.values import shown_row

_MANY = 50_000  # rows from which a sum of hashes is worth a look before counting


@dataclass(frozen=True, slots=True)
class Matches:
    """What two results have in common; None is undecided."""

    exact: bool | None
    contains: bool | None
    subset: bool | None
    superset: bool | None
    lenient: bool | None
    flags: tuple[str, ...] = ()  # how they match: permuted, tolerance


@dataclass(frozen=True, slots=True)
class _View:
    """Golden and generated rows in one form (as they are, with tolerance, folded), and what order means for them."""

    gold: list[tuple]
    pred: list[tuple]
    gold_width: int
    pred_width: int
    blocks: tuple[tuple[int, tuple[tuple, ...]], ...] | None  # (size, rows) where order or a cut tie matters
    ordered: bool


def compare(golden: Golden, pred: Result, settings: Settings, pred_sql: str = "") -> Matches:
    """Compares a generated result with a golden one.

    Args:
        golden: the golden side, with its tie blocks if they are needed (see `needs_ties`).
        pred: a result with status `ok`.
        settings: order and tolerance; the mode plays no part.
        pred_sql: the generated query, to know what the columns of an empty result are.
    """
    gold = golden.result
    if gold.rows == pred.rows and gold.rows and len(gold.columns) == len(pred.columns):
        return Matches(True, True, True, True, True)
    if not gold.rows or not pred.rows:
        return _with_empty(golden, pred, pred_sql)
    view = _view(golden, pred)
    exact, flags, contains, subset, superset = _strict(view, settings.tolerance)
    if exact is not True and golden.pool_unknown and len(gold.rows) == len(pred.rows):
        exact = contains = None  # rows that we could not read might hold the answer
    lenient = True if exact is True else _lenient(view, settings.tolerance)
    return Matches(exact, contains, subset, superset, lenient, flags)


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
    view: _View, tolerance: float
) -> tuple[bool | None, tuple[str, ...], bool | None, bool | None, bool | None]:
    exact, permuted = _equal(view)
    if exact is True:
        return True, ("permuted",) if permuted else (), True, True, True
    contains = _contains(view)
    subset, superset = _among(view)
    softer = _merged_view(view, tolerance)
    if softer is None:
        return exact, (), contains, subset, superset
    soft_exact, soft_flags, soft_contains, soft_subset, soft_superset = _strict(softer, 0.0)
    flags = ("tolerance", *soft_flags) if soft_exact is True else ()
    return (
        _either(exact, soft_exact), flags, _either(contains, soft_contains),
        _either(subset, soft_subset), _either(superset, soft_superset),
    )  # fmt: skip


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
    mapping = find_mapping(target, pred, view.pred_width)
    return (mapping if mapping is None else mapping is not False), True


def _contains(view: _View) -> bool | None:
    if len(view.gold) != len(view.pred) or view.gold_width >= view.pred_width:
        return False if view.gold_width != view.pred_width else _equal(view)[0]
    target, pred = _target(view)
    mapping = find_mapping(target, pred, view.pred_width)
    return mapping if mapping is None else mapping is not False


def _among(view: _View) -> tuple[bool | None, bool | None]:
    """Whether the generated rows are among the golden ones, and the other way round."""
    if view.gold_width != view.pred_width:
        return False, False
    free = [0] * max(len(view.gold), len(view.pred))
    pool = [row for _, rows in view.blocks or () for row in rows]
    gold = Table(view.gold, free[: len(view.gold)])
    wide = Table(pool, [0] * len(pool)) if len(pool) > len(view.gold) else gold
    pred = Table(view.pred, free[: len(view.pred)])
    subset = _relation(Target(wide, None, view.gold_width), pred) if len(view.pred) <= len(wide.rows) else False
    superset = _relation(Target(None, gold, view.gold_width), pred) if len(view.gold) <= len(view.pred) else False
    return subset, superset


def _relation(target: Target, pred: Table) -> bool | None:
    if _fits_in_place(target, pred):
        return True
    if target.width == 1:
        return False
    mapping = find_mapping(target, pred, target.width)
    return mapping if mapping is None else mapping is not False


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
        return _may_be_equal(target.upper, pred) and _count(target.upper, labelled) == counts
    return (target.upper is None or counts <= _count(target.upper, labelled)) and (
        target.lower is None or _count(target.lower, labelled) <= counts
    )


def _may_be_equal(gold: Table, pred: Table) -> bool:
    """A quick look at large results: equal rows have equal sums of hashes."""
    return len(gold.rows) < _MANY or sum(map(hash, gold.rows)) == sum(map(hash, pred.rows))


def _count(table: Table, labelled: bool) -> Counter:
    return Counter(zip(table.labels, table.rows, strict=True)) if labelled else Counter(table.rows)


def first_difference(golden: Golden, pred: Result, matches: Matches) -> str | None:
    """The first difference in one line, None for equal results."""
    gold = golden.result
    if matches.exact is True:
        return None
    names = f"golden {shown_row(gold.columns)}, generated {shown_row(pred.columns)}"
    if len(gold.columns) != len(pred.columns):
        return f"columns: {len(gold.columns)} and {len(pred.columns)}: {names}"
    if not gold.rows and not pred.rows:
        return f"columns of empty results: {names}"
    wanted, got = Counter(gold.rows), Counter(pred.rows)
    missing, further = wanted - got, got - wanted
    if not missing and not further:
        return _order_difference(gold.rows, pred.rows)
    counts = (
        f"rows: {len(gold.rows)} golden, {len(pred.rows)} generated"
        if len(gold.rows) != len(pred.rows)
        else "rows differ"
    )
    return counts + _only("missing", missing, gold.rows) + _only("not golden", further, pred.rows)


def _only(name: str, rows: Counter, order: list[tuple]) -> str:
    """The first row on one side only, and how many there are."""
    if not rows:
        return ""
    first = next(row for row in order if row in rows)
    return f"; {name}: {shown_row(first)}" + (f" and {rows.total() - 1} more" if rows.total() > 1 else "")


def _order_difference(gold: list[tuple], pred: list[tuple]) -> str:
    index = next(index for index, (a, b) in enumerate(zip(gold, pred, strict=True)) if a != b)
    return f"order: row {index + 1}: golden {shown_row(gold[index])}, generated {shown_row(pred[index])}"
