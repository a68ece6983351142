"""Cut one SQL query into clauses; prints a JSON list of {"kind", "sql"}."""

import argparse
import json
import re
import sys
from collections.abc import Sequence

from lib.errors import SqlError
from lib.records import SET_OPERATORS, Clause
from lib.splitting import split
from lib.sql_tokens import DIALECTS


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of `spidercompose split`."""
    parser.add_argument("sql", help="the query, or a part that starts at a clause; - reads it from standard input")
    parser.add_argument("--dialect", default="auto", choices=("auto", *DIALECTS), help="how to read it (default: auto)")


def run(args: argparse.Namespace) -> None:
    """Prints the clauses."""
    query = _read_input() if args.sql == "-" else args.sql
    clauses = split(query, args.dialect)
    _check_grammar(clauses, args.dialect)
    print(json.dumps([{"kind": clause.kind, "sql": clause.sql} for clause in clauses], ensure_ascii=False))


def _read_input() -> str:
    try:
        return sys.stdin.read()
    except UnicodeDecodeError as error:
        raise SqlError(f"standard input is not UTF-8 (byte {error.start}): give the query as UTF-8 text") from error


def _check_grammar(clauses: Sequence[Clause], dialect: str) -> None:
    """Refuses what has clauses and is no SQL all the same; the splitter looks at keywords and nesting only."""
    from lib.sql_parse import parse

    try:
        parse(_whole(clauses), dialect=dialect)
    except SqlError as error:
        # Offsets are those of the clauses put together, not of the text that was given.
        raise SqlError(re.sub(r" at character \d+", "", str(error))) from error


def _whole(clauses: Sequence[Clause]) -> str:
    """A query that holds the clauses; what a part of a query lacks is added."""
    kind, text = clauses[0].kind, " ".join(clause.sql for clause in clauses)
    if kind != "SELECT":
        return f"SELECT 1 {text}" if kind in SET_OPERATORS else f"SELECT 1 FROM t {text}"
    return f"SELECT * FROM ({text}) AS t" if text.upper().startswith("VALUES") else text
