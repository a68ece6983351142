"""The article's scores: column score, row score, and their mean.

The article prints 75.0 for `SELECT employee_name, employee_id …` against `SELECT * …`: rows 100, columns 50. Its
printed code cannot give that. It compares whole rows, and a row of two values never equals a row of four, so its row
score is 0 and the mean 25.0; and `employee_id` is no column of its table, so its own query fails. Both figures are
reproduced with `id` for `employee_id`: 75.0 if the row score looks at the columns that both results share, which is
what we report, and 25.0 with `printed_row_score`.
"""

from collections import Counter
from collections.abc import Sequence
from operator import itemgetter


def column_score(gold: Sequence[str], pred: Sequence[str]) -> float:
    """Shared column names among all column names, 0-100; equal names count as often as they occur.

    >>> column_score(["id", "name", "department", "salary"], ["id", "name"])
    50.0
    """
    if gold == pred:
        return 100.0
    wanted, got = (Counter(name.lower() for name in names) for names in (gold, pred))
    return 100.0 * (wanted & got).total() / ((wanted | got).total() or 1)


def row_score(
    gold: Sequence[str], gold_rows: Sequence[tuple], pred: Sequence[str], pred_rows: Sequence[tuple]
) -> float:
    """Shared rows among all distinct rows, 0-100, looking only at the columns that both results have.

    No shared column gives 0; no rows on either side 100 if there are shared columns (the evaluation is then `vacuous`).

    >>> row_score(["id", "name"], [(1, "a"), (2, "b")], ["id"], [(1,), (2,)])
    100.0
    """
    places = shared_places(gold, pred)
    if not places:
        return 0.0
    if [left for left, _ in places] == [right for _, right in places] == list(range(len(gold))) and len(gold) == len(
        pred
    ):
        return _overlap(set(gold_rows), set(pred_rows))
    left, right = (itemgetter(*(place[side] for place in places)) for side in (0, 1))
    return _overlap(set(map(left, gold_rows)), set(map(right, pred_rows)))


def shared_places(gold: Sequence[str], pred: Sequence[str]) -> list[tuple[int, int]]:
    """Places of the columns with the same name on both sides; the n-th of a name goes with the n-th."""
    where = {name: place for place, name in enumerate(_numbered(pred))}
    return [(place, where[name]) for place, name in enumerate(_numbered(gold)) if name in where]


def _numbered(names: Sequence[str]) -> list[tuple[str, int]]:
    seen: Counter = Counter()
    numbered = []
    for name in names:
        numbered.append((name.lower(), seen[name.lower()]))
        seen[name.lower()] += 1
    return numbered


def _overlap(left: set, right: set) -> float:
    union = len(left | right)
    return 100.0 * len(left & right) / union if union else 100.0


def printed_row_score(gold_rows: Sequence[tuple], pred_rows: Sequence[tuple]) -> float:
    """The row score of the article's printed code: whole rows, whatever their columns; 0-100.

    >>> printed_row_score([(1, "a")], [(1,)])
    0.0
    """
    return _overlap(set(gold_rows), set(pred_rows))


def accuracy_score(rows: float, columns: float) -> float:
    """The mean of row and column score, two decimals.

    >>> accuracy_score(100.0, 50.0)
    75.0
    """
    return round((rows + columns) / 2, 2)
