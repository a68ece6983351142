"""Rewrites say the same: on real databases they give the golden result."""

import json
import random

import pytest

from lib.accuracy.chance import determined
from lib.accuracy.evaluation import evaluate
from lib.accuracy.rewrites import rewrites
from lib.paths import BUILTIN

CASES = {
    "sides": ("SELECT a FROM t WHERE b >= 5", "SELECT a FROM t WHERE 5 <= b"),
    "BETWEEN": ("SELECT a FROM t WHERE b BETWEEN 1 AND 5", "SELECT a FROM t WHERE (b >= 1 AND b <= 5)"),
    "AND": ("SELECT a FROM t WHERE b LIKE 'x' AND c LIKE 'y'", "SELECT a FROM t WHERE (c LIKE 'y') AND (b LIKE 'x')"),
    "names": ("SELECT count(*) FROM t", "SELECT COUNT(*) AS c1 FROM t"),
    "used alias stays": (
        "SELECT a, count(*) AS n FROM t GROUP BY a ORDER BY n",
        "SELECT a AS c1, COUNT(*) AS n FROM t GROUP BY a ORDER BY n",
    ),
    "columns": ("SELECT a, b FROM t", "SELECT b, a FROM t"),
    "tables": (
        "SELECT x.a FROM t AS x JOIN u AS y ON x.i = y.i",
        "SELECT x.a FROM u AS y JOIN t AS x ON x.i = y.i",
    ),
}


@pytest.mark.parametrize(("query", "other"), CASES.values(), ids=CASES)
def test_ways_to_say_it_again(query, other):
    assert other in [item.sql for item in rewrites(query)]


@pytest.mark.parametrize("query", ["SELECT a, b FROM t ORDER BY 2", "SELECT a, count(*) FROM t GROUP BY 1"])
def test_columns_that_are_counted_keep_their_places(query):
    assert "columns in another order" not in [item.change for item in rewrites(query)]


def test_outer_joins_keep_their_sides():
    found = rewrites("SELECT t.a FROM t LEFT JOIN u ON t.i = u.i")
    assert "tables in another order" not in [item.change for item in found]


def test_rewrites_of_the_built_in_corpus_give_the_golden_result():
    examples = json.loads((BUILTIN / "dev.json").read_text(encoding="utf-8"))
    tried = 0
    for item in random.Random(2).sample(examples, 60):
        path = BUILTIN / "database" / item["db_id"] / f"{item['db_id']}.sqlite"
        if determined(item["query"], path) is None:
            continue
        for other in rewrites(item["query"]):
            tried += 1
            found = evaluate(item["query"], other.sql, f"sqlite:{path}")
            assert found.exact, (other, found.difference, found.error)
    assert tried > 60
