"""Intervals, tests and scores against values that other programs or the formulas give."""

import pytest
from hypothesis import given
from hypothesis import strategies as some

from lib.accuracy.breakdown import clause_count, constructs
from lib.accuracy.scores import accuracy_score, column_score, printed_row_score, row_score
from lib.accuracy.statistics import clustered_bootstrap, mcnemar, wilson


@pytest.mark.parametrize(
    ("right", "total", "low", "high"),
    [(0, 10, 0.0, 0.2775), (5, 10, 0.2366, 0.7634), (10, 10, 0.7225, 1.0), (81, 263, 0.2553, 0.3662), (0, 0, 0, 1)],
)  # 81 of 263: Newcombe 1998, table I
def test_wilson(right, total, low, high):
    assert wilson(right, total) == pytest.approx((low, high), abs=1e-4)


@pytest.mark.parametrize(
    ("gains", "losses", "p"), [(0, 0, 1), (5, 5, 1), (1, 9, 22 / 1024), (0, 6, 2 / 64), (9, 1, 22 / 1024)]
)
def test_mcnemar(gains, losses, p):
    assert mcnemar(gains, losses) == pytest.approx(p)


@given(
    some.dictionaries(
        some.text(max_size=3), some.lists(some.booleans(), min_size=1, max_size=6), min_size=1, max_size=5
    )
)
def test_bootstrap_stays_within_the_clusters(clusters):
    low, high = clustered_bootstrap(clusters, rounds=50)
    shares = [sum(values) / len(values) for values in clusters.values()]
    assert min(shares) - 1e-9 <= low <= high <= max(shares) + 1e-9
    assert (low, high) == clustered_bootstrap(dict(reversed(clusters.items())), rounds=50)


def test_bootstrap_without_clusters():
    assert clustered_bootstrap({}) == (0.0, 1.0)


def test_scores_of_the_article():
    names = ["id", "employee_name", "department", "salary"]
    rows = [(1, "a", "HR", 60000), (3, "c", "IT", 70000)]
    part, part_rows = ["employee_name", "id"], [("a", 1), ("c", 3)]
    shared = row_score(names, rows, part, part_rows)
    columns = column_score(names, part)
    assert (shared, columns, accuracy_score(shared, columns)) == (100.0, 50.0, 75.0)
    printed = printed_row_score(rows, part_rows)
    assert (printed, accuracy_score(printed, columns)) == (0.0, 25.0)


@pytest.mark.parametrize(
    ("gold", "gold_rows", "pred", "pred_rows", "rows", "columns"),
    [
        (["a"], [(1,)], ["b"], [(1,)], 0.0, 0.0),
        (["a"], [], ["A"], [], 100.0, 100.0),
        (["a"], [(1,), (2,)], ["a"], [(1,), (3,)], 100 / 3, 100.0),
        (["a", "a"], [(1, 2)], ["a"], [(1,)], 100.0, 50.0),
        (["a", "b"], [(1, 2)], ["b", "a"], [(2, 1)], 100.0, 100.0),
        (["a"], [(None,)], ["a"], [("",)], 0.0, 100.0),
    ],
    ids=["no shared column", "both empty", "one of three rows", "equal names", "order of columns", "NULL is not empty"],
)
def test_row_and_column_score(gold, gold_rows, pred, pred_rows, rows, columns):
    assert row_score(gold, gold_rows, pred, pred_rows) == pytest.approx(rows)
    assert column_score(gold, pred) == pytest.approx(columns)


@pytest.mark.parametrize(
    ("sql", "count", "names"),
    [
        ("SELECT a FROM t", 1, ()),
        ("SELECT 'join', max FROM t WHERE a LIKE 'x'", 2, ("like",)),
        ("SELECT count(*) FROM t GROUP BY a HAVING count(*) > 1 ORDER BY 1 LIMIT 2", 3,
         ("aggregate", "group by", "having", "order by", "limit")),
        ("SELECT a FROM t UNION SELECT a FROM u", 2, ("set operator",)),
        ("SELECT a FROM t WHERE (", None, ()),
    ],
)  # fmt: skip
def test_breakdown(sql, count, names):
    assert (clause_count(sql), constructs(sql)) == (count, names)
