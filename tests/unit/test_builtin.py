"""The built-in corpus: its promises, and that its generator makes exactly the files that are there."""

import doctest
import os
import re
import sqlite3
import subprocess
import sys
from collections import Counter
from contextlib import closing
from importlib import import_module
from itertools import combinations
from pathlib import Path

import pytest

from lib.files import read_json, read_jsonl
from lib.paths import BUILTIN, ROOT
from lib.splitting import split
from lib.tokens import tokenize

SOURCES = ("train", "dev")
JSON_FILES = ("tables.json", "train.json", "dev.json", "fragments.jsonl", "handwritten.json", "statistics.json")


@pytest.fixture(scope="module")
def records() -> dict[str, dict]:
    return {
        f"{source}-{index:05d}": record
        for source in SOURCES
        for index, record in enumerate(read_json(BUILTIN / f"{source}.json"))
    }


@pytest.fixture(scope="module")
def clauses(records) -> dict[str, list[str]]:
    return {key: [clause.kind for clause in split(record["query"])] for key, record in records.items()}


@pytest.fixture(scope="module")
def fragments() -> dict[str, dict[str, list[int]]]:
    return {line["id"]: line["fragments"] for line in read_jsonl(BUILTIN / "fragments.jsonl")}


@pytest.fixture(scope="module")
def results(records) -> dict[str, list[tuple]]:
    found = {}
    for key, record in records.items():
        with closing(connect(BUILTIN, record["db_id"])) as connection:
            found[key] = connection.execute(record["query"]).fetchmany(2)
    return found


@pytest.fixture(scope="module")
def make():
    """Imports a module of the generator."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT))
        yield lambda name: import_module(f"data.builtin.make.{name}")


def connect(folder: Path, db_id: str) -> sqlite3.Connection:
    return sqlite3.connect(f"file:{folder / 'database' / db_id / f'{db_id}.sqlite'}?mode=ro", uri=True)


def side(items, source: str) -> list:
    return [value for key, value in items.items() if key.startswith(source)]


def plain(question: str) -> str:
    return " ".join(re.findall(r"\w+", question.lower()))


def generate(out: Path, seed: str) -> subprocess.Popen:
    command = [sys.executable, "-m", "data.builtin.make", "--out", str(out)]
    quiet = {"PYTHONHASHSEED": seed, "TQDM_DISABLE": "1"}
    return subprocess.Popen(command, cwd=ROOT, env=os.environ | quiet, stdout=subprocess.DEVNULL)


@pytest.fixture(scope="module")
def generated(tmp_path_factory) -> dict[str, Path]:
    """The corpus made anew under two hash seeds."""
    folders = {seed: tmp_path_factory.mktemp(f"seed{seed}") for seed in ("0", "1")}
    running = [generate(folder, seed) for seed, folder in folders.items()]
    assert [process.wait() for process in running] == [0, 0]
    return folders


@pytest.mark.parametrize("seed", ["0", "1"])
def test_generator_makes_the_committed_corpus(generated, seed):
    out = generated[seed]
    for name in JSON_FILES:
        assert (out / name).read_bytes() == (BUILTIN / name).read_bytes(), name
    databases = sorted(path.name for path in (BUILTIN / "database").iterdir())
    assert databases == sorted(path.name for path in (out / "database").iterdir())
    for db_id in databases:
        with closing(connect(BUILTIN, db_id)) as old, closing(connect(out, db_id)) as new:
            assert list(old.iterdump()) == list(new.iterdump()), db_id


def test_size(records, clauses):
    assert len(records) >= 1800
    per_clauses = Counter(len(kinds) for kinds in clauses.values())
    assert set(per_clauses) == {1, 2, 3, 4}
    assert min(per_clauses.values()) >= 150
    assert sum(path.stat().st_size for path in BUILTIN.rglob("*") if path.is_file()) < 4 * 2**20


@pytest.mark.parametrize(("source", "least"), [("train", 300), ("dev", 150)])
def test_enough_pairs_of_three_or_more_clauses(clauses, source, least):
    subsets = [sub for kinds in side(clauses, source) for n in (3, 4) for sub in combinations(kinds, n)]
    assert len(subsets) >= least


def test_databases_differ_between_the_sides(records):
    train, dev = ({record["db_id"] for record in side(records, source)} for source in SOURCES)
    assert not train & dev
    assert (len(train), len(dev)) == (12, 4)


def test_tables_agree_with_the_databases():
    schemas = read_json(BUILTIN / "tables.json")
    assert len(schemas) == len(list((BUILTIN / "database").iterdir()))
    for schema in schemas:
        lists = ("column_names", "column_names_original", "column_types")
        assert len({len(schema[name]) for name in lists}) == 1
        assert schema["column_names"][0] == schema["column_names_original"][0] == [-1, "*"]
        with closing(connect(BUILTIN, schema["db_id"])) as connection:
            assert stored(connection) == described(schema)


def stored(connection: sqlite3.Connection) -> tuple:
    """Columns, primary keys and foreign keys, as the database has them."""
    names = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY rowid")]
    info = [(name, row) for name in names for row in connection.execute(f"PRAGMA table_info({name})")]
    foreign = {
        (name, row[3], row[2], row[4])
        for name in names
        for row in connection.execute(f"PRAGMA foreign_key_list({name})")
    }
    return [(name, row[1]) for name, row in info], {(name, row[1]) for name, row in info if row[5]}, foreign


def described(schema: dict) -> tuple:
    """The same, as tables.json has them."""
    tables = schema["table_names_original"]
    columns = [(tables[table] if table >= 0 else "", column) for table, column in schema["column_names_original"]]
    foreign = {(*columns[child], *columns[parent]) for child, parent in schema["foreign_keys"]}
    return columns[1:], {columns[index] for index in schema["primary_keys"]}, foreign


def test_main_tables_hold_rows():
    for schema in read_json(BUILTIN / "tables.json"):
        with closing(connect(BUILTIN, schema["db_id"])) as connection:
            counts = [
                connection.execute(f"SELECT count(*) FROM {t}").fetchone()[0] for t in schema["table_names_original"]
            ]
        assert sum(count >= 30 for count in counts) >= 2, schema["db_id"]
        assert max(counts) <= 150, schema["db_id"]


def test_queries_give_rows(results):
    telling = [rows for rows in results.values() if len(rows) > 1 or (rows and any(rows[0]))]
    assert len(telling) >= 0.95 * len(results)


def test_no_question_is_empty_or_repeated_for_its_query(records):
    pairs = Counter((record["db_id"], record["question"].lower(), record["query"]) for record in records.values())
    assert max(pairs.values()) == 1
    assert all(re.fullmatch(r"[A-Z].*\w['\"]?[.?]", record["question"]) for record in records.values())


def test_questions_are_clean(records):
    for record in records.values():
        question = record["question"]
        assert not re.search(r"[\[\]{}|]|  | [,.?]|\b(\w+) \1\b(?<!that that)", question), question


def test_most_queries_have_paraphrases(records):
    counts = Counter((record["db_id"], record["query"]) for record in records.values())
    assert sum(count > 1 for count in counts.values()) >= 0.6 * len(counts)


def test_every_clause_has_a_fragment_and_every_word_a_clause(records, clauses, fragments):
    names = {"GROUP BY": "group", "ORDER BY": "order"}
    assert list(fragments) == list(records)
    for key, record in records.items():
        tokens, found = tokenize(record["question"]), fragments[key]
        assert set(found) == {names.get(kind, kind.lower()) for kind in clauses[key]}, key
        assert all(positions and positions == sorted(set(positions)) for positions in found.values()), key
        covered = {position for positions in found.values() for position in positions}
        words = {at for at, token in enumerate(tokens) if re.search(r"\w", token)}
        assert words <= covered <= set(range(len(tokens))), key


def test_handwritten_questions(records):
    by_hand = read_json(BUILTIN / "handwritten.json")
    keys = [key for source in SOURCES for key in by_hand[source]]
    assert len(keys) == len(set(keys)) >= 220
    assert {records[key]["db_id"] for key in keys} == {record["db_id"] for record in records.values()}


@pytest.mark.parametrize(
    "word",
    [r"\bJOIN\b.*\bJOIN\b", r"\bHAVING\b", r"\bLIMIT \d", r"\bLIKE\b", r"\bBETWEEN\b", r"\bIN \(", r"\bNOT IN\b",
     r"\bIS NULL\b", r"\bDISTINCT\b", r"\bOR\b", r"\bAND\b", r"\(SELECT\b", r"\bINTERSECT\b", r"\bUNION\b",
     r"\bEXCEPT\b", '"', "'", r"\b(?-i:select)\b"],
)  # fmt: skip
def test_constructs_occur_on_both_sides(records, word):
    for source in SOURCES:
        count = sum(bool(re.search(word, record["query"], re.IGNORECASE)) for record in side(records, source))
        assert count >= 5, source


def test_statistics_are_those_of_the_files(records, clauses, results):
    statistics = read_json(BUILTIN / "statistics.json")
    for source in SOURCES:
        counts = Counter(str(len(kinds)) for kinds in side(clauses, source))
        assert statistics[source]["questions"] == len(side(records, source))
        assert statistics[source]["by_clauses"] == counts
        assert statistics[source]["without_rows"] == sum(
            not (len(rows) > 1 or (rows and any(rows[0]))) for rows in side(results, source)
        )


def test_no_question_of_spider(records, spider_home):
    spider = {
        plain(record["question"])
        for file in spider_home.glob("*.json")
        for record in read_json(file)
        if "question" in record
    }
    assert len(spider) > 1000
    assert not {plain(record["question"]) for record in records.values()} & spider


def test_markup_gives_positions(make):
    marked = make("markup").read('[s which hives] [w are called "A-1"], [o oldest] [s first]?')
    assert marked.question == 'Which hives are called "A-1", oldest first?'
    assert marked.fragments == {"select": [0, 1, 9], "where": [2, 3, 4, 5, 6], "order": [8]}


def test_markup_gives_a_mark_to_the_clauses_around_it(make):
    assert make("markup").read("[sg For each town], [s count] [w it]?").fragments["select"] == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    ("text", "message"),
    [("[s Which hives", "brackets"), ("Which [s hives]?", "no clause"), ("[s the keep][w ers]", "crosses")],
)
def test_markup_refuses(make, text, message):
    with pytest.raises(ValueError, match=message):
        make("markup").read(text)


def test_check_refuses_a_query_that_fails_and_a_missing_fragment(make):
    item = make("generate").Item
    with closing(connect(BUILTIN, "beekeeping")) as connection:
        broken = item("beekeeping", "Which?", "SELECT Nonesuch FROM Hive", {"select": [0]}, "handwritten")
        with pytest.raises(ValueError, match="no such column"):
            make("corpus").check(broken, connection)
        partial = item("beekeeping", "Which?", "SELECT Label FROM Hive ORDER BY Label", {"select": [0]}, "handwritten")
        with pytest.raises(ValueError, match="has fragments"):
            make("corpus").check(partial, connection)


@pytest.mark.parametrize(
    ("phrase", "plural", "singular"),
    [
        ("from York", "are from York", "is from York"),
        ("who live|lives in York", "live in York", "lives in York"),
        ("with a fence", "have a fence", "has a fence"),
        ("built after 1950", "were built after 1950", "was built after 1950"),
        ("first shown before 1990", "were first shown before 1990", "was first shown before 1990"),
    ],
)
def test_predicates(make, phrase, plural, singular):
    english = make("english")
    assert english.agree(english.predicate(phrase)) == plural
    assert english.agree(english.predicate(phrase), plural=False) == singular


def test_styles_keep_values_and_meaning(make):
    sql = make("sql")
    style = sql.Style(quote="'", lower=True, capital_count=True, wide=True, semicolon=True)
    query = 'SELECT count(*) FROM BOAT WHERE LOCK = "AND SELECT" AND FEE >= 3'
    assert sql.written(query, style) == "select COUNT(*) from BOAT where LOCK  =  'AND SELECT' and FEE  >=  3;"


def test_examples_in_the_rules_of_english(make):
    result = doctest.testmod(make("english"))
    assert result.attempted >= 6
    assert not result.failed
