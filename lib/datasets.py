"""A dataset: a folder with `train.jsonl`, `validation.jsonl`, `test.jsonl` and `manifest.json`.

All datasets of the study have this form, whatever partition made them, and all models read it. Two more files say what
the pairs alone do not; a dataset may lack them. `names.json` holds what people call the tables and columns of each
database. `queries.json` holds the whole query of each example whose whole query is none of the pairs: without it, the
aliases of the example's other pairs stand for nothing.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from lib.errors import CorpusError, ParameterError, RecordError, SpiderComposeError, suggest
from lib.files import has_keys, read_json, read_jsonl, sha256, write_jsonl, write_text
from lib.records import KINDS, Pair, Schema

PARTS = ("train", "validation", "test")
FILES = (*(f"{part}.jsonl" for part in PARTS), "names.json", "queries.json")  # all but the manifest
_TYPES = {"id": str, "example_id": str, "db_id": str, "kinds": list, "sql": str, "text": str, "n_clauses": int,
          "source": str, "flags": dict}  # fmt: skip


def as_record(pair: Pair) -> dict:
    """A pair as its JSONL record."""
    return {name: getattr(pair, name) for name in Pair.__slots__}


def read_pairs(path: Path) -> Iterator[Pair]:
    """Yields the pairs of one part of a dataset, one at a time.

    Raises:
        CorpusError: if the file cannot be read.
        RecordError: at the first record that is no pair.
    """
    for number, record in enumerate(read_jsonl(path)):
        if record.keys() != _TYPES.keys():
            odd = ", ".join(sorted(record.keys() ^ _TYPES.keys()))
            raise RecordError(Path(path).name, number, f"not a pair, fields missing or unknown: {odd}; build it again")
        for name, value in record.items():
            if type(value) is not _TYPES[name]:
                raise RecordError(
                    Path(path).name, number, f"'{name}' must be {_TYPES[name].__name__}, not {value!r:.40}"
                )
        if record["n_clauses"] < 1 or not all(kind in KINDS for kind in record["kinds"]):
            raise RecordError(Path(path).name, number, "'n_clauses' or 'kinds' is out of range: build it again")
        yield Pair(**(record | {"kinds": tuple(record["kinds"])}))


def read_part(folder: Path, part: str) -> list[Pair]:
    """The pairs of one part of a dataset.

    Raises:
        ParameterError: if the part is unknown.
        CorpusError: if the folder is no dataset.
        RecordError: at the first record that is no pair.
    """
    if part not in PARTS:
        raise ParameterError(f"unknown part '{part}': {suggest(part, PARTS)}")
    read_manifest(folder)
    return list(read_pairs(Path(folder) / f"{part}.jsonl"))


def read_manifest(folder: Path) -> dict:
    """The manifest of a dataset.

    Raises:
        CorpusError: if the folder has none: it is no dataset, or its making was interrupted; or it is broken.
    """
    path = Path(folder) / "manifest.json"
    if not path.is_file():
        raise CorpusError(f"'{folder}' is not a dataset, it has no manifest.json: make it with 'spidercompose build'")
    manifest = read_json(path)
    if not isinstance(manifest, dict):
        raise CorpusError(f"'{path}' is no manifest of a dataset, it holds no object: build the dataset again")
    return manifest


def check_free(folder: Path) -> None:
    """Checks that a dataset may be written into a folder: nothing in it would be lost but an older dataset.

    Raises:
        ParameterError: if its files of these names are not those of a dataset.
    """
    folder = Path(folder)
    if (folder / "manifest.json").exists():
        odd = None if has_keys(folder / "manifest.json", ["dataset"]) else "manifest.json"
    else:  # the making of a dataset may have been interrupted: its pairs are written first
        parts = [name for name in (f"{part}.jsonl" for part in PARTS) if (folder / name).exists()]
        others = () if parts else (name for name in (*FILES, "ids.json") if (folder / name).exists())
        odd = next((name for name in parts if not _begins_with_a_pair(folder / name)), next(iter(others), None))
    if odd:
        raise ParameterError(f"'{folder}' holds a '{odd}' that is not a dataset's: choose another folder")


def _begins_with_a_pair(path: Path) -> bool:
    """Whether a file is empty or begins with a pair."""
    try:
        next(read_pairs(path), None)
        return True
    except SpiderComposeError:
        return False


def retire(folder: Path) -> None:
    """Makes a folder no dataset, until the next one in it is whole; removes what the next may not have."""
    for name in ("ids.json", "manifest.json"):  # ids are those of a split
        (Path(folder) / name).unlink(missing_ok=True)


def write_part(folder: Path, part: str, pairs: Iterable[Pair]) -> int:
    """Writes one part of a dataset, atomically; returns its size in pairs."""
    return write_jsonl(Path(folder) / f"{part}.jsonl", map(as_record, pairs))


@dataclass(frozen=True, slots=True)
class Names:
    """What people call the tables and columns of a database; the keys are the names in it, lower case."""

    tables: dict[str, str]
    columns: dict[str, dict[str, str]]  # by table


def names_of(schema: Schema) -> Names:
    """The names that a schema gives."""
    columns: dict[str, dict[str, str]] = {table.lower(): {} for table in schema.tables}
    for column in schema.columns:
        columns[schema.tables[column.table].lower()][column.name.lower()] = column.natural
    tables = {table.lower(): said for table, said in zip(schema.tables, schema.natural_tables, strict=True)}
    return Names(tables, columns)


def write_names(folder: Path, names: Mapping[str, Names]) -> None:
    """Writes `names.json`, or removes it if there are no names.

    Args:
        folder: of the dataset.
        names: of each database that the pairs ask.
    """
    records = {name: {"columns": found.columns, "tables": found.tables} for name, found in names.items()}
    _write_compact(Path(folder) / "names.json", records)


def read_names(folder: Path) -> dict[str, Names]:
    """The names of each database of a dataset; none if it comes without them.

    Raises:
        CorpusError: if the file is broken.
    """
    path = Path(folder) / "names.json"
    if not path.is_file():
        return {}
    record = read_json(path)
    try:
        names = {name: Names(**found) for name, found in record.items()}
        texts = [text for found in names.values() for table in (found.tables, *found.columns.values())
                 for text in table.items()]  # fmt: skip
    except (AttributeError, TypeError):
        texts = [(None, None)]
    if not all(isinstance(text, str) for pair in texts for text in pair):
        raise CorpusError(f"'{path}' holds no names of databases: build the dataset again")
    return names


def whole_queries(pairs: Iterable[Pair]) -> dict[str, str]:
    """The longest SQL of each example: its whole query, unless a partition took that away."""
    longest: dict[str, Pair] = {}
    for pair in pairs:
        best = longest.get(pair.example_id)
        if best is None or pair.n_clauses > best.n_clauses:
            longest[pair.example_id] = pair
    return {example_id: pair.sql for example_id, pair in longest.items()}


def wholes_in(folder: Path, pairs: Iterable[Pair]) -> dict[str, str]:
    """The whole query of each example of a dataset, whose pairs of all parts are given.

    Raises:
        CorpusError: if `queries.json` is broken.
    """
    return whole_queries(pairs) | read_queries(folder)


def lost_queries(pairs: Iterable[Pair], wholes: Mapping[str, str]) -> dict[str, str]:
    """The whole queries of examples, by id, that are none of the pairs while parts of them are.

    Args:
        pairs: of a dataset.
        wholes: whole query of each of its examples.
    """
    there = whole_queries(pairs)
    return {example_id: wholes[example_id] for example_id, sql in there.items() if sql != wholes[example_id]}


def write_queries(folder: Path, queries: Mapping[str, str]) -> None:
    """Writes `queries.json`, or removes it if there is nothing to say.

    Args:
        folder: of the dataset.
        queries: whole query by example id, of the examples whose whole query is none of the pairs.
    """
    _write_compact(Path(folder) / "queries.json", queries)


def read_queries(folder: Path) -> dict[str, str]:
    """The whole queries that are none of the pairs, by example id.

    Raises:
        CorpusError: if the file is broken.
    """
    path = Path(folder) / "queries.json"
    if not path.is_file():
        return {}
    queries = read_json(path)
    if not isinstance(queries, dict) or not all(isinstance(query, str) for query in queries.values()):
        raise CorpusError(f"'{path}' holds no queries: build the dataset again")
    return queries


def hashes(folder: Path) -> dict[str, str]:
    """SHA-256 of each file of a dataset that is there, by its name; the manifest is left out."""
    return {name: sha256(path) for name in FILES if (path := Path(folder) / name).is_file()}


def _write_compact(path: Path, value: Mapping) -> None:
    if value:
        write_text(path, json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":")) + "\n")
    else:
        path.unlink(missing_ok=True)  # of a dataset that was here before
