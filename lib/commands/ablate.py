"""Make the training set of experiment 2, of its control, or without some queries, from a SpiderCompose dataset."""

import argparse
from pathlib import Path

from lib.partition.ablation import MODES, ablate


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of `spidercompose ablate`."""
    parser.add_argument("--data", required=True, type=Path, help="dataset made by 'spidercompose build'")
    parser.add_argument(
        "--out", required=True, type=Path, help="folder for the new dataset; replaces an older one in it"
    )
    parser.add_argument("--by", default="text", choices=MODES,
                        help="remove training pairs that share a clause with the test set, by its text or by text and"
                        " database; control-... removes as many random pairs of the same lengths instead;"
                        " unseen-validation removes all pairs of some validation queries and keeps only these in the"
                        " validation part, to choose settings by them")  # fmt: skip
    parser.add_argument("--seed", type=int, default=1, help="for what is drawn (default: 1)")


def run(args: argparse.Namespace) -> None:
    """Writes the dataset and prints what was removed."""
    ablation = ablate(args.data, args.out, args.by, args.seed)["ablation"]
    print(f"train      {ablation['kept']:7,} pairs kept, {ablation['removed']:,} removed ({args.by})")
    print(f"validation {ablation['validation']:7,} pairs")
