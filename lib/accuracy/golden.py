"""The golden side of a comparison: its result, which order it asks for, and whether that result is determined."""

from collections import Counter
from dataclasses import dataclass, field, replace

from lib.accuracy.bare import undetermined_columns
from lib.accuracy.gate import lexed_as, refusal
from lib.accuracy.outline import Item, Outline, outline, unquoted
from lib.accuracy.records import Limits, Result, Settings
from lib.accuracy.volatile import volatile_flags

_SHAPING = ("order", "limit", "offset", "fetch")  # without these words no order and no cut
_MERGING = ("group", "count", "sum", "avg", "total")  # without these no row stands for several
_POOL_ROWS = 100_000  # rows read to learn among which ones a LIMIT chose


@dataclass(frozen=True, slots=True)
class Block:
    """A run of golden rows with equal sort keys."""

    size: int  # rows of it in the golden result
    rows: tuple[tuple, ...]  # rows with these keys; more than `size` where LIMIT or OFFSET cuts the run

    @property
    def cut(self) -> bool:
        """Whether other rows would have been as right as the ones returned."""
        return self.size < len(self.rows) and len(set(self.rows)) > 1


@dataclass(slots=True)
class Golden:
    """A golden query that ran: what is learnt about it later is kept."""

    sql: str
    result: Result
    shape: Outline | None  # None if nothing in the text orders or cuts
    ordered: bool
    flags: tuple[str, ...]
    blocks: tuple[Block, ...] | None = None  # in order; None if not looked up or not known
    pool_unknown: bool = False  # a LIMIT cuts a tie, and the rows to choose from are too many
    _looked: bool = field(default=False, repr=False)

    @property
    def cut_blocks(self) -> list[Block]:
        """The blocks within which LIMIT chose."""
        return [block for block in self.blocks or () if block.cut]

    def look_up_ties(self, engine, limits: Limits) -> None:
        """Finds the runs of rows with equal sort keys; asks the engine for keys that the result lacks."""
        if not self._looked:
            self._looked = True
            if self.blocks is None and self.shape is not None and self.ordered and not self.shape.cut:
                rows = _keyed_rows(self, engine, limits, None)
                if rows is not None and Counter(row for row, _ in rows) == Counter(self.result.rows):
                    self.blocks = _blocks(rows, 0, len(rows))


def prepare(sql: str, engine, settings: Settings) -> Golden:
    """Runs a golden query; looks whether a LIMIT in it cuts a tie."""
    text = sql.lower()
    refused = refusal(sql, engine.dialect)
    result = refused or engine.run(sql, settings.limits, golden=True)
    shape = outline(sql, lexed_as(engine.dialect)) if any(word in text for word in _SHAPING) else None
    if result.status != "ok":
        return Golden(sql, result, shape, False, ())
    flags = (*_emptiness(result.rows), *volatile_flags(sql, lexed_as(engine.dialect)))
    if "random" in flags:
        flags = (*flags, "gold_nondeterministic")
        shape = _without_chance(shape)
    ordered = settings.order == "require" or (settings.order == "auto" and shape is not None and shape.ordered)
    golden = Golden(sql, result, shape, ordered, flags)
    if settings.determinacy and shape is not None and shape.cut and result.rows:
        _look_up_cut(golden, engine, settings.limits)
    if settings.determinacy and result.rows and any(word in text for word in _MERGING):
        whole = shape or outline(sql, lexed_as(engine.dialect))
        if whole is not None and undetermined_columns(whole, engine, settings.limits):
            _add_flags(golden, "bare_columns", "gold_nondeterministic")
    return golden


def _add_flags(golden: Golden, *names: str) -> None:
    golden.flags += tuple(name for name in names if name not in golden.flags)


def _emptiness(rows: list[tuple]) -> tuple[str, ...]:
    """What makes agreement with a golden result no evidence: it has no rows, or nothing but NULL in them."""
    if not rows:
        return ("vacuous",)
    return ("null_only",) if all(cell is None for row in rows for cell in row) else ()


def _without_chance(shape: Outline | None) -> Outline | None:
    """A query sorted by chance asks for no order: all rows tie."""
    if shape is None or not any("rand" in key.text.lower() for key in shape.keys):
        return shape
    return replace(shape, ordered=False, keys=())


def _look_up_cut(golden: Golden, engine, limits: Limits) -> None:
    """Reads one row beyond the LIMIT; if a tie goes across, reads all rows to learn the pool."""
    shape, n_rows = golden.shape, len(golden.result.rows)
    assert shape is not None
    if not shape.readable or (shape.ordered and shape.compound and _locate_all(golden) is None):
        return
    stop = shape.offset + n_rows
    rows = _keyed_rows(golden, engine, limits, stop + 1)
    if rows is None or len(rows) < stop:
        return
    crosses = (len(rows) > stop and rows[stop - 1][1] == rows[stop][1]) or (
        shape.offset and rows[shape.offset - 1][1] == rows[shape.offset][1]
    )
    if not crosses:
        golden.blocks = _blocks(rows[shape.offset : stop], 0, n_rows) if shape.ordered else None
        return
    _look_up_pool(golden, engine, limits, stop)


def _look_up_pool(golden: Golden, engine, limits: Limits, stop: int) -> None:
    limits = replace(limits, max_rows=min(limits.max_rows, _POOL_ROWS))
    rows = _keyed_rows(golden, engine, limits, None)
    if rows is None or not Counter(golden.result.rows) <= Counter(row for row, _ in rows):
        golden.pool_unknown = True
        _add_flags(golden, "gold_nondeterministic")
        return
    golden.blocks = _blocks(rows, golden.shape.offset, stop)
    if golden.cut_blocks:
        _add_flags(golden, "gold_nondeterministic")


def _blocks(rows: list[tuple[tuple, tuple]], start: int, stop: int) -> tuple[Block, ...]:
    """The runs of equal keys that reach into rows[start:stop]."""
    blocks, first = [], 0
    for index in range(1, len(rows) + 1):
        if index < len(rows) and rows[index][1] == rows[first][1]:
            continue
        size = min(index, stop) - max(first, start)
        if size > 0:
            blocks.append(Block(size, tuple(row for row, _ in rows[first:index])))
        first = index
    return tuple(blocks)


def _keyed_rows(golden: Golden, engine, limits: Limits, limit: int | None) -> list[tuple[tuple, tuple]] | None:
    """Golden rows with their sort keys, cut after `limit` rows; None if they cannot be had."""
    shape = golden.shape
    assert shape is not None
    places = _locate_all(golden)
    missing = [key for key, place in zip(shape.keys, places, strict=True) if place is None] if places else []
    if missing and (shape.distinct or shape.compound or shape.items_stop < 0):
        return None
    width = len(golden.result.columns)
    if not missing and limit is None and not shape.cut:
        rows = golden.result.rows
    else:
        result = engine.run(_probe(shape, missing, limit), limits, golden=True)
        if result.status != "ok":
            return None
        rows = result.rows
    extra = iter(range(width, width + len(missing)))
    at = [next(extra) if place is None else place for place in places or ()]
    return [(row[:width], tuple(row[place] for place in at)) for row in rows]


def _probe(shape: Outline, missing: list[Item], limit: int | None) -> str:
    """The query with further columns, and another LIMIT or none."""
    keys = "".join(f", ({key.text})" for key in missing)
    split = shape.items_stop if missing else 0
    body = shape.text[:split] + keys + shape.text[split : shape.body_stop]
    return body if limit is None else f"{body} LIMIT {limit}"


def _locate_all(golden: Golden) -> list[int | None] | None:
    """Place of each sort key among the result's columns, None for keys that are not there; None without keys."""
    shape = golden.shape
    if shape is None or not shape.keys:
        return None
    places = [_locate(key, shape, golden.result.columns) for key in shape.keys]
    return None if shape.compound and None in places else places


def _locate(key: Item, shape: Outline, columns: tuple[str, ...]) -> int | None:
    if len(key.tokens) == 1 and key.text.isdecimal():
        place = int(key.text) - 1
        return place if 0 <= place < len(columns) else None
    if len(key.tokens) == 1:
        named = [index for index, name in enumerate(columns) if name.lower() == unquoted(key.text)]
        return named[0] if len(named) == 1 else None
    if len(shape.items) != len(columns) or any(item.tokens[-1] == "*" for item in shape.items):
        return None
    same = [index for index, item in enumerate(shape.items) if item.tokens == key.tokens]
    return same[0] if same else None
