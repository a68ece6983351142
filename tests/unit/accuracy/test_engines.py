"""The engines: each against what it is for. PostgreSQL is a real server that the tests start; Snowflake an emulator."""

import json
import re
import sqlite3
import sys
from contextlib import ExitStack, closing
from decimal import Decimal
from pathlib import Path
from time import perf_counter

import pytest

from lib.accuracy.engines.base import one_line
from lib.accuracy.engines.catalog import open_engine
from lib.accuracy.engines.snowflake import SnowflakeEngine, connection_options
from lib.accuracy.evaluation import Evaluator, evaluate
from lib.accuracy.records import Case, Limits, Settings
from lib.accuracy.translation import translated
from lib.errors import EngineError, ParameterError
from tests.unit.accuracy.servers import READER, SUPERUSER, postgres_server

LIMITS = Limits(timeout_s=1.0, max_rows=50_000, max_memory=200 << 20)
STAFF = "INSERT INTO staff VALUES (1,'Ada','HR',61000),(2,'Bo','HR',48000),(3,'Cy','IT',75000),(4,'Di','IT',75000)"
TABLE = "CREATE TABLE staff(id INTEGER PRIMARY KEY, name TEXT, team TEXT, pay INTEGER)"
ENDLESS = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r)"


@pytest.fixture(scope="module")
def server():
    """Folder of the socket of a PostgreSQL server."""
    psycopg = pytest.importorskip("psycopg")
    with postgres_server() as folder:
        with psycopg.connect(host=folder, user=SUPERUSER, dbname="postgres", autocommit=True) as connection:
            connection.execute(f"CREATE ROLE {READER} LOGIN")
            connection.execute(TABLE)
            connection.execute(STAFF)
            connection.execute(f"GRANT SELECT ON staff TO {READER}")
        yield folder


@pytest.fixture(scope="module")
def postgres(server):
    with closing(open_engine(f"postgresql://{READER}@/postgres?host={server}")) as engine:
        yield engine


@pytest.fixture(scope="module")
def duck(tmp_path_factory):
    duckdb = pytest.importorskip("duckdb")
    folder = tmp_path_factory.mktemp("duck")
    path = folder / "shop.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(TABLE)
        connection.execute(STAFF)
    before = path.read_bytes()
    with closing(open_engine(f"duckdb:{path}")) as engine:
        yield engine
    assert path.read_bytes() == before
    assert [entry.name for entry in folder.iterdir()] == ["shop.duckdb"]


@pytest.fixture(params=["duck", "postgres"])
def engine(request):
    """Each engine that is no SQLite, with the same table."""
    return request.getfixturevalue(request.param)


def status_of(engine, sql: str) -> str:
    """The status of a generated query, gate included."""
    return Evaluator(engine, Settings(limits=LIMITS)).evaluate(Case("q", "SELECT name FROM staff", sql)).status


@pytest.mark.parametrize(
    ("gold", "pred", "exact"),
    [
        ("SELECT name FROM staff", "SELECT name FROM staff ORDER BY id DESC", True),
        ("SELECT name FROM staff ORDER BY pay", "SELECT name FROM staff ORDER BY pay, name DESC", True),
        ("SELECT name FROM staff ORDER BY id", "SELECT name FROM staff ORDER BY id DESC", False),
        ("SELECT name FROM staff ORDER BY pay DESC LIMIT 1", "SELECT 'Di'", True),
        ("SELECT name FROM staff ORDER BY pay DESC FETCH FIRST 1 ROW ONLY", "SELECT 'Bo'", False),
        ("SELECT avg(pay) FROM staff", "SELECT sum(pay) * 1.0 / count(*) FROM staff", True),
        ("SELECT pay FROM staff", "SELECT pay * 1.00 FROM staff", True),
        ("SELECT pay > 60000 FROM staff", "SELECT CASE WHEN pay > 60000 THEN 1 ELSE 0 END FROM staff", False),
        ("SELECT CAST('NaN' AS DOUBLE PRECISION)", "SELECT CAST('NaN' AS DOUBLE PRECISION)", True),
        ("SELECT team, name FROM staff", "SELECT name, team FROM staff", True),
        ("SELECT ARRAY[1, 2]", "SELECT ARRAY[2, 1]", False),
        ("SELECT DATE '2024-01-01'", "SELECT TIMESTAMP '2024-01-01 00:00:00'", False),
    ],
)
def test_verdicts_are_the_same_everywhere(engine, gold, pred, exact):
    seen = evaluate(gold, pred, engine)
    assert (seen.status, seen.exact) == ("ok", exact), seen.error or seen.difference


def test_booleans_are_lenient_numbers(engine):
    pred = "SELECT CASE WHEN pay > 60000 THEN 1 ELSE 0 END FROM staff"
    assert evaluate("SELECT pay > 60000 FROM staff", pred, engine).lenient


def test_values_come_as_the_driver_gives_them(engine):
    assert engine.run("SELECT 1, 1.5, NULL, 'x'", LIMITS).rows == [(1, Decimal("1.5"), None, "x")]
    assert engine.run("SELECT count(*) AS n FROM staff", LIMITS).columns == ("n",)


@pytest.mark.parametrize(
    "sql",
    [
        "DROP TABLE staff",
        "DELETE FROM staff",
        "UPDATE staff SET pay = 0",
        "INSERT INTO staff VALUES (9, 'x', 'y', 0)",
        "CREATE TABLE t AS SELECT 1",
        "CREATE TEMP TABLE staff AS SELECT 1",
        "COPY staff TO '/tmp/spidercompose-test.csv'",
        "COPY (SELECT 1) TO '/tmp/spidercompose-test.csv'",
        "SET search_path = x",
        "BEGIN",
        "COMMIT",
        "EXPLAIN ANALYZE SELECT 1",
        "PREPARE p AS SELECT 1",
        "VACUUM",
    ],
)
def test_statements_are_refused(engine, sql):
    assert status_of(engine, sql) == "unsafe"
    assert engine.run(sql, LIMITS).status in ("unsafe", "error")  # the engine alone would refuse as well
    assert engine.run("SELECT count(*) FROM staff", LIMITS).rows == [(4,)]
    assert not Path("/tmp/spidercompose-test.csv").exists()


@pytest.mark.parametrize(
    "sql", ["SELECT 1; SELECT 2", "SELECT 1; COMMIT; DROP TABLE staff", "SELECT nothing FROM staff", "SELECT '"]
)
def test_mistakes(engine, sql):
    assert status_of(engine, sql) == "error"
    assert engine.run(sql, LIMITS).status == "error"
    assert engine.run("SELECT count(*) FROM staff", LIMITS).rows == [(4,)]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM read_text('/etc/passwd')",
        "SELECT * FROM glob('/etc/*')",
        "SELECT * FROM '/etc/passwd'",
        "ATTACH '/tmp/spidercompose-other.duckdb' AS o",
        "INSTALL httpfs",
        "LOAD httpfs",
        "PRAGMA enable_external_access",
        "SET enable_external_access = true",
        "EXPORT DATABASE '/tmp/spidercompose-test'",
        "SELECT * FROM duckdb_secrets()",
    ],
)
def test_duckdb_reaches_nothing_outside(duck, sql):
    assert status_of(duck, sql) == "unsafe"
    assert duck.run(sql, LIMITS).status in ("unsafe", "error")


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT pg_read_file('/etc/passwd')",
        "SELECT lo_import('/etc/passwd')",
        "SELECT pg_ls_dir('/')",
        "SELECT set_config('statement_timeout', '0', false)",
        "SELECT pg_terminate_backend(pg_backend_pid())",
        "SELECT pg_advisory_lock(1)",
        "WITH d AS (DELETE FROM staff RETURNING id) SELECT * FROM d",
        "SELECT * INTO other FROM staff",
        "COPY staff FROM PROGRAM 'id'",
        "DO $$ BEGIN PERFORM 1; END $$",
    ],
)
def test_postgres_reaches_nothing_outside(postgres, sql):
    assert status_of(postgres, sql) == "unsafe"


@pytest.mark.parametrize(
    "sql",
    [
        f"{ENDLESS} SELECT count(*) FROM r",
        f"SELECT sum(hash(concat(s0.name, s9.name))) FROM {', '.join(f'staff s{n}' for n in range(15))}",
        "SELECT pg_sleep(20)",
    ],
    ids=["recursive", "cross join", "sleep"],
)
def test_deadline(engine, sql):
    if engine.name == "duckdb" and "sleep" in sql:
        pytest.skip("DuckDB cannot sleep")
    if engine.name == "postgres":
        sql = sql.replace("hash(", "hashtext(")
    engine.run("SELECT 1", LIMITS)  # connected
    started = perf_counter()
    assert engine.run(sql, LIMITS).status == "timeout"
    assert perf_counter() - started < 1.1 * LIMITS.timeout_s + 0.1
    assert engine.run("SELECT count(*) FROM staff", LIMITS).rows == [(4,)]


def test_rows_are_limited(engine):
    seen = engine.run(
        f"{ENDLESS} SELECT n FROM r LIMIT 60000" if engine.name == "postgres" else "SELECT * FROM range(60000)", LIMITS
    )
    assert (seen.status, len(seen.rows)) == ("truncated", 50_000)


@pytest.mark.parametrize("sql", ["SELECT repeat('x', 2000000000)", "SELECT repeat('x', 5000000)"])
def test_gigantic_strings(engine, sql):
    assert engine.run(sql, LIMITS).status in ("truncated", "timeout")
    assert engine.run("SELECT 1", LIMITS).rows == [(1,)]


def test_nested_brackets(engine):
    assert engine.run("SELECT " + "(" * 20_000 + "1" + ")" * 20_000, LIMITS).status in ("ok", "error")
    assert engine.run("SELECT 1", LIMITS).rows == [(1,)]


def test_missing_databases(tmp_path, server):
    assert open_engine(f"duckdb:{tmp_path}/none.duckdb").run("SELECT 1", LIMITS).status == "no_database"
    assert not list(tmp_path.iterdir())
    seen = open_engine(f"postgresql://{READER}:hidden@/none?host={server}").run("SELECT 1", LIMITS)
    assert seen.status == "no_database"
    assert "hidden" not in seen.error


def test_credentials_stay_out_of_messages():
    text = one_line("cannot reach postgresql://me:hunter2@host/db with password=hunter2, token: hunter2")
    assert "hunter2" not in text


@pytest.mark.parametrize(("scheme", "package"), [("duckdb", "duckdb"), ("postgres", "psycopg")])
def test_a_missing_client_is_named(monkeypatch, scheme, package):
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.delitem(sys.modules, f"lib.accuracy.engines.{scheme}", raising=False)
    with pytest.raises(EngineError, match=rf"needs {package}: pip install 'spidercompose\[{scheme}\]'"):
        open_engine(f"{scheme}:x")


@pytest.mark.parametrize(
    ("address", "module"), [("snowflake://a?role=R", "snowflake.connector"), ("bigquery://p/d", "google.cloud")]
)
def test_a_missing_service_client_is_named(monkeypatch, address, module):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(EngineError, match="pip install 'spidercompose"):
        open_engine(address)


# Golden SQL of Spider on other engines.


@pytest.mark.slow
def test_gold_against_gold_on_every_engine(spider_home, server, tmp_path):
    """The first 300 golden queries of Spider dev that an engine can hold match themselves on it."""
    psycopg, duckdb = pytest.importorskip("psycopg"), pytest.importorskip("duckdb")
    examples = json.loads((spider_home / "dev.json").read_text())
    files = {item["db_id"]: spider_home / "database" / item["db_id"] / f"{item['db_id']}.sqlite" for item in examples}
    examples = [item for item in examples if files[item["db_id"]].exists()][:300]
    names = sorted({item["db_id"] for item in examples})
    with ExitStack() as stack:
        for name in names:
            with duckdb.connect(str(tmp_path / f"{name}.duckdb")) as connection:
                copy_tables(files[name], connection.execute, connection.executemany, "?")
            with psycopg.connect(host=server, user=SUPERUSER, dbname="postgres", autocommit=True) as connection:
                connection.execute(f'CREATE DATABASE "{name}"')
            with psycopg.connect(host=server, user=SUPERUSER, dbname=name) as connection:
                copy_tables(files[name], connection.execute, connection.cursor().executemany, "%s")
                connection.execute(f"GRANT SELECT ON ALL TABLES IN SCHEMA public TO {READER}")
        addresses = {
            "sqlite": f"sqlite:{spider_home}/database/{{db_id}}/{{db_id}}.sqlite",
            "duckdb": f"duckdb:{tmp_path}/{{db_id}}.duckdb",
            "postgres": f"postgresql://{READER}@/{{db_id}}?host={server}",
        }
        for dialect, address in addresses.items():
            settings = Settings(dialect="sqlite")
            engines = {name: stack.enter_context(closing(open_engine(address.format(db_id=name)))) for name in names}
            evaluators = {name: Evaluator(engine, settings) for name, engine in engines.items()}
            seen = [
                evaluators[item["db_id"]].evaluate(
                    Case("", item["query"], translated(item["query"], "sqlite", dialect))
                )
                for item in examples
            ]
            held = [one for one in seen if one.status != "gold_error"]
            assert all(one.exact for one in held), dialect
            # car_1 keeps numbers and the text 'null' in one column: averages of it exist in SQLite only
            assert len(held) >= (300 if dialect == "sqlite" else 290), dialect


def copy_tables(path: Path, execute, many, mark: str) -> None:
    """Copies the tables of a SQLite file, each column as the narrowest type that holds all its values."""
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as source:
        source.text_factory = lambda data: data.decode("utf-8", "replace")
        query = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        for (table,) in source.execute(query).fetchall():
            cursor = source.execute(f'SELECT * FROM "{table}"')
            rows = cursor.fetchall()
            kinds = [column_type([row[place] for row in rows]) for place in range(len(cursor.description))]
            columns = [f'"{column[0].lower()}" {kind}' for column, kind in zip(cursor.description, kinds, strict=True)]
            execute(f'CREATE TABLE "{table.lower()}" ({", ".join(columns)})')
            values = [tuple(map(converted, row, kinds)) for row in rows]
            if values:
                many(f'INSERT INTO "{table.lower()}" VALUES ({", ".join([mark] * len(kinds))})', values)


def column_type(values: list) -> str:
    texts = {str(value).strip() for value in values if value is not None}
    if texts and all(re.fullmatch(r"-?(0|[1-9]\d{0,17})", text) for text in texts):
        return "BIGINT"
    return "DOUBLE PRECISION" if texts and all(re.fullmatch(r"-?\d+(\.\d+)?", text) for text in texts) else "TEXT"


def converted(value, kind: str):
    return None if value is None else {"BIGINT": int, "DOUBLE PRECISION": float, "TEXT": str}[kind](value)


@pytest.mark.parametrize(
    ("sql", "target", "expected"),
    [
        ("SELECT a FROM t WHERE b = \"x\"", "postgres", "SELECT a FROM t WHERE b = 'x'"),
        ("SELECT a, count(*) FROM t GROUP BY b", "duckdb", "SELECT MIN(a) AS a, COUNT(*) FROM t GROUP BY b"),
        ("SELECT T1.a FROM t AS T1 GROUP BY T1.a", "postgres", "SELECT T1.a FROM t AS T1 GROUP BY T1.a"),
        ("SELECT a, max(b) FROM t", "postgres", "SELECT MIN(a) AS a, MAX(b) FROM t"),
        ("SELECT b FROM t GROUP BY b ORDER BY a", "postgres", "SELECT b FROM t GROUP BY b ORDER BY MIN(a)"),
        ("SELECT count(*) FROM (SELECT a FROM t)", "postgres", "SELECT COUNT(*) FROM (SELECT a FROM t) AS derived_0"),
        ("SELECT a FROM t WHERE (", "postgres", "SELECT a FROM t WHERE ("),
        ("SELECT  a FROM t", "sqlite", "SELECT  a FROM t"),
    ],
)  # fmt: skip
def test_translation(sql, target, expected):
    seen = translated(sql, "sqlite", target)
    assert re.sub(r" NULLS (FIRST|LAST)", "", seen) == expected


# Snowflake, by an emulator: its connector's interface over SQLite. It shows what we send, not what Snowflake does.


class EmulatedError(Exception):
    def __init__(self, message: str, errno: int):
        super().__init__(message)
        self.errno = errno


class OperationalError(EmulatedError):
    """Named like the connector's own."""


class SnowflakeEmulator:
    """Connections that keep what they were asked."""

    def __init__(self, path, failures=()):
        self.path, self.options, self.sent, self.failures = path, [], [], list(failures)

    def connect(self, **options):
        self.options.append(options)
        return EmulatedConnection(self)


class EmulatedConnection:
    def __init__(self, service):
        self.service, self.sqlite = service, sqlite3.connect(service.path)

    def cursor(self):
        return EmulatedCursor(self)

    def close(self):
        self.sqlite.close()


class EmulatedCursor:
    description = None

    def __init__(self, connection):
        self.connection = connection

    def execute(self, sql, timeout=None, num_statements=None):
        service = self.connection.service
        service.sent.append((sql, timeout, num_statements))
        if sql.startswith(("ALTER SESSION", "USE ")):
            return
        if service.failures:
            raise service.failures.pop(0)
        self.rows = self.connection.sqlite.execute(sql.replace("SHOP.PUBLIC.", ""))
        self.description = self.rows.description

    def fetchmany(self, size):
        return self.rows.fetchmany(size)

    def close(self):
        pass


@pytest.fixture
def emulated(shop, monkeypatch):
    """An engine on the emulator; yields a function from failures to engine, emulator and pauses."""
    monkeypatch.setenv("SNOWFLAKE_USER", "ci")
    monkeypatch.setenv("SNOWFLAKE_PASSWORD", "hunter2")
    engines = []

    def make(*failures):
        service, pauses = SnowflakeEmulator(shop, failures), []
        engines.append(
            SnowflakeEngine("snowflake://acme/SHOP/PUBLIC?role=READER&warehouse=SMALL", service.connect, pauses.append)
        )
        return engines[-1], service, pauses

    yield make
    for engine in engines:
        engine.close()


def test_snowflake_emulator_session(emulated):
    engine, service, _ = emulated()
    seen = evaluate("SELECT name FROM SHOP.PUBLIC.staff", "SELECT name FROM staff", engine, Settings(limits=LIMITS))
    assert (seen.status, seen.exact) == ("ok", True)
    options = service.options[0]
    wanted = {
        "account": "acme",
        "database": "SHOP",
        "schema": "PUBLIC",
        "role": "READER",
        "warehouse": "SMALL",
        "user": "ci",
    }
    assert wanted.items() <= options.items()
    assert options["session_parameters"]["USE_CACHED_RESULT"] is True
    assert len(service.options) == 2  # golden and generated queries have sessions of their own
    assert ("USE SECONDARY ROLES NONE", None, None) in service.sent
    assert ("SELECT name FROM staff", 1, 1) in service.sent
    assert "hunter2" not in json.dumps(seen.to_json())


@pytest.mark.parametrize(
    ("failures", "status", "pauses"),
    [
        ([OperationalError("no route", 250001)] * 2, "ok", [0.5, 1.0]),
        ([OperationalError("no route", 250001)] * 4, "no_database", [0.5, 1.0, 2.0]),
        ([EmulatedError("SQL execution canceled", 604)], "timeout", []),
        ([EmulatedError("Insufficient privileges to operate on table", 3001)], "unsafe", []),
        ([EmulatedError("invalid identifier 'X'", 904)], "error", []),
    ],
    ids=["retried", "given up", "timeout", "role", "mistake"],
)
def test_snowflake_emulator_failures(emulated, failures, status, pauses):
    engine, _, waited = emulated(*failures)
    assert engine.run("SELECT name FROM staff", LIMITS).status == status
    assert waited == pauses


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("snowflake://me:pw@acme/SHOP?role=R", "no credentials"),
        ("snowflake://acme/SHOP", "needs a role"),
        ("snowflake://acme/SHOP?role=R&passwort=x", "unknown option 'passwort'"),
    ],
)
def test_snowflake_addresses(address, message):
    with pytest.raises(ParameterError, match=message):
        connection_options(address)
