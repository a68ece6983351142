"""Krippendorff's alpha against published examples, a naive reference, and its ends."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from lib.errors import ParameterError
from lib.metrics.agreement import (
    DISTANCES,
    alpha,
    alpha_interval,
    alpha_of,
    between_raters,
    repeats_of,
    with_themselves,
)
from lib.metrics.ratings import Item, Rating, Ratings


def values_of(*rows):
    """Ratings from one text a rater, a character an item, `.` where there is none."""
    return {
        (f"rater {who}", item): int(mark)
        for who, row in enumerate(rows)
        for item, mark in enumerate(row.split())
        if mark != "."
    }


# Krippendorff, Computing Krippendorff's Alpha-Reliability (2011), example C: 4 observers, 12 units.
COMPUTING = values_of(
    "1 2 3 3 2 1 4 1 2 . . .",
    "1 2 3 3 2 2 4 1 2 5 . 3",
    ". 3 3 3 2 3 4 2 2 5 1 .",
    "1 2 3 3 2 4 4 1 2 5 1 .",
)
# Hayes and Krippendorff's three coders of fifteen units, as in the article on alpha of the English Wikipedia.
CODERS = values_of(
    ". . . . . 3 4 1 2 1 1 3 3 . 3",
    "1 . 2 1 3 3 4 3 . . . . . . .",
    ". . 2 1 3 4 4 . 2 1 1 3 3 . 4",
)


@pytest.mark.parametrize(
    ("values", "distance", "published", "items"),
    [(COMPUTING, "ordinal", 0.815, 11), (COMPUTING, "interval", 0.849, 11), (CODERS, "interval", 0.811, 12)],
    ids=["2011 ordinal", "2011 interval", "coders interval"],
)
def test_published_examples(values, distance, published, items):
    found = alpha(values, distance)
    assert found.value == pytest.approx(published, abs=0.0005)
    assert (found.items, found.reason) == (items, "")


def test_an_example_by_hand():
    """Units 11, 12, 22: observed (0 + 2 + 0) / 6; expected 2 * 3 * 3 / (6 * 5); alpha 1 - (1/3) / (3/5) = 4/9."""
    found = alpha(values_of("1 1 2", "1 2 2"), "interval")
    assert found.value == pytest.approx(4 / 9)
    assert alpha(values_of("1 1 2", "1 2 2"), "ordinal").value == pytest.approx(4 / 9)  # two values: one distance


def naive(values, distance):
    """Alpha from the matrix of coincidences, written as loops (Krippendorff 2011, sections C and D)."""
    units = {}
    for (_, item), value in values.items():
        units.setdefault(item, []).append(value)
    levels = range(1, 6)
    matrix = {(c, k): 0.0 for c in levels for k in levels}
    for unit in units.values():
        for i, c in enumerate(unit):
            for j, k in enumerate(unit):
                if i != j:
                    matrix[c, k] += 1 / (len(unit) - 1)
    n_of = {c: sum(matrix[c, k] for k in levels) for c in levels}
    n = sum(n_of.values())

    def delta(c, k):
        if distance == "interval":
            return (c - k) ** 2
        c, k = min(c, k), max(c, k)
        return (sum(n_of[g] for g in range(c, k + 1)) - (n_of[c] + n_of[k]) / 2) ** 2

    observed = sum(matrix[c, k] * delta(c, k) for c in levels for k in levels)
    expected = sum(n_of[c] * n_of[k] * delta(c, k) for c in levels for k in levels) / (n - 1)
    return 1 - observed / expected


RATED = st.dictionaries(st.tuples(st.sampled_from(["anna", "ben", "chen"]), st.integers(1, 8)), st.integers(1, 5))


@given(RATED, st.sampled_from(sorted(DISTANCES)))
def test_against_the_naive_reference(values, distance):
    found = alpha(values, distance)
    assume(found.value is not None)
    assert found.value == pytest.approx(naive(values, distance))
    assert found.value <= 1


@given(RATED)
def test_either_a_value_or_a_reason(values):
    found = alpha(values)
    assert (found.value is None) == bool(found.reason)


@pytest.mark.parametrize(
    ("values", "reason", "items"),
    [
        ({}, "no ratings yet", 0),
        (values_of("1 2 3"), "only one rater", 0),
        (values_of("1 2 . .", ". . 3 4"), "no text was rated by two people", 0),
        (values_of("4 4 4", "4 4 4"), "all ratings are 4, so that chance alone would agree as well", 3),
        (values_of("4 4 1", "4 4 ."), "all ratings are 4, so that chance alone would agree as well", 2),
    ],
    ids=["none", "one rater", "no overlap", "all equal", "all equal where two rated"],
)
def test_where_it_is_not_defined(values, reason, items):
    found = alpha(values)
    assert (found.value, found.reason, found.items) == (None, reason, items)


def test_both_ends_of_the_scale():
    assert alpha(values_of("1 2 3 4 5", "1 2 3 4 5")).value == 1
    assert alpha(values_of("1 5 1 5", "5 1 5 1")).value < 0


@given(RATED, st.sampled_from(sorted(DISTANCES)))
def test_the_quick_alpha_is_that_of_nltk(values, distance):
    found = alpha(values, distance)
    assume(found.value is not None)
    often = Counter(item for _, item in values)
    sums = np.zeros((5, 5))
    for (one, item), first in values.items():
        for (other, same), second in values.items():
            if item == same and one != other:
                sums[first - 1, second - 1] += 1 / (often[item] - 1)
    assert alpha_of(sums.ravel(), distance) == pytest.approx(found.value)


def test_interval_holds_the_value_and_shrinks_with_more_texts():
    few, many = (values_of("1 2 3 4 5 5 4 1 " * times, "1 3 3 4 4 5 2 1 " * times) for times in (2, 12))
    low, high = alpha_interval(few)
    assert low < alpha(few).value < high <= 1
    narrow = alpha_interval(many)
    assert narrow[1] - narrow[0] < (high - low) / 1.5
    assert narrow == pytest.approx(alpha_interval(many, "interval"), abs=0.1)


def test_unknown_distance():
    with pytest.raises(ParameterError, match="unknown distance 'ordnal': did you mean 'ordinal'"):
        alpha({}, "ordnal")


ITEMS = tuple(Item(n, 1 if n == 4 else None, f"p{n}", "SELECT a", 3, "t", ("m",)) for n in range(1, 5))


def ratings_of(*rows):
    said = [Rating(rater, item, fluency, adequacy, "") for rater, item, fluency, adequacy in rows]
    return Ratings(ITEMS, tuple(sorted({rating.rater for rating in said})), tuple(said))


def test_repeats_do_not_count_between_raters():
    rows = [("anna", 1, 1, 1), ("anna", 2, 2, 3), ("ben", 1, 1, 1), ("ben", 2, 2, 3)]
    spoiled = [*rows, ("anna", 4, 5, 5), ("ben", 4, 1, 1)]
    table = between_raters(ratings_of(*spoiled))
    assert table["alpha"].tolist() == [1.0] * 4
    assert table["texts rated by two or more"].tolist() == [2] * 4
    assert repeats_of(ITEMS) == {4: 1}


def test_without_ratings_the_table_says_why():
    table = between_raters(Ratings(ITEMS, ("anna", "ben"), ()))
    assert table["alpha"].isna().all()
    assert set(table["remark"]) == {"not defined: no ratings yet"}


def test_raters_and_themselves():
    table = with_themselves(ratings_of(("anna", 1, 5, 2), ("anna", 4, 5, 4), ("anna", 3, 1, None), ("ben", 4, 1, 1)))
    rows = table.set_index(["rater", "scale"])
    assert rows.loc[("anna", "fluency"), ["texts rated", "rated twice", "same %", "mean distance"]].tolist() == [
        2, 1, 100, 0]  # fmt: skip
    assert rows.loc[("anna", "adequacy"), ["rated twice", "same %", "mean distance"]].tolist() == [1, 0, 2]
    assert rows.loc[("ben", "fluency"), ["texts rated", "rated twice"]].tolist() == [0, 0]
    assert rows.loc[("ben", "fluency"), ["same %", "mean distance"]].isna().all()
