"""What ratings say of systems, and the paper's mean of three scores; the invented raters for teaching."""

from dataclasses import replace

import pytest

from lib.metrics.agreement import between_raters, with_themselves
from lib.metrics.rating_scores import BOTH, means, of_items, scores, to_percent
from lib.metrics.ratings import SCALES, Rating, Ratings, choose
from lib.metrics.simulated_raters import INVENTED_RATERS, INVENTED_SYSTEMS, invented_texts, simulate
from lib.metrics.text import score_texts
from lib.records import Pair

PAIRS = [
    Pair(f"dev-{i}", f"dev-{i}", "db", ("SELECT",), f"SELECT {i}", f"Which of the {i} small halls is it ?", 3 + i % 2,
         "dev", {}) for i in range(30)
]  # fmt: skip
TEXTS = {"good": [p.text for p in PAIRS], "bad": ["which of the halls ?"] * 30}
ITEMS = choose(TEXTS, PAIRS, 20, seed=1, repeats=2)


def rated(fluency, adequacy, raters=("anna", "ben")):
    """Ratings by system."""
    said = [
        Rating(rater, item.number, fluency[item.systems[0]], adequacy[item.systems[0]], "")
        for rater in raters
        for item in ITEMS
    ]
    return Ratings(ITEMS, tuple(raters), tuple(said))


RATINGS = rated({"good": 5, "bad": 4}, {"good": 5, "bad": 2})


@pytest.mark.parametrize(("rating", "percent"), [(1, 0), (2, 25), (3, 50), (4.5, 87.5), (5, 100)])
def test_one_to_five_is_nought_to_hundred(rating, percent):
    assert to_percent(rating) == percent


def test_means_of_each_system():
    table = means(RATINGS, ["good", "bad"]).set_index(["system", "scale"])
    assert table.loc[("good", BOTH), ["texts", "mean", "low", "high"]].tolist() == [10, 5, 5, 5]
    assert table.loc[("bad", "fluency"), "mean"] == 4
    assert table.loc[("bad", BOTH), "mean"] == 3


def test_a_text_counts_once_however_many_rated_it():
    first = next(item for item in ITEMS if item.systems == ("bad",) and not item.repeat_of)
    extra = tuple(Rating(f"r{i}", first.number, 1, 1, "") for i in range(50))
    table = means(replace(RATINGS, ratings=RATINGS.ratings + extra), ["bad"])
    assert table.loc[table["scale"] == "fluency", "mean"].item() == pytest.approx((9 * 4 + (2 * 4 + 50) / 52) / 10)


def test_interval_is_that_of_texts_not_of_raters():
    spread = {item.number: 1 + item.number % 5 for item in ITEMS}
    few, many = (
        means(Ratings(ITEMS, (), tuple(Rating(f"r{r}", n, v, v, "") for n, v in spread.items() for r in range(raters))),
              ["good"]) for raters in (1, 20)
    )  # fmt: skip
    assert few["low"].tolist() == many["low"].tolist()
    assert (few["low"] < few["mean"]).all()
    assert (few["mean"] < few["high"]).all()


def test_repeats_are_no_further_texts():
    number = next(item.number for item in ITEMS if item.repeat_of)
    only = replace(RATINGS, ratings=tuple(rating for rating in RATINGS.ratings if rating.item == number))
    assert of_items(only) == {}


def test_one_scale_alone_gives_no_human_rating():
    half = replace(RATINGS, ratings=tuple(replace(rating, adequacy=None) for rating in RATINGS.ratings))
    table = means(half, ["good"]).set_index("scale")
    assert table["texts"].tolist() == [10, 0, 0]
    assert table["mean"].isna().tolist() == [False, True, True]
    assert scores(TEXTS, PAIRS, half)["mean of"].tolist() == ["BLEU-4, exact match %"] * 2


def test_score_is_the_mean_of_three():
    table = scores(TEXTS, PAIRS, RATINGS).set_index("system")
    assert table.loc["good", ["BLEU-4", "exact match %", "human rating", "score"]].tolist() == pytest.approx([100] * 4)
    bad, expected = table.loc["bad"], score_texts(TEXTS["bad"], [p.text for p in PAIRS])
    assert bad["BLEU-4"] == pytest.approx(expected.bleu)
    assert bad["exact match %"] == expected.exact_match == 0
    assert bad["human rating"] == 50
    assert bad["score"] == pytest.approx((expected.bleu + 0 + 50) / 3)
    assert bad["low"] <= bad["score"] <= bad["high"]
    assert bad["mean of"] == "BLEU-4, exact match %, human rating"


def test_without_ratings_it_is_the_mean_of_two_and_says_so():
    table = scores(TEXTS, PAIRS, Ratings(ITEMS, ("anna",), ())).set_index("system")
    assert table["human rating"].isna().all()
    assert set(table["mean of"]) == {"BLEU-4, exact match %"}
    assert table.loc["bad", "score"] == pytest.approx(table.loc["bad", "BLEU-4"] / 2)
    assert table[["score", "low", "high"]].notna().all(axis=None)


def test_only_some_systems_have_ratings():
    only = replace(RATINGS, items=tuple(replace(item, systems=tuple(set(item.systems) - {"bad"})) for item in ITEMS))
    table = scores(TEXTS, PAIRS, only).set_index("system")
    assert table["human rating"].isna().to_dict() == {"good": False, "bad": True}


def test_a_single_rated_text_has_no_interval_but_a_score():
    one = replace(RATINGS, ratings=RATINGS.ratings[:1])
    table = scores(TEXTS, PAIRS, one)
    row = table[table["human rating"].notna()].iloc[0]
    assert row["score"] > 0
    assert row[["low", "high"]].isna().all()


# --- Invented ratings -------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def simulated():
    return simulate(PAIRS, 60, seed=1)


def test_the_same_seed_gives_the_same_ratings(simulated):
    assert simulate(PAIRS, 60, seed=1) == simulated != simulate(PAIRS, 60, seed=2)


def test_nothing_in_it_can_be_taken_for_a_real_system(simulated):
    assert all(name.startswith("invented ") for name in INVENTED_SYSTEMS)
    assert {system for item in simulated.items for system in item.systems} <= set(INVENTED_SYSTEMS)


def test_hidden_quality_comes_out(simulated):
    found = means(simulated, list(INVENTED_SYSTEMS)).pivot(index="system", columns="scale", values="mean")
    for number, scale in enumerate(SCALES):
        order = sorted(INVENTED_SYSTEMS, key=lambda name: INVENTED_SYSTEMS[name].quality[number])
        assert found[scale].idxmin() == order[0]
        assert found[scale].idxmax() == order[-1]


def test_careful_raters_agree_and_the_careless_one_spoils_it(simulated):
    careful = simulated.of_raters("rater-1", "rater-2")
    best, all_three = (
        between_raters(ratings).set_index(["scale", "distance"])["alpha"] for ratings in (careful, simulated)
    )
    assert (best > 0.6).all()
    assert (all_three < best - 0.2).all()
    own = with_themselves(simulated).groupby("rater")["mean distance"].mean()
    assert own["rater-3"] > own["rater-1"]


def test_raters_fill_the_share_that_they_fill(simulated):
    for name, rater in INVENTED_RATERS.items():
        assert sum(rating.rater == name for rating in simulated.ratings) == round(rater.filled * len(simulated.items))


def test_invented_texts_have_the_faults_they_are_named_after():
    flawless, cut, shuffled = invented_texts(PAIRS, 1).values()
    for pair, a, b, c in zip(PAIRS, flawless, cut, shuffled, strict=True):
        assert a == pair.text
        assert pair.text.startswith(b)
        assert len(b) < len(a)
        assert sorted(c.split()) == sorted(a.split())
    assert shuffled != flawless
