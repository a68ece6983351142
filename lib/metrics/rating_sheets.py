"""Rating sheets as files: one CSV a rater, and a key that tells what raters must not know.

Sheets come back from spreadsheets, so semicolons, tabs, byte order marks, decimal commas and empty rows are understood.
What cannot be understood is named by file, row and column; rows count as in a spreadsheet, the header is row 1.
"""

import csv
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from lib.errors import ParameterError, RatingError, RecordError
from lib.files import atomic_writer, read_jsonl, write_jsonl
from lib.metrics.ratings import LEVELS, SCALES, Item, Rating, Ratings, order_for

KEY = "key.jsonl"
COLUMNS = ("item", "sql", "text", *SCALES, "remark")
_NEEDED = ("item", "text", *SCALES)
_WHOLE = re.compile(r"(\d{1,9})(?:[.,]0+)?")
_NEGATIVE = re.compile(r"-\d+(?:[.,]\d+)?")
_SHOWN = 5  # problems that one message names
_KEY_TYPES = {"number": int, "repeat_of": int | None, "pair": str, "sql": str, "clauses": int, "text": str,
              "systems": list}  # fmt: skip


def make_sheets(folder: Path, items: Sequence[Item], raters: int, seed: int) -> tuple[Item, ...]:
    """Writes `key.jsonl`, `rater-1.csv`, `rater-2.csv` and so on, as far as they are not there.

    Sheets of other items are replaced only as long as nobody has rated anything on any of them.

    Args:
        folder: for the files.
        items: to be rated.
        raters: number of sheets, at least 1.
        seed: of their orders.

    Returns:
        The items on the sheets: those given, or older ones that somebody has begun to rate.

    Raises:
        ParameterError: if `raters` is below 1.
        RatingError: if the key that is there is broken.
    """
    if raters < 1:
        raise ParameterError(f"'raters' must be at least 1, not {raters}")
    folder = Path(folder)
    if (folder / KEY).is_file():
        there = read_key(folder)
        if there != tuple(items):
            if used_sheets(folder):
                return there
            for path in sheets_in(folder):
                path.unlink()
    write_jsonl(folder / KEY, map(asdict, items))
    for name in (f"rater-{number}" for number in range(1, raters + 1)):
        path = folder / f"{name}.csv"
        if not path.exists():
            blank = [Rating(name, item.number, None, None, "") for item in order_for(items, name, seed)]
            write_sheet(path, items, blank)
    return tuple(items)


def used_sheets(folder: Path) -> list[Path]:
    """The sheets of a folder on which somebody has begun; broken ones too, since somebody has been at them."""
    if not (Path(folder) / KEY).is_file():
        return []
    try:
        items = read_key(folder)
    except RatingError:
        return sheets_in(folder)
    return [path for path in sheets_in(folder) if _is_used(path, items)]


def _is_used(path: Path, items: Sequence[Item]) -> bool:
    try:
        return any(is_said(rating) or rating.remark for rating in read_sheet(path, items))
    except RatingError:
        return True  # somebody has been at it


def is_said(rating: Rating) -> bool:
    """Whether there is a value on either scale."""
    return any(getattr(rating, scale) is not None for scale in SCALES)


def sheets_in(folder: Path) -> list[Path]:
    """The sheets of a folder, by name."""
    hidden = (".", "~")  # what writers and spreadsheets leave beside a file that is open
    return sorted(path for path in Path(folder).glob("*") if _is_csv(path) and not path.name.startswith(hidden))


def _is_csv(path: Path) -> bool:
    return path.suffix.lower() == ".csv" and path.is_file()


def read_ratings(folder: Path) -> Ratings:
    """All ratings in the sheets of a folder.

    Raises:
        RatingError: if the key or a sheet is missing, broken, or does not fit; names file, row and column.
    """
    items = read_key(folder)
    paths = sheets_in(folder)
    names = [path.stem for path in paths]
    for path in paths:
        if names.count(path.stem) > 1:
            raise RatingError(f"two sheets are called {path.stem}, one of them '{path.name}': rename one")
    sheets = {path.stem: read_sheet(path, items) for path in paths}
    said = tuple(rating for ratings in sheets.values() for rating in ratings if is_said(rating))
    return Ratings(items, tuple(sheets), said)


def read_key(folder: Path) -> tuple[Item, ...]:
    """The items that the sheets of a folder are about, by number.

    Raises:
        RatingError: if there is no key, or a broken one.
    """
    path = Path(folder) / KEY
    if not path.is_file():
        raise RatingError(f"'{folder}' has no {KEY}, so nobody knows who wrote which text: make the sheets first")
    try:
        items = tuple(_item(path.name, number, record) for number, record in enumerate(read_jsonl(path)))
    except RecordError as error:
        raise RatingError(f"{error}; restore the key that the sheets were made with") from error
    if [item.number for item in items] != list(range(1, len(items) + 1)):
        raise RatingError(f"{path.name} does not hold the items 1 to {len(items)}: restore the key of these sheets")
    return items


def _item(file: str, number: int, record: Mapping) -> Item:
    fits = record.keys() == _KEY_TYPES.keys() and all(isinstance(record[name], _KEY_TYPES[name]) for name in record)
    if not fits or not all(isinstance(system, str) for system in record["systems"]):
        raise RecordError(file, number, "not an item of a key")
    return Item(**(record | {"systems": tuple(record["systems"])}))


def write_sheet(path: Path, items: Sequence[Item], ratings: Sequence[Rating]) -> None:
    """Writes one sheet, atomically, with the byte order mark that spreadsheets need.

    Args:
        path: of the sheet.
        items: all items.
        ratings: of one rater, one for each item, in the order of the sheet.
    """
    by_number = {item.number: item for item in items}
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(COLUMNS)
    for rating in ratings:
        item = by_number[rating.item]
        values = ("" if value is None else value for value in (rating.fluency, rating.adequacy))
        writer.writerow([item.number, _harmless(item.sql), _harmless(item.text), *values, _harmless(rating.remark)])
    with atomic_writer(path) as handle:
        handle.write("\ufeff" + buffer.getvalue())


def _harmless(cell: str) -> str:
    """A cell that no spreadsheet takes for a formula: systems write what they like."""
    return f"'{cell}" if cell.startswith(("=", "+", "-", "@", "\t")) else cell


def read_sheet(path: Path, items: Sequence[Item]) -> list[Rating]:
    """The ratings of one sheet in its order, also those where nothing is said yet.

    Args:
        path: of the sheet; its name is the rater's.
        items: all items of the key.

    Raises:
        RatingError: if the sheet cannot be read, or does not fit the key.
    """
    path = Path(path)
    rows = _rows(path)
    reader = _Reader(path.name, path.stem, {item.number: item for item in items})
    places = reader.columns(rows[0] if rows else [])
    for number, row in enumerate(rows[1:], 2):
        if places and any(cell.strip() for cell in row):
            reader.read_row(number, {name: row[i].strip() if i < len(row) else "" for name, i in places.items()})
    if places:
        reader.check_all_there()
    if reader.problems:
        more = len(reader.problems) - _SHOWN
        raise RatingError("; ".join(reader.problems[:_SHOWN]) + (f"; and {more} more" if more > 0 else ""))
    return list(reader.found.values())


@dataclass(slots=True)
class _Reader:
    """One sheet while it is read: all its problems are gathered, so that they can be mended at once."""

    file: str
    rater: str
    items: Mapping[int, Item]  # by number
    found: dict[int, Rating] = field(default_factory=dict)  # by number, in the order of the sheet
    rows: dict[int, int] = field(default_factory=dict)  # where each number was found
    problems: list[str] = field(default_factory=list)

    def say(self, row: int, column: str, what: str) -> None:
        self.problems.append(f"{self.file}, row {row}, column {column}: {what}")

    def columns(self, header: Sequence[str]) -> dict[str, int]:
        """The place of each column; none if one is missing."""
        names = [name.strip().lower() for name in header]
        for name in (name for name in COLUMNS if names.count(name) > 1):
            self.say(1, name, "comes twice, delete one of them")
        missing = [name for name in _NEEDED if name not in names]
        if missing:
            self.say(1, " and ".join(missing), f"missing; the header must be {', '.join(COLUMNS)}")
        return {} if self.problems else {name: names.index(name) for name in COLUMNS if name in names}

    def read_row(self, row: int, cells: Mapping[str, str]) -> None:
        number = self.number(row, cells)
        values = {scale: self.value(row, scale, cells[scale]) for scale in SCALES}
        if number is not None:
            self.found[number] = Rating(self.rater, number, **values, remark=cells.get("remark", ""))

    def number(self, row: int, cells: Mapping[str, str]) -> int | None:
        whole = _WHOLE.fullmatch(cells["item"])
        number = int(whole[1]) if whole else None
        if number is None or number not in self.items:
            what = f"'{cells['item']}' is no item of the key" if cells["item"] else "is empty, which item is it?"
            self.say(row, "item", f"{what} (1 to {len(self.items)})")
            return None
        if number in self.rows:
            self.say(row, "item", f"{number} is in row {self.rows[number]} already, delete one of them")
            return None
        self.rows[number] = row
        if _letters(cells["text"]) != _letters(self.items[number].text):
            self.say(row, "text", f"is not the text of item {number} in {KEY}: is it a sheet of another set?")
        return number

    def value(self, row: int, scale: str, cell: str) -> int | None:
        if not cell:
            return None
        whole = _WHOLE.fullmatch(cell)
        if whole and int(whole[1]) in LEVELS:
            return int(whole[1])
        fault = "is outside 1 to 5" if whole or _NEGATIVE.fullmatch(cell) else "is not a whole number"
        self.say(row, scale, f"'{cell[:40]}' {fault}; rate 1 to 5, or leave it empty")
        return None

    def check_all_there(self) -> None:
        missing = sorted(self.items.keys() - self.rows.keys())
        if missing:
            listed = ", ".join(map(str, missing[:10])) + (" and more" if len(missing) > 10 else "")
            self.say(max(self.rows.values(), default=1) + 1, "item", f"missing after the last row: {listed}; "
                     "put the rows back, a text that is not rated just stays empty")  # fmt: skip


def _letters(text: str) -> str:
    """What spreadsheets leave alone of a text."""
    return re.sub(r"[\W_]+", "", text).casefold()


def _rows(path: Path) -> list[list[str]]:
    text = _decoded(path)
    first, _, rest = text.partition("\n")
    told = re.fullmatch(r'"?sep=(.)"?', first.strip("\r"))  # a line that Excel reads and hides
    delimiter = told[1] if told else max(",;\t", key=first.count)
    try:
        return list(csv.reader(io.StringIO(rest if told else text, newline=""), delimiter=delimiter))
    except csv.Error as error:
        raise RatingError(f"{path.name} is not CSV: {error}; save it as 'CSV UTF-8'") from error


def _decoded(path: Path) -> str:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise RatingError(f"cannot read '{path}': {error.strerror}") from error
    # The last is what older spreadsheets write.
    encodings = ("utf-16",) if content.startswith((b"\xff\xfe", b"\xfe\xff")) else ("utf-8-sig", "cp1252")
    for encoding in encodings:
        try:
            return content.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise RatingError(f"{path.name} is no text file: save it as 'CSV UTF-8'")
