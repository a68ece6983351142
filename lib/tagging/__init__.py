"""Questions -> the kinds of clauses that each token speaks of (paper 3.2.1)."""

from lib.tagging.rules import tag

__all__ = ["tag"]
