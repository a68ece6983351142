"""What the dashboard shows, as plain tables: figures of runs, verdicts, differences. No page, no drawing."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path

from lib.accuracy.records import MODES, UNJUDGED
from lib.accuracy.structure import compare_structure
from lib.accuracy.summary import Paired, Rate, Summary, paired, summarise
from lib.errors import CorpusError, RecordError
from lib.files import read_jsonl

RECORDS = "evaluations.jsonl"  # the file that makes a folder a run
_KEPT = ("id", "db_id", "status", "flags", "difference", "error", "gold_sql", "pred_sql", "gold_rows", "pred_rows",
         "row_score", "column_score", "accuracy", "bird", "test_suite", *MODES)  # fmt: skip
OUTCOMES = ("right", "wrong", "undecided", "not judged")


@dataclass(frozen=True, slots=True)
class Run:
    """One run of the evaluator."""

    name: str  # its folder, relative to the folder of runs
    path: Path  # of its records
    written: str  # time of its last record, UTC, to the second
    stamp: tuple[int, int]  # size and time of the file: what a cache of it hangs on


def find_runs(folder: Path) -> list[Run]:
    """All runs in a folder and its folders, the oldest first."""
    runs = []
    for path in sorted(Path(folder).glob("**/" + RECORDS)):
        stat = path.stat()
        written = datetime.fromtimestamp(stat.st_mtime, UTC).strftime("%Y-%m-%d %H:%M:%S")
        name = path.parent.relative_to(folder).as_posix()
        runs.append((stat.st_mtime_ns, Run(name, path, written, (stat.st_size, stat.st_mtime_ns))))
    return [run for _, run in sorted(runs, key=lambda item: (item[0], item[1].name))]


@lru_cache(maxsize=8)
def load(run: Run) -> tuple[dict, ...]:
    """The records of a run, the fields that the dashboard needs.

    Raises:
        CorpusError, RecordError: if the file cannot be read, or a record lacks a field.
    """
    found = []
    for index, record in enumerate(read_jsonl(run.path)):
        missing = [name for name in _KEPT if name not in record]
        if missing:
            raise RecordError(run.path.name, index, f"no '{missing[0]}': it is no record of an evaluation")
        found.append({name: record[name] for name in (*_KEPT, *(("structure",) if "structure" in record else ()))})
    if not found:
        raise CorpusError(f"'{run.path}' holds no record")
    return tuple(found)


@lru_cache(maxsize=64)
def figures(run: Run, mode: str) -> Summary:
    """The figures of a run."""
    return summarise(load(run), mode)


def rate_rows(rates: Mapping[str, Rate], name: str) -> list[dict]:
    """Rates as rows: name, right, total, and percents with their 95 % Wilson interval."""
    rows = []
    for key, rate in rates.items():
        share, low, high = (round(100 * value, 1) for value in (rate.share, rate.low, rate.high))
        rows.append(
            {name: key, "right": rate.right, "total": rate.total, "accuracy %": share, "low": low, "high": high}
        )
    return rows


def outcome(record: dict, mode: str) -> str:
    """One of OUTCOMES."""
    if record["status"] in UNJUDGED:
        return "not judged"
    return {True: "right", False: "wrong"}.get(record[mode], "undecided")


def verdict_rows(
    records: Iterable[dict], mode: str, outcomes: Iterable[str] = OUTCOMES, statuses: Iterable[str] = (), text: str = ""
) -> list[dict]:
    """Verdicts as rows, one a question.

    Args:
        records: of one run.
        mode: which of MODES counts as right.
        outcomes: those to show.
        statuses: those to show; none means all.
        text: shown are records with this in their id, database or SQL, letter case aside.
    """
    wanted, known, text = set(outcomes), set(statuses), text.strip().lower()
    rows = []
    for record in records:
        result = outcome(record, mode)
        if result not in wanted or (known and record["status"] not in known):
            continue
        if text and not any(text in str(record[name]).lower() for name in ("id", "db_id", "gold_sql", "pred_sql")):
            continue
        rows.append({"id": record["id"], "database": record["db_id"], "outcome": result, "status": record["status"],
                     "score": record["accuracy"], "flags": ", ".join(record["flags"]),
                     "why": record["error"] or record["difference"] or "", "golden SQL": record["gold_sql"],
                     "generated SQL": record["pred_sql"]})  # fmt: skip
    return rows


def clause_rows(record: dict) -> tuple[list[dict], str]:
    """How the clauses of both queries differ, as rows; and why there are none, if a query cannot be read."""
    found = _structure(record)
    rows = [{"clause": item["clause"], "golden only": ", ".join(item["missing"]),
             "generated only": ", ".join(item["extra"]), "in both": item["shared"]}
            for item in found["clauses"]]  # fmt: skip
    return rows, found["problem"]


def similarity(record: dict) -> dict[str, float]:
    """Similarity of both queries as trees and as tokens, 0-1."""
    found = _structure(record)
    return {"tree": found["tree"], "Levenshtein": found["levenshtein"], "Jaccard": found["jaccard"]}


def _structure(record: dict) -> dict:
    """As the run found it, which knew the database; else from the texts alone."""
    if "structure" in record:
        return record["structure"]
    return compare_structure(record["gold_sql"], record["pred_sql"], dialect="auto").to_json()


def compared(run: Run, other: Run, mode: str) -> tuple[Paired, list[dict]]:
    """Two runs on the same questions: the test, and the questions on which they part."""
    now, before = load(run), {record["id"]: record for record in load(other)}
    rows = []
    for record in now:
        earlier = before.get(record["id"])
        if earlier is None or record["status"] in UNJUDGED or earlier["status"] in UNJUDGED:
            continue
        if (record[mode] is True) != (earlier[mode] is True):
            rows.append({"id": record["id"], "database": record["db_id"],
                         "change": "gained" if record[mode] is True else "lost", "golden SQL": record["gold_sql"],
                         "first run": record["pred_sql"], "second run": earlier["pred_sql"]})  # fmt: skip
    return paired(now, before.values(), mode), rows


def trend_rows(runs: Iterable[Run], mode: str) -> tuple[list[dict], list[str]]:
    """Accuracy of runs over time, as rows; and what is wrong with runs that cannot be read."""
    rows, problems = [], []
    for run in runs:
        try:
            rate = figures(run, mode).rate
        except (CorpusError, RecordError) as error:
            problems.append(f"{run.name}: {error}")
            continue
        rows.append({"run": run.name, "written (UTC)": run.written, **rate_rows({run.name: rate}, "run")[0]})
    return rows, problems
