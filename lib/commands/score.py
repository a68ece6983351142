"""Score the texts of any system on a dataset, with the report of 'evaluate'."""

import argparse
import json
from pathlib import Path

from lib.datasets import PARTS


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of `spidercompose score`."""
    parser.add_argument("--predictions", required=True, type=Path,
                        help="one text a line in the order of the dataset, or .jsonl with id and text")  # fmt: skip
    parser.add_argument("--data", required=True, type=Path, help="folder of a dataset")
    parser.add_argument("--split", default="test", help=f"one of: {', '.join(PARTS)} (default: test)")


def run(args: argparse.Namespace) -> None:
    """Prints the report as JSON."""
    from lib.datasets import read_part
    from lib.metrics.predictions import score_file

    print(json.dumps(score_file(args.predictions, read_part(args.data, args.split)), ensure_ascii=False, indent=1))
