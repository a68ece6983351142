"""One evaluation: run both queries within their limits, compare, and say all of it in one record."""

import hashlib
from collections import OrderedDict
from dataclasses import asdict, replace
from functools import lru_cache
from time import perf_counter

from lib.accuracy.comparison import Matches, compare, first_difference, needs_ties
from lib.accuracy.engines.base import Engine
from lib.accuracy.gate import refusal
from lib.accuracy.golden import Golden, prepare
from lib.accuracy.overlap import Overlap, overlap
from lib.accuracy.records import MODES, Case, Evaluation, Result, Settings
from lib.accuracy.scores import accuracy_score, column_score, row_score
from lib.accuracy.views import bird_like, suite_like

_KEPT = 128  # golden results kept, as several questions or systems share them
_KEPT_ROWS = 5_000  # larger results are not kept
_SHOWN_POOL = 100  # rows of a pool that the record shows


class Evaluator:
    """Evaluates queries on one database; keeps small golden results.

    Args:
        engine: the database.
        settings: how results are compared.
    """

    def __init__(self, engine: Engine, settings: Settings | None = None):
        self.engine, self.settings = engine, settings or Settings()
        self._golden: OrderedDict[tuple[str, str], Golden] = OrderedDict()

    def evaluate(self, case: Case) -> Evaluation:
        """The evaluation of one case."""
        database = self.engine.digest()
        golden = self._prepared(case.gold, database)
        refused = refusal(case.pred, self.engine.dialect)
        if golden.result.status not in ("ok", "truncated"):
            return self._failed(case, golden, refused or Result("ok"), database)
        pred = refused or self.engine.run(case.pred, self.settings.limits)
        if pred.status != "ok" or golden.result.status != "ok":
            return self._failed(case, golden, pred, database)
        started = perf_counter()
        if needs_ties(golden, pred):
            golden.look_up_ties(self.engine, self.settings.limits)
        common = overlap(golden.result.rows, pred.rows)
        matches = compare(golden, pred, self.settings, case.pred, common)
        return self._judged(case, golden, pred, matches, common, database, started)

    def gave_up(self, case: Case, reason: str) -> Evaluation:
        """The record of a case whose evaluation could not be finished at all."""
        nothing = Golden(case.gold, Result("ok"), None, False, ())
        return self._failed(case, nothing, Result("error", error=reason), self.engine.digest())

    def _prepared(self, sql: str, database: str) -> Golden:
        key = (sql, database)
        golden = self._golden.get(key)
        if golden is None:
            golden = prepare(self._own(sql), self.engine, self.settings)
            if len(golden.result.rows) <= _KEPT_ROWS:
                self._golden[key] = golden
                if len(self._golden) > _KEPT:
                    self._golden.popitem(last=False)
        return golden

    def _own(self, sql: str) -> str:
        """Golden SQL in the engine's dialect."""
        if not self.settings.dialect:
            return sql
        from lib.accuracy.translation import translated

        return translated(sql, self.settings.dialect, self.engine.dialect)

    def _judged(
        self, case: Case, golden: Golden, pred: Result, matches: Matches, common: Overlap, database: str, started: float
    ) -> Evaluation:
        gold = golden.result
        columns = column_score(gold.columns, pred.columns)
        rows = 100.0 if matches.by_name else self._row_score(gold, pred, common)
        free = not golden.ordered and not golden.cut_blocks and "tolerance" not in matches.flags
        return self._record(
            case, golden, pred, "ok", matches, database,
            bird=bird_like(common),
            test_suite=suite_like(case.gold, gold.rows, pred.rows, common, matches.exact if free else None),
            row_score=rows,
            column_score=columns,
            accuracy=accuracy_score(rows, columns),
            difference=first_difference(golden, pred, matches, common),
            error=None,
            compare_seconds=perf_counter() - started,
        )  # fmt: skip

    def _row_score(self, gold: Result, pred: Result, common: Overlap) -> float:
        """The row score; from what was counted already where both results have the same columns in the same places."""
        if gold.columns == pred.columns and (gold.rows or pred.rows):
            return 100.0 * common.shared / common.union
        return row_score(gold.columns, gold.rows, pred.columns, pred.rows)

    def _failed(self, case: Case, golden: Golden, pred: Result, database: str) -> Evaluation:
        """A record without a comparison: one of the queries gave no (whole) result."""
        gold = golden.result
        status, error = pred.status, pred.error
        if gold.status == "no_database":
            status, error = "no_database", gold.error
        elif gold.status not in ("ok", "truncated"):
            status, error = "gold_error", f"golden query: {gold.status}: {gold.error}"
        elif gold.status == "truncated" and pred.status in ("ok", "truncated"):
            status, error = "truncated", gold.error
        exact = None if gold.status == pred.status == "truncated" else False
        score = None if status in ("gold_error", "no_database") else 0.0
        return self._record(
            case, golden, pred, status, Matches(exact, exact, exact, exact, exact), database,
            bird=False, test_suite=False, row_score=score, column_score=score, accuracy=score,
            difference=None, error=error, compare_seconds=0.0,
        )  # fmt: skip

    def _record(
        self, case: Case, golden: Golden, pred: Result, status: str, matches: Matches, database: str, **rest
    ) -> Evaluation:
        flags = (*golden.flags, *matches.flags)
        blocks = golden.blocks
        if blocks and any(len(set(block.rows)) > 1 for block in blocks):
            flags = (*flags, "ties")
        pool = sorted({row for block in golden.cut_blocks for row in block.rows}, key=repr)
        return Evaluation(
            id=case.id, db_id=case.db_id, status=status,
            exact=matches.exact, contains=matches.contains, subset=matches.subset,
            superset=matches.superset, lenient=matches.lenient,
            flags=flags, gold_sql=case.gold, pred_sql=case.pred,
            gold_rows=len(golden.result.rows) if golden.result.status == "ok" else None,
            pred_rows=len(pred.rows) if pred.status == "ok" and status not in ("gold_error", "no_database") else None,
            tie_blocks=tuple(block.size for block in blocks) if blocks and golden.ordered else None,
            limit_pool=tuple(pool[:_SHOWN_POOL]) if pool else None,
            gold_seconds=golden.result.seconds, pred_seconds=pred.seconds,
            gold_hash=text_hash(case.gold), pred_hash=text_hash(case.pred), database_hash=database,
            settings_hash=settings_hash(self.settings), **rest,
        )  # fmt: skip


def evaluate(gold: str, pred: str, engine: Engine | str, settings: Settings | None = None) -> Evaluation:
    """Holds one generated query against the golden one.

    Args:
        gold: the golden SQL.
        pred: the generated SQL; it is treated as hostile.
        engine: an engine, or its address (see `engines.catalog`).
        settings: mode, order, tolerance, limits.

    Raises:
        EngineError: if there is no such engine, or its client is not installed.
    """
    if isinstance(engine, str):
        from lib.accuracy.engines.catalog import open_engine

        engine = open_engine(engine)
    return Evaluator(engine, settings).evaluate(Case("", gold, pred))


def text_hash(text: str) -> str:
    """The first 16 hex digits of a text's SHA-256."""
    return hashlib.sha256(str(text).encode("utf-8", "surrogatepass")).hexdigest()[:16]


@lru_cache(maxsize=16)
def settings_hash(settings: Settings) -> str:
    """The first 16 hex digits of the SHA-256 of all settings but the mode, which decides no verdict."""
    return text_hash(repr(sorted(asdict(replace(settings, mode=MODES[0])).items())))
