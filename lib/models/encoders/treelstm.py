"""TreeLSTM: a child-sum LSTM over the SQL tree, from the leaves up (Tai et al. 2015, 3.1)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from lib.models.batching import Batch
from lib.models.configuration import TreeLSTMSettings
from lib.models.encoders.memory import Memory
from lib.models.layers import PooledDropout, WordVectors, exact, real
from lib.models.trees import KINDS, Tree
from lib.models.vocabulary import PAD

_ROWS = 32  # the number of rows of a product is a multiple of it


@dataclass(frozen=True, slots=True, eq=False)
class TreeShape:
    """What the encoder needs to know of a tree besides its labels, for each of its n nodes."""

    kinds: np.ndarray  # (n,)
    parents: np.ndarray  # (n,) -1 for the root
    depths: np.ndarray  # (n,) 0 for the root
    inner: np.ndarray  # (n,) whether it has children


def shape_of(tree: Tree) -> TreeShape:
    """Kinds, parents and depths; children come behind their parents in a tree."""
    depths = np.zeros(len(tree.parents), dtype=int)
    for node, parent in enumerate(tree.parents[1:], start=1):
        depths[node] = depths[parent] + 1
    parents = np.array(tree.parents)
    return TreeShape(np.array(tree.kinds), parents, depths, np.isin(np.arange(len(parents)), parents))


class TreeLSTMEncoder(nn.Module):
    """Child-sum TreeLSTM; a batch is computed depth by depth, all inner nodes of one depth at once.

    The children of all nodes of one depth are the nodes of the next, so that a depth needs nothing but the one below
    it. Leaves need no other node: those of all depths come first, at once.

    Args:
        settings: widths, dropout.
        vocabulary_size: number of labels.
    """

    def __init__(self, settings: TreeLSTMSettings, vocabulary_size: int):
        super().__init__()
        self.width = settings.hidden
        self.embedding = WordVectors(vocabulary_size, settings.embedding, PAD)
        self.kinds = WordVectors(len(KINDS), settings.embedding)
        self.inputs = nn.Linear(settings.embedding, 4 * settings.hidden)  # W and b of input, output, update, forget
        self.below = nn.Linear(settings.hidden, 3 * settings.hidden, bias=False)  # U of input, output, update
        self.forget = nn.Linear(settings.hidden, settings.hidden, bias=False)  # U of forget
        self.dropout = PooledDropout(settings.dropout)

    def forward(self, batch: Batch) -> Memory:
        """Encodes a batch; states are (batch, nodes, hidden), the summary is the root's."""
        count, width = batch.source.shape
        forest = _forest(batch.structures, width, batch.source.device)
        labels = batch.source.flatten()[forest.places]
        vectors = self.dropout(self.embedding(labels) + self.kinds(forest.kinds))  # (rows, embedding)
        hidden = self._upwards(exact(self.inputs(vectors)), forest)  # (rows, hidden)
        states = hidden.index_select(0, forest.rows).view(count, width, self.width)
        return Memory(self.dropout(states), real(batch.lengths, width), states[:, 0], batch.copies)

    def _upwards(self, inputs: Tensor, forest: "_Forest") -> Tensor:
        """Hidden states, (rows, hidden), from what labels add to gates, (rows, 4 * hidden)."""
        gates, forgets = inputs.split([3 * self.width, self.width], dim=-1)
        leaves, *depths = forest.sizes
        hidden, cells = _states(gates[:leaves])
        by_leaves = self._sums(hidden, cells, forgets[leaves:], forest.leaves_above, sum(depths))
        values = (gates[leaves:], forgets[leaves:], *by_leaves)
        by_depth = zip(*(value.split(depths) for value in values), strict=True)
        found = [hidden]
        hidden, cells = hidden[:0], cells[:0]  # nothing is deeper than the deepest
        for (gate, forget, below, kept), above in zip(by_depth, forest.above, strict=True):
            more = self._sums(hidden, cells, forget, above, len(gate))
            hidden, cells = _states(gate + exact(self.below(below + more[0])), kept + more[1])
            found.append(hidden)
        return torch.cat(found)

    def _sums(self, hidden: Tensor, cells: Tensor, forgets: Tensor, above: Tensor, count: int) -> tuple[Tensor, Tensor]:
        """What children give to their parents: the sum of states (eq. 2), and of cells behind forget gates (eq. 7).

        Args:
            hidden: (children, hidden) states.
            cells: (children, hidden)
            forgets: (parents, hidden) what the parents' labels add to the forget gates.
            above: (children,) place of each one's parent.
            count: number of parents.
        """
        gates = (forgets.index_select(0, above) + exact(self.forget(hidden))).sigmoid()  # eq. 4, one for each child
        nothing = hidden.new_zeros(count, self.width)
        return nothing.index_add(0, above, hidden), nothing.index_add(0, above, gates * cells)


def _states(gates: Tensor, kept: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """Hidden states and cells, (nodes, hidden), from gates (nodes, 3 * hidden) and the cells kept from children."""
    enter, out, new = gates.chunk(3, dim=-1)  # eq. 3, 5, 6
    cells = enter.sigmoid() * new.tanh()
    cells = cells if kept is None else cells + kept  # eq. 7
    return out.sigmoid() * cells.tanh(), cells  # eq. 8


@dataclass(frozen=True, slots=True, eq=False)
class _Forest:
    """The trees of a batch as one list of rows: all leaves, then the inner nodes of each depth from the deepest up.

    Each of these groups is filled up to a multiple, since oneDNN compiles a kernel for each number of rows, with at
    least one row that stands for no node. Such rows repeat a node; they, and trees of a single leaf, are below the
    last row of the next group; and padding has the last row of all.
    """

    sizes: tuple[int, ...]  # rows of each group
    places: Tensor  # (rows,) in the padded batch
    kinds: Tensor  # (rows,)
    rows: Tensor  # (batch * nodes,) of each place in the padded batch
    leaves_above: Tensor  # (rows of leaves,) row of the parent, counted from the first inner node
    above: tuple[Tensor, ...]  # for each depth: of the rows one deeper, the row of the parent within this depth


def _forest(shapes: Sequence[TreeShape], width: int, device: torch.device) -> _Forest:
    """Puts trees that are padded to `width` nodes together."""
    fields = ("kinds", "parents", "depths", "inner")
    kinds, parents, depths, inner = (np.concatenate([getattr(shape, name) for shape in shapes]) for name in fields)
    lengths = np.array([len(shape.parents) for shape in shapes])
    roots = np.repeat(np.cumsum(lengths) - lengths, lengths)  # of each node
    places = np.arange(len(parents)) - roots + np.repeat(np.arange(len(shapes)) * width, lengths)
    groups = np.where(inner, depths[inner].max(initial=0) + 1 - depths, 0)  # 0: leaves

    # Nodes get rows: group behind group, each from the row where it starts.
    counts = np.bincount(groups, minlength=2)
    sizes = (counts // _ROWS + 1) * _ROWS
    ends = np.cumsum(sizes)
    starts = ends - sizes
    order = np.argsort(groups, kind="stable")
    rows = np.empty_like(order)  # of each node
    rows[order] = np.arange(len(order)) + np.repeat(starts - np.cumsum(counts) + counts, counts)

    # Rows get parents: the last row of the next group, unless their node has one.
    above = np.repeat(np.append(ends[1:], ends[-1]) - 1, sizes)
    child = parents >= 0
    above[rows[child]] = rows[(roots + parents)[child]]
    leaves, *deeper = np.split(above, ends[:-1])
    deeper = [leaves[:0], *deeper[:-1]]  # nothing is deeper than the deepest; roots are below nothing

    # And the way from rows to nodes, and from places to rows.
    nodes = np.zeros(ends[-1], dtype=int)
    nodes[rows] = np.arange(len(rows))
    back = np.full(len(shapes) * width, ends[-1] - 1)
    back[places] = rows

    def tensor(values: np.ndarray) -> Tensor:
        return torch.from_numpy(values).to(device)

    return _Forest(
        tuple(sizes.tolist()),
        tensor(places[nodes]),
        tensor(kinds[nodes]),
        tensor(back),
        tensor(leaves - starts[1]),
        tuple(tensor(group - start) for group, start in zip(deeper, starts[1:], strict=True)),
    )
