"""The audit: append-only records of evaluations, in JSONL or in any SQL table.

No verdict changes once it is written; a judge's confidence, which is no verdict, may be filled in later.
"""

from __future__ import annotations

import json
import platform
import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from lib import __version__
from lib.accuracy.engines.base import one_line
from lib.accuracy.records import Evaluation, Limits, Settings
from lib.errors import CorpusError, EngineError, ParameterError, suggest
from lib.files import has_keys

if TYPE_CHECKING:
    from lib.accuracy.structure import Structure

# Columns of the SQL table: the article's metadata first. JSON holds the whole record.
_COLUMNS = (
    "question_id", "accuracy", "row_score", "column_score", "execution_success", "llm_confidence", "errors", "status",
    "exact", "gold_hash", "pred_hash", "database_hash", "settings_hash", "versions", "record",
)  # fmt: skip
_FIGURES = ("accuracy", "row_score", "column_score", "llm_confidence")
_TABLE = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*){0,2}")


def audit_record(evaluation: Evaluation, confidence: float | None = None, structure: Structure | None = None) -> dict:
    """An evaluation with the article's metadata and the versions that made it.

    Args:
        evaluation: the verdict.
        confidence: of a judge, 0-1; None without one.
        structure: how the clauses differ; without it the record has no such field.
    """
    record = evaluation.to_json()
    if structure is not None:
        record["structure"] = structure.to_json()
    return {
        **record,
        "question_id": evaluation.id,
        "execution_success": evaluation.status == "ok",
        "llm_confidence": confidence,
        "errors": evaluation.error,
        "versions": versions(),
    }


def with_confidence(records: Iterable[dict], confidences: Mapping[str, float | None]) -> Iterator[dict]:
    """Records with the confidence that a judge has in them; those that it did not see stay as they are.

    Args:
        records: of `audit_record`.
        confidences: id -> 0-1, None where the judge gave no usable answer.
    """
    for record in records:
        found = record["id"] in confidences
        yield {**record, "llm_confidence": confidences[record["id"]]} if found else record


# All that a run writes into its folder, besides its manifest, which is the first.
RUN_FILES = ("evaluations.jsonl", "summary.json", "summary.md", "views.jsonl")


@cache
def versions() -> str:
    """Versions that decide a verdict, as one short text."""
    return f"spidercompose {__version__}, Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}"


def run_manifest(engine: str, settings: Settings) -> dict:
    """What a run rests on, beside its records: enough to replay one of them. Passwords are left out."""
    return {"engine": one_line(engine), "settings": asdict(settings), "versions": versions()}


def check_run_folder(folder: Path) -> None:
    """Checks that a folder is free for a run, or holds one.

    Raises:
        ParameterError: if files that a run writes are there, but its manifest is not, or is that of something else.
    """
    there = [name for name in ("manifest.json", *RUN_FILES) if (folder / name).exists()]
    if there and not has_keys(folder / "manifest.json", ["engine", "settings"]):
        raise ParameterError(
            f"'{folder}' holds a '{there[0]}' that is not of an evaluation of SQL: choose another folder"
        )


def settings_of(manifest: dict) -> Settings:
    """The settings that a manifest holds.

    Raises:
        CorpusError: if they are not there or of another version.
    """
    try:
        values = dict(manifest["settings"])
        return Settings(**{**values, "limits": Limits(**values["limits"])})
    except (KeyError, TypeError) as error:
        raise CorpusError(f"the manifest holds no settings that this version reads ({error})") from error


def find_record(records: Iterable[dict], key: str) -> dict:
    """The record of a question.

    Raises:
        ParameterError: if there is none.
    """
    seen = []
    for record in records:
        if record.get("id") == key:
            return record
        seen.append(str(record.get("id")))
    raise ParameterError(f"no record of '{key}': {suggest(key, seen[:50])}")


def changed(before: dict, after: dict) -> dict[str, tuple]:
    """Fields of two records of one question that differ: name -> (before, after); times aside."""
    names = [name for name in after if name in before and not name.endswith("_seconds")]
    return {
        name: (before[name], after[name]) for name in names if before[name] != after[name] and name != "llm_confidence"
    }


def write_table(records: Iterable[dict], connection, table: str = "sql_accuracy_audit", placeholder: str = "?") -> int:
    """Appends records to a table of any database with a Python database interface; makes the table if it is missing.

    Args:
        records: of `audit_record`.
        connection: of sqlite3, DuckDB, psycopg, Snowflake's connector and so on.
        table: its name, with its schema if need be.
        placeholder: how the client writes a parameter: `?` or `%s`.

    Raises:
        ParameterError: if the name is none, or the placeholder unknown.
        EngineError: if the database refuses.
    """
    if not _TABLE.fullmatch(table):
        raise ParameterError(f"'{table}' is no name of a table: letters, digits and _ only")
    if placeholder not in ("?", "%s"):
        raise ParameterError(f"the placeholder is ? or %s, not {placeholder!r}")
    kinds = dict.fromkeys(_COLUMNS, "VARCHAR") | dict.fromkeys(_FIGURES, "DOUBLE PRECISION")
    columns = ", ".join(f"{name} {kinds[name]}" for name in _COLUMNS)
    marks = ", ".join([placeholder] * len(_COLUMNS))
    cursor, count = connection.cursor(), 0
    try:
        cursor.execute(f"CREATE TABLE IF NOT EXISTS {table} ({columns})")
        for record in records:
            cursor.execute(f"INSERT INTO {table} ({', '.join(_COLUMNS)}) VALUES ({marks})", _row(record))
            count += 1
        connection.commit()
    except Exception as error:  # each client has its own class of errors
        raise EngineError(f"cannot write the audit to '{table}': {' '.join(str(error).split())}") from error
    return count


def _row(record: dict) -> tuple:
    whole = json.dumps(record, ensure_ascii=False)
    values = {**record, "record": whole}
    return tuple(_cell(name, values.get(name)) for name in _COLUMNS)


def _cell(name: str, value):
    if name in _FIGURES or value is None:
        return value
    return str(value).lower() if isinstance(value, bool) else value
