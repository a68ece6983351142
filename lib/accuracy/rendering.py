"""Figures of a run as text for terminals, as Markdown, as JSON and as JUnit XML."""

import re
from collections.abc import Iterable
from dataclasses import asdict
from xml.sax.saxutils import escape, quoteattr

from lib.accuracy.records import UNJUDGED
from lib.accuracy.structure import ClauseScore
from lib.accuracy.summary import Gate, Paired, Rate, Summary
from lib.accuracy.values import shown

HEALTH = {
    "gold_error": "golden query fails",
    "no_database": "database is missing",
    "vacuous": "golden result is empty",
    "null_only": "golden result holds nothing but NULL",
    "gold_nondeterministic": "golden result is not determined",
    "clock": "golden query depends on the clock",
    "random": "golden query depends on chance",
}
_MARKDOWN = re.compile(r"[\\`*\[\]|~]|(?<!\w)_|_(?!\w)")  # what begins markup inside a line
_NOT_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # what XML 1.0 cannot hold at all


def table(head: list[str], rows: list[list[str]]) -> str:
    """A plain table; columns of figures to the right, others to the left."""
    columns = []
    for name, *cells in zip(head, *rows, strict=True):
        width = max(map(len, (name, *cells)))
        figures = all(cell[:1].isdigit() or not cell for cell in cells) and any(cells)
        pad = str.rjust if figures and columns else str.ljust
        columns.append([pad(cell, width) for cell in (name, "-" * width, *cells)])
    return "\n".join("  ".join(line).rstrip() for line in zip(*columns, strict=True))


def _markdown(head: list[str], rows: list[list[str]]) -> str:
    cells = [[_markdown_cell(cell) for cell in row] for row in rows]
    lines = [head, ["---"] + ["---:"] * (len(head) - 1), *cells]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _markdown_cell(text: str) -> str:
    """Text that stays text: ids and clauses come from files, and the summary becomes a comment on a web page."""
    return _MARKDOWN.sub(r"\\\g<0>", escape(" ".join(text.split()))).replace("@", "@\u200b")


def _rate_row(name: str, rate: Rate) -> list[str]:
    interval = f"{100 * rate.low:.1f}–{100 * rate.high:.1f}"
    cluster = "" if rate.cluster_low is None else f"{100 * rate.cluster_low:.1f}–{100 * rate.cluster_high:.1f}"
    return [name, str(rate.right), str(rate.total), f"{100 * rate.share:.2f}", interval, cluster]


_CLAUSE_HEAD = ["", "shared", "golden", "generated", "precision %", "recall %", "F1 %"]
_RATE_HEAD = ["", "right", "of", "%", "95 % interval", "by database"]


def sections(summary: Summary) -> list[tuple[str, list[str], list[list[str]]]]:
    """Titles, heads and rows of all tables, the golden suite's health first."""
    health = [
        [HEALTH[name], str(count), ", ".join(ids[:5]) + (" …" if count > 5 else "")]
        for name, (count, ids) in summary.health.items()
    ]
    parts = [("Golden suite", ["finding", "queries", "first ids"], health or [["nothing found", "0", ""]])]
    parts.append(
        ("Status", ["status", "evaluations"], [[name, str(count)] for name, count in summary.statuses.items()])
    )
    if not summary.judged:
        return parts
    parts.append(("Right, by view", _RATE_HEAD, [_rate_row(name, rate) for name, rate in summary.rates.items()]))
    parts.append(
        ("Scores, 0–100", ["mean", "value"], [[name, f"{value:.2f}"] for name, value in summary.scores.items()])
    )
    for title, rates in (("By number of clauses", summary.by_clauses), ("By construct", summary.by_construct)):
        if rates:
            parts.append(
                (f"{title} ({summary.mode})", _RATE_HEAD[:-1], [_rate_row(*item)[:-1] for item in rates.items()])
            )
    if summary.structure:
        note = f", {summary.n_unread} pairs not readable" if summary.n_unread else ""
        parts.append(
            (f"Clauses as text, micro-averages{note}", _CLAUSE_HEAD, list(map(_clause_row, summary.structure)))
        )
    return parts


def _clause_row(score: ClauseScore) -> list[str]:
    shares = (score.precision, score.recall, score.f1)
    return [score.clause, *map(str, (score.shared, score.gold, score.pred)),
            *("" if share is None else f"{100 * share:.1f}" for share in shares)]  # fmt: skip


def as_text(summary: Summary, gate: Gate | None = None, against: Paired | None = None) -> str:
    """The report for a terminal."""
    blocks = [f"{title}\n{table(head, rows)}" for title, head, rows in sections(summary)]
    return "\n\n".join([*blocks, *_closing(summary, gate, against)]) + "\n"


def as_markdown(summary: Summary, gate: Gate | None = None, against: Paired | None = None) -> str:
    """The report as Markdown, for a job summary or a comment."""
    blocks = [f"### {title}\n\n{_markdown(head, rows)}" for title, head, rows in sections(summary)]
    return "\n\n".join(["## SQL accuracy", *_closing(summary, gate, against)[::-1], *blocks]) + "\n"


def _closing(summary: Summary, gate: Gate | None, against: Paired | None) -> list[str]:
    lines = []
    if summary.n_parted:
        ids = ", ".join(item["id"] for item in summary.parted[:5])
        lines.append(f"Strict, BIRD-like and test-suite-like views part on {summary.n_parted} pairs, first: {ids}")
    if against is not None:
        lines.append(
            f"Against the baseline: {against.gains} won, {against.losses} lost among {against.both} questions, "
            f"exact McNemar p = {against.p:.4g}"
        )
    if gate is not None:
        lines.append("Gate: passed" if gate.passed else f"Gate: not passed: {'; '.join(gate.reasons)}")
    return lines


def as_json(summary: Summary, gate: Gate | None = None, against: Paired | None = None) -> dict:
    """The figures as a value for JSON."""
    value = asdict(summary)
    value["parted"] = list(summary.parted)
    value["health"] = {name: {"count": count, "ids": list(ids)} for name, (count, ids) in summary.health.items()}
    value["accuracy_percent"] = round(100 * summary.rate.share, 4)
    value["gate"] = None if gate is None else asdict(gate)
    value["baseline"] = None if against is None else asdict(against)
    return value


def junit(records: Iterable[dict], mode: str, name: str = "sql-accuracy") -> Iterable[str]:
    """JUnit XML, piece by piece: a test a question; golden errors are errors, missing databases are skipped."""
    yield f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites><testsuite name={_attribute(name)}>\n'
    for record in records:
        head = f"<testcase classname={_attribute(record['db_id'] or name)} name={_attribute(record['id'])}"
        seconds = record["gold_seconds"] + record["pred_seconds"] + record["compare_seconds"]
        yield f'{head} time="{seconds:.3f}">{_outcome(record, mode)}</testcase>\n'
    yield "</testsuite></testsuites>\n"


def _outcome(record: dict, mode: str) -> str:
    if record["status"] == "no_database":
        return f"<skipped message={_attribute(record['error'] or '')}/>"
    if record["status"] in UNJUDGED:
        return f"<error message={_attribute(record['error'] or '')}/>"
    if record[mode] is True:
        return ""
    reason = record["error"] or record["difference"] or ("undecided" if record[mode] is None else f"not {mode}")
    body = escape(_clean(f"golden:    {record['gold_sql']}\ngenerated: {record['pred_sql']}"))
    return f"<failure type={_attribute(record['status'])} message={_attribute(reason)}>{body}</failure>"


def _clean(text: str) -> str:
    return _NOT_XML.sub("\ufffd", text)


def _attribute(text: str) -> str:
    return quoteattr(_clean(text))


def _structure_rows(structure: dict) -> list[list[str]]:
    if structure["problem"]:
        return [["clauses", structure["problem"]]]
    rows = [["clauses", "the same" if structure["same"] else "different"]]
    for clause in structure["clauses"]:
        only = [f"{name}: {', '.join(clause[field])}" for name, field in
                (("golden only", "missing"), ("generated only", "extra")) if clause[field]]  # fmt: skip
        rows += [[clause["clause"], "; ".join(only)]] if only else []
    return [
        *rows,
        ["similarity", ", ".join(f"{name} {structure[name]:.2f}" for name in ("tree", "levenshtein", "jaccard"))],
    ]


def one_as_text(record: dict) -> str:
    """One evaluation for a terminal."""
    names = ("status", "exact", "contains", "subset", "superset", "lenient", "bird", "test_suite")
    rows = [[name, "undecided" if record[name] is None else str(record[name]).lower()] for name in names]
    rows += [
        [name, "-" if record[name] is None else f"{record[name]:.2f}"]
        for name in ("row_score", "column_score", "accuracy")
    ]
    rows += [["flags", ", ".join(record["flags"]) or "-"]]
    rows += [[name, record[name]] for name in ("difference", "error") if record[name]]
    rows += [["rows", f"{shown(record['gold_rows'])} golden, {shown(record['pred_rows'])} generated"]]
    rows += _structure_rows(record["structure"]) if "structure" in record else []
    width = max(len(name) for name, _ in rows)
    return "\n".join(f"{name:{width}}  {value}" for name, value in rows) + "\n"
