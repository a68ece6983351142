"""lib.models.trees."""

import pytest

from lib.datasets import Names
from lib.errors import SqlError
from lib.models.names import PLAIN, Words
from lib.models.trees import KINDS, LEAF, Node, _flat, tree_of
from lib.splitting import split


def shown(sql: str, whole: str | None = None, words: Words = PLAIN) -> str:
    """A tree in brackets: inner nodes with their children, leaves as words."""
    tree = tree_of(sql, whole, words)

    def text(node):
        children = [text(child) for child, parent in enumerate(tree.parents) if parent == node]
        return f"({' '.join([tree.labels[node], *children])})" if tree.kinds[node] != LEAF else tree.labels[node]

    return " ".join(text(child) for child, parent in enumerate(tree.parents) if parent == 0)


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT count(*) FROM team", "(select (column count *) (from (table team)))"),
        ("SELECT DISTINCT homeCity FROM team", "(select distinct (column home city) (from (table team)))"),
        ("SELECT avg(DISTINCT t.a) FROM u AS t", "(select (column avg distinct (table u) a) (from (table u)))"),
        ("SELECT max(a - b) FROM t", "(select (max max (- (column a) (column b))) (from (table t)))"),
        ("WHERE a = 'New York' AND NOT b > 3 AND c < 4",
         "(where (and (= (column a) New York) (> not (column b) 3) (< (column c) 4)))"),
        ("WHERE a BETWEEN 1 AND 2 OR b LIKE '%x%'", "(where (or (between (column a) 1 2) (like (column b) % x %)))"),
        ("WHERE a NOT IN (SELECT b FROM t)",
         "(where (in not (column a) (query (select (column b) (from (table t))))))"),
        ("GROUP BY a HAVING count(*) >= 2", "(group by (column a) (having (>= (column count *) 2)))"),
        ("ORDER BY a DESC, b LIMIT 3", "(order by (column a desc) (column b asc) (limit 3))"),
        ("WHERE a > 1 LIMIT 3", "(where (> (column a) 1)) (limit 3)"),
        ("SELECT a / 2, 'x', coalesce(a, b) FROM t",
         "(select (/ (column a) 2) x (coalesce (column a) (column b)) (from (table t)))"),
        ("SELECT t.* FROM t CROSS JOIN u", "(select (column (table t) *) (from (table t) (table u)))"),
        ("SELECT a FROM (SELECT b FROM t) AS s",
         "(select (column a) (from (query (select (column b) (from (table t))))))"),
        ("WITH s AS (SELECT 1) SELECT a FROM s",
         "(with (table s) (query (select 1))) (select (column a) (from (table s)))"),
        ("WHERE EXISTS (SELECT 1 FROM t) AND a IS NOT NULL",
         "(where (and (exists (query (select 1 (from (table t))))) (is not (column a) null)))"),
        ("WHERE T1.a = 1", "(where (= (column a) 1))"),
        ("EXCEPT SELECT a FROM t", "(except (query (select (column a) (from (table t)))))"),
        ("SELECT a FROM t UNION ALL SELECT b FROM u",
         "(select (column a) (from (table t))) (union all (query (select (column b) (from (table u)))))"),
        ("SELECT a FROM t JOIN u ON t.i = u.j",
         "(select (column a) (from (table t) (table u) (= (column (table t) i) (column (table u) j))))"),
    ],
)  # fmt: skip
def test_trees(sql, expected):
    assert shown(sql) == expected


WHOLES = [
    """SELECT T1.name, count(*) FROM team AS T1 JOIN coach AS T2 ON T1.id = T2.team_id WHERE T2.age > 30
    GROUP BY T1.name HAVING count(*) > 2 ORDER BY count(*) DESC LIMIT 1""",
    "SELECT a FROM t WHERE b = 'x' ORDER BY a INTERSECT SELECT a FROM t WHERE b = 'y' ORDER BY c",
    "SELECT name FROM team WHERE id NOT IN (SELECT T1.team_id FROM coach AS T1) LIMIT 5",
]


def parts_of_tree(sql: str, whole: str) -> list[str]:
    """The subtrees below the root."""
    tree = tree_of(sql, whole)
    starts = [node for node, parent in enumerate(tree.parents) if parent == 0]
    ends = [*starts[1:], len(tree.parents)]
    return [str((tree.labels[a:b], tree.kinds[a:b], tree.names[a:b])) for a, b in zip(starts, ends, strict=True)]


@pytest.mark.parametrize("whole", WHOLES)
def test_the_trees_of_the_parts_are_the_parts_of_the_tree(whole):
    parts = [subtree for clause in split(whole) for subtree in parts_of_tree(clause.sql, whole)]
    assert sorted(parts) == sorted(parts_of_tree(whole, whole))


def test_the_same_on_spider(spider_home):
    import json

    queries = dict.fromkeys(record["query"] for record in json.loads((spider_home / "dev.json").read_text("utf-8")))
    odd = []
    for whole in list(queries)[::4]:
        parts = [subtree for clause in split(whole) for subtree in parts_of_tree(clause.sql, whole)]
        if sorted(parts) != sorted(parts_of_tree(whole, whole)):
            odd.append(whole)
    assert odd == []


WORDS = Words(
    Names(
        {"emp": "employee", "shp": "shop"},
        {"emp": {"lname": "last name", "sid": "shop id"}, "shp": {"sid": "number", "cty": "city"}},
    )
)


@pytest.mark.parametrize(
    ("sql", "whole", "expected"),
    [
        ("SELECT T1.lname FROM Emp AS T1", None,
         "(select (column (table employee) last name) (from (table employee)))"),
        ("SELECT sid FROM shp", None, "(select (column number) (from (table shop)))"),
        ("WHERE sid = 'sid'", "SELECT cty FROM shp WHERE sid = 'sid'", "(where (= (column number) sid))"),
        ("WHERE t.sid > 2", "SELECT t.cty FROM shp AS t WHERE t.sid > 2", "(where (> (column (table shop) number) 2))"),
        ("EXCEPT SELECT sid FROM emp", "SELECT sid FROM shp EXCEPT SELECT sid FROM emp",
         "(except (query (select (column shop id) (from (table employee)))))"),
        ("ORDER BY max(lname)", "SELECT cty FROM shp ORDER BY max(lname)", "(order by (column max last name asc))"),
        ("SELECT a FROM emp JOIN shp USING (sid)", None,
         "(select (column a) (from (table employee) (table shop) (column shop id)))"),
        ("SELECT homeCity FROM clubOfYear AS T1 GROUP BY T1.no_one", None,
         "(select (column home city) (from (table club of year))) (group by (column (table club of year) no one))"),
    ],
)  # fmt: skip
def test_natural_names(sql, whole, expected):
    assert shown(sql, whole, WORDS) == expected


def test_the_relations_of_a_graph_know_columns_by_their_real_names():
    tree = tree_of("SELECT T2.lname FROM shp AS T1 JOIN emp AS T2 ON T1.sid = T2.sid WHERE cty > 'a'", None, WORDS)
    named = [name for name, kind in zip(tree.names, tree.kinds, strict=True) if KINDS[kind] == "column"]
    assert named == [("emp", "lname"), ("shp", "sid"), ("emp", "sid"), ("shp", "cty")]


def test_the_trees_of_a_query_and_of_its_parts_say_the_same_in_one_database():
    whole = "SELECT sid FROM shp WHERE cty = 'x' GROUP BY sid"
    parts = [shown(clause.sql, whole, WORDS) for clause in split(whole)]
    assert " ".join(parts) == shown(whole, None, WORDS)


def test_nodes_stand_behind_their_parents_in_order():
    leaf = Node("leaf", "a")
    tree = _flat(Node("root", "query", (Node("clause", "select", (leaf, Node("table", "table", (leaf,)))), leaf)))
    assert tree.labels == ("query", "select", "a", "table", "a", "a")
    assert tree.parents == (-1, 0, 1, 1, 3, 0)
    assert tree.leaves == (2, 4, 5)
    assert [KINDS[kind] for kind in tree.kinds[:2]] == ["root", "clause"]


def test_what_cannot_be_parsed_becomes_a_flat_tree():
    tree = tree_of("WHERE = = a")
    assert tree.labels == ("query", "where", "=", "=", "a")
    assert set(tree.parents[1:]) == {0}


def test_what_cannot_be_lexed_is_refused():
    with pytest.raises(SqlError):
        tree_of("SELECT 'a")
