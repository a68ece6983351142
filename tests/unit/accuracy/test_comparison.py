"""Column mapping and order, against brute force; and what they cost."""

import random
import sqlite3
from collections import Counter
from itertools import permutations
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from lib.accuracy.comparison import compare, first_difference
from lib.accuracy.evaluation import evaluate
from lib.accuracy.golden import Golden
from lib.accuracy.mapping import Table, Target, find_mapping
from lib.accuracy.naming import columns_fit
from lib.accuracy.outline import outline
from lib.accuracy.overlap import overlap
from lib.accuracy.records import Result, Settings
from lib.accuracy.tolerance import merged
from lib.accuracy.views import bird_like, suite_like

WIDTHS = some.integers(1, 4)
CELLS = some.sampled_from([0, 1, "a", None])


def tables(width: int):
    return some.lists(some.tuples(*[CELLS] * width), min_size=1, max_size=5)


@some.composite
def two_tables(draw):
    """Golden rows, generated rows and their widths; often the second is a shuffle of the first."""
    width, more = draw(WIDTHS), draw(some.integers(0, 1))
    gold = draw(tables(width))
    if draw(some.booleans()):
        return gold, draw(tables(width + more)), width, width + more
    order = draw(some.permutations(range(width)))
    rows = draw(some.permutations(gold))
    return gold, [tuple(row[place] for place in order) + (draw(CELLS),) * more for row in rows], width, width + more


def picks(pred: list[tuple], width: int, wide: int):
    """Generated rows under each mapping of columns."""
    for places in permutations(range(wide), width):
        yield [tuple(row[place] for place in places) for row in pred]


def table(rows) -> Table:
    return Table(rows, [0] * len(rows))


@given(two_tables())
@settings(max_examples=300)
def test_mapping_is_what_trying_all_permutations_finds(pair):
    gold, pred, width, wide = pair
    found = find_mapping(Target(table(gold), table(gold), width), table(pred), wide)
    assert (found is not False) == any(Counter(rows) == Counter(gold) for rows in picks(pred, width, wide))
    if found:
        assert Counter(tuple(row[place] for place in found) for row in pred) == Counter(gold)


@given(two_tables())
@settings(max_examples=200)
def test_containment_is_what_trying_all_permutations_finds(pair):
    gold, pred, width, wide = pair
    among = find_mapping(Target(table(gold), None, width), table(pred), wide)
    assert (among is not False) == any(Counter(rows) <= Counter(gold) for rows in picks(pred, width, wide))
    holds = find_mapping(Target(None, table(gold), width), table(pred), wide)
    assert (holds is not False) == any(Counter(gold) <= Counter(rows) for rows in picks(pred, width, wide))


def golden(rows, columns=None, sql="SELECT a FROM t", ordered=False, **rest) -> Golden:
    columns = columns or tuple(f"c{place}" for place in range(len(rows[0])))
    return Golden(sql, Result("ok", columns, rows), outline(sql), ordered, (), **rest)


def result(rows) -> Result:
    return Result("ok", tuple(f"c{place}" for place in range(len(rows[0]))), rows)


@given(two_tables())
def test_matches_agree_with_each_other(pair):
    gold, pred, width, wide = pair
    seen = compare(golden(gold), result(pred), Settings())
    if seen.exact:
        assert {seen.contains, seen.subset, seen.superset, seen.lenient} == {True}
    if width == wide and len(gold) == len(pred):
        assert seen.exact == seen.contains
    if seen.subset and seen.superset:
        assert seen.exact
    assert (first_difference(golden(gold), result(pred), seen) is None) == (seen.exact is True)


@given(two_tables())
def test_comparison_is_symmetric(pair):
    gold, pred, *_ = pair
    there, back = compare(golden(gold), result(pred), Settings()), compare(golden(pred), result(gold), Settings())
    assert (there.exact, there.lenient, there.subset, there.superset) == (
        back.exact,
        back.lenient,
        back.superset,
        back.subset,
    )


def test_look_alike_columns_cost_milliseconds():
    """Twenty flags: shuffled ones are found, others told apart or left undecided, all under 50 ms of this process."""
    generator = random.Random(7)
    for rows in (12, 40, 200):
        gold = [tuple(generator.randint(0, 1) for _ in range(20)) for _ in range(rows)]
        order = generator.sample(range(20), 20)
        shuffled = [tuple(row[place] for place in order) for row in generator.sample(gold, rows)]
        started = process_time()
        assert compare(golden(gold), result(shuffled), Settings()).exact is True
        assert process_time() - started < 0.05 + rows * 0.0005


@pytest.mark.parametrize("shape", ["circulant", "latin", "two cycles"])
def test_regular_columns_end_within_the_budget(shape):
    gold, pred = regular(shape)
    started = process_time()
    seen = compare(golden(gold), result(pred), Settings(tolerance=0))
    assert process_time() - started < 0.15  # three searches: exact, subset, superset, each under 50 ms
    assert seen.exact in (None, shape == "circulant")
    started = process_time()
    find_mapping(Target(table(gold), table(gold), 20), table(pred), 20)
    assert process_time() - started < 0.05


def regular(shape: str) -> tuple[list, list]:
    """Twenty columns that no count tells apart."""
    n = 20
    if shape == "circulant":
        gold = [tuple(int((place - row) % n in (0, 1, 5)) for place in range(n)) for row in range(n)]
        return gold, [row[7:] + row[:7] for row in gold[::-1]]
    if shape == "latin":
        gold = [tuple((row + place) % n for place in range(n)) for row in range(n)]
        return gold, [tuple((row * 3 + place * (1 if row % 2 else 7)) % n for place in range(n)) for row in range(n)]
    gold = [tuple(int((place - row) % n in (0, 1)) for place in range(n)) for row in range(n)]  # one cycle of 20
    half = [tuple(int((place - row) % 10 in (0, 1)) for place in range(10)) for row in range(10)]  # two of 10
    return gold, [row + (0,) * 10 for row in half] + [(0,) * 10 + row for row in half]


@pytest.mark.slow
def test_a_million_rows(tmp_path):
    path = tmp_path / "big.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE t(a INTEGER, b TEXT)")
        numbers = ((n, f"v{n % 1000}") for n in range(1_000_000))
        connection.executemany("INSERT INTO t VALUES (?, ?)", numbers)
    connection.close()
    for pred, exact in (("SELECT a, b FROM t ORDER BY b, a", True), ("SELECT a, b FROM t WHERE a < 999999", False)):
        started = process_time()
        seen = evaluate("SELECT a, b FROM t", pred, f"sqlite:{path}")
        assert (seen.exact, seen.gold_rows) == (exact, 1_000_000)
        assert process_time() - started < 12  # both queries and the comparison, on a busy machine


@pytest.mark.parametrize(
    ("sql", "ordered", "keys", "limit", "offset"),
    [
        ("SELECT a FROM t", False, [], None, 0),
        ("SELECT a FROM t ORDER BY a DESC NULLS LAST, b COLLATE x", True, ["a", "b COLLATE x"], None, 0),
        ("SELECT 'order by x' FROM t -- ORDER BY y", False, [], None, 0),
        ("SELECT rank() OVER (ORDER BY a) FROM t", False, [], None, 0),
        ("SELECT a FROM (SELECT a FROM t ORDER BY a LIMIT 3)", False, [], None, 0),
        ("WITH x AS (SELECT 1 ORDER BY 1) SELECT * FROM x", False, [], None, 0),
        ("SELECT a FROM t UNION SELECT b FROM u ORDER BY 1", True, ["1"], None, 0),
        ("(SELECT a FROM t ORDER BY a LIMIT 3);", True, ["a"], 3, 0),
        ("SELECT a FROM t LIMIT 2, 5", False, [], 5, 2),
        ("SELECT a FROM t LIMIT 5 OFFSET 2", False, [], 5, 2),
        ("SELECT a FROM t OFFSET 2 ROWS FETCH NEXT 5 ROWS ONLY", False, [], 5, 2),
        ("SELECT a FROM t FETCH FIRST ROW ONLY", False, [], 1, 0),
        ("SELECT a FROM t ORDER BY (SELECT b LIMIT 1) LIMIT 1+1", True, ["(SELECT b LIMIT 1)"], None, 0),
        ("SELECT t.order, [order by] FROM t", False, [], None, 0),
    ],
)  # fmt: skip
def test_outline(sql, ordered, keys, limit, offset):
    seen = outline(sql)
    assert (seen.ordered, [key.text for key in seen.keys], seen.limit, seen.offset) == (ordered, keys, limit, offset)


@pytest.mark.parametrize(
    ("sql", "items"),
    [
        ("SELECT DISTINCT a, sum(b) AS n, t.c FROM t", [("a", ""), ("sum(b)", "n"), ("t.c", "")]),
        ("SELECT CASE WHEN a THEN 1 END x, 'b' \"y\" FROM t", [("CASE WHEN a THEN 1 END", "x"), ("'b'", "y")]),
        ("SELECT a IS NOT NULL, f(a, b), * FROM t", [("a IS NOT NULL", ""), ("f(a, b)", ""), ("*", "")]),
        ("SELECT 1", [("1", "")]),
        ("VALUES (1)", []),
    ],
)  # fmt: skip
def test_select_list(sql, items):
    assert [(item.text, item.alias) for item in outline(sql).items] == items


@pytest.mark.parametrize(
    ("gold", "pred", "further", "fits"),
    [
        ("SELECT T1.name FROM t AS T1", "SELECT name FROM t", False, True),
        ("SELECT name AS n FROM t", "SELECT t.name FROM t", False, True),
        ("SELECT a, b FROM t", "SELECT b, a FROM t", False, True),
        ("SELECT a, a FROM t", "SELECT a, b FROM t", False, False),
        ("SELECT a FROM t", "SELECT b, a FROM t", True, True),
        ("SELECT a FROM t", "SELECT b, a FROM t", False, False),
        ("SELECT count(*) FROM t", "SELECT sum(a) FROM t", False, False),
    ],
)
def test_columns_of_empty_results(gold, pred, further, fits):
    names = [tuple(item.alias or item.text.split(".")[-1] for item in outline(sql).items) for sql in (gold, pred)]
    assert columns_fit(names[0], gold, names[1], pred, further) is fits


def test_tolerance_never_merges_integers():
    assert merged([(10**10,)], [(10**10 + 1,)], 1e-9) is None
    assert merged([(10**10, 1.0)], [(10**10 + 1, 1.0)], 1e-9) is None
    moved = merged([(10**10,), (10**10 + 1,)], [(10**10 + 0.25,), (10**10 + 1,)], 1e-9)
    assert moved[1] == [(10**10,), (10**10 + 1,)]


@given(
    some.lists(some.floats(-1e6, 1e6), min_size=1, max_size=6),
    some.lists(some.floats(-1e-13, 1e-13), min_size=6, max_size=6),
)
def test_noise_is_forgiven(values, noise):
    gold = [(value,) for value in values]
    pred = [(value * (1 + part),) for value, part in zip(values, noise, strict=False)]
    assert compare(golden(gold), result(pred[::-1]), Settings()).exact


def test_views_part_where_they_should():
    twice, once = [(1,), (1,)], [(1,)]
    assert bird_like(overlap(twice, once))
    assert not agrees("SELECT a FROM t", twice, once)
    assert not bird_like(overlap([(1, 2)], [(2, 1)]))
    assert agrees("SELECT a, b FROM t", [(1, 2)], [(2, 1)])
    assert agrees("SELECT a FROM t", [], [])
    assert not agrees("SELECT 'order by'", [(1,), (2,)], [(2,), (1,)])


def agrees(sql: str, gold: list[tuple], pred: list[tuple]):
    return suite_like(sql, gold, pred, overlap(gold, pred))
