"""The notebook's helpers: cases of known truth, and who judges them well."""

from pathlib import Path

import pytest

from lib.accuracy.strengthen import strengthen_suite, variants_of
from lib.accuracy.suite import GoldenQuery, read_golden
from lib.accuracy.walkthrough import address, article_database, judged, known_cases, mistakes, with_variants
from lib.paths import ROOT

GOLDEN = [
    GoldenQuery("Q1", "SELECT id, employee_name FROM employees WHERE salary > 50000"),
    GoldenQuery("Q2", "SELECT department, count(*) FROM employees GROUP BY department"),
    GoldenQuery("Q3", "SELECT employee_name FROM employees LIMIT 2"),  # any two: no truth in it
]


@pytest.fixture(scope="module")
def pairs(tmp_path_factory):
    """Judged pairs, and variants that did not take part in telling right from wrong."""
    folder = tmp_path_factory.mktemp("employees")
    path = article_database(folder)
    for name, seed in (("truth", 1), ("other", 2)):
        strengthen_suite(GOLDEN, lambda db_id: path, lambda db_id: None, folder / name, seed)
    truth, other = (lambda db_id, name=name: variants_of(folder / name, "employees") for name in ("truth", "other"))
    cases = list(known_cases(GOLDEN, lambda db_id: path, truth))
    return judged(cases, lambda db_id: path), other


def test_queries_without_truth_give_no_cases(pairs):
    assert {case.gold.id for case, _ in pairs[0]} == {"Q1", "Q2"}
    assert {case.right for case, _ in pairs[0]} == {True, False}


def test_simple_judges_are_mistaken_where_the_record_is_not(pairs):
    text, score, sets, record = mistakes(pairs[0])
    assert text.rejected == text.right
    assert score.rejected > 0  # renamed columns
    assert sets.rejected > 0  # columns in another order
    assert record.rejected == 0
    assert record.passed <= min(score.passed, sets.passed)


def test_variants_catch_what_one_database_lets_pass(pairs):
    before, after = mistakes(pairs[0])[-1], mistakes(with_variants(*pairs))[-1]
    assert before.passed > after.passed
    assert after.rejected == 0


def test_percents_have_intervals(pairs):
    row = mistakes(pairs[0])[0].as_row()
    assert row["right, rejected %"] == 100
    assert row["right, rejected: 95 %"].endswith("-100.0")


@pytest.mark.parametrize(
    ("engine", "expected"),
    [
        ("sqlite:data/{db_id}.sqlite", f"sqlite:{ROOT}/data/x.sqlite"),
        ("sqlite:/tmp/{db_id}.sqlite", "sqlite:/tmp/x.sqlite"),
        ("postgresql://host/{db_id}", "postgresql://host/x"),
    ],
)
def test_addresses_of_files_start_at_the_repository(engine, expected):
    assert address(engine, "x") == expected


def test_the_golden_suite_reads_and_has_a_database_for_each_query():
    golden = read_golden(ROOT / "data/golden_queries/builtin.json")
    assert len(golden) > 20
    for query in golden:
        path = address("sqlite:data/builtin/database/{db_id}/{db_id}.sqlite", query.db_id)[7:]
        assert Path(path).read_bytes()[:6] == b"SQLite", query.id
        assert query.question
