"""Score a trained model on a dataset: BLEU-4 with its signature, chrF, exact match, by number of clauses."""

import argparse
import json
from pathlib import Path

from lib.datasets import PARTS


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of `spidercompose evaluate`."""
    parser.add_argument("--run", required=True, type=Path, help="folder of a trained model; predictions go there too")
    parser.add_argument("--data", required=True, type=Path, help="folder of a dataset")
    parser.add_argument("--split", default="test", help=f"one of: {', '.join(PARTS)} (default: test)")
    said = "width of the search, 1: greedy (default: the setting decoder.beam of the run)"
    parser.add_argument("--beam", type=int, help=said)


def run(args: argparse.Namespace) -> None:
    """Prints the report as JSON; writes it and the predictions into the run's folder."""
    from lib.models.evaluation import evaluate

    print(json.dumps(evaluate(args.run, args.data, args.split, args.beam), ensure_ascii=False, indent=1))
