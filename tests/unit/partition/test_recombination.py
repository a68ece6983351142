"""lib.partition.recombination: new pairs from clauses of several questions."""

import random

from lib.partition.recombination import recombine
from lib.records import KINDS, Pair
from lib.splitting import split

_WHOLES = {
    "a": "SELECT name FROM team WHERE city = 1 ORDER BY name",
    "b": "SELECT age FROM team GROUP BY age ORDER BY age",
    "c": "SELECT name FROM team INTERSECT SELECT name FROM club",
    "d": "SELECT t1.name FROM team AS t1 JOIN club AS t2 ON t1.id = t2.id WHERE t2.size > 3",
    "e": "SELECT name FROM team WHERE city = 2 GROUP BY name",
}
_SAYS = {"SELECT": "Give the names .", "WHERE": "in town", "GROUP BY": "for each", "ORDER BY": "by age",
         "INTERSECT": "also of clubs"}  # fmt: skip


def _pairs(db_of=lambda example: "sport") -> list[Pair]:
    """The single clauses of all examples, as their training pairs."""
    return [
        Pair(f"{name}:{clause.kind}", name, db_of(name), (clause.kind,), clause.sql, f"{name} {_SAYS[clause.kind]}", 1,
             "train", {})
        for name, sql in _WHOLES.items() for clause in split(sql)
    ]  # fmt: skip


def test_new_pairs_are_valid_queries_of_clauses_in_order():
    made = recombine(_pairs(), _WHOLES, 200, random.Random(1))
    assert len(made) == 200
    assert len({pair.sql for pair in made}) > 10
    for pair in made:
        kinds = [clause.kind for clause in split(pair.sql)]
        assert kinds == list(pair.kinds) == sorted(kinds, key=KINDS.index)
        assert 2 <= pair.n_clauses == len(kinds) <= 4


def test_each_clause_comes_from_another_example_with_the_same_tables():
    for pair in recombine(_pairs(), _WHOLES, 200, random.Random(2)):
        examples = [word for word in pair.text.split() if word in _WHOLES]
        assert len(set(examples)) == len(examples) == pair.n_clauses
        assert "d" not in examples  # its FROM has no equal
        if "INTERSECT" in pair.kinds:  # needs the same SELECT clause
            assert examples[0] in "ae"
            assert pair.kinds[-1] == "INTERSECT"


def test_stops_end_the_text():
    for pair in recombine(_pairs(), _WHOLES, 50, random.Random(3)):
        assert pair.text.endswith(" .")
        assert pair.text.count(".") == 1


def test_the_seed_decides_and_other_databases_lend_nothing():
    first, again, other = (recombine(_pairs(), _WHOLES, 50, random.Random(seed)) for seed in (4, 4, 5))
    assert first == again != other
    assert recombine(_pairs(lambda example: example), _WHOLES, 50, random.Random(4)) == []
    assert recombine(_pairs(), _WHOLES, 0, random.Random(4)) == []
