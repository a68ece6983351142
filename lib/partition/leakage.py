"""How much of a test set is already written in its training set.

The paper's partition draws training and test pairs from the same questions, so a target of the test set can occur
word for word as a training target. Every dataset of the study reports that.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from lib.records import Pair
from lib.splitting import split


@dataclass(frozen=True, slots=True)
class Leakage:
    """Test pairs whose text is the text of a training pair, compared token for token."""

    pairs: int  # size of the test set
    same_question: int  # found in a training pair from the same question
    other_question: int  # found in training pairs from other questions only
    share: float  # (same_question + other_question) / pairs, 0-1; 0 for an empty test set


@dataclass(frozen=True, slots=True)
class Evidence:
    """Test clauses that some training pair shows, counted once a database (case ignored)."""

    clauses: int  # distinct (database, clause) of the test set
    in_database: int  # of these, with a training pair of the same database
    anywhere: int  # of these, with a training pair of any database
    without: int  # of these, with none


def leakage(train: Iterable[Pair], tests: Mapping[str, Sequence[Pair]]) -> dict[str, Leakage]:
    """Counts, for each test set, the references that are training targets.

    Args:
        train: training pairs; may be a stream, it is read once.
        tests: test sets by name.
    """
    wanted = {pair.text for test in tests.values() for pair in test if pair.text}
    sources: dict[str, set[str]] = {}
    for pair in train:
        if pair.text in wanted:
            sources.setdefault(pair.text, set()).add(pair.example_id)
    return {name: _leakage(sources, test) for name, test in tests.items()}


def _leakage(sources: Mapping[str, set[str]], test: Sequence[Pair]) -> Leakage:
    same = sum(pair.example_id in sources.get(pair.text, ()) for pair in test)
    found = sum(pair.text in sources for pair in test)
    return Leakage(len(test), same, found - same, round(found / len(test), 4) if test else 0.0)


def clause_keys(pair: Pair) -> list[str]:
    """The clauses of a pair as they are compared: case ignored, since SQL keywords and names ignore it.

    >>> from lib.records import Pair
    >>> clause_keys(Pair("", "", "", ("SELECT", "WHERE"), "select A from t where b = 1", "", 2, "dev", {}))
    ['select a from t', 'where b = 1']
    """
    if pair.n_clauses == 1:  # nothing to cut, and most of a training set
        return [pair.sql.lower()]
    return [clause.sql.lower() for clause in split(pair.sql)]


def evidence(train: Iterable[Pair], test: Sequence[Pair]) -> Evidence:
    """Counts the test clauses that occur in training pairs, from whatever question.

    Args:
        train: training pairs; may be a stream.
        test: test pairs.
    """
    wanted = {(pair.db_id, key) for pair in test for key in clause_keys(pair)}
    texts = {key for _, key in wanted}
    in_database, anywhere = set(), set()
    for pair in train:
        for key in clause_keys(pair):
            if key in texts:
                anywhere.add(key)
                in_database.add((pair.db_id, key))
    found = sum(key in anywhere for _, key in wanted)
    return Evidence(len(wanted), len(wanted & in_database), found, len(wanted) - found)
