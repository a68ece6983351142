"""Tiny models and datasets for the tests of lib.models."""

import random
from collections.abc import Callable

import pytest
import torch

from lib.datasets import write_part
from lib.files import write_json
from lib.models.batching import Batch, Item, collate
from lib.models.configuration import ENCODERS, PARTS_OF_OURS, TREE_MODELS, Settings, settings
from lib.models.encoders import structure_of
from lib.models.model import Translator
from lib.models.trees import KINDS, LEAF, Tree
from lib.models.vocabulary import END, PAD
from lib.records import Pair

SMALL = {
    "bilstm": {"encoder.embedding": 6, "encoder.hidden": 5},
    "abs": {"encoder.width": 8, "encoder.heads": 2, "encoder.feedforward": 9},
    "rel": {"encoder.width": 8, "encoder.heads": 2, "encoder.feedforward": 9, "encoder.reach": 2},
    "treelstm": {"encoder.embedding": 6, "encoder.hidden": 5},
    "rgt": {"encoder.width": 8, "encoder.heads": 2, "encoder.feedforward": 9, "encoder.reach": 2},
    "compositional": {"encoder.embedding": 6, "encoder.hidden": 5},
}  # settings that make each encoder tiny
SOURCE_WORDS, TARGET_WORDS = 13, 11


@pytest.fixture(autouse=True)
def _one_thread():
    """The machine that runs the tests has other work, and one thread gives the same bits every time."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(params=sorted(ENCODERS.keys() - set(PARTS_OF_OURS)))
def model_name(request) -> str:
    """Each model in turn; those that only lack a part of ours have no code of their own."""
    return request.param


@pytest.fixture
def tiny_settings() -> Callable[..., Settings]:
    """Settings of a tiny model."""

    def make(model: str = "bilstm", **changes) -> Settings:
        sizes = {"decoder.embedding": 6, "decoder.hidden": 7, "min_count": 1, "batch_size": 4, "epochs": 2}
        return settings(model, **(SMALL[model] | sizes | changes))

    return make


@pytest.fixture
def tiny_model(tiny_settings) -> Callable[..., Translator]:
    """A tiny untrained model."""

    def make(model: str = "bilstm", seed: int = 3, **changes) -> Translator:
        torch.manual_seed(seed)
        return Translator(tiny_settings(model, **changes), SOURCE_WORDS, TARGET_WORDS)

    return make


@pytest.fixture
def tiny_batch() -> Callable[..., Batch]:
    """A batch of random items; extended numbers stand for source words beyond the target vocabulary."""

    def make(lengths=(5, 2, 7), targets=(4, 6, 1), seed: int = 5, model: str = "bilstm") -> Batch:
        return collate(random_items(lengths, targets, seed, model))

    return make


def random_tree(size: int, rng: random.Random) -> Tree:
    """A tree of `size` nodes, at least one of them a leaf if there are two; names of two tables and two columns."""
    parents = [-1, 0, *(rng.randrange(node) for node in range(2, size))][:size]
    order = _preorder(parents)
    place = {node: index for index, node in enumerate(order)}
    moved = [-1 if parents[node] < 0 else place[parents[node]] for node in order]
    inner = set(moved)
    kinds = [0, *(rng.randrange(1, LEAF) if node in inner else LEAF for node in range(1, size))]
    labels = tuple(rng.choice(["=", "a", "b"]) for _ in range(size))
    names = tuple((rng.choice("st"), rng.choice(["", "x", "y"])) if KINDS[kind] in ("column", "table") else ("", "")
                  for kind in kinds)  # fmt: skip
    return Tree(labels, tuple(kinds), tuple(moved), names)


def _preorder(parents: list[int], node: int = 0) -> list[int]:
    children = [child for child, parent in enumerate(parents) if parent == node]
    return [node, *(below for child in children for below in _preorder(parents, child))]


def random_items(lengths, targets, seed: int, model: str = "bilstm") -> list[Item]:
    """Items of given lengths, in source tokens or nodes."""
    rng = random.Random(seed)
    items = []
    for length, target in zip(lengths, targets, strict=True):
        tree = random_tree(length, rng) if model in TREE_MODELS else None
        source = [rng.randrange(4, SOURCE_WORDS) for _ in range(length)]
        copies = [rng.choice([rng.randrange(4, TARGET_WORDS), TARGET_WORDS + place]) for place in range(length)]
        if tree is not None:
            copies = [number if kind == LEAF else PAD for number, kind in zip(copies, tree.kinds, strict=True)]
        words = [rng.choice([*range(4, TARGET_WORDS), *filter(None, copies)]) for _ in range(target - 1)]
        structure = None if tree is None else structure_of(model, tree)
        items.append(Item(tuple(source), tuple(copies), (*words, END), structure))
    return items


@pytest.fixture
def items() -> Callable[..., list[Item]]:
    """The function `random_items`."""
    return random_items


@pytest.fixture
def trees() -> Callable[..., list[Tree]]:
    """Random trees of given sizes."""
    return lambda sizes, seed: [random_tree(size, rng) for rng in [random.Random(seed)] for size in sizes]


_QUERIES = [
    ("SELECT name FROM player", "the names of all players"),
    ("SELECT T1.age FROM coach AS T1", "the ages of all coaches"),
    ("WHERE T1.age > 30", "older than 30"),
    ("WHERE hand = 'Left'", "who use the left hand"),
    ("ORDER BY age DESC", "from old to young"),
    ("GROUP BY country HAVING count(*) > 2", "for each country with more than 2"),
    ("SELECT name FROM player WHERE age > 30", "players older than 30"),
    ("SELECT max(age) FROM coach ORDER BY name LIMIT 1", "the age of the first coach"),
]


def tiny_pairs(part: str) -> list[Pair]:
    """Eight pairs."""
    source = "dev" if part == "test" else "train"
    return [
        Pair(f"{part}-{n}:X", f"{part}-{n}", "club", ("SELECT",), sql, text, 1 + n % 2, source, {})
        for n, (sql, text) in enumerate(_QUERIES)
    ]


@pytest.fixture
def pairs() -> list[Pair]:
    """Eight pairs with different texts."""
    return tiny_pairs("train")


@pytest.fixture
def dataset(tmp_path):
    """A dataset folder of eight pairs a part; one more training pair has no text."""
    folder = tmp_path / "data"
    empty = Pair("train-9:X", "train-9", "club", ("SELECT",), "SELECT 1", "", 1, "train", {"empty": True})
    write_part(folder, "train", [*tiny_pairs("train"), empty])
    write_part(folder, "validation", tiny_pairs("validation"))
    write_part(folder, "test", tiny_pairs("test"))
    write_json(folder / "manifest.json", {"dataset": "SpiderCompose"})
    return folder
