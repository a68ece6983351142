"""Cut one SQL query into clauses; prints a JSON list of {"kind", "sql"}."""

import argparse
import json
import sys

from lib.errors import SqlError
from lib.splitting import split
from lib.sql_tokens import DIALECTS


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of `spidercompose split`."""
    parser.add_argument("sql", help="the query, or a part that starts at a clause; - reads it from standard input")
    parser.add_argument("--dialect", default="auto", choices=("auto", *DIALECTS), help="how to read it (default: auto)")


def run(args: argparse.Namespace) -> None:
    """Prints the clauses."""
    from lib.sql_parse import check_grammar

    query = read_input() if args.sql == "-" else args.sql
    clauses = split(query, args.dialect)
    check_grammar(clauses, args.dialect)
    print(json.dumps([{"kind": clause.kind, "sql": clause.sql} for clause in clauses], ensure_ascii=False))


def read_input() -> str:
    """The query on standard input.

    Raises:
        SqlError: if it is not UTF-8.
    """
    try:
        return sys.stdin.read()
    except UnicodeDecodeError as error:
        raise SqlError(f"standard input is not UTF-8 (byte {error.start}): give the query as UTF-8 text") from error
