from lib.partition.leakage import clause_keys, evidence, leakage
from lib.records import Pair


def pair(example, sql, text, kinds=("SELECT",), db="zoo", source="dev"):
    return Pair(f"{example}:{'+'.join(kinds)}", example, db, tuple(kinds), sql, text, len(kinds), source, {})


TRAIN = [
    pair("a", "SELECT x FROM t", "the x"),
    pair("a", "SELECT x FROM t WHERE y = 1", "the x with y one", ("SELECT", "WHERE")),
    pair("b", "WHERE Y = 1", "with y one", ("WHERE",)),
    pair("c", "ORDER BY z", "by z", ("ORDER BY",), db="farm"),
    pair("d", "SELECT q FROM u", ""),
]
THREE = ("SELECT", "WHERE", "ORDER BY")


def test_same_question_goes_before_others():
    test = [
        pair("a", "…", "the x with y one", THREE),
        pair("b", "…", "the x with y one", THREE),
        pair("b", "…", "nothing like it", THREE),
        pair("e", "…", "", THREE),
    ]
    found = leakage(iter(TRAIN), {"test": test, "none": []})
    assert (found["test"].pairs, found["test"].same_question, found["test"].other_question) == (4, 1, 1)
    assert found["test"].share == 0.5
    assert (found["none"].pairs, found["none"].share) == (0, 0.0)


def test_an_empty_text_is_no_leak():
    assert leakage(TRAIN, {"test": [pair("d", "…", "", THREE)]})["test"].share == 0


def test_evidence_by_database_and_anywhere_ignores_case():
    test = [pair("a", "SELECT x FROM t WHERE y = 1 ORDER BY z", "…", THREE), pair("a", "SELECT n FROM m", "…")]
    found = evidence(iter(TRAIN), test)
    assert (found.clauses, found.in_database, found.anywhere, found.without) == (4, 2, 3, 1)


def test_keys_of_partial_sql():
    assert clause_keys(pair("a", "WHERE A = 'B' GROUP BY C", "", ("WHERE", "GROUP BY"))) == [
        "where a = 'b'",
        "group by c",
    ]
