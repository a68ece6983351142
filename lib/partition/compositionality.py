"""How compositional SpiderCompose itself is: clauses are its atoms, combinations of clauses its compounds.

A training pair has one or two clauses, a test pair three or four. So a test pair as a whole is always new; what its
training set may hold are its clauses and its combinations of two. The measures of `properties` are taken over all
combinations of two or more clauses that a pair contains.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from lib.partition.leakage import clause_keys
from lib.partition.properties import ATOM_WEIGHT, COMPOUND_WEIGHT, divergence
from lib.records import Pair


@dataclass(frozen=True, slots=True)
class Compositionality:
    """A test set against its training set, in clauses (case ignored)."""

    pairs: int  # size of the test set
    covered: int  # test pairs whose clauses all occur in training
    known_pairs_of_clauses: float  # share of the test set's combinations of two that training has, 0-1
    atom_divergence: float  # of clauses: 0 alike, 1 nothing in common
    compound_divergence: float  # of combinations, over all test pairs
    covered_divergence: float | None  # the same over the covered test pairs; None if there are none


def compositionality(train: Iterable[Pair], test: Sequence[Pair]) -> Compositionality:
    """Measures what of the test set's clauses and combinations is known from training.

    Args:
        train: training pairs; may be a stream, it is read once.
        test: test pairs.
    """
    atoms, compounds = Counter(), Counter()
    for pair in train:
        keys = clause_keys(pair)
        atoms.update(keys)
        compounds.update(_combinations(keys))
    tested = [clause_keys(pair) for pair in test]
    covered = [keys for keys in tested if all(key in atoms for key in keys)]
    twos = [two for keys in tested for two in combinations(keys, 2)]
    return Compositionality(
        pairs=len(tested),
        covered=len(covered),
        known_pairs_of_clauses=round(sum(two in compounds for two in twos) / len(twos), 4) if twos else 0.0,
        atom_divergence=divergence(atoms, Counter(key for keys in tested for key in keys), ATOM_WEIGHT),
        compound_divergence=_divergence(compounds, tested),
        covered_divergence=_divergence(compounds, covered) if covered else None,
    )


def _divergence(train: Counter, tested: Sequence[Sequence[str]]) -> float:
    return divergence(train, Counter(found for keys in tested for found in _combinations(keys)), COMPOUND_WEIGHT)


def _combinations(keys: Sequence[str]) -> Iterator[tuple[str, ...]]:
    for size in range(2, len(keys) + 1):
        yield from combinations(keys, size)
