"""lib.models.batching."""

import random
from types import SimpleNamespace

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from lib.errors import ModelError
from lib.models.batching import Item, bucketed, by_length, collate, padded_length, shifted
from lib.models.vocabulary import PAD, START, UNKNOWN


def _items(lengths):
    return [Item((4,) * length, (4,) * length, (4,) * length) for length in lengths]


@given(st.lists(st.integers(1, 30), min_size=1, max_size=60), st.integers(1, 9), st.integers(0, 5))
def test_every_item_comes_once_in_batches_of_at_most_the_size(lengths, size, seed):
    batches = bucketed(_items(lengths), size, random.Random(seed))
    assert sorted(index for batch in batches for index in batch) == list(range(len(lengths)))
    assert max(map(len, batches)) <= size
    assert batches == bucketed(_items(lengths), size, random.Random(seed))


def test_batches_hold_similar_lengths():
    lengths = [random.Random(1).randrange(1, 40) for _ in range(1000)]
    batches = bucketed(_items(lengths), 50, random.Random(2))
    assert max(max(lengths[i] for i in batch) - min(lengths[i] for i in batch) for batch in batches) <= 4
    assert batches[0] != sorted(batches)[0] or batches[1] != sorted(batches)[1]  # but in no order


def test_batches_waste_little_on_either_side():
    """Pairs whose two lengths have nothing to do with each other: the worst case for one order of both."""
    rng = random.Random(3)
    items = [Item((4,) * rng.randrange(1, 25), (), (4,) * rng.randrange(1, 25)) for _ in range(6000)]
    batches = bucketed(items, 50, rng)
    for side, most in (("source", 0.2), ("target", 0.55)):  # tokens of padding an item, beyond filling up to fours
        needed = [[padded_length(len(getattr(items[i], side))) for i in batch] for batch in batches]
        waste = sum(max(lengths) * len(lengths) - sum(lengths) for lengths in needed) / len(items)
        assert waste < most, side


def test_structures_name_the_lengths_that_they_pad():
    """Sorted by the sum of the two, as the length of the source is, such batches would waste seven places on each."""
    rng = random.Random(4)
    items = [Item((4,) * sum(lengths), (), (4,), SimpleNamespace(padded=lengths))
             for lengths in ((rng.randrange(1, 25), rng.randrange(1, 25)) for _ in range(6000))]  # fmt: skip
    batches = bucketed(items, 50, rng)
    for side in range(2):
        needed = [[padded_length(items[i].padded[side]) for i in batch] for batch in batches]
        waste = sum(max(lengths) * len(lengths) - sum(lengths) for lengths in needed) / len(items)
        assert waste < 0.55, side


def test_by_length_is_a_permutation_longest_first():
    assert by_length(_items([2, 9, 2, 5]), 3) == [[1, 3, 0], [2]]


def test_padding():
    batch = collate([Item((5, 6), (7, 8), (9, 3)), Item((5,) * 5, (7,) * 5, (3,))])
    assert batch.source.shape == (2, 8)
    assert batch.target.shape == (2, 4)
    assert batch.source[0].tolist() == [5, 6, *[PAD] * 6]
    assert batch.lengths.tolist() == [2, 5]
    assert batch.target_lengths.tolist() == [2, 1]


def test_nothing_to_batch():
    with pytest.raises(ModelError, match="no pairs"):
        collate([])
    with pytest.raises(ModelError, match="no pairs to train on"):
        bucketed([], 4, random.Random(1))


def test_the_decoder_reads_the_words_before_and_no_copied_ones():
    assert shifted(torch.tensor([[5, 12, 3, 0]]), 10).tolist() == [[START, 5, UNKNOWN, 3]]
