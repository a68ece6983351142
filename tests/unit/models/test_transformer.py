"""ABS and REL against the formulas, written out with loops."""

import math

import pytest
import torch
from torch import Tensor

from lib.models.batching import collate
from lib.models.configuration import AbsSettings, RelSettings
from lib.models.encoders.attention import RelationAttention, TransformerLayer
from lib.models.encoders.transformer import AbsEncoder, RelEncoder, sinusoids


def naive_attention(attention: RelationAttention, states: Tensor, relation) -> Tensor:
    """Attention of one sentence, (n, width), pair by pair; `relation(i, j)` numbers the pair, or None."""
    size, results = attention.size, []
    queries = attention.queries(states)
    keys, values = attention.keys_values(states).chunk(2, dim=-1)
    for i in range(len(states)):
        heads = []
        for head in range(attention.heads):
            cut = slice(head * size, (head + 1) * size)
            scores, seen = [], []
            for j in range(len(states)):
                key, value = keys[j, cut], values[j, cut]
                if attention.relation_keys is not None:
                    key = key + attention.relation_keys[relation(i, j)]
                    value = value + attention.relation_values[relation(i, j)]
                scores.append(float(queries[i, cut] @ key) / math.sqrt(size))
                seen.append(value)
            total = sum(map(math.exp, scores))
            heads.append(sum(math.exp(score) / total * value for score, value in zip(scores, seen, strict=True)))
        results.append(attention.out(torch.cat(heads)))
    return torch.stack(results)


def naive_layer(layer: TransformerLayer, states: Tensor, relation=None) -> Tensor:
    """One layer for one sentence."""
    states = states + naive_attention(layer.attention, layer.norms[0](states), relation)
    inner = torch.relu(layer.feed_forward.enter(layer.norms[1](states)))
    return states + layer.feed_forward.leave(inner)


def naive_sinusoid(position: int, place: int, width: int) -> float:
    """Vaswani et al. 2017, 3.5."""
    angle = position / 10000 ** (2 * (place // 2) / width)
    return math.cos(angle) if place % 2 else math.sin(angle)


@pytest.mark.parametrize("kind", ["abs", "rel"])
@torch.no_grad()
def test_equals_the_loops(items, kind):
    torch.manual_seed(1)
    sizes = {"width": 8, "heads": 2, "feedforward": 9, "layers": 2}
    encoder = (
        AbsEncoder(AbsSettings(**sizes), 13) if kind == "abs" else RelEncoder(RelSettings(**sizes, reach=2), 13)
    ).eval()
    batch = collate(items((5, 2, 7), (2, 2, 2), 4))
    memory = encoder(batch)

    def relation(i, j):
        return max(-2, min(2, j - i)) + 2

    for row, length in enumerate(batch.lengths.tolist()):
        states = encoder.embedding(batch.source[row, :length])
        if kind == "abs":
            states = states + torch.tensor([[naive_sinusoid(i, p, 8) for p in range(8)] for i in range(length)])
        for layer in encoder.layers:
            states = naive_layer(layer, states, relation)
        states = encoder.norm(states)
        torch.testing.assert_close(memory.states[row, :length], states, atol=1e-5, rtol=0)
        torch.testing.assert_close(memory.summary[row], states.mean(dim=0), atol=1e-5, rtol=0)


@torch.no_grad()
def test_without_relations_it_is_torchs_attention():
    ours, theirs = RelationAttention(8, 2), torch.nn.MultiheadAttention(8, 2, batch_first=True)
    theirs.in_proj_weight.copy_(torch.cat([ours.queries.weight, ours.keys_values.weight]))
    theirs.in_proj_bias.copy_(torch.cat([ours.queries.bias, ours.keys_values.bias]))
    theirs.out_proj.load_state_dict(ours.out.state_dict())
    states, mask = torch.randn(3, 5, 8), torch.arange(5)[None, None, :] < torch.tensor([5, 2, 3])[:, None, None]
    expected = theirs(states, states, states, key_padding_mask=~mask[:, 0])[0]
    torch.testing.assert_close(ours(states, states, mask), expected, atol=1e-5, rtol=0)


@torch.no_grad()
def test_a_place_that_sees_nothing_gets_the_bias_alone():
    attention = RelationAttention(8, 2)
    mask = torch.tensor([[[True, False], [False, False]]])
    found = attention(torch.randn(1, 2, 8), torch.randn(1, 2, 8), mask)
    torch.testing.assert_close(found[0, 1], attention.out.bias)


@pytest.mark.parametrize("width", [1, 7, 8])
def test_sinusoids_of_any_width(width):
    expected = [[naive_sinusoid(i, p, width) for p in range(width)] for i in range(3)]
    torch.testing.assert_close(sinusoids(3, width, torch.zeros(1)), torch.tensor(expected), atol=1e-6, rtol=1e-5)


def test_absolute_positions_matter_and_relative_ones_move_along():
    """The same words two places later: ABS sees other states, REL within reach of nothing else the same relations."""
    torch.manual_seed(2)
    sizes = {"width": 8, "heads": 2, "feedforward": 9, "layers": 1}
    encoder = RelEncoder(RelSettings(**sizes, reach=3), 13)
    relations = encoder._placed(torch.zeros(1, 6, 8))[1][0]
    assert torch.equal(relations[:4, :4], relations[2:, 2:])
    assert relations.min() == 0
    assert relations.max() == 6
    absolute = AbsEncoder(AbsSettings(**sizes), 13)._placed(torch.zeros(1, 6, 8))[0]
    assert not torch.equal(absolute[0, 0], absolute[0, 2])
