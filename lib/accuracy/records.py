"""The records of the accuracy evaluator: limits, results of queries, settings, and the evaluation itself."""

from dataclasses import asdict, dataclass, field

from lib.errors import ParameterError, suggest

# What became of one evaluation. Only pairs that are `ok`, `error`, `unsafe`, `timeout` or `truncated` are judged.
STATUSES = ("ok", "error", "unsafe", "timeout", "truncated", "gold_error", "no_database")
UNJUDGED = ("gold_error", "no_database")  # the fault is not the generated query's: left out of every rate
MODES = ("exact", "contains", "subset", "superset", "lenient")
ORDERS = ("auto", "ignore", "require")


@dataclass(frozen=True, slots=True)
class Limits:
    """What one query may cost."""

    timeout_s: float = 10.0  # seconds, enforced inside the engine
    max_rows: int = 1_000_000  # rows of a result; more make it `truncated`
    max_cell: int = 1_000_000  # bytes of one value
    max_memory: int = 1 << 30  # bytes that one query may add to the process, where the engine can tell

    def __post_init__(self):
        for name in ("timeout_s", "max_rows", "max_cell", "max_memory"):
            if not getattr(self, name) > 0:
                raise ParameterError(f"{name} must be above 0, not {getattr(self, name)}")


@dataclass(frozen=True, slots=True)
class Result:
    """What one query gave: rows as the driver's own tuples, or why there are none."""

    status: str  # ok, error, unsafe, timeout, truncated or no_database
    columns: tuple[str, ...] = ()  # names as the driver tells them
    rows: list[tuple] = field(default_factory=list)  # values after `values.canonical`
    error: str = ""  # one line; empty if ok
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Settings:
    """How two results are compared."""

    mode: str = "exact"  # which of MODES counts as right
    order: str = "auto"  # auto: only if the golden query's outermost SELECT has ORDER BY; ignore; require
    tolerance: float = 1e-9  # relative; two numbers of which one is no integer; 0 turns it off
    limits: Limits = field(default_factory=Limits)
    dialect: str = ""  # of the golden SQL where it is not the engine's own: it is then translated
    determinacy: bool = True  # look whether the golden result is determined; costs queries on golden LIMITs

    def __post_init__(self):
        for name, known in (("mode", MODES), ("order", ORDERS)):
            if getattr(self, name) not in known:
                raise ParameterError(f"unknown {name} '{getattr(self, name)}': {suggest(getattr(self, name), known)}")
        if not 0 <= self.tolerance < 1:
            raise ParameterError(f"the tolerance must lie in [0, 1), not {self.tolerance}")


@dataclass(frozen=True, slots=True)
class Case:
    """One golden query and the query generated for the same question."""

    id: str  # id of the question; joins both
    gold: str
    pred: str
    db_id: str = ""  # where the suite spans several databases
    question: str = ""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """One typed verdict: status × matches × scores × flags, with the first difference."""

    id: str  # id of the question, "" for a single comparison
    db_id: str
    status: str  # one of STATUSES
    exact: bool | None  # same rows and columns, columns in any order; None: undecided within the budget
    contains: bool | None  # the golden columns are all there with the same rows; further columns allowed
    subset: bool | None  # each generated row is among the golden ones
    superset: bool | None  # each golden row is among the generated ones
    lenient: bool | None  # exact after folding letter case, blanks, number forms and rounding, in any row order
    bird: bool  # BIRD-like: the sets of rows are equal
    test_suite: bool | None  # test-suite-like: multisets equal after permuting columns; two empty results always match
    row_score: float | None  # 0-100, the article's, over the shared columns; None if not judged
    column_score: float | None  # 0-100, shared names among all names
    accuracy: float | None  # 0-100, mean of both
    flags: tuple[
        str, ...
    ]  # vacuous, null_only, gold_nondeterministic, bare_columns, clock, random, ties, permuted, ...
    difference: str | None  # the first difference, one line
    error: str | None  # what the engine said, one line
    gold_sql: str
    pred_sql: str
    gold_rows: int | None  # number of rows
    pred_rows: int | None
    tie_blocks: tuple[int, ...] | None  # sizes of the runs of golden rows with equal sort keys, if order matters
    limit_pool: tuple[tuple, ...] | None  # rows among which the golden LIMIT chose, if it cut a tie
    gold_seconds: float
    pred_seconds: float
    compare_seconds: float
    gold_hash: str  # SHA-256, 16 hex digits, of the text
    pred_hash: str
    database_hash: str  # of the database's content, "" where the engine cannot tell
    settings_hash: str

    @property
    def judged(self) -> bool:
        """Whether the evaluation says anything about the generated query."""
        return self.status not in UNJUDGED

    def passed(self, mode: str = "exact") -> bool:
        """Whether the query counts as right in a mode; undecided does not."""
        return getattr(self, mode) is True

    def to_json(self) -> dict:
        """A value that JSON can hold, keys in the order of the fields."""
        from lib.accuracy.values import jsonable

        return {name: jsonable(value) for name, value in asdict(self).items()}
