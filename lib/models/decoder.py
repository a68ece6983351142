"""The decoder of all models: an LSTM with attention (Luong et al. 2015), which may copy (See et al. 2017).

The attention comes after the LSTM and is not fed back into it, so that training runs the LSTM over the whole target
in one call.
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.functional import linear, logsigmoid

from lib.models.configuration import DecoderSettings
from lib.models.encoders.memory import Memory
from lib.models.layers import PooledDropout, exact
from lib.models.vocabulary import PAD

_SURELY = 1e4  # as a logit: probability 1


@dataclass(frozen=True, slots=True)
class Decoded:
    """What the decoder knows at each step, before it chooses words."""

    features: Tensor  # (..., embedding) input of the choice of words
    attention: Tensor  # (..., places) sums to 1 over real places
    gate: Tensor | None  # (...,) logit of choosing from the vocabulary rather than copying; None without copying


@dataclass(frozen=True, slots=True)
class Choice:
    """What the choice of words needs at every step: the vocabulary made longer by the words that can be copied."""

    weight: Tensor  # (vocabulary + extra, embedding)
    bias: Tensor  # (vocabulary + extra,); -inf for words that can only be copied


def alike(copies: Tensor) -> Tensor:
    """Which places hold the same word: (batch, places) -> (batch, places, places), 1.0 or 0.0; 0.0 for no word."""
    return ((copies[:, :, None] == copies[:, None, :]) & (copies != PAD)[:, :, None]).to(torch.get_default_dtype())


def copy_weights(attention: Tensor, copies: Tensor) -> Tensor:
    """Attention on the places that hold a word, made to sum to 1; both (..., places)."""
    kept = attention * (copies != PAD)
    return kept / kept.sum(dim=-1, keepdim=True).clamp_min(torch.finfo(kept.dtype).tiny)


class AttentionDecoder(nn.Module):
    """Attention LSTM whose output words share their vectors with its input words.

    Args:
        settings: widths, dropout, copying.
        memory_width: width of the encoder's states.
        vocabulary_size: number of target words.
    """

    def __init__(self, settings: DecoderSettings, memory_width: int, vocabulary_size: int):
        super().__init__()
        width, hidden = settings.embedding, settings.hidden
        self.embedding = nn.Embedding(vocabulary_size, width, padding_idx=PAD)
        nn.init.normal_(self.embedding.weight, std=width**-0.5)  # it also chooses the words: keep logits near 1
        with torch.no_grad():
            self.embedding.weight[PAD].zero_()
        self.lstm = nn.LSTM(width, hidden, batch_first=True)
        self.start = nn.Linear(memory_width, 2 * hidden)
        self.key = nn.Linear(memory_width, hidden, bias=False)
        self.combine = nn.Linear(hidden + memory_width, width)
        self.bias = nn.Parameter(torch.zeros(vocabulary_size))
        self.gate = nn.Linear(hidden + memory_width, 1) if settings.copy else None
        self.dropout = PooledDropout(settings.dropout)

    def initial(self, memory: Memory) -> tuple[Tensor, Tensor]:
        """The first hidden and cell state, (batch, hidden) each."""
        return torch.tanh(self.start(memory.summary)).chunk(2, dim=-1)

    def forward(self, memory: Memory, words: Tensor) -> Decoded:
        """Runs over whole targets.

        Args:
            memory: encoded sources.
            words: (batch, trg_len) the word before each step.

        Returns:
            Features (batch, trg_len, embedding) and attention (batch, trg_len, places).
        """
        vectors = self.dropout(self.embedding(words))  # (batch, trg_len, embedding)
        hidden, cell = self.initial(memory)
        states = self.lstm(vectors, (hidden[None].contiguous(), cell[None].contiguous()))[0]
        return self.attend(states, self.key(memory.states), memory)

    def attend(self, states: Tensor, keys: Tensor, memory: Memory) -> Decoded:
        """Attention from decoder states, (batch, steps, hidden), to keys, (batch, places, hidden)."""
        scores = exact(states @ keys.transpose(1, 2))  # (batch, steps, places)
        attention = scores.masked_fill(~memory.mask[:, None, :], float("-inf")).softmax(dim=-1)
        context = attention.to(memory.states.dtype) @ memory.states  # (batch, steps, memory_width)
        both = self.dropout(torch.cat([states.to(context.dtype), context], dim=-1))
        gate = None if self.gate is None else self._gate(both, memory.copies)
        return Decoded(self.dropout(torch.tanh(self.combine(both))), attention, gate)

    def _gate(self, both: Tensor, copies: Tensor) -> Tensor:
        """Logit of choosing from the vocabulary, (batch, steps); large where there is nothing to copy."""
        gate = exact(self.gate(both).squeeze(-1))
        return gate.masked_fill((copies == PAD).all(dim=1)[:, None], _SURELY)

    def choice(self, extra: int) -> Choice:
        """For a search in which `extra` words beyond the vocabulary can be copied."""
        weight = nn.functional.pad(self.embedding.weight, (0, 0, 0, extra))
        return Choice(weight, nn.functional.pad(self.bias, (0, extra), value=float("-inf")))

    def log_probabilities(self, decoded: Decoded, choice: Choice, copies: Tensor, same: Tensor) -> Tensor:
        """Log probability of each word of the vocabulary and of each word that can be copied, for decoding.

        Args:
            decoded: with leading shape (batch, steps).
            choice: as `choice` makes it.
            copies: (batch, places) extended numbers of the source words.
            same: (batch, places, places), `alike` of them.

        Returns:
            (batch, steps, vocabulary + extra); the words beyond the vocabulary are -inf without copying.
        """
        with torch.autocast(copies.device.type, enabled=False):  # bf16 is too coarse to tell words apart
            logits = linear(exact(decoded.features), choice.weight, choice.bias)
        scores = logits.log_softmax(dim=-1)  # one pass; logsumexp and a subtraction take three times as long
        if decoded.gate is None:
            return scores
        gate = decoded.gate[:, :, None]
        scores += logsigmoid(gate)
        weights = copy_weights(decoded.attention, copies[:, None, :])  # (batch, steps, places)
        mass = exact(weights.to(same.dtype) @ same)  # of the word at each place, wherever it stands
        words = copies[:, None, :].expand_as(mass)
        both = torch.logaddexp(scores.gather(2, words), mass.log() + logsigmoid(-gate))
        return scores.scatter_(2, words, both)
