"""A dataset: a folder with `train.jsonl`, `validation.jsonl`, `test.jsonl` and `manifest.json`.

All datasets of the study have this form, whatever partition made them, and all models read it.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

from lib.errors import CorpusError, ParameterError, RecordError, suggest
from lib.files import read_json, read_jsonl, write_jsonl
from lib.records import KINDS, Pair

PARTS = ("train", "validation", "test")
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


def write_part(folder: Path, part: str, pairs: Iterable[Pair]) -> int:
    """Writes one part of a dataset, atomically; returns its size in pairs."""
    return write_jsonl(Path(folder) / f"{part}.jsonl", map(as_record, pairs))
