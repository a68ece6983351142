"""Settings of models and of training: frozen records that check themselves.

Imports no torch, so that commands can list and check settings at once.
"""

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

from lib.errors import ParameterError, suggest


@dataclass(frozen=True, slots=True)
class BiLSTMSettings:
    """Bidirectional LSTM over the tokens of the SQL."""

    embedding: int = 256  # width of token vectors
    hidden: int = 256  # width per direction
    layers: int = 1
    dropout: float = 0.1  # 0-1, on token vectors and on states


@dataclass(frozen=True, slots=True)
class AbsSettings:
    """Transformer with absolute positions."""

    width: int = 256  # of all states, a multiple of heads
    heads: int = 4
    feedforward: int = 512  # width inside the feed-forward parts
    layers: int = 2
    dropout: float = 0.1  # 0-1


@dataclass(frozen=True, slots=True)
class RelSettings:
    """Transformer with relative positions (Shaw et al. 2018)."""

    width: int = 256  # of all states, a multiple of heads
    heads: int = 4
    feedforward: int = 512  # width inside the feed-forward parts
    layers: int = 2
    reach: int = 16  # positions farther apart count as this far
    dropout: float = 0.1  # 0-1


@dataclass(frozen=True, slots=True)
class TreeLSTMSettings:
    """Child-sum TreeLSTM over the SQL tree (Tai et al. 2015)."""

    embedding: int = 256  # width of label vectors
    hidden: int = 384  # width of the states
    dropout: float = 0.1  # 0-1, on label vectors and on states


@dataclass(frozen=True, slots=True)
class RGTSettings:
    """Relation-aware graph Transformer over the SQL tree (Ma et al. 2022)."""

    width: int = 256  # of all states, a multiple of heads
    heads: int = 4
    feedforward: int = 512  # width inside the feed-forward parts
    layers: int = 2
    reach: int = 8  # leaves farther apart count as this far
    dropout: float = 0.1  # 0-1


@dataclass(frozen=True, slots=True)
class DecoderSettings:
    """Attention LSTM, the same for all encoders."""

    embedding: int = 256  # width of token vectors, also of the vectors that words are chosen by
    hidden: int = 256  # width of the LSTM
    dropout: float = 0.1  # 0-1, on token vectors and before the choice of words
    beam: int = 1  # width of the search in tests; 1: greedy
    copy: bool = False  # may copy tokens of the SQL (See et al. 2017)


@dataclass(frozen=True, slots=True)
class TrainingSettings:
    """How a model is trained."""

    epochs: int = 12
    batch_size: int = 64  # pairs
    learning_rate: float = 1e-3  # at the end of the warm-up
    warmup: float = 0.05  # share of all steps with a rising learning rate; a cosine falls to 0 after it
    clip: float = 1.0  # largest norm of the gradient
    label_smoothing: float = 0.1  # 0-1
    patience: int = 0  # epochs without a better validation BLEU before stopping; 0: never stops early
    recombine: float = 0.0  # pairs of 3 or 4 clauses made from clauses of several questions, as a share of all pairs
    keep: str = "best"  # weights that are kept: best (by validation BLEU) or last
    min_count: int = 2  # rarer words are unknown words
    max_length: int = 400  # tokens; longer training pairs are left out and counted
    threads: int = 1  # two runs of one thread side by side beat one run of two
    bf16: bool = True  # on processors that have it


# Settings of the encoder by name of the model; encoders/__init__.py has its class.
ENCODERS: dict[str, type] = {
    "bilstm": BiLSTMSettings,
    "abs": AbsSettings,
    "rel": RelSettings,
    "treelstm": TreeLSTMSettings,
    "rgt": RGTSettings,
    "compositional": BiLSTMSettings,
    "marked": BiLSTMSettings,
    "recombined": BiLSTMSettings,
}
PARTS_OF_OURS = ("marked", "recombined")  # each has one of the two ideas of ours
TREE_MODELS = frozenset(("treelstm", "rgt"))  # read the SQL tree; the others read its tokens
MARKED_MODELS = frozenset(("compositional", "marked"))  # are told whether SQL is a whole query or a part of one
_OWN = {  # what a model's defaults have of their own
    "compositional": {"decoder.copy": True, "training.recombine": 0.2},
    "marked": {"decoder.copy": True},
    "recombined": {"decoder.copy": True, "training.recombine": 0.2},
}

_RANGES = {
    "dropout": (0.0, 0.95), "label_smoothing": (0.0, 0.95), "warmup": (0.0, 1.0), "learning_rate": (0.0, 10.0),
    "clip": (1e-6, 1e6), "patience": (0, 10**6), "embedding": (1, 8192), "hidden": (1, 8192), "layers": (1, 64),
    "epochs": (1, 10**6), "batch_size": (1, 65536), "min_count": (1, 10**9), "max_length": (2, 10**5),
    "threads": (1, 1024), "heads": (1, 64), "reach": (1, 1024), "width": (1, 8192), "feedforward": (1, 65536),
    "recombine": (0.0, 100.0), "beam": (1, 64),
}  # fmt: skip
_CHOICES = {"keep": ("best", "last")}


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings of one run."""

    model: str  # name in ENCODERS
    seed: int = 1
    encoder: Any = None  # the settings of that encoder
    decoder: DecoderSettings = field(default_factory=DecoderSettings)
    training: TrainingSettings = field(default_factory=TrainingSettings)

    def as_dict(self) -> dict:
        """Nested plain values, as written to `config.json`."""
        return asdict(self)


def settings(model: str = "bilstm", seed: int = 1, **changes: Any) -> Settings:
    """The settings of a model with some of them changed.

    Args:
        model: name in ENCODERS.
        seed: of all randomness, at least 0.
        changes: `group.name` or, where only one group has it, `name`; groups: encoder, decoder, training.

    Raises:
        ParameterError: if a name is unknown or ambiguous, or a value has the wrong type or range.

    >>> settings("bilstm", **{"encoder.hidden": 128, "epochs": 3}).training.epochs
    3
    """
    groups = _defaults(model)
    if type(seed) is not int or not 0 <= seed < 2**31:
        raise ParameterError(f"seed must be a whole number from 0 to {2**31 - 1}, not {seed!r}")
    for name, value in (_OWN.get(model, {}) | changes).items():
        for group, key in _places(name, groups):
            groups[group] = replace(groups[group], **{key: _checked(name, key, value, groups[group])})
    return _consistent(Settings(model, seed, **groups))


def _defaults(model: str) -> dict[str, Any]:
    """The settings of each group."""
    if model not in ENCODERS:
        raise ParameterError(f"unknown model '{model}': {suggest(model, ENCODERS)}")
    return {"encoder": ENCODERS[model](), "decoder": DecoderSettings(), "training": TrainingSettings()}


def from_dict(record: Any) -> Settings:
    """Reads `config.json`; the inverse of `Settings.as_dict`.

    Raises:
        ParameterError: if a key is unknown or a value has the wrong type or range.
    """
    if not isinstance(record, dict) or "model" not in record:
        raise ParameterError("not the settings of a run: no 'model'")
    for key in record:
        if key not in Settings.__slots__:
            raise ParameterError(f"unknown setting '{key}': {suggest(key, Settings.__slots__)}")
    changes = {}
    for group in ("encoder", "decoder", "training"):
        values = record.get(group, {})
        if not isinstance(values, dict):
            raise ParameterError(f"settings of '{group}' must be an object, not {values!r:.40}")
        changes |= {f"{group}.{key}": value for key, value in values.items()}
    return settings(str(record["model"]), record.get("seed", 1), **changes)


def parse_change(text: str) -> tuple[str, Any]:
    """Reads one `NAME=VALUE` of a command line.

    Raises:
        ParameterError: if there is no `=`, or the name is that of an option of its own.

    >>> parse_change("decoder.copy=true"), parse_change("dropout=0.2"), parse_change("keep=last")
    (('decoder.copy', True), ('dropout', 0.2), ('keep', 'last'))
    """
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise ParameterError(f"cannot read '{text}': write NAME=VALUE, such as encoder.hidden=128")
    if name in ("model", "seed"):
        raise ParameterError(f"'{name}' is no setting of training: give it by --{name}, or by the study's '{name}s'")
    if value.lower() in ("true", "false"):
        return name, value.lower() == "true"
    for read in (int, float):
        try:
            return name, read(value)
        except ValueError:
            continue
    return name, value


def parse_changes(model: str, texts: Iterable[str]) -> dict[str, Any]:
    """Reads several `NAME=VALUE` for a model.

    Raises:
        ParameterError: if one cannot be read, is unknown, or is given twice, under whatever name.

    >>> parse_changes("bilstm", ["epochs=3", "encoder.hidden=128"])
    {'epochs': 3, 'encoder.hidden': 128}
    """
    groups, changes, meant = _defaults(model), {}, {}
    for text in texts:
        name, value = parse_change(text)
        places = tuple(_places(name, groups))
        if places in meant:
            raise ParameterError(f"setting '{name}' is given twice (before as '{meant[places]}'): give it once")
        changes[name], meant[places] = value, name
    return changes


def _places(name: str, groups: dict[str, Any]) -> list[tuple[str, str]]:
    """The groups in which a setting is meant; `dropout` alone means every dropout."""
    group, dot, key = name.partition(".")
    if dot and group in groups and key in _names(groups[group]):
        return [(group, key)]
    found = [] if dot else [(other, name) for other, values in groups.items() if name in _names(values)]
    if not found:
        known = [f"{other}.{slot}" for other, values in groups.items() for slot in _names(values)]
        raise ParameterError(f"unknown setting '{name}': {suggest(name, known)}")
    return found


def _names(values: Any) -> tuple[str, ...]:
    """All settings of a group; `__slots__` lacks those of a class below."""
    return tuple(item.name for item in fields(values))


def _checked(name: str, key: str, value: Any, group: Any) -> Any:
    wanted = type(getattr(group, key))
    if wanted is float and type(value) is int:
        value = float(value)
    if type(value) is not wanted:
        raise ParameterError(f"setting '{name}' must be {wanted.__name__}, not {value!r}")
    if key in _CHOICES and value not in _CHOICES[key]:
        raise ParameterError(f"setting '{name}' cannot be '{value}': {suggest(value, _CHOICES[key])}")
    if key in _RANGES and not _RANGES[key][0] <= value <= _RANGES[key][1]:
        low, high = _RANGES[key]
        raise ParameterError(f"setting '{name}' must lie between {low} and {high}, not {value}")
    return value


def _consistent(chosen: Settings) -> Settings:
    if {"heads", "width"} <= set(_names(chosen.encoder)) and chosen.encoder.width % chosen.encoder.heads:
        raise ParameterError(f"encoder.width {chosen.encoder.width} is no multiple of heads {chosen.encoder.heads}")
    return chosen
