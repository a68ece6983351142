"""Small parts that all encoders and the decoder share."""

import torch
from torch import Tensor, nn

_POOL = 2**22  # values drawn beforehand; 8 MiB as bf16


class PooledDropout(nn.Module):
    """Dropout with masks cut from a pool of values drawn beforehand.

    Drawing a value costs more than the product it is for; a cut at a random place is as good a mask.

    Args:
        rate: share of values set to 0; the others grow by 1 / (1 - rate).
    """

    def __init__(self, rate: float):
        super().__init__()
        self.rate = rate
        self._pool: Tensor | None = None
        self._generator: torch.Generator | None = None

    def redraw(self, generator: torch.Generator) -> None:
        """Draws a new pool, as at the start of an epoch; all masks until the next one follow from it."""
        kept = torch.rand(_POOL, generator=generator) >= self.rate
        self._pool = kept.to(torch.bfloat16) / (1 - self.rate)
        self._generator = generator

    def forward(self, values: Tensor) -> Tensor:
        """Any shape in, the same shape out."""
        if not self.training or self.rate == 0:
            return values
        if self._pool is None:
            return nn.functional.dropout(values, self.rate)
        if values.numel() > _POOL:
            kept = torch.rand(values.shape, generator=self._generator) >= self.rate
            return values * kept.to(device=values.device, dtype=values.dtype) / (1 - self.rate)
        first = int(torch.randint(_POOL - values.numel() + 1, (), generator=self._generator))
        mask = self._pool[first : first + values.numel()].view(values.shape)
        return values * mask.to(device=values.device, dtype=values.dtype)


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


def real(lengths: Tensor, width: int) -> Tensor:
    """True on real positions, False on padding: (batch,) -> (batch, width)."""
    return torch.arange(width, device=lengths.device)[None, :] < lengths[:, None]
