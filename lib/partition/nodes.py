"""The trees that compounds are read off."""

from collections.abc import Iterator
from dataclasses import dataclass

BLANK = "___"


@dataclass(frozen=True, slots=True)
class Node:
    """One node: its words, with a BLANK for each child."""

    label: str
    children: tuple["Node", ...] = ()

    def filled(self, place: int, text: str) -> str:
        """The label with the blank of one child filled in.

        >>> Node("___ = ___", (Node("a"), Node("b"))).filled(1, "b")
        '___ = b'
        """
        pieces = self.label.split(BLANK)
        return BLANK.join(pieces[: place + 1]) + text + BLANK.join(pieces[place + 1 :])

    def words(self) -> list[str]:
        """The words of the label without its blanks; a leaf is one word."""
        return [word for word in self.label.split() if word != BLANK] if self.children else [self.label]

    def walk(self) -> Iterator["Node"]:
        """The node and all below it, parents first."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(node.children))


def joined(separator: str, nodes: list[Node]) -> Node:
    """Several nodes as a chain of pairs that grows to the left: ((a , b) , c)."""
    left = nodes[0]
    for right in nodes[1:]:
        left = Node(f"{BLANK} {separator} {BLANK}", (left, right))
    return left
