"""A model that only looks up: it answers with the text of the training pair whose SQL is most like the question's."""

from collections.abc import Iterable

from lib.partition.template import sql_key
from lib.records import Pair


class NearestSql:
    """Training texts, found by SQL.

    Args:
        train: training pairs; may be a stream. Those without text are of no use.
    """

    def __init__(self, train: Iterable[Pair]):
        self._by_database: dict[str, list[tuple[frozenset[str], str]]] = {}
        for pair in train:
            if pair.text:
                words = frozenset(sql_key(pair.sql).split(" "))
                self._by_database.setdefault(pair.db_id, []).append((words, pair.text))

    def text(self, pair: Pair) -> str:
        """The text of the training pair that shares the largest part of its SQL tokens (Jaccard).

        Pairs of the same database go before all others; the first of equals in the order of training.
        """
        own = self._by_database.get(pair.db_id)
        among = own or [entry for entries in self._by_database.values() for entry in entries]
        words = frozenset(sql_key(pair.sql).split(" "))
        best = max(among, key=lambda entry: len(words & entry[0]) / len(words | entry[0]), default=None)
        return best[1] if best else ""
