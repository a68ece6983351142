"""What notebooks start from: checked parameters, and datasets that are made if they are not there yet."""

import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from lib.alignment import ALIGNERS
from lib.corpora import open_corpus
from lib.datasets import read_manifest
from lib.errors import ParameterError, suggest
from lib.files import locked, read_json
from lib.models.configuration import ENCODERS, parse_change, settings
from lib.partition.ablation import ablate
from lib.partition.spidercompose import Options, build
from lib.partition.split_dataset import made_split
from lib.partition.splits import Options as SplitOptions
from lib.paths import ROOT, corpus_dir


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a dataset of a study is made: a variant of SpiderCompose, one without some pairs of another, or a split."""

    variant: str = ""  # of `spidercompose build`
    source: str = ""  # dataset that `spidercompose ablate` takes pairs from
    by: str = ""  # which ones, a mode of `spidercompose ablate`
    split: str = ""  # method of `spidercompose splits`


DATASETS = {
    "paper": Recipe(variant="paper"),
    "experiment2": Recipe(source="paper", by="text"),
    "experiment2-database": Recipe(source="paper", by="database"),
    "control": Recipe(source="paper", by="control-text"),
    "clean": Recipe(variant="clean"),
    "clean-experiment2": Recipe(source="clean", by="text"),
    "clean-control": Recipe(source="clean", by="control-text"),
    "template": Recipe(split="template"),
    "tmcd": Recipe(split="tmcd"),
    "original": Recipe(split="original"),
}


def check(name: str, value: object) -> None:
    """Checks one parameter of a study or notebook.

    Raises:
        ParameterError: if its type, range or name is wrong.
        CorpusError: if it names a corpus that is not here.
    """
    kind, test = _CHECKS[name]
    if type(value) is not kind:
        raise ParameterError(f"'{name}' must be {kind.__name__}, not {value!r:.60}")
    test(name, value)


def check_all(**parameters: object) -> None:
    """Checks parameters of a notebook, by name; the first wrong one raises as `check` does."""
    for name, value in parameters.items():
        check(name, value)


def from_root(folder: str) -> Path:
    """A folder given relative to the repository, or absolute."""
    return ROOT / folder


def changes_of(text: str) -> dict[str, object]:
    """The changes to settings of training that a text holds.

    It has colons, since papermill cannot read a parameter whose value holds a `=`.

    >>> changes_of("epochs:3 encoder.hidden:128")
    {'epochs': 3, 'encoder.hidden': 128}
    """
    return dict(parse_change(part.replace(":", "=", 1)) for part in text.split())


def dataset(folder: Path, name: str, corpus: str, aligner: str) -> Path:
    """The folder of a dataset of the study, which is made if it is not there; by one process at a time.

    Args:
        folder: holds the datasets.
        name: one of DATASETS.
        corpus: builtin, spider or a folder.
        aligner: a name in ALIGNERS.

    Raises:
        ParameterError: if the name is unknown, or the folder holds a dataset made in another way.
        CorpusError: if the corpus is not here.
    """
    if name not in DATASETS:
        raise ParameterError(f"unknown dataset '{name}': {suggest(name, DATASETS)}")
    target = folder / name
    with locked(folder / f".{name}.lock"):
        made = _made(target, DATASETS[name], corpus, aligner)
    if made["options"].get("aligner", aligner) != aligner or made["corpus"]["name"] != open_corpus(corpus).name:
        raise ParameterError(f"'{target.name}' in this folder was made from another corpus or aligner: remove it")
    return target


def _made(target: Path, recipe: Recipe, corpus: str, aligner: str) -> dict:
    """The manifest of a dataset, which is made if it is not there."""
    if recipe.split:
        return made_split(target, open_corpus(corpus), SplitOptions(recipe.split))
    if not (target / "manifest.json").is_file():
        if recipe.variant:
            build(open_corpus(corpus), target, Options(recipe.variant, aligner))
        else:
            ablate(dataset(target.parent, recipe.source, corpus, aligner), target, recipe.by)
    return read_manifest(target)


def trained(runs: Path, data: Path, model: str, seed: int, changes: str) -> Path:
    """The folder of a trained and scored model, which is made if it is not there.

    A run of the same name with other settings or data is replaced: the folder belongs to the study.

    Args:
        runs: holds the runs of a study.
        data: dataset to learn from and to be tested on.
        model: a name in ENCODERS.
        seed: of the run.
        changes: to the settings of training, NAME:VALUE separated by blanks.

    Raises:
        ModelError: if training fails, or another process is at it.
        CorpusError: if the dataset is missing.
    """
    from lib.models.evaluation import evaluate
    from lib.models.runs import hashes_of, notice, train

    folder = runs / run_name(model, data.name, seed)
    chosen = settings(model, seed, **changes_of(changes))
    config = folder / "config.json"
    if config.is_file() and read_json(config) != {"settings": chosen.as_dict(), "data": hashes_of(data)}:
        shutil.rmtree(folder)
    train(data, chosen, folder, notice)
    if not (folder / "scores-test.json").is_file():
        evaluate(folder, data)
    return folder


def run_name(model: str, dataset: str, seed: int) -> str:
    """The folder of a training run, such as "bilstm-paper-1"."""
    return f"{model}-{dataset}-{seed}"


def planned(models: Sequence[str], datasets: Sequence[str], only: Mapping[str, Sequence[str]]) -> list[tuple[str, str]]:
    """The models and datasets that a study trains, dataset by dataset.

    Args:
        models: names of models.
        datasets: names of datasets.
        only: for some models the datasets that they are trained on; the others are trained on all.

    >>> planned(["bilstm", "rgt"], ["paper", "clean"], {"rgt": ["clean"]})
    [('bilstm', 'paper'), ('bilstm', 'clean'), ('rgt', 'clean')]
    """
    return [(model, name) for name in datasets for model in models if name in only.get(model, datasets)]


def only_of(text: str) -> dict[str, tuple[str, ...]]:
    """The datasets of some models that a text holds, as a parameter of a notebook.

    >>> only_of("rgt:clean,paper abs:clean")
    {'rgt': ('clean', 'paper'), 'abs': ('clean',)}

    Raises:
        ParameterError: if a part of it is not like MODEL:DATASET,DATASET, or a model comes twice.
    """
    found = {}
    for part in text.split():
        model, colon, names = part.partition(":")
        if not colon or model in found:
            raise ParameterError(f"'only' must hold MODEL:DATASET,DATASET for each model once, not '{part}'")
        found[model] = tuple(words_of(names))
    return found


def check_only(only: Mapping[str, Sequence[str]]) -> None:
    """Checks that models and datasets in `only` are known, and that each model has one dataset or more.

    Raises:
        ParameterError: if not.
    """
    check_known("only", only, ENCODERS)
    for model, names in only.items():
        check_names(f"only: {model}", names, DATASETS)


def words_of(text: str) -> list[str]:
    """Names in a parameter that holds several, separated by blanks or commas.

    >>> words_of("bilstm, abs rel")
    ['bilstm', 'abs', 'rel']
    """
    return text.replace(",", " ").split()


def check_known(name: str, values: Iterable[str], known: Iterable[str]) -> None:
    """Checks that all names in a parameter are known.

    Raises:
        ParameterError: if one is not.
    """
    for value in values:
        if value not in known:
            raise ParameterError(f"unknown name '{value}' in '{name}': {suggest(value, known)}")


def check_names(name: str, values: Iterable[str], known: Iterable[str]) -> None:
    """Checks that a parameter holds names, that all are known, and that none comes twice.

    Raises:
        ParameterError: if not.
    """
    values = list(values)
    check_known(name, values, known)
    if not values or len(set(values)) < len(values):
        raise ParameterError(f"'{name}' must hold one name or more, each once")


def _some_of(known) -> Callable[[str, str], None]:
    return lambda name, value: check_names(name, words_of(value), known)


def _one_of(known) -> Callable[[str, str], None]:
    def test(name: str, value: str) -> None:
        if value not in known:
            raise ParameterError(f"unknown {name} '{value}': {suggest(value, known)}")

    return test


def _at_least(low: int) -> Callable[[str, int], None]:
    def test(name: str, value: int) -> None:
        if value < low:
            raise ParameterError(f"'{name}' must be at least {low}, not {value}")

    return test


def _is_file(name: str, value: str) -> None:
    if not from_root(value).is_file():
        raise ParameterError(f"'{name}' names no file: {value}")


def _is_percent(name: str, value: float) -> None:
    if not 0 <= value <= 100:
        raise ParameterError(f"'{name}' is a percentage, 0 to 100, not {value:g}")


def _has_scheme(name: str, value: str) -> None:
    if not value.startswith("sqlite:"):
        raise ParameterError(f"'{name}' must be like sqlite:FILE, not '{value}'")


_CHECKS: dict[str, tuple[type, Callable]] = {
    "aligner": (str, _one_of(ALIGNERS)),
    "corpus": (str, lambda _, value: corpus_dir(value)),
    "engine": (str, _has_scheme),
    "gate": (float, _is_percent),
    "data": (str, lambda _, value: None),
    "dataset": (str, _one_of(DATASETS)),
    "datasets": (str, _some_of(DATASETS)),
    "items": (int, _at_least(1)),
    "model": (str, _one_of(ENCODERS)),
    "models": (str, _some_of(ENCODERS)),
    "only": (str, lambda _, value: check_only(only_of(value))),
    "records": (str, lambda _, value: None),
    "rater": (str, lambda _, value: None),
    "raters": (int, _at_least(1)),
    "ratings": (str, lambda _, value: None),
    "runs": (str, lambda _, value: None),
    "seed": (int, _at_least(0)),
    "seeds": (int, _at_least(1)),
    "suite": (str, _is_file),
    "settings": (str, lambda _, value: settings("bilstm", **changes_of(value)) and None),
}
