"""The tables of the comparison (tables 9 to 11 of the paper), each made from a board of results.

A cell shows the mean over the training runs with its 95 % interval; what has no result yet is a missing value, and a
system with none of what a table shows has no row. The frames behind figures hold the same as numbers.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations, product
from typing import TYPE_CHECKING

import numpy as np

from lib.comparison import (
    NAMES,
    Board,
    Sample,
    learners,
    minus,
    only_clauses,
    order_agreement,
    per_seed,
    sample,
    systems,
)
from lib.metrics.bootstrap import Estimate, holm, mean_interval
from lib.metrics.sums import SCORES, bleu, mean

if TYPE_CHECKING:
    from pandas import DataFrame

# For each variant of SpiderCompose the datasets of experiment 1, experiment 2, and the control of experiment 2.
EXPERIMENTS = {
    "paper": {"experiment 1": "paper", "experiment 2": "experiment2", "control": "control"},
    "clean": {"experiment 1": "clean", "experiment 2": "clean-experiment2", "control": "clean-control"},
}
# Datasets by the paper's names for them; on another corpus they are what these are on Spider.
FOUR = {"paper": "SpiderCompose", "template": "SpiderTemplate", "tmcd": "SpiderTMCD", "original": "Spider"}
FIVE = {"paper": "SpiderCompose", "clean": "SpiderCompose clean", "template": "SpiderTemplate", "tmcd": "SpiderTMCD",
        "original": "Spider"}  # fmt: skip
Score = Callable[[np.ndarray], np.ndarray]


def shown(found: Estimate, sign: bool = False) -> str:
    """A figure with its interval, as in a cell.

    >>> shown(Estimate(31.25, 29.0, 33.149)), shown(Estimate(2.0, -1.0, 5.0), sign=True)
    ('31.2 (29.0 to 33.1)', '+2.0 (-1.0 to +5.0)')
    """
    words = [_signed(x) if sign else _plain(x) for x in (found.value, found.low, found.high)]
    return "{} ({} to {})".format(*words)


def _plain(value: float) -> str:
    return f"{round(value, 1) + 0.0:.1f}"  # never "-0.0"


def _signed(value: float) -> str:
    return f"{round(value, 1) + 0.0:+.1f}"


def seeds_of(cells: Board, system: str, datasets: Sequence[str]) -> str:
    """The number of training runs of a system on datasets: one number if all are alike, `none` for a baseline.

    With some missing it lists them in the order of the datasets, such as "3/3/1/0".
    """
    found = [cells[system, name] for name in datasets if (system, name) in cells]
    if found and not found[0].learns:
        return "none"
    numbers = [str(cells[system, name].seeds) if (system, name) in cells else "0" for name in datasets]
    return numbers[0] if len(set(numbers)) == 1 else "/".join(numbers)


def scores(cells: Board, score: Score, datasets: Mapping[str, str]) -> "DataFrame":
    """One score of all systems on some datasets, as numbers for figures.

    Args:
        cells: all results.
        score: one of metrics.sums.SCORES.
        datasets: with the names to be shown.

    Returns:
        Columns system, dataset, seeds, value, low, high; no row for what has no result.
    """
    import pandas

    rows = []
    for key in product(systems(cells), datasets):
        if key in cells:
            found = sample(cells[key], score).estimate
            runs = cells[key].seeds if cells[key].learns else 0
            rows.append((key[0], datasets[key[1]], runs, found.value, found.low, found.high))
    return pandas.DataFrame(rows, columns=["system", "dataset", "seeds", "value", "low", "high"])


def table9(cells: Board, variant: str) -> "DataFrame":
    """Experiments 1 and 2 on one variant of SpiderCompose: BLEU, exact match, and their mean.

    Returns:
        Columns system, seeds, score, experiment 1, experiment 2, drop, control.
    """
    import pandas

    datasets = EXPERIMENTS[variant]
    rows = []
    for system in systems(cells):
        seeds = seeds_of(cells, system, list(datasets.values()))
        for name in ("BLEU-4", "exact match %", "mean"):
            found = {step: _sample(cells, system, dataset, SCORES[name]) for step, dataset in datasets.items()}
            first, second = found["experiment 1"], found["experiment 2"]
            drop = minus(first, second) if first and second else None
            rows.append((system, seeds, name, _text(first), _text(second), _text(drop), _text(found["control"])))
    columns = ["system", "seeds", "score", "experiment 1", "experiment 2", "drop", "control"]
    return _filled(pandas.DataFrame(rows, columns=columns), 3)


def by_dataset(cells: Board, names: Sequence[str], datasets: Mapping[str, str] = FIVE) -> "DataFrame":
    """Scores on several datasets, as in tables 10 and 11.

    Args:
        cells: all results.
        names: of scores.
        datasets: with the names to be shown.

    Returns:
        Columns system, seeds, score (if there are several), and the datasets.
    """
    import pandas

    rows = []
    for system in systems(cells):
        seeds = seeds_of(cells, system, list(datasets))
        for name in names:
            texts = [_text(_sample(cells, system, dataset, SCORES[name])) for dataset in datasets]
            rows.append((system, seeds, name, *texts))
    frame = _filled(pandas.DataFrame(rows, columns=["system", "seeds", "score", *datasets.values()]), 3)
    return frame if len(names) > 1 else frame.drop(columns="score")


def _filled(frame: "DataFrame", keys: int) -> "DataFrame":
    """The rows with a value besides the first columns, which say what a row is about."""
    return frame.dropna(how="all", subset=frame.columns[keys:], ignore_index=True)


def _sample(cells: Board, system: str, dataset: str, score: Score) -> Sample | None:
    return sample(cells[system, dataset], score) if (system, dataset) in cells else None


def _text(found: Sample | None) -> str | None:
    return shown(found.estimate) if found else None


def spread_of_seeds(cells: Board, datasets: Sequence[str]) -> "DataFrame":
    """BLEU of the models, mean over training runs with the 95 % interval of Student's t.

    Returns:
        Columns system, seeds, and the datasets; a single run has no interval.
    """
    import pandas

    rows = []
    for system in learners(cells):
        texts = []
        for name in datasets:
            values = per_seed(cells[system, name], bleu) if (system, name) in cells else []
            texts.append(_with_spread(values) if values else None)
        rows.append((system, seeds_of(cells, system, datasets), *texts))
    return _filled(pandas.DataFrame(rows, columns=["system", "seeds", *datasets]), 2)


def _with_spread(values: Sequence[float]) -> str:
    found = mean_interval(values)
    return f"{found.value:.1f}" + (f" ± {found.high - found.value:.1f}" if len(values) > 1 else "")


def paired_tests(cells: Board, datasets: Mapping[str, str] = FIVE) -> "DataFrame":
    """BLEU of each model minus that of each other one on the same draws, with p after Holm within each dataset.

    Returns:
        Columns model, minus, and the datasets.
    """
    import pandas

    couples = list(combinations(learners(cells), 2))
    columns: dict[str, list[str | None]] = {}
    for dataset, name in datasets.items():
        found = {}
        for one, other in couples:
            if (one, dataset) in cells and (other, dataset) in cells:
                found[one, other] = minus(sample(cells[one, dataset], bleu), sample(cells[other, dataset], bleu))
        raised = dict(zip(found, holm([difference.p for difference in found.values()]), strict=True))
        columns[name] = [
            f"{_signed(found[couple].value)}, p {raised[couple]:.3f}" if couple in found else None for couple in couples
        ]
    keys = {"model": [one for one, _ in couples], "minus": [other for _, other in couples]}
    return _filled(pandas.DataFrame(keys | columns), 2)


def effects(cells: Board, variant: str) -> "DataFrame":
    """What experiment 2 and its control change in BLEU, and how much of that is owed to the clauses.

    Returns:
        Columns system, then differences with p: each of the two minus experiment 1, experiment 2 minus control.
    """
    import pandas

    datasets, rows = EXPERIMENTS[variant], []
    steps = (("experiment 2", "experiment 1"), ("control", "experiment 1"), ("experiment 2", "control"))
    for system in systems(cells):
        row: list[str | None] = [system]
        for one, other in steps:
            a, b = (_sample(cells, system, datasets[step], bleu) for step in (one, other))
            gap = minus(a, b) if a and b else None
            row.append(f"{shown(gap.estimate, sign=True)}, p {gap.p:.3f}" if gap else None)
        rows.append(row)
    return _filled(pandas.DataFrame(rows, columns=["system", *(f"{one} minus {other}" for one, other in steps)]), 1)


def by_clauses(cells: Board, dataset: str) -> "DataFrame":
    """BLEU on a dataset by number of clauses.

    Returns:
        Columns system, and one for each number of clauses with its number of pairs.
    """
    import pandas

    here = {system: cell for (system, name), cell in cells.items() if name == dataset}
    sizes = sorted({size for cell in here.values() for size in cell.clauses})
    counts = {size: max(cell.clauses.count(size) for cell in here.values()) for size in sizes}
    rows = [
        (system, *(_text(sample(only_clauses(cell, size), bleu)) for size in sizes)) for system, cell in here.items()
    ]
    return pandas.DataFrame(rows, columns=["system", *(f"{size} clauses ({counts[size]} pairs)" for size in sizes)])


def orders(cells: Board, datasets: Mapping[str, str] = FIVE) -> "DataFrame":
    """Kendall's tau between the orders of the models (by the mean score) on each two datasets.

    Returns:
        Columns dataset, other dataset, models, tau, low, high; no row where fewer than two models have results.
    """
    import pandas

    rows = []
    for one, other in combinations(datasets, 2):
        names, tau = order_agreement(cells, (one, other), mean)
        found = tau.estimate if tau else Estimate(float("nan"), float("nan"), float("nan"))
        rows.append((datasets[one], datasets[other], len(names), found.value, found.low, found.high))
    return _filled(pandas.DataFrame(rows, columns=["dataset", "other dataset", "models", "tau", "low", "high"]), 3)


def missing(cells: Board, due: Sequence[tuple[str, str]], seeds: int) -> list[str]:
    """The runs of a study that have no result yet, such as "RGT on tmcd, 1 of 3".

    Args:
        cells: all results.
        due: the models (names in ENCODERS) and datasets of the study's runs.
        seeds: of the study.
    """
    found = {(NAMES[model], name): 0 for model, name in due}
    found |= {key: cells[key].seeds for key in found if key in cells}
    return [f"{model} on {name}, {count} of {seeds}" for (model, name), count in found.items() if count < seeds]


def not_trained(models: Sequence[str], datasets: Sequence[str], due: Sequence[tuple[str, str]]) -> list[str]:
    """What a study does not train, such as "RGT on template, tmcd"; a line for each model.

    Args:
        models: names in ENCODERS.
        datasets: of the study.
        due: the models and datasets of the study's runs.
    """
    left = {model: [name for name in datasets if (model, name) not in due] for model in models}
    return [f"{NAMES[model]} on {', '.join(names)}" for model, names in left.items() if names]
