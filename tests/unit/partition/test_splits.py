import json
import re
from shutil import copyfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lib.cli import main
from lib.corpora import open_corpus
from lib.datasets import PARTS, read_part
from lib.errors import ParameterError, RecordError
from lib.files import read_json, write_json
from lib.partition.grouping import fill
from lib.partition.properties import against, divergence, properties
from lib.partition.published import read_split, ssp_examples
from lib.partition.splits import METHODS, Options, examples_of, make_split, take_apart
from lib.partition.template import sql_key, sql_length, template
from lib.paths import BUILTIN, SPLITS
from lib.records import Example

COLUMNS = ("name", "age", "port", "crew", "flag")


def example(number: int, query: str, db_id: str = "ships", source: str = "train") -> Example:
    return Example(f"{source}-{number:05d}", db_id, "what ?", ("what", "?"), query, source)


def query(a: int, b: int, value: int) -> str:
    return f"SELECT {COLUMNS[a]} FROM ship WHERE {COLUMNS[b]} > {value}"


toy = st.lists(st.builds(query, st.integers(0, 4), st.integers(0, 4), st.integers(0, 3)), min_size=30, max_size=80)


class NoSchema(dict):
    def __missing__(self, key):
        return None


@settings(max_examples=40, deadline=None)
@given(toy, st.sampled_from(["template", "tmcd", "length", "random"]), st.integers(0, 5))
def test_parts_are_disjoint_complete_and_keep_queries_together(queries, method, seed):
    examples = [example(i, text) for i, text in enumerate(queries)]
    parts, _ = take_apart(examples, NoSchema(), "ours")
    try:
        split = make_split(examples, parts, Options(method, seed=seed))
    except ParameterError:  # the atoms, or too few different queries, do not allow it
        return
    ids = [one.id for part in PARTS for one in split[part]]
    assert sorted(ids) == [one.id for one in examples]
    key = template if method == "template" else sql_key
    sides = [{key(one.query) for one in split[part]} for part in PARTS]
    assert not sides[0] & sides[1] | sides[0] & sides[2] | sides[1] & sides[2]
    assert len(split["test"]) <= len(examples) // 10 + 1
    if method == "tmcd":
        assert against(split["train"], split["test"], parts).unseen_atom_examples == 0
    if method == "length":
        held_out = [sql_length(one.query) for part in ("validation", "test") for one in split[part]]
        assert max(sql_length(one.query) for one in split["train"]) <= min(held_out, default=99)


@given(st.lists(st.integers(1, 6), max_size=30), st.integers(0, 60))
def test_fill_never_takes_too_much_and_meets_what_ones_can_meet(sizes, target):
    order = list(range(len(sizes)))
    taken = fill(sizes, order, target)
    total = sum(sizes[i] for i in taken)
    assert len(set(taken)) == len(taken)
    assert total <= target
    if all(size == 1 for size in sizes):
        assert total == min(target, len(sizes))
    if sizes.count(1) > 12:
        assert total == min(target, sum(sizes))


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("SELECT a FROM t WHERE b = 3", "select a from t where b = 4.5;", True),
        ("SELECT a FROM t WHERE b = 'x'", 'SELECT a FROM t WHERE b = "some thing"', True),
        ("SELECT a FROM t WHERE b = 'it''s 3'", "SELECT a FROM t WHERE b = ''", True),
        ("SELECT a FROM t LIMIT 1", "SELECT a FROM t LIMIT 10", True),
        ("SELECT a FROM t WHERE b = 3", "SELECT a FROM t WHERE c = 3", False),
        ("SELECT a1 FROM t", "SELECT a2 FROM t", False),
        ("SELECT a FROM t WHERE b > 3", "SELECT a FROM t WHERE b < 3", False),
    ],
)
def test_templates(one, other, alike):
    assert (template(one) == template(other)) is alike


def test_divergence_at_both_ends_and_between():
    assert divergence({"a": 3, "b": 1}, {"a": 6, "b": 2}, 0.1) == 0
    assert divergence({"a": 3}, {"b": 1}, 0.1) == 1
    assert divergence({"a": 1}, {}, 0.1) == 1
    # half of the other side is known, as all of training: 1 - 1^0.1 * 0.5^0.9
    assert divergence({"a": 4}, {"a": 1, "b": 1}, 0.1) == pytest.approx(1 - 0.5**0.9)


@pytest.fixture(scope="module")
def ssp(spider_home):
    corpus = open_corpus(str(spider_home))
    examples = examples_of(corpus, "ssp")
    parts, unreadable = take_apart(examples, corpus.schemas, "shaw")
    assert (len(examples), len({one.db_id for one in examples}), unreadable) == (4376, 51, {})
    return examples, parts


@pytest.mark.parametrize(
    ("file", "template_seen", "sql_seen", "unseen", "diverges"),
    [("template_1", 42, 12, 330, 0.083), ("length_1", None, None, 300, 0.079), ("random_1", None, None, 68, 0.027),
     ("tmcd_1", None, None, 0, 0.209)],
)  # fmt: skip
def test_published_splits_are_measured_as_known(ssp, shared, file, template_seen, sql_seen, unseen, diverges):
    examples, parts = ssp
    split = read_split(shared / "splits" / f"{file}.json", examples)
    found = against(split["train"], split["test"], parts)
    assert round(found.compound_divergence, 3) == diverges
    assert found.unseen_atom_examples == unseen
    if template_seen is not None:
        assert (found.seen_template_examples, found.seen_sql_examples) == (template_seen, sql_seen)


@pytest.mark.parametrize(
    ("content", "error", "words"),
    [
        ([1, 2], RecordError, "not a split"),
        ({"train": [0], "tset": [1]}, RecordError, "not a split"),
        ({"train": [0], "test": 1}, RecordError, "'test' must be a list, not int"),
        ({"train": [0, 9], "test": [1]}, RecordError, "record 1: 9 in 'train' is none of the 3 examples"),
        ({"train": [0], "test": [0]}, RecordError, "record 0: 0 in 'test' stands twice"),
        ({"train": [0], "test": ["train-00000"]}, RecordError, "stands twice"),
        ({"train": [0], "test": [True]}, RecordError, "True in 'test' is none"),
        (
            {"train": [0], "test": [1]},
            RecordError,
            "indices of 2 examples, but the setting has 3: try another --setting",
        ),
        ({"train": [0], "test": [[1]]}, RecordError, "is none of the 3 examples"),
    ],
)
def test_broken_split_files(tmp_path, content, error, words):
    write_json(tmp_path / "s.json", content)
    with pytest.raises(error, match=re.escape(words)):
        read_split(tmp_path / "s.json", [example(i, "SELECT a FROM t") for i in range(3)])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"method": "tmdc"}, "unknown method 'tmdc': did you mean 'tmcd'"),
        ({"method": "tmcd", "setting": "ssb"}, "unknown setting 'ssb': did you mean 'ssp'"),
        ({"method": "tmcd", "definition": "theirs"}, "unknown definition 'theirs'"),
        ({"method": "random", "length_matched": True}, "lengths are matched by method 'tmcd' only, not by 'random'"),
        ({"method": "original", "setting": "ssp"}, "method 'original' has no setting 'ssp'"),
    ],
)
def test_wrong_options(options, words):
    with pytest.raises(ParameterError, match=re.escape(words)):
        Options(**options)


def test_too_few_queries():
    with pytest.raises(ParameterError, match="1 different queries are too few for a split by 'random'"):
        make_split([example(i, "SELECT a FROM t") for i in range(40)], {}, Options("random"))
    with pytest.raises(ParameterError, match="needs databases with at least 50 training examples"):
        ssp_examples([example(0, "SELECT a FROM t")])


def test_unreadable_examples_are_named():
    examples = [example(0, "SELECT a FROM t"), example(1, "SELECT a FROM t WHERE")]
    parts, unreadable = take_apart(examples, NoSchema(), "shaw")
    assert list(parts) == ["train-00000"]
    assert "it ends too early" in unreadable["train-00001"]


def test_properties_of_nothing():
    found = properties({"train": [], "validation": [], "test": []}, {})
    assert found["sizes"] == {"train": 0, "validation": 0, "test": 0}
    assert found["validation"] is None


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A folder with the first examples of the built-in corpus."""
    folder = tmp_path_factory.mktemp("small")
    copyfile(BUILTIN / "tables.json", folder / "tables.json")
    for name, count in (("train.json", 300), ("dev.json", 60)):
        write_json(folder / name, read_json(BUILTIN / name)[:count])
    return folder


@pytest.mark.parametrize("method", METHODS)
def test_the_command_writes_a_dataset(tmp_path, capsys, small, method):
    command = ["splits", "--corpus", str(small)]
    assert main([*command, "--method", method, "--out", str(tmp_path / "a")]) == 0
    assert "divergence from training" in capsys.readouterr().out
    manifest = read_json(tmp_path / "a" / "manifest.json")
    assert manifest["options"]["method"] == method
    assert manifest["sizes"] == {part: len(read_part(tmp_path / "a", part)) for part in PARTS} == manifest["pairs"]
    assert {"compound_divergence", "atom_divergence", "unseen_atom_examples", "sql_length"} <= manifest.keys()
    corpus = open_corpus(str(small))
    questions = {one.id: " ".join(one.tokens) for source in ("train", "dev") for one in corpus.examples(source)}
    pairs = [pair for part in PARTS for pair in read_part(tmp_path / "a", part)]
    assert {pair.example_id: pair.text for pair in pairs} == questions
    if method == "template":
        assert manifest["seen_template_examples"] == manifest["seen_sql_examples"] == 0

    assert main([*command, "--split", str(tmp_path / "a" / "ids.json"), "--out", str(tmp_path / "b")]) == 0
    for part in PARTS:
        assert (tmp_path / "b" / f"{part}.jsonl").read_bytes() == (tmp_path / "a" / f"{part}.jsonl").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ([], 2, "give either --method, to make a split, or --split FILE"),
        (["--method", "tmcd"], 2, "--out is missing"),
        (["--method", "tmdc", "--out", "x"], 2, "invalid choice: 'tmdc'"),
        (["--method", "tmcd", "--setting", "ssp", "--out", "x", "--split", "y"], 2, "give either"),
        (["--split", "/nowhere.json"], 3, "cannot read '/nowhere.json'"),
    ],
)
def test_wrong_use(capsys, arguments, code, words):
    assert main(["splits", *arguments]) == code
    error = capsys.readouterr().err
    assert words in error
    assert error.count("\n") == 1


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(path.name for path in SPLITS.glob("*.json")))
def test_committed_lists_are_what_the_code_makes(spider_home, name):
    method, setting, definition, matched, seed = re.fullmatch(
        r"([a-z]+)_([a-z]+)(?:_(shaw|ours))?(_length_matched)?_(\d+)\.json", name
    ).groups()
    corpus = open_corpus(str(spider_home))
    examples = examples_of(corpus, setting)
    definition = definition or "ours"
    parts, _ = take_apart(examples, corpus.schemas, definition) if method == "tmcd" else ({}, {})
    split = make_split(examples, parts, Options(method, setting, int(seed), definition, bool(matched)))
    lists = json.loads((SPLITS / name).read_text())
    assert lists == {part: [one.id for one in split[part]] for part in PARTS}
    assert (SPLITS / name).stat().st_size < 200_000


def test_the_seed_decides():
    examples = [example(i, query(i % 5, i // 5 % 5, i)) for i in range(60)]
    made = [make_split(examples, {}, Options("random", seed=seed)) for seed in (1, 1, 2)]
    assert made[0] == made[1] != made[2]
