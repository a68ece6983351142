"""What the paper says of its models and datasets (section 5.2), held against results.

Each verdict comes from an interval: *holds* or *does not hold* if it excludes the contrary, else *too close*. A
statement about all models holds if it holds for each, and does not if it does not for one. Where no model has learnt
to write, how models differ says nothing, and the statement cannot be told.
"""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import product

import numpy as np

from lib.ablation_tables import datasets_of
from lib.comparison import (
    NAMES,
    PAPER_MODELS,
    Board,
    Sample,
    combined,
    conclusion,
    learners,
    minus,
    order_agreement,
    per_seed,
    sample,
)
from lib.comparison_tables import EXPERIMENTS, FIVE, FOUR, Score, shown
from lib.metrics.sums import bleu, exact_match, mean, sound
from lib.report import CLOSE, HOLDS, NOT, UNKNOWN

Claim = tuple[str, object, object, str]  # statement, the paper's value, ours, verdict
FIVE_MODELS = tuple(PAPER_MODELS.values())
_MOST = ("ABS", "BiLSTM", "REL")  # drop most, says the paper
_LEAST = "RGT"
_MEASURES = {"BLEU": bleu, "texts without error": sound}
_LEARNT = 5.0  # BLEU; models that all stay below have not learnt to write
_STEPS = (  # from a model to one that has one idea more, or both
    ("recombination helps a BiLSTM", "recombined", "bilstm"),
    ("recombination helps a model that is told whole queries from parts", "compositional", "marked"),
    ("telling whole queries from parts helps without recombination", "marked", "bilstm"),
    ("telling whole queries from parts helps with recombination", "compositional", "recombined"),
    ("both together help", "compositional", "bilstm"),
)


def paper_statements(cells: Board) -> list[Claim]:
    """The paper's statements; those whose runs are not there yet cannot be told."""
    judges: list[tuple[str, object, Callable[[Board], tuple[str, str]]]] = [
        ("every model drops from experiment 1 to 2", "all five", _all_drop),
        ("exact match in experiment 2 is 0", "all five", lambda board: _all_zero(board, "experiment2")),
        ("ABS, BiLSTM and REL drop most", "the three", _three_drop_most),
        ("RGT drops least", "RGT", _rgt_drops_least),
        ("RGT is best in experiment 2", "RGT", _rgt_best),
        ("SpiderCompose orders the models like SpiderTMCD", "close", lambda board: _alike(board, "paper", "tmcd")),
        ("SpiderTemplate orders the models like Spider", "close", lambda board: _alike(board, "template", "original")),
        ("exact match is far higher on SpiderCompose than elsewhere", "all five", _exact_far_higher),
        ("exact match on Spider is 0", "all five", lambda board: _all_zero(board, "original")),
        ("scores are best on SpiderCompose", "all five together", _best_overall),
    ]
    return _judged(cells, judges)


def our_statements(cells: Board) -> list[Claim]:
    """What the paper does not ask: is the drop owed to the clauses, is it more than copying, and is ours better?"""
    judges: list[tuple[str, object, Callable[[Board], tuple[str, str]]]] = [
        ("every model drops by more than with the control", "not asked", lambda board: _beyond_control(board, "paper")),
        ("the same on SpiderCompose clean", "not asked", lambda board: _beyond_control(board, "clean")),
        ("in experiment 1 the best model beats copying", "not asked", lambda board: _beats_copying(board, "paper")),
        ("the same on SpiderCompose clean", "not asked", lambda board: _beats_copying(board, "clean")),
    ]
    if "Ours" in learners(cells):
        for says, score in (("in BLEU", bleu), ("in texts without error", sound)):
            judge = partial(_ours_beats_five, score=score)
            judges.append((f"on SpiderCompose clean our model beats the best of the five {says}", "not asked", judge))
    return _judged(cells, judges)


def part_statements(cells: Board) -> list[Claim]:
    """What each idea of ours is worth, on each dataset of a board as `ablation_tables.taken_apart` gives it."""
    judges = []
    for dataset, (says, one, other), name in product(datasets_of(cells), _STEPS, _MEASURES):
        judge = partial(_step, dataset=dataset, one=NAMES[one], other=NAMES[other], name=name)
        judges.append((f"{FIVE[dataset]}, by {name}: {says}", "not asked", judge))
    return _judged(cells, judges)


def _step(cells: Board, dataset: str, one: str, other: str, name: str) -> tuple[str, str]:
    sides = [cells[name, dataset] for name in (one, other)]
    gap = minus(*(sample(side, _MEASURES[name]) for side in sides))
    words, verdict = _one(gap)
    copying = [side.settings["decoder"]["copy"] for side in sides]
    beware = "" if copying[0] == copying[1] else f"; {(one, other)[copying[1]]} also copies"
    return f"{words}, p {gap.p:.3f}{beware}", verdict


def _judged(cells: Board, judges: Sequence[tuple[str, object, Callable[[Board], tuple[str, str]]]]) -> list[Claim]:
    """Claims by their judges, which raise KeyError of the system and dataset that they miss."""
    blank = _not_learnt(cells)
    kept = {key: cell for key, cell in cells.items() if not (cell.learns and key[1] in blank)}
    claims = []
    for says, paper, judge in judges:
        try:
            claims.append((says, paper, *judge(kept)))
        except KeyError as error:
            system, dataset = error.args[0]
            reason = f"no result of {system} on {dataset}"
            if dataset in blank:
                source, best = blank[dataset]
                reason = f"no model has learnt to write: BLEU {best:.1f} at most on {source}, {_LEARNT:g} are wanted"
            claims.append((says, paper, reason, UNKNOWN))
    return claims


def _not_learnt(cells: Board) -> dict[str, tuple[str, float]]:
    """Datasets without a model that has learnt to write, with the dataset that tells and the best BLEU on it.

    Experiment 2 may well leave nothing: models of experiment 1, if they are there, tell whether training was enough.
    """
    best: dict[str, float] = {}
    for (_, dataset), cell in cells.items():
        if cell.learns:
            best[dataset] = max(best.get(dataset, 0.0), float(np.mean(per_seed(cell, bleu))))
    sources = {name: steps["experiment 1"] for steps in EXPERIMENTS.values() for name in steps.values()}
    found = {}
    for dataset in best:
        source = sources.get(dataset, dataset)
        source = source if source in best else dataset
        if best[source] < _LEARNT:
            found[dataset] = source, best[source]
    return found


def _drops(cells: Board, models: Sequence[str] = FIVE_MODELS) -> dict[str, Sample]:
    """By model: the mean score in experiment 1 minus that in experiment 2."""
    return {m: minus(sample(cells[m, "paper"], mean), sample(cells[m, "experiment2"], mean)) for m in models}


def _all(found: dict[str, Sample], above: bool) -> tuple[str, str]:
    """Range of figures over models, and whether all lie above (or below) 0."""
    verdicts = [conclusion(figure.estimate, above) for figure in found.values()]
    count = sum(verdict == HOLDS for verdict in verdicts)
    values = [figure.value for figure in found.values()]
    words = f"{min(values):+.1f} to {max(values):+.1f}, for {count} of {len(found)} beyond chance"
    return words, HOLDS if count == len(found) else NOT if NOT in verdicts else CLOSE


def _one(found: Sample) -> tuple[str, str]:
    return shown(found.estimate, sign=True), conclusion(found.estimate, above=True)


def _all_drop(cells: Board) -> tuple[str, str]:
    words, verdict = _all(_drops(cells), above=True)
    return f"drop {words}", verdict


def _all_zero(cells: Board, dataset: str) -> tuple[str, str]:
    found = {model: sample(cells[model, dataset], exact_match).estimate for model in FIVE_MODELS}
    values = [figure.value for figure in found.values()]
    above = sum(figure.low > 0 for figure in found.values())
    words = f"{min(values):.1f} to {max(values):.1f} %, for {above} of {len(found)} above 0 beyond chance"
    return words, HOLDS if not any(values) else NOT if above else CLOSE


def _three_drop_most(cells: Board) -> tuple[str, str]:
    found = _drops(cells)
    others = [figure for model, figure in found.items() if model not in _MOST]
    least = combined(_lowest, *(found[model] for model in _MOST))
    words, verdict = _one(minus(least, combined(_highest, *others)))
    return f"least of the three minus most of the others {words}", verdict


def _rgt_drops_least(cells: Board) -> tuple[str, str]:
    found = _drops(cells)
    own = found.pop(_LEAST)
    words, verdict = _one(minus(combined(_lowest, *found.values()), own))
    return f"least of the others minus RGT {words}", verdict


def _rgt_best(cells: Board) -> tuple[str, str]:
    found = {model: sample(cells[model, "experiment2"], mean) for model in FIVE_MODELS}
    own = found.pop(_LEAST)
    words, verdict = _one(minus(own, combined(_highest, *found.values())))
    return f"RGT minus the best of the others {words}", verdict


def _lowest(*values: np.ndarray) -> np.ndarray:
    return np.minimum.reduce(values)


def _highest(*values: np.ndarray) -> np.ndarray:
    return np.maximum.reduce(values)


def _alike(cells: Board, one: str, other: str) -> tuple[str, str]:
    for key in product(FIVE_MODELS, (one, other)):
        if key not in cells:  # the order of fewer would be another question
            raise KeyError(key)
    _, tau = order_agreement(cells, (one, other), mean, FIVE_MODELS)
    found = tau.estimate
    return f"tau {found.value:+.2f} ({found.low:+.2f} to {found.high:+.2f})", conclusion(found, above=True)


def _exact_far_higher(cells: Board) -> tuple[str, str]:
    """Far higher: more than twice as high as the highest of the others."""
    found = {}
    for model in FIVE_MODELS:
        here, *others = (sample(cells[model, dataset], exact_match) for dataset in FOUR)
        found[model] = combined(lambda ours, theirs: ours - 2 * theirs, here, combined(_highest, *others))
    words, verdict = _all(found, above=True)
    return f"minus twice the highest elsewhere {words}", verdict


def _best_overall(cells: Board) -> tuple[str, str]:
    averages = [combined(_average, *(sample(cells[m, dataset], mean) for m in FIVE_MODELS)) for dataset in FOUR]
    words, verdict = _one(minus(averages[0], combined(_highest, *averages[1:])))
    return f"mean of the models minus the best elsewhere {words}", verdict


def _average(*values: np.ndarray) -> np.ndarray:
    return np.mean(values, axis=0)


def _beyond_control(cells: Board, variant: str) -> tuple[str, str]:
    steps = EXPERIMENTS[variant]
    if not learners(cells):
        raise KeyError(("a model", steps["experiment 2"]))
    pairs = {
        model: minus(sample(cells[model, steps["experiment 2"]], bleu), sample(cells[model, steps["control"]], bleu))
        for model in learners(cells)
    }
    words, verdict = _all(pairs, above=False)
    return f"BLEU, experiment 2 minus control: {words}", verdict


def _beats_copying(cells: Board, dataset: str) -> tuple[str, str]:
    if not learners(cells):
        raise KeyError(("a model", dataset))
    ours = [sample(cells[model, dataset], bleu) for model in learners(cells)]
    theirs = [sample(cell, bleu) for (_, name), cell in cells.items() if name == dataset and not cell.learns]
    if not theirs:
        raise KeyError(("a baseline", dataset))
    words, verdict = _one(minus(combined(_highest, *ours), combined(_highest, *theirs)))
    return f"BLEU, best model minus best baseline {words}", verdict


def _ours_beats_five(cells: Board, score: Score) -> tuple[str, str]:
    five = [sample(cells[model, "clean"], score) for model in FIVE_MODELS]
    gap = minus(sample(cells["Ours", "clean"], score), combined(_highest, *five))
    words, verdict = _one(gap)
    return f"{'BLEU' if score is bleu else '% of texts'} {words}, p {gap.p:.3f}", verdict
