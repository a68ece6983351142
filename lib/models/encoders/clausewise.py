"""Clause-wise encoder: a BiLSTM that reads each clause by itself, so that a clause means the same in every query.

A clause behind three others gets the states that it gets alone: what was learnt of it on partial SQL holds in queries
with more clauses than any that the model has seen.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from lib.models.batching import Batch, padded_length
from lib.models.encoders.bilstm import BiLSTMEncoder
from lib.models.encoders.memory import Memory
from lib.models.layers import real
from lib.models.vocabulary import PAD

# Clauses are read in groups of similar length, of one size and of lengths that are multiples: oneDNN compiles a kernel
# for each pair of them, and padding all clauses of a batch to the longest would treble the work.
_ROWS = 64


class ClausewiseEncoder(BiLSTMEncoder):
    """BiLSTM over the tokens of each clause; the summary of a query is the mean of its clauses'."""

    def forward(self, batch: Batch) -> Memory:
        """Encodes a batch; `batch.structures` holds the lengths of each pair's clauses, in tokens."""
        count, width = batch.source.shape
        groups, back = _layout(batch.structures, width)
        tokens = torch.cat([batch.source.flatten(), batch.source.new_full((1,), PAD)])
        device = tokens.device
        read = [self.read(tokens[group.places.to(device)], group.lengths.to(device)) for group in groups]
        states = torch.cat([states.flatten(0, 1) for states, _ in read])[back.to(device)].view(count, width, -1)
        ends = torch.cat([ends for _, ends in read])  # (clauses, 2 * hidden)
        owners = torch.cat([group.owners for group in groups]).to(device)
        sums = ends.new_zeros(count + 1, ends.shape[1]).index_add(0, owners, ends)[:-1]
        parts = torch.tensor([[len(clauses)] for clauses in batch.structures], device=device)
        mask = real(batch.lengths, width)
        return Memory(states * mask[:, :, None], mask, sums / parts.to(sums.dtype), batch.copies)


@dataclass(frozen=True, slots=True)
class _Group:
    """Clauses that are read together; the last ones may be empty."""

    places: Tensor  # (rows, longest) of their tokens in the flattened batch; the place behind the last for none
    lengths: Tensor  # (rows,) in tokens, at least 1
    owners: Tensor  # (rows,) the pair that each clause belongs to; the number behind the last for empty ones


def _layout(clauses: Sequence[Sequence[int]], width: int) -> tuple[list[_Group], Tensor]:
    """Groups the clauses of a batch by length.

    Args:
        clauses: of each pair, the lengths of its clauses in tokens.
        width: places of a pair in the batch.

    Returns:
        The groups, and where each token of the flattened batch stands in their flattened states, one behind the other.
    """
    parts = sorted((length, pair, sum(pairs[:place])) for pair, pairs in enumerate(clauses)
                   for place, length in enumerate(pairs))  # fmt: skip
    back = torch.zeros(len(clauses) * width, dtype=torch.long)
    groups, offset = [], 0
    for first in range(0, len(parts), _ROWS):
        chosen = parts[first : first + _ROWS]
        longest = padded_length(chosen[-1][0])
        places = torch.full((_ROWS, longest), len(clauses) * width)
        for row, (length, pair, start) in enumerate(chosen):
            begin = pair * width + start
            places[row, :length] = torch.arange(begin, begin + length)
            back[begin : begin + length] = torch.arange(offset, offset + length) + row * longest
        more = _ROWS - len(chosen)
        lengths = torch.tensor([length for length, _, _ in chosen] + [1] * more)
        owners = torch.tensor([pair for _, pair, _ in chosen] + [len(clauses)] * more)
        groups.append(_Group(places, lengths, owners))
        offset += _ROWS * longest
    return groups, back
