"""The parameters of a study: a YAML file in `notebooks/studies`, read into a record that checks itself."""

import re
from collections.abc import Mapping
from dataclasses import MISSING, asdict, dataclass, field, fields
from pathlib import Path

from lib.errors import ParameterError, suggest
from lib.files import read_text
from lib.inputs import (
    DATASETS,
    changes_of,
    check,
    check_known,
    check_names,
    check_only,
    only_of,
    planned,
    run_name,
    words_of,
)
from lib.models.configuration import ENCODERS, settings
from lib.notebooks import Parameter, checked
from lib.paths import NOTEBOOKS, STUDIES


@dataclass(frozen=True, slots=True)
class RunKey:
    """What tells one training run of a study from the others."""

    model: str  # a name in ENCODERS
    dataset: str  # a name in DATASETS
    seed: int

    @property
    def name(self) -> str:
        """Of its folder and its record, such as "bilstm-paper-1"."""
        return run_name(self.model, self.dataset, self.seed)


@dataclass(frozen=True, slots=True)
class Study:
    """The parameters of a study; notebooks get those that they declare."""

    name: str  # of its file, results and figures
    title: str  # for the report
    corpus: str  # builtin, spider or a folder
    aligner: str  # a name in alignment.ALIGNERS
    models: tuple[str, ...]  # names in ENCODERS; notebooks about one model take the first
    datasets: tuple[str, ...]  # names in DATASETS, those that matter most first
    seeds: int  # training runs of each model and dataset, with seeds 1 to this
    settings: str  # changes to the settings of training, NAME:VALUE separated by blanks
    notebooks: tuple[str, ...]  # in the order of the report
    settings_by: Mapping[str, str] = field(default_factory=dict)  # further ones by dataset or model; a model's win
    only: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # datasets of models not trained on all

    def __post_init__(self):
        for name in ("aligner", "seeds"):  # the corpus need not be here yet
            check(name, getattr(self, name))
        for name, known in (("models", ENCODERS), ("datasets", DATASETS), ("notebooks", notebook_names())):
            check_names(name, getattr(self, name), known)
        # Both may name models and datasets that a study of fewer leaves out.
        check_known("settings_by", self.settings_by, [*ENCODERS, *DATASETS])
        check_only(self.only)
        if self.datasets[0] not in self.only.get(self.models[0], self.datasets):
            raise ParameterError(f"'only' must leave the first dataset, {self.datasets[0]}, to the first model")
        for key in self.runs():
            settings(key.model, key.seed, **changes_of(self.settings_of(key.model, key.dataset)))
        if not re.fullmatch(r"[\w-]+", self.name, re.ASCII):
            raise ParameterError(f"a study is named with letters, digits, '_' and '-', not '{self.name}'")

    def as_dict(self) -> dict[str, object]:
        """Plain values, as in its YAML file."""
        lists = {name: list(getattr(self, name)) for name in _LISTS}
        return asdict(self) | lists | {"only": {model: list(names) for model, names in self.only.items()}}

    def settings_of(self, model: str, dataset: str) -> str:
        """All changes to the settings of training of one model on one dataset; later ones win."""
        parts = (self.settings, self.settings_by.get(dataset, ""), self.settings_by.get(model, ""))
        return " ".join(filter(None, parts))

    def runs(self) -> list[RunKey]:
        """The training runs, those that tell most first: one seed of everything before the next."""
        seeds = range(1, self.seeds + 1)
        return [RunKey(*key, seed) for seed in seeds for key in planned(self.models, self.datasets, self.only)]


_LISTS = ("models", "datasets", "notebooks")
_PLAIN = {item.name: Parameter(item.name, item.type, None) for item in fields(Study) if item.type in (str, int)}


def notebook_names() -> list[str]:
    """All notebooks of the project, in order."""
    return sorted(path.stem for path in NOTEBOOKS.glob("[0-9]*.ipynb"))


def study_names() -> list[str]:
    """All studies of the project."""
    return sorted(path.stem for path in STUDIES.glob("*.yaml"))


def load_study(name: str, changes: Mapping[str, object] | None = None) -> Study:
    """Reads `notebooks/studies/NAME.yaml`, or the YAML file of that path.

    Args:
        name: of a study, or a path that ends in `.yaml`.
        changes: values that replace the file's.

    Raises:
        ParameterError: if there is no such study, or a key or value is wrong; names file and key.
    """
    import yaml

    path = Path(name) if name.endswith((".yaml", ".yml")) else STUDIES / f"{name}.yaml"
    if not path.is_file():
        raise ParameterError(f"no study '{name}': {suggest(name, study_names())}, or the path of a .yaml file")
    try:
        values = yaml.safe_load(read_text(path))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f", line {mark.line + 1}" if mark else ""
        raise ParameterError(f"{path.name}{place} is not YAML: {getattr(error, 'problem', error)}") from error
    if not isinstance(values, dict):
        raise ParameterError(f"{path.name} must hold 'name: value' lines")
    return study_of({"name": path.stem} | values | dict(changes or {}), path.name)


def study_of(values: Mapping[str, object], source: str) -> Study:
    """A study from its keys and values, all of them checked.

    Raises:
        ParameterError: if a key is unknown or missing, or a value has the wrong type.
    """
    known = [item.name for item in fields(Study)]
    for key in values:
        if key not in known:
            raise ParameterError(f"{source} has an unknown key '{key}': {suggest(str(key), known)}")
    missing = [item.name for item in fields(Study) if item.name not in values and item.default_factory is MISSING]
    if missing:
        raise ParameterError(f"{source} lacks {', '.join(missing)}")
    plain = {key: value for key, value in values.items() if key in _PLAIN}
    lists = {key: _names(key, values[key], source) for key in _LISTS}
    settings_by, only = _texts(values.get("settings_by"), source), _names_by(values.get("only"), source)
    return Study(**checked(plain, _PLAIN, source), **lists, settings_by=settings_by, only=only)


def _names(key: str, value: object, source: str) -> tuple[str, ...]:
    """A list of names; as words of one text on a command line."""
    names = words_of(value) if isinstance(value, str) else value
    if not isinstance(names, list | tuple) or not all(isinstance(name, str) for name in names):
        raise ParameterError(f"{source}: '{key}' must be a list of names, not {value!r:.60}")
    return tuple(names)


def _names_by(value: object, source: str) -> dict[str, tuple[str, ...]]:
    """Lists of datasets by model; MODEL:DATASET,DATASET on a command line."""
    if isinstance(value, str):
        return only_of(value)
    lists = {} if value is None else value
    if not isinstance(lists, Mapping) or not all(isinstance(model, str) for model in lists):
        raise ParameterError(f"{source}: 'only' must hold 'model: [dataset, dataset]' lines, not {value!r:.60}")
    return {model: _names(f"only: {model}", names, source) for model, names in lists.items()}


def _texts(value: object, source: str) -> dict[str, str]:
    texts = {} if value is None else value
    if not isinstance(texts, Mapping) or not all(isinstance(part, str) for item in texts.items() for part in item):
        raise ParameterError(f"{source}: 'settings_by' must hold 'name: settings' lines, not {value!r:.60}")
    return dict(texts)
