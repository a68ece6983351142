"""What an encoder hands to the decoder."""

from dataclasses import dataclass

from torch import Tensor


@dataclass(frozen=True, slots=True)
class Memory:
    """Encoded sources."""

    states: Tensor  # (batch, places, width) what the decoder attends to
    mask: Tensor  # (batch, places) True on real places
    summary: Tensor  # (batch, width) what the decoder starts from
    copies: Tensor  # (batch, places) extended target number of the word at each place; PAD where there is none

    def rows(self, chosen: Tensor) -> "Memory":
        """The memory of some sentences, (rows,) numbers of the batch; a sentence may come several times."""
        return Memory(self.states[chosen], self.mask[chosen], self.summary[chosen], self.copies[chosen])
