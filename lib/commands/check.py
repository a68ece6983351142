"""Read a corpus and report every broken record, every oddity, and which version of Spider it is.

Exit code 0 if the files can be read; with --strict, 3 if any record is broken.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

from lib.corpora import SOURCES, Corpus, open_corpus
from lib.defects import defects
from lib.errors import CorpusError
from lib.files import sha256
from lib.progress import progress
from lib.versions import fingerprint, version


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of `spidercompose check`."""
    parser.add_argument("--corpus", default="builtin", help="builtin, spider, or a folder in Spider's format")
    parser.add_argument("--strict", action="store_true", help="exit with 3 if any record is broken")
    parser.add_argument("--quick", action="store_true", help="check the records only: no oddities of sound ones")


def run(args: argparse.Namespace) -> None:
    """Prints the report."""
    corpus = open_corpus(args.corpus)
    print(f"corpus {corpus.name} in {corpus.folder}")
    _print_file(corpus.folder / "tables.json", f"{len(corpus.schemas):,} databases")
    sources = list(_sources(corpus))
    asked: dict[str, None] = {}
    for source in sources:
        asked |= _report_source(corpus, source)
    if not sources:
        raise CorpusError(f"'{corpus.folder}' has neither train nor dev examples")
    _report_databases(corpus, list(asked))
    _print_list("problem", "set aside", corpus.problems)
    found = [] if args.quick else [note for source in sources for note in defects(corpus, source, progress)]
    _print_list("note", "kept", [*corpus.notes, *found])
    if args.strict and corpus.problems:
        raise CorpusError(f"{len(corpus.problems):,} records of '{corpus.folder}' are broken: see the list")


def _sources(corpus: Corpus) -> Iterator[str]:
    for source in SOURCES:
        try:
            corpus.file(source)
            yield source
        except CorpusError as error:
            print(f"  {source}: {error}")


def _report_source(corpus: Corpus, source: str) -> dict[str, None]:
    """Prints file, count and version of a source; returns the databases that it asks."""
    asked: dict[str, None] = {}

    def examples() -> Iterator:
        for example in corpus.examples(source):
            asked[example.db_id] = None
            yield example

    before = len(corpus.problems)
    found = fingerprint(examples())
    path, broken = corpus.file(source), len(corpus.problems) - before
    _print_file(path, f"{found.count:,} {source} examples of {len(asked)} databases, {broken:,} broken records")
    if version(source, found):
        print(f"  {version(source, found)}")
    return asked


def _print_file(path: Path, text: str) -> None:
    print(f"  {path.name}: {text}; sha256 {sha256(path)}")


def _report_databases(corpus: Corpus, asked: list[str]) -> None:
    absent = [db_id for db_id in asked if corpus.database(db_id) is None]
    print(f"  database: {len(asked) - len(absent)} of {len(asked)} SQLite files are here")
    if absent:
        print(f"  absent, so their queries cannot be run: {', '.join(absent)}")


def _print_list(name: str, what: str, entries: list) -> None:
    print(f"{len(entries):,} {name}{'' if len(entries) == 1 else 's'} ({what})")
    for entry in entries:
        print(f"  {entry}")
