"""Results of runs: enough to score again, without a word of a text; broken files are told."""

import json

import numpy as np
import pytest

from lib.datasets import write_part
from lib.errors import ModelError
from lib.files import write_json, write_jsonl, write_text
from lib.metrics.errors import KINDS_OF_ERROR
from lib.metrics.errors.pairs import diagnoses
from lib.metrics.sums import COLUMNS, ERROR_COLUMNS, SCORES, counts, sums
from lib.metrics.text import score_texts
from lib.records import Pair
from lib.run_results import BASELINE_NAMES, NEAREST, publish, publish_baselines, publish_run, read_results

REFERENCES = ["show the names of the dogs", "List all cats, by age please.", "how many birds are there", "go"]
TEXTS = ["show the names of all dogs", "list all cats , by age please", "", "go"]


def pair(number: int, text: str, sql: str = "") -> Pair:
    kinds = ("SELECT", "WHERE", "ORDER BY")
    sql = sql or f"SELECT a FROM t WHERE b = {number} ORDER BY c"
    return Pair(f"dev-{number:05d}:x", f"dev-{number:05d}", "db", kinds, sql, text, 3, "dev", {})


PAIRS = [pair(number, text, "SELECT 1" if number < 2 else "") for number, text in enumerate(REFERENCES)]
FACTS = {"system": "bilstm", "dataset": "paper", "seed": 1}


def errors() -> np.ndarray:
    """Which kinds of error the texts have."""
    return np.array([[kind in found.errors for kind in KINDS_OF_ERROR] for found in diagnoses(TEXTS, PAIRS, {})])


def test_errors_are_published(tmp_path):
    sql = "SELECT name FROM dog WHERE age > 3 ORDER BY name"
    asked = [pair(number, "show the names of dogs older than 3 by name", sql) for number in range(2)]
    publish(
        tmp_path, "a", FACTS, ["give the names of dogs older than 3 sorted by name", "list dogs by name"], asked, {}
    )
    (found,) = read_results(tmp_path)
    total = found.sums.sum(axis=0)
    assert SCORES["no error found %"](total) == SCORES["clause dropped %"](total) == 50
    assert SCORES["no error found %"](found.sums).tolist() == [100, 0]


def test_counts_give_the_scores_of_the_texts():
    expected, total = score_texts(TEXTS, REFERENCES), sums(counts(TEXTS, REFERENCES), errors()).sum(axis=0)
    assert SCORES["BLEU-4"](total) == pytest.approx(expected.bleu)
    assert SCORES["chrF"](total) == pytest.approx(expected.chrf)
    assert SCORES["exact match %"](total) == expected.exact_match == 50
    assert SCORES["mean"](total) == pytest.approx((expected.bleu + 50) / 2)


def test_counts_of_any_selection_give_its_scores():
    rows = sums(counts(TEXTS, REFERENCES), errors())
    for chosen in ([0], [2], [0, 3], [1, 1, 2]):
        expected = score_texts([TEXTS[i] for i in chosen], [REFERENCES[i] for i in chosen])
        total = rows[chosen].sum(axis=0)
        assert SCORES["BLEU-4"](total) == pytest.approx(expected.bleu)
        assert SCORES["chrF"](total) == pytest.approx(expected.chrf)


def test_what_is_published_is_read_again_and_holds_no_word(tmp_path):
    publish(tmp_path, "bilstm-paper-1", FACTS, TEXTS, PAIRS, {})
    (found,) = read_results(tmp_path)
    assert (found.system, found.dataset, found.seed) == ("bilstm", "paper", 1)
    assert found.ids == tuple(pair.id for pair in PAIRS)
    assert found.groups == (0, 0, 1, 2)
    assert found.clauses == (3, 3, 3, 3)
    assert np.array_equal(found.sums, sums(counts(TEXTS, REFERENCES), errors()))
    written = "".join(path.read_text() for path in tmp_path.iterdir())
    assert not any(word in written for word in ("dogs", "cats", "birds", "SELECT"))


def test_two_hundred_pairs_are_small(tmp_path):
    publish(tmp_path, "a", FACTS, TEXTS * 50, [pair(n, text) for n, text in enumerate(REFERENCES * 50)], {})
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) < 50_000


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda folder: (folder / "a.csv").unlink(), "a.csv' does not belong to 'a.json': run it again"),
        (lambda folder: write_text(folder / "a.csv", "id\n"), "does not belong"),
        (lambda folder: write_json(folder / "a.json", {}), "a.json' is no result of a run"),
        (lambda folder: write_json(folder / "a.json", [1]), "a.json' is no result of a run"),
    ],
)
def test_files_that_do_not_belong_together(tmp_path, damage, message):
    publish(tmp_path, "a", FACTS, TEXTS, PAIRS, {})
    damage(tmp_path)
    with pytest.raises(ModelError, match=message):
        read_results(tmp_path)


def test_no_folder_has_no_results(tmp_path):
    assert read_results(tmp_path / "none") == []


@pytest.fixture
def data(tmp_path):
    """A dataset in which one question of training is like one of the test part."""
    folder = tmp_path / "data" / "paper"
    train = [
        Pair("dev-00002:SELECT", "dev-00002", "db", ("SELECT",), "SELECT a FROM t", "how many birds", 1, "dev", {})
    ]
    for part, pairs in (("train", train), ("validation", []), ("test", [*PAIRS, pair(9, "  ")])):
        write_part(folder, part, pairs)
    write_json(folder / "manifest.json", {"options": {"variant": "paper"}, "sha256": {"train.jsonl": "x"}})
    return folder


def test_a_run_is_published_with_all_that_made_it(tmp_path, data):
    run = tmp_path / "bilstm-paper-1"
    kept = {name: name for name in ("left_out", "words", "parameters", "epochs", "best", "device", "versions", "pairs")}
    manifest = {
        "settings": {"model": "bilstm", "seed": 1},
        "data": {"test": "h"},
        "seconds": {"all": 3.5, "epochs": []},
    }
    write_json(run / "manifest.json", manifest | kept)
    write_json(run / "scores-test.json", {"bleu_signature": "s"})
    write_text(run / "learning_curve.csv", "epoch,validation_bleu\n1,\n2,0.5\n")
    records = [{"id": p.id, "text": text} for p, text in zip(PAIRS, TEXTS, strict=True)]
    write_jsonl(run / "predictions-test.jsonl", reversed(records))
    publish_run(run, data, tmp_path / "out", {})
    (found,) = read_results(tmp_path / "out")
    assert found.facts["learning_curve"] == {"epoch": [1, 2], "validation_bleu": [None, 0.5]}
    assert found.facts["scores"] == {"bleu_signature": "s"}
    assert found.facts["seconds"] == 3.5
    assert np.array_equal(found.sums, sums(counts(TEXTS, REFERENCES), errors()))
    write_jsonl(run / "predictions-test.jsonl", records[1:])
    with pytest.raises(ModelError, match="has no text for dev-00000:x: evaluate it again"):
        publish_run(run, data, tmp_path / "out", {})


def test_baselines_are_scored_once_for_each_version_of_a_dataset(tmp_path, data):
    out = tmp_path / "out"
    publish_baselines(data, out, {})
    found = {result.system: result for result in read_results(out)}
    assert found.keys() == set(BASELINE_NAMES)
    assert found[NEAREST].seed is None
    assert found[NEAREST].facts["scores"]["all"]["pairs"] == len(PAIRS)
    before = {path: path.stat().st_mtime_ns for path in out.iterdir()}
    publish_baselines(data, out, {})
    assert before == {path: path.stat().st_mtime_ns for path in out.iterdir()}
    old = out / "nearest-sql-paper.csv"
    old.write_text("id,sql\n")  # as another version wrote it
    publish_baselines(data, out, {})
    assert {result.system for result in read_results(out)} == set(BASELINE_NAMES)
    write_json(data / "manifest.json", {"options": {"method": "tmcd"}, "sha256": {"train.jsonl": "y"}})
    publish_baselines(data, out, {})
    fresh = {result.system: result.facts["data"]["train.jsonl"] for result in read_results(out)}
    assert fresh == {NEAREST: "y"} | dict.fromkeys(set(BASELINE_NAMES) - {NEAREST}, "x")


def test_columns_are_in_the_file_as_named(tmp_path):
    publish(tmp_path, "a", FACTS, TEXTS, PAIRS, {})
    header = (tmp_path / "a.csv").read_text().splitlines()[0]
    assert header == ",".join(("id", "sql", "clauses", *COLUMNS, *ERROR_COLUMNS))
    assert json.loads((tmp_path / "a.json").read_text())["seed"] == 1
