"""What every engine offers, and the connections that they share."""

import re
from abc import ABC, abstractmethod
from time import perf_counter

from lib.accuracy.records import Limits, Result
from lib.accuracy.values import canonical_rows
from lib.records import Schema

_SECRET = re.compile(
    r"(?i)(password|passwd|pwd|(?<!unrecognized )token|secret|api_?key|private_?key)(\s*[=:]\s*)\S+|(://[^:/@\s]*):[^@\s]+@"
)
_MAX_ERROR = 500  # characters of an engine's message that are kept


class Engine(ABC):
    """One database that only reads.

    Golden and generated queries run on connections of their own, so that neither can change what the other sees.
    """

    dialect = "sqlite"  # how its SQL is read
    name = "engine"

    @abstractmethod
    def run(self, sql: str, limits: Limits, golden: bool = False) -> Result:
        """Runs one query within the limits; never raises for anything that the query does.

        Args:
            sql: the query; callers have passed it through `gate.refusal`.
            limits: what it may cost.
            golden: whether it is a golden query.
        """

    def digest(self) -> str:
        """SHA-256 of the database's content as 16 hex digits, or "" where the engine cannot tell."""
        return ""

    def schema(self) -> Schema | None:
        """Tables and columns, for comparing queries as text; None where the engine does not tell."""
        return None

    def close(self) -> None:  # noqa: B027 - not every engine holds something
        """Gives back what the engine holds."""


class TooLarge(Exception):
    """A result is over the limits of cells or memory."""


def one_line(error: object) -> str:
    """A message as one line without credentials.

    >>> one_line("no\\n password=abc postgresql://me:pw@host/db")
    'no password=*** postgresql://me:***@host/db'
    """
    text = " ".join(str(error).split())
    text = _SECRET.sub(lambda match: f"{match[1]}{match[2]}***" if match[1] else f"{match[3]}:***@", text)
    return text.encode("utf-8", "backslashreplace").decode("utf-8")[:_MAX_ERROR]


def failed(status: str, error: object, started: float) -> Result:
    """A result that says why there are no rows."""
    return Result(status, error=one_line(error), seconds=perf_counter() - started)


def fetched(cursor, limits: Limits, started: float, columns: tuple[str, ...]) -> Result:
    """The rows of a cursor of the Python database interface, up to the limits.

    Reads in steps that grow while rows stay small, so that no step can bring much more than the memory allowed.
    """
    rows: list[tuple] = []
    step, size = 1, 0
    while True:
        chunk = cursor.fetchmany(min(step, limits.max_rows + 1 - len(rows)))
        if not chunk:
            break
        rows += canonical_rows(map(tuple, chunk))
        largest = check_cells(rows[len(rows) - len(chunk) :], limits)
        size += largest * len(chunk)
        if len(rows) > limits.max_rows or size > limits.max_memory:
            return Result("truncated", columns, rows[: limits.max_rows], _over(rows, limits), perf_counter() - started)
        step = max(1, min(step * 4, 4096, limits.max_memory // (16 * max(largest, 1))))
    return Result("ok", columns, rows, "", perf_counter() - started)


def _over(rows: list[tuple], limits: Limits) -> str:
    if len(rows) > limits.max_rows:
        return f"more than {limits.max_rows} rows"
    return f"a result over {limits.max_memory} bytes"


def check_cells(rows: list[tuple], limits: Limits) -> int:
    """The estimated bytes of the largest row.

    Raises:
        TooLarge: if one value is over the limit.
    """
    largest = 0
    for row in rows:
        lengths = [len(cell) for cell in row if type(cell) in (str, bytes, tuple)]
        if lengths and max(lengths) > limits.max_cell:
            raise TooLarge(f"a value of {max(lengths)} characters; at most {limits.max_cell} are read")
        largest = max(largest, sum(lengths) + 64 * len(row))
    return largest
