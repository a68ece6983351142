"""Clause-wise encoder: a BiLSTM that reads each clause by itself, so that a clause means the same in every query.

A clause behind three others gets the states that it gets alone: what was learnt of it on partial SQL holds in queries
with more clauses than any that the model has seen.
"""

from collections.abc import Sequence

import torch
from torch import Tensor

from lib.models.batching import Batch
from lib.models.encoders.bilstm import BiLSTMEncoder
from lib.models.encoders.memory import Memory
from lib.models.layers import real
from lib.models.vocabulary import PAD

_ROWS, _STEP = 32, 4  # clauses and their lengths are padded to multiples, so that oneDNN compiles few kernels


class ClausewiseEncoder(BiLSTMEncoder):
    """BiLSTM over the tokens of each clause; the summary of a query is the mean of its clauses'."""

    def forward(self, batch: Batch) -> Memory:
        """Encodes a batch; `batch.structures` holds the lengths of each pair's clauses, in tokens."""
        count, width = batch.source.shape
        rows, lengths, owners, back = _layout(batch.structures, width, batch.source.device)
        padded = torch.cat([batch.source.flatten(), batch.source.new_full((1,), PAD)])
        states, ends = self.read(padded[rows], lengths)  # (clauses, longest, 2 * hidden), (clauses, 2 * hidden)
        states = states.flatten(0, 1)[back].view(count, width, -1)
        mask = real(batch.lengths, width)
        parts = torch.tensor([len(clauses) for clauses in batch.structures], device=states.device)
        sums = ends.new_zeros(count, ends.shape[1]).index_add(0, owners, ends[: len(owners)])
        return Memory(states * mask[:, :, None], mask, sums / parts[:, None].to(sums.dtype), batch.copies)


def _layout(clauses: Sequence[Sequence[int]], width: int, device: torch.device) -> tuple[Tensor, ...]:
    """Where each clause's tokens lie.

    Args:
        clauses: of each pair, the lengths of its clauses.
        width: places of a pair in the batch.
        device: of the results.

    Returns:
        rows (clauses, longest): places in the flattened batch, the place behind the last where there is no token;
        lengths (clauses,), at least 1; owners: the pair of each clause; back (batch * width,): the place of each
        token in the flattened rows.
    """
    lengths = [length for pair in clauses for length in pair]
    count, longest = -(-len(lengths) // _ROWS) * _ROWS, -(-max(lengths) // _STEP) * _STEP
    rows = torch.full((count, longest), len(clauses) * width)
    back = torch.zeros(len(clauses) * width, dtype=torch.long)
    owners, row = [], 0
    for pair, parts in enumerate(clauses):
        start = pair * width
        for length in parts:
            rows[row, :length] = torch.arange(start, start + length)
            back[start : start + length] = torch.arange(row * longest, row * longest + length)
            start, row = start + length, row + 1
            owners.append(pair)
    filled = torch.tensor(lengths + [1] * (count - len(lengths)))
    return tuple(tensor.to(device) for tensor in (rows, filled, torch.tensor(owners), back))
