"""Where a trained model looks while it writes: attention of each word to each token of the SQL, or node of its tree."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from lib.errors import ModelError
from lib.models.batching import Item, collate, shifted
from lib.models.data import read_sources
from lib.models.encoders.rgt import Graph
from lib.models.machine import search_arithmetic
from lib.models.runs import Run, load
from lib.models.search import search
from lib.models.sources import Source, encoded
from lib.models.vocabulary import END


@dataclass(frozen=True, slots=True)
class Attention:
    """What one text was written from."""

    source: tuple[str, ...]  # tokens of the SQL, or labels of its tree's nodes, in their order
    words: tuple[str, ...]  # of the text; the end of the text is written "END"
    weights: np.ndarray  # (words, source), each row sums to 1


@torch.no_grad()
def attention(run: Run, source: Source) -> Attention:
    """Attention of the decoder while it writes its likeliest text, one word after the other.

    The text is found by greedy search and read again with teacher forcing, which passes through the same states.

    Args:
        run: a finished run.
        source: as read by `sources.source_of`.
    """
    item = encoded(run.coder, run.settings.model, source)
    options = run.settings.training
    with search_arithmetic(options.threads, options.bf16):
        numbers = search(run.model, collate([item]))[0]
        batch = collate([Item(item.source, item.copies, (*numbers, END), item.structure)])
        memory = run.model.encoder(batch)
        decoded = run.model.decoder(memory, shifted(batch.target, run.model.target_size))
    order = _order(item)
    weights = decoded.attention[0, : len(numbers) + 1][:, memory.mask[0]].float().numpy()  # (words, real places)
    words = (*run.coder.words(numbers, source.tokens), "END")
    return Attention(source.tokens, words, weights[:, np.argsort(order)])


def explain(folder: Path, data: Path, pair_id: str) -> tuple[Attention, Source]:
    """Attention of a run on one test pair of a dataset, and the pair as the model reads it.

    Raises:
        ModelError: if the run is none, or the dataset has no such test pair.
    """
    run = load(folder)
    found = read_sources(data, ("test",), run.settings.model)["test"]
    numbers = [number for number, pair in enumerate(found.pairs) if pair.id == pair_id]
    if not numbers:
        raise ModelError(f"'{data}' has no test pair '{pair_id}'")
    source = found.read[numbers[0]]
    return attention(run, source), source


def _order(item: Item) -> list[int]:
    """The number of the token at each real place of the memory."""
    return item.structure.order.tolist() if isinstance(item.structure, Graph) else list(range(len(item.source)))
