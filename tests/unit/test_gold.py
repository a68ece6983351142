"""Aligners against the true fragments of a corpus."""

import json

import pytest

from lib.corpora import open_corpus
from lib.errors import CorpusError
from lib.gold import YARDSTICKS, by_kind, failures, gold_of, scores, summary
from lib.paths import BUILTIN
from lib.splicing import positions_of
from lib.splitting import split


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """The first development questions of the built-in corpus."""
    folder = tmp_path_factory.mktemp("corpus")
    for name, stop in (("train", 1), ("dev", 60)):
        (folder / f"{name}.json").write_text(json.dumps(json.loads((BUILTIN / f"{name}.json").read_text())[:stop]))
    for name in ("tables.json", "database", "fragments.jsonl"):
        (folder / name).symlink_to(BUILTIN / name)
    return open_corpus(str(folder))


def test_every_aligner_and_yardstick_is_scored_on_the_same_questions(corpus):
    found = scores(corpus, "dev")
    table = summary(found)
    assert table["aligner"].tolist() == ["whole question", "equal parts", "algorithm1", "viterbi"]
    assert table["questions"].nunique() == 1
    assert table["token F1"].between(0, 1).all()
    ours = table.set_index("aligner")["token F1"]
    assert ours["algorithm1"] > max(ours["whole question"], ours["equal parts"])


def test_whole_question_has_every_true_word_and_no_boundary(corpus):
    score = scores(corpus, "dev")["whole question"]
    assert score.tokens.recall == 1
    assert score.boundary.f1 == 0


def test_kinds_come_with_their_numbers(corpus):
    table = by_kind(scores(corpus, "dev"))
    assert {"select", "where"} <= set(table["clause"])
    assert (table.groupby("clause")["clauses"].nunique() == 1).all()


def test_failures_are_the_worst_first_one_a_question(corpus):
    worst = failures(corpus, "dev", "algorithm1", 5)
    assert worst["in agreement %"].is_monotonic_increasing
    assert len(failures(corpus, "dev", "algorithm1", 1)) == 1


def test_a_corpus_without_true_fragments(tmp_path, corpus):
    for name in ("train.json", "dev.json", "tables.json", "database"):
        (tmp_path / name).symlink_to(corpus.folder / name)
    assert gold_of(open_corpus(str(tmp_path))) == {}


@pytest.mark.parametrize("words", [1, 2, 7])
def test_equal_parts_cover_each_word_once(words):
    clauses = split("SELECT a FROM t WHERE b = 1 ORDER BY c")
    spans = YARDSTICKS["equal parts"](["w"] * words, clauses, None)
    assert sorted(j for part in spans for j in positions_of(part)) == list(range(words))


def test_true_fragments_that_are_broken_are_named(tmp_path, corpus):
    for name in ("train.json", "dev.json", "tables.json", "database"):
        (tmp_path / name).symlink_to(corpus.folder / name)
    (tmp_path / "fragments.jsonl").write_text('{"id": "dev-00000"}\n')
    with pytest.raises(CorpusError, match=r"fragments\.jsonl' does not hold gold fragments"):
        scores(open_corpus(str(tmp_path)), "dev")
