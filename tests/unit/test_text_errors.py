"""Each rule that finds errors in texts: when it must find one, and when it must not; and how far all can be trusted."""

import random

import pytest

from lib.corpora import open_corpus
from lib.metrics.errors import (
    AGGREGATE,
    COLUMN,
    COMPARISON,
    CORRECT,
    DROPPED,
    INVENTED,
    KINDS_OF_ERROR,
    MERGED,
    ORDER,
    PARAPHRASE,
    REPETITION,
    VALUE,
    WRONG,
    diagnose,
)
from lib.metrics.errors.edits import EDITS
from lib.metrics.errors.facets import wanted
from lib.metrics.errors.readings import read, repeated
from lib.metrics.errors.trust import samples, trust
from lib.splitting import split

SAILED = "SELECT name FROM boat WHERE length > 20 ORDER BY age DESC"
COUNTED = "SELECT colour, count(*) FROM boat WHERE age < 30 GROUP BY colour HAVING count(*) >= 2"
MOORED = "SELECT name FROM boat WHERE harbour = 'Sligo'"
PRICED = "SELECT avg(price) FROM boat WHERE harbour = 'Sligo'"
LONGEST = "SELECT name FROM boat ORDER BY length DESC LIMIT 1"
EXCEPTED = "SELECT name FROM boat EXCEPT SELECT name FROM boat WHERE harbour = 'Sligo'"

# error, SQL, reference, a text that has it, a text that has it not
CASES = [
    (DROPPED, SAILED, "Show the names of boats longer than 20, sorted by age in descending order.",
     "Show the names of boats longer than 20.",
     "List the names of the boats over 20, in descending order of age."),
    (DROPPED, SAILED, "Show the names of boats longer than 20, sorted by age in descending order.",
     "Show the names of boats, sorted by age in descending order.",
     "Show the names of boats above 20, sorted by age in descending order."),
    (DROPPED, SAILED, "Show the names of boats longer than 20, sorted by age in descending order.",
     "longer than 20, sorted by age in descending order.",
     "Which boats are longer than 20? Sort them by age in descending order."),
    (DROPPED, COUNTED, "For each colour, how many boats younger than 30 are there, if there are at least 2?",
     "How many boats younger than 30 are there?",
     "How many boats under 30 are there of every colour with at least two of them?"),
    (DROPPED, EXCEPTED, "Show the names of all boats except those in Sligo.",
     "Show the names of all boats.",
     "Show the names of the boats that are not in Sligo."),
    (INVENTED, MOORED, "Show the names of the boats in Sligo.",
     "Show the names of the boats in Sligo, sorted by age.",
     "What are the names of boats from Sligo?"),
    (INVENTED, MOORED, "Show the names of the boats in Sligo.",
     "Show the names of the oldest boats in Sligo.",
     "Show the names of all boats in Sligo."),
    (INVENTED, MOORED, "Show the names of the boats in Sligo.",
     "Show the names of the boats in Sligo with a price above 300.",
     "Show the names of the boats that lie in Sligo."),
    (INVENTED, PRICED, "What is the average price of boats in Sligo?",
     "What is the average price of boats in Sligo for each colour?",
     "Show the mean price of all boats in Sligo."),
    (INVENTED, MOORED, "Show the names of the boats in Sligo.",
     "Show the names of the boats in Sligo except the red ones.",
     "Show the names of boats at Sligo."),
    (MERGED, COUNTED, "For each colour with at least 2 boats younger than 30, how many are there?",
     "For each colour with at least 30, how many are there?",
     "How many boats younger than 30 has each colour that has at least 2?"),
    (AGGREGATE, PRICED, "What is the average price of boats in Sligo?",
     "What is the total price of boats in Sligo?",
     "Give the mean price of the boats in Sligo."),
    (AGGREGATE, PRICED, "What is the average price of boats in Sligo?",
     "What is the price of boats in Sligo?",
     "How much is the average price of the boats from Sligo?"),
    (AGGREGATE, COUNTED, "For each colour, what is the number of boats younger than 30, if there are at least 2?",
     "For each colour, what are the boats younger than 30, if there are at least 2?",
     "How many boats younger than 30 are there of each colour with at least 2?"),
    (COMPARISON, SAILED, "Show the names of boats longer than 20, sorted by age in descending order.",
     "Show the names of boats shorter than 20, sorted by age in descending order.",
     "Show the names of boats above 20, sorted by age in descending order."),
    (COMPARISON, SAILED, "Show the names of boats longer than 20, sorted by age in descending order.",
     "Show the names of boats longer than 20, sorted by age in ascending order.",
     "Show the names of boats longer than 20, in descending order of their age."),
    (COMPARISON, COUNTED, "For each colour with at least 2 boats younger than 30, how many are there?",
     "For each colour with at most 2 boats younger than 30, how many are there?",
     "For each colour with 2 or more boats younger than 30, how many are there?"),
    (COMPARISON, COUNTED, "For each colour with at least 2 boats younger than 30, how many are there?",
     "For each colour with 2 boats younger than 30, how many are there?",
     "For each colour with no fewer than 2 boats under 30, how many are there?"),
    (COMPARISON, MOORED, "Show the names of the boats in Sligo.",
     "Show the names of the boats that are not in Sligo.",
     "Show the names of the boats that are in Sligo."),
    (COMPARISON, LONGEST, "What is the name of the longest boat?",
     "What is the name of the shortest boat?",
     "Which boat is the longest?"),
    (VALUE, MOORED, "Show the names of the boats in Sligo.",
     "Show the names of the boats in Dingle.",
     "Which boats lie in Sligo?"),
    (VALUE, SAILED, "Show the names of boats longer than 20, sorted by age in descending order.",
     "Show the names of boats longer than 25, sorted by age in descending order.",
     "Show the names of boats longer than twenty, sorted by age in descending order."),
    (COLUMN, PRICED, "What is the average price of boats in Sligo?",
     "What is the average crew of boats in Sligo?",
     "What is the average of the prices of boats in Sligo?"),
    (COLUMN, MOORED, "Show the names of the boats in Sligo.",
     "Show the names of the kites in Sligo.",
     "Which boats lie in Sligo?"),
    (ORDER, MOORED, "Show the names of the boats in Sligo.",
     "in Sligo show the names of the boats.",
     "In Sligo, show the names of the boats."),
    (ORDER, SAILED, "Show the names of boats longer than 20, sorted by age in descending order.",
     "Show the names sorted by age in descending order of boats longer than 20.",
     "Sorted by age in descending order, show the names of boats longer than 20."),
    (REPETITION, MOORED, "Show the names of the boats in Sligo.",
     "Show the names of the boats of the boats in Sligo.",
     "Show the names of the boats that lie in Sligo."),
]  # fmt: skip


@pytest.mark.parametrize(
    ("error", "sql", "reference", "wrong", "right"), CASES, ids=[c[0] + ": " + c[3] for c in CASES]
)
def test_rule(error, sql, reference, wrong, right):
    clauses = split(sql)
    assert error in diagnose(wrong, [reference], clauses).errors
    assert error not in diagnose(right, [reference], clauses).errors
    assert not diagnose(reference, [reference], clauses).findings


def test_every_kind_of_error_has_cases_and_an_edit():
    assert {case[0] for case in CASES} == set(KINDS_OF_ERROR) == set(EDITS)


def test_verdicts():
    clauses, reference = split(MOORED), "Show the names of the boats in Sligo."
    assert diagnose("show the names of the boats in 'Sligo'", [reference], clauses).verdict == CORRECT
    assert diagnose("List the names of boats in Sligo", [reference], clauses).verdict == PARAPHRASE
    assert diagnose("List the names of boats", [reference], clauses).verdict == WRONG
    assert diagnose("", [reference], clauses).verdict == WRONG


def test_the_nearest_reference_counts():
    clauses, text = split(MOORED), "Which vessels lie in Sligo?"
    assert diagnose(text, ["Show the boats in Sligo."], clauses).findings
    assert not diagnose(text, ["Show the boats in Sligo.", "What vessels are in Sligo?"], clauses).findings


def test_several_errors_of_one_text():
    reference = "Show the names of boats longer than 20, sorted by age in descending order."
    found = diagnose("Show the names of boats shorter than 23.", [reference], split(SAILED))
    assert {DROPPED, COMPARISON, VALUE} <= found.errors


def test_a_part_of_a_query_wants_only_its_clauses_and_knows_its_aliases():
    clauses = split("SELECT T1.name FROM boat AS T1 WHERE T1.age > 9 ORDER BY T1.price")
    part = wanted(clauses, None, ("WHERE", "ORDER BY"))
    assert {facet.kind for facet in part.facets} == {"WHERE", "ORDER BY"}
    assert not [facet for facet in part.facets if facet.what in ("t1", "name")]


@pytest.mark.parametrize(
    ("text", "signs"),
    [
        ("more than 5 boats", [">"]),
        ("no more than 5 boats", ["<="]),
        ("not older than 30", ["<="]),
        ("built before 1990 or after 2010", ["<", ">"]),
        ("30 or older", [">="]),
        ("at least two and at most 9", [">=", "<="]),
        ("shallower than 8", ["?"]),
        ("between 3 and 5", ["between"]),
        ("other than 5 boats", []),
        ("over the bridge", []),
        ("greater than or equal to 4", [">="]),
        ("older than 1950", ["?"]),
    ],
)
def test_comparisons_of_a_text(text, signs):
    assert [found.sign for found in read(text).compared] == signs


@pytest.mark.parametrize(
    ("text", "loops"),
    [
        ("the red and the red boat", [("the", "red")]),
        ("boat boat boat", [("boat",)]),
        ("from the oldest boat to the newest boat", []),
        ("the boat that that man built", []),
    ],
)
def test_repeated_words(text, loops):
    assert list(repeated(text.split()))[: len(loops) or None] == loops


def test_edits_are_the_same_for_the_same_seed():
    drawn = samples(open_corpus("builtin"), "dev", 12)
    once, again = ([[edit(sample, random.Random(4)) for edit in EDITS.values()] for sample in drawn] for _ in range(2))
    assert once == again
    assert any(text for texts in once for text in texts)


# Least recall (of edits held against another wording) and most false alarms, percent: what is reached, less a margin
# for another draw of questions. Few questions can be merged, so that its recall varies most.
LEAST = {DROPPED: 85, INVENTED: 85, MERGED: 60, AGGREGATE: 90, COMPARISON: 90, VALUE: 88, COLUMN: 78, ORDER: 45,
         REPETITION: 99}  # fmt: skip
MOST = dict.fromkeys(KINDS_OF_ERROR, 3.0)
LEAST_SPIDER = LEAST | {DROPPED: 80, MERGED: 30, VALUE: 80, ORDER: 75}
MOST_SPIDER = dict.fromkeys(KINDS_OF_ERROR, 4.0) | {COLUMN: 9.0}


def check_trust(corpus, size, least, most):
    rows = trust(samples(corpus, "dev", size))
    assert {row.error: row.alarms for row in rows} == dict.fromkeys(KINDS_OF_ERROR, 0)  # a reference is never accused
    few = {row.error: row.edited_other for row in rows if row.edited_other < 5}
    assert set(few) <= {MERGED}
    recall = {row.error: 100 * row.recall_other for row in rows if row.error not in few}
    assert {error: value for error, value in recall.items() if value < least[error]} == {}
    alarms = {row.error: 100 * row.false_alarms for row in rows}
    assert {error: value for error, value in alarms.items() if value > most[error]} == {}


def test_known_faults_are_found_in_our_corpus():
    check_trust(open_corpus("builtin"), 250, LEAST, MOST)


def test_known_faults_are_found_in_spider(spider_home):
    check_trust(open_corpus(str(spider_home)), 250, LEAST_SPIDER, MOST_SPIDER)
