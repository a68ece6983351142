"""Tables of the comparison: shapes, numbers that are those of the results, and dashes where there are none."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from lib.ablation_tables import ablation, taken_apart
from lib.comparison import MODELS, NAMES, PARTS, Board, board, minus, sample
from lib.comparison_tables import (
    EXPERIMENTS,
    FIVE,
    by_clauses,
    by_dataset,
    effects,
    missing,
    not_trained,
    orders,
    paired_tests,
    scores,
    seeds_of,
    shown,
    spread_of_seeds,
    table9,
)
from lib.inputs import planned
from lib.metrics.bootstrap import Estimate
from lib.metrics.sums import ERROR_COLUMNS, SCORES, bleu, counts, exact_match, sums
from lib.models.configuration import ENCODERS, PARTS_OF_OURS
from lib.run_results import NEAREST, Result
from lib.statements import our_statements, paper_statements, part_statements

N = 40
NO_ERRORS = np.zeros((N, len(ERROR_COLUMNS)), dtype=np.int64)
REFERENCES = [f"show the name of dog number {i} by its age" for i in range(N)]
DATASETS = (*EXPERIMENTS["paper"].values(), *EXPERIMENTS["clean"].values(), "template", "tmcd", "original")
FIVE_MODELS = ("bilstm", "abs", "rel", "treelstm", "rgt")


def result(system: str, dataset: str, seed: int | None, right: int) -> Result:
    """A system that gets so many of the test pairs right, and half of each other text."""
    texts = [text if i < right else f"show the name of cat {i}" for i, text in enumerate(REFERENCES)]
    ids = tuple(f"{'four' if dataset in ('template', 'tmcd', 'original') else 'test'}-{i}" for i in range(N))
    clauses = tuple(3 + i % 2 for i in range(N))
    return Result(system, dataset, seed, {}, ids, tuple(range(N)), clauses, sums(counts(texts, REFERENCES), NO_ERRORS))


def world(right: dict[tuple[str, str], int], seeds: int = 1, models=FIVE_MODELS) -> Board:
    found = [result(*key, seed, count) for (key, count), seed in itertools.product(right.items(), range(1, seeds + 1))]
    return board(found, models, DATASETS, seeds)


def like_the_paper() -> dict[tuple[str, str], int]:
    """Right texts by model and dataset, so that all that the paper says is plain."""
    first = {"abs": 38, "bilstm": 37, "rel": 36, "treelstm": 20, "rgt": 12}
    right = {}
    for place, (model, count) in enumerate(first.items()):
        here = dict.fromkeys(DATASETS, 0) | {"paper": count, "control": count, "clean": count, "clean-control": count}
        here |= {"tmcd": [9, 7, 5, 3, 1][place], "template": [1, 3, 5, 7, 9][place]}
        right |= {(model, dataset): n for dataset, n in here.items()}
    return right


@pytest.fixture(scope="module")
def cells() -> Board:
    return world(like_the_paper())


def test_cells_say_the_figure_with_its_interval(cells):
    found = sample(cells["ABS", "paper"], exact_match)
    table = by_dataset(cells, ("exact match %",)).set_index("system")
    assert found.value == 95
    assert table.loc["ABS", "SpiderCompose"] == shown(found.estimate)
    assert table.columns.tolist() == ["seeds", *FIVE.values()]
    assert table.index.tolist() == [MODELS[name] for name in FIVE_MODELS]


def test_minus_zero_is_zero():
    assert shown(Estimate(-0.01, -0.04, 0.0), sign=True) == "+0.0 (+0.0 to +0.0)"


def test_table_9_subtracts_draw_by_draw(cells):
    table = table9(cells, "paper")
    assert table.columns.tolist() == ["system", "seeds", "score", "experiment 1", "experiment 2", "drop", "control"]
    row = table[(table["system"] == "ABS") & (table["score"] == "exact match %")].iloc[0]
    assert row["experiment 2"] == "0.0 (0.0 to 0.0)"
    assert row["drop"] == row["experiment 1"] == row["control"]


def test_what_is_missing_is_a_dash_and_said(cells):
    half = {key: cell for key, cell in cells.items() if key != ("ABS", "experiment2")}
    row = table9(half, "paper").query("system == 'ABS' and score == 'mean'").iloc[0]
    assert row[["experiment 1", "experiment 2", "drop"]].isna().tolist() == [False, True, True]
    assert row["seeds"] == "1/0/1"
    due = planned(["abs", "rgt"], ["paper", "experiment2", "tmcd"], {"rgt": ["paper", "experiment2"]})
    assert missing(half, due, 2) == [
        "ABS on paper, 1 of 2", "RGT on paper, 1 of 2", "ABS on experiment2, 0 of 2", "RGT on experiment2, 1 of 2",
        "ABS on tmcd, 1 of 2",
    ]  # fmt: skip
    assert missing(half, due, 1) == ["ABS on experiment2, 0 of 1"]
    assert not_trained(["abs", "rgt"], ["paper", "experiment2", "tmcd"], due) == ["RGT on tmcd"]
    claims = {says: (ours, verdict) for says, _, ours, verdict in paper_statements(half)}
    told = claims["every model drops from experiment 1 to 2"]
    assert told == ("no result of ABS on experiment2", "cannot be told here")
    assert claims["exact match on Spider is 0"][1] == "holds"


def test_every_table_can_be_made_of_one_result_alone():
    cells = world({("rgt", "tmcd"): 3})
    for frame in (
        table9(cells, "paper"), table9(cells, "clean"), effects(cells, "paper"), by_clauses(cells, "paper"),
        by_dataset(cells, ("BLEU-4", "chrF")), spread_of_seeds(cells, DATASETS), paired_tests(cells), orders(cells),
        scores(cells, bleu, FIVE),
    ):  # fmt: skip
        assert len(frame.columns) > 0
    assert table9(cells, "paper").empty
    assert effects(cells, "paper").empty
    assert by_dataset(cells, ("BLEU-4",))["system"].tolist() == ["RGT"]
    assert {verdict for *_, verdict in paper_statements(cells)} == {"cannot be told here"}
    assert "holds" not in {verdict for *_, verdict in our_statements(cells)}


def test_seeds_are_counted():
    right = {("rgt", "paper"): 3, ("rgt", "clean"): 3}
    cells = world(right, seeds=2) | world({("rgt", "tmcd"): 1})
    cells |= {("x", "paper"): board([result(NEAREST, "paper", None, 1)], (), DATASETS, 1)[NEAREST, "paper"]}
    assert seeds_of(cells, "RGT", ["paper", "clean"]) == "2"
    assert seeds_of(cells, "RGT", ["paper", "tmcd", "original"]) == "2/1/0"
    assert seeds_of(cells, "x", ["paper", "clean"]) == "none"


def test_spread_of_seeds_needs_two():
    one, two = (
        [result("rgt", "paper", seed, right) for seed, right in enumerate(rights, 1)] for rights in ((9,), (9, 12))
    )
    shown_of = [spread_of_seeds(board(found, ["rgt"], DATASETS, 2), ["paper"])["paper"][0] for found in (one, two)]
    assert " ± " not in shown_of[0]
    assert " ± " in shown_of[1]


def test_paired_tests_tell_models_that_differ(cells):
    table = paired_tests(cells).set_index(["model", "minus"])
    assert len(table) == 10
    assert table.loc[("BiLSTM", "RGT"), "SpiderCompose"].startswith("+")
    assert float(table.loc[("BiLSTM", "RGT"), "SpiderCompose"].split("p ")[1]) < 0.05
    assert table.loc[("BiLSTM", "RGT"), "Spider"] == "+0.0, p 1.000"


def test_by_clauses_counts_the_pairs_of_each_size(cells):
    table = by_clauses(cells, "paper")
    assert table.columns.tolist() == ["system", "3 clauses (20 pairs)", "4 clauses (20 pairs)"]


def test_frames_for_figures_hold_numbers(cells):
    frame = scores(cells, SCORES["mean"], FIVE)
    assert len(frame) == 25
    assert (frame["low"] <= frame["value"]).all()
    assert (frame["value"] <= frame["high"]).all()


def test_orders_of_datasets(cells):
    table = orders(cells).set_index(["dataset", "other dataset"])
    assert table.loc[("SpiderCompose", "SpiderTMCD"), "tau"] == 1
    assert table.loc[("SpiderTemplate", "SpiderTMCD"), "tau"] == -1
    assert (table["models"] == 5).all()


def test_statements_that_are_plainly_so(cells):
    verdicts = {says: verdict for says, _, _, verdict in paper_statements(cells)}
    assert verdicts["every model drops from experiment 1 to 2"] == "holds"
    assert verdicts["exact match in experiment 2 is 0"] == "holds"
    assert verdicts["ABS, BiLSTM and REL drop most"] == "holds"
    assert verdicts["exact match is far higher on SpiderCompose than elsewhere"] == "too close"  # RGT: 12 and 9 of 40
    assert verdicts["scores are best on SpiderCompose"] == "holds"
    assert verdicts["RGT is best in experiment 2"] == "too close"  # all alike
    ours = {says: verdict for says, _, _, verdict in our_statements(cells)}
    assert ours["every model drops by more than with the control"] == "holds"
    assert "on SpiderCompose clean our model beats the best of the five in BLEU" not in ours


def test_statements_that_are_plainly_not_so():
    right = like_the_paper()
    right |= {("rgt", "paper"): 40, ("abs", "experiment2"): 40, ("abs", "paper"): 20, ("bilstm", "original"): 20}
    verdicts = {says: verdict for says, _, _, verdict in paper_statements(world(right))}
    for says in (
        "every model drops from experiment 1 to 2", "exact match in experiment 2 is 0", "ABS, BiLSTM and REL drop most",
        "RGT drops least", "RGT is best in experiment 2", "exact match on Spider is 0",
    ):  # fmt: skip
        assert verdicts[says] == "does not hold", says


def test_models_that_have_not_learnt_tell_nothing():
    """On TMCD all of them write nonsense; in experiment 2 they do as well, but they have learnt in experiment 1."""
    nonsense = sums(counts(["table the of"] * N, REFERENCES), NO_ERRORS)
    found = [
        replace(
            result(*key, 1, count), sums=nonsense if key[1] in ("tmcd", "experiment2") else result(*key, 1, count).sums
        )
        for key, count in like_the_paper().items()
    ]
    claims = {says: claim for says, _, *claim in paper_statements(board(found, FIVE_MODELS, DATASETS, 1))}
    assert claims["SpiderCompose orders the models like SpiderTMCD"] == [
        "no model has learnt to write: BLEU 0.0 at most on tmcd, 5 are wanted",
        "cannot be told here",
    ]
    assert claims["scores are best on SpiderCompose"][1] == "cannot be told here"
    assert claims["every model drops from experiment 1 to 2"][1] == "holds"
    assert claims["exact match in experiment 2 is 0"][1] == "holds"


def test_where_no_model_has_learnt_at_all_nothing_can_be_told():
    nonsense = sums(counts(["table the of"] * N, REFERENCES), NO_ERRORS)
    models = (*FIVE_MODELS, "compositional")
    found = [replace(result(model, dataset, 1, 0), sums=nonsense) for model in models for dataset in DATASETS]
    cells = board(found, models, DATASETS, 1)
    claims = [*paper_statements(cells), *our_statements(cells)]
    assert {verdict for *_, verdict in claims} == {"cannot be told here"}
    alone = board([item for item in found if item.dataset == "experiment2"], models, DATASETS, 1)
    (zero,) = (claim for claim in paper_statements(alone) if claim[0] == "exact match in experiment 2 is 0")
    assert zero[3] == "cannot be told here"  # without experiment 1, its own models tell


def test_ours_is_held_against_the_best_of_the_five():
    right = like_the_paper() | {("compositional", dataset): 40 for dataset in DATASETS}
    right |= {(model, "clean"): 20 for model in FIVE_MODELS}
    models = (*FIVE_MODELS, "compositional")
    better, sounder = our_statements(world(right, models=models))[-2:]
    assert better[0] == "on SpiderCompose clean our model beats the best of the five in BLEU"
    assert better[3] == "holds"
    assert sounder[3] == "too close"  # no text has an error here
    worse = our_statements(world(right | {("rel", "clean"): 40, ("compositional", "clean"): 20}, models=models))[-2]
    assert worse[3] == "does not hold"


def test_copying_is_beaten_or_not():
    def verdict(copied: int) -> str:
        found = [result("rgt", "paper", 1, 20), result(NEAREST, "paper", None, copied)]
        claims = our_statements(board(found, ["rgt"], DATASETS, 1))
        return next(v for says, _, _, v in claims if says == "in experiment 1 the best model beats copying")

    assert [verdict(copied) for copied in (0, 20, 40)] == ["holds", "too close", "does not hold"]


def parts(right: dict[tuple[str, str], int], copies: dict[str, bool]) -> Board:
    """Results of ours and its parts, by model and dataset; who copies."""
    recombined = {"recombined": 3, "compositional": 3}
    found = []
    for (model, dataset), count in right.items():
        facts = {"settings": {"decoder": {"copy": copies[model]}}}
        facts |= {"pairs": {"train": 10, "recombined": recombined.get(model, 0)}}
        found.append(replace(result(model, dataset, 1, count), facts=facts))
    return taken_apart(board(found, tuple(NAMES), DATASETS, 1))


ALL_COPY = dict.fromkeys(("bilstm", "recombined", "marked", "compositional"), True)


def test_ours_is_taken_apart():
    right = {("compositional", "clean"): 36, ("bilstm", "clean"): 4, ("marked", "clean"): 20}
    right |= {
        ("recombined", "clean"): 20,
        ("bilstm", "paper"): 9,
        ("marked", "paper"): 30,
        ("marked", "tmcd"): 9,
    }
    cells = parts(right, ALL_COPY)
    table = ablation(cells)
    assert table["model"].tolist() == [
        "BiLSTM",
        "BiLSTM, marked",
        "BiLSTM, recombined",
        "Ours",
        "BiLSTM",
        "BiLSTM, marked",
    ]
    assert table["dataset"].tolist() == [*["SpiderCompose clean"] * 4, *["SpiderCompose"] * 2]
    assert table["recombined pairs %"].tolist() == [0, 0, 30, 30, 0, 0]
    gap = minus(sample(cells["Ours", "clean"], bleu), sample(cells["BiLSTM", "clean"], bleu)).estimate
    assert table["BLEU-4 minus BiLSTM"][3].startswith(shown(gap, sign=True))
    assert table["BLEU-4 minus BiLSTM"].isna().tolist() == [True, False, False, False, True, False]
    verdicts = {says: (ours, verdict) for says, _, ours, verdict in part_statements(cells)}
    on_clean = [verdict for says, (_, verdict) in verdicts.items() if says.startswith("SpiderCompose clean, by BLEU: ")]
    assert on_clean == ["holds"] * 5
    assert verdicts["SpiderCompose, by BLEU: both together help"] == (
        "no result of Ours on paper",
        "cannot be told here",
    )


def test_parts_of_ours_that_do_harm_or_nothing():
    right = {("compositional", "clean"): 4, ("bilstm", "clean"): 36, ("marked", "clean"): 36}
    right |= {("recombined", "clean"): 4, ("bilstm", "paper"): 9}  # no part has learned `paper`
    cells = parts(right, ALL_COPY | {"bilstm": False})
    assert len(part_statements(cells)) == 10
    found = {says.removeprefix("SpiderCompose clean, by BLEU: "): claim for says, _, *claim in part_statements(cells)}
    assert found["recombination helps a BiLSTM"][1] == "does not hold"
    assert found["telling whole queries from parts helps with recombination"][1] == "too close"
    assert found["both together help"][0].endswith("; Ours also copies")
    assert "copies" not in found["recombination helps a model that is told whole queries from parts"][0]


def test_parts_of_ours_that_are_not_there():
    assert ablation({}).empty
    assert part_statements({}) == []
    assert ablation(parts({("marked", "clean"): 4}, ALL_COPY))["BLEU-4 minus BiLSTM"].isna().all()


def test_every_model_has_a_name():
    assert NAMES.keys() == ENCODERS.keys()
    assert PARTS.keys() == set(PARTS_OF_OURS)
