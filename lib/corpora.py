"""Corpora in Spider's format: a folder with `tables.json`, a train and a dev file, and `database/ID/ID.sqlite`.

Every record is checked as it is read. A broken one becomes a RecordError in `Corpus.problems` and is set aside; the
rest goes on (unless `strict`). A file that is not JSON is a CorpusError: nobody can tell what it held.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lib.errors import CorpusError, ParameterError, RecordError, SqlError, suggest
from lib.json_stream import Doubled, read_list
from lib.paths import corpus_dir
from lib.records import Example
from lib.schemas import UNREADABLE, read_schemas
from lib.splitting import split
from lib.tokens import tokenize

# Real Spider also has train_others.json (1,659 examples of six older corpora). It is left out on purpose: the counts
# of the study rest on the 7,000 examples of train_spider.json. Where both files are there, the first name is read,
# because copies of Spider exist whose train.json is train_spider.json and train_others.json together.
FILES = {"train": ("train_spider.json", "train.json"), "dev": ("dev.json",)}
SOURCES = tuple(FILES)
MAX_QUESTION = 10_000  # characters; the longest question of Spider has 263
MAX_QUERY = 100_000  # characters; the longest query of Spider has 577


@dataclass(frozen=True, slots=True)
class Note:
    """Something odd about a record that is kept."""

    file: str  # name of the file
    record: int  # 0-based index in the file
    text: str  # what is odd

    def __str__(self):
        return f"{self.file}, record {self.record}: {self.text}"


def open_corpus(name: str, strict: bool = False) -> "Corpus":
    """Opens a corpus; its examples are read later, when asked for.

    Args:
        name: `builtin`, `spider` (SPIDER_HOME or the fetched copy), or a folder in Spider's format.
        strict: raise at the first broken record instead of setting it aside.

    Raises:
        CorpusError: if there is no such corpus, or its `tables.json` cannot be read.
        RecordError: if `strict` and a schema is broken.
    """
    folder = corpus_dir(name)
    return Corpus(name if name in ("builtin", "spider") else folder.resolve().name, folder, strict)


class Corpus:
    """One corpus.

    Attributes:
        name: `builtin`, `spider`, or the name of its folder.
        folder: where it is.
        schemas: schema of each database.
        problems: the broken records met so far, each once.
        notes: what was odd about the records read so far, each once; `lib.defects` finds more.
    """

    def __init__(self, name: str, folder: Path, strict: bool = False):
        self.name, self.folder, self.strict = name, Path(folder), strict
        self._problems: dict[tuple[str, int], RecordError] = {}
        self._notes: dict[Note, None] = {}
        self.schemas, self._broken_schemas, broken = read_schemas(self.folder / "tables.json")
        for problem in broken:
            self._set_aside(problem)

    @property
    def problems(self) -> list[RecordError]:
        """The broken records met so far, in the order in which they were met."""
        return list(self._problems.values())

    @property
    def notes(self) -> list[Note]:
        """What was odd about the records read so far, in the order in which they were met."""
        return list(self._notes)

    def file(self, source: str) -> Path:
        """The file of a source.

        Raises:
            ParameterError: if `source` is not one of SOURCES.
            CorpusError: if the corpus has no such file.
        """
        if source not in FILES:
            raise ParameterError(f"unknown source '{source}': {suggest(source, SOURCES)}")
        paths = [self.folder / name for name in FILES[source]]
        for path in paths:
            if path.exists():
                return path
        raise CorpusError(f"'{self.folder}' has no {source} examples: expected {' or '.join(FILES[source])}")

    def examples(self, source: str) -> Iterator[Example]:
        """Yields the sound examples of a source in file order, reading as it goes.

        Args:
            source: `train` or `dev`.

        Raises:
            CorpusError: if the file is missing, unreadable or not a JSON list.
            RecordError: if `strict`, at the first broken record.
        """
        path = self.file(source)
        for index, record in enumerate(read_list(path)):
            reason = self._fault(record)
            if reason:
                self._set_aside(RecordError(path.name, index, reason))
                continue
            tokens = _own_tokens(record)
            if not tokens and "question_toks" in record:
                self._notes[Note(path.name, index, "'question_toks' is no list of words; cut anew")] = None
            question = record["question"]
            tokens = tokens or tokenize(question)
            yield Example(f"{source}-{index:05d}", record["db_id"], question, tokens, record["query"], source)

    def database(self, db_id: str) -> Path | None:
        """The SQLite file of a database, or None if the corpus comes without it.

        Raises:
            CorpusError: if `tables.json` has no such database; so a name cannot lead out of the corpus.
        """
        if db_id not in self.schemas:
            raise CorpusError(f"unknown database '{db_id}' in corpus '{self.name}': {suggest(db_id, self.schemas)}")
        path = self.folder / "database" / db_id / f"{db_id}.sqlite"
        return path if path.is_file() else None

    def _set_aside(self, problem: RecordError) -> None:
        if self.strict:
            raise problem
        self._problems.setdefault((problem.file, problem.record), problem)

    def _fault(self, record: Any) -> str:
        """What is wrong with a record; "" if nothing is."""
        if not isinstance(record, dict):
            return f"expected an object, found {type(record).__name__}"
        if isinstance(record, Doubled):
            return "a key stands twice"
        return (
            _text_fault(record, "db_id", MAX_QUESTION)
            or self._database_fault(record["db_id"])
            or _text_fault(record, "question", MAX_QUESTION)
            or _text_fault(record, "query", MAX_QUERY)
            or _query_fault(record["query"])
        )

    def _database_fault(self, db_id: str) -> str:
        if db_id in self.schemas:
            return ""
        broken = self._broken_schemas.get(db_id)
        return f"its database '{db_id:.60}' is broken ({broken})" if broken else f"unknown database '{db_id:.60}'"


def _text_fault(record: dict, key: str, longest: int) -> str:
    value = record.get(key)
    if value is None:
        return f"'{key}' is missing"
    if not isinstance(value, str):
        return f"'{key}' must be a text, not {type(value).__name__}"
    if not value.strip():
        return f"'{key}' is empty"
    if len(value) > longest:
        return f"'{key}' has {len(value):,} characters, more than {longest:,}"
    unreadable = UNREADABLE.search(value)
    return f"'{key}' holds the unreadable character {unreadable[0]!r}" if unreadable else ""


def _query_fault(query: str) -> str:
    try:
        split(query)
    except SqlError as error:
        return f"'query' cannot be split: {error}"
    return ""


def _own_tokens(record: dict) -> tuple[str, ...]:
    """The corpus's own question tokens if they are sound, else none."""
    tokens = record.get("question_toks")
    if not isinstance(tokens, list) or not tokens:
        return ()
    sound = all(isinstance(token, str) and token.strip() and not UNREADABLE.search(token) for token in tokens)
    return tuple(tokens) if sound else ()
