"""What the notebook on SQL accuracy calls: the article's table, cases of known truth, and who judges them how."""

import atexit
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from lib.accuracy.chance import determined
from lib.accuracy.engines.sqlite import SqliteEngine
from lib.accuracy.evaluation import evaluate
from lib.accuracy.neighbours import neighbours
from lib.accuracy.originals import open_original, schema_of
from lib.accuracy.records import Evaluation
from lib.accuracy.rewrites import rewrites
from lib.accuracy.statistics import wilson
from lib.accuracy.strengthen import refute
from lib.accuracy.suite import GoldenQuery
from lib.paths import ROOT

# How a pair may be judged: name -> whether it passes. The first three are what people build first.
JUDGES: dict[str, Callable[[Evaluation], bool]] = {
    "same text": lambda found: _words(found.gold_sql) == _words(found.pred_sql),
    "article's score is 100": lambda found: found.accuracy == 100.0,
    "sets of rows are equal": lambda found: found.bird,
    "our record: exact": lambda found: found.exact is True,
}

_EMPLOYEES = (
    (1, "Ada Brook", "HR", 52_000), (2, "Ben Carr", "Sales", 48_000), (3, "Cleo Dunn", "HR", 45_000),
    (4, "Dov Ellis", "IT", 75_000), (5, "Eve Frost", "IT", 50_000), (6, "Finn Gray", "Sales", 61_000),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class KnownCase:
    """A pair whose truth is known."""

    gold: GoldenQuery
    sql: str
    right: bool
    change: str  # what was done to the golden query


@dataclass(frozen=True, slots=True)
class JudgeCount:
    """How often one way of judging was mistaken."""

    judge: str
    rejected: int  # right queries called wrong
    right: int
    passed: int  # wrong queries called right
    wrong: int

    def as_row(self) -> dict:
        """Percents, with the 95 % Wilson interval of each."""
        row: dict = {"judged by": self.judge}
        pairs = (("right, rejected", self.rejected, self.right), ("wrong, waved through", self.passed, self.wrong))
        for name, count, total in pairs:
            low, high = wilson(count, total)
            row[f"{name} %"] = 100 * count / total if total else None
            row[f"{name}: 95 %"] = f"{100 * low:.1f}-{100 * high:.1f}"
        return row


def article_database(folder: Path) -> Path:
    """The article's table `employees`, with rows of our own, as a SQLite file."""
    path = folder / "employees.sqlite"
    path.unlink(missing_ok=True)
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE employees (id INTEGER, employee_name TEXT, department TEXT, salary INTEGER)")
    connection.executemany("INSERT INTO employees VALUES (?, ?, ?, ?)", _EMPLOYEES)
    connection.commit()
    connection.close()
    return path


def address(engine: str, db_id: str = "") -> str:
    """An engine's address for one database; a relative path of a file starts at the repository."""
    scheme, colon, path = engine.replace("{db_id}", db_id).partition(":")
    if colon and scheme in ("sqlite", "duckdb") and not path.startswith("/"):
        return f"{scheme}:{ROOT / path}"
    return f"{scheme}{colon}{path}"


def known_cases(
    golden: Iterable[GoldenQuery], database: Callable[[str], Path], variants: Callable[[str], list[Path]]
) -> Iterator[KnownCase]:
    """Pairs of known truth: rewrites of a golden query are right; neighbours that some database tells apart are wrong.

    Args:
        golden: golden queries; those whose result hangs on chance are passed over.
        database: the SQLite file of a database.
        variants: further databases with the same rules, such as `strengthen` makes.
    """
    for query in golden:
        path = database(query.db_id)
        if determined(query.sql, path) is None:
            continue
        schema = schema_of(open_original(path), query.db_id)
        for item in rewrites(query.sql, schema):
            yield KnownCase(query, item.sql, True, item.change)
        for item in neighbours(query.sql, schema):
            if refute(query.sql, item.sql, [path, *variants(query.db_id)]) is not None:
                yield KnownCase(query, item.sql, False, item.kind)


def judged(cases: Iterable[KnownCase], database: Callable[[str], Path]) -> list[tuple[KnownCase, Evaluation]]:
    """Evaluates cases on their databases."""
    return [(case, evaluate(case.gold.sql, case.sql, SqliteEngine(database(case.gold.db_id)))) for case in cases]


def mistakes(pairs: list[tuple[KnownCase, Evaluation]]) -> list[JudgeCount]:
    """Counts the mistakes of each of JUDGES."""
    counts = []
    for name, passes in JUDGES.items():
        right = [passes(found) for case, found in pairs if case.right]
        wrong = [passes(found) for case, found in pairs if not case.right]
        counts.append(JudgeCount(name, len(right) - sum(right), len(right), sum(wrong), len(wrong)))
    return counts


def with_variants(
    pairs: list[tuple[KnownCase, Evaluation]], variants: Callable[[str], list[Path]]
) -> list[tuple[KnownCase, Evaluation]]:
    """The same pairs; a query that passed, but that a variant refutes, is exact no more."""
    found = []
    for case, evaluation in pairs:
        if evaluation.exact and refute(case.gold.sql, case.sql, variants(case.gold.db_id)) is not None:
            evaluation = replace(evaluation, exact=False, difference="a variant of the database tells them apart")
        found.append((case, evaluation))
    return found


def scratch() -> Path:
    """A folder for files that nobody keeps: it goes with the process."""
    folder = Path(tempfile.mkdtemp(prefix="spidercompose-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _words(sql: str) -> str:
    return " ".join(sql.lower().rstrip("; \n").split())
