"""SQL -> what an encoder reads: tokens for sequence encoders, labels and a tree for the others."""

from collections.abc import Sequence
from dataclasses import dataclass

from lib.models.batching import Coder, Item
from lib.models.configuration import CLAUSE_MODELS, TREE_MODELS
from lib.models.encoders import structure_of
from lib.models.linearise import by_clause, linearise
from lib.models.names import PLAIN, Words
from lib.models.trees import LEAF, Tree, tree_of


@dataclass(frozen=True, slots=True)
class Source:
    """One SQL text, read."""

    tokens: tuple[str, ...]  # source tokens, or labels of the tree's nodes; values in the case they are written in
    tree: Tree | None = None  # for tree encoders
    clauses: tuple[int, ...] = ()  # tokens of each clause, for encoders that read clauses by themselves


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
    if model in CLAUSE_MODELS:
        parts = by_clause(sql, whole, words)
        return Source(tuple(word for part in parts for word in part), clauses=tuple(map(len, parts)))
    if model not in TREE_MODELS:
        return Source(linearise(sql, whole, words))
    tree = tree_of(sql, whole, words)
    return Source(tree.labels, tree)


def encoded(coder: Coder, model: str, source: Source, target: Sequence[str] | None = None) -> Item:
    """Encodes one source, and its text if there is one.

    Args:
        coder: both vocabularies.
        model: name of the model.
        source: as read by `source_of`.
        target: tokens of the text.
    """
    inner = () if source.tree is None else [i for i, kind in enumerate(source.tree.kinds) if kind != LEAF]
    structure = source.clauses or None if source.tree is None else structure_of(model, source.tree)
    return coder.item(lower(source.tokens), None if target is None else lower(target), structure, frozenset(inner))


def lower(tokens: Sequence[str]) -> tuple[str, ...]:
    """Tokens in lower case: models read and write no capitals."""
    return tuple(token.lower() for token in tokens)
