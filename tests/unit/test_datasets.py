import json

import pytest

from lib.datasets import (
    Names,
    as_record,
    hashes,
    lost_queries,
    names_of,
    read_manifest,
    read_names,
    read_pairs,
    read_part,
    read_queries,
    whole_queries,
    write_names,
    write_part,
    write_queries,
)
from lib.errors import CorpusError, ParameterError, RecordError
from lib.records import Column, Pair, Schema

PAIR = Pair("dev-1:SELECT", "dev-1", "zoo", ("SELECT",), "SELECT a FROM t", "the ‘a’", 1, "dev", {"duplicate_of": "x"})


def test_round_trip(tmp_path):
    assert write_part(tmp_path, "train", [PAIR, PAIR]) == 2
    assert list(read_pairs(tmp_path / "train.jsonl")) == [PAIR, PAIR]


def test_fields_stand_in_the_order_of_the_record(tmp_path):
    write_part(tmp_path, "test", [PAIR])
    assert list(json.loads((tmp_path / "test.jsonl").read_text(encoding="utf-8"))) == list(Pair.__slots__)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "record 1 \\(line 2\\): not JSON"),
        ("[]", "record 1 \\(line 2\\): expected an object, found list"),
        (json.dumps({"id": 1}), "missing or unknown: .*example_id"),
        (json.dumps(as_record(PAIR) | {"n_clauses": "1"}), "'n_clauses' must be int, not '1'"),
        (json.dumps(as_record(PAIR) | {"extra": 1}), "unknown: extra"),
        (json.dumps(as_record(PAIR) | {"n_clauses": 0}), "out of range"),
        (json.dumps(as_record(PAIR) | {"kinds": [1]}), "out of range"),
    ],
)
def test_broken_lines_name_file_and_record(tmp_path, line, message):
    path = tmp_path / "train.jsonl"
    path.write_text(json.dumps(as_record(PAIR)) + "\n" + line + "\n")
    with pytest.raises(RecordError, match=message) as error:
        list(read_pairs(path))
    assert "train.jsonl" in str(error.value)


def test_a_folder_without_manifest_is_no_dataset(tmp_path):
    with pytest.raises(CorpusError, match="spidercompose build"):
        read_manifest(tmp_path)


@pytest.mark.parametrize("text", ["[]", "null", "7", "nonsense"])
def test_a_broken_manifest_is_no_dataset(tmp_path, text):
    (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(CorpusError, match="manifest"):
        read_manifest(tmp_path)


def test_unknown_part(tmp_path):
    with pytest.raises(ParameterError, match="did you mean 'validation'"):
        read_part(tmp_path, "validaton")


def pair(name: str, size: int, sql: str) -> Pair:
    return Pair(f"{name}:{size}", name, "d", ("SELECT",), sql, "x", size, "dev", {})


def test_whole_queries_are_the_longest():
    found = whole_queries([pair("a", 1, "SELECT 1"), pair("a", 2, "SELECT 1 LIMIT 2"), pair("b", 1, "SELECT 3")])
    assert found == {"a": "SELECT 1 LIMIT 2", "b": "SELECT 3"}


def test_a_query_is_lost_if_parts_of_it_are_left():
    wholes = {"a": "SELECT 1 LIMIT 2", "b": "SELECT 3", "gone": "SELECT 4"}
    assert lost_queries([pair("a", 1, "SELECT 1"), pair("b", 1, "SELECT 3")], wholes) == {"a": "SELECT 1 LIMIT 2"}


def test_names_of_a_schema():
    columns = (Column(1, "StuID", "student id", "number"), Column(0, "nm", "name", "text"))
    names = names_of(Schema("d", ("Pet", "Stu"), ("pet", "student"), columns, (), ()))
    assert names == Names({"pet": "pet", "stu": "student"}, {"pet": {"nm": "name"}, "stu": {"stuid": "student id"}})


def test_names_and_queries_come_back_and_go_if_there_are_none(tmp_path):
    names = {"zoo": Names({"pet": "animal"}, {"pet": {"nm": "Ñame"}}), "ark": Names({}, {})}
    assert (read_names(tmp_path), read_queries(tmp_path), hashes(tmp_path)) == ({}, {}, {})
    write_names(tmp_path, names)
    write_queries(tmp_path, {"dev-1": "SELECT 1"})
    assert (read_names(tmp_path), read_queries(tmp_path)) == (names, {"dev-1": "SELECT 1"})
    assert list(hashes(tmp_path)) == ["names.json", "queries.json"]
    assert (tmp_path / "names.json").read_text(encoding="utf-8").startswith('{"ark":')  # sorted
    write_names(tmp_path, {})
    write_queries(tmp_path, {})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("text", [
    "[]", "7", '{"d":[]}', '{"d":{"tables":{}}}', '{"d":{"tables":{"a":1},"columns":{}}}',
    '{"d":{"tables":{},"columns":{"a":"b"}}}', '{"d":{"tables":{},"columns":{},"more":{}}}', "nonsense",
])  # fmt: skip
def test_broken_names_and_queries_are_named(tmp_path, text):
    for name, read in (("names.json", read_names), ("queries.json", read_queries)):
        (tmp_path / name).write_text(text)
        with pytest.raises(CorpusError, match=name):
            read(tmp_path)
