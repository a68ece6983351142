"""How long a TMCD split takes, in how much memory, as the number of queries grows.

    python benchmarks/splits.py --corpus spider --queries 4000 20000 100000

Queries of the corpus are repeated and perturbed: in each copy another tenth of the names gets a new ending, so that
copies are new queries with new atoms and compounds. Each row is a whole process.
"""

import argparse
import json
import random
import re
import resource
import subprocess
import sys
import time
from dataclasses import replace

from lib.corpora import open_corpus
from lib.partition.properties import against
from lib.partition.splits import Options, make_split, take_apart
from lib.records import Example

_NAME = re.compile(r"(?<=[. ])[a-z]+_[a-z_]+\b", re.IGNORECASE)


def perturbed(examples: list[Example], count: int) -> list[Example]:
    """As many examples as asked for, the first ones as they are."""
    rng = random.Random(1)
    copies = (divmod(number, len(examples)) for number in range(count))
    return [
        replace(examples[place], id=f"train-{number:06d}", query=_renamed(examples[place].query, copy, rng))
        for number, (copy, place) in enumerate(copies)
    ]


def _renamed(query: str, copy: int, rng: random.Random) -> str:
    """The query with a tenth of its names changed."""
    return _NAME.sub(lambda name: name[0] + (f"_{copy}" if copy and rng.random() < 0.1 else ""), query)


def measure(corpus: str, count: int, options: Options) -> dict:
    """Seconds of each step, the divergence reached, and the memory of this process."""
    opened = open_corpus(corpus)
    examples = perturbed([*opened.examples("train"), *opened.examples("dev")], count)
    times = [time.perf_counter()]
    parts, unreadable = take_apart(examples, opened.schemas, options.definition)
    times.append(time.perf_counter())
    split = make_split([example for example in examples if example.id in parts], parts, options)
    times.append(time.perf_counter())
    found = against(split["train"], split["test"], parts)
    return {
        "compounds": times[1] - times[0],
        "search": times[2] - times[1],
        "divergence": found.compound_divergence,
        "unseen": found.unseen_atom_examples,
        "unreadable": len(unreadable),
        "mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def main() -> None:
    """Prints a row for each number of queries."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", default="builtin")
    parser.add_argument("--queries", type=int, nargs="+", default=[2000, 10000])
    parser.add_argument("--definition", default="ours")
    parser.add_argument("--length-matched", action="store_true")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    options = Options("tmcd", definition=args.definition, length_matched=args.length_matched)
    if args.one:
        print(json.dumps(measure(args.corpus, args.queries[0], options)))
        return
    print(f"{'queries':>9}{'compounds s':>13}{'search s':>10}{'divergence':>12}{'unseen':>8}{'unread':>8}{'MiB':>8}")
    for count in args.queries:
        own = [value for value in sys.argv[1:] if not value.isdigit() and value != "--queries"]
        command = [sys.executable, __file__, "--one", "--queries", str(count), *own]
        row = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        print(
            f"{count:9,}{row['compounds']:13.1f}{row['search']:10.1f}{row['divergence']:12.4f}"
            f"{row['unseen']:8}{row['unreadable']:8}{row['mib']:8.0f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
