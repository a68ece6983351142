"""Systems side by side: scores against sacrebleu, intervals that mean something, conclusions that dare say no."""

import json

import pytest

from lib.comparison import (
    SCORES,
    Output,
    baseline_outputs,
    by_clauses,
    conclusion,
    difference,
    examples,
    experiments,
    model_output,
    score_table,
)
from lib.datasets import write_part
from lib.errors import ModelError
from lib.files import write_json
from lib.metrics.bootstrap import Estimate
from lib.metrics.text import bleu, score_texts
from lib.records import Pair


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


def test_scores_are_those_of_the_metrics_module():
    table = score_table([Output("m", "paper", (WORSE,))], PAIRS).set_index("score")["value"]
    expected = score_texts(WORSE, TEXTS)
    assert table["BLEU-4"] == pytest.approx(expected.bleu)
    assert table["exact match %"] == expected.exact_match == 25
    assert table["mean"] == pytest.approx((expected.bleu + 25) / 2)


def test_several_seeds_are_averaged_not_pooled():
    table = score_table([Output("m", "paper", (GOOD, WORSE))], PAIRS).set_index("score")["value"]
    assert table["BLEU-4"] == pytest.approx((100 + bleu(list(WORSE), TEXTS)) / 2)
    assert table["exact match %"] == (100 + 25) / 2


def test_interval_holds_the_value_and_is_a_point_where_all_are_right():
    rows = score_table([Output("m", "a", (GOOD,)), Output("m", "b", (WORSE,))], PAIRS)
    assert len(rows) == 2 * len(SCORES)
    assert (rows["low"] <= rows["value"]).all()
    assert (rows["value"] <= rows["high"]).all()
    assert rows[(rows["dataset"] == "a") & (rows["score"] == "BLEU-4")][["low", "high"]].round(9).values.tolist() == [
        [100, 100]
    ]


def test_difference_of_a_system_with_itself_is_nothing_and_to_a_worse_one_positive():
    outputs = [Output("m", "paper", (GOOD,)), Output("m", "control", (WORSE,))]
    same = difference(outputs, PAIRS, ("m", "paper"), ("m", "paper"))
    assert (same.difference, same.p) == (Estimate(0.0, 0.0, 0.0), 1.0)
    better = difference(outputs, PAIRS, ("m", "paper"), ("m", "control"))
    worse = difference(outputs, PAIRS, ("m", "control"), ("m", "paper"))
    assert better.difference.value == -worse.difference.value > 0


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


def test_table_9_keeps_the_order_and_subtracts():
    outputs = [
        Output(s, d, (t,)) for s in ("z", "a") for d, t in (("paper", GOOD), ("experiment2", WORSE), ("clean", WORSE))
    ]
    table = experiments(score_table(outputs, PAIRS))
    assert list(table.columns) == ["system", "score", "experiment 1", "experiment 2", "difference", "clean"]
    assert table["system"].tolist() == ["z"] * 3 + ["a"] * 3
    assert table["difference"].tolist() == (table["experiment 1"] - table["experiment 2"]).tolist()
    assert table["difference"][1] == 75


def test_by_clauses_counts_the_pairs_of_each_size():
    pairs = [*PAIRS[:3], pair(3, TEXTS[3], ("SELECT", "WHERE", "GROUP BY", "ORDER BY"))]
    table = by_clauses([Output("m", "paper", (GOOD,))], pairs)
    assert table[["clauses", "pairs", "BLEU-4"]].round(9).values.tolist() == [[3, 3, 100], [4, 1, 100]]


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
