"""A small shop as a SQLite file, shared by the tests of the evaluator."""

import sqlite3
from pathlib import Path

import pytest

SHOP = """
CREATE TABLE staff(id INTEGER PRIMARY KEY, name TEXT, team TEXT, pay INTEGER);
INSERT INTO staff VALUES (1,'Ada','HR',61000),(2,'Bo','HR',48000),(3,'Cy','IT',75000),(4,'Di','IT',75000);
"""


@pytest.fixture
def shop(tmp_path) -> Path:
    """A database with one table of four rows."""
    path = tmp_path / "shop.sqlite"
    connection = sqlite3.connect(path)
    connection.executescript(f"PRAGMA synchronous = 0; BEGIN; {SHOP} COMMIT;")
    connection.close()
    return path
