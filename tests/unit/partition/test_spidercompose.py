import json
import multiprocessing
import os
import random
import subprocess
import sys
from functools import cache

import pytest

from lib.cli import main
from lib.corpora import open_corpus
from lib.datasets import (
    PARTS,
    names_of,
    read_manifest,
    read_names,
    read_part,
    read_queries,
    whole_queries,
)
from lib.errors import CorpusError, ParameterError
from lib.files import sha256
from lib.models.linearise import linearise, read
from lib.models.names import is_unknown_alias
from lib.partition.ablation import ablate, unseen_queries
from lib.partition.leakage import clause_keys
from lib.partition.spidercompose import Options, _flagged, _Tally, build
from lib.records import Pair

TABLES = [
    {
        "db_id": "zoo",
        "table_names": ["keeper"],
        "table_names_original": ["keeper"],
        "column_names": [[-1, "*"], [0, "name"], [0, "age"], [0, "city"]],
        "column_names_original": [[-1, "*"], [0, "name"], [0, "age"], [0, "city"]],
        "column_types": ["text", "text", "number", "text"],
        "primary_keys": [],
        "foreign_keys": [],
    }
]
TWO = ("Which names do keepers over 30 have ?", "SELECT name FROM keeper WHERE age > 30")
THREE = (
    "Give the names of keepers over 30 , sorted by city .",
    "SELECT name FROM keeper WHERE age > 30 ORDER BY city",
)


def write_corpus(folder, train, dev):
    folder.mkdir()
    (folder / "tables.json").write_text(json.dumps(TABLES))
    for source, rows in (("train", train), ("dev", dev)):
        records = [{"db_id": "zoo", "question": question, "query": query} for question, query in rows]
        (folder / f"{source}.json").write_text(json.dumps(records))
    return folder


@pytest.fixture
def corpus(tmp_path):
    return write_corpus(tmp_path / "corpus", [TWO, THREE], [TWO, THREE])


def make(corpus, out, jobs=1, **options):
    return build(open_corpus(str(corpus)), out, Options(**options), jobs)


def test_parts_and_counts(corpus, tmp_path):
    manifest = make(corpus, tmp_path / "out")
    assert manifest["pairs"] == {"train": 2 * (3 + 6), "validation": 1, "test": 1}
    assert manifest["pairs_by_clauses"]["train"] == {"1": 10, "2": 8}
    (test,) = read_part(tmp_path / "out", "test")
    assert (test.example_id, test.text) == ("dev-00001", THREE[0])
    assert manifest == read_manifest(tmp_path / "out")


def test_repeated_pairs_name_the_first(corpus, tmp_path):
    make(corpus, tmp_path / "out")
    train = {pair.id: pair for pair in read_part(tmp_path / "out", "train")}
    flags = train["dev-00000:SELECT+WHERE"].flags
    assert flags["duplicate_of"] == "train-00000:SELECT+WHERE"
    assert "duplicate_of" not in train["train-00000:SELECT+WHERE"].flags


def test_deduplicated(corpus, tmp_path):
    manifest = make(corpus, tmp_path / "out", deduplicate=True)
    train = read_part(tmp_path / "out", "train")
    assert len({(pair.sql, pair.text) for pair in train}) == len(train)
    assert manifest["pairs"]["train"] + sum(manifest["left_out"].values()) == 18


def test_clean_has_no_training_pair_of_a_test_question(corpus, tmp_path):
    manifest = make(corpus, tmp_path / "out", variant="clean")
    train, test = (read_part(tmp_path / "out", part) for part in ("train", "test"))
    assert not {pair.example_id for pair in train} & {pair.example_id for pair in test}
    assert manifest["leakage"]["test"]["same_question"] == 0
    assert manifest["left_out"] == {"from a test question": 6}
    assert manifest["evidence"]["test"] == {"clauses": 3, "in_database": 3, "anywhere": 3, "without": 0}


def test_broken_records_are_set_aside_and_listed(corpus, tmp_path):
    records = json.loads((corpus / "train.json").read_text())
    (corpus / "train.json").write_text(json.dumps([{"db_id": "zoo"}, *records]))
    manifest = make(corpus, tmp_path / "out")
    assert manifest["corpus"]["examples"] == {"train": 2, "dev": 2}
    (line,) = manifest["corpus"]["set_aside"]
    assert "train.json, record 0" in line


@pytest.mark.parametrize(
    ("option", "message"), [({"variant": "papre"}, "'paper'"), ({"aligner": "viterbo"}, "'viterbi'")]
)
def test_unknown_options(option, message):
    with pytest.raises(ParameterError, match=message):
        Options(**option)


def test_a_failed_build_leaves_the_old_dataset(corpus, tmp_path):
    out = tmp_path / "out"
    make(corpus, out)
    before = {path.name: path.read_bytes() for path in out.iterdir()}

    def fail_late(examples):
        yield next(iter(examples))
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        build(open_corpus(str(corpus)), out, Options(), 1, fail_late)
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("manifest.json", '{"sha256": {}, "epochs": 3}'),  # of a training run
        ("manifest.json", "[]"),
        ("manifest.json", "{"),
        ("manifest.json", '["dataset"]'),
        ("train.jsonl", '{"prompt": "mine"}\n'),
        ("names.json", "{}"),
        ("ids.json", "{}"),
    ],
)
@pytest.mark.parametrize("command", ["build", "ablate", "splits"])
def test_other_files_are_not_replaced(corpus, tmp_path, name, content, command):
    make(corpus, tmp_path / "data")
    out = tmp_path / "mine"
    out.mkdir()
    (out / name).write_text(content)
    options = {
        "build": ["--corpus", str(corpus)],
        "ablate": ["--data", str(tmp_path / "data")],
        "splits": ["--corpus", str(corpus), "--method", "original"],
    }
    assert main([command, *options[command], "--out", str(out)]) == 2
    assert {path.name: path.read_text() for path in out.iterdir()} == {name: content}


def test_a_dataset_is_replaced_whole(corpus, tmp_path):
    assert main(["splits", "--corpus", str(corpus), "--method", "original", "--out", str(tmp_path / "out")]) == 0
    assert (tmp_path / "out" / "ids.json").exists()
    make(corpus, tmp_path / "out")
    assert not (tmp_path / "out" / "ids.json").exists(), "ids of another dataset"
    (tmp_path / "out" / "manifest.json").unlink()  # as when it was interrupted
    (tmp_path / "out" / "ids.json").write_text("{}")
    make(corpus, tmp_path / "out")
    assert not (tmp_path / "out" / "ids.json").exists()


def test_processes_end_when_writing_fails(corpus, tmp_path, monkeypatch):
    def full(pair):
        raise OSError("disk full")

    monkeypatch.setattr("lib.partition.spidercompose.dump_line", full)
    with pytest.raises(OSError, match="disk full") as caught:  # its frames keep alive what was not closed
        make(corpus, tmp_path / "out", jobs=2)
    assert caught
    assert multiprocessing.active_children() == []


def test_ablation_rewrites_training_and_manifest(corpus, tmp_path):
    make(corpus, tmp_path / "out")
    for by in ("text", "control-text"):
        manifest = ablate(tmp_path / "out", tmp_path / by, by)
        train = read_part(tmp_path / by, "train")
        assert manifest["pairs"]["train"] == len(train) == manifest["ablation"]["kept"]
    banned = {key for pair in read_part(tmp_path / "out", "test") for key in clause_keys(pair)}
    assert not any(banned & set(clause_keys(pair)) for pair in read_part(tmp_path / "text", "train"))
    assert sha256(tmp_path / "text" / "test.jsonl") == sha256(tmp_path / "out" / "test.jsonl")


def _of_queries(count: int, questions: int = 2) -> tuple[list[Pair], list[Pair], dict[str, str]]:
    """Training and validation pairs of some queries, and the whole query of each of their questions."""
    names = [(query, f"{query}-{question}") for query in range(count) for question in range(questions)]
    wholes = {name: f"SELECT {query}" for query, name in names}
    parts = [
        [Pair(f"{name}:{n}", name, "zoo", ("SELECT",) * n, sql, "one", n, "train", {}) for name, sql in wholes.items()]
        for n in (1, 2, 3)
    ]
    return parts[0] + parts[1], parts[2], wholes


def test_queries_of_validation_can_be_made_unseen():
    train, validation, wholes = _of_queries(9)
    kept, chosen = unseen_queries(train, validation, wholes, random.Random(1))
    assert len(chosen) == 4 * 2  # all questions of four queries
    assert len(kept) == 2 * 5 * 2
    assert not {wholes[pair.example_id] for pair in kept} & {wholes[pair.example_id] for pair in chosen}
    assert unseen_queries(train, validation, wholes, random.Random(1)) == (kept, chosen)
    assert unseen_queries(train, validation, wholes, random.Random(3)) != (kept, chosen)


def test_unseen_queries_are_written(spider_dataset, tmp_path):
    folder, _ = spider_dataset
    manifest = ablate(folder, tmp_path / "unseen", "unseen-validation")
    train, validation = (read_part(tmp_path / "unseen", part) for part in ("train", "validation"))
    wholes = whole_queries(read_part(folder, "train") + read_part(folder, "validation") + read_part(folder, "test"))
    assert len({(pair.db_id, wholes[pair.example_id].lower()) for pair in validation}) == 250
    seen = {(pair.db_id, " ".join(wholes[pair.example_id].lower().split())) for pair in train}
    assert not any((p.db_id, " ".join(wholes[p.example_id].lower().split())) in seen for p in validation)
    assert manifest["pairs"] == {"train": len(train), "validation": len(validation), "test": 200}
    assert manifest["ablation"]["removed"] == len(read_part(folder, "train")) - len(train)
    assert manifest["ablation"]["validation"] == len(validation)
    assert all_unresolved(tmp_path / "unseen") == 0


def test_a_dataset_whose_validation_cannot_be_made_unseen(corpus, tmp_path):
    make(corpus, tmp_path / "out")  # one validation query
    with pytest.raises(CorpusError, match="no validation query with training pairs, or one alone"):
        ablate(tmp_path / "out", tmp_path / "unseen", "unseen-validation")
    assert not (tmp_path / "unseen").exists()


def test_names_come_along(corpus, tmp_path):
    schemas = open_corpus(str(corpus)).schemas
    manifest = make(corpus, tmp_path / "out")
    assert read_names(tmp_path / "out") == {"zoo": names_of(schemas["zoo"])}
    assert manifest["sha256"]["names.json"] == sha256(tmp_path / "out" / "names.json")
    ablated = ablate(tmp_path / "out", tmp_path / "text", "text")
    assert ablated["sha256"]["names.json"] == manifest["sha256"]["names.json"]
    (tmp_path / "out" / "names.json").unlink()  # an older dataset
    assert "names.json" not in ablate(tmp_path / "out", tmp_path / "text", "text")["sha256"]


def test_whole_queries_that_are_taken_away_are_kept_aside(tmp_path):
    other = ("Show the age and name of keepers over 30 .", "SELECT age FROM keeper WHERE age > 30")
    corpus = write_corpus(tmp_path / "corpus", [TWO, other, TWO], [TWO, THREE])
    out = tmp_path / "out"
    assert "queries.json" not in make(corpus, out)["sha256"]
    manifest = ablate(out, tmp_path / "text", "text")
    assert read_queries(tmp_path / "text") == {"train-00001": other[1]}  # its SELECT alone is left
    assert manifest["sha256"]["queries.json"] == sha256(tmp_path / "text" / "queries.json")
    ablate(tmp_path / "text", tmp_path / "again", "text")
    assert read_queries(tmp_path / "again") == read_queries(tmp_path / "text")
    make(corpus, tmp_path / "text")  # no file of another dataset stays
    assert read_queries(tmp_path / "text") == {}


def test_deduplication_keeps_whole_queries_aside():
    def pair(example_id, sql, text, size):
        return Pair(f"{example_id}:{size}", example_id, "zoo", ("SELECT",), sql, text, size, "train", {})

    pairs = [
        pair("a", "SELECT name FROM keeper WHERE age > 30", "names over 30", 2),
        pair("b", "WHERE age > 30", "above 30", 1),
        pair("b", "SELECT name FROM keeper WHERE age > 30", "names over 30", 2),  # its whole query, that of a again
        pair("c", "WHERE age > 30", "above 30", 1),  # that of b again
        pair("c", "SELECT name FROM keeper WHERE age > 30", "who is above 30", 2),
    ]
    tally = _Tally()
    kept = list(_flagged(iter(pairs), Options(deduplicate=True), tally))
    assert [pair.id for pair in kept] == ["a:2", "b:1", "c:2"]
    assert tally.queries == {"b": pairs[2].sql}


def test_ablation_into_itself_is_refused(corpus, tmp_path):
    make(corpus, tmp_path / "out")
    with pytest.raises(ParameterError, match="must differ"):
        ablate(tmp_path / "out", tmp_path / "out" / ".." / "out")


@pytest.fixture(scope="module")
def spider_dataset(spider_home, tmp_path_factory):
    folder = tmp_path_factory.mktemp("spider") / "paper"
    return folder, make(spider_home, folder, jobs=2)


def test_sizes_of_spider_are_the_papers(spider_dataset):
    _, manifest = spider_dataset
    assert manifest["pairs"] == {"train": 26_258, "validation": 1_584, "test": 200}
    assert manifest["paper"]["train"]["difference"] == 549
    assert manifest["paper"]["validation"]["difference"] == manifest["paper"]["test"]["difference"] == 0


def test_experiment_2_of_spider_removes_what_the_design_counted(spider_dataset, tmp_path):
    folder, _ = spider_dataset
    assert ablate(folder, tmp_path / "text", "text")["ablation"]["removed"] == 3_351
    assert ablate(folder, tmp_path / "database", "database")["ablation"]["removed"] == 1_352


def test_same_bytes_for_any_hash_seed_and_number_of_processes(spider_home, spider_dataset, tmp_path):
    folder, _ = spider_dataset
    out = tmp_path / "other"
    command = [sys.executable, "-m", "lib.cli", "build", "--corpus", str(spider_home), "--out", str(out), "--jobs", "1"]
    subprocess.run(command, check=True, capture_output=True, env=os.environ | {"PYTHONHASHSEED": "1"})
    for name in (*(f"{part}.jsonl" for part in PARTS), "names.json", "manifest.json"):
        assert (out / name).read_bytes() == (folder / name).read_bytes(), name


@cache  # most pairs are in all of the datasets
def unresolved(sql: str, whole: str) -> int:
    """Aliases in SQL, values aside, that vanish or stay as they are."""
    tokens = ["'x'" if token.kind in ("string", "quoted") else token.text for token in read(sql)]
    said = linearise(" ".join(tokens), whole)
    return tokens.count(".") - said.count(".") + sum(map(is_unknown_alias, said))


def all_unresolved(folder, with_queries: bool = True) -> int:
    pairs = [pair for part in PARTS for pair in read_part(folder, part)]
    wholes = whole_queries(pairs) | (read_queries(folder) if with_queries else {})
    return sum(unresolved(*key) for key in {(pair.sql, wholes[pair.example_id]) for pair in pairs})


@pytest.mark.parametrize("variant", ["paper", "clean"])
def test_no_alias_of_spider_is_lost(variant, spider_home, spider_dataset, tmp_path):
    folder, _ = spider_dataset
    if variant == "clean":
        folder = tmp_path / variant
        make(spider_home, folder, jobs=2, variant=variant)
    assert all_unresolved(folder) == 0
    for by in ("text", "control-text"):
        ablate(folder, tmp_path / by, by)
        assert all_unresolved(tmp_path / by) == 0
    assert all_unresolved(tmp_path / "text", with_queries=False) > 0
