"""Small parts that all encoders and the decoder share."""

import torch
from torch import Tensor, nn


class Pool:
    """Dropout values drawn beforehand: drawing one costs more than the product that it is for.

    A cut at a random place is as good a mask as a fresh one. The pool grows to four times the largest mask.

    Args:
        rate: share of values that are 0; the others are 1 / (1 - rate).
        generator: all masks follow from it.
    """

    def __init__(self, rate: float, generator: torch.Generator):
        self._rate, self._generator = rate, generator
        self._values: dict[torch.dtype, Tensor] = {torch.bfloat16: torch.empty(0, dtype=torch.bfloat16)}

    def mask(self, like: Tensor) -> Tensor:
        """A mask for values of any shape, of their shape, kind and device."""
        size, drawn = like.numel(), self._values[torch.bfloat16]
        if 4 * size > drawn.numel():
            chances = torch.rand(1 << (4 * size - 1).bit_length(), generator=self._generator)
            drawn = (chances >= self._rate).to(torch.bfloat16) / (1 - self._rate)
            self._values = {torch.bfloat16: drawn}
        if like.dtype not in self._values:
            self._values[like.dtype] = drawn.to(like.dtype)  # once, not for each mask
        first = int(torch.randint(drawn.numel() - size + 1, (), generator=self._generator))
        return self._values[like.dtype][first : first + size].view(like.shape).to(like.device)


class PooledDropout(nn.Module):
    """Dropout with masks cut from a pool; needs `pool` to be set before it trains.

    Args:
        rate: share of values set to 0; the others grow by 1 / (1 - rate).
    """

    def __init__(self, rate: float):
        super().__init__()
        self.rate = rate
        self.pool: Pool | None = None

    def forward(self, values: Tensor) -> Tensor:
        """Any shape in, the same shape out."""
        if not self.training or self.rate == 0 or self.pool is None:
            return values
        return values * self.pool.mask(values)


class WordVectors(nn.Module):
    """Vectors with values of deviation 1, made from weights of deviation 1 / sqrt(width) (Vaswani et al. 2017, 3.4).

    Adam moves all weights equally far, whatever their size: vectors made from small ones learn faster.

    Args:
        count: number of words.
        width: of their vectors.
        padding: the word whose vector stays 0, if any.
    """

    def __init__(self, count: int, width: int, padding: int | None = None):
        super().__init__()
        self.small = nn.Embedding(count, width, padding_idx=padding)
        self._scale = width**0.5
        with torch.no_grad():
            self.small.weight /= self._scale

    def forward(self, words: Tensor) -> Tensor:
        """Any shape in, (..., width) out."""
        return self.small(words) * self._scale


def redraw(model: nn.Module, generator: torch.Generator) -> None:
    """Gives every dropout of a model new masks; dropouts of one rate share a pool."""
    pools: dict[float, Pool] = {}
    for module in model.modules():
        if isinstance(module, PooledDropout):
            module.pool = pools.setdefault(module.rate, Pool(module.rate, generator))


def exact(values: Tensor) -> Tensor:
    """At least fp32, for sums and logarithms that bf16 is too coarse for."""
    return values if values.dtype == torch.float64 else values.float()


def lowered(values: Tensor) -> Tensor:
    """In the precision of matrix products under autocast, which spares the CPU conversions; never of doubles."""
    kind = values.device.type
    if values.dtype == torch.float64 or not torch.is_autocast_enabled(kind):
        return values
    return values.to(torch.get_autocast_dtype(kind))


def reversed_within(values: Tensor, lengths: Tensor) -> Tensor:
    """Turns each sequence round within its true length; padding stays where it is.

    Args:
        values: (batch, len, width)
        lengths: (batch,) true lengths

    Returns:
        (batch, len, width)
    """
    places = torch.arange(values.shape[1], device=values.device)[None, :]  # (1, len)
    back = lengths[:, None] - 1 - places  # (batch, len)
    order = torch.where(back >= 0, back, places)
    return values.gather(1, order[:, :, None].expand_as(values))


def last_states(values: Tensor, lengths: Tensor) -> Tensor:
    """The value at the last true position: (batch, len, width) -> (batch, width)."""
    return values[torch.arange(values.shape[0], device=values.device), lengths - 1]


def mean_states(values: Tensor, mask: Tensor) -> Tensor:
    """The mean over real places: (batch, len, width) and (batch, len) -> (batch, width)."""
    weights = mask.to(values.dtype)
    return (values * weights[:, :, None]).sum(dim=1) / weights.sum(dim=1, keepdim=True)


def real(lengths: Tensor, width: int) -> Tensor:
    """True on real positions, False on padding: (batch,) -> (batch, width)."""
    return torch.arange(width, device=lengths.device)[None, :] < lengths[:, None]
