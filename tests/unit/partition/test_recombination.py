"""lib.partition.recombination: new pairs from clauses of several questions."""

import itertools
import random
from dataclasses import replace

from lib.partition.recombination import asked, recombine
from lib.records import KINDS, Pair
from lib.splitting import split

QUERIES = {
    "a": "SELECT name FROM team WHERE city = 1 ORDER BY name",
    "b": "SELECT age FROM team GROUP BY age ORDER BY age",
    "c": "SELECT name FROM team INTERSECT SELECT name FROM club",
    "d": "SELECT t1.name FROM team AS t1 JOIN club AS t2 ON t1.id = t2.id WHERE t2.size > 3",
    "e": "SELECT name FROM team WHERE city = 2 GROUP BY name",
}
_SAYS = {"SELECT": "Give the names", "WHERE": "in town", "GROUP BY": "for each", "ORDER BY": "by age",
         "INTERSECT": "also of clubs"}  # fmt: skip


def recombinable(db_of=lambda example: "sport") -> list[Pair]:
    """All pairs of one or two clauses; each clause says the name of its example."""
    made = []
    for name, sql in QUERIES.items():
        clauses = split(sql)
        for parts in (*itertools.combinations(clauses, 1), *itertools.combinations(clauses, 2)):
            kinds = tuple(part.kind for part in parts)
            stop = " ." if "SELECT" in kinds else ""
            text = " ".join(f"{name} {_SAYS[kind]}" for kind in kinds) + stop
            joined = " ".join(part.sql for part in parts)
            made.append(Pair(f"{name}:{kinds}", name, db_of(name), kinds, joined, text, len(kinds), "train", {}))
    return made


def _examples(pair: Pair) -> list[str]:
    """The example of each clause."""
    return [word for word in pair.text.split() if word in QUERIES]


def test_new_pairs_are_valid_queries_of_clauses_in_order():
    made = recombine(recombinable(), QUERIES, 200, random.Random(1))
    assert len({(pair.sql, pair.text) for pair in made}) == len(made) > 10
    assert len({pair.sql for pair in made}) > 8
    for pair in made:
        kinds = [clause.kind for clause in split(pair.sql)]
        assert kinds == list(pair.kinds) == sorted(kinds, key=KINDS.index)
        assert pair.n_clauses == len(kinds) in (3, 4)


def test_clauses_come_from_two_examples_with_the_same_tables():
    for pair in recombine(recombinable(), QUERIES, 200, random.Random(2)):
        examples = _examples(pair)
        assert len(set(examples)) == 2
        assert examples == sorted(examples, key=examples.index)  # head, then donor
        assert "d" not in examples  # its FROM has no equal
        if "INTERSECT" in pair.kinds:  # needs the same SELECT clause
            assert examples[0] in "ae"
            assert examples[-1] == "c"


def test_group_by_and_order_by_of_one_query_stay_together():
    made = recombine(recombinable(), QUERIES, 300, random.Random(6))
    both = [pair for pair in made if "b" in _examples(pair)[1:]]
    assert both
    for pair in both:
        assert [kind for kind, example in zip(pair.kinds, _examples(pair), strict=True) if example == "b"] == [
            "GROUP BY",
            "ORDER BY",
        ]


def test_questions_that_are_not_cut_cleanly_lend_nothing():
    def told(pair: Pair) -> Pair:
        """Example "a" says its clauses in another order."""
        words = pair.text.removesuffix(" .").split()
        turned = " ".join(words[-3:] + words[:-3]) if pair.example_id == "a" and pair.n_clauses > 1 else pair.text
        return replace(pair, text=turned)

    made = recombine([told(pair) for pair in recombinable()], QUERIES, 200, random.Random(1))
    assert made
    assert "a" not in {example for pair in made for example in _examples(pair)}
    alone = [pair for pair in recombinable() if pair.n_clauses == 1]  # nothing tells whether they are cut cleanly
    assert recombine(alone, QUERIES, 200, random.Random(1)) == []


def test_a_question_may_lack_pairs_that_others_have():
    """A control takes pairs away one by one: what is left still tells whether the question is cut cleanly."""
    thinned = [pair for pair in recombinable() if pair.id != "a:('ORDER BY',)"]
    made = recombine(thinned, QUERIES, 200, random.Random(1))
    assert "a" in {example for pair in made for example in _examples(pair)}


def test_queries_that_are_taken_are_not_made():
    free = recombine(recombinable(), QUERIES, 200, random.Random(1))
    taken = {asked(replace(pair, sql=pair.sql.replace(" ", "  ").upper())) for pair in free[::2]}
    left = recombine(recombinable(), QUERIES, 200, random.Random(1), taken)
    assert {asked(pair) for pair in left} == {asked(pair) for pair in free} - taken
    assert left


def test_no_order_by_stands_before_a_set_operator():
    """SQLite takes ORDER BY behind the last SELECT only."""
    made = recombine(recombinable(), QUERIES, 300, random.Random(1))
    assert any("INTERSECT" in pair.kinds for pair in made)
    assert not any({"ORDER BY", "INTERSECT"} <= set(pair.kinds) for pair in made)


def test_stops_end_the_text():
    for pair in recombine(recombinable(), QUERIES, 50, random.Random(3)):
        assert pair.text.endswith(" .")
        assert pair.text.count(".") == 1


def test_the_seed_decides_and_other_databases_lend_nothing():
    first, again, other = (recombine(recombinable(), QUERIES, 50, random.Random(seed)) for seed in (4, 4, 5))
    assert first == again != other
    assert recombine(recombinable(lambda example: example), QUERIES, 50, random.Random(4)) == []
    assert recombine(recombinable(), QUERIES, 0, random.Random(4)) == []
