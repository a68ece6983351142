"""What two well-known benchmarks would say about the same two results.

Views, not the programs themselves: BIRD-like compares sets of rows, columns in place. Test-suite-like compares
multisets after permuting columns, in order if the words "order by" stand anywhere in the golden text, and calls any
two empty results equal; it leaves out that program's removal of DISTINCT, which would need other queries to run.
"""

from lib.accuracy.mapping import Table, Target, find_mapping


def bird_like(gold: list[tuple], pred: list[tuple]) -> bool:
    """Whether the sets of rows are equal."""
    return gold == pred or set(gold) == set(pred)


def test_suite_like(gold_sql: str, gold: list[tuple], pred: list[tuple]) -> bool | None:
    """Whether the results are equal after permuting columns; None if the search ran out of budget."""
    if not gold and not pred:
        return True
    if len(gold) != len(pred) or len(gold[0]) != len(pred[0]):
        return False
    if gold == pred:
        return True
    labels = list(range(len(gold))) if "order by" in gold_sql.lower() else [0] * len(gold)
    table = Table(gold, labels)
    mapping = find_mapping(Target(table, table, len(gold[0])), Table(pred, labels), len(pred[0]))
    return mapping if mapping is None else mapping is not False


test_suite_like.__test__ = False  # the name is the benchmark's, not a test's
