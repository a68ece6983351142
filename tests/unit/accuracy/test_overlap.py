"""Counting what two results share, against plain definitions."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as some

from lib.accuracy.overlap import overlap

ROWS = some.lists(some.tuples(some.sampled_from([1, 1.0, "1", None, 2])), max_size=7)


@given(ROWS, ROWS)
def test_all_figures_agree_with_their_definitions(gold, pred):
    found, wanted, got = overlap(gold, pred), Counter(gold), Counter(pred)
    assert found.equal_bags == (wanted == got)
    assert (found.subset, found.superset) == (got <= wanted, wanted <= got)
    assert found.equal_sets == (set(gold) == set(pred))
    if not found.equal_bags:
        assert (found.shared, found.union) == (len(set(gold) & set(pred)), len(set(gold) | set(pred)))
        for seen, more in ((found.missing, wanted - got), (found.extra, got - wanted)):
            assert (0 if seen is None else seen[1]) == more.total()
            assert seen is None or seen[0] in more


@given(ROWS, ROWS)
def test_a_row_that_only_one_side_has_is_named_first(gold, pred):
    new = [row for row in pred if row not in gold]
    if new:
        assert overlap(gold, pred).extra[0] == new[0]
