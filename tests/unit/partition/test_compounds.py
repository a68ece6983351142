import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.errors import ParameterError, SqlError
from lib.partition import shaw, sql_nodes
from lib.partition.compounds import chains, definition, ours, published
from lib.partition.nodes import BLANK, Node

FULL = (
    "SELECT DISTINCT T1.name , count(*) FROM ship AS T1 JOIN port AS T2 ON T1.home = T2.id WHERE T2.depth > 9 AND"
    " T1.age BETWEEN 1 AND 5 GROUP BY T1.name HAVING count(*) >= 2 ORDER BY count(*) DESC LIMIT 3"
)


@pytest.mark.parametrize(
    ("query", "label"),
    [
        ("SELECT a FROM t", "select ___ from ___"),
        ("SELECT a FROM t WHERE b = 1 ORDER BY c", "___ order by ___"),
        ("SELECT a FROM t LIMIT 3;", "___ limit ___"),
        ("SELECT a FROM t UNION SELECT b FROM u ORDER BY b", "___ union ___"),
        ("SELECT a FROM t EXCEPT SELECT b FROM u UNION SELECT c FROM v", "___ union ___"),
    ],
)
def test_published_roots(query, label):
    assert shaw.read(query).label == label


def labels(tree: Node) -> list[str]:
    return [node.label for node in tree.walk()]


def test_published_grammar_keeps_aliases_and_ignores_the_precedence_of_and():
    tree = shaw.read("SELECT T1.a FROM t AS T1 WHERE x = 1 OR y = 2 AND z = 'New  York'")
    assert labels(tree)[:4] == ["___ where ___", "select ___ from ___", "___ . ___", "t1"]
    condition = tree.children[1]
    assert condition.label == "___ and ___"
    assert condition.children[0].label == "___ or ___"
    assert condition.children[1].children[1].label == "'new york'"


def test_published_between_makes_two_nodes():
    assert "between ___ and ___" in labels(shaw.read(FULL))
    assert "between - ___ and ___" in labels(shaw.read("SELECT a FROM t WHERE b BETWEEN -5 AND 3"))


@pytest.mark.parametrize(
    "query", ["SELECT FROM", "SELECT a FROM t WHERE", "SELECT a FROM t u v", "SELECT a FROM t )", ""]
)
def test_published_definition_says_where_it_stops(query):
    with pytest.raises(SqlError, match="published definition cannot read the SQL"):
        published(query)


@pytest.mark.parametrize("read", [published, ours])
def test_nesting_without_end_is_an_error_not_a_crash(read):
    with pytest.raises(SqlError):
        read("SELECT " + "(" * 9000 + "1" + ")" * 9000 + " FROM t")


def test_chains_have_two_and_three_nodes_and_repeat():
    tree = Node(f"{BLANK} + {BLANK}", (Node("a"), Node("a")))
    assert list(chains(tree)) == ["a + ___", "___ + a"]
    assert dict(published("SELECT a , a FROM t").compounds)["select a , ___ from ___"] == 1
    assert dict(ours("SELECT sum(a) , sum(a) FROM t").compounds)["sum a"] == 2


def test_ours_drops_what_is_copied():
    first = ours("SELECT T1.name FROM ship AS T1 WHERE T1.age > 3 AND T1.flag = 'x'")
    assert first == ours("select s.NAME from ship s where s.AGE > 99.5 and s.flag = 'other'")
    assert first.atoms == ("=", ">", "age", "and", "flag", "from", "name", "select", "ship", "value", "where")


def test_ours_keeps_what_is_composed():
    texts = [
        "SELECT a FROM t",
        "SELECT DISTINCT a FROM t",
        "SELECT a FROM t ORDER BY a",
        "SELECT a FROM t ORDER BY a DESC",
        "SELECT a FROM t UNION SELECT b FROM t",
        "SELECT a FROM t UNION ALL SELECT b FROM t",
        "SELECT count(a) FROM t",
        "SELECT count(DISTINCT a) FROM t",
        "SELECT a FROM t JOIN u ON t.x = u.x",
        "SELECT a FROM t LEFT JOIN u ON t.x = u.x",
        "SELECT a FROM t WHERE b IN (SELECT c FROM u)",
        "SELECT a FROM t WHERE NOT b IN (SELECT c FROM u)",
        "SELECT a FROM t WHERE b IS NULL",
        "WITH q AS (SELECT a FROM t) SELECT a FROM q",
        "SELECT CASE WHEN a > 1 THEN b END FROM t",
        "SELECT a FROM (SELECT a FROM t) AS d",
        "SELECT rank() OVER (ORDER BY a) FROM t",
    ]
    assert len({ours(text) for text in texts}) == len(texts)


CLAUSES = [
    "SELECT a FROM t",
    "WHERE b > 1",
    "GROUP BY a HAVING count(*) > 2",
    "ORDER BY a DESC LIMIT 1",
    "EXCEPT SELECT a FROM u",
]


@given(st.sets(st.integers(0, 4), min_size=1))
def test_a_part_of_a_query_has_parts_of_its_atoms(chosen):
    part = " ".join(CLAUSES[i] for i in sorted(chosen))
    whole = set(ours(" ".join(CLAUSES)).atoms)
    found = ours(part)
    assert set(found.atoms) <= whole
    assert sql_nodes.REST not in found.atoms
    assert found.compounds


def test_unknown_definition():
    with pytest.raises(ParameterError, match="unknown definition 'shav': did you mean 'shaw'"):
        definition("shav")


def test_every_query_of_spider_can_be_read(spider_home):
    from lib.corpora import open_corpus

    corpus = open_corpus(str(spider_home))
    for example in corpus.examples("dev"):
        for read in (published, ours):
            assert read(example.query, corpus.schemas[example.db_id]).compounds
