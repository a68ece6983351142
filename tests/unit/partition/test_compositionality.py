import pytest

from lib.partition.compositionality import compositionality
from lib.partition.nearest import NearestSql
from lib.records import Pair

SELECT, WHERE, ORDER = "SELECT a FROM t", "WHERE b = 1", "ORDER BY c"


def pair(*clauses: str, text: str = "x", db: str = "zoo") -> Pair:
    kinds = tuple(clause.split(" ")[0].replace("ORDER", "ORDER BY") for clause in clauses)
    return Pair(f"a:{kinds}", "a", db, kinds, " ".join(clauses), text, len(clauses), "dev", {})


def test_known_clauses_and_known_pairs_of_clauses():
    train = [pair(SELECT), pair("where B = 1"), pair(ORDER), pair(SELECT, WHERE)]
    found = compositionality(iter(train), [pair(SELECT, WHERE, ORDER), pair(SELECT, "WHERE z > 2", ORDER)])
    assert (found.pairs, found.covered) == (2, 1)
    assert found.known_pairs_of_clauses == round(1 / 6, 4)
    # all training combinations are one pair of clauses, which is one in four of the covered pair's combinations
    assert found.covered_divergence == pytest.approx(1 - 0.25**0.9)
    assert found.compound_divergence == pytest.approx(1 - 0.125**0.9)
    assert 0 < found.atom_divergence < 1


def test_both_ends():
    test = [pair(SELECT, WHERE)]
    assert compositionality(test, test).compound_divergence == compositionality(test, test).atom_divergence == 0
    apart = compositionality([pair(ORDER)], test)
    assert (apart.compound_divergence, apart.atom_divergence, apart.covered_divergence) == (1, 1, None)
    assert compositionality([], []).pairs == 0


def test_the_nearest_sql_of_the_same_database_answers():
    train = [
        pair(SELECT, WHERE, text="far", db="farm"),
        pair(SELECT, text="first"),
        pair(SELECT, ORDER, text="second"),
        pair(SELECT, WHERE, ORDER, text=""),
    ]
    nearest = NearestSql(iter(train))
    assert nearest.text(pair(SELECT, WHERE)) == "first"
    assert nearest.text(pair("select A from T", "ORDER BY c DESC")) == "second"
    assert nearest.text(pair(SELECT, WHERE, db="elsewhere")) == "far"
    assert NearestSql([]).text(pair(SELECT)) == ""
