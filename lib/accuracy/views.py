"""What two well-known benchmarks would say about the same two results.

Views, not the programs themselves: BIRD-like compares sets of rows, columns in place. Test-suite-like compares
multisets after permuting columns, in order if the words "order by" stand anywhere in the golden text, and calls any
two empty results equal; it leaves out that program's removal of DISTINCT, which would need other queries to run.
"""

from lib.accuracy.mapping import Table, Target, find_mapping
from lib.accuracy.overlap import Overlap


def bird_like(common: Overlap) -> bool:
    """Whether the sets of rows are equal."""
    return common.equal_sets


def suite_like(
    gold_sql: str, gold: list[tuple], pred: list[tuple], common: Overlap, known: bool | None = None
) -> bool | None:
    """Whether the results are equal after permuting columns; None if the search ran out of budget.

    Args:
        gold_sql: the golden query.
        gold: its rows.
        pred: generated rows.
        common: what `overlap.overlap` counted.
        known: whether the multisets are equal after permuting columns, if that is known already.
    """
    if not gold and not pred:
        return True
    if len(gold) != len(pred) or len(gold[0]) != len(pred[0]):
        return False
    ordered = "order by" in gold_sql.lower()
    if gold == pred or (common.equal_bags and not ordered):
        return True
    if known is not None and not ordered:
        return known
    if len(gold[0]) == 1:
        return False
    labels = list(range(len(gold))) if ordered else [0] * len(gold)
    table = Table(gold, labels)
    mapping = find_mapping(Target(table, table, len(gold[0])), Table(pred, labels), len(pred[0]))
    return None if mapping is None else mapping is not False
