"""A file that holds one JSON list -> its values, one at a time.

`json.load` would keep the whole file as objects; here memory is that of one chunk and one value, and the time is the
same, because the values are still read by the C scanner.
"""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

from lib.errors import CorpusError

CHUNK = 1 << 18  # characters; larger chunks are not faster
MAX_VALUE = 1 << 24  # characters of one value; a longer one is taken for a broken file

_blanks = re.compile(r"[ \t\n\r]*").match
_number_end = re.compile(r"[-+.eE\d]*\Z").match


class Doubled(dict):
    """An object in which a key stands twice (JSON keeps the last one in silence)."""


def _object(pairs: list[tuple[str, Any]]) -> dict:
    value = dict(pairs)
    return value if len(value) == len(pairs) else Doubled(value)


def read_list(path: Path) -> Iterator[Any]:
    """Yields the values of a JSON list in a UTF-8 file, with or without a byte order mark.

    A byte that is not UTF-8 becomes a lone surrogate in its text, so that it spoils one value and not the file.

    Args:
        path: the file.

    Raises:
        CorpusError: if the file cannot be read, is no list, or stops being JSON; names line and column, and how many
            values were read before.
    """
    try:
        with open(path, encoding="utf-8-sig", errors="surrogateescape") as handle:
            yield from _values(_Window(handle), f"'{path}'")
    except (OSError, UnicodeError) as error:
        raise CorpusError(f"cannot read '{path}': {getattr(error, 'strerror', None) or error}") from error


def _values(window: "_Window", name: str) -> Iterator[Any]:
    mark = window.next_mark()
    if mark == "":
        raise CorpusError(f"{name} is empty: expected a JSON list of records")
    if mark != "[":
        raise CorpusError(f"{name} holds no JSON list: it starts with {mark!r}, expected '['")
    window.skip()
    decode, count = json.JSONDecoder(object_pairs_hook=_object).raw_decode, 0
    if window.next_mark() == "]":
        window.skip()
    else:
        mark = ","
        while mark == ",":
            value, mark = _value(window, decode, name, count)
            yield value
            count += 1
    if window.next_mark():
        raise CorpusError(_broken(name, window, "text behind the end of the list", count))


def _value(window: "_Window", decode: Callable, name: str, count: int) -> tuple[Any, str]:
    """Reads one value and the comma or bracket behind it."""
    window.next_mark()
    try:
        value = window.decode(decode)
    except (ValueError, RecursionError) as error:
        window.at = getattr(error, "pos", window.at)
        raise CorpusError(_broken(name, window, getattr(error, "msg", str(error)), count)) from error
    mark = window.next_mark()
    if mark not in (",", "]"):
        reason = f"expected ',' or ']', found {mark!r}" if mark else "the file ends inside the list"
        raise CorpusError(_broken(name, window, reason, count + 1))
    window.skip()
    return value, mark


def _broken(name: str, window: "_Window", reason: str, count: int) -> str:
    line, column = window.place()
    return f"{name} is not JSON: {reason} at line {line}, column {column}; {count:,} records before it were read well"


class _Window:
    """The part of a text file that is being read, and where in the file it lies."""

    def __init__(self, handle: IO[str]):
        self._handle, self._text, self.at = handle, "", 0
        self._lines, self._column = 0, 0  # line breaks before the window, characters since the last of them

    def next_mark(self) -> str:
        """Moves to the next character that is not blank and returns it; "" at the end of the file."""
        while True:
            self.at = _blanks(self._text, self.at).end()
            if self.at < len(self._text):
                return self._text[self.at]
            if not self._grow():
                return ""

    def skip(self) -> None:
        """Steps over one character."""
        self.at += 1

    def decode(self, decode: Callable) -> Any:
        """Reads the JSON value here, taking in more text while it is not whole."""
        while True:
            try:
                value, stop = decode(self._text, self.at)
                # a number that ends the window ("1", "1.", "1e") may go on behind it
                if not _number_end(self._text, stop) or not self._grow():
                    self.at = stop
                    return value
            except ValueError:
                if len(self._text) - self.at > MAX_VALUE or not self._grow():
                    raise

    def place(self) -> tuple[int, int]:
        """Line and column, both from 1, of the current character."""
        before = self._text[: self.at]
        breaks = before.count("\n")
        column = len(before) - before.rfind("\n") if breaks else self._column + len(before) + 1
        return self._lines + breaks + 1, column

    def _grow(self) -> bool:
        """Drops what was read and takes in as much again as is left, at least a chunk; False at the file's end."""
        more = self._handle.read(max(CHUNK, len(self._text) - self.at))
        if more:
            line, column = self.place()
            self._lines, self._column = line - 1, column - 1
            self._text, self.at = self._text[self.at :] + more, 0
        return bool(more)
