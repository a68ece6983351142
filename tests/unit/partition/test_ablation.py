import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.errors import ParameterError
from lib.partition.ablation import length_matched_control, without_test_clauses
from lib.partition.leakage import clause_keys
from lib.records import Pair


def pair(number, sql, kinds, db="zoo"):
    return Pair(f"{number}:{'+'.join(kinds)}", str(number), db, tuple(kinds), sql, "…", len(kinds), "dev", {})


TEST = [pair(0, "SELECT a FROM t WHERE b = 1 ORDER BY c", ("SELECT", "WHERE", "ORDER BY"))]
TRAIN = [
    pair(1, "SELECT A FROM t", ("SELECT",)),
    pair(2, "SELECT z FROM t ORDER BY c", ("SELECT", "ORDER BY")),
    pair(3, "ORDER BY c", ("ORDER BY",), db="farm"),
    pair(4, "SELECT z FROM t WHERE b = 2", ("SELECT", "WHERE")),
]


@pytest.mark.parametrize(("by", "left"), [("text", [4]), ("database", [3, 4])])
def test_shared_clauses_are_removed(by, left):
    assert [int(pair.example_id) for pair in without_test_clauses(TRAIN, TEST, by)] == left


def test_unknown_mode_names_the_nearest():
    with pytest.raises(ParameterError, match="did you mean 'text'"):
        without_test_clauses(TRAIN, TEST, "txt")


sqls = st.lists(st.tuples(st.sampled_from("abcd"), st.integers(1, 4), st.integers(1, 2)), min_size=4, max_size=40)


@given(sqls, st.integers(0, 9))
def test_control_keeps_the_evidence_and_removes_as_many(rows, seed):
    train = []
    for number, (name, columns, size) in enumerate(rows):
        where = [f"WHERE {name} = {number % 5}"][: size - 1]
        train.append(
            pair(number, " ".join([f"SELECT {name}{' , k' * columns} FROM t", *where]), ("SELECT", "WHERE")[:size])
        )
    test = [pair(99, "SELECT a , k FROM t WHERE b = 1 ORDER BY a", ("SELECT", "WHERE", "ORDER BY"))]
    kept = without_test_clauses(train, test)
    control = length_matched_control(train, kept, random.Random(seed))
    banned = {key for pair in test for key in clause_keys(pair)}
    assert not any(banned & set(clause_keys(pair)) for pair in kept)
    removed = {pair.id for pair in train} - {pair.id for pair in control}
    assert removed <= {pair.id for pair in kept}
    assert len(removed) == min(len(train) - len(kept), len(kept))
    assert control == length_matched_control(train, kept, random.Random(seed))


def test_control_takes_the_same_lengths_where_it_can():
    train = [pair(i, f"SELECT a{' , b' * (i % 3)} FROM t{i}", ("SELECT",)) for i in range(60)]
    kept = train[9:]
    control = length_matched_control(train, kept, random.Random(1))
    gone = [pair for pair in train if pair not in control]
    assert sorted(len(pair.sql.split()) for pair in gone) == sorted(len(pair.sql.split()) for pair in train[:9])
