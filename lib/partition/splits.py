"""Splits of a corpus into training, validation and test examples, by one of five methods.

Setting `spider` is the paper's: all three parts come from all examples, 8,034 in Spider. The paper does not say how
large they are; we take 80, 10 and 10 %: the training part is then nearly as large as Spider's own (6,428 and 7,000),
and 803 test examples give a rate to within 3.5 points (95 %). Setting `ssp` is that of Shaw et al. (2021): training
examples of the larger databases, three quarters to train on and one to test, no validation.

Examples with the same SQL always stay in one part. So parts can miss their size by one or two where no choice of
groups gives it; in Spider there is one.
"""

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from lib.corpora import Corpus
from lib.datasets import PARTS
from lib.errors import ParameterError, SqlError, suggest
from lib.partition.compounds import DEFINITIONS, Parts, definition
from lib.partition.grouping import by_key, fill, grouped, shuffled
from lib.partition.published import ssp_examples
from lib.partition.template import sql_key, sql_length, template
from lib.partition.tmcd import maximise
from lib.records import Example, Schema

METHODS = ("template", "tmcd", "length", "random", "original")
SETTINGS = ("spider", "ssp")
_TENTH, _QUARTER = 10, 4


@dataclass(frozen=True, slots=True)
class Options:
    """How a split is made; part of its manifest."""

    method: str  # one of METHODS
    setting: str = "spider"  # one of SETTINGS
    seed: int = 1  # of all that is left to chance
    definition: str = "ours"  # of atoms and compounds
    length_matched: bool = False  # TMCD only: mean SQL lengths of both sides within a tenth of each other

    def __post_init__(self):
        known = {"method": METHODS, "setting": SETTINGS, "definition": tuple(DEFINITIONS)}
        for name, names in known.items():
            value = getattr(self, name)
            if value not in names:
                raise ParameterError(f"unknown {name} '{value}': {suggest(value, names)}")
        if type(self.seed) is not int or self.seed < 0:
            raise ParameterError(f"seed must be a whole number from 0, not {self.seed!r}")
        if self.length_matched and self.method != "tmcd":
            raise ParameterError(f"lengths are matched by method 'tmcd' only, not by '{self.method}'")
        if self.method == "original" and self.setting != "spider":
            raise ParameterError("method 'original' has no setting 'ssp': the parts of a corpus are those that it has")


def examples_of(corpus: Corpus, setting: str) -> list[Example]:
    """The examples of a setting, in file order.

    Raises:
        ParameterError: if the corpus has none for setting `ssp`.
    """
    train = corpus.examples("train")
    return ssp_examples(train) if setting == "ssp" else [*train, *corpus.examples("dev")]


def take_apart(
    examples: Iterable[Example], schemas: Mapping[str, Schema], name: str
) -> tuple[dict[str, Parts], dict[str, str]]:
    """Atoms and compounds of each example.

    Args:
        examples: the examples.
        schemas: schema of each database.
        name: of the definition.

    Returns:
        Atoms and compounds by id; and for the examples that the definition cannot read, the reason by id.
    """
    read, known = definition(name), {}
    parts: dict[str, Parts] = {}
    unreadable: dict[str, str] = {}
    for example in examples:
        key = (example.db_id, " ".join(example.query.split()))
        try:
            if key not in known:
                known[key] = read(example.query, schemas[example.db_id])
            parts[example.id] = known[key]
        except SqlError as error:
            unreadable[example.id] = str(error)
    return parts, unreadable


def make_split(examples: Sequence[Example], parts: Mapping[str, Parts], options: Options) -> dict[str, list[Example]]:
    """Splits examples by a method.

    Args:
        examples: those of the setting.
        parts: atoms and compounds of each, by id.
        options: the method and what it needs.

    Returns:
        Examples of `train`, `validation` and `test`, each in file order.

    Raises:
        ParameterError: if there are too few examples, or their atoms do not allow the split.
    """
    if not examples:
        raise ParameterError("there is no example to split: 'spidercompose check' lists what is wrong with a corpus")
    rng = random.Random(options.seed)
    if options.method == "original":
        return _original(examples, rng)
    groups = grouped([(template if options.method == "template" else sql_key)(example.query) for example in examples])
    wanted = _wanted(len(examples), options.setting)
    if len(groups) < sum(1 for size in wanted if size) + 1:
        raise ParameterError(f"{len(groups)} different queries are too few for a split by '{options.method}'")
    held_out = _METHODS[options.method](examples, groups, parts, sum(wanted), options, rng)
    sizes = [len(group) for group in groups]
    rng.shuffle(held_out)
    validation = set(fill(sizes, held_out, wanted[0]))
    place = dict.fromkeys(held_out, "test") | dict.fromkeys(validation, "validation")
    return _arranged(
        examples, {index: place.get(number, "train") for number, group in enumerate(groups) for index in group}
    )


def _wanted(n: int, setting: str) -> tuple[int, int]:
    """Sizes of validation and test part."""
    return (0, n // _QUARTER) if setting == "ssp" else (n // _TENTH, n // _TENTH)


def _arranged(examples: Sequence[Example], place: Mapping[int, str]) -> dict[str, list[Example]]:
    split: dict[str, list[Example]] = {part: [] for part in PARTS}
    for index, example in enumerate(examples):
        split[place[index]].append(example)
    return split


def _original(examples: Sequence[Example], rng: random.Random) -> dict[str, list[Example]]:
    """The corpus's own parts: train to learn from, dev to test on.

    A tenth of the training examples, whole databases of them, is set apart for validation, so that it asks for new
    databases as the test does.
    """
    databases = grouped([example.db_id if example.source == "train" else "" for example in examples])
    train = [group for group in databases if examples[group[0]].source == "train"]
    wanted = sum(map(len, train)) // _TENTH
    chosen = fill([len(group) for group in train], shuffled(len(train), rng), wanted)
    validation = {index for number in chosen for index in train[number]}
    place = {
        i: "validation" if i in validation else {"train": "train", "dev": "test"}[e.source]
        for i, e in enumerate(examples)
    }
    return _arranged(examples, place)


def _by_chance(examples, groups, parts, held_out: int, options: Options, rng: random.Random) -> list[int]:
    return fill([len(group) for group in groups], shuffled(len(groups), rng), held_out)


def _by_length(examples, groups, parts, held_out: int, options: Options, rng: random.Random) -> list[int]:
    """The longest queries are held out; among those of the length at the border, chance decides."""
    lengths = [sql_length(examples[group[0]].query) for group in groups]
    order = by_key(len(groups), lambda number: -lengths[number], rng)
    return fill([len(group) for group in groups], order, held_out)


def _by_compounds(examples, groups, parts, held_out: int, options: Options, rng: random.Random) -> list[int]:
    first = [examples[group[0]] for group in groups]
    lengths = [sql_length(example.query) for example in first] if options.length_matched else None
    own = [parts[example.id] for example in first]
    return list(maximise(own, [len(group) for group in groups], held_out, rng, lengths).held_out)


_METHODS: dict[str, Callable[..., list[int]]] = {
    "template": _by_chance,
    "random": _by_chance,
    "length": _by_length,
    "tmcd": _by_compounds,
}
