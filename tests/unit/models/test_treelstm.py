"""The TreeLSTM against the equations of Tai et al. 2015, written out as a recursion."""

import pytest
import torch
from torch import Tensor

from lib.models.batching import Item, collate
from lib.models.configuration import TreeLSTMSettings
from lib.models.encoders.treelstm import TreeLSTMEncoder, TreeShape, shape_of
from lib.models.trees import Tree


def naive(encoder: TreeLSTMEncoder, numbers: list[int], shape: TreeShape) -> list[Tensor]:
    """Hidden states of all nodes, child by child."""
    states: dict[int, tuple[Tensor, Tensor]] = {}
    width = encoder.width
    w, b = encoder.inputs.weight, encoder.inputs.bias
    u = encoder.below.weight

    def visit(node: int) -> tuple[Tensor, Tensor]:
        x = encoder.embedding.small.weight[numbers[node]] + encoder.kinds.small.weight[shape.kinds[node]]
        x = x * len(x) ** 0.5
        children = [visit(child) for child, parent in enumerate(shape.parents) if parent == node]
        total = sum((hidden for hidden, _ in children), torch.zeros(width))  # eq. 2

        def gate(row):
            cut = slice(row * width, (row + 1) * width)
            return w[cut] @ x + b[cut] + u[cut] @ total

        enter, out, new = torch.sigmoid(gate(0)), torch.sigmoid(gate(1)), torch.tanh(gate(2))
        cell = enter * new
        for hidden, below in children:
            forget = torch.sigmoid(w[3 * width :] @ x + b[3 * width :] + encoder.forget.weight @ hidden)  # eq. 4
            cell = cell + forget * below  # eq. 7
        states[node] = (out * torch.tanh(cell), cell)  # eq. 8
        return states[node]

    visit(0)
    return [states[node][0] for node in range(len(numbers))]


@torch.no_grad()
def test_level_by_level_is_the_recursion(items):
    torch.manual_seed(1)
    encoder = TreeLSTMEncoder(TreeLSTMSettings(embedding=6, hidden=5), 13).eval()
    several = items((9, 1, 14, 2, 33, 70, 150), (2,) * 7, 4, "treelstm")
    batch = collate(several)
    memory = encoder(batch)
    for row, item in enumerate(several):
        expected = torch.stack(naive(encoder, list(item.source), item.structure))
        torch.testing.assert_close(memory.states[row, : len(item.source)], expected, atol=1e-5, rtol=0)
        torch.testing.assert_close(memory.summary[row], expected[0], atol=1e-5, rtol=0)


@torch.no_grad()
@pytest.mark.parametrize("size", [31, 32, 33, 64])
def test_groups_of_any_number_of_rows(size):
    """A flat tree, a chain and a leaf: groups that are just full or just not."""
    encoder = TreeLSTMEncoder(TreeLSTMSettings(embedding=6, hidden=5), 13).eval()
    flat, chain, leaf = (-1, *[0] * size), tuple(range(-1, size - 1)), (-1,)
    shapes = [
        shape_of(Tree(("a",) * len(parents), (1,) * len(parents), parents, ())) for parents in (flat, chain, leaf)
    ]
    numbers = [[4 + node % 9 for node in range(len(shape.parents))] for shape in shapes]
    batch = collate([Item(tuple(n), tuple(n), (), shape) for n, shape in zip(numbers, shapes, strict=True)])
    states = encoder(batch).states
    for row, shape in enumerate(shapes):
        expected = torch.stack(naive(encoder, numbers[row], shape))
        torch.testing.assert_close(states[row, : len(expected)], expected, atol=1e-5, rtol=0)


def test_depths_and_inner_nodes(trees):
    for tree in trees((1, 2, 9, 20), 3):
        shape = shape_of(tree)
        for node, parent in enumerate(tree.parents):
            assert shape.depths[node] == (shape.depths[parent] + 1 if node else 0)
            assert shape.inner[node] == (node in tree.parents)


@torch.no_grad()
def test_single_leaves_alone(items):
    encoder = TreeLSTMEncoder(TreeLSTMSettings(embedding=6, hidden=5), 13).eval()
    several = items((1, 1), (2, 2), 4, "treelstm")
    memory = encoder(collate(several))
    for row, item in enumerate(several):
        expected = naive(encoder, list(item.source), item.structure)[0]
        torch.testing.assert_close(memory.states[row, 0], expected, atol=1e-5, rtol=0)
