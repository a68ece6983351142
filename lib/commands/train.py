"""Train a SQL-to-text model on a dataset; a run that was interrupted goes on where it stopped."""

import argparse
from pathlib import Path

from lib.models.configuration import ENCODERS, parse_changes, settings


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of `spidercompose train`."""
    parser.add_argument("--data", required=True, type=Path, help="folder of a dataset, as made by 'build'")
    parser.add_argument("--model", default="bilstm", help=f"one of: {', '.join(ENCODERS)} (default: bilstm)")
    parser.add_argument("--out", required=True, type=Path, help="folder of the run")
    parser.add_argument("--seed", type=int, default=1, help="of all randomness (default: 1)")
    parser.add_argument("--epochs", type=int, help="passes over the training pairs")
    parser.add_argument("--patience", type=int, help="stop after so many epochs without a better validation BLEU")
    parser.add_argument("--copy", action="store_true", help="let the decoder copy words of the SQL")
    parser.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="any other setting, such as encoder.hidden=128"
    )


def run(args: argparse.Namespace) -> None:
    """Trains, or says that the run is finished."""
    own = [f"{name}={value}" for name in ("epochs", "patience") if (value := getattr(args, name)) is not None]
    changes = parse_changes(args.model, [*args.set, *own, *(["decoder.copy=true"] if args.copy else [])])
    chosen = settings(args.model, args.seed, **changes)
    from lib.models.runs import notice, train

    manifest = train(args.data, chosen, args.out, notice)
    best = manifest["best"]
    score = "" if best["validation_bleu"] is None else f", validation BLEU {best['validation_bleu']:.2f}"
    print(f"{args.out}: {args.model}, seed {args.seed}, best epoch {best['epoch']} of {manifest['epochs']}{score}")
