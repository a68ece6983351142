"""Aligners: the interface, known failures of plain rules, scores against gold, and the command."""

import importlib.util
import json
import os
import subprocess
import sys
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.alignment import ALIGNERS, align
from lib.alignment_score import Gold, Score, add_question, positions_by_kind, read_gold, score_corpus
from lib.cli import main
from lib.corpora import open_corpus
from lib.errors import CorpusError, ParameterError
from lib.paths import BUILTIN, ROOT
from lib.segmentation import best_labels
from lib.splitting import split
from lib.tagging.labels import labels, scores, step_cost
from lib.tagging.matching import match
from lib.tagging.phrases import phrases
from lib.tokens import tokenize

BOTH = sorted(ALIGNERS)


def fragments_of(question, query, aligner, schema=None):
    return {f.kind: f.text for f in align(tokenize(question), split(query), schema, aligner)}


@pytest.mark.parametrize("aligner", BOTH)
@pytest.mark.parametrize(
    ("question", "query", "kind", "word"),
    [
        pytest.param(
            "What is the colour of the tallest tower?",
            "SELECT Colour FROM tower ORDER BY Height DESC LIMIT 1",
            "ORDER BY",
            "tallest",
            id="adjective for a column",
        ),
        pytest.param(
            "Which port has the most ships?",
            "SELECT port FROM ship GROUP BY port ORDER BY count(*) DESC LIMIT 1",
            "ORDER BY",
            "ships",
            id="ORDER BY count does not shrink to most",
        ),
        pytest.param(
            "Find the name of the captain whose last name is Moss and whose id is 7.",
            "SELECT first_name FROM captain WHERE last_name = 'Moss' AND id = 7",
            "WHERE",
            "name",
            id="a name in the condition stays there",
        ),
        pytest.param(
            "List the ports of ships from Brazil’s coast.",
            "SELECT port FROM ship WHERE country = 'Brazil'",
            "WHERE",
            "Brazil",
            id="possessive value",
        ),
        pytest.param(
            "Show the ports but not those with a lighthouse.",
            "SELECT name FROM port EXCEPT SELECT port FROM lighthouse",
            "EXCEPT",
            "lighthouse",
            id="set operator",
        ),
    ],
)
def test_fragment_holds_the_word(question, query, kind, word, aligner):
    assert word in fragments_of(question, query, aligner)[kind].split()


@pytest.mark.parametrize("aligner", BOTH)
def test_command_behind_a_question(aligner):
    joined = "SELECT T1.town FROM harbour AS T1 JOIN ship AS T2 ON T1.id = T2.home"
    query = f"{joined} GROUP BY T1.id ORDER BY count(*) DESC LIMIT 1"
    fragments = fragments_of("Which of the harbours has the most ships? List the town name.", query, aligner)
    assert fragments["SELECT"].endswith("List the town name .")
    assert "List" not in fragments["ORDER BY"].split()
    assert "most ships" in fragments["ORDER BY"]


@pytest.mark.parametrize("aligner", BOTH)
def test_set_operator_does_not_cover_the_question(aligner):
    query = "SELECT name FROM ship WHERE year < 1950 INTERSECT SELECT name FROM ship WHERE year > 1990"
    fragments = fragments_of("Show the names of ships built before 1950 and ships built after 1990.", query, aligner)
    assert "1990" in fragments["INTERSECT"]
    assert "1950" not in fragments["INTERSECT"]
    assert "1990" not in fragments["WHERE"]


@pytest.mark.parametrize("aligner", BOTH)
def test_one_clause_takes_the_whole_question(aligner):
    (fragment,) = align(("How", "many", "?"), split("SELECT count(*) FROM t"), None, aligner)
    assert fragment.spans == ((0, 3),)


@pytest.mark.parametrize("aligner", BOTH)
def test_a_part_of_a_query(aligner):
    clauses = split("SELECT port FROM ship GROUP BY port ORDER BY count(*) DESC LIMIT 1")[1:]
    fragments = align(("the", "port", "with", "most", "ships"), clauses, None, aligner)
    assert [fragment.kind for fragment in fragments] == ["GROUP BY", "ORDER BY"]
    assert all(fragment.spans for fragment in fragments)
    assert align(("a",), (), None, aligner) == ()


def test_unknown_aligner():
    with pytest.raises(ParameterError, match="did you mean 'viterbi'"):
        align(("a",), split("SELECT a"), None, "viterbe")


QUESTIONS = st.lists(
    st.sampled_from(
        [
            "which",
            "ships",
            "that",
            "have",
            "each",
            "port",
            "and",
            "the",
            "most",
            "1990",
            "built",
            ",",
            "?",
            ".",
            "before",
        ]
    ),
    max_size=14,
)
QUERIES = st.sampled_from(
    [
        "SELECT name FROM ship WHERE built = 1990",
        "SELECT port FROM ship GROUP BY port ORDER BY count(*) DESC LIMIT 1",
        "SELECT port FROM ship WHERE built > 1990 GROUP BY port HAVING count(*) > 2 ORDER BY port",
        "SELECT port FROM ship WHERE built > 1990 UNION SELECT port FROM lighthouse",
    ]
)


@pytest.mark.parametrize("aligner", BOTH)
@given(tokens=QUESTIONS, query=QUERIES)
def test_fragments_are_in_order_inside_and_not_empty(aligner, tokens, query):
    clauses = split(query)
    fragments = align(tokens, clauses, None, aligner)
    assert [fragment.kind for fragment in fragments] == [clause.kind for clause in clauses]
    for fragment in fragments:
        assert bool(fragment.spans) == bool(tokens)
        assert all(0 <= a < b <= len(tokens) for a, b in fragment.spans)
        assert all(before[1] < after[0] or before[1] <= after[0] for before, after in pairwise(fragment.spans))
    assert align(tokens, clauses, None, aligner) == fragments


@given(QUESTIONS.filter(bool), QUERIES)
def test_viterbi_covers_the_question(tokens, query):
    fragments = align(tokens, split(query), None, "viterbi")
    assert {i for f in fragments for a, b in f.spans for i in range(a, b)} == set(range(len(tokens)))


def best_by_trying_all(matches, parts, known):
    """The best total of all label sequences in which each clause gets a phrase."""
    best = float("-inf")
    paths = [((), 0.0)]
    for part in parts:
        fits = scores(matches, part, known)
        paths = [
            ((*path, i), total + fits[i] - step_cost(known[path[-1]] if path else None, label, part.sign))
            for path, total in paths
            for i, label in enumerate(known)
        ]
    for path, total in paths:
        if frozenset().union(*(known[i].kinds for i in path)) == frozenset(matches.kinds):
            best = max(best, total)
    return best


@given(
    st.lists(st.sampled_from(["ships", "that", "have", "each", "most", "1990", ",", "built"]), min_size=1, max_size=7),
    QUERIES,
)
def test_dynamic_programming_finds_the_best_sequence(tokens, query):
    matches = match(tokens, split(query), None)
    parts, known = phrases(matches)[:4], labels(matches.candidates)
    total, before = 0.0, None
    for part, label in zip(parts, best_labels(matches, parts), strict=True):
        total += scores(matches, part, known)[known.index(label)] - step_cost(before, label, part.sign)
        before = label
    assert total == pytest.approx(best_by_trying_all(matches, parts, known))


@pytest.fixture(scope="module")
def handed(shared):
    cases = json.loads((shared / "cases" / "sql_and_text.json").read_text(encoding="utf-8"))
    return {case["id"]: case for case in cases}


@pytest.mark.parametrize("aligner", BOTH)
def test_handed_two_sentences(handed, spider_home, aligner):
    case, corpus = handed["align-two-sentences"], open_corpus(str(spider_home))
    example = next(e for e in corpus.examples("dev") if " ".join(e.tokens) == case["input"])
    fragments = align(example.tokens, split(example.query), corpus.schemas[example.db_id], aligner)
    found = {fragment.kind: fragment.text for fragment in fragments}
    command, question = case["expected"]["select"], case["expected"]["group/order"]
    assert found["SELECT"].endswith(command)
    for kind in ("GROUP BY", "ORDER BY"):
        assert found[kind] in question
        assert not set(command.split()[:1]) & set(found[kind].split())


@pytest.mark.parametrize("aligner", BOTH)
def test_handed_adjective(handed, aligner):
    case = handed["align-empty-tallest"]
    query = f"SELECT Age FROM person {case['input']['clause']}"
    order = fragments_of(case["input"]["question"], query, aligner)["ORDER BY"]
    assert set(case["expected"]["order_must_contain"]) <= set(order.split())


@pytest.mark.parametrize("aligner", BOTH)
def test_handed_number_word(handed, aligner):
    case = handed["tok-number-words"]
    query = "SELECT Hometown FROM teacher GROUP BY Hometown HAVING COUNT(*) >= 2"
    group = fragments_of(case["input"]["question"], query, aligner)["GROUP BY"]
    assert case["expected"]["match"] in group.split()


@pytest.mark.parametrize("aligner", BOTH)
def test_handed_typing_error(handed, aligner):
    question = handed["data-typo-question"]["input"]
    query = "SELECT DISTINCT T1.model FROM model_list AS T1 JOIN cars_data AS T2 ON T1.id = T2.id WHERE T2.year > 1980"
    fragments = fragments_of(question, query, aligner)
    assert "models" in fragments["SELECT"].split()
    assert fragments["WHERE"].split()[-3:-1] == ["after", "1980"]


def test_handed_old_query(handed):
    case = handed["data-old-dev"]
    for version in ("old", "new"):
        assert len(split(case["input"][f"{version}_sql"])) == case["expected"][f"clauses_{version}"]


# --- Scores -----------------------------------------------------------------------------------------------------
def score_of(tokens, ours, gold, unlinked=()):
    score = Score()
    add_question(score, tokens, ours, gold, unlinked)
    return score


def test_perfect_and_disjoint_fragments():
    tokens, gold = ["a", "b", "c", "d"], {"select": [0, 1], "where": [2, 3]}
    perfect = score_of(tokens, gold, gold)
    assert (perfect.tokens.f1, perfect.boundary.f1, perfect.all.exact) == (1.0, 1.0, 2)
    swapped = score_of(tokens, {"select": [2, 3], "where": [0, 1]}, gold)
    assert swapped.tokens.f1 == 0.0
    assert swapped.boundary.f1 == 1.0


def test_counts_by_hand():
    score = score_of(
        ["a", "b", "c", "d", "?"], {"select": [0, 1, 2, 4], "where": []}, {"select": [0, 1], "where": [2, 3]}
    )
    assert (score.all.common, score.all.predicted, score.all.gold) == (2, 3, 4)
    assert (score.all.empty, score.all.whole, score.all.exact) == (1, 0, 0)
    assert score.tokens.precision == pytest.approx(2 / 3)
    assert score.tokens.recall == pytest.approx(1 / 2)
    assert score.boundaries == [0, 0, 1]


def test_unlinked_words_and_questions_of_one_clause_do_not_count():
    gold = {"select": [0], "where": [2]}
    assert score_of(["a", "b", "c"], {"select": [0, 1], "where": [2]}, gold, unlinked={1}).tokens.f1 == 1.0
    assert score_of(["a", "b"], {"select": [0]}, {"select": [0, 1]}).questions == 0


def test_nothing_to_score():
    assert (Score().tokens.f1, Score().boundary.f1) == (0.0, 0.0)


@pytest.mark.parametrize("text", ["[1]", "{", '[{"index": 0}]', '{"id": 3}'])
def test_gold_that_is_none(tmp_path, text):
    (tmp_path / "gold.json").write_text(text)
    with pytest.raises(CorpusError, match=r"gold\.json"):
        read_gold(tmp_path / "gold.json")


def handed_score(shared, fragments):
    """The figures of the handed scorer: an outside judge."""
    spec = importlib.util.spec_from_file_location("handed_score", shared / "alignment" / "score.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    gold = json.loads((shared / "alignment" / "gold_a.json").read_text(encoding="utf-8"))
    dev = json.loads((shared / "spider" / "dev.json").read_text(encoding="utf-8"))
    per, edge, missing, _ = module.score(fragments, gold, dev)
    assert not missing
    sums = [sum(counts[name] for counts in per.values()) for name in ("tp", "pred", "gold", "exact", "empty", "whole")]
    return sums, edge


@pytest.mark.parametrize(("aligner", "f1", "boundary_f1"), [("algorithm1", 0.84, 0.0), ("viterbi", 0.88, 0.72)])
def test_score_on_spider(shared, spider_home, tmp_path, aligner, f1, boundary_f1):
    out = tmp_path / "fragments.json"
    assert main(["align", "--corpus", str(spider_home), "--aligner", aligner, "--out", str(out)]) == 0
    sums, edge = handed_score(shared, json.loads(out.read_text(encoding="utf-8")))
    corpus, gold = open_corpus(str(spider_home)), read_gold(shared / "alignment" / "gold_a.json")
    score = score_corpus(corpus, gold, aligner)
    counts = score.all
    ours = [counts.common, counts.predicted, counts.gold, counts.exact, counts.empty, counts.whole]
    assert ours == sums
    assert score.boundaries == edge
    assert score.tokens.f1 >= f1
    assert score.boundary.f1 >= boundary_f1
    assert counts.empty <= 0.002 * counts.clauses


@pytest.mark.parametrize("aligner", BOTH)
def test_score_on_the_builtin_corpus(aligner):
    path = BUILTIN / "fragments.jsonl"
    if not path.exists():
        pytest.fail(f"{path} is missing: the built-in corpus comes with the true fragments of its questions")
    score = score_corpus(open_corpus("builtin"), read_gold(path), aligner)
    assert score.tokens.f1 >= {"algorithm1": 0.94, "viterbi": 0.95}[aligner]
    assert score.all.empty <= 0.002 * score.all.clauses


def test_gold_by_id(tmp_path):
    (tmp_path / "gold.jsonl").write_text('{"id": "dev-00001", "fragments": {"select": [0], "where": [1]}}\n')
    assert read_gold(tmp_path / "gold.jsonl") == {"dev-00001": Gold({"select": [0], "where": [1]}, frozenset())}


# --- The command ------------------------------------------------------------------------------------------------
def test_command_writes_the_same_bytes_for_any_hash_seed(tmp_path):
    files = []
    for seed in ("0", "1"):
        files.append(tmp_path / f"{seed}.json")
        command = [sys.executable, "-m", "lib.cli", "align", "--aligner", "viterbi", "--out", str(files[-1])]
        environment = os.environ | {"PYTHONHASHSEED": seed, "TQDM_DISABLE": "1"}
        subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True)
    assert files[0].read_bytes() == files[1].read_bytes()
    corpus = open_corpus("builtin")
    rows = json.loads(files[0].read_text(encoding="utf-8"))
    example = next(corpus.examples("dev"))
    fragments = align(example.tokens, split(example.query), corpus.schemas[example.db_id], "viterbi")
    assert rows[0] == {"index": 0, "fragments": positions_by_kind(fragments)}


def test_command_scores_against_gold(tmp_path, capsys):
    arguments = ["align", "--out", str(tmp_path / "out.json"), "--gold", str(BUILTIN / "fragments.jsonl")]
    assert main(arguments) == 0
    printed = capsys.readouterr().out
    assert "aligned by algorithm1" in printed
    assert "boundaries within one token" in printed


@pytest.mark.parametrize(
    ("arguments", "code", "reason"),
    [
        (["--split", "test", "--out", "x"], 2, "invalid choice: 'test'"),
        (["--aligner", "magic", "--out", "x"], 2, "invalid choice: 'magic'"),
        ([], 2, "--out"),
        (["--corpus", "/nowhere", "--out", "x"], 3, "no corpus folder"),
        (["--gold", "/nowhere.json", "--out", "x"], 3, "/nowhere.json"),
    ],
)
def test_command_says_what_is_wrong(arguments, code, reason, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["align", *arguments]) == code
    printed = capsys.readouterr()
    assert reason in printed.err
    assert printed.err.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_select_takes_up_the_noun_behind_the_condition():
    """The paper's own example, section 3: its table 2 has the players in the fragment of SELECT."""
    tokens = tokenize("What are the full names of all left handed players in the order of birth date")
    clauses = split("SELECT first_name, last_name FROM players WHERE hand = 'L' ORDER BY birth_date")
    assert align(tokens, clauses, None, "algorithm1")[0].spans == ((0, 7), (9, 10))
