"""lib.models.linearise."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.datasets import names_of
from lib.errors import SqlError
from lib.models.linearise import linearise, value_words
from lib.models.names import Words
from lib.records import Column, Schema
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
        ("SELECT T1.n FROM (SELECT n FROM t) AS T1 JOIN u T2", "select n from ( select n from t ) join u"),
        ("SELECT max(n) FROM (SELECT n FROM t)", "select max ( n ) from ( select n from t )"),
    ],
)  # fmt: skip
def test_linearise(sql, expected):
    assert " ".join(linearise(sql)) == expected


def test_parts_take_aliases_from_the_whole():
    parts = [linearise(clause.sql, whole=WHOLE) for clause in split(WHOLE)]
    assert sum(parts, ()) == linearise(WHOLE)


COLUMNS = (Column(0, "emp_lname", "last name", "text"), Column(0, "sid", "shop id", "number"),
           Column(1, "sid", "number", "number"), Column(1, "cty", "city", "text"))  # fmt: skip
WORDS = Words(names_of(Schema("d", ("emp", "shp"), ("employee", "shop"), COLUMNS, (), ())))


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT T1.emp_lname FROM emp AS T1", "select employee . last name from employee"),
        ("SELECT SID FROM Emp", "select shop id from employee"),
        ("SELECT sid FROM shp", "select number from shop"),
        ("SELECT sid FROM shp, emp", "select number from shop , employee"),  # the first table of FROM that has it
        ("SELECT emp_lname FROM shp", "select last name from shop"),  # not in FROM: as anywhere in the database
        ("SELECT shp.sid FROM shp WHERE sid IN (SELECT sid FROM emp)",
         "select shop . number from shop where number in ( select shop id from employee )"),
        ("SELECT cty FROM emp WHERE sid IN (SELECT 1 FROM shp WHERE emp_lname = 'x')",
         "select city from employee where shop id in ( select 1 from shop where last name = x )"),
        ("SELECT no_such FROM emp JOIN no_table", "select no such from employee join no table"),
        ('SELECT T1.emp_lname FROM emp AS T1 WHERE "sid" = "sids"',
         "select employee . last name from employee where shop id = sids"),
        ('SELECT "cty" FROM emp', "select cty from employee"),  # SQLite reads a value: no column of the FROM
        ("SELECT `cty` FROM shp", "select city from shop"),
    ],
)  # fmt: skip
def test_natural_names(sql, expected):
    assert " ".join(linearise(sql, words=WORDS)) == expected


def test_parts_take_natural_names_from_the_from_of_the_whole():
    whole = "SELECT T1.cty FROM shp AS T1 WHERE sid > 2"
    assert linearise("WHERE sid > 2", whole, WORDS) == ("where", "number", ">", "2")
    assert linearise("WHERE sid > 2", words=WORDS) == ("where", "shop", "id", ">", "2")


@pytest.mark.parametrize("sql", ["", "  -- nothing", "SELECT 'open"])
def test_no_sql_is_refused(sql):
    with pytest.raises(SqlError):
        linearise(sql)


@given(st.text(alphabet="abXY0 .,'é%", max_size=12))
def test_a_value_is_always_said(value):
    assert all(value_words(value))
