"""One module an encoder; each reads a batch and returns a Memory."""

from importlib import import_module
from typing import Any

from torch import nn

from lib.errors import ParameterError, suggest
from lib.models.configuration import Settings
from lib.models.trees import Tree

_CLASSES = {  # model -> module and class
    "bilstm": ("bilstm", "BiLSTMEncoder"),
    "abs": ("transformer", "AbsEncoder"),
    "rel": ("transformer", "RelEncoder"),
    "treelstm": ("treelstm", "TreeLSTMEncoder"),
    "rgt": ("rgt", "RGTEncoder"),
    "compositional": ("bilstm", "BiLSTMEncoder"),
    "marked": ("bilstm", "BiLSTMEncoder"),
    "recombined": ("bilstm", "BiLSTMEncoder"),
}
_STRUCTURES = {"treelstm": ("treelstm", "shape_of"), "rgt": ("rgt", "graph_of")}  # what they need besides labels


def make_encoder(settings: Settings, vocabulary_size: int) -> nn.Module:
    """A new encoder.

    Args:
        settings: of the run.
        vocabulary_size: number of source words.

    Raises:
        ParameterError: if the model is unknown.
    """
    if settings.model not in _CLASSES:
        raise ParameterError(f"unknown model '{settings.model}': {suggest(settings.model, _CLASSES)}")
    module, name = _CLASSES[settings.model]
    return getattr(import_module(f"lib.models.encoders.{module}"), name)(settings.encoder, vocabulary_size)


def structure_of(model: str, tree: Tree | None) -> Any:
    """What the encoder of a model needs of a tree besides its labels; None for sequence encoders."""
    if model not in _STRUCTURES:
        return None
    module, name = _STRUCTURES[model]
    return getattr(import_module(f"lib.models.encoders.{module}"), name)(tree)
