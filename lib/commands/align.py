"""Align the questions of a corpus to the clauses of their queries; writes the token positions of each clause as JSON.

With --gold, prints how well the fragments agree with true ones.
"""

import argparse
import sys
from functools import partial
from pathlib import Path

from lib.alignment import ALIGNERS, align
from lib.alignment_score import Score, positions_by_kind, read_gold, score_corpus
from lib.corpora import SOURCES, Corpus, open_corpus
from lib.files import atomic_writer, dump_line
from lib.progress import progress
from lib.splitting import split


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of `spidercompose align`."""
    parser.add_argument("--corpus", default="builtin", help="builtin, spider, or a folder in Spider's format")
    parser.add_argument("--split", default="dev", choices=SOURCES, help="default: dev")
    parser.add_argument("--aligner", default="algorithm1", choices=tuple(ALIGNERS), help="default: algorithm1")
    parser.add_argument("--out", required=True, type=Path, help="JSON file for the fragments")
    parser.add_argument("--gold", type=Path, help="true fragments to score against: JSONL by id, or a JSON list by row")
    parser.add_argument("--strict", action="store_true", help="stop at the first broken record")


def run(args: argparse.Namespace) -> None:
    """Writes the fragments, says how many, and scores them if there is gold."""
    corpus = open_corpus(args.corpus, strict=args.strict)
    gold = read_gold(args.gold) if args.gold else None
    count = write_fragments(corpus, args.split, args.aligner, args.out, partial(progress, name="questions"))
    print(f"{count:,} questions of {corpus.name}, {args.split}, aligned by {args.aligner}: {args.out}")
    if gold is not None:
        print(summary(score_corpus(corpus, gold, args.aligner)))
    if corpus.problems:
        print(f"{len(corpus.problems)} broken records were set aside, first: {corpus.problems[0]}", file=sys.stderr)


def write_fragments(corpus: Corpus, source: str, aligner: str, path: Path, progress=iter) -> int:
    """Writes a JSON list of {"index": row of the file, "fragments": {kind: token positions}}; returns its length."""
    count = 0
    with atomic_writer(path) as handle:
        for example in progress(corpus.examples(source)):
            fragments = align(example.tokens, split(example.query), corpus.schemas.get(example.db_id), aligner)
            record = {"index": int(example.id.rsplit("-", 1)[1]), "fragments": positions_by_kind(fragments)}
            handle.write(("[" if count == 0 else ",\n") + dump_line(record))
            count += 1
        handle.write("]\n" if count else "[]\n")
    return count


def summary(score: Score) -> str:
    """The score as a table."""
    lines = [f"{'clause':14}{'n':>6}{'P':>8}{'R':>8}{'F1':>8}{'exact':>8}{'empty':>8}{'whole':>8}"]
    for row in score.table():
        rates = "".join(f"{row[name]:8.3f}" for name in ("precision", "recall", "f1", "exact", "empty", "whole"))
        lines.append(f"{row['clause']:14}{row['n']:6}{rates}")
    edge = score.boundary
    lines.append(f"boundaries within one token: P {edge.precision:.3f} R {edge.recall:.3f} F1 {edge.f1:.3f}")
    return "\n".join(lines)
