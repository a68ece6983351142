"""How long `spidercompose build` takes, in how much memory, as a corpus grows by repetition.

    python benchmarks/build_speed.py --corpus builtin --times 1 10 100

Each row is a whole process from a cold start. The corpus is repeated record by record, under new ids, so time should
grow with it and memory should hardly grow (what grows is the validation and test pairs kept for the leakage report).
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from lib.corpora import SOURCES, open_corpus


def repeat(corpus, folder: Path, times: int) -> Path:
    """Writes the corpus `times` over, as a stream."""
    folder.mkdir(parents=True)
    (folder / "tables.json").write_bytes((corpus.folder / "tables.json").read_bytes())
    for source in SOURCES:
        body = corpus.file(source).read_text(encoding="utf-8").strip()[1:-1]
        with open(folder / f"{source}.json", "w", encoding="utf-8") as handle:
            handle.write("[")
            for turn in range(times):
                handle.write(("," if turn else "") + body)
            handle.write("]")
    return folder


def measure(folder: Path, out: Path, jobs: int) -> tuple[float, float, int]:
    """Seconds, MiB of the largest process, and training pairs of one build."""
    command = [sys.executable, "-m", "lib.cli", "build", "--corpus", folder, "--out", out, "--jobs", str(jobs)]
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    return seconds, peak, json.loads((out / "manifest.json").read_text())["pairs"]["train"]


def main() -> None:
    """Prints a row for each size and number of processes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", default="builtin")
    parser.add_argument("--times", type=int, nargs="+", default=[1, 10])
    parser.add_argument("--jobs", type=int, nargs="+", default=[1, 2])
    args = parser.parse_args()
    corpus = open_corpus(args.corpus)
    print(f"{'times':>6}{'jobs':>6}{'pairs':>12}{'seconds':>10}{'MiB':>8}")
    for times in args.times:
        for jobs in args.jobs:
            with tempfile.TemporaryDirectory() as scratch:
                folder = repeat(corpus, Path(scratch) / "corpus", times)
                seconds, peak, pairs = measure(folder, Path(scratch) / "out", jobs)
            print(f"{times:6}{jobs:6}{pairs:12,}{seconds:10.2f}{peak:8.0f}", flush=True)


if __name__ == "__main__":
    main()
