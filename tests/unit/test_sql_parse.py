"""Parsing: repairs of what corpora hold, and clear errors for what is no query."""

import json
import sqlite3
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlglot import exp

from lib.corpora import open_corpus
from lib.errors import ParameterError, SqlError
from lib.records import Column, Schema
from lib.sql_parse import parse, unknown_qualifiers, unknown_tables
from lib.sql_tokens import DIALECTS

ZOO = Schema(
    db_id="zoo",
    tables=("animal", "keeper"),
    natural_tables=("animal", "keeper"),
    columns=(
        Column(0, "id", "id", "number"),
        Column(0, "Name", "name", "text"),
        Column(0, "value", "value", "number"),
        Column(1, "id", "id", "number"),
        Column(1, "house", "house", "text"),
    ),
    primary_keys=(0, 3),
    foreign_keys=(),
)


# name: query, schema, the same as SQLite's own text
READINGS = {
    "compared": ('SELECT c FROM t WHERE c = "str"', None, "SELECT c FROM t WHERE c = 'str'"),
    "a name where names stand": ('SELECT "c" FROM t', None, 'SELECT "c" FROM t'),
    "list": ('SELECT a FROM t WHERE a IN ("x", "y")', None, "SELECT a FROM t WHERE a IN ('x', 'y')"),
    "left is a name": ('SELECT a FROM t WHERE "a" = "x"', None, "SELECT a FROM t WHERE \"a\" = 'x'"),
    "pattern": ('SELECT a FROM t WHERE a LIKE "%x%"', None, "SELECT a FROM t WHERE a LIKE '%x%'"),
    "range": ('SELECT a FROM t WHERE a BETWEEN "b" AND "d"', None, "SELECT a FROM t WHERE a BETWEEN 'b' AND 'd'"),
    "left value": ('SELECT id FROM animal WHERE "x" = name', ZOO, "SELECT id FROM animal WHERE 'x' = name"),
    "column, other case": ('SELECT id FROM animal WHERE id = "NAME"', ZOO, 'SELECT id FROM animal WHERE id = "NAME"'),
    "column of a table that is not read": (
        'SELECT id FROM animal WHERE name = "house"',
        ZOO,
        "SELECT id FROM animal WHERE name = 'house'",
    ),
    "column of an outer query": (
        'SELECT id FROM keeper WHERE EXISTS (SELECT 1 FROM animal WHERE "house" = name)',
        ZOO,
        'SELECT id FROM keeper WHERE EXISTS(SELECT 1 FROM animal WHERE "house" = name)',
    ),
    "result column": (
        'SELECT count(*) AS n FROM animal GROUP BY name ORDER BY "n"',
        ZOO,
        'SELECT COUNT(*) AS n FROM animal GROUP BY name ORDER BY "n"',
    ),
    "common table expression": (
        'WITH k AS (SELECT house AS h FROM keeper) SELECT h FROM k WHERE "h" = "north"',
        ZOO,
        "WITH k AS (SELECT house AS h FROM keeper) SELECT h FROM k WHERE \"h\" = 'north'",
    ),
    "all columns of a nested query": (
        'SELECT id FROM (SELECT * FROM keeper) WHERE "house" = "id" OR "home" = "x"',
        ZOO,
        "SELECT id FROM (SELECT * FROM keeper) WHERE \"house\" = \"id\" OR 'home' = 'x'",
    ),
    "table that the schema lacks": (
        'SELECT a FROM ghost WHERE a = "x"',
        ZOO,
        "SELECT a FROM ghost WHERE a = 'x'",
    ),
    "other quotes name": ("SELECT a FROM t WHERE [b] = `c`", None, 'SELECT a FROM t WHERE "b" = "c"'),
    "split operators": (
        "SELECT a FROM t WHERE b > = 3 AND c ! = 4",
        None,
        "SELECT a FROM t WHERE b >= 3 AND c <> 4",
    ),
    "operator in a literal": ("SELECT '> =' FROM t", None, "SELECT '> =' FROM t"),
    "limit of MySQL": ("SELECT a FROM t LIMIT 2, 5;", None, "SELECT a FROM t LIMIT 5 OFFSET 2"),
    "is not null": ("SELECT a FROM t WHERE b IS NOT NULL", None, "SELECT a FROM t WHERE NOT b IS NULL"),
    "called value": ("SELECT id FROM animal WHERE value > 150", ZOO, "SELECT id FROM animal WHERE value > 150"),
}


@pytest.mark.parametrize(("query", "schema", "expected"), READINGS.values(), ids=READINGS)
def test_reads_as_sqlite_does(query, schema, expected):
    assert parse(query, schema).sql("sqlite") == expected


@pytest.mark.parametrize("dialect", ["postgres", "duckdb"])
def test_double_quotes_name_columns_where_the_standard_rules(dialect):
    assert parse('SELECT a FROM t WHERE a = "b"', dialect=dialect).find(exp.EQ).expression.this.quoted


def test_double_quotes_are_literals_in_mysql():
    assert parse('SELECT a FROM t WHERE a = "b"', dialect="mysql").find(exp.EQ).expression.is_string


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_dialect_reads_plain_queries(dialect):
    tree = parse("SELECT a FROM t WHERE b > = 3 ORDER BY a LIMIT 2", dialect=dialect)
    assert tree.find(exp.GTE)
    assert tree.args["limit"].expression.name == "2"


@pytest.mark.parametrize(
    "query",
    ["SELECT $1::int FROM t", "SELECT a FROM t WHERE a = E'it\\'s'", "SELECT a FROM t # why\n WHERE b = 'it\\'s'"],
)
def test_auto_finds_a_dialect_that_reads_the_query(query):
    assert isinstance(parse(query), exp.Select)


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("", "the text is empty"),
        ("-- nothing", "the text is empty"),
        ("SELECT", "asks for nothing"),
        ("DROP TABLE t", "starts with 'DROP'"),
        ("PRAGMA table_info(t)", "starts with 'PRAGMA'"),
        ("SELECT a FROM t; DELETE FROM t", "2 statements"),
        ("SELECT a FROM t WHERE a = 'x", "unclosed literal"),
        ("SELECT a FROM (", "cannot parse"),
        ("SELECT a FROM t WHERE " + "(" * 5000 + "1" + ")" * 5000, "nested too deeply"),
    ],
)
def test_says_why_a_text_is_no_query(query, reason):
    with pytest.raises(SqlError, match=reason) as caught:
        parse(query)
    assert "\n" not in str(caught.value)


def test_points_at_the_place_of_an_error():
    query = "SELECT a\nFROM t WHERE )"
    with pytest.raises(SqlError) as caught:
        parse(query, dialect="sqlite")
    assert query[caught.value.position] == ")"


def test_unknown_dialect():
    with pytest.raises(ParameterError, match="did you mean 'sqlite'"):
        parse("SELECT 1", dialect="sqllite")


@given(st.text(alphabet="SELECT FROM WHERE a.b,()'\"=;*1-/\n", max_size=60))
def test_reads_or_raises_one_kind_of_error(text):
    with suppress(SqlError):
        assert isinstance(parse(text, ZOO), exp.Query)


@pytest.mark.parametrize(
    ("query", "missing"),
    [
        ("SELECT T1.id FROM keeper EXCEPT SELECT T1.id FROM keeper AS T1", ("T1",)),
        ("SELECT T1.id FROM keeper AS T1 UNION SELECT keeper.id FROM keeper", ()),
        ("SELECT a.id FROM animal AS a WHERE EXISTS (SELECT 1 FROM keeper AS k WHERE k.id = a.id)", ()),
        ("SELECT id FROM animal AS a WHERE id IN (SELECT id FROM keeper AS k) AND k.id = 1", ("k",)),
    ],
)
def test_qualifiers_are_looked_up_in_their_scope_as_sqlite_does(query, missing):
    assert unknown_qualifiers(parse(query)) == missing
    connection = sqlite3.connect(":memory:")
    connection.executescript("CREATE TABLE animal (id, name, value); CREATE TABLE keeper (id, house)")
    if missing:
        with pytest.raises(sqlite3.OperationalError, match=f"no such column: {missing[0]}"):
            connection.execute(query)
    else:
        connection.execute(query)
    connection.close()


def test_tables_that_the_schema_lacks():
    tree = parse("WITH c AS (SELECT 1 AS x) SELECT * FROM Animal JOIN ghost JOIN c JOIN ghost AS g")
    assert unknown_tables(tree, ZOO) == ("ghost",)


def test_double_quoted_words_mean_what_sqlite_says():
    """An outside judge: SQLite itself tells whether a word was a column (its value) or a literal (its text)."""
    connection = sqlite3.connect(":memory:")
    connection.executescript("CREATE TABLE animal (id, name, value); INSERT INTO animal VALUES ('i', 'n', 'v')")
    for word in ("id", "NAME", "value", "house", "rowid", "str"):
        query = f'SELECT 1 FROM animal WHERE "{word}" = "{word}" AND "{word}" <> ?'
        is_column = connection.execute(query, (word,)).fetchone() is not None
        literals = [*parse(f'SELECT 1 FROM animal WHERE "{word}" = 1', ZOO).find(exp.Where).find_all(exp.Literal)]
        assert any(literal.is_string for literal in literals) != is_column, word
    connection.close()


@pytest.fixture(scope="module")
def handed(shared):
    cases = json.loads((shared / "cases" / "sql_and_text.json").read_text(encoding="utf-8"))
    return {case["id"]: case for case in cases if case["kind"] in ("sql_parse", "data_defect")}


def test_handed_values(handed):
    case = handed["parse-dq-value"]
    value = parse(case["input"]).find(exp.EQ).expression
    assert (value.name, value.is_string) == (case["expected"]["value"], case["expected"]["is_literal"])


def test_handed_operators(handed):
    case = handed["parse-split-operator"]
    assert f" {case['expected']['op']} " in parse(case["input"]).sql("sqlite")


def test_handed_limit(handed):
    case = handed["parse-limit-comma"]
    tree = parse(case["input"])
    found = {name: int(tree.args[name].expression.name) for name in ("limit", "offset")}
    assert found == case["expected"]


def test_handed_is_not_null(handed):
    assert parse(handed["parse-is-not-null"]["input"]).find(exp.Is)


def test_handed_alias_scope(handed):
    case = handed["parse-setop-alias-scope"]
    assert (not unknown_qualifiers(parse(case["input"]))) == case["expected"]["valid_sqlite"]


def test_handed_column_called_value(handed):
    case = handed["parse-value-column"]
    tree = parse(case["input"])
    assert case["expected"]["column"] in {column.name for column in tree.find_all(exp.Column)}
    assert tree.sql("sqlite") == case["input"]


def test_handed_missing_table(handed, spider_home):
    case = handed["data-missing-table"]
    schema = open_corpus(str(spider_home)).schemas[case["input"]["db"]]
    (table,) = unknown_tables(parse(case["input"]["query"], schema), schema)
    assert f"table {table.lower()} is not in tables.json" == case["expected"]["parse"]


def test_reads_all_of_spider(spider_home):
    corpus = open_corpus(str(spider_home))
    examples = [example for source in ("train", "dev") for example in corpus.examples(source)]
    lacking, literals = [], 0
    for example in examples:
        tree = parse(example.query, corpus.schemas[example.db_id])
        assert not unknown_qualifiers(tree)
        assert not any(column.this.args.get("quoted") for column in tree.find_all(exp.Column))
        lacking += [(example.id, table) for table in unknown_tables(tree, corpus.schemas[example.db_id])]
        literals += '"' in example.query
    assert len(examples) == 8034
    assert literals == 1494 + 213  # queries with double-quoted values, counted with another program
    assert lacking == [("train-03153", "Ref_Company_Types")]
