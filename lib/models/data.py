"""A dataset folder -> encoded pairs."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from lib import datasets
from lib.datasets import PARTS, read_names, read_part, wholes_in
from lib.errors import CorpusError, ModelError, SqlError
from lib.models.batching import Coder, Item
from lib.models.configuration import Settings
from lib.models.names import PLAIN, Words
from lib.models.sources import Source, encoded, lower, source_of
from lib.models.vocabulary import count_words
from lib.partition.recombination import asked, recombine
from lib.records import Pair


@dataclass(frozen=True, slots=True)
class Sources:
    """The pairs of one part that have a text, with their source tokens."""

    pairs: tuple[Pair, ...]
    read: tuple[Source, ...]  # of each pair
    without_text: int  # pairs left out because they have no text


@dataclass(frozen=True, slots=True)
class TrainingData:
    """All that training reads."""

    coder: Coder
    train: tuple[Item, ...]  # the pairs of the training part, then the recombined ones
    recombined: int  # how many of them were recombined
    validation: tuple[Item, ...]
    validation_sources: tuple[tuple[str, ...], ...]  # their tokens
    validation_texts: tuple[str, ...]  # references, lower case
    left_out: dict[str, int]  # pairs by reason


def hashes(folder: Path) -> dict[str, str]:
    """SHA-256 of all that is read of a dataset: its parts, and `names` and `queries` if it has them."""
    return {Path(name).stem: digest for name, digest in datasets.hashes(folder).items()}


@dataclass(frozen=True, slots=True)
class _Folder:
    """All that a dataset folder says."""

    pairs: dict[str, list[Pair]]  # by part
    wholes: dict[str, str]  # whole query by example
    words: dict[str, Words]  # for names, by database

    def sources(self, pairs: Sequence[Pair], model: str) -> Sources:
        """Reads the pairs that have a text."""
        return _sources(pairs, self.wholes, self.words, model)


def _read_folder(folder: Path) -> _Folder:
    pairs = {part: read_part(folder, part) for part in PARTS}
    wholes = wholes_in(folder, (pair for part in PARTS for pair in pairs[part]))
    return _Folder(pairs, wholes, {db_id: Words(names) for db_id, names in read_names(folder).items()})


def read_sources(folder: Path, parts: Sequence[str], model: str) -> dict[str, Sources]:
    """Reads parts of a dataset; the other parts are read too, for the whole queries that partial SQL belongs to.

    Raises:
        CorpusError: if the folder is no dataset, or a pair's SQL cannot be read.
        RecordError: at the first record that is no pair.
    """
    found = _read_folder(folder)
    return {part: found.sources(found.pairs[part], model) for part in parts}


def _sources(pairs: Sequence[Pair], wholes: Mapping[str, str], words: Mapping[str, Words], model: str) -> Sources:
    said = [pair for pair in pairs if pair.text.strip()]
    keys = [(pair.sql, wholes[pair.example_id], pair.db_id) for pair in said]
    once: dict[tuple[str, str, str], Source] = {}  # half of all SQL comes again
    for pair, key in zip(said, keys, strict=True):
        if key not in once:
            once[key] = _source(pair, model, key[1], words.get(pair.db_id, PLAIN))
    return Sources(tuple(said), tuple(once[key] for key in keys), len(pairs) - len(said))


def _source(pair: Pair, model: str, whole: str, words: Words) -> Source:
    try:
        return source_of(pair.sql, model, whole, words)
    except SqlError as error:
        raise CorpusError(f"the SQL of pair '{pair.id}' cannot be read ({error}): build the dataset again") from error


def read_training_data(folder: Path, settings: Settings) -> TrainingData:
    """Reads and encodes the training and validation parts.

    Raises:
        ModelError: if nothing is left to train on.
        CorpusError, RecordError: if the dataset is broken.
    """
    found = _read_folder(folder)
    options = settings.training
    train, too_long = _short(found.sources(found.pairs["train"], settings.model), options.max_length)
    if not train.pairs:
        raise ModelError(f"no pairs to train on in '{folder}': the training part is empty or nothing in it has a text")
    validation = found.sources(found.pairs["validation"], settings.model)
    validation, validation_too_long = _short(validation, options.max_length)
    coder = Coder(
        count_words((lower(source.tokens) for source in train.read), options.min_count),
        count_words((pair.text.lower().split() for pair in train.pairs), options.min_count),
    )
    more, recombined_too_long = _recombined(train, found, settings)
    left_out = {"train without text": train.without_text, "train too long": too_long,
                "recombined too long": recombined_too_long,
                "validation without text": validation.without_text,
                "validation too long": validation_too_long}  # fmt: skip
    return TrainingData(
        coder,
        encode(coder, train, settings.model) + encode(coder, more, settings.model),
        len(more.pairs),
        encode(coder, validation, settings.model),
        tuple(source.tokens for source in validation.read),
        tuple(pair.text.lower() for pair in validation.pairs),
        left_out,
    )


def _recombined(train: Sources, found: _Folder, settings: Settings) -> tuple[Sources, int]:
    """New pairs from the clauses of the training part, the same for all epochs of a run, and how many are too long."""
    count = round(settings.training.recombine * len(train.pairs))
    taken = {asked(pair) for part in ("validation", "test") for pair in found.pairs[part]}
    pairs = recombine(train.pairs, found.wholes, count, random.Random(settings.seed), taken) if count else []
    wholes = {pair.example_id: pair.sql for pair in pairs}
    return _short(_sources(pairs, wholes, found.words, settings.model), settings.training.max_length)


def encode(coder: Coder, sources: Sources, model: str) -> tuple[Item, ...]:
    """Encodes pairs with their texts."""
    return tuple(
        encoded(coder, model, source, pair.text.split())
        for pair, source in zip(sources.pairs, sources.read, strict=True)
    )


def _short(sources: Sources, longest: int) -> tuple[Sources, int]:
    """Leaves out pairs with more than `longest` tokens on either side; says how many."""
    kept = [
        index
        for index, pair in enumerate(sources.pairs)
        if max(len(sources.read[index].tokens), len(pair.text.split())) <= longest
    ]
    pairs, read = tuple(sources.pairs[i] for i in kept), tuple(sources.read[i] for i in kept)
    return Sources(pairs, read, sources.without_text), len(sources.pairs) - len(kept)
