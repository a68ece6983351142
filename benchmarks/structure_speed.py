"""Pairs of queries compared as text per second, on Spider dev against a file of predictions.

    python benchmarks/structure_speed.py --data SPIDER --predictions FILE [--pairs 300]

The golden queries are read first, as in a run over several systems; the generated ones are new to the program.
"""

import argparse
import json
import time
from pathlib import Path

from lib.accuracy.structure import _parts, compare_structure, micro_averages
from lib.schemas import read_schemas


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder of Spider")
    parser.add_argument("--predictions", type=Path, required=True, help="one query a line, in the order of dev.json")
    parser.add_argument("--pairs", type=int, default=300)
    args = parser.parse_args()
    schemas = read_schemas(args.data / "tables.json")[0]
    examples = json.loads((args.data / "dev.json").read_text(encoding="utf-8"))
    lines = args.predictions.read_text(encoding="utf-8").splitlines()
    pairs = [(item["query"], line, schemas[item["db_id"]]) for item, line in zip(examples, lines, strict=True)]
    compare_structure("SELECT 1", "SELECT 2")  # imports
    for cached in (False, True):
        _parts.cache_clear()
        if cached:
            for gold, _, schema in pairs[: args.pairs]:
                _parts(gold, schema, "sqlite")
        start = time.perf_counter()
        found = [compare_structure(*pair) for pair in pairs[: args.pairs]]
        seconds = time.perf_counter() - start
        print(f"golden queries {'read before' if cached else 'read too'}: {len(found) / seconds:,.0f} pairs/s")
    unread = sum(bool(item.problem) for item in found)
    print(f"{len(found)} pairs, {unread} with a query that cannot be read")
    for score in micro_averages(found):
        if score.f1 is not None:
            print(
                f"{score.clause:12} F1 {score.f1:.3f}  ({score.shared} of {score.gold} golden, {score.pred} generated)"
            )


if __name__ == "__main__":
    main()
