import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.errors import ParameterError
from lib.metrics.lengths import (
    SQL_BINS,
    TEXT_BINS,
    Lengths,
    bins_of,
    cumulative_rows,
    largest_gap,
    length_rows,
    lengths_of,
    mean,
    shares,
    statements,
)
from lib.records import Pair

SHORT, LONG = Lengths((10, 10), (5, 5)), Lengths((20, 40), (10, 20))
EMPTY = Lengths((), ())


def pair(sql: str, text: str) -> Pair:
    return Pair("a:SELECT", "a", "db", ("SELECT",), sql, text, 1, "train", {})


def test_lengths_count_a_quoted_text_once_and_empty_texts_as_none():
    found = lengths_of(iter([pair("SELECT a FROM t WHERE b = 'New York'", "the a in New York"), pair("WHERE b", "")]))
    assert found == Lengths((8, 2), (5, 0))


@pytest.mark.parametrize("bins", [SQL_BINS, TEXT_BINS])
@given(values=st.lists(st.integers(0, 200), min_size=1))
def test_shares_sum_to_one(bins, values):
    assert sum(shares(values, bins)) == pytest.approx(1)


def test_bounds_belong_to_the_upper_bin():
    assert shares([9, 10, 59, 60], SQL_BINS) == [0.25, 0.25, 0, 0, 0, 0.25, 0.25]
    assert shares([], SQL_BINS) == [0] * 7


def test_rows_leave_out_empty_parts():
    rows = length_rows({"train": SHORT, "validation": EMPTY, "test": LONG}, "sql")
    assert [row["part"] for row in rows] == ["train", "test"]
    assert (rows[1]["pairs"], rows[1]["mean"], rows[1]["median"], rows[1]["20–29 (%)"]) == (2, 30, 30, 50)
    assert "0–4 (%)" in length_rows({"train": SHORT}, "text")[0]


def test_cumulative_shares_rise_to_all():
    rows = cumulative_rows({"train": SHORT, "test": LONG, "validation": EMPTY}, (5, 10, 40))
    assert [row["sql train"] for row in rows] == [0, 100, 100]
    assert [row["sql test"] for row in rows] == [0, 0, 100]
    assert "sql validation" not in rows[0]


@given(st.lists(st.integers(0, 9), min_size=1), st.lists(st.integers(0, 9), min_size=1))
def test_the_gap_is_a_distance(first, second):
    assert 0 <= largest_gap(first, second) == largest_gap(second, first) <= 1
    assert largest_gap(first, first) == 0


@pytest.mark.parametrize(
    ("name", "parts", "holds"),
    [
        ("spider", {"train": SHORT, "dev": SHORT}, True),
        ("spider", {"train": SHORT, "dev": LONG}, False),
        ("spider", {"train": SHORT, "dev": Lengths((10, 10), (9, 9))}, False),
        ("spidercompose", {"train": SHORT, "validation": LONG, "test": LONG}, True),
        ("spidercompose", {"train": SHORT, "validation": LONG, "test": SHORT}, False),
        ("template", {"train": SHORT, "validation": SHORT, "test": LONG}, False),
        ("template", {"train": SHORT, "validation": EMPTY, "test": SHORT}, True),
        ("tmcd", {"train": LONG, "validation": SHORT, "test": SHORT}, True),
        ("tmcd", {"train": SHORT, "validation": SHORT, "test": SHORT}, False),
    ],
)
def test_statements_of_the_paper(name, parts, holds):
    found = statements({name: parts})
    assert [(one.dataset, one.holds) for one in found] == [(name, holds)]
    assert "train" in found[0].found


def test_nothing_is_said_of_what_is_not_there():
    assert statements({}) == statements({"tmcd": {"train": SHORT, "test": EMPTY}}) == []
    with pytest.raises(ParameterError, match="no lengths to average"):
        mean(())
    with pytest.raises(ParameterError, match="unknown measure 'sq'"):
        bins_of("sq")
