"""Ours taken apart: what a mark on whole queries is worth, what recombined clauses are, and both together."""

from typing import TYPE_CHECKING

from lib.comparison import NAMES, PARTS, Board, minus, sample
from lib.comparison_tables import FIVE, Score, shown
from lib.metrics.bootstrap import holm
from lib.metrics.sums import SCORES

if TYPE_CHECKING:
    from pandas import DataFrame

BASE = NAMES["bilstm"]
_MODELS = tuple(NAMES[model] for model in ("bilstm", "marked", "recombined", "compositional"))
_DATASETS = ("clean", "paper")
_SHOWN = ("BLEU-4", "clause dropped %", "no error found %")


def taken_apart(cells: Board) -> Board:
    """The results of ours, its parts and the BiLSTM, on those variants of SpiderCompose that a part has learned."""
    tried = [dataset for dataset in _DATASETS if any((part, dataset) in cells for part in PARTS.values())]
    keys = [(model, dataset) for dataset in tried for model in _MODELS]
    return {key: cells[key] for key in keys if key in cells}


def datasets_of(cells: Board) -> list[str]:
    """The datasets of a board, in its order."""
    return list(dict.fromkeys(dataset for _, dataset in cells))


def ablation(cells: Board) -> "DataFrame":
    """Scores, and differences to the BiLSTM on the same draws, p after Holm within each dataset and score.

    Args:
        cells: as `taken_apart` gives them.

    Returns:
        Columns dataset, model, seeds, copies, recombined pairs %, BLEU-4, clause dropped %, no error found %, and for
        each of these three its difference to the BiLSTM.
    """
    import pandas

    rows = []
    for dataset in datasets_of(cells):
        gaps = [_gaps(cells, dataset, SCORES[name]) for name in _SHOWN]
        for system, cell in ((system, cell) for (system, name), cell in cells.items() if name == dataset):
            share = 100 * cell.learned["recombined"] / cell.learned["train"]
            row = (FIVE[dataset], system, cell.seeds, cell.settings["decoder"]["copy"], share)
            scores = [shown(sample(cell, SCORES[name]).estimate) for name in _SHOWN]
            rows.append((*row, *scores, *(gap.get(system) for gap in gaps)))
    columns = ["dataset", "model", "seeds", "copies", "recombined pairs %", *_SHOWN]
    return pandas.DataFrame(rows, columns=[*columns, *(f"{name} minus {BASE}" for name in _SHOWN)])


def _gaps(cells: Board, dataset: str, score: Score) -> dict[str, str]:
    """By system, for those besides the BiLSTM, if that is there."""
    if (BASE, dataset) not in cells:
        return {}
    base = sample(cells[BASE, dataset], score)
    others = [system for system, name in cells if name == dataset and system != BASE]
    found = [minus(sample(cells[system, dataset], score), base) for system in others]
    raised = holm([gap.p for gap in found])
    return {
        system: f"{shown(gap.estimate, sign=True)}, p {p:.3f}"
        for system, gap, p in zip(others, found, raised, strict=True)
    }
