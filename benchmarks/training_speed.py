"""Prints how fast models train on a dataset, beside what the processor can do at all.

    OMP_NUM_THREADS=1 python benchmarks/training_speed.py --data DIR [--models bilstm abs] [--profile]

The loop is the real one of `lib.models.training` (dropout, label smoothing, clipping, Adam), on batches of 64 in
their shuffled order. Each figure is the best of several rounds, in target tokens a second of wall time and of
processor time; on a machine with other work only the latter means something.
"""

import argparse
import random
import sys
import time
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from lib.models.batching import bucketed, collate
from lib.models.configuration import ENCODERS, parse_changes, settings
from lib.models.data import read_training_data
from lib.models.layers import redraw
from lib.models.machine import fast_arithmetic, has_bf16
from lib.models.training import Trainer

GEMM = (1024, 1024, 1024)  # rows, inner, columns of the matrix product


def main() -> None:
    """Reads the options, prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, type=Path)
    parser.add_argument("--models", nargs="+", default=list(ENCODERS), choices=list(ENCODERS))
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--batches", type=int, default=60, help="a round")
    parser.add_argument("--profile", action="store_true", help="where the time goes, for each model")
    args = parser.parse_args()
    rates = gemm_rates()
    print("sustained matrix products, one thread: " + ", ".join(f"{k} {v:,.0f} GFLOP/s" for k, v in rates.items()))
    for model in args.models:
        changes = parse_changes(model, args.set)
        trainer = Trainer(*_inputs(args.data, model, changes))
        with fast_arithmetic(1, trainer.settings.training.bf16):
            print(measure(trainer, model, args.rounds, args.batches), flush=True)
            if args.profile:
                print(profile(trainer, args.batches))


def _inputs(data: Path, model: str, changes: dict) -> tuple:
    chosen = settings(model, **changes)
    return read_training_data(data, chosen), chosen


def gemm_rates() -> dict[str, float]:
    """GFLOP/s of a matrix product by precision: fp32, fp32 with bf16 inside, bf16."""
    rows, inner, columns = GEMM
    rates = {}
    with fast_arithmetic(1, bf16=False):
        rates["fp32"] = _rate(torch.randn(rows, inner), torch.randn(inner, columns))
    if has_bf16():
        with fast_arithmetic(1):
            rates["fp32 (medium)"] = _rate(torch.randn(rows, inner), torch.randn(inner, columns))
            rates["bf16"] = _rate(torch.randn(rows, inner).bfloat16(), torch.randn(inner, columns).bfloat16())
    return rates


def _rate(left: torch.Tensor, right: torch.Tensor) -> float:
    best = float("inf")
    for _ in range(40):
        started = time.perf_counter()
        left @ right
        best = min(best, time.perf_counter() - started)
    rows, inner, columns = GEMM
    return 2 * rows * inner * columns / best / 1e9


def measure(trainer: Trainer, model: str, rounds: int, count: int) -> str:
    """One line: the best round by wall time and by processor time."""
    batches = _start(trainer, count)
    _round(trainer, batches)  # kernels are compiled, memory is taken
    wall, processor = [], []
    for _ in range(rounds):
        started, used = time.perf_counter(), time.process_time()
        words = _round(trainer, batches)
        wall.append(words / (time.perf_counter() - started))
        processor.append(words / (time.process_time() - used))
    size = sum(parameter.numel() for parameter in trainer.model.parameters())
    return (f"{model}: {max(wall):,.0f} target tokens/s of wall time, {max(processor):,.0f} of processor time "
            f"(best of {rounds}; worst {min(wall):,.0f} and {min(processor):,.0f}), {size:,} parameters")  # fmt: skip


def _start(trainer: Trainer, count: int) -> list:
    trainer.model.train()
    redraw(trainer.model, torch.Generator().manual_seed(1))
    items = trainer.data.train
    chosen = bucketed(items, trainer.settings.training.batch_size, random.Random(1))[:count]
    return [[items[index] for index in batch] for batch in chosen]


def _round(trainer: Trainer, batches: list) -> int:
    return sum(trainer._step(collate(batch), 1e-3)[1] for batch in batches)


def profile(trainer: Trainer, count: int) -> str:
    """The operations that take most of the time."""
    batches = _start(trainer, min(count, 20))
    with torch.profiler.profile() as found:
        _round(trainer, batches)
    return found.key_averages().table(sort_by="self_cpu_time_total", row_limit=20, max_name_column_width=40)


if __name__ == "__main__":
    main()
