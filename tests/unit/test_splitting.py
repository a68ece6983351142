"""The clause splitter against cases written by hand, against sqlglot's trees, and against hostile input.

The tree is an independent judge: it tells which clauses a query has, and each of our clauses, read alone, must give
the same subtree as the whole query.
"""

import json
import re
import time
from functools import cache
from itertools import pairwise

import pytest
import sqlglot
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlglot import exp

from lib.corpora import open_corpus
from lib.errors import ParameterError, SqlError
from lib.paths import ROOT
from lib.records import KINDS
from lib.splitting import split
from lib.sql_tokens import DIALECTS

GOLDEN = ROOT / "tests/golden/clauses.sql"
MARK = "¦"

# The judge

# What may follow FROM, in the order of SQL; a clause takes what stands between it and the next clause.
MODIFIERS = ("where", "group", "having", "windows", "qualify", "order", "limit", "offset", "locks")
OPENS = {"where": "WHERE", "group": "GROUP BY", "order": "ORDER BY"}
SET_KINDS = {exp.Union: "UNION", exp.Intersect: "INTERSECT", exp.Except: "EXCEPT"}


@cache
def read(query: str, dialect: str) -> exp.Expression:
    """The tree of a query; never change it."""
    tree = sqlglot.parse_one(query, read=dialect)
    if dialect == "sqlite":  # SQLite knows no bracketed operands: these are the parser's own, to show the grouping
        for operation in tree.find_all(exp.SetOperation):
            while isinstance(operation.this, exp.Subquery):
                operation.set("this", operation.this.this)
    return unwrapped(tree)


def unwrapped(tree: exp.Expression) -> exp.Expression:
    """Brackets around a whole query say nothing."""
    while isinstance(tree, exp.Subquery) and not any(tree.args.get(name) for name in (*MODIFIERS, "with_")):
        tree = tree.this
    return tree


def parts_of(select: exp.Expression) -> dict[str, dict]:
    """Kind of clause -> its modifiers, in order; what comes before the first belongs to SELECT."""
    parts, kind = {"SELECT": {}}, "SELECT"
    for name in MODIFIERS:
        value = select.args.get(name)
        if value:
            kind = OPENS.get(name, kind)
            parts.setdefault(kind, {})[name] = value
    return parts


def first_operand(tree: exp.Expression) -> tuple[exp.Expression, str | None]:
    """The leftmost operand of a query and the first set operator."""
    kind = None
    while isinstance(tree, exp.SetOperation):
        kind, tree = SET_KINDS[type(tree)], tree.this
    return tree, kind


def rest_of(tree: exp.Expression) -> exp.Expression:
    """A set operation with its leftmost operand and WITH taken away."""
    tree = tree.copy()
    tree.set("with_", None)
    first_operand(tree)[0].replace(sqlglot.parse_one("SELECT 1"))
    return tree


def head_of(tree: exp.Expression) -> exp.Expression:
    """What the SELECT clause says: the leftmost operand with the WITH of the whole, without later clauses."""
    operand = first_operand(tree)[0].copy()
    if tree.args.get("with_"):
        operand.set("with_", tree.args["with_"].copy())
    for kind, modifiers in parts_of(operand).items():
        for name in modifiers if kind != "SELECT" else ():
            operand.set(name, None)
    return unwrapped(operand)


def assert_agrees(query: str, dialect: str) -> None:
    """Our clauses of a query are those of its tree."""
    tree, clauses = read(query, dialect), split(query, dialect)
    operand, set_kind = first_operand(tree)
    parts = parts_of(operand)
    assert [clause.kind for clause in clauses] == [*parts, *([set_kind] if set_kind else [])], query
    for clause in clauses:
        if clause.kind == "SELECT":
            assert read(clause.sql, dialect) == head_of(tree), clause.sql
        elif clause.kind == set_kind:
            assert rest_of(read(f"SELECT 1 {clause.sql}", dialect)) == rest_of(tree), clause.sql
        else:
            alone = parts_of(read(f"SELECT 1 FROM t {clause.sql}", dialect))
            assert alone == {"SELECT": {}, clause.kind: parts[clause.kind]}, clause.sql


def test_the_judge_can_say_no():
    wrong = split("SELECT a FROM t WHERE b = 2")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(globals(), "split", lambda *_: wrong)
        with pytest.raises(AssertionError):
            assert_agrees("SELECT a FROM t WHERE b = 1", "sqlite")
        with pytest.raises(AssertionError):
            assert_agrees("SELECT a FROM t", "sqlite")


def clauses_or_message(query: str):
    try:
        return split(query)
    except SqlError as error:
        return str(error)


# Cases by hand


def golden_cases():
    for block in re.split(r"^--> ", GOLDEN.read_text(encoding="utf-8"), flags=re.M)[1:]:
        header, query = block.split("\n", 1)
        name, dialects, *flags = (field.strip() for field in header.split("|"))
        for dialect in DIALECTS if dialects == "all" else dialects.split():
            yield pytest.param(query.rstrip("\n"), dialect, flags, id=f"{name}-{dialect}")


def assert_cut_at_marks(marked: str, dialect: str) -> None:
    query = marked.replace(MARK, "")
    clauses = split(query, dialect)
    places = [match.start() - number for number, match in enumerate(re.finditer(MARK, marked))]
    shown = [(clause.kind, clause.sql) for clause in clauses]
    assert len(clauses) == len(places) + 1, shown
    for place, (before, after) in zip(places, pairwise(clauses), strict=True):
        assert before.stop <= place <= after.start, shown
        assert query[after.start :].upper().startswith(after.kind.split()[0]), shown


@pytest.mark.parametrize(("marked", "dialect", "flags"), list(golden_cases()))
def test_golden_cuts(marked, dialect, flags):
    assert_cut_at_marks(marked, dialect)
    if "no auto" not in flags:
        assert_cut_at_marks(marked, "auto")
    if "unparsed" not in flags:
        assert_agrees(marked.replace(MARK, ""), dialect)


def test_golden_file_is_broad():
    cases = list(golden_cases())
    assert len({case.id.rsplit("-", 1)[0] for case in cases}) >= 60
    assert {case.values[1] for case in cases} == set(DIALECTS)


def test_published_cases(shared):
    names = {"select": "SELECT", "where": "WHERE", "group": "GROUP BY", "order": "ORDER BY", "union": "UNION"}
    names |= {"intersect": "INTERSECT", "except": "EXCEPT"}
    cases = json.loads((shared / "cases/sql_and_text.json").read_text(encoding="utf-8"))
    cases = [case for case in cases if case["kind"] == "clause_split"]
    assert cases
    for case in cases:
        found = [(clause.kind, " ".join(clause.sql.split())) for clause in split(case["input"])]
        wanted = [(names[kind], sql) for kind, sql in case["expected"]]
        assert squeezed(found) == squeezed(wanted), case["id"]


def squeezed(clauses):
    """Blanks around brackets and commas are a matter of taste."""
    return [(kind, re.sub(r"\s+", "", sql)) for kind, sql in clauses]


# Real queries


@pytest.mark.slow
def test_all_of_spider_agrees_with_the_tree(spider_home):
    corpus, seen, checked = open_corpus(str(spider_home)), set(), 0
    for source in ("train", "dev"):
        for example in corpus.examples(source):
            checked += 1
            if example.query not in seen:
                seen.add(example.query)
                assert_agrees(example.query, "sqlite")
    assert (checked, len(corpus.problems)) == (8034, 0)
    read.cache_clear()


def test_builtin_corpus_agrees_with_the_tree():
    corpus = open_corpus("builtin")
    queries = sorted({example.query for source in ("train", "dev") for example in corpus.examples(source)})
    assert len(queries) > 100
    for query in queries[::5]:
        assert_agrees(query, "sqlite")


# Generated queries

NOISE = {  # expressions with keywords where they mean nothing
    "sqlite": ["[order by]", "`group`", "x'0F'", "\"where\"", "-- WHERE a\n 1", "json -> '$.where'"],
    "postgres": ["E'it\\'s WHERE'", "$$ ORDER BY $$", "a::text", "b[1]", "\"union\"", "j #>> '{where}'",
                 "1 /* /* WHERE */ */"],
    "mysql": ["'it\\'s WHERE'", "\"say \\\" ORDER BY\"", "`where`", "1 # WHERE\n", "a <=> b"],
    "duckdb": ["$x$ UNION SELECT $x$", "[1, [2]]", "{'where': 1}", "a::int", "\"group by\"",
               "list_filter(l, x -> x > 1)"],
}  # fmt: skip
COMMON_NOISE = [
    "a", "t.order", "t . where", "1", "'it''s ORDER BY'", "'-- x'", "'a;b'", "1 -- UNION SELECT\n", "(1 /* WHERE ' */)",
    "count(*)", "(SELECT max(x) FROM u WHERE y GROUP BY z ORDER BY w)", "CASE WHEN a = 1 THEN 'WHERE' ELSE 'b' END",
    "sum(a) OVER (PARTITION BY b ORDER BY c)", "a IN (SELECT b FROM u UNION SELECT c FROM v WHERE d)",
    "a BETWEEN 1 AND 2", "NOT EXISTS (SELECT 1 FROM u WHERE u.a = 1)", "größe", "cast(a AS INTEGER)",
    "order_by + where_to",
]  # fmt: skip


@st.composite
def queries(draw, dialect: str, depth: int = 1):
    expression = st.sampled_from(COMMON_NOISE + NOISE[dialect])

    def several(most):
        return ", ".join(draw(st.lists(expression, min_size=1, max_size=most)))

    sources = ["t", "t AS x JOIN u AS y ON x.a = y.a", "(SELECT a FROM t WHERE b ORDER BY c) AS s", "t, u"]
    text = draw(st.sampled_from(["", "WITH s AS (SELECT a FROM t WHERE b ORDER BY c) "])) if depth else ""
    text += f"SELECT {several(3)} FROM {draw(st.sampled_from(sources))}"
    if draw(st.booleans()):
        text += f" WHERE {draw(expression)} = {draw(expression)}"
    if draw(st.booleans()):
        text += f" GROUP BY {several(2)}" + draw(st.sampled_from(["", " HAVING count(*) > 1"]))
    if depth and draw(st.booleans()):
        operator = draw(st.sampled_from(["UNION", "UNION ALL", "INTERSECT", "EXCEPT"]))
        return f"{text} {operator} {draw(queries(dialect, depth - 1))}"
    if draw(st.booleans()):
        text += f" ORDER BY {several(2)} DESC"
    return text + draw(st.sampled_from(["", " LIMIT 3", " LIMIT 3 OFFSET 2"]))


@pytest.mark.parametrize("dialect", DIALECTS)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_generated_queries_agree_with_the_tree(dialect, data):
    assert_agrees(data.draw(queries(dialect)), dialect)


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="SELECT FROMWHERE abc'\"`[]()$#-*/;,.\n\\", max_size=40) | st.text(max_size=30))
def test_any_text_gives_clauses_or_one_error(text):
    clauses = clauses_or_message(text)
    if isinstance(clauses, str):
        assert "\n" not in clauses
        return
    assert clauses
    for clause in clauses:
        assert clause.kind in KINDS
        assert 0 <= clause.start < clause.stop <= len(text)
    assert all(before.stop <= after.start for before, after in pairwise(clauses))


@settings(max_examples=60, deadline=None)
@given(queries("sqlite"))
def test_clauses_put_together_split_alike(query):
    clauses = split(query)
    again = split(" ".join(clause.sql for clause in clauses))
    assert [(clause.kind, clause.sql) for clause in again] == [(clause.kind, clause.sql) for clause in clauses]


# What is refused

REFUSED = {
    "empty": ("", "no SQL"),
    "blanks": (" \n\t", "no SQL"),
    "comment only": ("-- nothing", "no SQL"),
    "semicolon only": (";", "no SQL"),
    "prose": ("how many ferries sail", "not a query: it starts with 'how'"),
    "insert": ("INSERT INTO t SELECT 1", "not a query"),
    "drop": ("DROP TABLE t", "not a query"),
    "explain": ("EXPLAIN SELECT 1", "not a query"),
    "with delete": ("WITH s AS (SELECT 1) DELETE FROM t WHERE a", "WITH leads to DELETE"),
    "with update": ("WITH s AS (SELECT 1) UPDATE t SET a = 1", "WITH leads to UPDATE"),
    "with alone": ("WITH s AS (SELECT 1)", "nothing follows WITH"),
    "two statements": ("SELECT 1; SELECT 2", "more than one statement"),
    "two statements without a blank": ("SELECT 1;DROP TABLE t", "more than one statement"),
    "twice where": ("SELECT a FROM t WHERE b WHERE c", "WHERE cannot follow WHERE"),
    "wrong order": ("SELECT a FROM t ORDER BY a WHERE b", "WHERE cannot follow ORDER BY"),
    "two selects": ("SELECT a SELECT b", "SELECT cannot follow SELECT"),
    "no operand": ("SELECT a FROM t UNION", "no query follows UNION"),
    "operand is no query": ("SELECT a FROM t UNION WHERE b", "no query follows UNION"),
    "unclosed literal": ("SELECT a FROM t WHERE b = 'x", "an unclosed literal"),
    "unclosed name": ('SELECT "a FROM t', "an unclosed quoted name"),
    "unclosed comment": ("SELECT a /* b", "an unclosed comment"),
    "unclosed bracket": ("SELECT (a FROM t", "'(' is never closed"),
    "closing too much": ("SELECT a) FROM t", "')' closes nothing"),
    "crossed brackets": ("SELECT (a[1)]", "')' closes nothing"),
    "arithmetic": ("(1 + 2)", "not a query"),
    "empty brackets": ("()", "not a query"),
    "typographic quotes": ("SELECT a FROM t WHERE b = ‘x’", "cannot read the character"),
    "NUL": ("SELECT a\0", "cannot read the character"),
    "half a character": ("SELECT \ud800", "cannot read the character"),
}


@pytest.mark.parametrize(("query", "message"), REFUSED.values(), ids=REFUSED)
def test_refused(query, message):
    with pytest.raises(SqlError, match=re.escape(message)):
        split(query)


def test_error_tells_where():
    with pytest.raises(SqlError) as caught:
        split("SELECT a FROM t WHERE b = 'x")
    assert caught.value.position == 26
    assert "at character 26" in str(caught.value)


def test_unknown_dialect_names_the_known_ones():
    with pytest.raises(ParameterError, match="did you mean 'sqlite'"):
        split("SELECT 1", "sqlit")


HOSTILE = {
    "nested brackets": "(" * 100_000 + "SELECT 1" + ")" * 100_000,
    "open brackets": "(" * 50_000,
    "square brackets": "[" * 50_000,
    "quotes": "'" * 50_001,
    "doubled quotes never closed": "SELECT '" + "''" * 100_000,
    "dollars": "SELECT " + "$a$b" * 50_000,
    "comments never closed": "/*" * 100_000,
    "backslashes": 'SELECT "' + "\\'" * 100_000,
    "long list": "SELECT " + "a, " * 100_000 + "b FROM t",
    "digits": "SELECT " + "1" * 100_000,
    "blanks after <": "SELECT 1 < " + " " * 100_000,
}


@pytest.mark.parametrize("query", HOSTILE.values(), ids=HOSTILE)
def test_hostile_input_takes_linear_time(query):
    start = time.perf_counter()
    found = clauses_or_message(query)
    assert not isinstance(found, str) or len(found) < 300
    assert time.perf_counter() - start < 10, "seconds; quadratic reading takes minutes"


@pytest.mark.parametrize(
    "condition",
    ["b ~* 'x'", "b !~ 'x'", "b ~~ 'x'", "b && c", "b <=> c", "b <-> c", "b ?| c", "b ?& c", "b // 2", "b ** 2",
     "|/ b", "||/ b", "b = E'a where'", "b = U&'\\0061'", "b = ?1", "b = ~ 1", "f ( b => 1 )"],
)  # fmt: skip
def test_signs_of_other_dialects_stay_whole(condition):
    """What is cut apart by the first dialect that reads it would be put together as other SQL."""
    clauses = split(f"SELECT a FROM t WHERE {condition} ORDER BY a")
    assert [clause.sql for clause in clauses] == ["SELECT a FROM t", f"WHERE {condition}", "ORDER BY a"]


def test_a_parameter_is_no_operator():
    assert split("SELECT a FROM t WHERE b = ?|2")[1].sql == "WHERE b = ? | 2"


def test_semicolons_around_a_query():
    assert [clause.sql for clause in split(" ; SELECT a FROM t ;;")] == ["SELECT a FROM t"]
