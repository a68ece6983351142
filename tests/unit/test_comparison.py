"""Systems side by side: scores against the metrics, intervals that mean something, missing results that are said."""

import json

import numpy as np
import pytest

from lib.comparison import (
    Cell,
    Output,
    Sample,
    baseline_outputs,
    board,
    combined,
    conclusion,
    examples,
    learners,
    minus,
    model_output,
    only_clauses,
    order_agreement,
    per_seed,
    sample,
    systems,
)
from lib.datasets import write_part
from lib.errors import ModelError
from lib.files import write_json
from lib.metrics.bootstrap import Estimate
from lib.metrics.sums import ERROR_COLUMNS, SCORES, bleu, counts, exact_match, sums
from lib.metrics.text import bleu as corpus_bleu
from lib.metrics.text import score_texts
from lib.records import Pair
from lib.run_results import NEAREST, Result


def pair(number: int, text: str, kinds=("SELECT", "WHERE", "ORDER BY"), sql: str = "") -> Pair:
    sql = sql or f"SELECT a{number} FROM t WHERE b = {number} ORDER BY c"
    return Pair(f"dev-{number}:x", f"dev-{number}", "db", kinds, sql, text, len(kinds), "dev", {})


TEXTS = [
    "show the names of the dogs",
    "list all cats by age please",
    "how many birds are there now",
    "what is it called then",
]
PAIRS = [pair(number, text) for number, text in enumerate(TEXTS)]
GOOD = tuple(TEXTS)
WORSE = ("show the names of all dogs", "list the cats by age", "how many birds are there", "what is it called then")


def result(system: str, dataset: str, seed: int | None, texts, ids=("a", "b", "c", "d"), groups=(0, 1, 2, 3)) -> Result:
    errors = np.zeros((len(texts), len(ERROR_COLUMNS)), dtype=np.int64)
    rows = sums(counts(texts, TEXTS[: len(texts)]), errors)
    return Result(system, dataset, seed, {}, tuple(ids), tuple(groups), (3, 3, 3, 4)[: len(texts)], rows)


def cell(*runs, system: str = "m", dataset: str = "paper", groups=(0, 1, 2, 3)) -> Cell:
    found = [result(system, dataset, seed, texts, groups=groups) for seed, texts in enumerate(runs, start=1)]
    return board(found, [system], [dataset], len(runs))[system, dataset]


@pytest.mark.parametrize("name", SCORES)
def test_scores_are_those_of_the_metrics_module(name):
    expected = score_texts(WORSE, TEXTS)
    values = {"BLEU-4": expected.bleu, "chrF": expected.chrf, "exact match %": 25, "mean": (expected.bleu + 25) / 2,
              "no error found %": 100, "clause dropped %": 0}  # fmt: skip
    assert sample(cell(WORSE), SCORES[name]).value == pytest.approx(values[name])


def test_several_seeds_are_averaged_not_pooled():
    both = cell(GOOD, WORSE)
    assert sample(both, bleu).value == pytest.approx((100 + corpus_bleu(list(WORSE), TEXTS)) / 2)
    assert sample(both, exact_match).value == (100 + 25) / 2
    assert per_seed(both, exact_match) == [100, 25]


def test_interval_holds_the_value_and_is_a_point_where_all_are_right():
    found = sample(cell(WORSE), bleu).estimate
    assert found.low < found.value < found.high
    right = sample(cell(GOOD), bleu).estimate
    assert (right.low, right.high) == pytest.approx((100, 100))


def test_runs_are_drawn_as_well_as_questions():
    """Two runs that do each question alike, but differ from each other: only the draw of runs can move the mean."""
    wrong = tuple("x" for _ in TEXTS)
    apart = sample(cell(GOOD, wrong), exact_match).estimate
    assert (apart.value, apart.low, apart.high) == (50, 0, 100)


def test_pairs_of_one_sql_are_drawn_together():
    half = (*GOOD[:2], "x", "x")
    single, together = (sample(cell(half, groups=groups), exact_match).draws for groups in ((0, 1, 2, 3), (0, 0, 1, 1)))
    assert set(together) == {0, 50, 100}
    assert set(single) == {0, 25, 50, 75, 100}
    assert together.std() > single.std()


def test_difference_of_a_system_with_itself_is_nothing_and_to_a_worse_one_positive():
    good, worse = sample(cell(GOOD), bleu), sample(cell(WORSE, system="other"), bleu)
    same = minus(good, sample(cell(GOOD, system="twin"), bleu))
    assert same.estimate == Estimate(0.0, 0.0, 0.0)
    assert same.p == 1.0
    assert minus(good, worse).value == -minus(worse, good).value > 0
    assert minus(good, worse).estimate.low >= 0


def test_draws_are_paired_on_the_same_pairs_only():
    here = sample(cell(WORSE), bleu)
    other = [result("m", "tmcd", 1, WORSE, ids=("e", "f", "g", "h"))]
    there = sample(board(other, ["m"], ["tmcd"], 1)["m", "tmcd"], bleu)
    assert here.value == there.value
    assert not np.array_equal(here.draws, there.draws)
    assert np.array_equal(here.draws, sample(cell(WORSE, dataset="control"), bleu).draws)


def test_combined_figures_are_made_draw_by_draw():
    one, other = Sample(1.0, np.array([0.0, 4.0])), Sample(2.0, np.array([3.0, 1.0]))
    found = combined(np.maximum, one, other)
    assert (found.value, found.draws.tolist()) == (2.0, [3.0, 4.0])


def test_board_keeps_its_order_and_leaves_out_what_was_not_asked_for():
    found = [
        result(NEAREST, "paper", None, WORSE),
        result("rgt", "paper", 2, WORSE),
        result("rgt", "paper", 1, GOOD),
        result("rgt", "paper", 3, WORSE),
        result("bilstm", "clean", 1, GOOD),
        result("abs", "paper", 1, GOOD),
    ]
    cells = board(found, ["bilstm", "rgt"], ["paper", "clean"], 2)
    assert list(cells) == [("BiLSTM", "clean"), ("RGT", "paper"), (NEAREST, "paper")]
    assert systems(cells) == ["BiLSTM", "RGT", NEAREST]
    assert learners(cells) == ["BiLSTM", "RGT"]
    assert cells["RGT", "paper"].seeds == 2
    assert per_seed(cells["RGT", "paper"], exact_match) == [100, 25]


@pytest.mark.parametrize("other", [("abs", 1), ("rgt", 2)])
def test_results_for_other_test_pairs_are_not_compared(other):
    found = [result("rgt", "paper", 1, GOOD), result(other[0], "paper", other[1], GOOD, ids=("a", "b", "c", "x"))]
    with pytest.raises(ModelError, match="results on dataset 'paper' are for different test pairs"):
        board(found, ["rgt", "abs"], ["paper"], 2)


def test_only_the_pairs_of_a_size():
    found = only_clauses(cell(WORSE), 4)
    assert (found.ids, found.groups, found.clauses) == (("d",), (3,), (4,))
    assert sample(found, exact_match).value == 100


def test_orders_of_models_agree_or_not():
    medium = (*GOOD[:2], "x", "x")
    ranks = {"bilstm": (WORSE, medium), "abs": (medium, WORSE), "rel": (GOOD, GOOD)}
    found = [
        result(model, dataset, 1, texts)
        for model, both in ranks.items()
        for dataset, texts in zip(("paper", "tmcd"), both, strict=True)
    ]
    cells = board(found, list(ranks), ["paper", "tmcd"], 1)
    names, tau = order_agreement(cells, ("paper", "tmcd"), exact_match)
    assert names == ["BiLSTM", "ABS", "REL"]
    assert tau.value == pytest.approx(1 / 3)  # two of three couples stand alike
    assert -1 <= tau.estimate.low <= tau.estimate.high <= 1
    assert order_agreement(cells, ("paper", "paper"), exact_match)[1].value == 1
    assert order_agreement(cells, ("paper", "original"), exact_match) == ([], None)


@pytest.mark.parametrize(
    ("low", "high", "above", "expected"),
    [
        (1, 3, True, "holds"),
        (-3, -1, True, "does not hold"),
        (-1, 3, True, "too close"),
        (0, 3, True, "too close"),
        (-3, -1, False, "holds"),
        (1, 3, False, "does not hold"),
        (-3, 0, False, "too close"),
    ],
)
def test_conclusions(low, high, above, expected):
    assert conclusion(Estimate((low + high) / 2, low, high), above) == expected


def test_examples_run_from_best_to_worst():
    shown = examples(Output("m", "paper", (WORSE,)), PAIRS)
    assert shown["sentence BLEU"].is_monotonic_decreasing
    assert shown["text"][0] == "what is it called then"


def test_texts_are_joined_by_id_and_a_missing_one_is_an_error(tmp_path):
    records = [{"id": p.id, "text": p.text.upper()} for p in reversed(PAIRS)]
    path = tmp_path / "predictions-test.jsonl"
    path.write_text("\n".join(map(json.dumps, records)) + "\n")
    assert model_output("m", "paper", [tmp_path], PAIRS).texts == (tuple(text.upper() for text in TEXTS),)
    path.write_text(json.dumps(records[0]) + "\n")
    with pytest.raises(ModelError, match="has no text for dev-0:x: evaluate it again"):
        model_output("m", "paper", [tmp_path], PAIRS)


def test_baselines_copy_what_training_shows(tmp_path):
    target = pair(0, "show dogs that are old by name", sql="SELECT a FROM t WHERE b = 1 ORDER BY c")
    parts = [("SELECT a FROM t", "show dogs"), ("WHERE b = 1", "that are old"), ("ORDER BY c", "by name")]
    train = [
        Pair(f"dev-0:{sql}", "dev-0", "db", (kind,), sql, text, 1, "dev", {})
        for kind, (sql, text) in zip(target.kinds, parts, strict=True)
    ]
    data = tmp_path / "paper"
    for part, pairs in (("train", train), ("validation", []), ("test", [target])):
        write_part(data, part, pairs)
    write_json(data / "manifest.json", {})
    found = {output.system: output.texts for output in baseline_outputs(data, [target])}
    assert found["concatenated fragments"] == ((target.text,),)
