"""The loss of a batch: negative log likelihood with label smoothing, of chosen and of copied words."""

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable
from torch.nn.functional import linear, logsigmoid

from lib.models.batching import Batch
from lib.models.decoder import AttentionDecoder, Decoded, copy_weights
from lib.models.encoders.memory import Memory
from lib.models.layers import exact, real

_ROWS = 64  # oneDNN compiles, and keeps, a kernel for each size of a product: rows are filled up to a multiple


class _WordScores(torch.autograd.Function):
    """Log probability of one word a row, and the mean log probability over the vocabulary.

    Autograd would pass six more times over all (rows, vocabulary) values and take their exponentials again. The product
    is left to fp32, in which it multiplies bf16 numbers just as fast (see `fast_arithmetic`), since converting its
    result costs more than itself.
    """

    @staticmethod
    def forward(ctx, features: Tensor, weight: Tensor, bias: Tensor, words: Tensor) -> tuple[Tensor, Tensor]:
        """Features (n, width), weight (vocabulary, width), bias (vocabulary,), words (n,) -> two of (n,)."""
        with torch.autocast(features.device.type, enabled=False):
            logits = linear(features, weight, bias)  # (n, vocabulary)
        chances = logits.softmax(dim=-1)
        most, likeliest = chances.max(dim=-1, keepdim=True)  # never 0, so that its logarithm is exact
        total = logits.gather(1, likeliest) - most.log()  # (n, 1) logarithm of the sum of exponentials
        ctx.save_for_backward(features, weight, chances, words)
        return (logits.gather(1, words[:, None]) - total).squeeze(1), logits.mean(dim=-1) - total.squeeze(1)

    @staticmethod
    @once_differentiable
    def backward(ctx, by_word: Tensor, by_mean: Tensor) -> tuple[Tensor, Tensor, Tensor, None]:
        """Gradients of features, weight and bias from those of both results, (n,) each."""
        features, weight, chances, words = ctx.saved_tensors
        slopes = chances * -(by_word + by_mean)[:, None]  # of the logits
        slopes.add_((by_mean / slopes.shape[1])[:, None]).scatter_add_(1, words[:, None], by_word[:, None])
        return slopes @ weight, slopes.T @ features, slopes.sum(dim=0), None


def loss_of(
    decoder: AttentionDecoder, decoded: Decoded, memory: Memory, batch: Batch, smoothing: float
) -> tuple[Tensor, int]:
    """Mean negative log likelihood (nats) of the real target words.

    Args:
        decoder: chooses the words.
        decoded: with the true words before each step.
        memory: encoded sources.
        batch: with targets.
        smoothing: share of probability spread over the vocabulary, 0-1 (Szegedy et al. 2016).

    Returns:
        The loss, and the number of words that it is the mean of.
    """
    places = real(batch.target_lengths, batch.target.shape[1]).flatten().nonzero().squeeze(1)  # (n,)
    words = batch.target.flatten()[places]  # (n,) extended numbers
    size = len(decoder.bias)
    known = words < size
    # A rare word that cannot be copied is the unknown word.
    chosen, spread = _scores(decoder, decoded.features, places, torch.where(known, words, 1))
    if decoded.gate is not None:
        gate = decoded.gate.flatten()[places]
        copied = _copied(decoded.attention, memory.copies, batch.target).flatten()[places].clamp_min(
            1e-30
        ).log() + logsigmoid(-gate)
        chosen = torch.logaddexp(chosen.masked_fill(~known, float("-inf")) + logsigmoid(gate), copied)
    return -((1 - smoothing) * chosen + smoothing * spread).mean(), len(words)


def _scores(decoder: AttentionDecoder, features: Tensor, places: Tensor, words: Tensor) -> tuple[Tensor, Tensor]:
    """Log probability of each word and mean log probability, at some places of (batch, trg_len, embedding)."""
    count, more = len(places), -len(places) % _ROWS
    filled = torch.cat([places, places.new_zeros(more)])
    rows = exact(features.flatten(0, 1).index_select(0, filled))
    words = torch.cat([words, words.new_zeros(more)])
    chosen, spread = _WordScores.apply(rows, decoder.embedding.weight, decoder.bias, words)
    return chosen[:count], spread[:count]


def _copied(attention: Tensor, copies: Tensor, target: Tensor) -> Tensor:
    """Attention (batch, trg_len, places) on the places whose word is the true one, (batch, trg_len)."""
    alike = copies[:, None, :] == target[:, :, None]  # (batch, trg_len, places)
    return (copy_weights(attention, copies[:, None, :]) * alike).sum(dim=-1)
