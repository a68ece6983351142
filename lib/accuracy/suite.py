"""Golden suites and generated queries: files in the usual forms -> cases, joined by id and never by position."""

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from lib.accuracy.records import Case
from lib.errors import CorpusError, ParameterError, RecordError, suggest
from lib.files import read_json, read_jsonl, read_text

_ID = ("question_id", "id", "qid")
_GOLD = ("sql", "golden_sql", "gold_sql", "query", "gold")
_PRED = ("generated_sql", "predicted_sql", "pred_sql", "prediction", "sql", "query")
_SAFE_NAME = re.compile(r"[\w-][\w. -]*")  # of a database: it becomes part of a path


@dataclass(frozen=True, slots=True)
class GoldenQuery:
    """One question of a suite with its ideal SQL."""

    id: str
    sql: str
    question: str = ""
    db_id: str = ""  # "" where the suite has one database


def read_golden(path: Path | str) -> list[GoldenQuery]:
    """Reads a golden suite.

    Args:
        path: JSON as `{"Q1": {"question": …, "sql": …}}` or a list of objects, JSONL, or CSV with a header. Fields: an
            id (`question_id` or `id`), `sql`, and where present `question` and `db_id`.

    Raises:
        CorpusError: if the file cannot be read.
        RecordError: at a record without id or SQL, or with an id that was there before.
    """
    queries = []
    for index, record in enumerate(_records(Path(path))):
        sql = _field(path, index, record, _GOLD)
        db_id = str(record.get("db_id") or "")
        if db_id and not _SAFE_NAME.fullmatch(db_id):
            raise RecordError(Path(path).name, index, f"db_id {db_id!r} is no name: use letters, digits, _ - and .")
        queries.append(GoldenQuery(_field(path, index, record, _ID), sql, str(record.get("question") or ""), db_id))
    _check_unique(path, [query.id for query in queries])
    return queries


def read_cases(path: Path | str) -> dict[str, str]:
    """Reads generated queries: id -> SQL; the same forms as `read_golden`, with `generated_sql`.

    Raises:
        CorpusError: if the file cannot be read.
        RecordError: at a record without id or SQL, or with an id that was there before.
    """
    pairs = []
    for index, record in enumerate(_records(Path(path))):
        pairs.append((_field(path, index, record, _ID), _field(path, index, record, _PRED, empty=True)))
    _check_unique(path, [key for key, _ in pairs])
    return dict(pairs)


def join(golden: Iterable[GoldenQuery], generated: dict[str, str]) -> list[Case]:
    """Joins both by id.

    Raises:
        ParameterError: if an id is on one side only; an unanswered question is a case with empty SQL.
    """
    golden = list(golden)
    known = {query.id for query in golden}
    for key in generated:
        if key not in known:
            raise ParameterError(
                f"the cases name '{key}', which is no golden query: {suggest(key, sorted(known)[:50])}"
            )
    missing = [query.id for query in golden if query.id not in generated]
    if missing:
        raise ParameterError(
            f"no generated SQL for {len(missing)} of {len(golden)} golden queries, first '{missing[0]}': "
            "give every id a case, with empty SQL where there is no answer"
        )
    return [Case(query.id, query.sql, generated[query.id], query.db_id, query.question) for query in golden]


def read_lines(path: Path | str) -> list[str]:
    """One SQL a line, as prediction files have it; a tab and a database name behind it are cut off."""
    lines = read_text(Path(path)).split("\n")
    if lines and not lines[-1].strip():
        lines.pop()
    return [line.rstrip("\r").split("\t")[0] for line in lines]


def spider_cases(corpus, predictions: Path | str, split: str) -> list[Case]:
    """Cases of a corpus: predictions as one SQL a line in the corpus's order, or JSONL with ids.

    Raises:
        ParameterError: if the number of lines is not the number of examples, or an id is unknown.
    """
    examples = list(corpus.examples(split))
    if Path(predictions).suffix in (".jsonl", ".json", ".csv"):
        golden = [GoldenQuery(example.id, example.query, example.question, example.db_id) for example in examples]
        return join(golden, read_cases(predictions))
    lines = read_lines(predictions)
    whole = len(examples) + sum(1 for problem in corpus.problems if problem.file.startswith(split))
    if len(lines) != whole:
        raise ParameterError(f"{predictions} has {len(lines)} lines, {split} has {whole} examples: give one SQL a line")
    return [
        Case(example.id, example.query, lines[int(example.id.rsplit("-", 1)[1])], example.db_id, example.question)
        for example in examples
    ]


def _records(path: Path) -> Iterator[dict]:
    if path.suffix == ".jsonl":
        yield from read_jsonl(path)
    elif path.suffix == ".csv":
        yield from csv.DictReader(io.StringIO(read_text(path).lstrip("\ufeff")))
    else:
        yield from _json_records(path)


def _json_records(path: Path) -> Iterator[dict]:
    value = _json(path)
    if isinstance(value, dict):
        value = [
            {"id": key, **item} if isinstance(item, dict) else {"id": key, "sql": item} for key, item in value.items()
        ]
    if not isinstance(value, list):
        raise CorpusError(f"'{path}' holds {type(value).__name__}: give an object by id, or a list of objects")
    for index, item in enumerate(value):
        if not isinstance(item, dict):
            raise RecordError(path.name, index, f"expected an object, found {type(item).__name__}")
        yield item


def _json(path: Path):
    """JSON; lines of comment above it, as the article prints its own file, are passed over."""
    text = read_text(path)
    if not text.lstrip().startswith("//"):
        return read_json(path)
    lines = text.split("\n")
    while lines and lines[0].lstrip().startswith("//"):
        lines.pop(0)
    try:
        return json.loads("\n".join(lines))
    except json.JSONDecodeError as error:
        raise CorpusError(f"'{path}' is not JSON: {error}") from error


def _field(path: Path | str, index: int, record: dict, names: tuple[str, ...], empty: bool = False) -> str:
    for name in names:
        value = record.get(name)
        if isinstance(value, int) and not isinstance(value, bool) and names is _ID:
            value = str(value)
        if isinstance(value, str) and (value.strip() or empty):
            return value
    raise RecordError(Path(path).name, index, f"no text under any of {', '.join(names)}")


def _check_unique(path: Path | str, keys: list[str]) -> None:
    seen: set[str] = set()
    for index, key in enumerate(keys):
        if key in seen:
            raise RecordError(Path(path).name, index, f"the id '{key}' was there before")
        seen.add(key)
