"""lib.models.linearise."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.errors import SqlError
from lib.models.linearise import linearise, name_words, whole_queries
from lib.records import Column, Pair, Schema
from lib.splitting import split

WHOLE = "SELECT T1.name FROM team AS T1 JOIN coach c ON T1.id = c.team_id WHERE c.age > 40"


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT count(*) FROM team", "select count ( * ) from team"),
        ("SELECT T1.name FROM team AS T1", "select team . name from team"),
        ("SELECT t.a FROM team t, coach c WHERE t.b < 2", "select team . a from team , coach where team . b < 2"),
        ("SELECT team.name FROM team", "select team . name from team"),
        ("SELECT homeCity FROM team_of_year", "select home city from team of year"),
        ("SELECT a FROM t WHERE b = 'New York' AND c >= 1.5", "select a from t where b = New York and c >= 1.5"),
        ('SELECT a FROM t WHERE b = "It\'s"', "select a from t where b = It 's"),
        ("SELECT a FROM t WHERE b = 'O''Hara'", "select a from t where b = O'Hara"),
        ("SELECT a FROM t WHERE b = ''", "select a from t where b = ''"),
        ("WHERE T1.name = 'x'", "where name = x"),  # an alias that nothing explains says nothing
        (
            "SELECT T1.a FROM x AS T1 EXCEPT SELECT T1.b FROM y AS T1",
            "select x . a from x except select y . b from y",
        ),
        (
            "SELECT a FROM x AS T1 WHERE a IN (SELECT T1.b FROM y AS T1 WHERE T1.c > 1) AND T1.d = 2",
            "select a from x where a in ( select y . b from y where y . c > 1 ) and x . d = 2",
        ),
        ("SELECT n FROM (SELECT count(*) AS n FROM t) AS s", "select n from ( select count ( * ) as n from t ) as s"),
    ],
)  # fmt: skip
def test_linearise(sql, expected):
    assert " ".join(linearise(sql)) == expected


def test_parts_take_aliases_from_the_whole():
    parts = [linearise(clause.sql, whole=WHOLE) for clause in split(WHOLE)]
    assert sum(parts, ()) == linearise(WHOLE)


def test_natural_names_come_from_the_schema():
    columns = (Column(0, "emp_lname", "last name", "text"), Column(1, "sid", "shop id", "number"))
    schema = Schema("d", ("emp", "shop"), ("employee", "shop"), columns, (), ())
    said = linearise('SELECT T1.emp_lname FROM emp AS T1 WHERE "sid" = "sids"', schema)
    assert " ".join(said) == "select employee . last name from employee where shop id = sids"


@pytest.mark.parametrize("sql", ["", "  -- nothing", "SELECT 'open"])
def test_no_sql_is_refused(sql):
    with pytest.raises(SqlError):
        linearise(sql)


def test_whole_queries_are_the_longest():
    def pair(name, size, sql):
        return Pair(f"{name}:{size}", name, "d", ("SELECT",), sql, "x", size, "dev", {})

    found = whole_queries([pair("a", 1, "SELECT 1"), pair("a", 2, "SELECT 1 LIMIT 2"), pair("b", 1, "SELECT 3")])
    assert found == {"a": "SELECT 1 LIMIT 2", "b": "SELECT 3"}


@given(st.text(alphabet="abcXYZ_ 0é", min_size=1, max_size=12))
def test_name_words_are_lower_words(name):
    words = name_words(name)
    assert words
    assert all(word == word.lower() and "_" not in word.strip("_") for word in words)
