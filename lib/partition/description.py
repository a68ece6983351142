"""The facts of a dataset that its manifest states, read off its files."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path

from lib.datasets import PARTS, hashes, read_pairs
from lib.partition.leakage import evidence, leakage
from lib.records import Pair


def describe(folder: Path) -> dict:
    """Sizes, flags, leakage, evidence and hashes of a dataset; streams its training part.

    Args:
        folder: holds all files but the manifest.
    """
    files = {part: Path(folder) / f"{part}.jsonl" for part in PARTS}
    sizes, flags = Counter(), Counter()
    tests = {part: list(_counted(read_pairs(files[part]), part, sizes, flags)) for part in ("validation", "test")}
    leaks = leakage(_counted(read_pairs(files["train"]), "train", sizes, flags), tests)
    return {
        "pairs": {part: sum(n for (name, _), n in sizes.items() if name == part) for part in PARTS},
        "pairs_by_clauses": {part: _of(part, sizes) for part in PARTS},
        "flags": {part: _of(part, flags) for part in PARTS},
        "leakage": {part: asdict(found) for part, found in leaks.items()},
        "evidence": {"test": asdict(evidence(read_pairs(files["train"]), tests["test"]))},
        "sha256": hashes(folder),
    }


def _counted(pairs: Iterable[Pair], part: str, sizes: Counter, flags: Counter) -> Iterator[Pair]:
    for pair in pairs:
        sizes[part, pair.n_clauses] += 1
        flags.update((part, flag) for flag in pair.flags)
        yield pair


def _of(part: str, counts: Counter) -> dict[str, int]:
    return {str(key): n for (name, key), n in sorted(counts.items()) if name == part}
