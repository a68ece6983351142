"""Sheets out and in: what spreadsheets do to them is understood, what is wrong is named by file, row and column."""

import csv
import io
import json

import pytest

from lib.errors import ParameterError, RatingError
from lib.metrics.rating_sheets import (
    COLUMNS,
    KEY,
    make_sheets,
    read_key,
    read_ratings,
    read_sheet,
    used_sheets,
    write_sheet,
)
from lib.metrics.ratings import Item, Rating

ITEMS = (
    Item(1, None, "dev-1:SELECT", "SELECT a", 3, "which a are there?", ("people",)),
    Item(2, None, "dev-1:SELECT", "SELECT a", 3, 'list "a", b; and c', ("model", "copier")),
    Item(3, 1, "dev-1:SELECT", "SELECT a", 3, "which a are there?", ("people",)),
)
HEADER = "item,text,fluency,adequacy"
GOOD = ["1,which a are there?,5,4", '2,"list ""a"", b; and c",3,3', "3,which a are there?,5,5"]


def sheet(tmp_path, lines, name="anna.csv", encoding="utf-8"):
    path = tmp_path / name
    path.write_bytes("\n".join(lines).encode(encoding))
    return path


def values(ratings):
    return [(rating.item, rating.fluency, rating.adequacy) for rating in ratings]


def test_sheets_and_key_are_made(tmp_path):
    assert make_sheets(tmp_path, ITEMS, 2, 1) == ITEMS
    assert sorted(path.name for path in tmp_path.iterdir()) == [KEY, "rater-1.csv", "rater-2.csv"]
    assert read_key(tmp_path) == ITEMS
    found = read_ratings(tmp_path)
    assert (found.items, found.raters, found.ratings) == (ITEMS, ("rater-1", "rater-2"), ())


def test_a_sheet_names_no_system_no_pair_and_no_repeat(tmp_path):
    make_sheets(tmp_path, ITEMS, 1, 1)
    content = (tmp_path / "rater-1.csv").read_text(encoding="utf-8-sig")
    rows = list(csv.reader(io.StringIO(content)))
    assert rows[0] == list(COLUMNS)
    assert all(row[3:] == ["", "", ""] for row in rows[1:])
    for secret in ("people", "model", "copier", "dev-1", "repeat"):
        assert secret not in content


def test_same_seed_same_bytes(tmp_path):
    for name in ("one", "two"):
        make_sheets(tmp_path / name, ITEMS, 2, 1)
    for path in (tmp_path / "one").iterdir():
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes()


def fill(path, items=ITEMS):
    write_sheet(path, items, [Rating(path.stem, item.number, 4, None, "") for item in items])


def test_what_somebody_has_rated_is_never_replaced(tmp_path):
    make_sheets(tmp_path, ITEMS, 2, 1)
    assert make_sheets(tmp_path, ITEMS[:2], 2, 1) == ITEMS[:2]  # nothing was rated
    assert read_ratings(tmp_path).items == ITEMS[:2]
    fill(tmp_path / "rater-2.csv", ITEMS[:2])
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert make_sheets(tmp_path, ITEMS, 3, 1) == ITEMS[:2]
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    make_sheets(tmp_path, ITEMS[:2], 3, 1)  # the same items: only the missing sheet is made
    assert read_ratings(tmp_path).raters == ("rater-1", "rater-2", "rater-3")
    assert len(read_ratings(tmp_path).ratings) == 2


@pytest.mark.parametrize("spoiled", ["item;text\n1;x\n", "no sheet at all", ""])
def test_a_sheet_that_cannot_be_read_is_not_replaced_either(tmp_path, spoiled):
    make_sheets(tmp_path, ITEMS, 1, 1)
    (tmp_path / "rater-1.csv").write_text(spoiled)
    assert make_sheets(tmp_path, ITEMS[:1], 1, 1) == ITEMS
    assert (tmp_path / "rater-1.csv").read_text() == spoiled


def test_sheets_on_which_somebody_has_begun(tmp_path):
    assert used_sheets(tmp_path / "nowhere") == []
    make_sheets(tmp_path, ITEMS, 3, 1)
    assert used_sheets(tmp_path) == []
    fill(tmp_path / "rater-2.csv")
    (tmp_path / "rater-3.csv").write_text("spoiled")
    assert [path.name for path in used_sheets(tmp_path)] == ["rater-2.csv", "rater-3.csv"]
    (tmp_path / KEY).write_text("spoiled\n")
    assert len(used_sheets(tmp_path)) == 3


def test_a_remark_alone_counts_as_begun(tmp_path):
    make_sheets(tmp_path, ITEMS, 1, 1)
    write_sheet(tmp_path / "rater-1.csv", ITEMS, [Rating("rater-1", i.number, None, None, "hm") for i in ITEMS])
    assert make_sheets(tmp_path, ITEMS[:1], 1, 1) == ITEMS
    assert read_ratings(tmp_path).ratings == ()


def test_no_sheet_for_nobody(tmp_path):
    with pytest.raises(ParameterError, match="'raters' must be at least 1"):
        make_sheets(tmp_path, ITEMS, 0, 1)
    assert list(tmp_path.iterdir()) == []


def test_no_cell_is_a_formula(tmp_path):
    item = Item(1, None, "p", "SELECT a", 3, '=hyperlink("x")', ("model",))
    write_sheet(tmp_path / "anna.csv", [item], [Rating("anna", 1, 1, 1, "-> bad")])
    rows = list(csv.reader(io.StringIO((tmp_path / "anna.csv").read_text(encoding="utf-8-sig"))))
    assert (rows[1][2], rows[1][5]) == ('\'=hyperlink("x")', "'-> bad")
    assert values(read_sheet(tmp_path / "anna.csv", [item])) == [(1, 1, 1)]


def delimited(lines, delimiter):
    rows = list(csv.reader(lines))
    buffer = io.StringIO()
    csv.writer(buffer, delimiter=delimiter, lineterminator="\n").writerows(rows)
    return buffer.getvalue().splitlines()


LINES = [HEADER, *GOOD]
EXCEL = delimited(LINES, ";")


@pytest.mark.parametrize(
    ("lines", "encoding"),
    [
        (LINES, "utf-8"),
        (LINES, "utf-8-sig"),
        (LINES, "utf-16"),
        (EXCEL, "utf-8-sig"),
        (EXCEL, "cp1252"),
        (["sep=;", *EXCEL], "utf-8"),
        ([line + "\r" for line in EXCEL], "utf-8"),
        ([*EXCEL, ";;;", ";;;"], "utf-8"),
        ([line + ";;" for line in EXCEL], "utf-8"),
        ([EXCEL[0].upper(), *EXCEL[1:]], "utf-8"),
        ([HEADER, "1,which a are there?,\"5,0\",4.0", *GOOD[1:]], "utf-8"),
        ([EXCEL[0], "1;which a are there?;5,0;4", *EXCEL[2:]], "utf-8"),
        ([HEADER, "1.0,Which a are there, 5 , 4 ", *GOOD[1:]], "utf-8"),
        (["adequacy,fluency,text,item,mine", "4,5,which a are there?,1,x", '3,3,"list a, b; and c",2,',
          "5,5,which a are there?,3,"], "utf-8"),
        (delimited(LINES, "\t"), "utf-16"),
    ],
    ids=["plain", "byte order mark", "utf-16", "semicolons", "old Excel", "sep line", "CRLF", "empty rows",
         "empty columns", "capitals", "4.0", "5,0", "blanks", "other order", "tabs"],
)  # fmt: skip
def test_what_spreadsheets_make_of_it(tmp_path, lines, encoding):
    assert values(read_sheet(sheet(tmp_path, lines, encoding=encoding), ITEMS)) == [(1, 5, 4), (2, 3, 3), (3, 5, 5)]


def test_letters_outside_ascii_survive_every_encoding(tmp_path):
    item = Item(1, None, "p", "SELECT a", 3, "café – größe?", ("model",))
    for encoding in ("utf-8", "cp1252", "utf-16"):
        path = sheet(tmp_path, [HEADER + ",remark", "1,café – größe?,1,2,schön"], encoding=encoding)
        assert read_sheet(path, [item])[0].remark == "schön"


def test_partly_filled(tmp_path):
    make_sheets(tmp_path, ITEMS, 1, 1)
    (tmp_path / "rater-1.csv").unlink()
    sheet(tmp_path, [HEADER, "1,which a are there?,5,", '2,"list ""a"", b; and c",,', "3,which a are there?"])
    found = read_ratings(tmp_path)
    assert values(found.ratings) == [(1, 5, None)]
    assert found.raters == ("anna",)
    assert values(read_sheet(tmp_path / "anna.csv", ITEMS)) == [(1, 5, None), (2, None, None), (3, None, None)]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("1,which a are there?,6,4", "row 2, column fluency: '6' is outside 1 to 5"),
        ("1,which a are there?,0,4", "row 2, column fluency: '0' is outside 1 to 5"),
        ("1,which a are there?,5,-1", "row 2, column adequacy: '-1' is outside 1 to 5"),
        ("1,which a are there?,5,3.5", "row 2, column adequacy: '3.5' is not a whole number"),
        ('1,which a are there?,"4,5",3', "row 2, column fluency: '4,5' is not a whole number"),
        ("1,which a are there?,good,3", "row 2, column fluency: 'good' is not a whole number"),
        ("1,which a are there?,nan,3", "row 2, column fluency: 'nan' is not a whole number"),
        (f"1,which a are there?,{'9' * 5000},3", "row 2, column fluency: '9999"),
        ("9,which a are there?,5,3", r"row 2, column item: '9' is no item of the key \(1 to 3\)"),
        ("x,which a are there?,5,3", "row 2, column item: 'x' is no item of the key"),
        (",which a are there?,5,3", "row 2, column item: is empty"),
        ("3,which a are there?,5,3", "row 4, column item: 3 is in row 2 already"),
        ("1,who are they?,5,3", "row 2, column text: is not the text of item 1 in key.jsonl"),
    ],
)
def test_every_fault_says_file_row_and_column(tmp_path, row, message):
    with pytest.raises(RatingError, match=f"anna.csv, {message}") as caught:
        read_sheet(sheet(tmp_path, [HEADER, row, *GOOD[1:]]), ITEMS)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (
            [],
            "row 1, column item and text and fluency and adequacy: missing; the header must be item, sql, text",
        ),
        (["item,text,fluency", "1,a,3"], "row 1, column adequacy: missing"),
        (["item,text,fluency,fluency,adequacy"], "row 1, column fluency: comes twice"),
        ([HEADER], "row 2, column item: missing after the last row: 1, 2, 3"),
        ([HEADER, *GOOD[:2]], "row 4, column item: missing after the last row: 3; put the rows back"),
    ],
    ids=["empty file", "no column", "column twice", "no rows", "row deleted"],
)
def test_what_is_missing(tmp_path, lines, message):
    with pytest.raises(RatingError, match=f"anna.csv, {message}"):
        read_sheet(sheet(tmp_path, lines), ITEMS)


def test_all_faults_are_named_at_once_but_not_without_end(tmp_path):
    items = [Item(i, None, f"p{i}", "SELECT a", 3, "a", ("m",)) for i in range(1, 10)]
    path = sheet(tmp_path, [HEADER, *(f"{i},a,7,3" for i in range(1, 10))])
    with pytest.raises(RatingError, match=r"row 2, .*row 6, .*; and 4 more$"):
        read_sheet(path, items)


def test_files_that_are_no_sheets(tmp_path):
    make_sheets(tmp_path, ITEMS, 1, 1)
    for name in (".~lock.rater-1.csv", "~$rater-1.csv", "notes.txt"):
        (tmp_path / name).write_text("x")
    assert read_ratings(tmp_path).raters == ("rater-1",)
    (tmp_path / "photo.csv").write_bytes(bytes(range(256)))
    with pytest.raises(RatingError, match=r"photo\.csv"):
        read_ratings(tmp_path)
    (tmp_path / "photo.csv").unlink()
    (tmp_path / "rater-1.CSV").write_text("x")
    with pytest.raises(RatingError, match="two sheets are called rater-1"):
        read_ratings(tmp_path)


def test_a_cell_without_end(tmp_path):
    with pytest.raises(RatingError, match=r"anna\.csv is not CSV"):
        read_sheet(sheet(tmp_path, [HEADER, '1,"' + "a" * 200_000]), ITEMS)


@pytest.mark.parametrize(
    "line",
    ["{", "[]", "{}", json.dumps({"number": "1"})],
    ids=["no JSON", "no object", "no item", "wrong type"],
)
def test_a_broken_key(tmp_path, line):
    (tmp_path / KEY).write_text(line + "\n")
    with pytest.raises(RatingError, match=r"key\.jsonl, record 0 \(line 1\): .*restore the key"):
        read_ratings(tmp_path)


def test_a_key_with_a_line_lost(tmp_path):
    make_sheets(tmp_path, ITEMS, 1, 1)
    lines = (tmp_path / KEY).read_text().splitlines(keepends=True)
    (tmp_path / KEY).write_text("".join(lines[1:]))
    with pytest.raises(RatingError, match=r"key\.jsonl does not hold the items 1 to 2"):
        read_ratings(tmp_path)


def test_no_key(tmp_path):
    with pytest.raises(RatingError, match="make the sheets first"):
        read_ratings(tmp_path)


def test_no_file(tmp_path):
    with pytest.raises(RatingError, match=r"cannot read .*nobody"):
        read_sheet(tmp_path / "nobody.csv", ITEMS)
