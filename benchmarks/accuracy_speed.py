"""Evaluations per second, and what large and look-alike results cost.

    python benchmarks/accuracy_speed.py --data SPIDER [--predictions FILE] [--pairs 300] [--processes 1 2]

Every figure includes running both queries with all safety on: read-only connections, authorizer, deadline, limits.
"comparison alone" leaves out the further queries that ask whether a golden LIMIT cuts a tie. Caches are cold: each
round starts with new evaluators; golden results are shared between neighbouring questions, as in any run. Times are
given as seconds of processor time (which a busy machine does not change) and as wall time.
"""

import argparse
import json
import random
import sqlite3
import tempfile
import time
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from lib.accuracy.batch import Job, run_batch
from lib.accuracy.comparison import compare
from lib.accuracy.engines.sqlite import SqliteEngine
from lib.accuracy.evaluation import Evaluator, evaluate
from lib.accuracy.golden import Golden
from lib.accuracy.records import Case, Result, Settings

ROUNDS = 5  # the best of them is shown: the others had company on the machine


def main() -> None:
    """Prints all figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder of Spider")
    parser.add_argument("--predictions", type=Path, help="one SQL a line (default: the golden queries themselves)")
    parser.add_argument("--pairs", type=int, default=300)
    parser.add_argument("--processes", type=int, nargs="*", default=[], help="numbers of processes to run a batch with")
    args = parser.parse_args()
    cases = read_cases(args.data, args.predictions)
    pairs = cases[: args.pairs]
    for name, settings in (("comparison alone", Settings(determinacy=False)), ("with all flags", Settings())):
        cpu, wall = min(timed(lambda settings=settings: one_process(pairs, args.data, settings)) for _ in range(ROUNDS))
        speeds = f"{len(pairs) / cpu:,.0f} pairs/s of processor, {len(pairs) / wall:,.0f} of wall time"
        print(f"{len(pairs)} pairs, {name}: {speeds}")
    cpu, wall = min(timed(lambda: bare(pairs, args.data)) for _ in range(ROUNDS))
    print(
        f"for comparison, the queries and two Counters, no safety: {len(pairs) / cpu:,.0f} and {len(pairs) / wall:,.0f}"
    )
    for count in args.processes:
        print(f"{count} processes: {batch_speed(repeated(cases, 8), args.data, count):,.0f} pairs/s of wall time")
    look_alike()
    million_rows()


def read_cases(data: Path, predictions: Path | None) -> list[Case]:
    """Cases of Spider dev whose database is there."""
    examples = json.loads((data / "dev.json").read_text(encoding="utf-8"))
    lines = (
        predictions.read_text(encoding="utf-8").splitlines() if predictions else [item["query"] for item in examples]
    )
    return [
        Case(f"dev-{index:05}", item["query"], line, item["db_id"])
        for index, (item, line) in enumerate(zip(examples, lines, strict=True))
        if database(data, item["db_id"]).exists()
    ]


def database(data: Path, db_id: str) -> Path:
    """The SQLite file of a database."""
    return data / "database" / db_id / f"{db_id}.sqlite"


def one_process(cases: list[Case], data: Path, settings: Settings) -> None:
    """Evaluates the cases with new evaluators and new connections."""
    evaluators: dict[str, Evaluator] = {}
    for case in cases:
        if case.db_id not in evaluators:
            evaluators[case.db_id] = Evaluator(SqliteEngine(database(data, case.db_id)), settings)
        evaluators[case.db_id].evaluate(case)
    for evaluator in evaluators.values():
        evaluator.engine.close()


def bare(cases: list[Case], data: Path) -> None:
    """What the machine could do at best: open connections, both queries, two Counters."""
    connections: dict[str, sqlite3.Connection] = {}
    for case in cases:
        if case.db_id not in connections:
            connections[case.db_id] = sqlite3.connect(f"file:{database(data, case.db_id)}?mode=ro", uri=True)
        with suppress(sqlite3.Error):
            fetched = [connections[case.db_id].execute(sql).fetchall() for sql in (case.gold, case.pred)]
            Counter(fetched[0]) == Counter(fetched[1])  # noqa: B015 - only its time matters
    for connection in connections.values():
        connection.close()


def timed(action) -> tuple[float, float]:
    """Seconds of processor and of wall time."""
    cpu, wall = time.process_time(), time.perf_counter()
    action()
    return time.process_time() - cpu, time.perf_counter() - wall


def repeated(cases: list[Case], times: int) -> list[Case]:
    """The cases again and again, golden queries with one more blank each time.

    So no process finds a golden result that it kept from an earlier round: one process would have all of them, two
    would have half, and the comparison would say nothing about how the work spreads.
    """
    return [replace(case, gold=case.gold + " " * turn) for turn in range(times) for case in cases]


def batch_speed(cases: list[Case], data: Path, processes: int) -> float:
    """Pairs per second of a batch, counted after the first chunks, when all processes have started."""
    job = Job(f"sqlite:{data}/database/{{db_id}}/{{db_id}}.sqlite", Settings())
    with tempfile.TemporaryDirectory() as folder:
        counts = run_batch(cases, job, Path(folder) / "evaluations.jsonl", processes)
        first = next(count for count in counts if count >= 640)
        started = time.perf_counter()
        *_, last = counts
        return (last - first) / (time.perf_counter() - started)


def look_alike() -> None:
    """Twenty columns of flags, shuffled; and twenty that no count tells apart."""
    generator = random.Random(1)
    gold = [tuple(generator.randint(0, 1) for _ in range(20)) for _ in range(40)]
    order = generator.sample(range(20), 20)
    shown("20 flags, shuffled", gold, [tuple(row[place] for place in order) for row in gold[::-1]])
    ring = [tuple(int((place - row) % 20 in (0, 1)) for place in range(20)) for row in range(20)]
    half = [tuple(int((place - row) % 10 in (0, 1)) for place in range(10)) for row in range(10)]
    shown(
        "20 columns, one ring against two", ring, [row + (0,) * 10 for row in half] + [(0,) * 10 + row for row in half]
    )


def shown(name: str, gold: list[tuple], pred: list[tuple]) -> None:
    """Prints the verdict on two results and its time."""
    columns = tuple(map(str, range(len(gold[0]))))
    golden, result = Golden("", Result("ok", columns, gold), None, False, ()), Result("ok", columns, pred)
    cpu = min(timed(lambda: compare(golden, result, Settings()))[0] for _ in range(ROUNDS))
    verdict = compare(golden, result, Settings()).exact
    print(f"{name}: {'undecided' if verdict is None else verdict} in {1000 * cpu:.1f} ms")


def million_rows() -> None:
    """A table of a million rows against itself in another order, without one row, and with columns permuted."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "big.sqlite"
        connection = sqlite3.connect(path)
        connection.execute("CREATE TABLE t(a INTEGER, b TEXT)")
        connection.executemany("INSERT INTO t VALUES (?, ?)", ((n, f"v{n % 1000}") for n in range(1_000_000)))
        connection.commit()
        connection.close()
        for pred in ("SELECT a, b FROM t ORDER BY b, a", "SELECT a, b FROM t WHERE a > 0", "SELECT b, a FROM t"):
            before = time.process_time()
            seen = evaluate("SELECT a, b FROM t", pred, f"sqlite:{path}")
            whole = time.process_time() - before
            print(
                f"a million rows, {pred}: {seen.exact}; {whole:.2f} s of processor in all, comparison "
                f"{seen.compare_seconds:.2f} s, queries {seen.gold_seconds + seen.pred_seconds:.2f} s of wall time"
            )


if __name__ == "__main__":
    main()
