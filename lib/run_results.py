"""Results of runs, fit to be published: settings, curves, scores and counts of each test pair, no sentence.

For each run there are two files. `NAME.json` says what was trained on what, how, and how well it did. `NAME.csv` has a
row for each test pair: its id, a number for its SQL (pairs of one SQL have one number), its clauses, what the scores
need to know, and which kinds of error the text has. All tables and intervals of the comparison are made from these
files alone. Systems that learn nothing have them too, without a seed.
"""

import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lib.datasets import read_manifest, read_part
from lib.errors import ModelError
from lib.files import read_json, read_jsonl, read_text, sha256, write_json, write_text
from lib.metrics.errors import KINDS_OF_ERROR
from lib.metrics.errors.pairs import diagnoses
from lib.metrics.predictions import with_reference
from lib.metrics.sums import COLUMNS, ERROR_COLUMNS, counts, sums
from lib.metrics.text import report
from lib.partition.baselines import BASELINES, Lookup
from lib.partition.nearest import NearestSql
from lib.records import Pair, Schema

NEAREST = "nearest SQL"
BASELINE_NAMES = (*BASELINES, NEAREST)
_HEADER = ["id", "sql", "clauses", *COLUMNS, *ERROR_COLUMNS]


@dataclass(frozen=True, slots=True)
class Result:
    """What is published of one run, or of one baseline on one dataset."""

    system: str  # a name in ENCODERS or BASELINE_NAMES
    dataset: str  # that it learned from and was tested on
    seed: int | None  # None: it has no chance in it
    facts: dict  # all of its JSON file
    ids: tuple[str, ...]  # of the test pairs
    groups: tuple[int, ...]  # pairs of the same number have the same SQL
    clauses: tuple[int, ...]  # number of clauses of each pair
    sums: np.ndarray  # (pairs, metrics.sums.N_SUMS)


def read_results(folder: Path) -> list[Result]:
    """All results in a folder, by name; none if there is no such folder.

    Raises:
        CorpusError: if a file cannot be read.
        ModelError: if two files of one run do not belong together, or are broken.
    """
    return [_read(path) for path in sorted(Path(folder).glob("*.json"))]


def _read(path: Path) -> Result:
    facts, table = read_json(path), path.with_suffix(".csv")
    try:
        if not table.is_file() or facts["pairs_sha256"] != sha256(table):
            raise ModelError(f"'{table}' does not belong to '{path.name}': run it again")
        header, *lines = read_text(table).splitlines()
        rows = [line.split(",") for line in lines]
        if header.split(",") != _HEADER:
            raise ModelError(f"'{table}' has other columns than this version writes: run it again")
        numbers = np.array([row[1:] for row in rows], dtype=np.int64).reshape(len(rows), -1)
        ids, groups, clauses = (row[0] for row in rows), numbers[:, 0].tolist(), numbers[:, 1].tolist()
        names = facts["system"], facts["dataset"], facts["seed"]
        found = sums(*np.split(numbers[:, 2:], [len(COLUMNS)], axis=1))
        return Result(*names, facts, tuple(ids), tuple(groups), tuple(clauses), found)
    except (KeyError, TypeError, ValueError) as error:
        raise ModelError(f"'{path}' is no result of a run ({error!r:.80}): run it again") from error


def publish(
    folder: Path,
    name: str,
    facts: Mapping,
    texts: Sequence[str],
    pairs: Sequence[Pair],
    schemas: Mapping[str, Schema],
) -> None:
    """Writes `NAME.csv` and then `NAME.json`.

    Args:
        folder: where they go.
        name: of both.
        facts: what the JSON says; `system`, `dataset` and `seed` among them.
        texts: what the system wrote, one for each pair.
        pairs: test pairs with their references.
        schemas: by database, which the search for errors makes use of.
    """
    number = {sql: index for index, sql in enumerate(dict.fromkeys(pair.sql for pair in pairs))}
    table = io.StringIO()
    table.write(",".join(_HEADER) + "\n")
    rows = counts(texts, [pair.text for pair in pairs]).tolist()
    for pair, row, found in zip(pairs, rows, diagnoses(texts, pairs, schemas), strict=True):
        errors = (int(kind in found.errors) for kind in KINDS_OF_ERROR)
        table.write(",".join(map(str, (pair.id, number[pair.sql], pair.n_clauses, *row, *errors))) + "\n")
    path = Path(folder) / f"{name}.csv"
    write_text(path, table.getvalue())
    write_json(path.with_suffix(".json"), dict(facts) | {"pairs_sha256": sha256(path)})


def publish_run(run: Path, data: Path, folder: Path, schemas: Mapping[str, Schema]) -> None:
    """Writes the result of a trained and evaluated run, named like the run.

    Args:
        run: folder of the run.
        data: the dataset that it learned from.
        folder: where results go.
        schemas: of its corpus, by database.

    Raises:
        ModelError: if the run has no text for a test pair.
    """
    manifest, scores = read_json(run / "manifest.json"), read_json(run / "scores-test.json")
    pairs = with_reference(read_part(data, "test"))
    settings = manifest["settings"]
    kept = ("settings", "data", "pairs", "left_out", "words", "parameters", "epochs", "best", "device", "versions")
    facts = {"system": settings["model"], "dataset": data.name, "seed": settings["seed"]}
    facts |= {name: manifest[name] for name in kept} | {"scores": scores, "learning_curve": _curve(run)}
    facts["seconds"] = manifest["seconds"]["all"]  # of training
    publish(folder, run.name, facts, texts_of(run, pairs), pairs, schemas)


def _curve(run: Path) -> dict[str, list[float | None]]:
    """The learning curve by column; None where nothing was measured."""
    header, *lines = read_text(run / "learning_curve.csv").splitlines()
    columns = zip(*(line.split(",") for line in lines), strict=True)
    return {
        name: [float(value) if value else None for value in column]
        for name, column in zip(header.split(","), columns, strict=True)
    }


def texts_of(run: Path, pairs: Iterable[Pair]) -> list[str]:
    """What a run wrote for test pairs; joined with them by id.

    Raises:
        ModelError: if it has no text for a pair.
    """
    written = {record["id"]: record["text"] for record in read_jsonl(run / "predictions-test.jsonl")}
    pairs = list(pairs)
    missing = [pair.id for pair in pairs if pair.id not in written]
    if missing:
        raise ModelError(f"'{run}' has no text for {missing[0]}: evaluate it again on this dataset")
    return [written[pair.id] for pair in pairs]


def baseline_name(system: str, dataset: str) -> str:
    """The name of a baseline's result, such as "nearest-sql-paper"."""
    return f"{system.lower().replace(' ', '-')}-{dataset}"


def baselines_of(manifest: Mapping) -> tuple[str, ...]:
    """The baselines that say something on a dataset: in a split of whole questions there are no fragments to copy.

    Args:
        manifest: of the dataset.
    """
    return BASELINE_NAMES if "variant" in manifest["options"] else (NEAREST,)


def publish_baselines(data: Path, folder: Path, schemas: Mapping[str, Schema]) -> None:
    """Writes the results of the baselines on a dataset; those that are there already are left alone.

    Args:
        data: the dataset.
        folder: where results go.
        schemas: of its corpus, by database.
    """
    manifest = read_manifest(data)
    names = {system: baseline_name(system, data.name) for system in baselines_of(manifest)}
    missing = {system: name for system, name in names.items() if not _is_there(folder / f"{name}.json", manifest)}
    if not missing:
        return
    train, pairs = read_part(data, "train"), with_reference(read_part(data, "test"))
    for system, name in missing.items():
        texts = _baseline_texts(system, train, pairs)
        facts = {"system": system, "dataset": data.name, "seed": None, "data": manifest["sha256"]}
        publish(folder, name, facts | {"scores": report(texts, pairs)}, texts, pairs, schemas)


def _is_there(path: Path, manifest: Mapping) -> bool:
    """Whether a result is there, of this version of a dataset and in the columns of this version."""
    table = path.with_suffix(".csv")
    if not path.is_file() or not table.is_file() or read_json(path).get("data") != manifest["sha256"]:
        return False
    return read_text(table).partition("\n")[0].split(",") == _HEADER


def _baseline_texts(system: str, train: Sequence[Pair], pairs: Sequence[Pair]) -> list[str]:
    if system == NEAREST:
        nearest = NearestSql(train)
        return [nearest.text(pair) for pair in pairs]
    lookup = Lookup(train)
    return [BASELINES[system](lookup, pair) for pair in pairs]
