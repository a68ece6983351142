"""SQL -> what an encoder reads: tokens for sequence encoders, labels and a tree for the others."""

from collections.abc import Sequence
from dataclasses import dataclass

from lib.models.batching import Coder, Item
from lib.models.configuration import MARKED_MODELS, TREE_MODELS
from lib.models.encoders import structure_of
from lib.models.linearise import linearise, read
from lib.models.names import PLAIN, Words
from lib.models.trees import LEAF, Tree, tree_of

# The first token of a marked source. A text for a whole query is a sentence, one for a part of it rarely is: a model
# that cannot tell them apart learns to stop early.
MARKS = WHOLE, PART = "<whole>", "<part>"


@dataclass(frozen=True, slots=True)
class Source:
    """One SQL text, read."""

    tokens: tuple[str, ...]  # source tokens, or labels of the tree's nodes; values in the case they are written in
    tree: Tree | None = None  # for tree encoders


def source_of(sql: str, model: str, whole: str | None = None, words: Words = PLAIN) -> Source:
    """Reads SQL as a model does.

    Args:
        sql: one query, or a part of one that starts at a clause.
        model: name of the model.
        whole: the query that a partial `sql` belongs to.
        words: for the names of its database; without them, names are cut at underscores and capitals.

    Raises:
        SqlError: if the SQL cannot be read.
    """
    if model not in TREE_MODELS:
        mark = (_mark(sql, whole),) if model in MARKED_MODELS else ()
        return Source(mark + linearise(sql, whole, words))
    tree = tree_of(sql, whole, words)
    return Source(tree.labels, tree)


def _mark(sql: str, whole: str | None) -> str:
    """Whether SQL is a whole query, however it is spaced; on its own, it is one if it starts like one."""
    if whole is None:
        first = next((token.text.lower() for token in read(sql) if token.kind != "open"), "")
        return WHOLE if first in ("select", "with") else PART
    one, other = (" ".join(text.split()).rstrip("; ") for text in (sql, whole))
    return WHOLE if one == other else PART


def encoded(coder: Coder, model: str, source: Source, target: Sequence[str] | None = None) -> Item:
    """Encodes one source, and its text if there is one.

    Args:
        coder: both vocabularies.
        model: name of the model.
        source: as read by `source_of`.
        target: tokens of the text.
    """
    structure = None if source.tree is None else structure_of(model, source.tree)
    words = None if target is None else lower(target)
    return coder.item(lower(source.tokens), words, structure, _silent(source, model))


def _silent(source: Source, model: str) -> frozenset[int]:
    """Places of tokens that no text may copy: the mark, and nodes of a tree that are no leaves."""
    if source.tree is None:
        return frozenset((0,)) if model in MARKED_MODELS else frozenset()
    return frozenset(place for place, kind in enumerate(source.tree.kinds) if kind != LEAF)


def lower(tokens: Sequence[str]) -> tuple[str, ...]:
    """Tokens in lower case: models read and write no capitals."""
    return tuple(token.lower() for token in tokens)
