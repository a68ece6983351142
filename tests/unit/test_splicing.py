"""Algorithm 1 against golden cases, the paper's loop and its properties."""

import json
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.files import read_jsonl
from lib.records import KINDS
from lib.splicing import positions_of, spans_of, splice, to_fragment

CASES = list(read_jsonl(Path(__file__).parents[1] / "golden" / "splicing.jsonl"))
TAGS = st.lists(st.frozensets(st.sampled_from(KINDS[:4]), max_size=3), max_size=20)


def tags_by_token(count, tags):
    """Kind -> positions becomes position -> kinds."""
    return [{kind for kind, positions in tags.items() if i in positions} for i in range(count)]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_golden(case):
    tags = tags_by_token(len(case["tokens"].split()), case["tags"])
    assert {kind: [list(span) for span in splice(tags, kind)] for kind in case["spans"]} == case["spans"]


def test_handed_case(shared):
    cases = json.loads((shared / "cases" / "sql_and_text.json").read_text(encoding="utf-8"))
    spliced = [case for case in cases if case["kind"] == "alignment" and "tags" in case["input"]]
    assert spliced
    for case in spliced:
        tags = tags_by_token(len(case["input"]["question_toks"]), case["input"]["tags"])
        found = {kind: [list(span) for span in splice(tags, kind)] for kind in case["expected"]}
        assert found == case["expected"], case["id"]


def by_the_papers_loop(tags, kind):
    """Algorithm 1 with two nested loops, as the paper tells it: find an opening, then look for its end."""
    spans, position = [], 0
    while position < len(tags):
        if kind not in tags[position]:
            position += 1
            continue
        end = position + 1
        while end < len(tags) and (not tags[end] or kind in tags[end]):
            end += 1
        spans.append((position, end))
        position = end
    return tuple(spans)


@given(TAGS, st.sampled_from(KINDS[:4]))
def test_equals_the_papers_loop(tags, kind):
    assert splice(tags, kind) == by_the_papers_loop(tags, kind)


@given(TAGS, st.sampled_from(KINDS[:4]))
def test_spans_are_sorted_disjoint_and_inside(tags, kind):
    spans = splice(tags, kind)
    assert all(0 <= start < stop <= len(tags) for start, stop in spans)
    assert all(before[1] <= after[0] for before, after in pairwise(spans))
    assert set(positions_of(spans)) >= {i for i, kinds in enumerate(tags) if kind in kinds}
    assert bool(spans) == any(kind in kinds for kinds in tags)


@given(TAGS)
def test_every_tagged_token_is_in_a_span(tags):
    covered = {position for kind in KINDS for position in positions_of(splice(tags, kind))}
    first = next((i for i, kinds in enumerate(tags) if kinds), len(tags))
    assert covered == set(range(first, len(tags)))


@given(st.frozensets(st.integers(0, 30)))
def test_spans_and_positions_are_inverse(positions):
    spans = spans_of(positions)
    assert positions_of(spans) == sorted(positions)
    assert all(before[1] < after[0] for before, after in pairwise(spans))


def test_fragment_text():
    fragment = to_fragment(["find", "all", "old", "ships", "now"], "WHERE", ((0, 1), (2, 4)))
    assert (fragment.kind, fragment.spans, fragment.text) == ("WHERE", ((0, 1), (2, 4)), "find old ships")
    assert to_fragment(["a"], "WHERE", ()).text == ""


@pytest.mark.parametrize("spans", [((0, 3),), ((1, 1),), ((1, 2), (0, 1)), ((0, 2), (1, 2)), ((-1, 1),)])
def test_spans_that_do_not_fit(spans):
    with pytest.raises(ValueError, match="do not fit a question of 2 tokens"):
        to_fragment(["a", "b"], "WHERE", spans)
