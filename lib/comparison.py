"""Systems side by side: what they wrote, their scores with intervals, differences, and the order that scores give.

Intervals and tests resample two things with replacement: the test questions, all pairs of one SQL together, and the
training runs of a model. Systems that were tested on the same pairs are compared on the same draws of them. With one
run of a model an interval covers the choice of questions alone.
"""

import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from lib.datasets import read_part
from lib.errors import ModelError
from lib.metrics.bootstrap import Estimate, estimate, kendall_tau, p_value, resampled
from lib.metrics.predictions import with_reference
from lib.metrics.text import joined, sentence_bleu
from lib.partition.baselines import BASELINES, Lookup
from lib.records import Pair
from lib.report import CLOSE, HOLDS, NOT
from lib.run_results import BASELINE_NAMES, Result, texts_of

if TYPE_CHECKING:
    from pandas import DataFrame

PAPER_MODELS = {"bilstm": "BiLSTM", "abs": "ABS", "rel": "REL", "treelstm": "TreeLSTM", "rgt": "RGT"}  # its names
MODELS = PAPER_MODELS | {"compositional": "Ours"}
PARTS = {"recombined": "BiLSTM, recombined", "marked": "BiLSTM, marked"}  # for the ablation of ours alone
NAMES = MODELS | PARTS
_RESAMPLES = 1000


@dataclass(frozen=True, slots=True)
class Output:
    """What one system wrote for the test pairs of one dataset."""

    system: str  # name of a model or baseline
    dataset: str  # name of the dataset that it learned from
    texts: tuple[tuple[str, ...], ...]  # for each seed, a text for each test pair in order


def read_tests(data: Path) -> list[Pair]:
    """The test pairs that have a text."""
    return with_reference(read_part(data, "test"))


def baseline_outputs(data: Path, pairs: Sequence[Pair]) -> list[Output]:
    """What the baselines write that only copy training texts.

    Args:
        data: dataset whose training part they look up.
        pairs: test pairs.
    """
    lookup = Lookup(read_part(data, "train"))
    return [
        Output(name, data.name, (tuple(write(lookup, pair) for pair in pairs),)) for name, write in BASELINES.items()
    ]


def model_output(system: str, dataset: str, runs: Iterable[Path], pairs: Sequence[Pair]) -> Output:
    """What a model wrote, by seed; joined with the pairs by id.

    Raises:
        ModelError: if a run has no text for a pair.
    """
    return Output(system, dataset, tuple(tuple(texts_of(run, pairs)) for run in runs))


def examples(output: Output, pairs: Sequence[Pair]) -> "DataFrame":
    """The best, a middling and the worst text of the first seed, by sentence BLEU.

    Returns:
        Columns SQL, reference, text, sentence BLEU.
    """
    import pandas

    scored = [(sentence_bleu(joined(text), joined(pair.text)), pair.id, pair, text)
              for pair, text in zip(pairs, output.texts[0], strict=True)]  # fmt: skip
    ranked = sorted(scored, key=lambda entry: entry[:2])
    chosen = [ranked[-1], ranked[len(ranked) // 2], ranked[0]]
    rows = [(pair.sql, pair.text, text, score) for score, _, pair, text in chosen]
    return pandas.DataFrame(rows, columns=["SQL", "reference", "text", "sentence BLEU"])


@dataclass(frozen=True, slots=True, eq=False)  # known by identity, so that its resamples can be kept
class Cell:
    """All results of one system on one dataset."""

    system: str  # as shown
    dataset: str
    seeds: int  # training runs
    learns: bool  # False: a baseline
    ids: tuple[str, ...]  # of the test pairs
    groups: tuple[int, ...]  # the same number: the same SQL
    clauses: tuple[int, ...]  # number of clauses of each pair
    settings: Mapping  # of its first run; empty for a baseline
    learned: Mapping  # numbers of pairs that its first run learned from; empty for a baseline
    sums: np.ndarray  # (seeds, pairs, metrics.sums.N_SUMS)


Board = Mapping[tuple[str, str], Cell]  # by system and dataset; a missing one has no result yet


def board(results: Sequence[Result], models: Sequence[str], datasets: Sequence[str], seeds: int) -> Board:
    """Results by system and dataset, models first, in the orders given; those of others are left out.

    Args:
        results: of all runs.
        models: names in ENCODERS.
        datasets: their names.
        seeds: of each model, 1 to this.

    Raises:
        ModelError: if there are none, or those on one dataset are for other test pairs: it was made again in between.
    """
    found: dict[tuple[str, str], list[Result]] = {}
    for result in sorted(results, key=lambda result: result.seed or 0):
        if result.seed is None or result.seed <= seeds:
            found.setdefault((result.system, result.dataset), []).append(result)
    cells = {}
    for system in (*models, *BASELINE_NAMES):
        for dataset in datasets:
            if (system, dataset) in found:
                cell = _cell(found[system, dataset], system in models)
                cells[cell.system, dataset] = cell
    if not cells:
        raise ModelError("there is no result of these models yet: run the study, or one of its runs, first")
    _check_pairs(cells.values())
    return cells


def _cell(results: Sequence[Result], learns: bool) -> Cell:
    first = results[0]
    if any(result.ids != first.ids for result in results):
        raise ModelError(_OLD.format(first.dataset))
    name, settings = NAMES.get(first.system, first.system), first.facts.get("settings", {})
    learned = first.facts.get("pairs", {})
    sums = np.stack([result.sums for result in results])
    return Cell(
        name, first.dataset, len(results), learns, first.ids, first.groups, first.clauses, settings, learned, sums
    )


_OLD = "results on dataset '{}' are for different test pairs, it was made again in between: run the study again"


def _check_pairs(cells: Iterable[Cell]) -> None:
    ids: dict[str, tuple[str, ...]] = {}
    for cell in cells:
        if ids.setdefault(cell.dataset, cell.ids) != cell.ids:
            raise ModelError(_OLD.format(cell.dataset))


def systems(cells: Board) -> list[str]:
    """The systems of a board, in its order."""
    return list(dict.fromkeys(system for system, _ in cells))


def learners(cells: Board) -> list[str]:
    """The models of a board, without the baselines."""
    return list(dict.fromkeys(cell.system for cell in cells.values() if cell.learns))


@dataclass(frozen=True, slots=True)
class Sample:
    """A figure, and what it was in each resample."""

    value: float
    draws: np.ndarray  # (resamples,)

    @property
    def estimate(self) -> Estimate:
        """The figure with its 95 % interval."""
        return estimate(self.value, self.draws)

    @property
    def p(self) -> float:
        """Two-sided, that it is 0."""
        return p_value(self.draws)


def sample(cell: Cell, score: Callable[[np.ndarray], np.ndarray]) -> Sample:
    """The mean of a score over the runs of a system, and what it was in resamples of questions and of runs.

    Args:
        cell: results of the system on a dataset.
        score: one of metrics.sums.SCORES.
    """
    scores = score(_draws(cell))
    rng = np.random.default_rng(_number(f"{cell.system} {cell.dataset}"))  # runs of two models are not paired
    chosen = rng.integers(0, scores.shape[1], size=scores.shape)
    value = float(score(cell.sums.sum(axis=1)).mean())
    return Sample(value, np.take_along_axis(scores, chosen, axis=1).mean(axis=1))


@lru_cache(maxsize=256)
def _draws(cell: Cell) -> np.ndarray:
    """Sums of each resample of the questions for each run, (resamples, seeds, metrics.sums.N_SUMS)."""
    seeds, pairs, width = cell.sums.shape
    flat = cell.sums.transpose(1, 0, 2).reshape(pairs, seeds * width)
    draws = resampled(flat, cell.groups, _RESAMPLES, _number("\n".join(cell.ids)))  # by the pairs: paired where alike
    return draws.reshape(-1, seeds, width)


def _number(text: str) -> int:
    return zlib.crc32(text.encode())


def combined(function: Callable[..., np.ndarray], *samples: Sample) -> Sample:
    """A figure made from others, such as a difference, draw by draw.

    Args:
        function: of as many numbers, or arrays of draws, as there are samples.
        samples: what it is made from.
    """
    return Sample(float(function(*(s.value for s in samples))), np.asarray(function(*(s.draws for s in samples))))


def minus(one: Sample, other: Sample) -> Sample:
    """The difference of two figures."""
    return combined(np.subtract, one, other)


def per_seed(cell: Cell, score: Callable[[np.ndarray], np.ndarray]) -> list[float]:
    """A score of each run."""
    return score(cell.sums.sum(axis=1)).tolist()


def only_clauses(cell: Cell, size: int) -> Cell:
    """The same results on the pairs with so many clauses."""
    chosen = [index for index, count in enumerate(cell.clauses) if count == size]
    picked = {name: tuple(getattr(cell, name)[i] for i in chosen) for name in ("ids", "groups", "clauses")}
    return replace(cell, **picked, sums=cell.sums[:, chosen])


def order_agreement(
    cells: Board, datasets: tuple[str, str], score: Callable[[np.ndarray], np.ndarray], models: Sequence[str] = ()
) -> tuple[list[str], Sample | None]:
    """Kendall's tau between the orders of the models on two datasets, -1 to 1.

    Args:
        cells: all results.
        datasets: the two.
        score: that the models are ordered by.
        models: as shown, those to order; all by default.

    Returns:
        The models with results on both, and tau; None for fewer than two models.
    """
    names = [name for name in models or learners(cells) if all((name, dataset) in cells for dataset in datasets)]
    if len(names) < 2:
        return names, None
    sides = [[sample(cells[name, dataset], score) for name in names] for dataset in datasets]
    value = kendall_tau(*([s.value for s in side] for side in sides))
    draws = zip(*(np.stack([s.draws for s in side], axis=1) for side in sides), strict=True)
    return names, Sample(value, np.nan_to_num([kendall_tau(list(a), list(b)) for a, b in draws]))


def conclusion(found: Estimate, above: bool) -> str:
    """Whether a figure is above (or below) zero; `too close` if its interval holds zero.

    >>> conclusion(Estimate(-3.0, -5.0, -1.0), above=False), conclusion(Estimate(0.5, -1.0, 2.0), above=True)
    ('holds', 'too close')
    """
    low, high = (found.low, found.high) if above else (-found.high, -found.low)
    return HOLDS if low > 0 else NOT if high < 0 else CLOSE
