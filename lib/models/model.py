"""A whole model: encoder, decoder, and the loss of a batch."""

import torch
from torch import Tensor, nn
from torch.nn.functional import logsigmoid

from lib.models.batching import Batch, shifted
from lib.models.configuration import Settings
from lib.models.decoder import AttentionDecoder, Decoded, copy_weights
from lib.models.encoders import make_encoder
from lib.models.encoders.memory import Memory
from lib.models.layers import exact, real

_ROWS = 64


class Translator(nn.Module):
    """SQL-to-text model.

    Args:
        settings: of the run.
        source_size: number of source words.
        target_size: number of target words.
    """

    def __init__(self, settings: Settings, source_size: int, target_size: int):
        super().__init__()
        self.target_size = target_size
        self.encoder = make_encoder(settings, source_size)
        self.decoder = AttentionDecoder(settings.decoder, self.encoder.width, target_size)

    def forward(self, batch: Batch) -> tuple[Memory, Decoded]:
        """Encodes the sources and decodes with the true words before each step."""
        memory = self.encoder(batch)
        return memory, self.decoder(memory, shifted(batch.target, self.target_size))

    def loss(self, batch: Batch, smoothing: float = 0.0) -> tuple[Tensor, int]:
        """Mean negative log likelihood (nats) of the real target words.

        Args:
            batch: with targets.
            smoothing: share of probability spread over the vocabulary, 0-1.

        Returns:
            The loss, and the number of words that it is the mean of.
        """
        memory, decoded = self(batch)
        chosen = real(batch.target_lengths, batch.target.shape[1])  # (batch, trg_len)
        words = batch.target[chosen]  # (n,): padding is cut off before the costly projection
        logits = self._logits(decoded.features, chosen)  # (n, vocabulary)
        if decoded.gate is None:
            return _vocabulary_loss(logits, words, self.target_size, smoothing), len(words)
        return self._copy_loss(logits, words, decoded, memory, chosen, smoothing), len(words)

    def _logits(self, features: Tensor, chosen: Tensor) -> Tensor:
        """Logits at the chosen places: (batch, trg_len, embedding) -> (n, vocabulary).

        The product is made for a few places more, up to a multiple: oneDNN compiles, and keeps, a kernel for each size.
        """
        places = chosen.flatten().nonzero().squeeze(1)  # (n,)
        more = places.new_zeros(-len(places) % _ROWS)
        rows = features.flatten(0, 1).index_select(0, torch.cat([places, more]))
        return self.decoder.logits(rows)[: len(places)]

    def _copy_loss(self, logits: Tensor, words: Tensor, decoded: Decoded, memory: Memory, chosen: Tensor,
                   smoothing: float) -> Tensor:  # fmt: skip
        """The same where a word may come from the vocabulary or from the source; (n,) words."""
        logits = exact(logits)
        total = logits.logsumexp(dim=-1)  # (n,)
        known = words < self.target_size
        picked = logits.gather(1, torch.where(known, words, 0)[:, None]).squeeze(1) - total
        picked = picked.masked_fill(~known, float("-inf"))
        alike = memory.copies[:, None, :] == self._targets(chosen, words)[:, :, None]  # (batch, trg_len, places)
        weights = copy_weights(decoded.attention, memory.copies[:, None, :])  # (batch, trg_len, places)
        mass = (weights * alike).sum(dim=-1)[chosen]  # (n,) attention on the word
        gate = decoded.gate[chosen]
        copied = mass.clamp_min(1e-30).log() + logsigmoid(-gate)
        likelihood = torch.logaddexp(picked + logsigmoid(gate), copied)
        spread = logits.mean(dim=-1) - total  # mean log probability over the vocabulary
        return -((1 - smoothing) * likelihood + smoothing * spread).mean()

    @staticmethod
    def _targets(chosen: Tensor, words: Tensor) -> Tensor:
        """Puts (n,) words back in their places, (batch, trg_len); -1 elsewhere, which is no word."""
        return torch.full(chosen.shape, -1, device=words.device).masked_scatter_(chosen, words)


def _vocabulary_loss(logits: Tensor, words: Tensor, size: int, smoothing: float) -> Tensor:
    inside = torch.where(words < size, words, 1)  # a rare word that cannot be copied is the unknown word
    return nn.functional.cross_entropy(exact(logits), inside, label_smoothing=smoothing)
