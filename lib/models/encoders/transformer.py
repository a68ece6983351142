"""ABS and REL: Transformer encoders that know places absolutely (Vaswani et al. 2017) or to each other (Shaw 2018)."""

import torch
from torch import Tensor, nn

from lib.models.batching import Batch
from lib.models.configuration import AbsSettings, RelSettings
from lib.models.encoders.attention import TransformerLayer
from lib.models.encoders.memory import Memory
from lib.models.layers import PooledDropout, WordVectors, lowered, mean_states, real
from lib.models.vocabulary import PAD


class _TransformerEncoder(nn.Module):
    """What ABS and REL share: token vectors, layers, a last normalisation."""

    def __init__(self, settings: AbsSettings | RelSettings, vocabulary_size: int, relations: int):
        super().__init__()
        self.width = settings.width
        self.embedding = WordVectors(vocabulary_size, settings.width, PAD)
        self.layers = nn.ModuleList(
            TransformerLayer(settings.width, settings.heads, settings.feedforward, settings.dropout, relations)
            for _ in range(settings.layers)
        )
        self.norm = nn.LayerNorm(settings.width)
        self.dropout = PooledDropout(settings.dropout)

    def forward(self, batch: Batch) -> Memory:
        """Encodes a batch; states are (batch, src_len, width)."""
        mask = real(batch.lengths, batch.source.shape[1])  # (batch, src_len)
        states, relations = self._placed(self.embedding(batch.source))  # (batch, src_len, width)
        states = self.dropout(lowered(states))
        for layer in self.layers:
            states = layer(states, mask[:, None, :], relations)
        states = self.norm(states)
        return Memory(states, mask, mean_states(states, mask), batch.copies)

    def _placed(self, vectors: Tensor) -> tuple[Tensor, Tensor | None]:
        """Token vectors with what is known of their places, and relations between places."""
        raise NotImplementedError


class AbsEncoder(_TransformerEncoder):
    """Transformer with sinusoidal absolute positions.

    Args:
        settings: widths, layers, heads, dropout.
        vocabulary_size: number of source words.
    """

    def __init__(self, settings: AbsSettings, vocabulary_size: int):
        super().__init__(settings, vocabulary_size, relations=0)

    def _placed(self, vectors: Tensor) -> tuple[Tensor, None]:
        return vectors + sinusoids(vectors.shape[1], self.width, vectors), None


class RelEncoder(_TransformerEncoder):
    """Transformer with relative positions, clipped to `reach` on both sides.

    Args:
        settings: widths, layers, heads, reach, dropout.
        vocabulary_size: number of source words.
    """

    def __init__(self, settings: RelSettings, vocabulary_size: int):
        super().__init__(settings, vocabulary_size, relations=2 * settings.reach + 1)
        self.reach = settings.reach

    def _placed(self, vectors: Tensor) -> tuple[Tensor, Tensor]:
        places = torch.arange(vectors.shape[1], device=vectors.device)
        apart = (places[None, :] - places[:, None]).clamp(-self.reach, self.reach)  # (src_len, src_len): j - i
        return vectors, (apart + self.reach)[None]


def sinusoids(length: int, width: int, like: Tensor) -> Tensor:
    """Sines of the position on even places of the vector, cosines on odd ones (Vaswani et al. 2017, 3.5).

    Returns:
        (length, width), of the kind and on the device of `like`.
    """
    positions = torch.arange(length, device=like.device, dtype=like.dtype)[:, None]
    rates = 10000 ** (-torch.arange(0, width, 2, device=like.device, dtype=like.dtype) / width)
    angles = positions * rates  # (length, ceil(width / 2))
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)[:, :width]
