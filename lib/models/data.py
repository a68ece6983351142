"""A dataset folder -> encoded pairs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from lib.datasets import PARTS, read_part
from lib.errors import ModelError
from lib.files import sha256
from lib.models.batching import Coder, Item
from lib.models.configuration import Settings
from lib.models.linearise import linearise, whole_queries
from lib.models.vocabulary import count_words
from lib.records import Pair


@dataclass(frozen=True, slots=True)
class Sources:
    """The pairs of one part that have a text, with their source tokens."""

    pairs: tuple[Pair, ...]
    tokens: tuple[tuple[str, ...], ...]  # as written, of each pair
    without_text: int  # pairs left out because they have no text


@dataclass(frozen=True, slots=True)
class TrainingData:
    """All that training reads."""

    coder: Coder
    train: tuple[Item, ...]
    validation: tuple[Item, ...]
    validation_sources: tuple[tuple[str, ...], ...]
    validation_texts: tuple[str, ...]  # references, lower case
    left_out: dict[str, int]  # pairs by reason


def hashes(folder: Path) -> dict[str, str]:
    """SHA-256 of each part of a dataset."""
    return {part: sha256(Path(folder) / f"{part}.jsonl") for part in PARTS}


def read_sources(folder: Path, parts: Sequence[str]) -> dict[str, Sources]:
    """Reads parts of a dataset; the other parts are read too, for the whole queries that partial SQL belongs to.

    Raises:
        CorpusError: if the folder is no dataset.
        RecordError: at the first record that is no pair.
        SqlError: if a pair's SQL cannot be read.
    """
    pairs = {part: read_part(folder, part) for part in PARTS}
    wholes = whole_queries(pair for part in PARTS for pair in pairs[part])
    return {part: _sources(pairs[part], wholes) for part in parts}


def _sources(pairs: Sequence[Pair], wholes: Mapping[str, str]) -> Sources:
    said = [pair for pair in pairs if pair.text.strip()]
    tokens = tuple(linearise(pair.sql, whole=wholes[pair.example_id]) for pair in said)
    return Sources(tuple(said), tokens, len(pairs) - len(said))


def lower(tokens: Sequence[str]) -> tuple[str, ...]:
    """Tokens in lower case: models read and write no capitals."""
    return tuple(token.lower() for token in tokens)


def read_training_data(folder: Path, settings: Settings) -> TrainingData:
    """Reads and encodes the training and validation parts.

    Raises:
        ModelError: if nothing is left to train on.
        CorpusError, RecordError, SqlError: if the dataset is broken.
    """
    parts = read_sources(folder, ("train", "validation"))
    options = settings.training
    train, too_long = _short(parts["train"], options.max_length)
    if not train.pairs:
        raise ModelError(f"no pairs to train on in '{folder}': the training part is empty or nothing in it has a text")
    validation, validation_too_long = _short(parts["validation"], options.max_length)
    coder = Coder(
        count_words(map(lower, train.tokens), options.min_count),
        count_words((pair.text.lower().split() for pair in train.pairs), options.min_count),
    )
    left_out = {"train without text": train.without_text, "train too long": too_long,
                "validation without text": validation.without_text,
                "validation too long": validation_too_long}  # fmt: skip
    return TrainingData(
        coder,
        encode(coder, train),
        encode(coder, validation),
        validation.tokens,
        tuple(pair.text.lower() for pair in validation.pairs),
        left_out,
    )


def encode(coder: Coder, sources: Sources) -> tuple[Item, ...]:
    """Encodes pairs with their texts."""
    return tuple(
        coder.item(lower(tokens), pair.text.lower().split())
        for pair, tokens in zip(sources.pairs, sources.tokens, strict=True)
    )


def _short(sources: Sources, longest: int) -> tuple[Sources, int]:
    """Leaves out pairs with more than `longest` tokens on either side; says how many."""
    kept = [
        index
        for index, pair in enumerate(sources.pairs)
        if max(len(sources.tokens[index]), len(pair.text.split())) <= longest
    ]
    pairs, tokens = tuple(sources.pairs[i] for i in kept), tuple(sources.tokens[i] for i in kept)
    return Sources(pairs, tokens, sources.without_text), len(sources.pairs) - len(kept)
