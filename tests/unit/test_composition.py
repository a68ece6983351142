from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.composition import compose
from lib.records import Clause, Example, Fragment

KINDS = ("SELECT", "WHERE", "GROUP BY", "ORDER BY", "UNION")


def example(n_tokens: int) -> Example:
    tokens = tuple(f"w{j}" for j in range(n_tokens))
    return Example("dev-00007", "zoo", " ".join(tokens), tokens, "SELECT 1", "dev")


def clauses(n: int) -> list[Clause]:
    return [Clause(kind, f"{kind} c{i}", i, i + 1) for i, kind in enumerate(KINDS[:n])]


def fragment(kind: str, *spans: tuple[int, int]) -> Fragment:
    return Fragment(kind, spans, "")


def test_text_takes_each_shared_token_once_and_in_order():
    fragments = [fragment("SELECT", (0, 3), (4, 5)), fragment("WHERE", (2, 5)), fragment("GROUP BY", (5, 6))]
    texts = {pair.kinds: pair.text for pair in compose(example(8), clauses(3), fragments)}
    assert texts["SELECT",] == "w0 w1 w2 w4"
    assert texts["SELECT", "WHERE"] == "w0 w1 w2 w3 w4"
    assert texts["SELECT", "GROUP BY"] == "w0 w1 w2 w4 w5"


def test_whole_query_keeps_the_whole_question():
    fragments = [fragment("SELECT", (0, 1)), fragment("WHERE", (1, 2))]
    assert compose(example(9), clauses(2), fragments)[-1].text == " ".join(example(9).tokens)


def test_one_clause_is_the_whole_query():
    (pair,) = compose(example(4), clauses(1), [fragment("SELECT", (0, 1))])
    assert (pair.text, pair.n_clauses, pair.id) == ("w0 w1 w2 w3", 1, "dev-00007:SELECT")


def test_empty_fragment_is_kept_and_flagged():
    pairs = compose(example(4), clauses(2), [fragment("SELECT", (0, 4)), fragment("WHERE")])
    flags = {pair.kinds: pair.flags for pair in pairs}
    assert flags == {("SELECT",): {}, ("WHERE",): {"empty": True}, ("SELECT", "WHERE"): {}}


def test_fragments_of_other_clauses_are_refused():
    with pytest.raises(ValueError, match="dev-00007"):
        compose(example(4), clauses(2), [fragment("SELECT", (0, 4))])


@given(st.integers(1, 5), st.data())
def test_all_subsets_once_in_order(n, data):
    spans = st.lists(st.tuples(st.integers(0, 9), st.integers(1, 4)), max_size=3)
    fragments = [fragment(kind, *((a, a + b) for a, b in data.draw(spans))) for kind in KINDS[:n]]
    pairs = compose(example(14), clauses(n), fragments)
    expected = [chosen for size in range(1, n + 1) for chosen in combinations(KINDS[:n], size)]
    assert [pair.kinds for pair in pairs] == expected
    assert all(pair.n_clauses == len(pair.kinds) for pair in pairs)
    assert len({pair.id for pair in pairs}) == 2**n - 1
    for pair in pairs:
        words = pair.text.split()
        assert words == sorted(set(words), key=lambda word: int(word[1:]))
