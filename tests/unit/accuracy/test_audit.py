"""Audit records in JSON and in SQL tables."""

import json
import sqlite3

import pytest

from lib.accuracy.audit import audit_record, write_table
from lib.accuracy.evaluation import evaluate
from lib.errors import EngineError, ParameterError


@pytest.fixture
def record(shop):
    return audit_record(
        evaluate("SELECT * FROM staff", "SELECT id, name FROM staff", f"sqlite:{shop}"), confidence=0.87
    )


def test_record_has_the_metadata_of_the_article(record):
    wanted = {
        "accuracy": 75.0,
        "row_score": 100.0,
        "column_score": 50.0,
        "execution_success": True,
        "llm_confidence": 0.87,
    }
    assert wanted.items() <= record.items()
    assert record["errors"] is None
    assert json.loads(json.dumps(record, allow_nan=False)) == record


def test_record_names_what_it_rests_on(record, shop):
    import hashlib

    assert record["database_hash"] == hashlib.sha256(shop.read_bytes()).hexdigest()[:16]
    assert record["gold_hash"] == hashlib.sha256(b"SELECT * FROM staff").hexdigest()[:16]
    assert "SQLite" in record["versions"]


def test_records_are_appended_to_a_sql_table(record, tmp_path):
    with sqlite3.connect(tmp_path / "audit.db") as connection:
        write_table([record], connection)
        write_table([record, record], connection)
        rows = connection.execute("SELECT accuracy, execution_success, record FROM sql_accuracy_audit").fetchall()
    connection.close()
    assert [row[:2] for row in rows] == [(75.0, "true")] * 3
    assert json.loads(rows[0][2]) == record


def test_duckdb_takes_the_same_table(record):
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect() as connection:
        assert write_table([record], connection) == 1
        assert connection.execute("SELECT question_id, accuracy FROM sql_accuracy_audit").fetchall() == [("", 75.0)]


def test_wrong_tables(record, tmp_path):
    with sqlite3.connect(tmp_path / "audit.db") as connection:
        with pytest.raises(ParameterError, match="no name of a table"):
            write_table([record], connection, "a; DROP TABLE b")
        with pytest.raises(ParameterError, match="placeholder"):
            write_table([record], connection, placeholder="'")
        with pytest.raises(EngineError, match=r"cannot write the audit to 'other\.audit'"):
            write_table([record], connection, "other.audit")
    connection.close()
