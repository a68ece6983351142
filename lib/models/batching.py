"""Encoded pairs -> padded batches of similar lengths."""

import random
from collections.abc import Sequence, Set
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from lib.errors import ModelError
from lib.models.vocabulary import END, PAD, START, UNKNOWN, Vocabulary

_STEP = 4  # lengths are padded to multiples of it, which spares oneDNN from compiling kernels for each length


@dataclass(frozen=True, slots=True)
class Item:
    """One encoded pair."""

    source: tuple[int, ...]  # source numbers
    copies: tuple[int, ...]  # number in the target vocabulary of each source token, extended
    target: tuple[int, ...]  # target numbers, extended, with END; empty if unknown
    structure: Any = None  # what the encoder needs besides the tokens

    @property
    def padded(self) -> tuple[int, ...]:
        """The lengths that its source takes in a padded batch: one of tokens, or those that its structure names."""
        return getattr(self.structure, "padded", (len(self.source),))


@dataclass(frozen=True, slots=True)
class Batch:
    """Padded pairs. Lengths are multiples of 4, the last positions are padding."""

    source: Tensor  # (batch, src_len) source numbers
    lengths: Tensor  # (batch,) true source lengths
    copies: Tensor  # (batch, src_len) extended target numbers; PAD on padding
    target: Tensor  # (batch, trg_len) extended target numbers with END
    target_lengths: Tensor  # (batch,) true target lengths
    structures: tuple[Any, ...]  # one for each pair

    def to(self, device: torch.device) -> "Batch":
        """The same on a device."""
        if device.type == "cpu":
            return self
        tensors = self.source, self.lengths, self.copies, self.target, self.target_lengths
        return Batch(*(tensor.to(device) for tensor in tensors), self.structures)


@dataclass(frozen=True, slots=True)
class Coder:
    """Both vocabularies, and how pairs become numbers."""

    source: Vocabulary
    target: Vocabulary

    def item(
        self,
        source: Sequence[str],
        target: Sequence[str] | None = None,
        structure: Any = None,
        silent: Set[int] = frozenset(),
    ) -> Item:
        """Encodes one pair.

        Args:
            source: lower-case source tokens, at least one.
            target: lower-case target tokens, or None if there is none.
            structure: what the encoder needs besides.
            silent: places of the source that cannot be copied.

        Raises:
            ModelError: if the source is empty.
        """
        if not source:
            raise ModelError("cannot encode an empty source")
        spoken = ["" if place in silent else word for place, word in enumerate(source)]
        copies = [
            PAD if place in silent else number for place, number in enumerate(self.target.extended(spoken, spoken))
        ]
        numbers = () if target is None else (*self.target.extended(target, spoken), END)
        return Item(tuple(self.source.numbers(source)), tuple(copies), numbers, structure)

    def words(self, numbers: Sequence[int], source: Sequence[str]) -> list[str]:
        """The words of extended target numbers.

        Args:
            numbers: of the target vocabulary, or beyond it for words of the source.
            source: the source tokens, in whatever case they should be copied.
        """
        size = len(self.target)
        return [self.target.words[number] if number < size else source[number - size] for number in numbers]


def bucketed(items: Sequence[Item], size: int, rng: random.Random) -> list[list[int]]:
    """Shuffled batches of items with similar lengths, as indices.

    Args:
        items: at least one.
        size: items a batch, at least 1.
        rng: decides the order.

    Raises:
        ModelError: if there are no items.
    """
    if not items:
        raise ModelError("no pairs to train on: the training part is empty, or nothing in it has a text")
    places = [_place(item) for item in items]
    order = list(range(len(items)))
    rng.shuffle(order)  # items of one place stay in this order
    order.sort(key=places.__getitem__)
    batches = [order[first : first + size] for first in range(0, len(order), size)]
    rng.shuffle(batches)
    return batches


def _place(item: Item) -> tuple[int, ...]:
    """Where an item is sorted to: by the padded lengths of its source, within them by its target, up and down in turns.

    Turning round spares the batches that reach from one source length to the next from the longest and the shortest
    targets at once.
    """
    lengths = [*(padded_length(length) // _STEP for length in item.padded), len(item.target)]
    return tuple(length * (-1) ** sum(lengths[:index]) for index, length in enumerate(lengths))


def by_length(items: Sequence[Item], size: int) -> list[list[int]]:
    """Batches of items with similar source lengths, longest first, as indices; for decoding."""
    order = sorted(range(len(items)), key=lambda i: (-len(items[i].source), i))
    return [order[first : first + size] for first in range(0, len(order), size)]


def collate(items: Sequence[Item]) -> Batch:
    """Pads items into one batch.

    Raises:
        ModelError: if there are none.
    """
    if not items:
        raise ModelError("cannot make a batch of no pairs")
    return Batch(
        source=_padded([item.source for item in items]),
        lengths=torch.tensor([len(item.source) for item in items]),
        copies=_padded([item.copies for item in items]),
        target=_padded([item.target for item in items]),
        target_lengths=torch.tensor([len(item.target) for item in items]),
        structures=tuple(item.structure for item in items),
    )


def shifted(target: Tensor, known: int) -> Tensor:
    """What the decoder reads at each step: START, then the words before; copied words are unknown to it.

    Args:
        target: (batch, trg_len) extended numbers.
        known: size of the target vocabulary.

    Returns:
        (batch, trg_len) numbers below `known`.
    """
    start = torch.full_like(target[:, :1], START)
    return inside(torch.cat([start, target[:, :-1]], dim=1), known)


def inside(numbers: Tensor, known: int) -> Tensor:
    """Extended numbers with those beyond the vocabulary replaced by UNKNOWN."""
    return torch.where(numbers < known, numbers, UNKNOWN)


def _padded(rows: Sequence[Sequence[int]]) -> Tensor:
    width = padded_length(max(map(len, rows)))
    return torch.tensor([[*row, *[PAD] * (width - len(row))] for row in rows])


def padded_length(length: int) -> int:
    """The next multiple of 4, at least 4: how long a row becomes."""
    return max(_STEP, -(-length // _STEP) * _STEP)
