"""Records of a run -> figures: health of the golden suite first, then rates with intervals, breakdowns, the gate."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from lib.accuracy.breakdown import clause_count, constructs
from lib.accuracy.records import MODES, STATUSES, UNJUDGED
from lib.accuracy.statistics import clustered_bootstrap, mcnemar, wilson
from lib.accuracy.structure import ClauseScore, ClauseTally

VIEWS = (*MODES, "bird", "test_suite")
_GOLDEN_FLAGS = ("vacuous", "null_only", "gold_nondeterministic", "clock", "random")
_KEPT_IDS = 20  # ids shown of any list


@dataclass(frozen=True, slots=True)
class Rate:
    """A share of right evaluations with its intervals."""

    right: int
    total: int
    low: float  # Wilson, 95 %
    high: float
    cluster_low: float | None = None  # bootstrap over databases, 95 %; None with fewer than two databases
    cluster_high: float | None = None

    @property
    def share(self) -> float:
        """0-1; 0 without evaluations."""
        return self.right / self.total if self.total else 0.0


@dataclass(slots=True)
class _Tally:
    statuses: Counter = field(default_factory=Counter)
    flags: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    flag_counts: Counter = field(default_factory=Counter)
    right: dict[str, Counter] = field(default_factory=lambda: {view: Counter() for view in VIEWS})
    undecided: Counter = field(default_factory=Counter)
    totals: Counter = field(default_factory=Counter)
    verdicts: dict[str, bytearray] = field(default_factory=lambda: defaultdict(bytearray))  # by database, in the mode
    groups: dict[tuple[str, str], list[int]] = field(default_factory=lambda: defaultdict(lambda: [0, 0]))
    parted: list[dict] = field(default_factory=list)
    n_parted: int = 0
    scores: list[float] = field(default_factory=lambda: [0.0, 0.0, 0.0])
    structures: ClauseTally = field(default_factory=ClauseTally)
    unread: int = 0


@dataclass(frozen=True, slots=True)
class Summary:
    """The figures of one run."""

    mode: str  # which of MODES counts as right
    total: int  # evaluations
    judged: int  # of them, those that say something about the generated query
    statuses: Mapping[str, int]
    health: Mapping[str, tuple[int, tuple[str, ...]]]  # finding about golden queries -> number, first ids
    rates: Mapping[str, Rate]  # by view, among the judged
    undecided: Mapping[str, int]
    scores: Mapping[str, float]  # means of accuracy, row_score and column_score, 0-100, among the judged
    by_clauses: Mapping[str, Rate]
    by_construct: Mapping[str, Rate]
    structure: tuple[ClauseScore, ...]  # micro-averages of the clauses, of records that tell their structure
    n_unread: int  # of them, those that have none because a query cannot be read
    n_parted: int  # pairs on which the strict, BIRD-like and test-suite-like views part
    parted: tuple[dict, ...]  # id and the three verdicts of the first of them

    @property
    def rate(self) -> Rate:
        """The rate in the mode."""
        return self.rates[self.mode]


def summarise(records: Iterable[dict], mode: str = "exact") -> Summary:
    """The figures of audit records, read once.

    Args:
        records: of `audit.audit_record`, or as read from its JSONL.
        mode: which of MODES counts as right in breakdowns and gate.
    """
    tally = _Tally()
    for record in records:
        _count(tally, record, mode)
    judged = sum(count for status, count in tally.statuses.items() if status not in UNJUDGED)
    return Summary(
        mode=mode,
        total=tally.statuses.total(),
        judged=judged,
        statuses={status: tally.statuses[status] for status in STATUSES if tally.statuses[status]},
        health={name: (tally.flag_counts[name], tuple(ids)) for name, ids in sorted(tally.flags.items())},
        rates={view: _rate(tally.right[view][True], judged, tally.verdicts if view == mode else {}) for view in VIEWS},
        undecided=dict(tally.undecided),
        scores=dict(zip(("accuracy", "row_score", "column_score"), _means(tally.scores, judged), strict=True)),
        by_clauses=_grouped(tally, "clauses"),
        by_construct=_grouped(tally, "construct"),
        structure=tuple(score for score in tally.structures.scores() if score.gold or score.pred),
        n_unread=tally.unread,
        n_parted=tally.n_parted,
        parted=tuple(tally.parted),
    )


def _means(sums: list[float], count: int) -> list[float]:
    return [round(value / count, 2) if count else 0.0 for value in sums]


def _count(tally: _Tally, record: dict, mode: str) -> None:
    status = record["status"]
    tally.statuses[status] += 1
    for name in [flag for flag in record["flags"] if flag in _GOLDEN_FLAGS] + [status] * (status in UNJUDGED):
        tally.flag_counts[name] += 1
        if len(tally.flags[name]) < _KEPT_IDS:
            tally.flags[name].append(record["id"])
    if status in UNJUDGED:
        return
    for view in VIEWS:
        tally.right[view][record[view]] += 1
        tally.undecided[view] += record[view] is None
    right = record[mode] is True
    tally.verdicts[record["db_id"]].append(right)
    for place, name in enumerate(("accuracy", "row_score", "column_score")):
        tally.scores[place] += record[name]
    for group in _groups(record["gold_sql"]):
        tally.groups[group][0] += right
        tally.groups[group][1] += 1
    if "structure" in record:
        _count_clauses(tally, record["structure"])
    if parts(record):
        tally.n_parted += 1
        if tally.n_parted <= _KEPT_IDS:
            tally.parted.append(three_views(record))


def _count_clauses(tally: _Tally, structure: dict) -> None:
    tally.unread += bool(structure["problem"])
    for clause in structure["clauses"]:
        tally.structures.add(clause["clause"], clause["shared"], len(clause["missing"]), len(clause["extra"]))


def parts(record: dict) -> bool:
    """Whether the strict, BIRD-like and test-suite-like views of a record differ."""
    return record["status"] not in UNJUDGED and len({record["exact"], record["bird"], record["test_suite"]}) > 1


def three_views(record: dict) -> dict:
    """Id and the three verdicts of a record."""
    return {name: record[name] for name in ("id", "exact", "bird", "test_suite")}


def _groups(sql: str) -> list[tuple[str, str]]:
    count = clause_count(sql)
    return [("clauses", "unknown" if count is None else str(count)), *(("construct", name) for name in constructs(sql))]


def _grouped(tally: _Tally, kind: str) -> dict[str, Rate]:
    return {name: _rate(right, total, {}) for (of, name), (right, total) in sorted(tally.groups.items()) if of == kind}


def _rate(right: int, total: int, clusters: Mapping[str, bytearray]) -> Rate:
    low, high = wilson(right, total)
    if len(clusters) < 2:
        return Rate(right, total, low, high)
    return Rate(right, total, low, high, *clustered_bootstrap(clusters))


@dataclass(frozen=True, slots=True)
class Paired:
    """Two runs on the same questions."""

    gains: int  # right now, wrong in the baseline
    losses: int
    both: int  # questions judged in both
    p: float  # exact McNemar, two-sided

    @property
    def worse(self) -> bool:
        """Whether the run is significantly worse than the baseline."""
        return self.losses > self.gains and self.p < 0.05


def paired(records: Iterable[dict], baseline: Iterable[dict], mode: str = "exact") -> Paired:
    """Holds a run against a baseline, question by question; those judged in one only are left out."""
    before = {record["id"]: record[mode] is True for record in baseline if record["status"] not in UNJUDGED}
    pairs = Counter(
        (record[mode] is True, before[record["id"]])
        for record in records
        if record["status"] not in UNJUDGED and record["id"] in before
    )
    gains, losses = pairs[True, False], pairs[False, True]
    return Paired(gains, losses, pairs.total(), mcnemar(gains, losses))


@dataclass(frozen=True, slots=True)
class Gate:
    """Whether a run may pass, and why not."""

    passed: bool
    reasons: tuple[str, ...]


def judge_gate(summary: Summary, min_accuracy: float | None, against: Paired | None) -> Gate:
    """The gate: a bare threshold, and "not significantly worse than the baseline".

    Args:
        summary: figures of the run.
        min_accuracy: percent of judged evaluations that must be right, 0-100; None for no threshold.
        against: the comparison with the baseline, None without one.
    """
    reasons = []
    percent = 100 * summary.rate.share
    if min_accuracy is not None and percent < min_accuracy:
        reasons.append(f"accuracy {percent:.2f} % ({summary.mode}) is below {min_accuracy:g} %")
    if against is not None and against.worse:
        reasons.append(
            f"significantly worse than the baseline: {against.losses} lost, {against.gains} won, p = {against.p:.3g}"
        )
    return Gate(not reasons, tuple(reasons))
