"""A study's texts put before raters, and the claims, with and without ratings."""

import json

import pytest

from lib.datasets import write_part
from lib.errors import StudyError
from lib.metrics.rating_scores import scores
from lib.metrics.ratings import Rating, Ratings, choose
from lib.rating import REFERENCE, claims, state, texts_to_rate
from lib.records import Pair

PAIRS = [
    Pair(f"dev-{i}:SELECT", f"dev-{i}", "db", ("SELECT",), f"SELECT a{i} FROM t", f"Which a has {i} halls ?", 3,
         "dev", {}) for i in range(12)
]  # fmt: skip


@pytest.fixture
def study(tmp_path):
    """A dataset and two runs of a model on it, one of another model on another dataset."""
    data = tmp_path / "data" / "paper"
    for part in ("train", "validation", "test"):
        write_part(data, part, PAIRS)
    (data / "manifest.json").write_text("{}")
    for run in ("bilstm-paper-10", "bilstm-paper-2", "rgt-clean-1", "bilstm-paper-extra-1"):
        folder = tmp_path / "runs" / run
        folder.mkdir(parents=True)
        lines = [json.dumps({"id": pair.id, "text": f"{run} {i}"}) for i, pair in enumerate(PAIRS)]
        (folder / "predictions-test.jsonl").write_text("\n".join(lines) + "\n")
    (tmp_path / "runs" / "bilstm-paper-1").mkdir()  # not scored yet
    return tmp_path


def test_systems_are_the_runs_that_are_there_the_baselines_and_people(study):
    texts = texts_to_rate(study / "runs", study / "data" / "paper", PAIRS)
    assert list(texts) == ["BiLSTM", "concatenated fragments", "longest two-clause fragment", REFERENCE]
    assert texts["BiLSTM"][3] == "bilstm-paper-2 3", "the lowest seed, as a number, of runs on this very dataset"
    assert texts[REFERENCE] == tuple(pair.text for pair in PAIRS)


def test_without_a_run_there_is_nothing_to_rate(study):
    (study / "data" / "paper").rename(study / "data" / "control")
    with pytest.raises(StudyError, match="holds no scored run on 'control': run the study first"):
        texts_to_rate(study / "runs", study / "data" / "control", PAIRS)


TEXTS = {"good": [p.text for p in PAIRS], "bad": ["which halls ?"] * 12}
ITEMS = choose(TEXTS, PAIRS, 24, seed=1, repeats=3)


def rated(of):
    """Two raters who say the same, by system."""
    said = [Rating(who, item.number, *of[item.systems[0]], "") for who in ("anna", "ben") for item in ITEMS]
    return Ratings(ITEMS, ("anna", "ben", "chen"), tuple(said))


NONE = Ratings(ITEMS, ("anna", "ben"), ())


def test_state_in_words():
    assert state(NONE, 0) == "No ratings yet: 24 texts wait on 2 sheets."
    assert state(rated({"good": (5, 5), "bad": (2, 3)}), 2) == (
        "24 of 24 texts are rated, by 2 of 3 raters. "
        "2 texts of systems have changed since the sheets were made and are left out."
    )


def test_claims_without_ratings_cannot_be_told():
    found = claims(scores(TEXTS, PAIRS, NONE), NONE)
    assert {claim[3] for claim in found} == {"cannot be told here"}
    assert found[0][2] == "0 of 2 systems have ratings"
    assert found[1][2] == "not defined: no ratings yet"


@pytest.mark.parametrize(
    ("of", "order"),
    [({"good": (5, 5), "bad": (2, 3)}, "holds"), ({"good": (1, 1), "bad": (5, 4)}, "holds")],
    ids=["people and BLEU agree", "people cannot turn 100 against 0"],
)
def test_claims_with_ratings(of, order):
    ratings = rated(of)
    found = claims(scores(TEXTS, PAIRS, ratings), ratings)
    assert [claim[3] for claim in found] == ["holds", "holds", "holds", order]
    assert found[1][2] == "1.00 (1.00 to 1.00)"


def test_people_can_turn_an_order():
    near = {
        "one": [p.text.replace("halls", "rooms") for p in PAIRS],
        "two": [p.text.replace("has", "owns") for p in PAIRS],
    }
    items = choose(near, PAIRS, 24, seed=1)
    table = scores(near, PAIRS, Ratings(items, (), ()))
    worse = table.loc[table["score"].idxmin(), "system"]
    said = tuple(Rating("anna", i.number, *((5, 5) if worse in i.systems else (1, 1)), "") for i in items)
    ratings = Ratings(items, ("anna",), said)
    found = claims(scores(near, PAIRS, ratings), ratings)
    assert found[3][2:] == ("Kendall's tau -1.00", "does not hold")
    assert found[1][2:] == ("not defined: only one rater", "cannot be told here")
