"""Golden suites, batches that go on after any end, figures and gates."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from contextlib import closing

import pytest

from lib.accuracy.audit import audit_record
from lib.accuracy.batch import Job, _resized, evaluate_batch, run_batch
from lib.accuracy.engines.sqlite import SqliteEngine
from lib.accuracy.evaluation import Evaluator
from lib.accuracy.records import Case, Limits, Settings
from lib.accuracy.rendering import as_markdown, as_text, junit
from lib.accuracy.suite import GoldenQuery, join, read_cases, read_golden, read_lines
from lib.accuracy.summary import judge_gate, paired, summarise
from lib.errors import CorpusError, ParameterError, RecordError
from lib.files import read_jsonl
from lib.paths import DATA, ROOT

ARTICLE = '{"Q1": {"question": "Who?", "sql": "SELECT 1"}, "Q2": {"sql": "SELECT 2"}}'


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.json", ARTICLE),
        ("a.json", f"// golden_queries/benchmark.json\n{ARTICLE}"),
        ("a.json", '[{"id": "Q1", "sql": "SELECT 1", "question": "Who?"}, {"question_id": "Q2", "query": "SELECT 2"}]'),
        ("a.jsonl", '{"id": "Q1", "sql": "SELECT 1", "question": "Who?"}\n{"id": "Q2", "golden_sql": "SELECT 2"}\n'),
        ("a.csv", "question_id,sql,question\nQ1,SELECT 1,Who?\nQ2,SELECT 2,\n"),
    ],
)
def test_golden_forms(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    assert read_golden(tmp_path / name) == [GoldenQuery("Q1", "SELECT 1", "Who?"), GoldenQuery("Q2", "SELECT 2")]


@pytest.mark.parametrize(
    ("name", "text", "error", "message"),
    [
        ("a.json", "{", CorpusError, "not JSON"),
        ("a.json", "3", CorpusError, "holds int"),
        ("a.json", "[3]", RecordError, "record 0: expected an object"),
        ("a.json", '[{"id": "Q1"}]', RecordError, "record 0: no text under any of sql"),
        ("a.json", '[{"sql": "SELECT 1"}]', RecordError, "no text under any of question_id"),
        ("a.csv", "id,sql\nQ1,SELECT 1\nQ1,SELECT 2\n", RecordError, "record 1: the id 'Q1' was there before"),
        ("a.json", '[{"id": "Q1", "sql": "SELECT 1", "db_id": "../etc"}]', RecordError, "is no name"),
    ],
)
def test_broken_suites(tmp_path, name, text, error, message):
    (tmp_path / name).write_text(text)
    with pytest.raises(error, match=message):
        read_golden(tmp_path / name)


def test_cases_of_the_article(tmp_path):
    path = tmp_path / "test_cases.json"
    path.write_text('[{"question_id": "Q2", "generated_sql": ""}, {"question_id": "Q1", "generated_sql": "SELECT 1"}]')
    cases = join([GoldenQuery("Q1", "SELECT 1"), GoldenQuery("Q2", "SELECT 2")], read_cases(path))
    assert [(case.id, case.gold, case.pred) for case in cases] == [
        ("Q1", "SELECT 1", "SELECT 1"),
        ("Q2", "SELECT 2", ""),
    ]


def test_ids_must_match():
    golden = [GoldenQuery("Q1", "SELECT 1"), GoldenQuery("Q2", "SELECT 2")]
    with pytest.raises(ParameterError, match="'Q12', which is no golden query: did you mean"):
        join(golden, {"Q1": "SELECT 1", "Q12": "SELECT 2"})
    with pytest.raises(ParameterError, match="1 of 2 golden queries, first 'Q2'"):
        join(golden, {"Q1": "SELECT 1"})


def test_lines(tmp_path):
    (tmp_path / "p.txt").write_bytes(b"SELECT 1\tshop\r\n\nSELECT 3\n")
    assert read_lines(tmp_path / "p.txt") == ["SELECT 1", "", "SELECT 3"]


def some_cases(count: int) -> list[Case]:
    return [
        Case(f"q{n}", f"SELECT name FROM staff WHERE id >= {n % 4}", f"SELECT name FROM staff WHERE id > {n % 7}")
        for n in range(count)
    ]


def test_batch_goes_on_where_it_stopped(tmp_path, shop):
    job, cases, out = Job(f"sqlite:{shop}", Settings()), some_cases(100), tmp_path / "out" / "evaluations.jsonl"
    assert list(run_batch(cases, job, out))[-1] == 100
    whole = [stable(record) for record in read_jsonl(out)]
    lines = out.read_bytes().splitlines(keepends=True)
    for torn in (b"", b"".join(lines[:40]), b"".join(lines[:40]) + lines[40][:25]):
        out.write_bytes(torn)
        list(run_batch(cases, job, out))
        assert [stable(record) for record in read_jsonl(out)] == whole


def stable(record: dict) -> dict:
    return {name: value for name, value in record.items() if not name.endswith("seconds")}


def test_batch_refuses_the_records_of_another_run(tmp_path, shop):
    out = tmp_path / "evaluations.jsonl"
    list(run_batch(some_cases(5), Job(f"sqlite:{shop}", Settings()), out))
    for cases, settings in (
        (some_cases(9)[1:], Settings()),
        (some_cases(5), Settings(order="ignore")),
        (some_cases(4), Settings()),
    ):
        with pytest.raises(ParameterError, match="another run"):
            list(run_batch(cases, Job(f"sqlite:{shop}", settings), out))


def test_processes_give_the_same_records(tmp_path, shop):
    cases = some_cases(120)
    job = Job(f"sqlite:{shop}", Settings())
    for jobs in (1, 2):
        list(run_batch(cases, job, tmp_path / f"{jobs}.jsonl", jobs))
    one, two = (list(map(stable, read_jsonl(tmp_path / f"{jobs}.jsonl"))) for jobs in (1, 2))
    assert one == two


KILLED = """
import sys
from pathlib import Path
from lib.accuracy.audit import audit_record
from lib.accuracy.batch import Job, run_batch
from lib.accuracy.records import Settings
from test_suite import some_cases
for count in run_batch(some_cases(3000), Job(f"sqlite:{sys.argv[1]}", Settings()), Path(sys.argv[2])):
    print(count, flush=True)
"""


def test_no_record_is_lost_or_doubled_after_a_kill(tmp_path, shop):
    out = tmp_path / "evaluations.jsonl"
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}:{os.path.dirname(__file__)}"}
    child = subprocess.Popen([sys.executable, "-c", KILLED, shop, out], env=environment, stdout=subprocess.PIPE)
    child.stdout.readline()
    time.sleep(0.05)
    os.kill(child.pid, signal.SIGKILL)
    child.communicate()
    before = out.read_bytes().count(b"\n")
    assert 0 < before < 3000
    list(run_batch(some_cases(3000), Job(f"sqlite:{shop}", Settings()), out))
    assert [record["id"] for record in read_jsonl(out)] == [f"q{n}" for n in range(3000)]


def test_a_batch_as_a_data_frame(shop):
    frame = evaluate_batch(some_cases(3), f"sqlite:{shop}", Settings(limits=Limits(timeout_s=2)))
    assert list(frame["question_id"]) == ["q0", "q1", "q2"]
    assert list(frame["exact"]) == [True, False, False]


def records_of(shop, *preds: str) -> list[dict]:
    gold = "SELECT name FROM staff ORDER BY pay DESC"
    evaluator = Evaluator(SqliteEngine(shop))
    cases = [Case(f"q{n}", gold, pred, f"db{n % 2}") for n, pred in enumerate(preds)]
    return [audit_record(evaluator.evaluate(case)) for case in cases]


RIGHT, WRONG, HOSTILE = "SELECT name FROM staff ORDER BY pay DESC", "SELECT 1 & '<b>|'", "DROP TABLE staff"


def test_summary_and_reports(shop):
    records = records_of(shop, RIGHT, WRONG, HOSTILE, RIGHT)
    summary = summarise(records)
    assert (summary.rate.right, summary.rate.total, summary.statuses["unsafe"]) == (2, 4, 1)
    assert summary.by_clauses["2"].total == 4
    assert summary.by_construct["order by"].right == 2
    assert "2   4  50.00" in as_text(summary)
    assert "| exact | 2 | 4 | 50.00 |" in as_markdown(summary)
    root = ElementTree.fromstring("".join(junit(records, "exact")))
    assert [len(case) for case in root.iter("testcase")] == [0, 1, 1, 0]
    assert "<b>|" in next(root.iter("failure")).text


def test_markdown_takes_ids_as_text():
    record = records_of_id("<b>@team</b> *x* [y](z) `c`|\n# d")
    text = as_markdown(summarise([record]))
    assert "&lt;b&gt;@\u200bteam&lt;/b&gt; \\*x\\* \\[y\\](z) \\`c\\`\\| # d" in text


def records_of_id(name: str) -> dict:
    """A record whose golden query fails, so that every report names it."""
    evaluation = Evaluator(SqliteEngine("nowhere.sqlite")).evaluate(Case(name, "SELECT 1", "SELECT 1"))
    assert evaluation.status == "no_database"
    return audit_record(evaluation)


def test_gates(shop):
    good, bad = records_of(shop, *[RIGHT] * 8), records_of(shop, *[WRONG] * 8)
    assert judge_gate(summarise(good), 100, paired(good, bad)).passed
    against = paired(bad, good)
    assert (against.gains, against.losses, against.p) == (0, 8, 2 / 256)
    gate = judge_gate(summarise(bad), 50, against)
    assert not gate.passed
    assert [reason.split()[0] for reason in gate.reasons] == ["accuracy", "significantly"]
    slightly = records_of(shop, *[RIGHT] * 6, WRONG, WRONG)
    assert judge_gate(summarise(slightly), 70, paired(slightly, good)).passed  # two losses may be chance


def test_unjudged_pairs_are_left_out():
    empty = summarise([])
    assert (empty.judged, empty.rate.share) == (0, 0.0)
    assert "nothing found" in as_text(empty)


def test_the_suite_in_the_repository(tmp_path):
    """The article's example in its own form: 75.0 for two of four columns, and a golden LIMIT that cuts a tie."""
    path = tmp_path / "employees.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript((DATA / "golden_queries" / "employees.sql").read_text())
    folder = DATA / "golden_queries"
    cases = join(read_golden(folder / "benchmark.json"), read_cases(folder / "test_cases.json"))
    evaluator = Evaluator(SqliteEngine(path))
    seen = {case.id: evaluator.evaluate(case) for case in cases}
    assert (seen["Q1"].row_score, seen["Q1"].column_score, seen["Q1"].accuracy) == (100.0, 50.0, 75.0)
    assert [seen[key].exact for key in ("Q1", "Q2", "Q3", "Q4")] == [False, True, True, False]
    assert "gold_nondeterministic" in seen["Q4"].flags
    assert seen["Q4"].limit_pool == (("Chen",), ("Dana",))


def test_the_package_offers_what_programs_need(shop):
    import lib.accuracy

    for name in lib.accuracy.__all__:
        assert getattr(lib.accuracy, name).__name__ == name
    assert lib.accuracy.evaluate("SELECT 1", "SELECT 1.0", f"sqlite:{shop}").exact
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = lib.accuracy.nothing


@pytest.mark.parametrize(
    ("size", "seconds", "wanted"), [(16, 0.01, 32), (128, 0.01, 128), (64, 0.8, 64), (64, 5.0, 32), (16, 5.0, 16)]
)
def test_chunks_grow_while_they_are_quick(size, seconds, wanted):
    assert _resized(size, seconds) == wanted


class Deadly(Case):
    """A case that ends any process that receives it."""

    def __reduce__(self):
        return os._exit, (1,)


def test_a_case_that_ends_its_process_costs_no_other_case(tmp_path, shop):
    cases = some_cases(50)
    cases[20] = Deadly("deadly", "SELECT 1", "SELECT 1")
    out = tmp_path / "evaluations.jsonl"
    assert list(run_batch(cases, Job(f"sqlite:{shop}", Settings()), out, 2))[-1] == 50
    records = list(read_jsonl(out))
    assert [record["id"] for record in records] == [case.id for case in cases]
    assert [record["error"] for record in records if record["error"]] == ["the process that evaluated it ended"]
