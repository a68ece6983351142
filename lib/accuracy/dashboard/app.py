"""The dashboard's page, run by Streamlit: `streamlit run lib/accuracy/dashboard/app.py -- --runs DIR`.

Names, SQL, messages and rows come from outside. They are shown by elements that take plain text only (code, text,
tables); nothing of them reaches Markdown or HTML.
"""

import argparse
import sys
from pathlib import Path

import altair
import pandas
import streamlit

from lib.accuracy.dashboard import tables
from lib.accuracy.dashboard.tables import OUTCOMES, Run
from lib.accuracy.records import MODES, STATUSES
from lib.accuracy.rendering import HEALTH
from lib.errors import CorpusError, RecordError

_HEIGHT = 26  # pixels of one bar


def main(arguments: list[str]) -> None:
    """Draws the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=Path, default=Path("runs"), help="folder with the run folders")
    folder = parser.parse_args(arguments).runs
    streamlit.set_page_config("SQL accuracy", layout="wide")
    streamlit.title("SQL accuracy")
    runs = tables.find_runs(folder)
    if not runs:
        streamlit.warning("No runs here. Make one with: spidercompose accuracy run ... --out RUNS/NAME")
        streamlit.text(f"Folder: {folder}")
        return
    run, mode = _choose(runs)
    try:
        tables.load(run)
    except (CorpusError, RecordError) as error:
        streamlit.error("This run cannot be read.")
        streamlit.text(str(error))
        return
    pages = {"Overview": _overview, "Verdicts": _verdicts, "One evaluation": _evaluation}
    names = [*pages, "Two runs", "Trend"]
    for name, tab in zip(names, streamlit.tabs(names), strict=True):
        with tab:
            if name in pages:
                pages[name](run, mode)
            elif name == "Two runs":
                _two_runs(run, runs, mode)
            else:
                _trend(runs, mode)


def _choose(runs: list[Run]) -> tuple[Run, str]:
    with streamlit.sidebar:
        by_name = {run.name: run for run in runs}
        name = streamlit.selectbox("Run", list(reversed(by_name)), key="run", help="The newest first.")
        mode = streamlit.selectbox("What counts as right", MODES, key="mode")
        streamlit.text(f"Written {by_name[name].written} UTC")
    return by_name[name], mode


def _overview(run: Run, mode: str) -> None:
    summary = tables.figures(run, mode)
    rate = summary.rate
    _health(summary)
    cells = streamlit.columns(4)
    cells[0].metric("Accuracy", f"{100 * rate.share:.1f} %", help="Right among those judged.")
    cells[1].metric("95 % interval", f"{100 * rate.low:.1f}–{100 * rate.high:.1f} %", help="Wilson.")
    cells[2].metric("Judged", f"{summary.judged} of {summary.total}")
    clustered = "-" if rate.cluster_low is None else f"{100 * rate.cluster_low:.1f}–{100 * rate.cluster_high:.1f} %"
    cells[3].metric("Interval over databases", clustered, help="Bootstrap, whole databases drawn.")
    streamlit.subheader("By number of clauses")
    _rates(summary.by_clauses, "clauses")
    streamlit.subheader("By construct")
    _rates(summary.by_construct, "construct")
    streamlit.subheader("Status")
    streamlit.table(pandas.DataFrame([{"status": name, "evaluations": n} for name, n in summary.statuses.items()]))


def _health(summary) -> None:
    """Findings about the golden suite stand above any figure that hangs on it."""
    if summary.health:
        streamlit.warning("The golden suite has findings: figures below rest on these queries too.")
        rows = [{"finding": HEALTH[name], "queries": count, "first": ", ".join(ids[:5])}
                for name, (count, ids) in summary.health.items()]  # fmt: skip
        streamlit.dataframe(pandas.DataFrame(rows), hide_index=True)


def _rates(rates, name: str) -> None:
    """Bars with intervals, and the same as a table for those who do not see bars."""
    if not rates:
        streamlit.text("Nothing to show.")
        return
    frame = pandas.DataFrame(tables.rate_rows(rates, name))
    base = altair.Chart(frame).encode(
        y=altair.Y(f"{name}:N", sort=None, title=name, axis=altair.Axis(labelOverlap=False))
    )
    scale = altair.Scale(domain=[0, 100])
    bars = base.mark_bar(color="#9ecae1").encode(x=altair.X("accuracy %:Q", scale=scale))
    lines = base.mark_rule(color="#08306b", strokeWidth=2).encode(
        x=altair.X("low:Q", scale=scale, title="accuracy % with 95 % interval"), x2="high:Q", tooltip=[*frame.columns]
    )
    streamlit.altair_chart((bars + lines).properties(height=_HEIGHT * len(frame) + 80), width="stretch")
    with streamlit.expander(f"Table: accuracy by {name}", expanded=False):
        streamlit.table(frame)


def _verdicts(run: Run, mode: str) -> None:
    left, middle, right = streamlit.columns(3)
    outcomes = left.multiselect("Outcome", OUTCOMES, default=list(OUTCOMES), key="outcomes")
    statuses = middle.multiselect("Status", STATUSES, key="statuses", help="None chosen: all.")
    text = right.text_input("Text in id, database or SQL", key="text")
    rows = tables.verdict_rows(tables.load(run), mode, outcomes, statuses, text)
    streamlit.text(f"{len(rows)} of {len(tables.load(run))} evaluations")
    streamlit.dataframe(pandas.DataFrame(rows), hide_index=True, width="stretch")


def _evaluation(run: Run, mode: str) -> None:
    records = {record["id"]: record for record in tables.load(run)}
    wrong = [name for name, record in records.items() if tables.outcome(record, mode) != "right"]
    only_wrong = streamlit.checkbox("Only those that are not right", value=bool(wrong), key="only_wrong")
    choices = wrong if only_wrong else list(records)
    name = streamlit.selectbox("Question", choices, key="question", help="Type to search.")
    if name is None:
        streamlit.text("All are right.")
        return
    record = records[name]
    streamlit.text(f"{tables.outcome(record, mode)} | status {record['status']} | database {record['db_id'] or '-'} | "
                   f"flags: {', '.join(record['flags']) or 'none'}")  # fmt: skip
    left, right = streamlit.columns(2)
    for cell, title, field in ((left, "Golden SQL", "gold"), (right, "Generated SQL", "pred")):
        cell.subheader(title)
        cell.code(record[f"{field}_sql"] or "(empty)", language="sql", wrap_lines=True)
        rows = record[f"{field}_rows"]
        cell.text(f"Rows: {'-' if rows is None else rows}")
    streamlit.subheader("Results")
    streamlit.code(record["error"] or record["difference"] or "no difference", language=None, wrap_lines=True)
    verdicts = {view: str(record[view]) for view in (*MODES, "bird", "test_suite")}
    scores = {field: str(record[field]) for field in ("row_score", "column_score", "accuracy")}
    streamlit.table(pandas.DataFrame([{**verdicts, **scores}]))
    _clauses(record)


def _clauses(record: dict) -> None:
    streamlit.subheader("Clauses")
    rows, problem = tables.clause_rows(record)
    if problem:
        streamlit.text(problem)
        return
    # `streamlit.table` would read these texts as Markdown
    streamlit.dataframe(pandas.DataFrame(rows), hide_index=True, width="stretch")
    streamlit.text(
        "Similarity: " + ", ".join(f"{name} {value:.2f}" for name, value in tables.similarity(record).items())
    )


def _two_runs(run: Run, runs: list[Run], mode: str) -> None:
    others = [other.name for other in runs if other != run]
    if not others:
        streamlit.text("There is only one run.")
        return
    name = streamlit.selectbox("Compare with", others, key="other")
    other = next(item for item in runs if item.name == name)
    try:
        found, rows = tables.compared(run, other, mode)
    except (CorpusError, RecordError) as error:
        streamlit.text(f"The other run cannot be read: {error}")
        return
    cells = streamlit.columns(4)
    cells[0].metric("Gained", found.gains)
    cells[1].metric("Lost", found.losses)
    cells[2].metric("Judged in both", found.both)
    cells[3].metric("p", f"{found.p:.4f}", help="Exact McNemar test, two-sided.")
    verdict = "differ significantly (p < 0.05)" if found.p < 0.05 else "do not differ significantly"
    streamlit.text(f"The two runs {verdict}.")
    streamlit.dataframe(pandas.DataFrame(rows), hide_index=True, width="stretch")


def _trend(runs: list[Run], mode: str) -> None:
    rows, problems = tables.trend_rows(runs, mode)
    frame = pandas.DataFrame(rows)
    if rows:
        base = altair.Chart(frame).encode(x=altair.X("written (UTC):N", sort=None, title="run, oldest first"))
        scale = altair.Scale(domain=[0, 100])
        line = base.mark_line(point=True).encode(y=altair.Y("accuracy %:Q", scale=scale), tooltip=[*frame.columns])
        band = base.mark_rule().encode(y=altair.Y("low:Q", scale=scale, title="accuracy %"), y2="high:Q")
        streamlit.altair_chart((line + band).properties(height=320), width="stretch")
        streamlit.dataframe(frame, hide_index=True, width="stretch")
    for problem in problems:
        streamlit.text(f"set aside: {problem}")


if __name__ == "__main__":  # so it is under Streamlit
    main(sys.argv[1:])
