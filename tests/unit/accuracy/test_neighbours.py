"""Neighbours of a golden query: which there are, which are not made, that all are read again."""

import json
import random

import pytest

from lib.accuracy.changes import shifted
from lib.accuracy.neighbours import KINDS, neighbours
from lib.accuracy.parts import parts
from lib.records import Column, Schema
from lib.schemas import read_schemas
from lib.sql_parse import parse

SHIP = Schema("harbour", ("ship",), ("ship",), tuple(Column(0, n, n, "text") for n in ("id", "name", "flag")), (0,), ())

EXPECTED = {
    "comparison": ("SELECT a FROM t WHERE b > 5", {"b >= 5", "b < 5", "b > 4", "b > 6"}),
    "decimal": ("SELECT a FROM t WHERE b <= 0.5", {"b < 0.5", "b >= 0.5", "b <= 0.4", "b <= 0.6"}),
    "year as text": ("SELECT a FROM t WHERE b = '2014'", {"b <> '2014'", "b = '2013'", "b = '2015'"}),
    "range": (
        "SELECT a FROM t WHERE b BETWEEN 1 AND 9",
        {"NOT b BETWEEN", "BETWEEN 0 AND 9", "BETWEEN 2 AND 9", "BETWEEN 1 AND 8", "BETWEEN 1 AND 10"},
    ),
    "connector": ("SELECT a FROM t WHERE b = 'x' AND c = 'y'", {"b = 'x' OR c = 'y'"}),
    "pattern": ("SELECT a FROM t WHERE b LIKE '%x'", {"LIKE 'x'", "LIKE '%x%'", "NOT b LIKE '%x'"}),
    "aggregate": ("SELECT max(a) FROM t", {"MIN(a)"}),
    "count": ("SELECT count(a) FROM t", {"COUNT(DISTINCT a)"}),
    "count distinct": ("SELECT count(DISTINCT a) FROM t", {"COUNT(a)"}),
    "distinct": ("SELECT a FROM t", {"SELECT DISTINCT a"}),
    "no distinct": ("SELECT DISTINCT a FROM t", {"SELECT a"}),
    "order": ("SELECT a FROM t ORDER BY b", {"ORDER BY b DESC"}),
    "limit": ("SELECT a FROM t LIMIT 2", {"LIMIT 1", "LIMIT 3"}),
    "left join": ("SELECT a.x FROM a LEFT JOIN b ON a.i = b.i", {"FROM a JOIN b"}),
    "join": ("SELECT a.x FROM a JOIN b ON a.i = b.i", {"LEFT JOIN b"}),
    "union": ("SELECT a FROM t UNION SELECT b FROM u", {"UNION ALL", "INTERSECT"}),
    "except": ("SELECT a FROM t EXCEPT SELECT b FROM u", {"INTERSECT"}),
    "having": ("SELECT a FROM t GROUP BY a HAVING count(*) > 2", {"COUNT(*) >= 2", "COUNT(*) > 1", "COUNT(*) > 3"}),
    "not in": ("SELECT a FROM t WHERE b NOT IN (SELECT c FROM u)", {"WHERE b IN (SELECT c FROM u)"}),
    "group": ("SELECT name, count(*) FROM t GROUP BY id", {"GROUP BY name"}),
    "nested": ("SELECT a FROM t WHERE b = (SELECT max(b) FROM t)", {"SELECT MIN(b) FROM t"}),
}

DROPPED = {
    "WHERE": ("SELECT a FROM t WHERE b > 5", "SELECT a FROM t"),
    "one condition": ("SELECT a FROM t WHERE b > 5 AND c = 'x'", "SELECT a FROM t WHERE c = 'x'"),
    "a negated one": ("SELECT a FROM t WHERE b > 5 AND NOT c LIKE 'x'", "SELECT a FROM t WHERE b > 5"),
    "HAVING": ("SELECT a FROM t GROUP BY a HAVING max(b) > 1", "SELECT a FROM t GROUP BY a"),
    "ORDER BY": ("SELECT a FROM t ORDER BY b", "SELECT a FROM t"),
    "LIMIT": ("SELECT a FROM t ORDER BY b LIMIT 3", "SELECT a FROM t ORDER BY b"),
    "an operand": ("SELECT a FROM t INTERSECT SELECT b FROM u", "SELECT a FROM t"),
}

# Changes that cannot change the meaning, so nobody needs a database for them.
NOT_MADE = {
    "DISTINCT under IN": ("SELECT a FROM t WHERE a IN (SELECT b FROM u)", "DISTINCT b"),
    "DISTINCT in an operand": ("SELECT a FROM t INTERSECT SELECT b FROM u", "DISTINCT"),
    "DISTINCT of one row": ("SELECT a FROM t ORDER BY a LIMIT 1", "DISTINCT"),
    "DISTINCT of an aggregate": ("SELECT max(a) FROM t", "DISTINCT"),
    "UNION ALL under IN": ("SELECT a FROM t WHERE a IN (SELECT b FROM u UNION SELECT c FROM v)", "UNION ALL"),
    "order inside": ("SELECT a FROM (SELECT a FROM t ORDER BY a) AS s", "DESC"),
    "join condition": ("SELECT a.x FROM a JOIN b ON a.i = b.i", "<>"),
    "LEFT JOIN whose NULLs are refused": ("SELECT a.x FROM a JOIN b ON a.i = b.i WHERE b.y > 1", "LEFT"),
    "LIMIT 0": ("SELECT a FROM t LIMIT 1", "LIMIT 0"),
}


@pytest.mark.parametrize(("query", "pieces"), EXPECTED.values(), ids=EXPECTED)
def test_expected_changes(query, pieces):
    found = [item.sql for item in neighbours(query)]
    for piece in pieces:
        assert any(piece in text for text in found), (piece, found)


@pytest.mark.parametrize(("query", "rest"), DROPPED.values(), ids=DROPPED)
def test_dropped_clauses(query, rest):
    assert rest in [item.sql for item in neighbours(query)]


@pytest.mark.parametrize(("query", "piece"), NOT_MADE.values(), ids=NOT_MADE)
def test_changes_without_meaning_are_not_made(query, piece):
    assert not [item.sql for item in neighbours(query) if piece in item.sql]


def test_count_of_a_column_that_may_be_null_names_it():
    (found,) = [item for item in neighbours("SELECT count(*) FROM ship WHERE name = 'x'", SHIP) if item.kind == "null"]
    assert found.sql == "SELECT COUNT(ship.flag) FROM ship WHERE name = 'x'"  # no key, not used by the query
    assert found.column == "ship.flag"


@pytest.mark.parametrize(
    ("text", "lower"), [("5", "4"), ("0", "-1"), ("0.50", "0.49"), ("1e3", "0E+3"), ("x", None), ("", None)]
)
def test_numbers_move_by_their_last_digit(text, lower):
    found = shifted(text, -1)
    assert found == lower or float(found) == float(lower)


def test_every_neighbour_of_real_queries_is_another_query_that_reads(spider_home):
    schemas = read_schemas(spider_home / "tables.json")[0]
    examples = json.loads((spider_home / "dev.json").read_text(encoding="utf-8"))
    kinds = set()
    for item in random.Random(3).sample(examples, 60):
        schema = schemas[item["db_id"]]
        gold = parts(parse(item["query"], schema, "sqlite"), schema).text
        found = neighbours(item["query"], schema)
        assert found == neighbours(item["query"], schema)
        texts = [parts(parse(other.sql, schema, "sqlite"), schema).text for other in found]
        assert gold not in texts
        assert len(set(texts)) == len(texts)
        kinds |= {other.kind for other in found}
    assert kinds == set(KINDS)
