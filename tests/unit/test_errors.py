"""Errors: one sentence, the facts as attributes, the right exit code."""

import pytest

from lib import errors
from lib.errors import DATA_MISSING, WRONG_USE, RecordError, SpiderComposeError, SqlError, suggest

CLASSES = [
    value for value in vars(errors).values() if isinstance(value, type) and issubclass(value, SpiderComposeError)
]
WRONG = {"SpiderComposeError", "ParameterError", "SqlError"}


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_exit_codes(kind):
    assert kind.exit_code == (WRONG_USE if kind.__name__ in WRONG else DATA_MISSING)


def test_names_shadow_no_builtin():
    import builtins

    assert not {kind.__name__ for kind in CLASSES} & set(dir(builtins))


@pytest.mark.parametrize(
    ("sql", "position", "ending"),
    [
        ("SELECT a", None, "broken"),
        ("SELECT a", 7, 'broken at character 7: "SELECT a"'),
        ("x" * 100, 50, 'broken at character 50: "...' + "x" * 60 + '..."'),
        ("a\n\n b", 0, 'broken at character 0: "a b"'),
        ("", 0, 'broken at character 0: ""'),
    ],
)
def test_sql_error_shows_the_place(sql, position, ending):
    error = SqlError("broken", sql, position)
    assert str(error) == ending
    assert (error.sql, error.position) == (sql, position)


def test_record_error_keeps_its_facts():
    error = RecordError("dev.json", 7, "no query")
    assert (error.file, error.record, error.reason) == ("dev.json", 7, "no query")
    assert str(error) == "dev.json, record 7: no query"


@pytest.mark.parametrize(
    ("name", "known", "text"),
    [
        ("bilstn", ["rgt", "bilstm"], "did you mean 'bilstm'? Known: bilstm, rgt"),
        ("x", {"b", "a"}, "known: a, b"),
        ("", [], "known: "),
    ],
)
def test_suggestions(name, known, text):
    assert suggest(name, known) == text
