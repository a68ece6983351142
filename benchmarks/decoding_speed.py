"""Prints how fast a trained model decodes, greedily and with beams.

    OMP_NUM_THREADS=1 python benchmarks/decoding_speed.py --run RUN --data DIR [--split validation]

Words a second are those of the texts that come out, best of several rounds, of wall time and of processor time.
"""

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from lib.models.data import read_sources
from lib.models.runs import load


def main() -> None:
    """Reads the options, prints one line a beam."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", required=True, type=Path)
    parser.add_argument("--data", required=True, type=Path)
    parser.add_argument("--split", default="validation")
    parser.add_argument("--beams", nargs="+", type=int, default=[1, 5])
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    run = load(args.run)
    sources = read_sources(args.data, (args.split,), run.settings.model)[args.split].read
    for beam in args.beams:
        wall, processor = [], []
        for _ in range(args.rounds):
            started, used = time.perf_counter(), time.process_time()
            words = sum(len(text.split()) for text in run.translate(sources, beam))
            wall.append(words / (time.perf_counter() - started))
            processor.append(words / (time.process_time() - used))
        print(f"beam {beam}: {max(wall):,.0f} words/s of wall time, {max(processor):,.0f} of processor time "
              f"(best of {args.rounds}, {len(sources)} pairs)", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
