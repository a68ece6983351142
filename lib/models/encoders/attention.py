"""Self-attention with relations between places (Shaw et al. 2018), and the layer of a Transformer around it."""

import torch
from torch import Tensor, nn

from lib.models.layers import PooledDropout, exact

_HIDDEN = -1e30  # added to a score, it leaves a weight of 0


class RelationAttention(nn.Module):
    """Multi-head attention in which the relation of two places adds to key and value (Shaw et al. 2018, eq. 3, 4).

    e_ij = q_i (k_j + r^K_ij) / sqrt(d);  z_i = sum_j a_ij (v_j + r^V_ij). Heads share the vectors of relations.

    Args:
        width: of the states, a multiple of `heads`.
        heads: number of heads.
        relations: number of relations; 0 for plain attention (Vaswani et al. 2017).
        context: whether two places are also related by the state of a third one.
    """

    def __init__(self, width: int, heads: int, relations: int = 0, context: bool = False):
        super().__init__()
        self.heads, self.size = heads, width // heads
        self.queries = nn.Linear(width, width)
        self.keys_values = nn.Linear(width, 2 * width)
        self.out = nn.Linear(width, width)
        shape = (relations, self.size)
        self.relation_keys = nn.Parameter(torch.randn(shape) * self.size**-0.5) if relations else None
        self.relation_values = nn.Parameter(torch.randn(shape) * self.size**-0.5) if relations else None
        self.context = nn.Linear(width, 2 * width) if context else None

    def forward(
        self,
        asking: Tensor,
        asked: Tensor,
        mask: Tensor,
        relations: Tensor | None = None,
        context: tuple[Tensor, Tensor] | None = None,
    ) -> Tensor:
        """Attends from `asking` to `asked`.

        Args:
            asking: (batch, n, width)
            asked: (batch, m, width)
            mask: (batch, 1 or n, m), False where nothing may be seen; a place that sees nothing gets zeros.
            relations: (1 or batch, n, m) number of the relation of place i to place j.
            context: states (batch, k, width), and (batch, n, m) which of them relates place i to place j.

        Returns:
            (batch, n, width)
        """
        queries = self._split(self.queries(asking) * self.size**-0.5)  # (batch, heads, n, size)
        keys, values = map(self._split, self.keys_values(asked).chunk(2, dim=-1))  # (batch, heads, m, size)
        scores = queries @ keys.transpose(2, 3)  # (batch, heads, n, m)
        kinds = list(self._relations(relations, context, scores))
        for relation_keys, _, where in kinds:
            # All relations at once, then the one of each pair: fewer products than one for each pair.
            scores = scores + (queries @ relation_keys.transpose(-1, -2)).gather(3, where)
        weights = _softmax(exact(scores), mask[:, None]).to(values.dtype)
        mixed = weights @ values  # (batch, heads, n, size)
        for _, relation_values, where in kinds:
            by_relation = weights.new_zeros(*weights.shape[:3], relation_values.shape[-2])
            by_relation = by_relation.scatter_add(3, where, weights)  # (batch, heads, n, relations)
            mixed = mixed + by_relation @ relation_values
        return self.out(mixed.transpose(1, 2).flatten(2))

    def _relations(self, relations: Tensor | None, context: tuple[Tensor, Tensor] | None, scores: Tensor):
        """For each kind of relations: keys and values, (..., relations, size), and which one each pair has."""
        if self.relation_keys is not None:
            where = relations[:, None].expand(scores.shape)
            yield self.relation_keys.to(scores.dtype), self.relation_values.to(scores.dtype), where
        if self.context is not None:
            states, chosen = context
            keys, values = map(self._split, self.context(states).chunk(2, dim=-1))  # (batch, heads, k, size)
            yield keys, values, chosen[:, None].expand(scores.shape)

    def _split(self, values: Tensor) -> Tensor:
        """(batch, n, width) -> (batch, heads, n, size)."""
        return values.view(*values.shape[:2], self.heads, self.size).transpose(1, 2)


def _softmax(scores: Tensor, mask: Tensor) -> Tensor:
    """Over the last dimension, where the mask is True; zeros where it is True nowhere. All scores must be finite."""
    hidden = torch.zeros(mask.shape, dtype=scores.dtype, device=scores.device).masked_fill_(~mask, _HIDDEN)
    # Adding has no work in the backward pass, unlike filling: the slope of a weight of 0 is 0.
    weights = (scores + hidden).softmax(dim=-1)
    seen = mask.any(dim=-1, keepdim=True)
    # On a GPU, asking would wait for it.
    return weights if scores.device.type == "cpu" and bool(seen.all()) else weights * seen


class FeedForward(nn.Module):
    """Two products with a ReLU between them.

    Args:
        width: of the states.
        inner: width in between.
        dropout: 0-1, in between.
    """

    def __init__(self, width: int, inner: int, dropout: float):
        super().__init__()
        self.enter, self.leave = nn.Linear(width, inner), nn.Linear(inner, width)
        self.dropout = PooledDropout(dropout)

    def forward(self, states: Tensor) -> Tensor:
        """(..., width) -> (..., width)."""
        return self.leave(self.dropout(torch.relu(self.enter(states))))


class TransformerLayer(nn.Module):
    """Self-attention and feed-forward, each with normalisation before it and a path around it.

    Args:
        width: of the states.
        heads: of the attention.
        inner: width inside the feed-forward part.
        dropout: 0-1.
        relations: number of relations between places; 0 for none.
    """

    def __init__(self, width: int, heads: int, inner: int, dropout: float, relations: int = 0):
        super().__init__()
        self.attention = RelationAttention(width, heads, relations)
        self.feed_forward = FeedForward(width, inner, dropout)
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(2))
        self.dropout = PooledDropout(dropout)

    def forward(self, states: Tensor, mask: Tensor, relations: Tensor | None = None) -> Tensor:
        """States (batch, n, width), mask and relations as in `RelationAttention`."""
        normed = self.norms[0](states)
        states = states + self.dropout(self.attention(normed, normed, mask, relations))
        return states + self.dropout(self.feed_forward(self.norms[1](states)))
