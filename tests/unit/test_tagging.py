"""Tagging: the paper's examples, candidate words of each sort, rules, phrases."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.corpora import open_corpus
from lib.records import Column, Schema
from lib.splitting import split
from lib.tagging import tag
from lib.tagging.candidates import candidates
from lib.tagging.clause_words import clause_words
from lib.tagging.labels import labels
from lib.tagging.matching import is_superlative, match
from lib.tagging.phrases import phrases
from lib.tagging.rules import RULES, pronoun_behind_and, pronoun_behind_noun
from lib.tagging.signs import RULES as PHRASE_RULES
from lib.tokens import tokenize

SEA = Schema(
    db_id="sea",
    tables=("ship", "harbour"),
    natural_tables=("ship", "harbour"),
    columns=(
        Column(0, "ShipID", "ship id", "number"),
        Column(0, "Name", "name", "text"),
        Column(0, "BuiltYear", "year of building", "number"),
        Column(0, "Tonnage", "tonnage", "number"),
        Column(0, "home_harbour", "home harbour", "number"),
        Column(0, "side", "side", "text"),
        Column(0, "height", "height", "number"),
        Column(1, "HarbourID", "harbour id", "number"),
        Column(1, "Country", "country", "text"),
    ),
    primary_keys=(0, 7),
    foreign_keys=((4, 7),),
)


def tags_of(question, query, schema=SEA):
    tokens = tokenize(question)
    return dict(zip(tokens, tag(tokens, split(query), schema), strict=True))


def strengths_of(question, query, schema=SEA):
    tokens = tokenize(question)
    return dict(zip(tokens, match(tokens, split(query), schema).strengths, strict=True))


# --- The paper --------------------------------------------------------------------------------------------------
WHO = "What are the id of students who registered course 301?"
WHO_SQL = "SELECT student_id FROM student_course_attendance WHERE course_id = 301"
WHEN = "What is the last name of the professor whose office is located in DRE 102, and when were they hired?"
WHEN_SQL = (
    "SELECT T1.emp_lname, T1.emp_hiredate FROM employee AS T1 JOIN professor AS T2 ON T1.emp_num = T2.emp_num "
    'WHERE T2.prof_office = "DRE 102"'
)


def test_pronoun_behind_a_noun_asks_for_nothing():
    assert tags_of(WHO, WHO_SQL, None)["who"] == {"WHERE"}


def test_pronoun_behind_and_asks():
    tags = tags_of(WHEN, WHEN_SQL, None)
    assert tags["and"] == tags["when"] == {"SELECT"}


def test_handed_cases(shared):
    cases = {
        case["id"]: case
        for case in json.loads((shared / "cases" / "sql_and_text.json").read_text(encoding="utf-8"))
        if case["kind"] == "alignment"
    }
    for case_id, query in (("align-who-rule", WHO_SQL), ("align-and-when-rule", WHEN_SQL)):
        tags = tags_of(cases[case_id]["input"], query, None)
        for word, kinds in cases[case_id]["expected"].items():
            assert {kind.lower() for kind in tags[word]} == set(kinds), (case_id, word)


def test_intersect_keeps_both_questions():
    query = "SELECT a FROM t WHERE b = 1 INTERSECT SELECT a FROM t WHERE c = 2"
    matches = match(tokenize("Find a with b 1 and which have c 2"), split(query), None)
    tags = [frozenset({"INTERSECT"})] * len(matches.words)
    assert pronoun_behind_and(matches, tags) == tags


def test_first_pronoun_keeps_its_tag():
    matches = match(tokenize("Who sails?"), split("SELECT name FROM ship WHERE side = 'L'"), SEA)
    both = frozenset({"SELECT", "WHERE"})
    assert pronoun_behind_noun(matches, [both, both, both])[0] == both


def test_a_pronoun_is_never_left_without_a_tag():
    matches = match(tokenize("ships which sail"), split("SELECT name FROM ship"), SEA)
    assert pronoun_behind_noun(matches, [frozenset({"SELECT"})] * 3)[1] == {"SELECT"}


# --- Candidate words --------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("question", "clause", "word", "kind"),
    [
        pytest.param("ships from Norway", "WHERE Country = 'Norway'", "Norway", "WHERE", id="value"),
        pytest.param("ships from 'Norway'", 'WHERE Country = "Norway"', "Norway", "WHERE", id="double-quoted value"),
        pytest.param("Norwegian and Russian ships", "WHERE Country = 'Russia'", "Russian", "WHERE", id="nationality"),
        pytest.param("ships from North Dale", "WHERE Country = 'NorthDale'", "Dale", "WHERE", id="value in one word"),
        pytest.param("ships from NorthDale", "WHERE Country = 'North Dale'", "NorthDale", "WHERE", id="the reverse"),
        pytest.param("ships of 1,500 tons", "WHERE Tonnage = 1500", "1,500", "WHERE", id="thousands"),
        pytest.param("at least two ships", "GROUP BY side HAVING count(*) >= 2", "two", "GROUP BY", id="number word"),
        pytest.param("left side ships", "WHERE side = 'L'", "left", "WHERE", id="letter for a word"),
        pytest.param("ships with high tonnages", "WHERE Tonnage > 5", "tonnages", "WHERE", id="plural of a column"),
        pytest.param("ships sorted by buildings", "ORDER BY BuiltYear", "buildings", "ORDER BY", id="spoken name"),
        pytest.param("the tallest ship", "ORDER BY height DESC LIMIT 1", "tallest", "ORDER BY", id="adjective"),
        pytest.param("the newest ship", "ORDER BY BuiltYear DESC LIMIT 1", "newest", "ORDER BY", id="superlative"),
        pytest.param("in descending order", "ORDER BY height DESC", "descending", "ORDER BY", id="direction"),
        pytest.param("the top 3 ships", "ORDER BY height DESC LIMIT 3", "3", "ORDER BY", id="number of rows"),
        pytest.param("ships without a harbour", "WHERE home_harbour NOT IN (SELECT 1)", "without", "WHERE", id="not"),
        pytest.param("ships of each side", "GROUP BY side", "each", "GROUP BY", id="each"),
        pytest.param("ships with tonage over 5", "WHERE Tonnage > 5", "tonage", "WHERE", id="typing error"),
    ],
)
def test_words_speak_of_their_clause(question, clause, word, kind):
    assert kind in strengths_of(question, f"SELECT Name FROM ship {clause}")[word]


@pytest.mark.parametrize(("question", "says"), [("a ship", False), ("side A", True), ("side 'a'", True)])
def test_an_article_is_no_value(question, says):
    word = "A" if "A" in question else "a"
    assert ("WHERE" in strengths_of(question, "SELECT Name FROM ship WHERE side = 'A'")[word]) == says


def test_aliases_lead_to_spoken_names():
    query = "SELECT T1.Name FROM ship AS T1 JOIN harbour AS T2 ON T1.home_harbour = T2.HarbourID WHERE T2.Country = 'x'"
    (_, where) = clause_words(split(query))
    assert where.columns == (("harbour", "country"),)
    assert "WHERE" in strengths_of("ships whose harbours lie there", query)["harbours"]


@pytest.mark.parametrize(
    ("query", "field", "expected"),
    [
        ("SELECT a FROM t WHERE b > = 3", "operators", {">="}),
        ("SELECT a FROM t WHERE b IS NOT NULL", "operators", {"not", "null"}),
        ('SELECT a FROM t WHERE b = "str"', "values", ("str",)),
        ("SELECT a FROM t WHERE b LIKE '%New York%'", "values", ("New York",)),
        ("SELECT a FROM t WHERE value > 150", "columns", (("", "value"),)),
        ("SELECT a FROM t ORDER BY b LIMIT 2, 5", "limit", "5"),
        ("SELECT a FROM t ORDER BY b LIMIT 5 OFFSET 2", "limit", "5"),
        ("SELECT a FROM t GROUP BY b HAVING count(*) > 2", "having", True),
        ("SELECT a FROM t WHERE b IN (SELECT c FROM d)", "tables", ("d",)),
        ("SELECT a FROM t ORDER BY avg(b) DESC", "aggregates", {"avg"}),
    ],
)
def test_what_a_clause_names(query, field, expected):
    assert getattr(clause_words(split(query))[-1], field) == expected


def test_a_double_quoted_column_is_no_value():
    query = 'SELECT Name FROM ship WHERE side = "height" AND Name = "Country"'
    (_, where) = candidates(split(query), SEA).facts
    assert where.values == ("Country",)  # a column of another table


def test_aliases_of_a_set_operator_are_its_own():
    query = "SELECT T1.a FROM s AS T1 WHERE T1.b = 1 EXCEPT SELECT T1.a FROM u AS T1"
    first, where, other = clause_words(split(query))
    assert first.columns == (("s", "a"),)
    assert where.columns == (("s", "b"),)
    assert other.columns == (("u", "a"),)


def test_a_table_that_the_schema_lacks_is_known_by_its_name():
    query = "SELECT T1.title FROM old_maps AS T1 WHERE T1.sheet_number = 3"
    strengths = strengths_of("titles of old maps with sheet number 3", query)
    assert "SELECT" in strengths["titles"]
    assert "SELECT" in strengths["maps"]
    assert "WHERE" in strengths["sheet"]


def test_missing_table_of_spider_keeps_its_clauses(spider_home):
    corpus = open_corpus(str(spider_home))
    example = next(example for example in corpus.examples("train") if example.id == "train-03153")
    clauses = split(example.query)
    tags = tag(example.tokens, clauses, corpus.schemas[example.db_id])
    assert [clause.kind for clause in clauses] == ["SELECT", "ORDER BY"]
    assert {kind for kinds in tags for kind in kinds} == {"SELECT", "ORDER BY"}


@pytest.mark.parametrize("word", ["tallest", "most", "fewest", "best-paid"])
def test_superlatives(word):
    assert is_superlative(word)


@pytest.mark.parametrize("word", ["west", "interest", "forest", "guest", "test", "older"])
def test_no_superlatives(word):
    assert not is_superlative(word)


# --- Phrases and labels -----------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("question", "query", "expected"),
    [
        (
            "Find the names of ships that were built after 1990 in descending order of tonnage.",
            "SELECT Name FROM ship WHERE BuiltYear > 1990 ORDER BY Tonnage DESC",
            ["Find the names of ships", "that were built", "after 1990", "in descending order of tonnage ."],
        ),
        (
            "For each harbour, how many ships are there?",
            "SELECT count(*) FROM ship GROUP BY home_harbour",
            ["For each harbour", ", how many ships are there ?"],
        ),
        (
            "Which harbours have at least 3 ships? List their countries.",
            "SELECT Country FROM harbour GROUP BY Country HAVING count(*) >= 3",
            ["Which harbours", "have at least 3 ships ?", "List their countries ."],
        ),
        (
            "What is the name of the tallest ship?",
            "SELECT Name FROM ship ORDER BY height DESC LIMIT 1",
            ["What is the name of", "the tallest", "ship ?"],
        ),
    ],
)
def test_phrases(question, query, expected):
    tokens = tokenize(question)
    parts = phrases(match(tokens, split(query), SEA))
    assert [" ".join(tokens[part.start : part.stop]) for part in parts] == expected


def test_grouping_and_ranking_are_one_thing():
    ranked = candidates(split("SELECT side FROM ship GROUP BY side ORDER BY count(*) DESC LIMIT 1"), SEA)
    assert [set(label.kinds) for label in labels(ranked)] == [
        {"SELECT"},
        {"GROUP BY", "ORDER BY"},
        {"SELECT", "GROUP BY", "ORDER BY"},
    ]
    sorted_only = candidates(split("SELECT side, count(*) FROM ship GROUP BY side ORDER BY count(*)"), SEA)
    assert len(labels(sorted_only)) == 7


QUESTIONS = st.lists(
    st.sampled_from(
        ["which", "ships", "that", "with", "each", "harbour", "and", "the", "most", "1990", "built", ",", "?", ".", "'"]
    ),
    max_size=15,
)
QUERIES = st.sampled_from(
    [
        "SELECT Name FROM ship",
        "SELECT Name FROM ship WHERE BuiltYear = 1990",
        "SELECT side, count(*) FROM ship GROUP BY side ORDER BY count(*)",
        "SELECT side FROM ship WHERE height > 3 GROUP BY side HAVING count(*) > 1 ORDER BY max(Tonnage) LIMIT 2",
        "SELECT side FROM ship WHERE height > 3 INTERSECT SELECT side FROM ship WHERE height < 9",
    ]
)


@given(QUESTIONS, QUERIES, st.sampled_from([SEA, None]))
def test_tags_are_kinds_of_the_query_and_every_clause_has_one(tokens, query, schema):
    clauses = split(query)
    tags = tag(tokens, clauses, schema)
    assert len(tags) == len(tokens)
    assert {kind for kinds in tags for kind in kinds} == ({clause.kind for clause in clauses} if tokens else set())
    assert tag(tokens, clauses, schema) == tags


@given(QUESTIONS, QUERIES)
def test_phrases_cover_the_question(tokens, query):
    parts = phrases(match(tokens, split(query), SEA))
    assert [i for part in parts for i in range(part.start, part.stop)] == list(range(len(tokens)))


@pytest.mark.parametrize("rule", [*RULES, *PHRASE_RULES], ids=lambda rule: rule.__name__)
def test_every_rule_says_what_it_does(rule):
    assert rule.__doc__
