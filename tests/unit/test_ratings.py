"""What is put before raters: blind, in other orders, the same for all systems."""

from collections import Counter
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.corpora import open_corpus
from lib.errors import ParameterError
from lib.metrics.ratings import (
    LEVELS,
    QUESTIONS,
    RUBRIC,
    SCALES,
    Rating,
    Ratings,
    by_clauses,
    choose,
    order_for,
    shown,
    shown_sql,
    still_written,
)
from lib.records import Pair
from lib.sql_tokens import lex


def pair(number: int, clauses: int = 3, sql: str = "") -> Pair:
    sql = sql or f"SELECT a FROM t WHERE b = {number}"
    return Pair(
        f"dev-{number}", f"dev-{number}", "db", ("SELECT",), sql, f"Which a has b {number} ?", clauses, "dev", {}
    )


PAIRS = [pair(i, 3 if i % 4 else 4) for i in range(40)]
TEXTS = {
    "people": [p.text for p in PAIRS],
    "model": [f"which a has {i % 3} ?" for i in range(40)],
    "copier": [p.text.lower() if i % 2 else f"list all a {i}" for i, p in enumerate(PAIRS)],
}


def plain(items):
    return [item for item in items if not item.repeat_of]


def test_rubric_has_five_anchors_a_scale_each_said_once():
    assert set(QUESTIONS) == set(RUBRIC) == set(SCALES)
    for anchors in RUBRIC.values():
        assert sorted(anchors) == list(LEVELS)
        assert len(set(anchors.values())) == len(LEVELS)


def test_of_each_chosen_pair_all_systems_are_rated():
    items = choose(TEXTS, PAIRS, 30, seed=1)
    systems = {}
    for item in plain(items):
        systems.setdefault(item.pair, []).extend(item.systems)
    assert all(sorted(found) == sorted(TEXTS) for found in systems.values())
    assert 30 - len(TEXTS) < len(plain(items)) <= 30


def test_what_two_systems_wrote_alike_is_rated_once_for_both():
    items = choose(TEXTS, PAIRS, 120, seed=1)
    shared = [item for item in items if len(item.systems) > 1]
    assert len(shared) >= 20
    assert {item.systems for item in shared} == {("copier", "people")}
    assert len({(item.pair, item.text) for item in plain(items)}) == len(plain(items))


def test_texts_do_not_show_by_capitals_or_blanks_who_wrote_them():
    items = choose(TEXTS, PAIRS, 30, seed=1)
    assert all(item.text == item.text.lower() and " ?" not in item.text for item in items)


def test_numbers_are_random_to_systems_and_pairs():
    items = choose(TEXTS, PAIRS, 1000, seed=1, repeats=0)
    assert [item.number for item in items] == list(range(1, len(items) + 1))
    first, second = items[: len(items) // 2], items[len(items) // 2 :]
    halves = [Counter(system for item in half for system in item.systems) for half in (first, second)]
    assert all(abs(halves[0][system] - halves[1][system]) <= 16 for system in TEXTS)  # 40 texts each
    assert [item.pair for item in items] != sorted(item.pair for item in items)


def test_same_seed_same_items_another_seed_others():
    turned = dict(reversed(TEXTS.items()))
    assert choose(TEXTS, PAIRS, 30, seed=1) == choose(turned, PAIRS, 30, seed=1) != choose(TEXTS, PAIRS, 30, seed=2)


def test_numbers_of_clauses_come_in_proportion_and_each_at_least_once():
    pairs = [pair(i, 3 if i < 36 else 4 if i < 39 else 5) for i in range(40)]
    texts = {"one": [p.text for p in pairs]}
    assert by_clauses(choose(texts, pairs, 40, seed=3)) == {3: 36, 4: 3, 5: 1}
    half = by_clauses(choose(texts, pairs, 20, seed=3))
    assert half[5] == 1
    assert half[4] in (1, 2)
    assert sum(half.values()) == 20
    assert by_clauses(choose(texts, pairs, 3, seed=3)) == {3: 1, 4: 1, 5: 1}


def test_of_pairs_with_one_sql_one_is_rated():
    pairs = [pair(i, sql=f"SELECT {i % 5}") for i in range(20)]
    items = choose({"one": [p.text for p in pairs]}, pairs, 20, seed=1)
    assert sorted(item.sql for item in plain(items)) == [f"SELECT {i}" for i in range(5)]


def test_repeats_have_numbers_of_their_own_and_come_in_the_other_half():
    items = choose(TEXTS, PAIRS, 30, seed=1, repeats=5)
    by_number = {item.number: item for item in items}
    repeats = [item for item in items if item.repeat_of]
    assert len(repeats) == len({item.repeat_of for item in repeats}) == 5
    for item in repeats:
        model = by_number[item.repeat_of]
        assert (model.pair, model.text, model.repeat_of) == (item.pair, item.text, None)
        assert model.number != item.number
    order = [item.number for item in order_for(items, "rater-1", 1)]
    assert all(order.index(item.repeat_of) < len(order) / 2 < order.index(item.number) + 1 for item in repeats)


@given(st.integers(1, 30), st.integers(0, 8), st.integers(0, 10_000))
def test_orders_hold_every_item_once_and_no_repeat_beside_its_model(count, repeats, seed):
    pairs = PAIRS[:count]
    items = choose({"one": [p.text for p in pairs]}, pairs, 30, seed, repeats)
    order = order_for(items, "anna", seed)
    assert sorted(item.number for item in order) == [item.number for item in items]
    if len(items) > 3:
        assert all(second.repeat_of != first.number for first, second in pairwise(order))


def test_raters_see_other_orders():
    items = choose(TEXTS, PAIRS, 30, seed=1)
    assert order_for(items, "rater-1", 1) == order_for(items, "rater-1", 1) != order_for(items, "rater-2", 1)


@pytest.mark.parametrize(
    ("texts", "pairs", "items", "message"),
    [
        ({}, PAIRS, 10, "nothing to rate"),
        (TEXTS, [], 10, "nothing to rate"),
        ({"one": ["a"]}, PAIRS, 10, "'one' has 1 texts for 40 pairs"),
        (TEXTS, PAIRS, 0, "'items' must be at least 1"),
        (
            {"one": ["a"], "two": ["b"], "three": ["c"]},
            PAIRS[:1],
            2,
            "'items' must be at least 3, the texts of one pair",
        ),
    ],
    ids=["no system", "no pair", "texts missing", "none", "too few for a pair"],
)
def test_what_cannot_be_chosen(texts, pairs, items, message):
    with pytest.raises(ParameterError, match=message):
        choose(texts, pairs, items, seed=1)


def test_a_text_that_is_empty_is_an_item_too():
    items = choose({"one": [""], "two": ["  "]}, PAIRS[:1], 5, seed=1, repeats=0)
    assert [(item.text, item.systems) for item in items] == [("", ("one", "two"))]


def test_shown_leaves_no_trace_of_the_form():
    forms = ['What "b" has Anna\'s a ?', "what `` b '' has anna 's a ?", 'What "b"  has Anna\'s a?']
    assert len(set(map(shown, forms))) == 1


def test_shown_sql_is_the_same_sql():
    queries = {example.query for example in open_corpus("builtin").examples("dev")}
    assert len(queries) > 100
    for query in queries:
        assert [token.text for token in lex(shown_sql(query))] == [token.text for token in lex(query)]


def test_texts_that_a_system_writes_no_more_are_left_out_and_counted():
    items = choose(TEXTS, PAIRS, 120, seed=1)
    ratings = Ratings(items, ("anna",), (Rating("anna", 1, 4, 4, ""),))
    assert still_written(ratings, TEXTS, PAIRS) == (ratings, 0)
    now = TEXTS | {"model": ["something else"] * 40}
    kept, gone = still_written(ratings, now, PAIRS)
    assert gone == 40
    assert not [item for item in kept.items if "model" in item.systems]
    assert [item for item in kept.items if "people" in item.systems]
    without = {name: texts for name, texts in TEXTS.items() if name != "model"}
    assert still_written(ratings, without, PAIRS) == (kept, 40)
    assert kept.ratings == ratings.ratings


def test_values_are_those_that_were_given():
    items = choose(TEXTS, PAIRS, 10, seed=1)
    said = (Rating("anna", 1, 4, None, ""), Rating("ben", 1, 2, 5, ""))
    ratings = Ratings(items, ("anna", "ben"), said)
    assert ratings.values("fluency") == {("anna", 1): 4, ("ben", 1): 2}
    assert ratings.values("adequacy") == {("ben", 1): 5}
    assert replace(ratings, ratings=()).values("fluency") == {}
