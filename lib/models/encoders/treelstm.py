"""TreeLSTM: a child-sum LSTM over the SQL tree, from the leaves up (Tai et al. 2015, 3.1)."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from lib.models.batching import Batch
from lib.models.configuration import TreeLSTMSettings
from lib.models.encoders.memory import Memory
from lib.models.layers import PooledDropout, exact, real
from lib.models.trees import KINDS, Tree
from lib.models.vocabulary import PAD


@dataclass(frozen=True, slots=True)
class TreeShape:
    """What the encoder needs to know of a tree besides its labels."""

    kinds: tuple[int, ...]  # of each node
    parents: tuple[int, ...]  # -1 for the root
    heights: tuple[int, ...]  # 0 for leaves


def shape_of(tree: Tree) -> TreeShape:
    """Kinds, parents and heights; children come behind their parents in a tree."""
    heights = [0] * len(tree.parents)
    for node in range(len(tree.parents) - 1, 0, -1):
        parent = tree.parents[node]
        heights[parent] = max(heights[parent], heights[node] + 1)
    return TreeShape(tree.kinds, tree.parents, tuple(heights))


class TreeLSTMEncoder(nn.Module):
    """Child-sum TreeLSTM; a batch is computed level by level, all nodes of one height at once.

    Args:
        settings: widths, dropout.
        vocabulary_size: number of labels.
    """

    def __init__(self, settings: TreeLSTMSettings, vocabulary_size: int):
        super().__init__()
        self.width = settings.hidden
        self.embedding = nn.Embedding(vocabulary_size, settings.embedding, padding_idx=PAD)
        self.kinds = nn.Embedding(len(KINDS), settings.embedding)
        self.inputs = nn.Linear(settings.embedding, 4 * settings.hidden)  # W and b of input, output, update, forget
        self.below = nn.Linear(settings.hidden, 3 * settings.hidden, bias=False)  # U of input, output, update
        self.forget = nn.Linear(settings.hidden, settings.hidden, bias=False)  # U of forget
        self.dropout = PooledDropout(settings.dropout)

    def forward(self, batch: Batch) -> Memory:
        """Encodes a batch; states are (batch, nodes, hidden), the summary is the root's."""
        count, width = batch.source.shape
        levels, parents, kinds = _levels(batch.structures, width, batch.source.device)
        vectors = self.dropout(self.embedding(batch.source).flatten(0, 1) + self.kinds(kinds))  # (batch * nodes, emb)
        hidden = self._upwards(exact(self.inputs(vectors)), levels, parents)  # (batch * nodes, hidden)
        states = hidden.view(count, width, self.width)
        return Memory(self.dropout(states), real(batch.lengths, width), states[:, 0], batch.copies)

    def _upwards(self, inputs: Tensor, levels: list[Tensor], parents: Tensor) -> Tensor:
        """Hidden states of all nodes.

        Args:
            inputs: (nodes, 4 * hidden) what each node's label adds to its gates.
            levels: for each height, the numbers of the nodes of that height.
            parents: (nodes,) number of the parent; roots and padding have the node behind the last one.
        """
        total = inputs.shape[0]
        gates, forgets = inputs.split([3 * self.width, self.width], dim=-1)
        forgets = torch.cat([forgets, forgets.new_zeros(1, self.width)])  # the node behind the last has no gates
        sums = inputs.new_zeros(total + 1, self.width)  # of the children's hidden states, h~ in eq. 2
        cells = inputs.new_zeros(total + 1, self.width)  # of the children's cells behind their forget gates
        order, found = [], []
        for nodes in levels:
            enter, out, new = (gates[nodes] + exact(self.below(sums[nodes]))).chunk(3, dim=-1)  # eq. 3, 5, 6
            cell = enter.sigmoid() * new.tanh() + cells[nodes]  # eq. 7
            hidden = out.sigmoid() * cell.tanh()  # eq. 8
            above = parents[nodes]
            forget = (forgets[above] + exact(self.forget(hidden))).sigmoid()  # eq. 4, once for each child
            sums = sums.index_add(0, above, hidden)
            cells = cells.index_add(0, above, forget * cell)
            order.append(nodes)
            found.append(hidden)
        back = torch.cat(order).argsort()
        return torch.cat(found)[back]


def _levels(shapes: Sequence[TreeShape], width: int, device: torch.device) -> tuple[list[Tensor], Tensor, Tensor]:
    """Nodes by height, parents, kinds of a batch whose trees are padded to `width` nodes; padding has height 0."""
    heights = torch.zeros(len(shapes), width, dtype=torch.long)
    parents = torch.full((len(shapes), width), len(shapes) * width)
    kinds = torch.zeros(len(shapes), width, dtype=torch.long)
    for row, shape in enumerate(shapes):
        size = len(shape.parents)
        heights[row, :size] = torch.tensor(shape.heights)
        kinds[row, :size] = torch.tensor(shape.kinds)
        parents[row, 1:size] = torch.tensor(shape.parents[1:], dtype=torch.long) + row * width
    flat = heights.flatten()
    levels = [(flat == height).nonzero().squeeze(1).to(device) for height in range(int(flat.max()) + 1)]
    return levels, parents.flatten().to(device), kinds.flatten().to(device)
