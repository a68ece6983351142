"""Atoms and compounds of SQL: what a query is made of, and how it is put together (Keysers et al. 2020).

Compounds are the chains of two and three nodes of the query's tree, the other children left open (Shaw et al. 2021).
Two definitions of the tree are offered. `shaw` is the published one: its nodes are the rules of a grammar and its
atoms all tokens, aliases and values included. `ours` reads any SQL, also a part of a query, and leaves out what a
model copies rather than composes: atoms are operators, functions and the names of tables and columns, aliases are
dropped, and all values are one.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from lib.errors import ParameterError, SqlError, suggest
from lib.partition import shaw, sql_nodes
from lib.partition.nodes import Node
from lib.records import Schema


@dataclass(frozen=True, slots=True)
class Parts:
    """What one query is made of."""

    atoms: tuple[str, ...]  # sorted, each once
    compounds: tuple[tuple[str, int], ...]  # sorted, each with how often the query has it


def ours(query: str, schema: Schema | None = None) -> Parts:
    """Atoms and compounds of a query, or of a part of one that starts at a clause, by our definition.

    >>> ours("WHERE T1.age > 3").compounds
    (('... where ___', 1), ('___ > value', 1), ('___ where ___ > ___', 1), ('___ where ___ > value', 1), ...
    """
    tree = sql_nodes.read(query, schema)
    return Parts(
        tuple(sorted({word for node in tree.walk() for word in node.words()} - {sql_nodes.REST})), _counted(tree)
    )


def published(query: str, schema: Schema | None = None) -> Parts:
    """Atoms and compounds of a query by the definition of Shaw et al. 2021; `schema` plays no part in it."""
    return Parts(shaw.atoms(query), _counted(shaw.read(query)))


Definition = Callable[[str, Schema | None], Parts]
DEFINITIONS: dict[str, Definition] = {"ours": ours, "shaw": published}


def definition(name: str) -> Definition:
    """The definition of that name.

    Raises:
        ParameterError: if there is none.
    """
    if name not in DEFINITIONS:
        raise ParameterError(f"unknown definition '{name}': {suggest(name, DEFINITIONS)}")
    return DEFINITIONS[name]


def _counted(tree: Node) -> tuple[tuple[str, int], ...]:
    try:
        return tuple(sorted(Counter(chains(tree)).items()))
    except RecursionError as error:
        raise SqlError("cannot take the SQL apart: it is nested too deeply") from error


def chains(tree: Node) -> Iterator[str]:
    """The chains of two and three nodes below one another, written out with the other children left open.

    >>> sorted(chains(Node("not ___", (Node("___ = ___", (Node("a"), Node("b"))),))))
    ['___ = b', 'a = ___', 'not ___ = ___', 'not ___ = b', 'not a = ___']
    """
    for place, child in enumerate(tree.children):
        yield tree.filled(place, child.label)
        for inner, grandchild in enumerate(child.children):
            yield tree.filled(place, child.filled(inner, grandchild.label))
        yield from chains(child)
