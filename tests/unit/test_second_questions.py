"""Second questions of the same SQL as what another person would score."""

import pytest

from lib.metrics.second_questions import PERSON, other_questions, second_question_table
from lib.metrics.text import bleu
from lib.records import Pair

QUESTIONS = (("a", "list the dogs ."), ("b", "how many cats ?"), ("a", "show all dogs ."), ("a", "List the dogs."),
             ("b", "How many cats?"))  # fmt: skip
PAIRS = [
    Pair(f"dev-{n}:SELECT", f"dev-{n}", "zoo", ("SELECT",), sql, text, 1, "dev", {})
    for n, (sql, text) in enumerate(QUESTIONS)
]


def test_the_next_question_in_other_words():
    assert other_questions(PAIRS) == {0: "show all dogs .", 2: "List the dogs.", 3: "show all dogs ."}


def test_people_and_systems_are_scored_on_the_same_pairs():
    table = second_question_table({"echo": [pair.text for pair in PAIRS]}, PAIRS).set_index("system")
    assert table.index.tolist() == [PERSON, "echo"]
    assert table["pairs"].tolist() == [3, 3]
    assert table["BLEU-4"]["echo"] == pytest.approx(100)
    assert table["exact match %"]["echo"] == 100
    others = ["show all dogs .", "list the dogs .", "show all dogs ."]
    assert table["BLEU-4"][PERSON] == pytest.approx(bleu(others, ["list the dogs .", "show all dogs .", others[1]]))
    assert table["exact match %"][PERSON] == 0


def test_where_no_sql_has_two_questions_there_is_nothing_to_say():
    assert second_question_table({"echo": ["list the dogs ."]}, PAIRS[:1]).empty
