import json

import pytest

from lib.datasets import as_record, read_manifest, read_pairs, read_part, write_part
from lib.errors import CorpusError, ParameterError, RecordError
from lib.records import Pair

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
        ("{", "record 1: not JSON"),
        ("[]", "record 1: expected an object, found list"),
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
