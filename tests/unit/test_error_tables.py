"""Counts of errors by system, clause and number of clauses, on texts whose errors are known."""

import pytest

from lib.error_tables import (
    claims,
    clause_table,
    judge,
    learned,
    one_of_each,
    share_table,
    short_pair,
    size_table,
    typical,
    worst,
)
from lib.errors import StudyError
from lib.metrics.errors import DROPPED, KINDS_OF_ERROR
from lib.metrics.errors.trust import Trust
from lib.records import Pair

SQL = "SELECT name FROM boat WHERE harbour = 'Sligo' ORDER BY age DESC"
TEXT = "Show the names of the boats in Sligo , in descending order of age ."


def pair(number: int, sql: str = SQL, text: str = TEXT, kinds=("SELECT", "WHERE", "ORDER BY")) -> Pair:
    return Pair(
        f"dev-{number:05d}:{'+'.join(kinds)}", f"dev-{number:05d}", "boats", kinds, sql, text, len(kinds), "dev", {}
    )


PAIRS = [pair(0), pair(1, text="Which boats lie in Sligo ? Sort them by age in descending order ."), pair(2)]
GOOD = [TEXT, PAIRS[1].text, "List the names of boats in Sligo in descending order of age ."]
BAD = ["Show the names of the boats in Sligo .", "Show the names of the boats in Dingle , in descending order of age .",
       "in Sligo show the names of the boats of the boats , in descending order of age ."]  # fmt: skip


@pytest.fixture(scope="module")
def judged():
    return judge({"good": GOOD, "bad": BAD}, PAIRS, {})


def test_shares(judged):
    shares = share_table(judged).set_index("kind")
    assert list(shares.index) == [*KINDS_OF_ERROR, "no error found", "correct (exact match)"]
    assert shares["good"]["no error found"] == 100
    assert shares["good"]["correct (exact match)"] == pytest.approx(200 / 3)
    assert (
        shares["bad"][["clause dropped", "wrong value", "order of clauses", "repetition"]].tolist()
        == [pytest.approx(100 / 3)] * 4
    )
    assert shares["bad"]["no error found"] == 0


def test_by_clause(judged):
    table = clause_table(judged, "bad").set_index("kind")
    assert list(table.columns) == ["SELECT", "WHERE", "ORDER BY"]
    assert table["ORDER BY"]["clause dropped"] == pytest.approx(100 / 3)
    assert table["WHERE"]["wrong value"] == pytest.approx(100 / 3)
    assert table["WHERE"]["clause dropped"] == 0
    assert table["WHERE"]["texts"] == 3


def test_by_size(judged):
    table = size_table(judged)
    assert table[["system", "clauses", "texts"]].values.tolist() == [["good", 3, 3], ["bad", 3, 3]]
    assert table["without a finding %"].tolist() == [100, 0]


@pytest.mark.parametrize(("fours", "said"), [(0, ""), (9, "cannot be told here"), (10, "holds")])
def test_nothing_is_stated_of_few_texts(fours, said):
    kinds = ("SELECT", "WHERE", "GROUP BY", "ORDER BY")
    pairs = [pair(n, SQL.replace("Sligo", f"S{n}"), TEXT.replace("Sligo", f"S{n}")) for n in range(12)]
    pairs += [pair(n, f"{SQL} LIMIT {n}", f"{TEXT} {n}", kinds) for n in range(20, 20 + fours)]
    texts = [one.text if one.n_clauses == 3 else "names ." for one in pairs]
    found = {row[0]: row for row in claims(judge({"s": texts}, pairs, {}), ["s"], [Trust(DROPPED, 20, 20)])}
    row = found.get("s: texts for 4 clauses have more kinds of error than texts for 3")
    assert (row[3] if row else "") == said
    if fours == 9:
        assert row[2] == "9 texts for 4 clauses, too few"


def test_other_texts_of_the_same_sql_are_references_too():
    (only,) = judge({"s": ["Which boats lie in Sligo ? Sort them by age in descending order ."]}, PAIRS[:1], {})
    several = judge({"s": [PAIRS[1].text] * 3}, PAIRS, {})
    assert only.diagnosis.verdict != "correct"
    assert [item.diagnosis.verdict for item in several] == ["correct"] * 3


def test_examples(judged):
    assert one_of_each(judged)["kind"].tolist() == ["clause dropped", "wrong value", "order of clauses", "repetition"]
    assert len(worst(judged, 5)) == len(typical(judged, 5)) == 1  # each SQL once
    assert worst(judged, 1)["system"].tolist() == ["bad"]


def test_the_pair_for_pictures_is_short():
    longer = pair(3, sql="SELECT name FROM boat WHERE harbour = 'Sligo' AND crew = 3 ORDER BY age DESC")
    other = pair(4, sql="SELECT a FROM b", kinds=("SELECT",))
    assert short_pair([other, longer, PAIRS[0]]) == PAIRS[0]


def test_no_run(tmp_path):
    with pytest.raises(StudyError, match="no scored run on 'paper'"):
        learned(tmp_path, "paper")
