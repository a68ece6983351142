"""The BiLSTM encoder against the equations, written out with loops."""

import torch
from torch import Tensor

from lib.models.batching import collate
from lib.models.configuration import BiLSTMSettings
from lib.models.encoders.bilstm import BiLSTMEncoder


def naive_lstm(vectors: list[Tensor], lstm: torch.nn.LSTM) -> list[Tensor]:
    """Hochreiter and Schmidhuber 1997, one step after the other."""
    hidden = cell = torch.zeros(lstm.hidden_size, dtype=vectors[0].dtype)
    states = []
    for vector in vectors:
        gates = lstm.weight_ih_l0 @ vector + lstm.bias_ih_l0 + lstm.weight_hh_l0 @ hidden + lstm.bias_hh_l0
        enter, forget, new, out = gates.chunk(4)
        cell = torch.sigmoid(forget) * cell + torch.sigmoid(enter) * torch.tanh(new)
        hidden = torch.sigmoid(out) * torch.tanh(cell)
        states.append(hidden)
    return states


def naive(encoder: BiLSTMEncoder, numbers: list[int]) -> Tensor:
    """States of one sentence, (len, 2 * hidden)."""
    weights = encoder.embedding.small.weight
    vectors = [weights[number] * weights.shape[1] ** 0.5 for number in numbers]
    for ahead, back in zip(encoder.forwards, encoder.backwards, strict=True):
        left, right = naive_lstm(vectors, ahead), naive_lstm(vectors[::-1], back)[::-1]
        vectors = [torch.cat(both) for both in zip(left, right, strict=True)]
    return torch.stack(vectors)


def test_equals_the_loops(items):
    torch.manual_seed(1)
    encoder = BiLSTMEncoder(BiLSTMSettings(embedding=6, hidden=5, layers=2), 13).eval()
    batch = collate(items((5, 2, 7), (2, 2, 2), 4))
    memory = encoder(batch)
    for row, length in enumerate(batch.lengths.tolist()):
        expected = naive(encoder, batch.source[row, :length].tolist())
        torch.testing.assert_close(memory.states[row, :length], expected, atol=1e-5, rtol=0)
        ends = torch.cat([expected[-1, :5], expected[0, 5:]])
        torch.testing.assert_close(memory.summary[row], ends, atol=1e-5, rtol=0)
    assert memory.mask.sum(1).tolist() == batch.lengths.tolist()
