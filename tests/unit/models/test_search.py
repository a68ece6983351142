"""lib.models.search."""

import itertools

import pytest
import torch

from lib.models.batching import collate
from lib.models.search import _BLOCK, _largest, _Stepper, limits, search
from lib.models.vocabulary import END, START


@pytest.fixture
def model(model_name, tiny_model):
    """A model whose texts end early and differ: random weights, made larger."""
    model = tiny_model(model_name, copy=True).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(2.5)
        model.decoder.bias[END] += 1.5
    return model


@pytest.fixture
def batch_items(model_name, items):
    """24 items."""
    return items([1 + n % 9 for n in range(24)], [1] * 24, 9, model_name)


def test_beam_of_one_is_greedy(model, batch_items):
    from lib.models import search as module

    batch = collate(batch_items)
    greedy = search(model, batch)
    with torch.no_grad():
        memory = model.encoder(batch)
        beam = module._beam(_Stepper(model, memory, batch.copies.shape[1]), limits(batch.lengths), 1, 1.0)
    assert beam == greedy
    assert len({tuple(text) for text in greedy}) > 3


@pytest.mark.parametrize("beam", [1, 3])
def test_batch_of_one_is_a_large_batch(model, batch_items, beam):
    together = search(model, collate(batch_items), beam)
    assert [search(model, collate([item]), beam)[0] for item in batch_items] == together


def _score(model, item, text):
    """Log probability of a whole text, by steps."""
    batch = collate([item])
    with torch.no_grad():
        step = _Stepper(model, model.encoder(batch), batch.copies.shape[1])
        state, word, total = step.state, START, 0.0
        for following in [*text, END]:
            state, scores = step(state, torch.tensor([[word]]))
            total, word = total + float(scores[0, 0, following]), following
    return total


def test_a_wide_beam_finds_the_best_short_text(tiny_model, items):
    model = tiny_model(seed=4).eval()
    with torch.no_grad():
        model.decoder.bias[END] += 4  # texts of two words at most are worth looking at
    item = items((4,), (1,), 2)[0]
    texts = [text for size in range(3) for text in itertools.product(range(4, 11), repeat=size)]
    best = max(texts, key=lambda text: _score(model, item, text))
    assert tuple(search(model, collate([item]), 60, length_penalty=0.0)[0]) == best


@pytest.mark.parametrize(("beams", "blocks", "count"), [(1, 1, 1), (1, 1, 2), (1, 9, 1), (3, 1, 6), (5, 7, 10)])
def test_the_best_by_blocks_are_the_best_of_all(beams, blocks, count):
    generator = torch.Generator().manual_seed(1)
    scores = torch.randn(20, beams, generator=generator)
    scores[0, 1:] = float("-inf")  # as at the start of a search
    chances = torch.randn(20, beams, blocks * _BLOCK, generator=generator)
    chances[3, :, 5:] = float("-inf")
    best, beam, words = _largest(scores, chances, count)
    totals = scores[:, :, None] + chances
    assert torch.equal(best, totals.flatten(1).topk(count).values)
    assert torch.equal(totals[torch.arange(20)[:, None], beam, words], best)


def test_a_text_that_never_ends_is_cut(tiny_model, items):
    model = tiny_model().eval()
    with torch.no_grad():
        model.decoder.bias[END] = -1e4
    batch = collate(items((1, 3), (1, 1), 2))
    for beam in (1, 2):
        assert [len(text) for text in search(model, batch, beam)] == limits(batch.lengths).tolist() == [22, 26]
