import pytest

from lib.partition.baselines import BASELINES, Lookup
from lib.records import Pair


def pair(example, sql, text, *kinds, db="zoo"):
    return Pair(f"{example}:{'+'.join(kinds)}", example, db, kinds, sql, text, len(kinds), "dev", {})


TRAIN = [
    pair("a", "SELECT x FROM t", "own x", "SELECT"),
    pair("a", "WHERE y = 1", "with y", "WHERE"),
    pair("a", "SELECT x FROM t WHERE y = 1", "own x with y", "SELECT", "WHERE"),
    pair("a", "SELECT x FROM t ORDER BY z", "own x sorted by its z", "SELECT", "ORDER BY"),
    pair("b", "select x from t", "zoo x", "SELECT"),
    pair("c", "ORDER BY z", "farm z", "ORDER BY", db="farm"),
]
SQL = "SELECT x FROM t WHERE y = 1 ORDER BY z"


@pytest.mark.parametrize(
    ("example", "db", "concatenated", "longest"),
    [
        ("a", "zoo", "own x with y farm z", "own x sorted by its z"),
        ("new", "zoo", "own x with y farm z", "own x with y farm z"),
        ("new", "sea", "own x with y farm z", "own x with y farm z"),
    ],
)
def test_texts(example, db, concatenated, longest):
    test = pair(example, SQL, "…", "SELECT", "WHERE", "ORDER BY", db=db)
    lookup = Lookup(TRAIN)
    assert lookup.concatenated_fragments(test) == concatenated
    assert lookup.longest_two_clauses(test) == longest


def test_a_clause_without_evidence_adds_nothing():
    assert Lookup([]).concatenated_fragments(pair("a", SQL, "…", "SELECT", "WHERE", "ORDER BY")) == ""


def test_two_clauses_must_belong_to_the_pair():
    test = pair("a", "SELECT x FROM t WHERE y = 1 GROUP BY q", "…", "SELECT", "WHERE", "GROUP BY")
    assert [f(Lookup(TRAIN), test) for f in BASELINES.values()] == ["own x with y", "own x with y"]
