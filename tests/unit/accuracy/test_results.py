"""Verdicts on small databases: handed cases that broke other evaluators, and our own of the same kinds."""

import json
import sqlite3
from decimal import Decimal
from types import SimpleNamespace

import pytest

from lib.accuracy.evaluation import evaluate
from lib.accuracy.records import Settings
from lib.accuracy.values import canonical, close, folded, jsonable

SHOP = """
CREATE TABLE sale(id INTEGER PRIMARY KEY, town TEXT, amount INTEGER, price REAL);
INSERT INTO sale VALUES (1,'Bergen',3,1.5),(2,'Turku',7,2.25),(3,'Bergen',3,1.5),(4,'Gdansk',1,NULL);
CREATE TABLE empty(id INTEGER, town TEXT);
"""


@pytest.fixture
def verdict(tmp_path):
    """Evaluates two queries on a database made of SQL."""

    def run(gold, pred, ddl=SHOP, **settings):
        path = tmp_path / "case.sqlite"
        path.unlink(missing_ok=True)
        connection = sqlite3.connect(path)
        connection.executescript(f"PRAGMA synchronous = 0; BEGIN; {ddl} COMMIT;")
        connection.close()
        return evaluate(gold, pred, f"sqlite:{path}", Settings(**settings))

    return run


def test_handed_cases(shared, verdict):
    cases = json.loads((shared / "cases" / "sql_results.json").read_text())
    wrong = {case["id"]: found for case in cases if (found := _wrong(case, verdict))}
    assert cases
    assert not wrong


def _wrong(case, verdict) -> list[str]:
    """What a handed case says otherwise than we do."""
    seen = verdict(case["gold_sql"], case["pred_sql"], case["ddl"])
    facts = {
        "expected_exact": seen.exact,
        "expected_subset": seen.contains,
        "expected_status": seen.status,
        "expected_lenient": seen.lenient,
        "tie_blocks": list(seen.tie_blocks or ()),
        "limit_pool": [list(row) for row in seen.limit_pool or ()],
    }
    wrong = [name for name, value in facts.items() if name in case and case[name] != value]
    if not set(case.get("flags", ())) <= set(seen.flags):
        wrong.append("flags")
    if "ddl_alt" in case:
        other = verdict(case["gold_sql"], case["pred_sql"], case["ddl_alt"])
        if other.exact != case["expected_semantic"]:
            wrong.append("expected_semantic")
    return wrong


@pytest.mark.parametrize(
    ("gold", "pred", "exact", "contains"),
    [
        ("SELECT town FROM sale", "SELECT town FROM sale ORDER BY id DESC", True, True),
        ("SELECT town FROM sale ORDER BY id", "SELECT town FROM sale ORDER BY id DESC", False, False),
        ("SELECT town FROM sale ORDER BY amount", "SELECT town FROM sale ORDER BY amount, id DESC", True, True),
        ("SELECT town FROM sale ORDER BY 2", "SELECT town FROM sale", None, None),
        ("SELECT town, amount FROM sale", "SELECT amount, town FROM sale", True, True),
        ("SELECT town FROM sale", "SELECT id, town FROM sale", False, True),
        ("SELECT town FROM sale", "SELECT DISTINCT town FROM sale", False, False),
        ("SELECT price FROM sale", "SELECT coalesce(price, 0) FROM sale", False, False),
        ("SELECT amount FROM sale", "SELECT amount * 1.0 FROM sale", True, True),
        ("SELECT amount FROM sale", "SELECT CAST(amount AS TEXT) FROM sale", False, False),
        ("SELECT town FROM sale", "SELECT CAST(town AS BLOB) FROM sale", False, False),
        ("SELECT avg(amount) FROM sale", "SELECT sum(amount) * 1.0 / count(*) FROM sale", True, True),
        ("SELECT price / 3 FROM sale", "SELECT price * (1.0 / 3) FROM sale", True, True),
        ("SELECT town FROM empty", "SELECT T.town AS t FROM empty AS T", True, True),
        ("SELECT town FROM empty", "SELECT id FROM empty", False, False),
        ("SELECT town FROM empty", "SELECT id, town FROM empty", False, True),
        ("SELECT town FROM empty", "SELECT town FROM sale", False, False),
        ("SELECT town FROM sale LIMIT 1", "SELECT town FROM sale ORDER BY id DESC LIMIT 1", True, True),
        ("SELECT town FROM sale LIMIT 1", "SELECT 'Oslo'", False, False),
        ("SELECT id FROM sale ORDER BY amount LIMIT 1, 1", "SELECT 3", True, True),
        ("SELECT id FROM sale ORDER BY amount LIMIT 1 OFFSET 1", "SELECT 2", False, False),
        ("SELECT id FROM sale ORDER BY amount LIMIT 2", "SELECT 3 UNION ALL SELECT 4", False, False),
        ("SELECT id FROM sale ORDER BY amount LIMIT 2", "SELECT 4 UNION ALL SELECT 3", True, True),
        ("SELECT id FROM sale UNION SELECT 0 ORDER BY 1 DESC", "SELECT 0 UNION SELECT id FROM sale", False, False),
        ("SELECT id FROM sale UNION SELECT 0", "SELECT 0 UNION SELECT id FROM sale ORDER BY 1 DESC", True, True),
        ("SELECT id FROM (SELECT id FROM sale ORDER BY id DESC)", "SELECT id FROM sale", True, True),
    ],
)  # fmt: skip
def test_exact_and_contains(verdict, gold, pred, exact, contains):
    seen = verdict(gold, pred)
    if exact is None:  # the golden query itself is wrong: it sorts by a second column that it lacks
        assert seen.status == "gold_error"
        return
    assert (seen.status, seen.exact, seen.contains) == ("ok", exact, contains)
    assert (seen.difference is None) == exact


@pytest.mark.parametrize(
    ("gold", "pred", "subset", "superset"),
    [
        ("SELECT town FROM sale", "SELECT town FROM sale WHERE id < 4", True, False),
        ("SELECT town FROM sale WHERE id < 4", "SELECT town FROM sale", False, True),
        ("SELECT DISTINCT town FROM sale", "SELECT town FROM sale", False, True),
        ("SELECT town, amount FROM sale", "SELECT amount, town FROM sale WHERE id = 2", True, False),
        ("SELECT town FROM sale", "SELECT id FROM sale", False, False),
        ("SELECT town FROM sale", "SELECT id, town FROM sale", False, False),
        ("SELECT town FROM sale", "SELECT town FROM sale WHERE id > 9", True, False),
        ("SELECT town FROM sale", "SELECT town FROM sale", True, True),
    ],
)
def test_subset_and_superset(verdict, gold, pred, subset, superset):
    seen = verdict(gold, pred)
    assert (seen.subset, seen.superset) == (subset, superset)


@pytest.mark.parametrize(
    ("gold", "pred", "lenient"),
    [
        ("SELECT town FROM sale", "SELECT '  ' || upper(town) || ' ' FROM sale", True),
        ("SELECT amount FROM sale", "SELECT CAST(amount AS TEXT) FROM sale", True),
        ("SELECT town FROM sale ORDER BY id", "SELECT town FROM sale ORDER BY id DESC", True),
        ("SELECT 10.0 / 3", "SELECT round(10.0 / 3, 2)", True),
        ("SELECT 10.0 / 3", "SELECT 10 / 3", False),
        ("SELECT '3.0'", "SELECT '3'", False),
        ("SELECT '007'", "SELECT 7", False),
        ("SELECT 1 > 0", "SELECT 'true'", False),
        ("SELECT price FROM sale", "SELECT coalesce(price, '') FROM sale", False),
        ("SELECT town FROM sale", "SELECT DISTINCT town FROM sale", False),
    ],
)
def test_lenient(verdict, gold, pred, lenient):
    assert verdict(gold, pred).lenient is lenient


@pytest.mark.parametrize(
    ("sql", "flags"),
    [
        ("SELECT town FROM sale", set()),
        ("SELECT town FROM empty", {"vacuous"}),
        ("SELECT date('now')", {"clock"}),
        ("SELECT current_timestamp", {"clock"}),
        ("SELECT strftime('%Y')", {"clock"}),
        ("SELECT 'now', date('2024-01-01')", set()),
        ("SELECT town FROM sale WHERE town = 'current_date'", {"vacuous"}),
        ("SELECT id FROM sale ORDER BY amount LIMIT 2", {"gold_nondeterministic", "ties"}),
        ("SELECT town FROM sale ORDER BY amount LIMIT 2", set()),
        ("SELECT amount FROM sale ORDER BY amount LIMIT 2", set()),
        ("SELECT id FROM sale ORDER BY id LIMIT 2", set()),
        ("SELECT id FROM sale LIMIT 2", {"gold_nondeterministic", "ties"}),
        ("SELECT id FROM sale LIMIT 9", set()),
        ("SELECT count(*) FROM sale LIMIT 1", set()),
        ("SELECT town FROM sale GROUP BY town ORDER BY count(*) DESC LIMIT 1", set()),
        ("SELECT sum(id) FROM empty", {"null_only"}),
        ("SELECT random()", {"random", "gold_nondeterministic"}),
        ("SELECT id, count(*) FROM sale GROUP BY town", {"gold_nondeterministic", "bare_columns"}),
        ("SELECT town, amount, count(*) FROM sale GROUP BY town", set()),
        ("SELECT town, count(*) FROM sale", {"gold_nondeterministic", "bare_columns"}),
        ("SELECT id, max(amount) FROM sale GROUP BY town", set()),
        ("SELECT town FROM sale GROUP BY town ORDER BY count(*) LIMIT 1", {"gold_nondeterministic", "ties"}),
    ],
)
def test_flags_of_golden_queries(verdict, sql, flags):
    assert set(verdict(sql, sql).flags) == flags


def test_sorting_by_chance_asks_for_no_order(verdict):
    assert verdict("SELECT id FROM sale ORDER BY random()", "SELECT id FROM sale").exact
    seen = verdict("SELECT id FROM sale ORDER BY random() LIMIT 1", "SELECT 3")
    assert (seen.exact, len(seen.limit_pool)) == (True, 4)
    assert not verdict("SELECT id FROM sale ORDER BY random() LIMIT 1", "SELECT 9").exact


@pytest.mark.parametrize(("order", "exact"), [("auto", True), ("ignore", True), ("require", False)])
def test_order_option(verdict, order, exact):
    assert verdict("SELECT id FROM sale", "SELECT id FROM sale ORDER BY id DESC", order=order).exact is exact
    assert verdict("SELECT id FROM sale ORDER BY id", "SELECT id FROM sale", order=order).exact is True


def test_tolerance_moves_only_what_exact_comparison_leaves(verdict):
    ddl = "CREATE TABLE n(v REAL); INSERT INTO n VALUES (1.0), (1.004);"
    assert verdict("SELECT v FROM n", "SELECT v FROM n", ddl, tolerance=0.01).exact
    assert verdict("SELECT v FROM n", "SELECT 1.001 UNION ALL SELECT 1.0", ddl, tolerance=0.01).exact
    assert not verdict("SELECT v FROM n", "SELECT 1.001 UNION ALL SELECT 1.0", ddl).exact
    assert not verdict("SELECT 1", "SELECT 2", ddl, tolerance=0.9).exact  # integers have no noise


def test_hidden_statuses(verdict, tmp_path):
    assert verdict("SELECT nothing FROM sale", "SELECT 1").status == "gold_error"
    assert verdict("SELECT id FROM sale", "SELECT id FROM sale", **limits(max_rows=2)).status == "truncated"
    assert evaluate("SELECT 1", "SELECT 1", f"sqlite:{tmp_path}/none.sqlite").status == "no_database"


def limits(**values):
    from lib.accuracy.records import Limits

    return {"limits": Limits(**values)}


def test_statuses_that_say_nothing_have_no_score(verdict):
    seen = verdict("SELECT nothing FROM sale", "SELECT 1")
    assert (seen.accuracy, seen.judged, seen.exact) == (None, False, False)
    seen = verdict("SELECT 1", "SELECT nothing FROM sale")
    assert (seen.accuracy, seen.judged, seen.exact) == (0.0, True, False)


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        (1, 1.0, True),
        (1, Decimal("1.00"), True),
        (True, 1, False),
        (True, True, True),
        (0.0, -0.0, True),
        (float("nan"), float("nan"), True),
        (float("nan"), None, False),
        (Decimal("NaN"), float("nan"), True),
        (b"a", "a", False),
        (memoryview(b"a"), b"a", True),
        ([1, [None]], [1.0, [None]], True),
        ({"a": 1}, {"a": 1.0}, True),
        (2**53 + 1, float(2**53), False),
        (SimpleNamespace(a=1), 1, False),
    ],
)
def test_canonical_values(left, right, same):
    assert (canonical(left) == canonical(right)) is same
    if same:
        assert hash(canonical(left)) == hash(canonical(right))


def test_close_numbers():
    assert close(10.0, 9.999999999999998, 1e-9)
    assert close(3, Decimal("2.9999999999999"), 1e-9)
    assert close(0.0, 5e-17, 1e-9)
    assert not close(1e-5, 4e-5, 1e-9)
    assert not close(2**53 + 1, float(2**53), 1e-9)
    assert not close(10**400, 1.0, 1e-9)


def test_folded_text_becomes_a_number_only_for_a_number():
    assert folded("1e3", {1000}) == 1000
    assert folded("1_000", {1000}) == "1_000"
    assert folded("Straße") == folded("STRASSE")


def test_json_of_odd_values():
    assert json.dumps(jsonable({"a": (b"\xff", Decimal("1.5"), float("inf"), "caf\udce9")}))
