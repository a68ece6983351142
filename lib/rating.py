"""A study's texts put before raters, and what the paper's claims come to with or without ratings."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from lib.comparison import MODELS, baseline_outputs, model_output
from lib.errors import StudyError
from lib.metrics.agreement import Alpha, agreement
from lib.metrics.bootstrap import kendall_tau
from lib.metrics.rating_scores import METRICS
from lib.metrics.ratings import SCALES, Ratings
from lib.records import Pair
from lib.report import CLOSE, HOLDS, NOT, UNKNOWN, verdict

if TYPE_CHECKING:
    from pandas import DataFrame

REFERENCE = "reference (people)"  # hidden among the systems: what texts that are right are given
RELIABLE = 0.667  # Krippendorff's bound for conclusions that are to be called tentative


def texts_to_rate(runs: Path, data: Path, pairs: Sequence[Pair]) -> dict[str, tuple[str, ...]]:
    """What each system wrote for the test pairs: the models that have learned a dataset, the baselines, and people.

    Args:
        runs: folder of the runs of a study; of each model the run with the lowest seed is taken.
        data: dataset that they learned from.
        pairs: its test pairs.

    Returns:
        By the name of the system, a text for each pair.

    Raises:
        StudyError: if no model has learned it yet.
    """
    folders = {model: found for model in MODELS if (found := _scored_runs(runs, model, data.name))}
    if not folders:
        raise StudyError(f"'{runs}' holds no scored run on '{data.name}': run the study first, or train one")
    outputs = [model_output(MODELS[model], data.name, found[:1], pairs) for model, found in folders.items()]
    outputs += baseline_outputs(data, pairs)
    return {output.system: output.texts[0] for output in outputs} | {REFERENCE: tuple(pair.text for pair in pairs)}


def _scored_runs(runs: Path, model: str, dataset: str) -> list[Path]:
    """The runs of a model on a dataset that have texts, by seed."""
    by_seed = {}
    for path in runs.glob(f"{model}-{dataset}-*/predictions-test.jsonl"):
        seed = re.fullmatch(rf"{re.escape(model)}-{re.escape(dataset)}-(\d+)", path.parent.name)
        if seed:
            by_seed[int(seed[1])] = path.parent
    return [by_seed[seed] for seed in sorted(by_seed)]


def state(ratings: Ratings, left_out: int) -> str:
    """How far rating has come, in one sentence or two.

    Args:
        ratings: those that count.
        left_out: texts that were rated but are written no more, as `still_written` counts them.
    """
    texts = sum(not item.repeat_of for item in ratings.items)
    rated = {rating.item for rating in ratings.ratings} - {item.number for item in ratings.items if item.repeat_of}
    gone = f" {left_out} texts of systems have changed since the sheets were made and are left out." if left_out else ""
    if not ratings.ratings:
        return f"No ratings yet: {texts} texts wait on {len(ratings.raters)} sheets.{gone}"
    people = {rating.rater for rating in ratings.ratings}
    return f"{len(rated)} of {texts} texts are rated, by {len(people)} of {len(ratings.raters)} raters.{gone}"


def claims(scores: "DataFrame", ratings: Ratings) -> list[tuple[str, str, str, str]]:
    """What the paper says of its score and what we find, for `report.show_verdicts`.

    Args:
        scores: of `rating_scores.scores`, the systems to be put in order only.
        ratings: those that count.
    """
    rated = scores[scores["human rating"].notna()]
    found = [("the score is the mean of BLEU, exact match and human rating", "yes",
              f"{len(rated)} of {len(scores)} systems have ratings",
              verdict(True) if len(rated) == len(scores) else UNKNOWN)]  # fmt: skip
    for scale in SCALES:
        claim = f"raters agree on {scale} (ordinal alpha of {RELIABLE} or more)"
        found.append((claim, "not said", *_agreed(agreement(ratings, scale))))
    order = ("human ratings leave the order of the systems as it is", "not said")
    if len(rated) < 2:
        return [*found, (*order, "no ratings yet", UNKNOWN)]
    tau = kendall_tau(rated[list(METRICS[:2])].mean(axis=1).tolist(), rated["score"].tolist())
    return [*found, (*order, f"Kendall's tau {tau:.2f}", verdict(tau == 1))]


def _agreed(found: Alpha) -> tuple[str, str]:
    if found.value is None:
        return f"not defined: {found.reason}", UNKNOWN
    if found.low is None:
        return f"{found.value:.2f}, too few texts for an interval", UNKNOWN
    said = f"{found.value:.2f} ({found.low:.2f} to {found.high:.2f})"
    return said, HOLDS if found.low >= RELIABLE else NOT if found.high < RELIABLE else CLOSE
