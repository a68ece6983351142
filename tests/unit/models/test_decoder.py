"""lib.models.decoder: the attention decoder, copying, and the loss."""

import itertools
import math
from dataclasses import replace

import pytest
import torch
from torch.nn.functional import cross_entropy, linear

from lib.models.batching import collate, inside, shifted
from lib.models.decoder import alike
from lib.models.layers import real
from lib.models.loss import _WordScores
from lib.models.search import _Stepper
from lib.models.vocabulary import PAD, START, UNKNOWN


def _stepped(model, batch):
    """Log probabilities of the true words when the decoder runs step by step, (batch, trg_len)."""
    memory = model.encoder(batch)
    step = _Stepper(model, memory, batch.copies.shape[1])
    state, words, found = step.state, torch.full_like(batch.target[:, 0], START), []
    for place in range(batch.target.shape[1]):
        state, scores = step(state, words[:, None])
        words = batch.target[:, place]
        found.append(scores[:, 0].gather(1, words[:, None]).squeeze(1))
    return torch.stack(found, dim=1)


@pytest.mark.parametrize("copy", [False, True])
@torch.no_grad()
def test_teacher_forcing_equals_step_by_step(model_name, tiny_model, items, copy):
    model = tiny_model(model_name, copy=copy).eval()
    several = items((5, 2, 7), (4, 6, 3), 8, model_name)
    if not copy:  # words beyond the vocabulary have no probability then
        several = [replace(item, target=(*(4 + word % 7 for word in item.target[:-1]), 3))
                   for item in several]  # fmt: skip
    batch = collate(several)
    chosen = real(batch.target_lengths, batch.target.shape[1])
    torch.testing.assert_close(-_stepped(model, batch)[chosen].mean(), model.loss(batch)[0])


@torch.no_grad()
def test_attention_against_the_formula(tiny_model, tiny_batch):
    model, batch = tiny_model().eval(), tiny_batch()
    memory, decoded = model(batch)
    start = tuple(value[None].contiguous() for value in model.decoder.initial(memory))
    states = model.decoder.lstm(model.decoder.embedding(shifted(batch.target, 11)), start)[0]
    for row, length in enumerate(batch.lengths.tolist()):
        for step in range(states.shape[1]):
            scores = [
                float(states[row, step] @ (model.decoder.key.weight @ memory.states[row, j])) for j in range(length)
            ]
            total = sum(map(math.exp, scores))
            expected = torch.tensor([math.exp(score) / total for score in scores])
            torch.testing.assert_close(decoded.attention[row, step, :length], expected, atol=1e-5, rtol=0)
            assert decoded.attention[row, step, length:].abs().sum() == 0


def _chances(model, memory, decoded):
    """Probability of each word at each step, (batch, trg_len, vocabulary + places)."""
    choice = model.decoder.choice(memory.copies.shape[1])
    return model.decoder.log_probabilities(decoded, choice, memory.copies, alike(memory.copies)).exp()


@torch.no_grad()
def test_copying_puts_its_mass_on_source_words(tiny_model, tiny_batch):
    model, batch = tiny_model(copy=True).eval(), tiny_batch()
    memory, decoded = model(batch)
    model.decoder.gate.bias.fill_(-50)  # always copies
    memory, decoded = model(batch)
    chances = _chances(model, memory, decoded)[:, 0]
    torch.testing.assert_close(chances.sum(1), torch.ones(3))
    for row, length in enumerate(batch.lengths.tolist()):
        words = batch.copies[row, :length].unique()
        torch.testing.assert_close(chances[row, words].sum(), torch.tensor(1.0))


@torch.no_grad()
@pytest.mark.parametrize("copy", [False, True])
def test_probabilities_sum_to_one(tiny_model, tiny_batch, copy):
    model, batch = tiny_model(copy=copy).eval(), tiny_batch()
    memory, decoded = model(batch)
    chances = _chances(model, memory, decoded)
    torch.testing.assert_close(chances.sum(2), torch.ones(chances.shape[:2]))


@torch.no_grad()
def test_probabilities_against_the_formula(tiny_model, tiny_batch):
    model, batch = tiny_model(copy=True).eval(), tiny_batch((6, 3, 7), (3, 3, 3))
    memory, decoded = model(batch)
    chances, choose = _chances(model, memory, decoded), decoded.gate.sigmoid()
    plain = linear(decoded.features, model.decoder.embedding.weight, model.decoder.bias).softmax(dim=-1)
    for row, step in itertools.product(range(3), range(3)):
        expected = torch.zeros(11 + batch.copies.shape[1])
        expected[:11] = choose[row, step] * plain[row, step]
        for place, word in enumerate(batch.copies[row].tolist()):
            if word != PAD:
                expected[word] += (1 - choose[row, step]) * decoded.attention[row, step, place]
        torch.testing.assert_close(chances[row, step], expected)


def test_words_beyond_the_vocabulary_read_as_unknown():
    assert inside(torch.tensor([3, 11, 25]), 11).tolist() == [3, UNKNOWN, UNKNOWN]


@torch.no_grad()
def test_label_smoothing_against_torch(tiny_model, items):
    model = tiny_model().eval()
    several = [type(item)(item.source, item.copies, tuple(min(word, 10) for word in item.target))
               for item in items((5, 3), (4, 6), 8)]  # fmt: skip
    batch = collate(several)
    _, decoded = model(batch)
    logits = linear(decoded.features, model.decoder.embedding.weight, model.decoder.bias)
    expected = torch.nn.functional.cross_entropy(
        logits.transpose(1, 2), batch.target, ignore_index=0, label_smoothing=0.1
    )
    torch.testing.assert_close(model.loss(batch, 0.1)[0], expected)


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_word_scores_are_log_probabilities_with_the_right_gradients(smoothing):
    torch.manual_seed(2)
    shapes = ((5, 4), (7, 4), (7,))  # features, weight, bias
    values = tuple(torch.randn(shape, dtype=torch.float64, requires_grad=True) for shape in shapes)
    words = torch.tensor([0, 6, 3, 3, 1])

    def ours(*inputs):
        chosen, mean = _WordScores.apply(*inputs, words)
        return -((1 - smoothing) * chosen + smoothing * mean).mean()

    expected = cross_entropy(linear(*values), words, label_smoothing=smoothing)
    torch.testing.assert_close(ours(*values), expected)
    assert torch.autograd.gradcheck(ours, values)
