"""Put one SQL query, or a part of one that starts at a clause, into words with a trained model."""

import argparse
from pathlib import Path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of `spidercompose translate`."""
    parser.add_argument("sql", help="the SQL, or - to read it from standard input; its"
                        " names are cut at underscores and capitals, since no database is given")  # fmt: skip
    parser.add_argument("--run", required=True, type=Path, help="folder of a trained model")
    parser.add_argument("--beam", type=int, default=5, help="width of the search; 1 is greedy (default: 5)")


def run(args: argparse.Namespace) -> None:
    """Prints the text."""
    from lib.commands.split import read_input
    from lib.models.runs import load
    from lib.tokens import detokenize

    sql = read_input() if args.sql == "-" else args.sql
    print(detokenize(load(args.run).translate_sql(sql, args.beam).split()))
