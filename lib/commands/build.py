"""Make the SpiderCompose dataset of a corpus: train.jsonl, validation.jsonl, test.jsonl and manifest.json."""

import argparse
import os
import sys
from functools import partial
from pathlib import Path

from lib.corpora import open_corpus
from lib.partition.spidercompose import ALIGNERS, VARIANTS, Options, build
from lib.progress import progress


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of `spidercompose build`."""
    parser.add_argument("--corpus", default="builtin", help="builtin, spider, or a folder in Spider's format")
    parser.add_argument("--out", required=True, type=Path, help="folder for the dataset; replaces an older one in it")
    parser.add_argument("--variant", default="paper", choices=VARIANTS,
                        help="paper, or clean: no training pair from a question that gives test pairs")  # fmt: skip
    parser.add_argument("--aligner", default="algorithm1", choices=tuple(ALIGNERS), help="default: algorithm1")
    parser.add_argument("--deduplicate", action="store_true",
                        help="leave out training pairs that repeat an earlier one or have no text")  # fmt: skip
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes (default: one a core)")
    parser.add_argument("--strict", action="store_true", help="stop at the first broken record")


def run(args: argparse.Namespace) -> None:
    """Builds the dataset and prints its sizes."""
    corpus = open_corpus(args.corpus, strict=args.strict)
    options = Options(args.variant, args.aligner, args.deduplicate)
    manifest = build(corpus, args.out, options, args.jobs, partial(progress, name="examples"))
    print(summary(manifest))
    if corpus.problems:
        print(f"{len(corpus.problems)} broken records were set aside; manifest.json lists them", file=sys.stderr)


def summary(manifest: dict) -> str:
    """The sizes, leakage and evidence of a dataset in a few lines."""
    lines = []
    for part, count in manifest["pairs"].items():
        by_clauses = ", ".join(f"{n} with {k}" for k, n in manifest["pairs_by_clauses"][part].items())
        flags = "".join(f"; {n} {flag}" for flag, n in manifest["flags"][part].items())
        lines.append(f"{part:10} {count:7,} pairs by clauses: {by_clauses or 'none'}{flags}")
    for reason, count in manifest["left_out"].items():
        lines.append(f"{'left out':10} {count:7,} training pairs: {reason}")
    for part, found in manifest["leakage"].items():
        leaked, own = found["same_question"] + found["other_question"], found["same_question"]
        same = f"{own:,} from the same question"
        lines.append(f"leakage    {leaked:7,} of {found['pairs']:,} {part} texts are training texts ({same})")
    seen = manifest["evidence"]["test"]
    lines.append(
        f"evidence   {seen['in_database']:7,} of {seen['clauses']:,} test clauses occur in training in their database"
        f" ({seen['without']:,} in none)"
    )
    if manifest["paper"]:
        lines += [
            f"paper      {row['paper']:7,} {part} pairs; ours minus the paper's: {row['difference']:+,}"
            for part, row in manifest["paper"].items()
        ]
    return "\n".join(lines)
