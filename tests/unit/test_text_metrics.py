"""lib.metrics.text and lib.metrics.predictions."""

import json
import logging

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.errors import CorpusError, ParameterError, RecordError
from lib.metrics.predictions import read_predictions, score_file
from lib.metrics.text import (
    N_CHRF,
    N_STATISTICS,
    bleu,
    bleu_metric,
    bleu_of,
    bleu_signature,
    bleu_statistics,
    chrf,
    chrf_of,
    chrf_statistics,
    exact_matches,
    joined,
    normalised,
    report,
    score_texts,
    sentence_bleu,
)
from lib.records import Pair


@pytest.fixture(scope="module")
def cases(shared) -> dict[str, dict]:
    """The handed cases on metrics, by id."""
    known = json.loads((shared / "cases" / "sql_and_text.json").read_text(encoding="utf-8"))
    return {case["id"]: case for case in known if case["kind"] == "metric"}


def test_case_short(cases):
    """Two words have no 4-gram: the corpus score is 0, a sentence score leaves the longer n-grams out."""
    case = cases["bleu-short"]
    given_input = case["input"]
    assert bleu(given_input["hyp"], given_input["ref"]) == case["expected"]
    assert sentence_bleu(given_input["hyp"][0], given_input["ref"][0]) == pytest.approx(100)


def test_case_empty(cases):
    case = cases["bleu-empty"]
    assert bleu(case["input"]["hyp"], case["input"]["refs"][0]) == pytest.approx(case["expected"], abs=0.005)


def test_case_tokenised(cases):
    """Raw against tokenised text scores low whatever the tokenizer; the report makes both alike first."""
    case = cases["bleu-tokenised"]
    texts, references = case["input"]["hyp"], case["input"]["refs"][0]
    for tokenizer, expected in case["expected"].items():
        found = bleu_metric(tokenizer).corpus_score(texts, [references]).score
        assert found == pytest.approx(expected, abs=0.005)
    assert score_texts(texts, references).bleu == pytest.approx(100)


def test_case_script(cases):
    """A score without its signature cannot be repeated: every report holds it."""
    found = report(["a b"], [_pair("1", "a b")])
    assert cases["bleu-script"]["expected"] == {"print": "sacrebleu signature"}
    assert found["bleu_signature"] == bleu_signature()
    for part in ("nrefs:1", "case:lc", "tok:none", "smooth:exp", "version:"):
        assert part in found["bleu_signature"]


def _pair(name: str, text: str, size: int = 3, sql: str = "SELECT 1") -> Pair:
    return Pair(name, name, "d", ("SELECT",), sql, text, size, "dev", {})


@pytest.mark.parametrize(
    ("text", "reference", "same"),
    [
        ("List all cats.", "list all cats", True),
        ("list all cats ?", "list all cats .", True),
        ("What's the cat's name?", "what 's the cat 's name", True),
        ("cats in 'Rome'", "cats in Rome", True),
        ('cats in "Rome"', "cats in Rome", True),
        ("``cats''", "cats", True),
        ("cats' names", "cat's names", False),
        ("list all cat", "list all cats", False),
        ("cats, dogs", "cats dogs", False),
        ("cats over 1.5", "cats over 15", False),
        ("", "", False),
        (".", "?", False),
    ],
)
def test_exact_match(text, reference, same):
    assert exact_matches([text], [reference]) == [same]


@given(st.text(alphabet="ab S'.,?`\"-n1", max_size=24))
def test_joined_and_normalised_change_nothing_twice(text):
    assert joined(joined(text)) == joined(text)
    assert normalised(normalised(text)) == normalised(text)


def test_tokens_and_raw_text_come_out_alike(spider_home):
    """The token fields of real Spider against the questions they were made from."""
    records = json.loads((spider_home / "dev.json").read_text(encoding="utf-8"))
    odd = [r["question"] for r in records if joined(" ".join(r["question_toks"])) != joined(r["question"])]
    assert len(odd) <= 0.005 * len(records)  # the fields differ from the question in a few records


def test_the_corpus_score_is_no_mean_of_sentence_scores():
    texts, references = ["a b c d e", "a x"], ["a b c d e", "a b"]
    mean = (sentence_bleu(texts[0], references[0]) + sentence_bleu(texts[1], references[1])) / 2
    assert bleu(texts, references) != pytest.approx(mean, abs=5)
    assert score_texts(texts, references).bleu == bleu(texts, references)


def test_report_by_clauses_covers_all_pairs():
    pairs = [_pair("1", "a b c d", 3), _pair("2", "e f g h", 4, "SELECT 2"), _pair("3", "i j k l", 3)]
    found = report(["a b c d", "x", ""], pairs)
    assert {size: scores["pairs"] for size, scores in found["by_clauses"].items()} == {"3": 2, "4": 1}
    assert found["all"]["exact_match"] == 33.33
    assert found["by_clauses"]["4"]["bleu"] == 0
    assert (found["empty_texts"], found["distinct_sql"]) == (1, 2)


WORDS = st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=9).map(" ".join)


@given(st.lists(st.tuples(WORDS, WORDS.filter(bool)), min_size=1, max_size=6))
def test_statistics_add_up_to_the_corpus_score(both):
    texts, references = zip(*both, strict=True)
    rows = bleu_statistics(texts, references)
    assert rows.shape == (len(texts), N_STATISTICS)
    assert bleu_of(rows.sum(axis=0)) == pytest.approx(bleu(texts, references))
    characters = chrf_statistics(texts, references)
    assert characters.shape == (len(texts), N_CHRF)
    assert chrf_of(characters.sum(axis=0)) == pytest.approx(chrf(texts, references))


def test_many_sums_are_scored_at_once():
    rows = bleu_statistics(["a b c d e", "a b", "x", ""], ["a b c d f", "a c", "y", "z"])
    assert bleu_of(rows.reshape(2, 2, -1)).tolist() == [
        [bleu_of(row) for row in pair] for pair in rows.reshape(2, 2, -1)
    ]
    rows = chrf_statistics(["a b c d e", "a b", "x", ""], ["a b c d f", "a c", "y", "z"])
    assert chrf_of(rows).tolist() == [chrf_of(row) for row in rows]
    assert chrf_of(rows)[2:].tolist() == [0, 0]


def test_statistics_of_nothing():
    assert bleu_statistics([], []).shape == (0, N_STATISTICS)
    assert bleu_of(np.zeros(N_STATISTICS, dtype=int)) == 0


@pytest.mark.parametrize("function", [bleu, chrf, exact_matches, score_texts])
def test_numbers_must_agree(function):
    with pytest.raises(ParameterError, match="1 texts for 2 references"):
        function(["a"], ["a", "b"])
    with pytest.raises(ParameterError, match="empty"):
        function([], [])


def test_no_warnings_from_the_scorer(caplog):
    with caplog.at_level(logging.WARNING):
        bleu(["a b ."] * 200, ["a b ."] * 200)
    assert caplog.records == []


PAIRS = [_pair("x1", "one cat"), _pair("x2", "two cats"), _pair("x3", "")]


def test_a_text_a_line(tmp_path):
    (tmp_path / "p.txt").write_text("One cat.\r\n\r\n", encoding="utf-8")
    found = score_file(tmp_path / "p.txt", PAIRS)
    assert (found["without_reference"], found["all"]["exact_match"], found["empty_texts"]) == (1, 50.0, 1)


def test_jsonl_goes_by_id(tmp_path):
    path = tmp_path / "p.jsonl"
    path.write_text('{"id": "x2", "text": "two cats"}\n{"id": "x1", "text": "a"}\n', encoding="utf-8")
    assert read_predictions(path, PAIRS[:2]) == ["a", "two cats"]


@pytest.mark.parametrize(
    ("content", "error", "message"),
    [
        ('{"id": "x1", "text": "a"}\n', CorpusError, "no text for 1 of 2 pairs, such as 'x2'"),
        ('{"id": "x1", "text": "a"}\n{"id": "x1", "text": "b"}\n', RecordError, "came before"),
        ('{"id": "x9", "text": "a"}\n', RecordError, "no pair of the dataset has the id 'x9'"),
        ('{"id": "x1"}\n', RecordError, "needs the fields"),
        ('{"id": 1, "text": "a"}\n', RecordError, "needs the fields"),
        ("x\n", RecordError, "not JSON"),
    ],
)
def test_broken_predictions_are_named(tmp_path, content, error, message):
    path = tmp_path / "p.jsonl"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(error, match=message):
        read_predictions(path, PAIRS[:2])


def test_wrong_number_of_lines_and_missing_file(tmp_path):
    (tmp_path / "p.txt").write_text("a\nb\nc\n", encoding="utf-8")
    with pytest.raises(CorpusError, match="3 lines for 2 pairs"):
        read_predictions(tmp_path / "p.txt", PAIRS[:2])
    with pytest.raises(CorpusError, match="cannot read"):
        read_predictions(tmp_path / "q.txt", PAIRS[:2])


def test_pairs_without_a_reference_may_have_texts_or_none(tmp_path):
    pairs = [PAIRS[2], *PAIRS[:2]]
    texts = [pair.text for pair in pairs]
    files = {
        "all.txt": "".join(f"{text}\n" for text in ["anything", *texts[1:]]),
        "some.txt": "".join(f"{text}\n" for text in texts[1:]),
        "marked.txt": "\ufeff" + "".join(f"{text}\n" for text in texts[1:]),
        "all.jsonl": "".join(json.dumps({"id": pair.id, "text": pair.text}) + "\n" for pair in pairs),
        "some.JSONL": "".join(json.dumps({"id": pair.id, "text": pair.text}) + "\n" for pair in pairs[1:]),
    }
    for name, content in files.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
        found = score_file(tmp_path / name, pairs)
        assert (found["without_reference"], found["all"]["exact_match"]) == (1, 100), name
