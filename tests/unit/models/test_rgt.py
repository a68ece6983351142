"""RGT against its description, written out with loops."""

import math

import pytest
import torch
from torch import Tensor

from lib.models.batching import collate
from lib.models.configuration import RGTSettings
from lib.models.encoders.attention import RelationAttention
from lib.models.encoders.rgt import (
    BELONGS_TO,
    DEPTH_REACH,
    JOINED,
    NONE,
    OWNS,
    SAME_COLUMN,
    SAME_TABLE,
    RGTEncoder,
    graph_of,
)
from lib.models.trees import LEAF, Tree, tree_of


def path(tree: Tree, node: int) -> list[int]:
    """The node and all above it, up to the root."""
    return [node] + ([] if tree.parents[node] < 0 else path(tree, tree.parents[node]))


def naive_attention(
    attention: RelationAttention, asking: list[Tensor], asked: list[Tensor], seen, more=None
) -> list[Tensor]:
    """Attention pair by pair: `seen(i, j)` tells whether i sees j, `more` what adds to key and value of the pair."""
    size, results = attention.size, []
    for i, state in enumerate(asking):
        query, heads = attention.queries(state), []
        for head in range(attention.heads):
            cut = slice(head * size, (head + 1) * size)
            scores, values = [], []
            for j, other in enumerate(asked):
                if not seen(i, j):
                    continue
                key, value = (part[cut] for part in attention.keys_values(other).chunk(2))
                extra = more(i, j, cut) if more else []
                key = key + sum((pair[0] for pair in extra), torch.zeros(size))
                value = value + sum((pair[1] for pair in extra), torch.zeros(size))
                scores.append(float(query[cut] @ key) / math.sqrt(size))
                values.append(value)
            total = sum(map(math.exp, scores))
            heads.append(sum((math.exp(s) / total * v for s, v in zip(scores, values, strict=True)), torch.zeros(size)))
        results.append(attention.out(torch.cat(heads)))
    return results


def naive_round(layer, inner, leaves, tree: Tree, graph, reach: int):
    """One layer for one tree; `inner` and `leaves` are states by node number."""
    inner_ids, leaf_ids = list(inner), list(leaves)

    def relation(i, j, cut):
        number = graph.relations[i, j]
        return [(layer.inner_self.relation_keys[number], layer.inner_self.relation_values[number])]

    a = {node: layer.norms[0](state) for node, state in inner.items()}
    b = {node: layer.norms[1](state) for node, state in leaves.items()}

    def leaf_relation(i, j, cut):
        apart = max(-reach, min(reach, j - i)) + reach
        one, other = path(tree, leaf_ids[i]), path(tree, leaf_ids[j])
        lowest = next(node for node in one if node in other and tree.kinds[node] != LEAF)
        key, value = (part[cut] for part in layer.leaf_self.context(a[lowest]).chunk(2))
        own = layer.leaf_self
        return [(own.relation_keys[apart], own.relation_values[apart]), (key, value)]

    def always(i, j):
        return True

    def plus(states, added):
        return {node: state + more for (node, state), more in zip(states.items(), added, strict=True)}

    inner = plus(inner, naive_attention(layer.inner_self, list(a.values()), list(a.values()), always, relation))
    leaves = plus(leaves, naive_attention(layer.leaf_self, list(b.values()), list(b.values()), always, leaf_relation))
    a = [layer.norms[2](state) for state in inner.values()]
    b = [layer.norms[3](state) for state in leaves.values()]

    def below(i, j):
        return inner_ids[i] in path(tree, leaf_ids[j])

    inner = plus(inner, naive_attention(layer.inner_cross, a, b, below))
    leaves = plus(leaves, naive_attention(layer.leaf_cross, b, a, lambda i, j: below(j, i)))
    inner = {node: s + layer.inner_out(layer.norms[4](s)) for node, s in inner.items()}
    return inner, {node: s + layer.leaf_out(layer.norms[5](s)) for node, s in leaves.items()}


@torch.no_grad()
def test_equals_the_loops(items, trees):
    torch.manual_seed(1)
    settings = RGTSettings(width=8, heads=2, feedforward=9, layers=2, reach=2)
    encoder = RGTEncoder(settings, 13).eval()
    sizes, several = (9, 1, 14, 2), items((9, 1, 14, 2), (2, 2, 2, 2), 4, "rgt")
    shapes = [tree_for(item, size) for item, size in zip(several, sizes, strict=True)]
    memory = encoder(collate(several))
    for row, (item, tree) in enumerate(zip(several, shapes, strict=True)):
        states = encoder.embedding(torch.tensor(item.source)) + encoder.kinds(torch.tensor(tree.kinds))
        inner = {node: states[node] for node, kind in enumerate(tree.kinds) if kind != LEAF}
        leaves = {node: states[node] for node, kind in enumerate(tree.kinds) if kind == LEAF}
        for layer in encoder.layers:
            inner, leaves = naive_round(layer, inner, leaves, tree, item.structure, 2)
        expected = encoder.norm(torch.stack([*inner.values(), *leaves.values()]))
        torch.testing.assert_close(memory.states[row][memory.mask[row]], expected, atol=1e-5, rtol=0)
        torch.testing.assert_close(memory.summary[row], expected.mean(dim=0), atol=1e-5, rtol=0)
        copies = [item.copies[node] for node in leaves]
        assert memory.copies[row][memory.mask[row]].tolist() == [0] * len(inner) + copies


def tree_for(item, size: int) -> Tree:
    """The tree that an item's graph was made of, as far as it can be told from kinds and ancestors."""
    graph = item.structure
    parents, depth = [-1], {}
    over = {int(leaf): [int(graph.inner[k]) for k in range(len(graph.inner)) if graph.above[i, k]]
            for i, leaf in enumerate(graph.leaves)}  # fmt: skip
    depth = {int(n): int(graph.relations[0, k]) - DEPTH_REACH for k, n in enumerate(graph.inner)}
    assert max(depth.values(), default=0) <= DEPTH_REACH
    for node in range(1, size):
        if graph.kinds[node] == LEAF:
            parents.append(max(over[node], key=lambda n: depth[n]))
        else:  # the last inner node before it that is one less deep
            parents.append(max(n for n in depth if n < node and depth[n] == depth[node] - 1))
    return Tree(("x",) * size, tuple(int(k) for k in graph.kinds), tuple(parents), (("", ""),) * size)


@pytest.mark.parametrize("seed", range(4))
def test_relations_of_random_trees(trees, seed):
    for tree in trees((1, 2, 8, 17), seed):
        graph = graph_of(tree)
        for i, one in enumerate(graph.inner.tolist()):
            for j, other in enumerate(graph.inner.tolist()):
                a, b = path(tree, one), path(tree, other)
                if one in b or other in a:
                    apart = max(-DEPTH_REACH, min(DEPTH_REACH, len(b) - len(a)))
                    assert graph.relations[i, j] == apart + DEPTH_REACH
                else:
                    assert graph.relations[i, j] >= NONE
        for i, one in enumerate(graph.leaves.tolist()):
            assert [graph.inner[k] for k in range(len(graph.inner)) if graph.above[i, k]] == sorted(path(tree, one)[1:])
            for j, other in enumerate(graph.leaves.tolist()):
                common = [node for node in path(tree, one) if node in path(tree, other) and tree.kinds[node] != LEAF]
                assert graph.inner[graph.common[i, j]] == common[0]


def test_schema_relations():
    tree = tree_of("SELECT t.a FROM t JOIN u ON t.i = u.j WHERE t.a > 3 AND u.b < 1")
    graph = graph_of(tree)
    place = {}
    for k, node in enumerate(graph.inner.tolist()):
        if any(tree.names[node]):
            place.setdefault((*tree.names[node], tree.labels[tree.parents[node]]), k)
    selected, tested = place["t", "a", "select"], place["t", "a", ">"]
    left, right, table = place["t", "i", "="], place["u", "j", "="], place["t", "", "from"]
    relations = graph.relations
    assert relations[selected, tested] == relations[tested, selected] == SAME_COLUMN
    assert relations[left, right] == relations[right, left] == JOINED
    assert relations[selected, table] == BELONGS_TO
    assert relations[table, selected] == OWNS
    assert relations[table, place["t", "", "column"]] == SAME_TABLE
    assert relations[selected, right] == NONE
