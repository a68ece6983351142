"""Files: whole or not at all, the same bytes for the same content, one clear reason when they cannot be read."""

import errno
import json
import os
import stat

import pytest

from lib import files
from lib.errors import CorpusError, RecordError


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_written_file_holds_the_text_and_nothing_is_left_beside_it(tmp_path):
    files.write_text(tmp_path / "new/a.txt", "größe\n")
    assert (tmp_path / "new/a.txt").read_bytes() == "größe\n".encode()
    assert names(tmp_path / "new") == ["a.txt"]


def test_error_while_writing_keeps_the_old_file(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("old")

    def write_half():
        with files.atomic_writer(path) as handle:
            handle.write("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_half()
    assert (path.read_text(), names(tmp_path)) == ("old", ["a.txt"])


def _fail_in(path, meanwhile=lambda: None):
    def write():
        with files.atomic_writer(path):
            meanwhile()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write()


def test_error_while_writing_leaves_no_new_folder(tmp_path):
    _fail_in(tmp_path / "new/inner/a.txt")
    assert names(tmp_path) == []


def test_error_while_writing_leaves_folders_that_were_there_or_are_in_use(tmp_path):
    (tmp_path / "old").mkdir()
    _fail_in(tmp_path / "old/a.txt")
    _fail_in(tmp_path / "new/inner/a.txt", lambda: (tmp_path / "new/other.txt").write_text("mine"))
    assert (names(tmp_path), names(tmp_path / "new")) == (["new", "old"], ["other.txt"])


def test_a_folder_in_the_place_of_the_file_is_said_before_anything_is_written(tmp_path):
    (tmp_path / "a").mkdir()
    with pytest.raises(IsADirectoryError) as error, files.atomic_writer(tmp_path / "a"):
        pytest.fail("the body must not run")
    assert error.value.filename == str(tmp_path / "a")


def test_full_disk_keeps_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "a.txt"
    path.write_text("old")

    def full(_descriptor):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        files.write_text(path, "new")
    assert (path.read_text(), names(tmp_path)) == ("old", ["a.txt"])


@pytest.mark.parametrize("mask", [0o022, 0o077, 0o002])
def test_mode_follows_the_umask(tmp_path, mask):
    before = os.umask(mask)
    try:
        files.write_text(tmp_path / "a", "x")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o666 & ~mask


def test_json_has_the_same_bytes_whatever_the_order_of_keys(tmp_path):
    files.write_json(tmp_path / "a", {"b": 1, "a": ["é"]})
    files.write_json(tmp_path / "b", {"a": ["é"], "b": 1})
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert files.read_json(tmp_path / "a") == {"a": ["é"], "b": 1}


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_numbers_that_json_does_not_know_are_refused(tmp_path, number):
    with pytest.raises(ValueError, match="not JSON compliant"):
        files.write_json(tmp_path / "a", {"x": number})
    assert names(tmp_path) == []


def test_jsonl_round_trip(tmp_path):
    records = [{"b": "a\u2028\nb", "a": 1}, {}]
    assert files.write_jsonl(tmp_path / "a", iter(records)) == 2
    assert list(files.read_jsonl(tmp_path / "a")) == records
    assert (tmp_path / "a").read_text(encoding="utf-8").startswith('{"b"'), "keys keep their order"


@pytest.mark.parametrize(
    ("line", "reason"),
    [("{", "not JSON"), ("[1]", "expected an object, found list"), ("", "not JSON"), ("[" * 100_000, "not JSON")],
)
def test_broken_line_tells_file_and_record(tmp_path, line, reason):
    path = tmp_path / "a.jsonl"
    path.write_text(f"{{}}\n{line}\n{{}}\n")
    with pytest.raises(RecordError, match=rf"a\.jsonl, record 1 \(line 2\): {reason}") as caught:
        list(files.read_jsonl(path))
    assert (caught.value.file, caught.value.record) == ("a.jsonl", 1)


READERS = [files.read_text, files.read_json, lambda path: list(files.read_jsonl(path))]


@pytest.mark.parametrize("read", READERS)
def test_what_cannot_be_read(tmp_path, read):
    (tmp_path / "folder").mkdir()
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "latin").write_bytes(b'{}\n{"a": "gr\xfcn"}')
    reasons = {"none": "No such file", "folder": "Is a directory", "loop": "symbolic links", "latin": "UTF-8 in line 2"}
    for name, reason in reasons.items():
        with pytest.raises(CorpusError, match=reason) as caught:
            read(tmp_path / name)
        assert name in str(caught.value)


def test_json_error_tells_line_and_column(tmp_path):
    (tmp_path / "a.json").write_text('{"a": 1,\n "b" 2}')
    with pytest.raises(CorpusError, match="line 2 column 6"):
        files.read_json(tmp_path / "a.json")


def test_sha256(tmp_path):
    (tmp_path / "a").write_bytes(b"")
    assert files.sha256(tmp_path / "a") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


def test_dumped_line_is_one_line():
    assert "\n" not in files.dump_line({"a": "x\ny"})
    assert json.loads(files.dump_line({"a": "ü"})) == {"a": "ü"}
