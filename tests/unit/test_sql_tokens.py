"""The lexer, token by token and against sqlglot's tokenizers."""

import pytest
import sqlglot
from hypothesis import given, settings
from hypothesis import strategies as st

from lib.corpora import open_corpus
from lib.errors import ParameterError, SqlError
from lib.sql_tokens import DIALECTS, lex

CASES = [
    ("sqlite", "T1.a >= -1", ["T1", ".", "a", ">=", "-", "1"]),
    ("sqlite", "a > = 1 < > ! =", ["a", ">=", "1", "<>", "!="]),
    ("sqlite", "2*/*c*/3", ["2", "*", "3"]),
    ("sqlite", "1.5e-3 .5 1. 0x1F 1_000", ["1.5e-3", ".5", "1.", "0x1F", "1_000"]),
    ("sqlite", "[a b] `c``d` \"e\"\"f\" 'g''h'", ["[a b]", "`c``d`", '"e""f"', "'g''h'"]),
    ("sqlite", "x'0F' fox'a'", ["x'0F'", "fox", "'a'"]),
    ("sqlite", ":a @b $c ?1 ?", [":a", "@b", "$c", "?1", "?"]),
    ("sqlite", "a -- b\n/* c */ d", ["a", "d"]),
    ("sqlite", "größe 名前", ["größe", "名前"]),
    ("sqlite", "e\u0301te\u0301", ["e\u0301te\u0301"]),
    ("sqlite", "\ufeffa\u00a0b", ["a", "b"]),
    ("postgres", "E'a\\'b' $$c'd$$ $x$ $$ $x$", ["E'a\\'b'", "$$c'd$$", "$x$ $$ $x$"]),
    ("postgres", "a::int b[1] /* /* x */ */ c", ["a", "::", "int", "b", "[", "1", "]", "c"]),
    ("postgres", "a #>> 'x' @> b ?| c ~* d", ["a", "#>>", "'x'", "@>", "b", "?|", "c", "~*", "d"]),
    ("postgres", "U&'d' U&\"e\"", ["U&'d'", 'U&"e"']),
    ("mysql", "'a\\'b' \"c\\\"d\" # x\n1", ["'a\\'b'", '"c\\"d"', "1"]),
    ("mysql", "5--2 -- x\n3 --", ["5", "-", "-", "2", "3"]),
    ("mysql", "a <=> b", ["a", "<=>", "b"]),
    ("duckdb", "x -> x + 1 {'a': [1]} #1", ["x", "->", "x", "+", "1", "{", "'a'", ":", "[", "1", "]", "}", "#1"]),
]


@pytest.mark.parametrize(("dialect", "query", "texts"), CASES)
def test_tokens(dialect, query, texts):
    tokens = lex(query, dialect)
    assert [token.text for token in tokens] == texts
    for token in tokens:
        assert "".join(query[token.start : token.stop].split()) == "".join(token.text.split())


@pytest.mark.parametrize(
    ("dialect", "query", "position"),
    [
        ("sqlite", "a 'b", 2),
        ("sqlite", 'a "b', 2),
        ("sqlite", "a /* b", 2),
        ("postgres", "a /* /* b */", 2),
        ("sqlite", "a \\ b", 2),
        ("sqlite", "a # b", 2),
        ("mysql", "'a\\'", 0),
        ("postgres", "a `b`", 2),
        ("sqlite", "’", 0),
    ],
)
def test_what_begins_no_token(dialect, query, position):
    with pytest.raises(SqlError) as caught:
        lex(query, dialect)
    assert caught.value.position == position


def test_unknown_dialect():
    with pytest.raises(ParameterError, match="did you mean 'mysql'"):
        lex("a", "mysq")


def judge(query: str, dialect: str) -> list[tuple[int, int]]:
    """Spans of sqlglot's tokens; it keeps `ORDER BY` and the like in one, so spans are cut at blanks."""
    spans = []
    for token in sqlglot.tokenize(query, read=dialect):
        start, stop = token.start, token.end + 1
        text = query[start:stop]
        for word in text.split() if "".join(text.split()).isalpha() else [text]:
            at = query.index(word, start)
            spans.append((at, at + len(word)))
            start = at + len(word)
    return spans


def assert_same_literals(query: str, dialect: str) -> None:
    """No token of ours may begin or end inside a token of sqlglot, or the other way round, unless both are symbols."""
    ours = [(token.start, token.stop) for token in lex(query, dialect) if token.kind not in ("operator", "end")]
    theirs = judge(query, dialect)
    covered = dict(theirs)
    for start, stop in ours:
        assert covered.get(start) == stop, (query[start:stop], query)


def test_spider_tokens_are_those_of_sqlglot(spider_home):
    corpus = open_corpus(str(spider_home))
    queries = sorted({example.query for source in ("train", "dev") for example in corpus.examples(source)})
    for query in queries[::3]:
        assert_same_literals(query, "sqlite")


PIECES = {
    "sqlite": ["'a''b'", '"c""d"', "`e`", "[f g]", "-- x\n", "/* y */", "x'0F'"],
    "postgres": ["E'a\\'b'", "'c''d'", '"e"', "-- x\n", "/* /* y */ */", "$$ z' $$", "$t$ $$ $t$"],
    "mysql": ["'a\\'b'", "'c''d'", '"e\\"f"', "`g`", "-- x\n", "# y\n", "/* z */"],
    "duckdb": ["'c''d'", '"e"', "-- x\n", "$$ z' $$"],
}


@pytest.mark.parametrize("dialect", DIALECTS)
@settings(max_examples=80, deadline=None)
@given(data=st.data())
def test_generated_tokens_are_those_of_sqlglot(dialect, data):
    common = ["a", "b1", "42", "1.5", "(", ")", ",", "+", "=", "größe", "'WHERE'"]
    pieces = data.draw(st.lists(st.sampled_from(common + PIECES[dialect]), max_size=10))
    assert_same_literals(" ".join(pieces), dialect)
