"""Training sets that lack something: evidence for the test clauses (experiment 2, paper 5.2.1), as many other pairs
(its control), or all of some validation queries, to choose settings by queries that no model has seen."""

import random
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path

from lib.datasets import (
    PARTS,
    Names,
    check_free,
    lost_queries,
    read_manifest,
    read_names,
    read_part,
    retire,
    wholes_in,
    write_names,
    write_part,
    write_queries,
)
from lib.errors import CorpusError, ParameterError, suggest
from lib.files import write_json
from lib.partition.description import describe
from lib.partition.leakage import clause_keys
from lib.partition.recombination import asked
from lib.records import Pair

BY = ("text", "database")
UNSEEN = "unseen-validation"
MODES = (*BY, *(f"control-{by}" for by in BY), UNSEEN)
_UNSEEN = 250  # queries, a good third of those of Spider; half where there are fewer than twice as many


def without_test_clauses(train: Sequence[Pair], test: Sequence[Pair], by: str = "text") -> list[Pair]:
    """Removes the training pairs that share a clause with the test set.

    Args:
        train: training pairs.
        test: test pairs.
        by: `text` compares the text of clauses (the paper's), `database` that and the database.

    Raises:
        ParameterError: if `by` is unknown.
    """
    if by not in BY:
        raise ParameterError(f"cannot remove by '{by}': {suggest(by, BY)}")
    scoped = by == "database"
    banned = {_key(pair, key, scoped) for pair in test for key in clause_keys(pair)}
    return [pair for pair in train if not any(_key(pair, key, scoped) in banned for key in clause_keys(pair))]


def _key(pair: Pair, clause: str, scoped: bool) -> tuple[str, str]:
    return (pair.db_id if scoped else "", clause)


def length_matched_control(train: Sequence[Pair], kept: Sequence[Pair], rng: random.Random) -> list[Pair]:
    """Removes as many pairs as an ablation did, of the same sizes and SQL lengths, but none that it removed.

    All evidence for the test clauses stays, so it tells what is lost by a smaller training set alone. Where a
    length has too few pairs, the nearest lengths give the rest.

    Args:
        train: all training pairs.
        kept: what `without_test_clauses` left of them.
        rng: source of randomness.

    Returns:
        As many pairs as `kept`, in the order of `train`; fewer if the ablation removed more than half.
    """
    kept_ids = {pair.id for pair in kept}
    wanted = Counter(_shape(pair) for pair in train if pair.id not in kept_ids)
    by_shape: dict[tuple[int, int], list[str]] = defaultdict(list)
    for pair in kept:
        by_shape[_shape(pair)].append(pair.id)
    removed: set[str] = set()
    for shape in sorted(wanted):
        removed.update(_draw(by_shape, removed, shape, wanted[shape], rng))
    return [pair for pair in train if pair.id not in removed]


def _shape(pair: Pair) -> tuple[int, int]:
    return pair.n_clauses, len(pair.sql.split(" "))


def _draw(by_shape: dict, removed: set[str], shape: tuple[int, int], count: int, rng: random.Random) -> list[str]:
    """Draws `count` ids of the shape, then of the nearest ones."""
    drawn: list[str] = []
    for near in sorted(by_shape, key=lambda other: (abs(other[0] - shape[0]), abs(other[1] - shape[1]), other)):
        free = [name for name in by_shape[near] if name not in removed]
        drawn += rng.sample(free, min(count - len(drawn), len(free)))
        if len(drawn) == count:
            break
    return drawn


def unseen_queries(
    train: Sequence[Pair], validation: Sequence[Pair], wholes: Mapping[str, str], rng: random.Random
) -> tuple[list[Pair], list[Pair]]:
    """Takes all questions of some validation queries out of the training part, and all others out of validation.

    Parts of all validation questions are training pairs (paper 4), so that validation rewards a good memory. In the
    variant `clean` no question of a test query is trained on: settings for it are better chosen on such queries.

    Args:
        train: training pairs.
        validation: validation pairs.
        wholes: whole query of each example.
        rng: decides which queries.

    Returns:
        Training pairs and validation pairs that have no query of a database in common.
    """

    def query(pair: Pair) -> tuple[str, str]:
        return asked(replace(pair, sql=wholes[pair.example_id]))

    queries = sorted({query(pair) for pair in validation})
    chosen = set(rng.sample(queries, min(_UNSEEN, len(queries) // 2)))
    return [pair for pair in train if query(pair) not in chosen], [pair for pair in validation if query(pair) in chosen]


def ablate(folder: Path, out: Path, by: str = "text", seed: int = 1) -> dict:
    """Writes a dataset like another one, with fewer training pairs: experiment 2, its control, or unseen validation.

    Args:
        folder: a SpiderCompose dataset.
        out: folder of the new one.
        by: one of MODES.
        seed: for what is drawn.

    Returns:
        The manifest of the new dataset.

    Raises:
        ParameterError: if `by` is unknown, `seed` is negative, both folders are the same, or `out` holds other things.
        CorpusError: if `folder` is no dataset, has no training pairs, or no validation query that can be made unseen.
    """
    if by not in MODES:
        raise ParameterError(f"cannot remove by '{by}': {suggest(by, MODES)}")
    if Path(folder).resolve() == Path(out).resolve():
        raise ParameterError(f"--out must differ from --data, both are '{folder}'")
    if type(seed) is not int or seed < 0:
        raise ParameterError(f"seed must be a whole number from 0, not {seed!r}")
    check_free(out)
    manifest = read_manifest(folder)
    parts = {part: read_part(folder, part) for part in PARTS}  # all, before anything is written
    names, wholes = read_names(folder), wholes_in(folder, chain(*parts.values()))
    if not parts["train"]:
        raise CorpusError(f"'{folder}' has no training pairs: build it again")
    kept = _reduced(parts, wholes, by, random.Random(seed))
    if by == UNSEEN and len(kept["train"]) == len(parts["train"]):
        raise CorpusError(f"'{folder}' has no validation query with training pairs, or one alone: give a dataset "
                          "of 'spidercompose build'")  # fmt: skip
    _write(Path(out), kept, names, wholes)
    ablation = {"by": by, "seed": seed, "kept": len(kept["train"])}
    ablation |= {"removed": len(parts["train"]) - len(kept["train"]), "validation": len(kept["validation"])}
    manifest |= describe(out) | {"ablation": ablation}
    write_json(Path(out) / "manifest.json", manifest)
    return manifest


def _reduced(
    parts: Mapping[str, list[Pair]], wholes: Mapping[str, str], by: str, rng: random.Random
) -> dict[str, list[Pair]]:
    """The parts that a mode leaves."""
    train, test = parts["train"], parts["test"]
    if by == UNSEEN:
        kept, validation = unseen_queries(train, parts["validation"], wholes, rng)
        return {"train": kept, "validation": validation, "test": test}
    kept = without_test_clauses(train, test, by.removeprefix("control-"))
    if by.startswith("control-"):
        kept = length_matched_control(train, kept, rng)
    return dict(parts) | {"train": kept}


def _write(out: Path, parts: Mapping[str, Sequence[Pair]], names: Mapping[str, Names], wholes: Mapping[str, str]):
    """All files but the manifest."""
    retire(out)
    for part in PARTS:
        write_part(out, part, parts[part])
    databases = {pair.db_id for pair in chain(*parts.values())}
    write_names(out, {name: found for name, found in names.items() if name in databases})
    write_queries(out, lost_queries(chain(*parts.values()), wholes))
