"""Values of results: one Python value for each SQL value, so that == and hash mean "the same in SQL".

NULL equals NULL and nothing else; 1 = 1.0 = Decimal 1; booleans, texts and bytes are types of their own; NaN equals
NaN; -0.0 equals 0.0. Integers are never widened to doubles.
"""

import unicodedata
from collections.abc import Iterable
from decimal import Decimal, InvalidOperation

PLAIN = frozenset({int, float, str, bytes, type(None)})  # types that need no change, NaN aside
_EXACT_INTEGERS = 2**53  # beyond it a double no longer tells neighbours apart


def canonical(value):
    """The comparable form of a driver's value.

    >>> canonical(True) == 1, canonical(float("nan")) == canonical(float("nan")), canonical([1, None])
    (False, True, ('list', 1, None))
    """
    kind = type(value)
    if kind is float or kind is Decimal:
        return ("nan",) if value != value else value
    if kind in PLAIN:
        return value
    if isinstance(value, bool):
        return ("bool", bool(value))
    if isinstance(value, memoryview | bytearray):
        return bytes(value)
    if isinstance(value, list | tuple):
        return ("list", *map(canonical, value))
    if isinstance(value, dict):
        return ("map", frozenset((canonical(key), canonical(item)) for key, item in value.items()))
    if isinstance(value, set | frozenset):
        return ("set", frozenset(map(canonical, value)))
    return value if _hashable(value) else (kind.__name__, repr(value))


def _hashable(value) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def canonical_rows(rows: Iterable[tuple]) -> list[tuple]:
    """Rows of comparable values; rows that need no change stay the same objects."""
    return [row if _plain(row) else tuple(map(canonical, row)) for row in rows]


def _plain(row: tuple) -> bool:
    return type(row) is tuple and PLAIN.issuperset(map(type, row)) and all(cell == cell for cell in row)


def is_number(value) -> bool:
    """Whether tolerance may apply to a canonical value."""
    return type(value) in (int, float, Decimal)


def close(left, right, tolerance: float) -> bool:
    """Whether two different numbers are the same but for rounding noise.

    Two integers never are, nor an integer beyond 2^53 and a double, which may stand for its neighbours too.
    """
    if type(left) is int and type(right) is int:
        return False
    if any(type(value) is int and abs(value) > _EXACT_INTEGERS for value in (left, right)):
        return False
    try:
        a, b = float(left), float(right)
    except OverflowError:
        return False
    return abs(a - b) <= max(tolerance * max(abs(a), abs(b)), tolerance * 1e-3) if abs(a - b) != float("inf") else False


def folded(value, numbers: frozenset | set = frozenset()):
    """The lenient form: text without letter case and outer blanks, booleans as 0 and 1.

    Args:
        value: a canonical value.
        numbers: numbers of the other result; a text that spells one of them becomes it. ('3.0' is 3 if the other side
            has the number 3, but never '3'.)

    >>> folded(" MIT "), folded("3.0", {3}) == 3, folded("3.0"), folded(("bool", True))
    ('mit', True, '3.0', 1)
    """
    if type(value) is str:
        text = " ".join(unicodedata.normalize("NFKC", value).casefold().split())
        number = _number(text) if numbers and text[:1] in "+-.0123456789" else text
        return number if number in numbers else text
    if type(value) is tuple and len(value) == 2 and value[0] == "bool":
        return int(value[1])
    return value


def _number(text: str):
    if not text.isascii() or "_" in text or " " in text or len(text) > 40:
        return text
    digits = text.lstrip("+-")
    if len(digits) > 1 and digits[0] == "0" and digits.isdigit():  # 007 is a code, no number
        return text
    try:
        number = Decimal(text)
    except InvalidOperation:
        return text
    return number if number.is_finite() and abs(number.adjusted()) < 400 else text


def decimals(value) -> int:
    """Digits behind the decimal point of a number as written: 0 for integers."""
    if type(value) is int:
        return 0
    number = value if type(value) is Decimal else Decimal(repr(value))
    exponent = number.as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


def jsonable(value):
    """A value that JSON can hold; bytes as hex, decimals, dates and the rest as text."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode("utf-8")
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return value if abs(value) < float("inf") else str(value)
    if isinstance(value, bytes):
        return f"0x{value.hex()}"
    if isinstance(value, dict):
        return {str(key): jsonable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [jsonable(item) for item in value]
    return str(value)


def shown(value, width: int = 60) -> str:
    """A value as one short line for people: no line ends, no control characters.

    >>> shown("a\\nb"), shown(None), shown(b"\\x00")
    ("'a\\\\nb'", 'NULL', "x'00'")
    """
    if value is None:
        return "NULL"
    if isinstance(value, bytes):
        text = f"x'{value[: width // 2].hex()}'"
    elif isinstance(value, str):
        text = ascii(value[:width]) if not value[:width].isprintable() else repr(value[:width])
    else:
        text = str(value)
    return text if len(text) <= width else text[: width - 3] + "..."


def shown_row(row: tuple, width: int = 200) -> str:
    """A row as one short line."""
    text = f"({', '.join(map(shown, row[:20]))}{', ...' if len(row) > 20 else ''})"
    return text if len(text) <= width else text[: width - 4] + "...)"
