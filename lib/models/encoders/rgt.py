"""RGT: a relation-aware graph Transformer over the SQL tree (Ma et al. 2022, section 3).

Inner nodes attend to inner nodes, and leaves to leaves, each with relations; then leaves and inner nodes exchange
what they know along the tree. The decoder attends to both and may copy leaves. Written from the description alone,
with one difference: the schema's keys are not part of the input, so the joins of the query stand for them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from lib.models.batching import Batch, padded_length
from lib.models.configuration import RGTSettings
from lib.models.encoders.attention import FeedForward, RelationAttention
from lib.models.encoders.memory import Memory
from lib.models.layers import PooledDropout, WordVectors, lowered, mean_states
from lib.models.trees import KINDS, LEAF, Tree
from lib.models.vocabulary import PAD

DEPTH_REACH = 4  # depths farther apart count as this far
# Relations of inner nodes: 2 * DEPTH_REACH + 1 of depth, for a node with those above and below it, then these.
NONE, SAME_COLUMN, SAME_TABLE, BELONGS_TO, OWNS, JOINED = range(2 * DEPTH_REACH + 1, 2 * DEPTH_REACH + 7)
INNER_RELATIONS = 2 * DEPTH_REACH + 7


@dataclass(frozen=True, slots=True, eq=False)
class Graph:
    """Relations of one tree with n inner nodes and m leaves."""

    kinds: np.ndarray  # (n + m,) of all nodes
    inner: np.ndarray  # (n,) numbers of the inner nodes
    leaves: np.ndarray  # (m,) numbers of the leaves
    relations: np.ndarray  # (n, n) relation of each inner node to each other
    common: np.ndarray  # (m, m) place in `inner` of the lowest common ancestor
    above: np.ndarray  # (m, n) True where the inner node stands above the leaf

    @property
    def padded(self) -> tuple[int, int]:
        """The two lengths that batches pad apart."""
        return len(self.leaves), len(self.inner)

    @property
    def order(self) -> np.ndarray:
        """(n + m,) the node at each place of the memory."""
        return np.concatenate([self.inner, self.leaves])


def graph_of(tree: Tree) -> Graph:
    """All relations of a tree."""
    kinds = np.array(tree.kinds)
    inner, leaves = np.flatnonzero(kinds != LEAF), np.flatnonzero(kinds == LEAF)
    over, depths = _ancestors(tree.parents)
    below = over[np.ix_(leaves, inner)]  # (m, n)
    # Of the inner nodes above both leaves, the deepest; a leaf alone stands for its parent.
    both = below[:, None, :] & below[None, :, :]  # (m, m, n)
    common = np.where(both, depths[inner], -1).argmax(axis=2) if len(leaves) else np.zeros((0, 0), dtype=int)
    return Graph(kinds, inner, leaves, _inner_relations(tree, inner, over, depths), common, below)


def _ancestors(parents: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """over[i, j]: node j is i or stands above it; and the depth of each node."""
    over = np.zeros((len(parents), len(parents)), dtype=bool)
    for node, parent in enumerate(parents):
        if parent >= 0:
            over[node] = over[parent]
        over[node, node] = True
    return over, over.sum(axis=1) - 1


def _inner_relations(tree: Tree, inner: np.ndarray, over: np.ndarray, depths: np.ndarray) -> np.ndarray:
    related = over[np.ix_(inner, inner)]
    related = related | related.T
    depth = depths[inner]
    apart = np.clip(depth[None, :] - depth[:, None], -DEPTH_REACH, DEPTH_REACH) + DEPTH_REACH
    relations = np.where(related, apart, NONE)
    for i, j, relation in _schema_relations(tree, inner.tolist()):
        if not related[i, j]:
            relations[i, j] = relation
    return relations


def _schema_relations(tree: Tree, inner: list[int]):
    """Pairs of places in `inner` that speak of the same column or table, or of columns that are joined."""
    named = [(place, *tree.names[node]) for place, node in enumerate(inner) if any(tree.names[node])]
    joined = _joined(tree)
    for i, table, column in named:
        for j, other_table, other_column in named:
            if column and other_column:
                if column == other_column and table == other_table:
                    yield i, j, SAME_COLUMN
                elif frozenset(((table, column), (other_table, other_column))) in joined:
                    yield i, j, JOINED
            elif table == other_table:
                yield i, j, SAME_TABLE if not column and not other_column else BELONGS_TO if column else OWNS


def _joined(tree: Tree) -> set[frozenset]:
    """Pairs of names that an equation compares."""
    sides: dict[int, list[tuple[str, str]]] = {}
    for node, parent in enumerate(tree.parents):
        if tree.names[node][1] and parent >= 0 and tree.labels[parent] == "=":
            sides.setdefault(parent, []).append(tree.names[node])
    return {frozenset(names) for names in sides.values() if len(names) == 2}


class RGTLayer(nn.Module):
    """One round: inner nodes among themselves, leaves among themselves, then both across.

    Args:
        settings: widths, heads, reach, dropout.
    """

    def __init__(self, settings: RGTSettings):
        super().__init__()
        width, heads = settings.width, settings.heads
        self.inner_self = RelationAttention(width, heads, INNER_RELATIONS)
        self.leaf_self = RelationAttention(width, heads, 2 * settings.reach + 1, context=True)
        self.inner_cross = RelationAttention(width, heads)
        self.leaf_cross = RelationAttention(width, heads)
        self.inner_out = FeedForward(width, settings.feedforward, settings.dropout)
        self.leaf_out = FeedForward(width, settings.feedforward, settings.dropout)
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(6))
        self.dropout = PooledDropout(settings.dropout)

    def forward(self, inner: Tensor, leaves: Tensor, graph: "_Graphs") -> tuple[Tensor, Tensor]:
        """Inner states (batch, n, width) and leaf states (batch, m, width) in and out."""
        a, b = self.norms[0](inner), self.norms[1](leaves)
        inner = inner + self.dropout(self.inner_self(a, a, graph.inner_mask[:, None, :], graph.relations))
        common = (a, graph.common)  # two leaves are related by the state of what they have in common
        leaves = leaves + self.dropout(self.leaf_self(b, b, graph.leaf_mask[:, None, :], graph.apart, common))
        a, b = self.norms[2](inner), self.norms[3](leaves)
        inner = inner + self.dropout(self.inner_cross(a, b, graph.above.transpose(1, 2)))
        leaves = leaves + self.dropout(self.leaf_cross(b, a, graph.above))
        inner = inner + self.dropout(self.inner_out(self.norms[4](inner)))
        return inner, leaves + self.dropout(self.leaf_out(self.norms[5](leaves)))


class RGTEncoder(nn.Module):
    """Relation-aware graph Transformer.

    Args:
        settings: widths, layers, heads, reach, dropout.
        vocabulary_size: number of labels.
    """

    def __init__(self, settings: RGTSettings, vocabulary_size: int):
        super().__init__()
        self.width, self.reach = settings.width, settings.reach
        self.embedding = WordVectors(vocabulary_size, settings.width, PAD)
        self.kinds = WordVectors(len(KINDS), settings.width)
        self.layers = nn.ModuleList(RGTLayer(settings) for _ in range(settings.layers))
        self.norm = nn.LayerNorm(settings.width)
        self.dropout = PooledDropout(settings.dropout)

    def forward(self, batch: Batch) -> Memory:
        """Encodes a batch; the memory holds the inner nodes, then the leaves: (batch, n + m, width)."""
        graph = _collated(batch.structures, batch.source.shape[1], self.reach, batch.source.device)
        states = self.dropout(lowered(self.embedding(batch.source) + self.kinds(graph.kinds)))  # (batch, nodes, width)
        inner, leaves = _taken(states, graph.inner), _taken(states, graph.leaves)
        for layer in self.layers:
            inner, leaves = layer(inner, leaves, graph)
        states = self.norm(torch.cat([inner, leaves], dim=1))
        mask = torch.cat([graph.inner_mask, graph.leaf_mask], dim=1)
        copies = batch.copies.gather(1, graph.leaves).masked_fill(~graph.leaf_mask, PAD)
        none = torch.full_like(graph.inner, PAD)
        return Memory(states, mask, mean_states(states, mask), torch.cat([none, copies], dim=1))


@dataclass(frozen=True, slots=True)
class _Graphs:
    """The graphs of a batch, padded to n inner nodes and m leaves."""

    kinds: Tensor  # (batch, nodes)
    inner: Tensor  # (batch, n) numbers of the inner nodes; 0 on padding
    leaves: Tensor  # (batch, m) numbers of the leaves; 0 on padding
    inner_mask: Tensor  # (batch, n)
    leaf_mask: Tensor  # (batch, m)
    relations: Tensor  # (batch, n, n)
    common: Tensor  # (batch, m, m)
    above: Tensor  # (batch, m, n)
    apart: Tensor  # (1, m, m) clipped relative positions of leaves


def _collated(graphs: Sequence[Graph], nodes: int, reach: int, device: torch.device) -> _Graphs:
    n, m = (padded_length(max(len(getattr(graph, side)) for graph in graphs)) for side in ("inner", "leaves"))
    places = np.arange(m)
    apart = np.clip(places[None, :] - places[:, None], -reach, reach) + reach

    def stack(values, shape, kind=np.int64):
        filled = np.zeros((len(graphs), *shape), dtype=kind)
        for row, value in enumerate(values):
            filled[row][tuple(map(slice, value.shape))] = value
        return torch.from_numpy(filled).to(device)

    return _Graphs(
        stack([graph.kinds for graph in graphs], (nodes,)),
        stack([graph.inner for graph in graphs], (n,)),
        stack([graph.leaves for graph in graphs], (m,)),
        stack([np.ones(len(graph.inner), dtype=bool) for graph in graphs], (n,), bool),
        stack([np.ones(len(graph.leaves), dtype=bool) for graph in graphs], (m,), bool),
        stack([graph.relations for graph in graphs], (n, n)),
        stack([graph.common for graph in graphs], (m, m)),
        stack([graph.above for graph in graphs], (m, n), bool),
        torch.from_numpy(apart)[None].to(device),
    )


def _taken(states: Tensor, numbers: Tensor) -> Tensor:
    """(batch, nodes, width) and (batch, n) -> (batch, n, width)."""
    return states.gather(1, numbers[:, :, None].expand(-1, -1, states.shape[2]))
