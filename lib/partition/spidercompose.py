"""The SpiderCompose dataset of a corpus (paper 4): compose all pairs, partition them by number of clauses.

Pairs of one or two clauses are training data, whichever part of the corpus they come from; pairs of three or more
are validation data if the corpus uses the question for training, test data if it uses it for development.

Examples are streamed, in constant memory but for what duplicates and leakage need to know of each distinct pair.
"""

import platform
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, closing
from dataclasses import asdict, dataclass
from hashlib import blake2b
from importlib.metadata import version
from itertools import islice
from multiprocessing import get_context
from pathlib import Path

from lib import __version__
from lib.alignment import ALIGNERS, align
from lib.composition import compose
from lib.corpora import SOURCES, Corpus
from lib.datasets import PARTS, as_record, check_free, names_of, retire, write_names, write_queries
from lib.errors import CorpusError, ParameterError, suggest
from lib.files import atomic_writer, dump_line, sha256, write_json
from lib.partition.description import describe
from lib.records import Example, Pair, Schema
from lib.splitting import split

VARIANTS = ("paper", "clean")
PAPER = {"train": 25_709, "validation": 1_584, "test": 200}  # sizes printed in the paper, section 5.1.3
SPIDER = {"train": 7_000, "dev": 1_034}  # examples of the Spider that the paper used
_CHUNK = 200  # examples a task: large enough to hide its cost, small enough to keep memory flat


@dataclass(frozen=True, slots=True)
class Options:
    """How a dataset is made; part of its manifest."""

    variant: str = "paper"  # paper, or clean: no training pair from a question that gives test pairs
    aligner: str = "algorithm1"  # name in alignment.ALIGNERS
    deduplicate: bool = False  # leave out training pairs that repeat an earlier one, and those without text

    def __post_init__(self):
        for name, value, known in (("variant", self.variant, VARIANTS), ("aligner", self.aligner, ALIGNERS)):
            if value not in known:
                raise ParameterError(f"unknown {name} '{value}': {suggest(value, known)}")


def part_of(pair: Pair) -> str:
    """The part that a pair belongs to: `train`, `validation` or `test` (paper 4)."""
    if pair.n_clauses < 3:
        return "train"
    return "validation" if pair.source == "train" else "test"


def pairs_of(example: Example, schema: Schema, aligner: str) -> list[Pair]:
    """All pairs of one example: split, align, compose (paper 3)."""
    clauses = split(example.query)
    return compose(example, clauses, align(example.tokens, clauses, schema, aligner))


def build(corpus: Corpus, folder: Path, options: Options, jobs: int = 1, progress: Callable = iter) -> dict:
    """Writes the parts of the dataset, `names.json`, `queries.json` where it is needed, and `manifest.json`.

    All parts are written or none.

    Args:
        corpus: the corpus to read.
        folder: where the files go; made if absent, its files of these names are replaced.
        options: variant and aligner.
        jobs: number of processes, at least 1; the files do not depend on it.
        progress: wraps the stream of examples, to show how far it is.

    Returns:
        The manifest.

    Raises:
        ParameterError: if `jobs` is below 1, or the folder holds other things.
        CorpusError: if the corpus has no sound example.
    """
    if jobs < 1:
        raise ParameterError(f"jobs must be at least 1, not {jobs}")
    check_free(folder)
    tally = _Tally()
    composed = _composed(progress(_examples(corpus, tally)), corpus.schemas, options.aligner, jobs)
    with ExitStack() as stack:
        files = {part: stack.enter_context(atomic_writer(folder / f"{part}.jsonl")) for part in PARTS}
        stack.enter_context(closing(composed))  # ends the processes, also when the disk is full
        for pair in _flagged(_selected(composed, options, tally), options, tally):
            files[part_of(pair)].write(dump_line(as_record(pair)) + "\n")
            tally.databases.add(pair.db_id)
        if not tally.examples:
            raise CorpusError(f"'{corpus.folder}' has no sound example{_first(corpus)}")
        retire(folder)
    write_names(folder, {name: names_of(corpus.schemas[name]) for name in tally.databases})
    write_queries(folder, tally.queries)
    manifest = _manifest(corpus, folder, options, tally)
    write_json(folder / "manifest.json", manifest)
    return manifest


def _first(corpus: Corpus) -> str:
    return f": {len(corpus.problems)} are broken, first: {corpus.problems[0]}" if corpus.problems else ""


class _Tally:
    """What is counted on the way."""

    def __init__(self):
        self.examples: Counter[str] = Counter()  # by source
        self.left_out: Counter[str] = Counter()  # training pairs by reason
        self.databases: set[str] = set()  # of the pairs
        self.queries: dict[str, str] = {}  # whole queries that are left out of a dataset that has parts of them


def _examples(corpus: Corpus, tally: _Tally) -> Iterator[Example]:
    for source in SOURCES:
        for example in corpus.examples(source):
            tally.examples[source] += 1
            yield example


def _composed(examples: Iterable[Example], schemas: dict[str, Schema], aligner: str, jobs: int) -> Iterator[list[Pair]]:
    """The pairs of each example, in order, by one or several processes."""
    if jobs == 1:
        for example in examples:
            yield pairs_of(example, schemas[example.db_id], aligner)
        return
    stream = iter(examples)
    with ProcessPoolExecutor(jobs, get_context("fork"), _start_worker, (schemas, aligner)) as pool:
        waiting = deque()
        while chunk := list(islice(stream, _CHUNK)):
            waiting.append(pool.submit(_compose_chunk, chunk))
            if len(waiting) > 2 * jobs:  # bounded, so that a large corpus is not read ahead
                yield from waiting.popleft().result()
        while waiting:
            yield from waiting.popleft().result()


_worker: tuple[dict[str, Schema], str] = ({}, "")


def _start_worker(schemas: dict[str, Schema], aligner: str) -> None:
    global _worker
    _worker = (schemas, aligner)


def _compose_chunk(examples: list[Example]) -> list[list[Pair]]:
    schemas, aligner = _worker
    return [pairs_of(example, schemas[example.db_id], aligner) for example in examples]


def _selected(composed: Iterable[list[Pair]], options: Options, tally: _Tally) -> Iterator[Pair]:
    """Leaves out, in the clean variant, the training pairs of test questions."""
    for pairs in composed:
        if options.variant == "clean" and any(part_of(pair) == "test" for pair in pairs):
            kept = [pair for pair in pairs if part_of(pair) != "train"]
            tally.left_out["from a test question"] += len(pairs) - len(kept)
            pairs = kept
        yield from pairs


def _flagged(pairs: Iterable[Pair], options: Options, tally: _Tally) -> Iterator[Pair]:
    """Flags pairs that repeat SQL and text of an earlier one in their part."""
    first: dict[bytes, str] = {}
    for pair in pairs:
        part = part_of(pair)
        key = blake2b("\0".join((part, pair.sql, pair.text)).encode(), digest_size=16).digest()
        original = first.setdefault(key, pair.id)
        if original != pair.id:
            pair.flags["duplicate_of"] = original
        if options.deduplicate and part == "train" and pair.flags:
            tally.left_out["empty" if "empty" in pair.flags else "duplicate"] += 1
            tally.queries[pair.example_id] = pair.sql  # the last pair of an example is its whole query
            continue
        tally.queries.pop(pair.example_id, None)
        yield pair


def _manifest(corpus: Corpus, folder: Path, options: Options, tally: _Tally) -> dict:
    facts = describe(folder)
    return {
        "dataset": "SpiderCompose",
        "corpus": {
            "name": corpus.name,
            "examples": dict(tally.examples),
            "set_aside": [str(problem) for problem in corpus.problems],
            "sha256": {path.name: sha256(path) for path in _inputs(corpus)},
        },
        "options": asdict(options),
        "left_out": dict(sorted(tally.left_out.items())),
        "paper": _against_paper(facts["pairs"], tally),
        "versions": {name: version(name) for name in ("lemminflect", "nltk", "sqlglot")}
        | {"spidercompose": __version__, "python": platform.python_version()},
    } | facts


def _inputs(corpus: Corpus) -> list[Path]:
    return [corpus.folder / "tables.json", *(corpus.file(source) for source in SOURCES)]


def _against_paper(sizes: dict[str, int], tally: _Tally) -> dict | None:
    """Our sizes minus the paper's, if the corpus has as many examples as its Spider."""
    if dict(tally.examples) != SPIDER:
        return None
    return {
        part: {"paper": PAPER[part], "ours": sizes[part], "difference": sizes[part] - PAPER[part]} for part in PARTS
    }
