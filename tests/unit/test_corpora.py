"""Corpora: what is read, what is set aside and why, and what it costs."""

import json
import os
import random
import re
import sqlite3
import time
import tracemalloc
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lib import corpora, json_stream
from lib.corpora import open_corpus
from lib.defects import defects
from lib.errors import CorpusError, ParameterError, RecordError
from lib.json_stream import read_list
from lib.tokens import tokenize
from lib.versions import JUNE_2020, fingerprint, version

SCHEMA = {
    "db_id": "harbour",
    "table_names_original": ["Ship", "Voyage"],
    "table_names": ["ship", "voyage"],
    "column_names_original": [[-1, "*"], [0, "ShipID"], [0, "Name"], [1, "ShipID"], [1, "Tons"]],
    "column_names": [[-1, "*"], [0, "ship id"], [0, "Name"], [1, "ship id"], [1, "tons"]],
    "column_types": ["text", "number", "text", "number", "text"],
    "primary_keys": [1],
    "foreign_keys": [[3, 1]],
}
RECORD = {"db_id": "harbour", "question": "How many ferries sail?", "query": "SELECT count(*) FROM Ship"}


def write(folder: Path, dev=(RECORD,), train=(), tables=(SCHEMA,)) -> str:
    for name, content in (("tables.json", tables), ("train.json", train), ("dev.json", dev)):
        text = content if isinstance(content, str) else json.dumps(list(content))
        (folder / name).write_text(text, encoding="utf-8")
    return str(folder)


def read_dev(folder: Path, dev) -> tuple[list, list[str]]:
    corpus = open_corpus(write(folder, dev))
    examples = list(corpus.examples("dev"))
    return examples, [str(problem) for problem in corpus.problems]


# What is read


def test_schema_leaves_the_star_out(tmp_path):
    schema = open_corpus(write(tmp_path)).schemas["harbour"]
    assert schema.tables == ("Ship", "Voyage")
    assert [(column.table, column.name, column.natural, column.type) for column in schema.columns] == [
        (0, "ShipID", "ship id", "number"),
        (0, "Name", "name", "text"),
        (1, "ShipID", "ship id", "number"),
        (1, "Tons", "tons", "text"),
    ]
    assert (schema.primary_keys, schema.foreign_keys) == ((0,), ((2, 0),))


def test_names_that_people_say_may_be_missing_or_out_of_step(tmp_path):
    plain = {key: value for key, value in SCHEMA.items() if key not in ("column_names", "table_names", "column_types")}
    shuffled = SCHEMA | {"db_id": "b", "column_names": [[-1, "*"], [0, "ship id"], [1, "x"], [1, "ship id"], [0, "y"]]}
    schemas = open_corpus(write(tmp_path, tables=[plain, shuffled])).schemas
    assert [column.natural for column in schemas["harbour"].columns] == ["ship id", "name", "ship id", "tons"]
    assert [column.natural for column in schemas["b"].columns] == ["ship id", "name", "ship id", "tons"]


def test_keys_of_several_columns(tmp_path):
    schemas = open_corpus(write(tmp_path, tables=[SCHEMA | {"primary_keys": [[1, 2], 4]}])).schemas
    assert schemas["harbour"].primary_keys == (0, 1, 3)


def test_examples_carry_source_and_index(tmp_path):
    examples, problems = read_dev(tmp_path, [RECORD, RECORD | {"question": ""}, RECORD])
    assert [example.id for example in examples] == ["dev-00000", "dev-00002"]
    assert problems == ["dev.json, record 1: 'question' is empty"]


def test_own_tokens_are_used_where_sound(tmp_path):
    own = ["How", "many", "ships"]
    bad = [["a", ""], "How many", [1], [], ["a", "\ud800"], None]
    dev = [RECORD | {"question_toks": own}, RECORD, *(RECORD | {"question_toks": tokens} for tokens in bad)]
    corpus = open_corpus(write(tmp_path, dev))
    examples = list(corpus.examples("dev"))
    assert examples[0].tokens == tuple(own)
    assert {example.tokens for example in examples[1:]} == {tokenize(RECORD["question"])}
    assert [note.record for note in corpus.notes] == [2, 3, 4, 5, 6, 7]
    list(corpus.examples("dev"))
    assert len(corpus.notes) == len(bad), "each once, however often it is read"


@pytest.mark.parametrize("names", [["train.json"], ["train_spider.json"], ["train_spider.json", "train.json"]])
def test_names_of_the_train_file(tmp_path, names):
    folder = write(tmp_path)
    (tmp_path / "train.json").unlink()
    for number, name in enumerate(names, start=1):
        (tmp_path / name).write_text(json.dumps([RECORD] * number))
    (tmp_path / "train_others.json").write_text(json.dumps([RECORD] * 5))
    assert len(list(open_corpus(folder).examples("train"))) == 1, "the first name counts, train_others.json never"


def test_byte_order_mark_and_windows_line_ends(tmp_path):
    folder = write(tmp_path)
    text = json.dumps([RECORD] * 3, indent=1).replace("\n", "\r\n")
    (tmp_path / "dev.json").write_bytes(b"\xef\xbb\xbf" + text.encode())
    assert len(list(open_corpus(folder).examples("dev"))) == 3


def test_database_is_found_and_names_lead_nowhere_else(tmp_path):
    corpus = open_corpus(write(tmp_path))
    assert corpus.database("harbour") is None
    path = tmp_path / "database/harbour/harbour.sqlite"
    path.parent.mkdir(parents=True)
    path.touch()
    assert corpus.database("harbour") == path
    for name in ("../x", "/etc/passwd", "harbor", ""):
        with pytest.raises(CorpusError, match="unknown database"):
            corpus.database(name)


def test_unknown_source(tmp_path):
    with pytest.raises(ParameterError, match="did you mean 'train'"):
        open_corpus(write(tmp_path)).file("trian")


# What is set aside

FAULTS = {
    "no object": (7, "expected an object, found int"),
    "null": (None, "expected an object, found NoneType"),
    "list": ([1], "expected an object, found list"),
    "no question": ({"db_id": "harbour", "query": "SELECT 1"}, "'question' is missing"),
    "no query": ({"db_id": "harbour", "question": "a"}, "'query' is missing"),
    "no database": ({"question": "a", "query": "SELECT 1"}, "'db_id' is missing"),
    "unknown database": (RECORD | {"db_id": "x"}, "unknown database 'x'"),
    "path for a database": (RECORD | {"db_id": "../harbour"}, "unknown database '../harbour'"),
    "database of another type": (RECORD | {"db_id": ["harbour"]}, "'db_id' must be a text, not list"),
    "empty question": (RECORD | {"question": " \n"}, "'question' is empty"),
    "question of another type": (RECORD | {"question": 5}, "'question' must be a text, not int"),
    "query of another type": (RECORD | {"query": {"select": 1}}, "'query' must be a text, not dict"),
    "NUL": (RECORD | {"question": "a\0b"}, r"'question' holds the unreadable character '\x00'"),
    "half a character": (RECORD | {"question": "a\ud83d"}, r"the unreadable character '\ud83d'"),
    "endless question": (RECORD | {"question": "a" * 10_001}, "'question' has 10,001 characters"),
    "endless query": (RECORD | {"query": "SELECT " + "a" * 100_000}, "'query' has 100,007 characters"),
    "no SQL": (RECORD | {"query": "hello"}, "'query' cannot be split: not a query"),
    "two statements": (RECORD | {"query": "SELECT 1; SELECT 2"}, "more than one statement"),
    "unclosed": (RECORD | {"query": "SELECT 'a"}, "an unclosed literal"),
}


@pytest.mark.parametrize(("record", "reason"), list(FAULTS.values()), ids=FAULTS)
def test_broken_record_is_set_aside_and_the_rest_goes_on(tmp_path, record, reason):
    examples, problems = read_dev(tmp_path, [RECORD, record, RECORD])
    assert len(examples) == 2
    assert len(problems) == 1
    assert problems[0].startswith("dev.json, record 1: ")
    assert reason in problems[0]
    assert "\n" not in problems[0]


@pytest.mark.parametrize("record", [record for record, _ in FAULTS.values()], ids=FAULTS)
def test_strict_makes_it_fatal(tmp_path, record):
    corpus = open_corpus(write(tmp_path, [RECORD, record]), strict=True)
    with pytest.raises(RecordError, match=r"dev\.json, record 1: "):
        list(corpus.examples("dev"))


def test_key_that_stands_twice(tmp_path):
    doubled = json.dumps(RECORD)[:-1] + ', "query": "SELECT 2"}'
    examples, problems = read_dev(tmp_path, f"[{json.dumps(RECORD)}, {doubled}]")
    assert (len(examples), problems) == (1, ["dev.json, record 1: a key stands twice"])


def test_byte_that_is_not_utf8_spoils_one_record(tmp_path):
    folder = write(tmp_path)
    broken = json.dumps(RECORD | {"question": "gr@n"}).encode().replace(b"@", b"\xfc")
    (tmp_path / "dev.json").write_bytes(b"[" + json.dumps(RECORD).encode() + b"," + broken + b"]")
    corpus = open_corpus(folder)
    assert len(list(corpus.examples("dev"))) == 1
    assert "unreadable character" in str(corpus.problems[0])


BROKEN_SCHEMAS = {
    "no object": ([], "expected an object"),
    "no name": ({**SCHEMA, "db_id": None}, "'db_id' holds None"),
    "name of another type": ({**SCHEMA, "db_id": 5}, "'db_id' holds 5"),
    "name that leads out": ({**SCHEMA, "db_id": "../harbour"}, "cannot name a folder"),
    "hidden name": ({**SCHEMA, "db_id": ".git"}, "cannot name a folder"),
    "no tables": ({**SCHEMA, "table_names_original": []}, "'table_names_original' is empty"),
    "tables of another type": ({**SCHEMA, "table_names_original": "Ship"}, "must be a list, not str"),
    "columns missing": ({k: v for k, v in SCHEMA.items() if k != "column_names_original"}, "is missing"),
    "column of no table": ({**SCHEMA, "column_names_original": [[9, "a"]]}, "no table has the index 9"),
    "column is no pair": ({**SCHEMA, "column_names_original": ["a"]}, "expected [table index, name]"),
    "index is true": ({**SCHEMA, "column_names_original": [[True, "a"]]}, "no table has the index True"),
    "only a star": ({**SCHEMA, "column_names_original": [[-1, "*"]]}, "holds no column"),
    "too few types": ({**SCHEMA, "column_types": ["text"]}, "must hold 5 texts"),
    "key out of range": ({**SCHEMA, "primary_keys": [99]}, "'primary_keys' holds 99"),
    "key is the star": ({**SCHEMA, "primary_keys": [0]}, "'primary_keys' holds 0"),
    "foreign key of three": ({**SCHEMA, "foreign_keys": [[1, 2, 3]]}, "expected two indices"),
    "foreign key of another type": ({**SCHEMA, "foreign_keys": [["a", "b"]]}, "'foreign_keys' holds 'a'"),
}


@pytest.mark.parametrize(("schema", "reason"), list(BROKEN_SCHEMAS.values()), ids=BROKEN_SCHEMAS)
def test_broken_schema_is_a_problem_and_so_are_its_examples(tmp_path, schema, reason):
    other = SCHEMA | {"db_id": "other"}
    corpus = open_corpus(write(tmp_path, [RECORD, RECORD | {"db_id": "other"}], tables=[schema, other]))
    assert list(corpus.schemas) == ["other"]
    assert reason in str(corpus.problems[0])
    assert str(corpus.problems[0]).startswith("tables.json, record 0: ")
    assert [example.db_id for example in corpus.examples("dev")] == ["other"]
    assert "database 'harbour'" in str(corpus.problems[1])


def test_database_that_stands_twice(tmp_path):
    corpus = open_corpus(write(tmp_path, tables=[SCHEMA, SCHEMA | {"primary_keys": []}]))
    assert corpus.schemas["harbour"].primary_keys == (0,)
    assert "stands twice; the first one is kept" in str(corpus.problems[0])
    assert len(list(corpus.examples("dev"))) == 1


# Files that are no JSON lists

BROKEN_FILES = {
    "empty": ("", "is empty"),
    "blank": (" \n", "is empty"),
    "object": ('{"a": 1}', "holds no JSON list: it starts with '{'"),
    "lines of objects": ('{"a": 1}\n{"a": 2}', "holds no JSON list"),
    "cut in a text": ('[\n{"db_id": "har', r"line 2, column 11; 0 records"),
    "cut between": ("[[1],\n [2],", r"line 2, column 6; 2 records"),
    "cut behind a value": ("[1\n", r"the file ends inside the list at line 2, column 1; 1 records"),
    "no comma": ("[1\n 2]", r"expected ',' or '\]', found '2' at line 2, column 2; 1 records"),
    "comma at the end": ("[1,]", "1 records before it"),
    "text behind": ("[1] x", "text behind the end of the list at line 1, column 5"),
    "comment": ("[1, // x\n 2]", "is not JSON"),
    "too deep": ("[" * 100_000, "is not JSON"),
    "endless number": ("[" + "1" * 10_000 + "]", "is not JSON"),
    "another encoding": ("\ufffe[\0", "holds no JSON list"),
}


@pytest.mark.parametrize(("text", "message"), list(BROKEN_FILES.values()), ids=BROKEN_FILES)
def test_file_that_is_no_list(tmp_path, text, message):
    corpus = open_corpus(write(tmp_path, text))
    with pytest.raises(CorpusError, match=message) as caught:
        list(corpus.examples("dev"))
    assert "dev.json" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_records_before_the_break_are_yielded(tmp_path):
    text = json.dumps([RECORD] * 3)[:-1] + ", {]"
    corpus, seen = open_corpus(write(tmp_path, text)), []
    with pytest.raises(CorpusError, match="3 records before it were read well"):
        seen.extend(corpus.examples("dev"))
    assert len(seen) == 3


@pytest.mark.parametrize("make", [Path.mkdir, lambda path: path.symlink_to(path.name), lambda path: None])
def test_file_that_cannot_be_opened(tmp_path, make):
    folder = write(tmp_path)
    (tmp_path / "dev.json").unlink()
    make(tmp_path / "dev.json")
    with pytest.raises(CorpusError, match=r"cannot read|has no dev examples"):
        list(open_corpus(folder).examples("dev"))


def test_corpus_that_is_not_there(tmp_path, monkeypatch):
    monkeypatch.setenv("SPIDER_HOME", str(tmp_path / "none"))
    with pytest.raises(CorpusError, match="SPIDER_HOME names"):
        open_corpus("spider")
    with pytest.raises(CorpusError, match=r"tables\.json"):
        open_corpus(str(tmp_path))


# The stream

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(VALUES, max_size=8), st.integers(1, 40), st.sampled_from([None, 1, "\t"]), st.booleans())
def test_stream_reads_what_json_reads(tmp_path, values, chunk, indent, ascii_only):
    (tmp_path / "a.json").write_text(json.dumps(values, indent=indent, ensure_ascii=ascii_only), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_stream, "CHUNK", chunk)
        assert list(read_list(tmp_path / "a.json")) == values


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(VALUES, max_size=4), st.integers(0, 60), st.sampled_from('[]{},"x1 '), st.integers(1, 20))
def test_stream_refuses_what_json_refuses(tmp_path, values, place, letter, chunk):
    text = json.dumps(values)
    text = text[:place] + letter + text[place + 1 :]
    (tmp_path / "a.json").write_text(text, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_stream, "CHUNK", chunk)
        assert read_or_none(lambda: list(read_list(tmp_path / "a.json"))) == read_or_none(lambda: as_list(text))


def as_list(text: str) -> list:
    value = json.loads(text)
    if not isinstance(value, list):
        raise CorpusError("no list")
    return value


def read_or_none(reader):
    try:
        return reader()
    except (CorpusError, ValueError):
        return None


@pytest.mark.parametrize("chunk", [1, 7, 64, 1 << 18])
def test_place_of_an_error_does_not_depend_on_the_chunks(tmp_path, monkeypatch, chunk):
    monkeypatch.setattr(json_stream, "CHUNK", chunk)
    (tmp_path / "a.json").write_text('[\n {"a": "é"},\n\n {"b": 2} x\n]', encoding="utf-8")
    with pytest.raises(CorpusError, match="found 'x' at line 4, column 11; 2 records"):
        list(read_list(tmp_path / "a.json"))


def test_memory_does_not_grow_with_the_file(tmp_path):
    def peak(copies: int) -> int:
        text = json.dumps([RECORD | {"question": f"How many ships of {n}?"} for n in range(400)])
        folder = tmp_path / str(copies)
        folder.mkdir()
        corpus = open_corpus(write(folder, "[" + ",".join([text[1:-1]] * copies) + "]"))
        tracemalloc.start()
        assert sum(1 for _ in corpus.examples("dev")) == 400 * copies
        size = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return size

    peak(1)  # warms caches up
    small, large = peak(10), peak(60)
    assert large < 1.5 * small + 200_000, "bytes"


def test_reading_spider_is_about_as_quick_as_json(spider_home):
    path = spider_home / "dev.json"

    def best(read) -> float:
        times = []
        for _ in range(5):
            start = time.process_time()
            assert read() == 1034
            times.append(time.process_time() - start)
        return min(times)

    whole = best(lambda: len(json.loads(path.read_text(encoding="utf-8"))))
    assert best(lambda: sum(1 for _ in read_list(path))) < 3 * whole + 0.02


# Notes and versions


def test_defects_tell_of_odd_records_that_are_kept(tmp_path):
    queries = [
        "SELECT a FROM Shipp",
        "SELECT T1.Name FROM Ship UNION SELECT T1.Name FROM Ship AS T1",
        "SELECT Name FROM Ship ORDER BY",
        "SELECT ShipID FROM Voyage ORDER BY Tons DESC LIMIT 1",
        "SELECT min(T2.Tons) FROM Ship AS T1 JOIN Voyage AS T2 ON T1.ShipID = T2.ShipID",
        "SELECT Name FROM Ship ORDER BY Name",
        "WITH s AS (SELECT Name FROM Ship) SELECT Name FROM s",
    ]
    folder = write(tmp_path, [RECORD | {"query": query} for query in queries])
    path = tmp_path / "database/harbour/harbour.sqlite"
    path.parent.mkdir(parents=True)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE Ship (ShipID INTEGER, Name TEXT)")
        connection.execute("CREATE TABLE Voyage (ShipID INTEGER, Tons TEXT)")
        connection.executemany("INSERT INTO Ship VALUES (?, ?)", [(1, "Ada"), (2, "Bea")])
        connection.executemany("INSERT INTO Voyage VALUES (?, ?)", [(1, "9"), (1, "80"), (2, "700"), (2, "null")])
    corpus = open_corpus(folder)
    found = {note.record: note.text for note in defects(corpus, "dev")}
    assert corpus.problems == []
    assert found[0] == "table shipp is not in tables.json"
    assert "no table is called T1" in found[1]
    assert "a parser cannot read it" in found[2]
    assert re.search(r"Tons of Voyage holds numbers as text \(and 'null'\): its order is lexicographic", found[3])
    assert "Tons of Voyage" in found[4]
    assert set(found) == {0, 1, 2, 3, 4}


def test_years_as_text_are_no_defect(tmp_path):
    folder = write(tmp_path, [RECORD | {"query": "SELECT ShipID FROM Voyage ORDER BY Tons"}])
    path = tmp_path / "database/harbour/harbour.sqlite"
    path.parent.mkdir(parents=True)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE Voyage (ShipID INTEGER, Tons TEXT)")
        connection.executemany("INSERT INTO Voyage VALUES (1, ?)", [("1999",), ("2001",)])
    assert list(defects(open_corpus(folder), "dev")) == []


def test_damaged_database_stops_nothing(tmp_path):
    folder = write(tmp_path, [RECORD | {"query": "SELECT ShipID FROM Voyage ORDER BY Tons"}])
    path = tmp_path / "database/harbour/harbour.sqlite"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"no database" * 100)
    assert list(defects(open_corpus(folder), "dev")) == []


def test_spider_has_the_facts_of_its_version(spider_home):
    corpus = open_corpus(str(spider_home))
    for source, known in JUNE_2020.items():
        found = fingerprint(corpus.examples(source))
        assert found == known
        assert version(source, found) == f"{source}: Spider's version of 7 June 2020"
    assert corpus.problems == []
    assert len(corpus.schemas) == 166


def test_builtin_corpus_is_sound_and_is_not_spider():
    corpus = open_corpus("builtin")
    for source in corpora.SOURCES:
        assert version(source, fingerprint(corpus.examples(source))) == ""
    assert (corpus.problems, corpus.notes) == ([], [])


def test_published_data_defects(shared, spider_home, tmp_path):
    cases = {case["id"]: case for case in json.loads((shared / "cases/sql_and_text.json").read_text(encoding="utf-8"))}
    corpus = open_corpus(str(spider_home))

    case = cases["data-missing-table"]
    wanted = squeezed(case["input"]["query"])
    assert any(squeezed(example.query) == wanted for example in corpus.examples("train")), "kept, not set aside"
    (tmp_path / "database").symlink_to(spider_home / "database")
    (tmp_path / "tables.json").symlink_to(spider_home / "tables.json")
    assert notes_of(tmp_path, case["input"]["db"], case["input"]["query"]) == [case["expected"]["parse"]]

    case = cases["data-text-order"]
    texts = notes_of(tmp_path, "car_1", case["input"])
    assert len(texts) == 1
    assert all(word in texts[0].lower() for word in ("horsepower", "text", "null", "lexicographic"))


def notes_of(folder: Path, db_id: str, query: str) -> list[str]:
    (folder / "dev.json").write_text(json.dumps([{"db_id": db_id, "question": "x", "query": query}]))
    return [note.text for note in defects(open_corpus(str(folder)), "dev")]


def test_older_dev_file_is_told(shared, spider_home, tmp_path):
    cases = {case["id"]: case for case in json.loads((shared / "cases/sql_and_text.json").read_text(encoding="utf-8"))}
    old, new = (cases["data-old-dev"]["input"][name] for name in ("old_sql", "new_sql"))
    records = json.loads((spider_home / "dev.json").read_text(encoding="utf-8"))
    same = [record for record in records if squeezed(record["query"]) == squeezed(new)]
    assert same
    same[0]["query"] = old
    (tmp_path / "tables.json").symlink_to(spider_home / "tables.json")
    (tmp_path / "dev.json").write_text(json.dumps(records))
    corpus = open_corpus(str(tmp_path))
    assert "not the version of 7 June 2020" in version("dev", fingerprint(corpus.examples("dev")))


def squeezed(query: str) -> str:
    return re.sub(r"\W+", " ", query.lower()).strip()


def test_order_of_reading_does_not_matter(tmp_path):
    records = [RECORD, RECORD | {"query": ""}, RECORD | {"db_id": "x"}]
    random.Random(4).shuffle(records)
    corpus = open_corpus(write(tmp_path, records, train=records))
    list(corpus.examples("train")), list(corpus.examples("dev")), list(corpus.examples("dev"))
    assert len(corpus.problems) == 4
    assert os.path.basename(corpus.folder) == corpus.name
