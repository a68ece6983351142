"""What one scores without any learning: baselines that only copy training targets."""

from collections.abc import Sequence

from lib.partition.leakage import clause_keys
from lib.records import Pair


class Lookup:
    """Training texts, found by question or by clause.

    Args:
        train: training pairs.
    """

    def __init__(self, train: Sequence[Pair]):
        self._by_example: dict[str, list[Pair]] = {}
        self._in_database: dict[tuple[str, str], str] = {}
        self._anywhere: dict[str, str] = {}
        for pair in train:
            self._by_example.setdefault(pair.example_id, []).append(pair)
            if pair.n_clauses == 1 and pair.text:
                key = clause_keys(pair)[0]
                self._in_database.setdefault((pair.db_id, key), pair.text)
                self._anywhere.setdefault(key, pair.text)

    def concatenated_fragments(self, pair: Pair) -> str:
        """The training texts of the pair's single clauses, one after the other.

        From the same question where there are any, else from the same database, else from anywhere; a clause that
        no training pair shows adds nothing.
        """
        own = {clause_keys(other)[0]: other.text for other in self._own(pair) if other.n_clauses == 1}
        found = []
        for key in clause_keys(pair):
            found.append(own.get(key) or self._in_database.get((pair.db_id, key)) or self._anywhere.get(key, ""))
        return " ".join(filter(None, found))

    def longest_two_clauses(self, pair: Pair) -> str:
        """The longest training text of two clauses from the same question; else the concatenated fragments."""
        texts = [
            other.text for other in self._own(pair) if other.n_clauses == 2 and set(other.kinds) <= set(pair.kinds)
        ]
        return max(texts, key=lambda text: (len(text.split(" ")), text)) if texts else self.concatenated_fragments(pair)

    def _own(self, pair: Pair) -> list[Pair]:
        return self._by_example.get(pair.example_id, [])


BASELINES = {
    "concatenated fragments": Lookup.concatenated_fragments,
    "longest two-clause fragment": Lookup.longest_two_clauses,
}
