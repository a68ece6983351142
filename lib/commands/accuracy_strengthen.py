"""The task `spidercompose accuracy strengthen`: variants of databases that tell wrong queries from right ones."""

import argparse
import json
from collections.abc import Callable
from pathlib import Path

from lib.errors import EngineError, ParameterError
from lib.records import Schema


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the task."""
    parser.add_argument("--golden", required=True, type=Path, help="golden suite: JSON, JSONL or CSV with id and sql")
    parser.add_argument(
        "--engine", required=True, help="SQLite database, such as sqlite:shop.sqlite; {db_id} is filled in"
    )
    parser.add_argument("--out", required=True, type=Path, help="folder for the variants and the report; must be new")
    parser.add_argument("--tables", type=Path, help="tables.json with keys that the databases do not declare")
    parser.add_argument("--tries", type=int, default=80, help="variants made for one query at most (80)")
    parser.add_argument("--seed", type=int, default=0, help="decides all variants (0)")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    """Runs the task; returns the exit code."""
    from lib.accuracy.strengthen import strengthen_suite
    from lib.accuracy.suite import read_golden

    if args.tries < 1:
        raise ParameterError(f"--tries must be above 0, not {args.tries}")
    if args.seed < 0:
        raise ParameterError(f"--seed must be at least 0, not {args.seed}")
    if args.out.exists() and any(args.out.iterdir()):
        raise ParameterError(f"the folder '{args.out}' is not empty: give a new one")
    queries = read_golden(args.golden)
    if not queries:
        raise EngineError(f"'{args.golden}' holds no golden query")
    report = strengthen_suite(
        queries, database_finder(args.engine), _schema_finder(args.tables), args.out, args.seed, args.tries
    )
    counts = report.counts()
    if args.json:
        print(json.dumps(counts))
    else:
        width = max(map(len, counts))
        print("\n".join(f"{name:{width}}  {_shown(value)}" for name, value in counts.items()))
        print(f"variants and report: {args.out}")
    if counts["queries with a problem"] == len(queries):
        raise EngineError(f"no golden query could be used, the first: {report.queries[0].problem}")
    return 0


def _shown(value: float | int | None) -> str:
    return "-" if value is None else f"{100 * value:.1f} %" if isinstance(value, float) else str(value)


def database_finder(address: str) -> Callable[[str], Path | None]:
    """Finds the SQLite file of a database by the address that `--engine` gives; None if there is none.

    Raises:
        ParameterError: if the address is of another kind of engine.
    """
    from lib.accuracy.engines.catalog import open_engine

    if open_engine(address).name != "sqlite":
        raise ParameterError(
            f"variants are made of SQLite databases, not of '{address.split(':')[0]}': give sqlite:FILE"
        )

    def find(db_id: str) -> Path | None:
        path = open_engine(address.replace("{db_id}", db_id)).path
        return path if path.is_file() else None

    return find


def _schema_finder(tables: Path | None) -> Callable[[str], Schema | None]:
    from lib.schemas import read_schemas

    return (read_schemas(tables)[0] if tables is not None else {}).get
