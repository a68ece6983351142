"""Numbers that differ by rounding noise become one value on both sides, so that the comparison itself stays exact."""

from bisect import bisect_left
from collections.abc import Iterable
from decimal import Decimal
from itertools import chain as joined

from lib.accuracy.values import close, decimals, folded, is_number

_INEXACT = {float, Decimal}
_MIN_DECIMALS = 2  # rounding to fewer decimals than this is a difference, not a presentation


def merged(gold: list[tuple], pred: list[tuple], tolerance: float) -> tuple[list[tuple], list[tuple]] | None:
    """Both results with numbers that are close to each other replaced by one of them; None if there are none.

    Values that are equal already stay as they are: only what an exact comparison leaves over is moved.
    """
    if not tolerance or not _INEXACT & {*map(type, joined.from_iterable(gold)), *map(type, joined.from_iterable(pred))}:
        return None
    moves = _moves(_numbers(gold), _numbers(pred), tolerance)
    if not moves:
        return None
    return _moved(gold, moves), _moved(pred, moves)


def _numbers(rows: Iterable[tuple]) -> set:
    return {cell for row in rows for cell in row if is_number(cell)}


def _moved(rows: list[tuple], moves: dict) -> list[tuple]:
    return [
        tuple(moves.get(cell, cell) if is_number(cell) else cell for cell in row)
        if not moves.keys().isdisjoint(row)
        else row
        for row in rows
    ]


def _moves(gold: set, pred: set, tolerance: float) -> dict:
    """Number -> the number that stands for it."""
    values = sorted(gold | pred)
    moves, chain = {}, values[:1]
    for value in values[1:]:
        if _near(chain[-1], value, tolerance):
            chain.append(value)
        else:
            moves.update(_chain_moves(chain, gold, tolerance))
            chain = [value]
    moves.update(_chain_moves(chain, gold, tolerance))
    return moves


def _near(left, right, tolerance: float) -> bool:
    """Near on the number line, whatever the types: what a chain is made of."""
    try:
        a, b = float(left), float(right)
    except OverflowError:
        return False
    return b - a <= max(tolerance * max(abs(a), abs(b)), tolerance * 1e-3)


def _chain_moves(chain: list, gold: set, tolerance: float) -> dict:
    if len(chain) < 2:
        return {}
    integers = [value for value in chain if type(value) is int]
    if len(integers) < 2 and close(chain[0], chain[-1], tolerance):  # all of them are one value
        anchor = integers[0] if integers else chain[0]
        return {value: anchor for value in chain if value is not anchor}
    return _snapped(chain, [value for value in chain if value in gold], tolerance)


def _snapped(chain: list, anchors: list, tolerance: float) -> dict:
    """A chain wider than the tolerance: each generated number goes to the nearest golden one."""
    moves = {}
    for value in chain:
        at = bisect_left(anchors, value)
        near = [anchor for anchor in anchors[max(at - 1, 0) : at + 1] if close(anchor, value, tolerance)]
        if near and value not in near and (at == len(anchors) or anchors[at] != value):
            moves[value] = min(near, key=lambda anchor: abs(float(anchor) - float(value)))
    return moves


def lenient_rows(gold: list[tuple], pred: list[tuple]) -> tuple[list[tuple], list[tuple]]:
    """Both results with folded values, doubles rounded to the decimals of the coarser side if it has two at least."""
    numbers = _numbers(gold), _numbers(pred)
    gold = [tuple(folded(cell, numbers[1]) for cell in row) for row in gold]
    pred = [tuple(folded(cell, numbers[0]) for cell in row) for row in pred]
    digits = min(_digits(gold), _digits(pred))
    if digits < _MIN_DECIMALS:
        return gold, pred
    return _rounded(gold, digits), _rounded(pred, digits)


def _digits(rows: list[tuple]) -> int:
    return max(
        (decimals(cell) for row in rows for cell in row if type(cell) in (float, Decimal) and _finite(cell)), default=0
    )


def _finite(value) -> bool:
    return abs(value) < 1e300


def _rounded(rows: list[tuple], digits: int) -> list[tuple]:
    return [
        tuple(round(cell, digits) if type(cell) in (float, Decimal) and _finite(cell) else cell for cell in row)
        for row in rows
    ]
