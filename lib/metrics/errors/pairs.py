"""Errors in what a system wrote for the pairs of a dataset."""

from collections.abc import Mapping, Sequence

from lib.datasets import whole_queries
from lib.metrics.errors import Diagnosis, diagnose
from lib.records import Pair, Schema
from lib.splitting import split


def diagnoses(texts: Sequence[str], pairs: Sequence[Pair], schemas: Mapping[str, Schema]) -> list[Diagnosis]:
    """Finds the kinds of error in each text; all texts of pairs with the same SQL count as references.

    Args:
        texts: what a system wrote, one for each pair.
        pairs: with their references.
        schemas: by database; one that is missing is done without.
    """
    references: dict[tuple[str, str], dict[str, None]] = {}
    for pair in pairs:
        references.setdefault((pair.db_id, pair.sql), {})[pair.text] = None
    wholes = {example: split(sql) for example, sql in whole_queries(pairs).items()}
    found = []
    for pair, text in zip(pairs, texts, strict=True):
        known = [pair.text, *(other for other in references[pair.db_id, pair.sql] if other != pair.text)]
        found.append(diagnose(text, known, wholes[pair.example_id], schemas.get(pair.db_id), pair.kinds))
    return found
