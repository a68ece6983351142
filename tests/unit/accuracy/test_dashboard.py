"""The dashboard: its tables, and its page as Streamlit's own test runner sees it."""

import json
import os
from pathlib import Path

import pytest

from lib.accuracy.dashboard import tables
from lib.errors import CorpusError, RecordError

APP = Path(tables.__file__).with_name("app.py")
HOSTILE = '<img src=x onerror="alert(1)"> **bold** [link](https://example.org) $x$ :red[y] </code>'


def _record(name: str, right: bool = True, **changes) -> dict:
    views = dict.fromkeys(("exact", "contains", "subset", "superset", "lenient", "bird", "test_suite"), right)
    record = {"id": name, "db_id": "harbour", "status": "ok", **views, "flags": [], "difference": None, "error": None,
              "gold_sql": "SELECT name FROM ship WHERE age > 5", "pred_sql": "SELECT name FROM ship WHERE age >= 5",
              "gold_rows": 3, "pred_rows": 3, "row_score": 50.0, "column_score": 100.0, "accuracy": 75.0}  # fmt: skip
    return {**record, **changes}


def _write(folder: Path, name: str, records: list[dict], day: int) -> None:
    path = folder / name / tables.RECORDS
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    os.utime(path, (86_400 * day, 86_400 * day))


@pytest.fixture
def runs(tmp_path) -> Path:
    first = [_record("Q1"), _record("Q2", False, difference="row 1: 7 for 8"), _record("Q3", False),
             _record("Q4", False, status="no_database"), _record("Q5", exact=None)]  # fmt: skip
    second = [
        _record("Q1"),
        _record("Q2"),
        _record("Q3"),
        _record("Q4", False, status="gold_error"),
        _record("Q5", False),
    ]
    _write(tmp_path, "second", second, 2)
    _write(tmp_path, "old/first", first, 1)
    return tmp_path


def test_runs_are_found_oldest_first(runs):
    found = tables.find_runs(runs)
    assert [(run.name, run.written) for run in found] == [
        ("old/first", "1970-01-02 00:00:00"),
        ("second", "1970-01-03 00:00:00"),
    ]


def test_rates_leave_out_what_is_not_judged(runs):
    first, second = tables.find_runs(runs)
    rows, problems = tables.trend_rows([first, second], "exact")
    assert [(row["run"], row["right"], row["total"], row["accuracy %"]) for row in rows] == [
        ("old/first", 1, 4, 25.0),
        ("second", 3, 4, 75.0),
    ]
    assert all(row["low"] < row["accuracy %"] < row["high"] for row in rows)
    assert not problems


@pytest.mark.parametrize(
    ("options", "ids"),
    [
        ({}, ["Q1", "Q2", "Q3", "Q4", "Q5"]),
        ({"outcomes": ["wrong"]}, ["Q2", "Q3"]),
        ({"outcomes": ["undecided", "not judged"]}, ["Q4", "Q5"]),
        ({"statuses": ["no_database"]}, ["Q4"]),
        ({"text": " q3 "}, ["Q3"]),
        ({"text": "AGE >="}, ["Q1", "Q2", "Q3", "Q4", "Q5"]),
        ({"text": "nothing like it"}, []),
        ({"outcomes": []}, []),
    ],
)
def test_verdicts_are_filtered(options, ids, runs):
    records = tables.load(tables.find_runs(runs)[0])
    assert [row["id"] for row in tables.verdict_rows(records, "exact", **options)] == ids


def test_two_runs_part_on_questions_judged_in_both(runs):
    first, second = tables.find_runs(runs)
    found, rows = tables.compared(second, first, "exact")
    assert (found.gains, found.losses, found.both) == (2, 0, 4)
    assert [(row["id"], row["change"]) for row in rows] == [("Q2", "gained"), ("Q3", "gained")]


def test_clauses_that_differ_are_shown():
    rows, problem = tables.clause_rows(_record("Q1"))
    assert not problem
    (where,) = [row for row in rows if row["clause"] == "WHERE"]
    assert (where["golden only"], where["generated only"]) == ("ship.age > 5", "ship.age >= 5")
    rows, problem = tables.clause_rows(_record("Q1", pred_sql="SELECT 'a"))
    assert not rows
    assert "unclosed literal" in problem


def test_clauses_come_from_the_record_if_it_has_them():
    clause = {"clause": "WHERE", "shared": 2, "missing": ["a"], "extra": []}
    structure = {"clauses": [clause], "problem": "", "tree": 0.5, "levenshtein": 0.25, "jaccard": 0.125}
    rows, _ = tables.clause_rows(_record("Q1", structure=structure))
    assert rows == [{"clause": "WHERE", "golden only": "a", "generated only": "", "in both": 2}]
    assert tables.similarity(_record("Q1", structure=structure))["Jaccard"] == 0.125


def test_broken_runs_are_said_and_set_aside(runs):
    _write(runs, "empty", [], 3)
    _write(runs, "other", [{"id": 1}], 4)
    *_, empty, other = tables.find_runs(runs)
    with pytest.raises(CorpusError, match="holds no record"):
        tables.load(empty)
    with pytest.raises(RecordError, match="no 'db_id'"):
        tables.load(other)
    rows, problems = tables.trend_rows(tables.find_runs(runs), "exact")
    assert len(rows) == 2
    assert [problem.split(":")[0] for problem in problems] == ["empty", "other"]


def test_a_run_that_grows_is_read_again(runs):
    (run, _) = tables.find_runs(runs)
    assert len(tables.load(run)) == 5
    _write(runs, "old/first", [_record("Q9")], 1)
    assert len(tables.load(tables.find_runs(runs)[0])) == 1


@pytest.fixture
def page(monkeypatch):
    """Runs the page over a folder."""
    testing = pytest.importorskip("streamlit.testing.v1", reason="the dashboard is an extra: spidercompose[dashboard]")

    def run(folder: Path):
        monkeypatch.setattr("sys.argv", ["app", "--runs", str(folder)])
        found = testing.AppTest.from_file(str(APP), default_timeout=60).run()
        assert not found.exception
        return found

    return run


def test_the_page_shows_the_newest_run(page, runs):
    seen = page(runs)
    assert seen.selectbox(key="run").value == "second"
    assert [tab.label for tab in seen.tabs] == ["Overview", "Verdicts", "One evaluation", "Two runs", "Trend"]
    metrics = {metric.label: metric.value for metric in seen.metric}
    assert metrics["Accuracy"] == "75.0 %"
    assert metrics["Judged"] == "4 of 5"
    assert metrics["95 % interval"] == "30.1–95.4 %"
    assert seen.warning  # one golden query fails
    assert list(seen.dataframe[0].value["finding"]) == ["golden query fails"]


def test_another_run_and_another_mode_change_the_figures(page, runs):
    seen = page(runs)
    seen.selectbox(key="run").select("old/first").run()
    assert seen.metric[0].value == "25.0 %"
    seen.selectbox(key="mode").select("lenient").run()
    assert seen.metric[0].value == "50.0 %"
    assert not seen.exception


def test_one_evaluation_stands_side_by_side(page, runs):
    seen = page(runs)
    seen.selectbox(key="run").select("old/first").run()
    assert seen.selectbox(key="question").options == ["Q2", "Q3", "Q4", "Q5"]
    assert seen.selectbox(key="question").value == "Q4"  # the question stays when the run changes
    seen.selectbox(key="question").select("Q2").run()
    codes = [code.value for code in seen.code]
    assert codes == ["SELECT name FROM ship WHERE age > 5", "SELECT name FROM ship WHERE age >= 5", "row 1: 7 for 8"]
    seen.checkbox(key="only_wrong").uncheck().run()
    assert "Q1" in seen.selectbox(key="question").options


def test_the_filters_work_together(page, runs):
    seen = page(runs)
    seen.selectbox(key="run").select("old/first").run()
    seen.multiselect(key="outcomes").set_value(["wrong"]).run()
    seen.text_input(key="text").set_value("Q2").run()
    assert "1 of 5 evaluations" in [text.value for text in seen.text]


def test_untrusted_text_reaches_no_markdown_and_no_html(page, tmp_path):
    hostile = {
        "id": HOSTILE,
        "db_id": HOSTILE,
        "gold_sql": HOSTILE,
        "pred_sql": f"SELECT '{HOSTILE}'",
        "difference": HOSTILE,
    }
    records = [
        _record("x", False, **hostile, flags=[HOSTILE]),
        _record("y", False, **{**hostile, "id": "y"}, error=HOSTILE),
    ]
    _write(tmp_path, "a **b** <script>", records, 1)
    _write(tmp_path, "c", [_record("y")], 2)
    seen = page(tmp_path)
    seen.selectbox(key="run").select("a **b** <script>").run()
    assert not seen.exception
    rich = [
        *seen.markdown,
        *seen.title,
        *seen.header,
        *seen.subheader,
        *seen.caption,
        *seen.warning,
        *seen.error,
        *seen.info,
    ]
    texts = [str(element.value) for element in rich] + [str(metric.label) for metric in seen.metric]
    texts += [str(table.value.to_dict()) for table in seen.table]  # these tables read Markdown
    assert texts
    assert not [text for text in texts if "onerror" in text or "<script>" in text or "**" in text]
    assert HOSTILE in [code.value for code in seen.code]  # it is there, as plain text


@pytest.mark.parametrize("name", ["nothing", "empty"])
def test_without_runs_the_page_says_how_to_make_one(name, page, tmp_path):
    (tmp_path / "empty").mkdir()
    seen = page(tmp_path / name)
    assert "spidercompose accuracy run" in seen.warning[0].value


def test_a_broken_run_is_said_on_the_page(page, tmp_path):
    _write(tmp_path, "broken", [{"id": 1}], 1)
    seen = page(tmp_path)
    assert seen.error[0].value == "This run cannot be read."
    assert any("no 'db_id'" in text.value for text in seen.text)
