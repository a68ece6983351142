"""Hostile SQL: databases stay byte-identical, deadlines hold, memory is bounded, and the status says what happened."""

import hashlib
import resource
import sqlite3
from time import perf_counter

import pytest

from lib.accuracy.engines.sqlite import SqliteEngine
from lib.accuracy.evaluation import Evaluator
from lib.accuracy.gate import refusal
from lib.accuracy.records import Case, Limits, Settings

ENDLESS = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r)"
CROSS = f"SELECT count(*) FROM {', '.join(f'staff s{n}' for n in range(17))}"

# Statements and the status that each must have, in SQLite.
HOSTILE = {
    "DROP TABLE staff": "unsafe",
    "/* SELECT */ DROP TABLE staff -- SELECT": "unsafe",
    "DELETE FROM staff": "unsafe",
    "UPDATE staff SET pay = 0": "unsafe",
    "INSERT INTO staff SELECT * FROM staff": "unsafe",
    "REPLACE INTO staff VALUES (1, 'x', 'y', 0)": "unsafe",
    "WITH x AS (SELECT 1) DELETE FROM staff": "unsafe",
    "WITH x AS (SELECT 1) INSERT INTO staff(name) SELECT 'x'": "unsafe",
    "ALTER TABLE staff RENAME TO gone": "unsafe",
    "CREATE TABLE t AS SELECT * FROM staff": "unsafe",
    "CREATE TEMP TABLE staff AS SELECT 1": "unsafe",
    "CREATE TEMP VIEW staff AS SELECT 1": "unsafe",
    "CREATE TRIGGER t AFTER INSERT ON staff BEGIN SELECT 1; END": "unsafe",
    "CREATE VIRTUAL TABLE v USING fts5(a)": "unsafe",
    "REINDEX": "unsafe",
    "ANALYZE": "unsafe",
    "VACUUM": "unsafe",
    "VACUUM INTO 'copy.sqlite'": "unsafe",
    "ATTACH 'other.sqlite' AS o": "unsafe",
    "DETACH main": "unsafe",
    "PRAGMA writable_schema = 1": "unsafe",
    "PRAGMA query_only = 0": "unsafe",
    "SELECT * FROM pragma_database_list": "unsafe",
    "BEGIN": "unsafe",
    "SAVEPOINT s": "unsafe",
    "EXPLAIN SELECT 1": "unsafe",
    "SELECT load_extension('evil')": "unsafe",
    "SELECT \"load_extension\"('evil')": "unsafe",
    "SELECT readfile('/etc/passwd')": "error",  # a function of the shell, which the library lacks
    "SELECT 1; DROP TABLE staff": "error",
    "SELECT 1; -- and then\nDROP TABLE staff": "error",
    "SELECT 1 /* ; */ ; /* */ DELETE FROM staff": "error",
    "SELECT name FROM staff --\n; DROP TABLE staff": "error",
    "ＤＲＯＰ TABLE staff": "error",  # full-width letters are no keyword
    "SELECT name FROM staff WHERE name = 'x\u2019; DROP TABLE staff; --'": "ok",  # a curly quote ends no literal
    "SELECT name FROM\u00a0staff": "error",  # nor is a no-break space a blank
    "SELECT '\ud800'": "error",
    "SELECT 1\0; DROP TABLE staff": "error",
    "": "error",
    " -- nothing": "error",
    ";": "error",
    "SELECT ?": "error",
    "SELECT " + "(" * 100_000 + "1" + ")" * 100_000: "error",
    "SELECT " + " + ".join(["1"] * 50_000): "error",
    "SELECT '" + "x" * 100_000 + "'": "ok",
    f"{ENDLESS} SELECT count(*) FROM r": "timeout",
    CROSS: "timeout",
    f"{ENDLESS} SELECT max(length(randomblob(900000))) FROM r": "timeout",
    f"{ENDLESS} SELECT zeroblob(900000) FROM r": "truncated",
    f"{ENDLESS} SELECT group_concat(n) FROM r": "timeout",
    f"{ENDLESS} SELECT n FROM r": "truncated",
    f"{ENDLESS} SELECT n, zeroblob(90000) FROM r ORDER BY 1 DESC": "timeout",
    "SELECT hex(zeroblob(1000000000))": "truncated",
    "SELECT replace(hex(zeroblob(400000)), '0', '0123456789')": "truncated",
}  # fmt: skip
LIMITS = Limits(timeout_s=1.0, max_rows=50_000, max_memory=200 << 20)


@pytest.fixture
def guarded(shop):
    """An evaluator with small limits; the database must be the same bytes at the end, with no file beside it."""
    before = hashlib.sha256(shop.read_bytes()).digest()
    evaluator = Evaluator(SqliteEngine(shop), Settings(limits=LIMITS))
    yield evaluator
    evaluator.engine.close()
    assert hashlib.sha256(shop.read_bytes()).digest() == before
    assert [path.name for path in shop.parent.iterdir()] == [shop.name]


@pytest.mark.parametrize(("sql", "status"), HOSTILE.items(), ids=lambda value: ascii(value)[:60])
def test_hostile_sql(guarded, sql, status):
    started = perf_counter()
    seen = guarded.evaluate(Case("q", "SELECT name FROM staff", sql))
    assert seen.status == status, seen.error
    assert seen.exact is False
    assert perf_counter() - started < 1.1 * LIMITS.timeout_s + 0.5  # the rest is a busy machine's
    again = guarded.evaluate(Case("q", "SELECT name FROM staff", "SELECT name FROM staff"))
    assert again.exact  # the connections still work, and see the same


@pytest.mark.parametrize(
    "sql",
    [
        f"{ENDLESS} SELECT count(*) FROM r",
        CROSS,
        f"{CROSS.replace('count(*)', 's0.name, s9.pay')} ORDER BY s3.name || s5.name, s9.pay",
    ],
    ids=["recursive", "cross join", "sort"],
)
def test_deadline_is_kept_within_a_tenth(guarded, sql):
    used = min(guarded.engine.run(sql, LIMITS).seconds for _ in range(2))
    assert LIMITS.timeout_s <= used <= 1.1 * LIMITS.timeout_s


def test_memory_is_bounded(guarded):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for sql in HOSTILE:
        if "randomblob" in sql or "zeroblob" in sql or "group_concat" in sql:
            guarded.engine.run(sql, LIMITS)
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
    assert grown < 1.5 * LIMITS.max_memory


def test_a_hostile_golden_query_is_refused_as_well(guarded):
    seen = guarded.evaluate(Case("q", "DROP TABLE staff", "SELECT 1"))
    assert (seen.status, seen.accuracy) == ("gold_error", None)


def test_a_missing_file_is_not_made(tmp_path):
    path = tmp_path / "none.sqlite"
    assert SqliteEngine(path).run("SELECT 1", LIMITS).status == "no_database"
    assert not path.exists()
    path.write_bytes(b"no database at all, but long enough to be looked at " * 50)
    assert SqliteEngine(path).run("SELECT 1 FROM sqlite_master", LIMITS).status == "no_database"
    assert SqliteEngine(tmp_path).run("SELECT 1", LIMITS).status == "no_database"


def test_a_database_with_a_write_ahead_log_opens(tmp_path):
    path = tmp_path / "wal.sqlite"
    connection = sqlite3.connect(path)
    connection.executescript("PRAGMA journal_mode = WAL; CREATE TABLE t(a); INSERT INTO t VALUES (1);")
    connection.close()
    assert SqliteEngine(path).run("SELECT a FROM t", LIMITS).rows == [(1,)]


def test_a_changed_database_is_read_anew(shop):
    engine = SqliteEngine(shop)
    before, digest = engine.run("SELECT count(*) FROM staff", LIMITS).rows, engine.digest()
    with sqlite3.connect(shop) as connection:
        connection.execute("DELETE FROM staff WHERE id = 1")
    connection.close()
    assert engine.run("SELECT count(*) FROM staff", LIMITS).rows != before
    assert engine.digest() != digest


@pytest.mark.parametrize(
    ("sql", "dialect", "status"),
    [
        ("SELECT * FROM read_csv('/etc/passwd')", "duckdb", "unsafe"),
        ("SELECT * FROM '/etc/passwd'", "duckdb", "unsafe"),
        ("SELECT 1 FROM t, 'a.parquet'", "duckdb", "unsafe"),
        ("SELECT coalesce(a, 'x.csv') FROM t", "duckdb", None),
        ("COPY t TO 'x.csv'", "duckdb", "unsafe"),
        ("INSTALL httpfs", "duckdb", "unsafe"),
        ("SET memory_limit = '1TB'", "duckdb", "unsafe"),
        ("SELECT pg_read_file('/etc/passwd')", "postgres", "unsafe"),
        ("SELECT \"pg_read_file\" ('/etc/passwd')", "postgres", "unsafe"),
        ("SELECT 'pg_read_file(1)', pg_read_file FROM t", "postgres", None),
        ("SELECT lo_import('/etc/passwd')", "postgres", "unsafe"),
        ("SELECT set_config('statement_timeout', '0', false)", "postgres", "unsafe"),
        ("WITH d AS (DELETE FROM t RETURNING a) SELECT * FROM d", "postgres", "unsafe"),
        ("WITH d AS MATERIALIZED (UPDATE t SET a = 1 RETURNING a) SELECT * FROM d", "postgres", "unsafe"),
        ("SELECT * INTO u FROM t", "postgres", "unsafe"),
        ("SELECT t.into, 1 AS into FROM t", "postgres", None),
        ("COPY (SELECT 1) TO PROGRAM 'id'", "postgres", "unsafe"),
        ("DO $$ BEGIN NULL; END $$", "postgres", "unsafe"),
        ("SELECT $$;$$", "postgres", None),
        ("SELECT 1; SELECT 2", "postgres", "error"),
        ("SELECT 'a", "postgres", "error"),
        ("SELECT system$cancel_query('x')", "snowflake", "unsafe"),
        ("PUT file:///etc/passwd @stage", "snowflake", "unsafe"),
        ("SELECT * FROM external_query('c', 'SELECT 1')", "bigquery", "unsafe"),
        ("SELCT 1", "postgres", "error"),
        (3, "sqlite", "error"),
    ],
)
def test_gate(sql, dialect, status):
    refused = refusal(sql, dialect)
    assert (refused and refused.status) == status


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("SELECT * FROM pragma_table_info('staff')", "refused: a virtual table, such as a pragma"),
        ("SELECT * FROM read_csv('x', columns={'a':'VARCHAR'})", 'unrecognized token: "{"'),
        ("SELECT '\ud83d'", "half a surrogate"),
    ],
)
def test_messages_say_what_is_wrong(shop, sql, message):
    assert message in SqliteEngine(shop).run(sql, Limits()).error or message in refusal(sql).error
