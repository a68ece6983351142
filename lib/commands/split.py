"""Cut one SQL query into clauses; prints a JSON list of {"kind", "sql"}."""

import argparse
import json
import sys

from lib.splitting import split
from lib.sql_tokens import DIALECTS


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of `spidercompose split`."""
    parser.add_argument("sql", help="the query, or - to read it from standard input")
    parser.add_argument("--dialect", default="auto", choices=("auto", *DIALECTS), help="how to read it (default: auto)")


def run(args: argparse.Namespace) -> None:
    """Prints the clauses."""
    query = sys.stdin.read() if args.sql == "-" else args.sql
    clauses = split(query, args.dialect)
    print(json.dumps([{"kind": clause.kind, "sql": clause.sql} for clause in clauses], ensure_ascii=False))
