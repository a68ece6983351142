"""Many evaluations: in order, in several processes, in constant memory, going on after any interruption.

Records are appended to one JSONL file in the order of the cases, so what is there already says where to go on: no
record is lost or written twice, whenever the process is killed.
"""

import os
import time
from collections import OrderedDict, deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from itertools import islice
from multiprocessing import get_context
from pathlib import Path

from lib.accuracy.audit import audit_record
from lib.accuracy.engines.catalog import open_engine
from lib.accuracy.evaluation import Evaluator, settings_hash, text_hash
from lib.accuracy.records import Case, Evaluation, Settings
from lib.errors import ParameterError
from lib.files import dump_line, read_jsonl

_SMALL, _LARGE = 16, 128  # cases that a process gets at a time, at least and at most
# Seconds for a chunk, above which chunks shrink: what is not written yet is lost to a kill. Half of it lets them grow:
# a parent that hands out 32 quick cases at a time is busy for a tenth of the time that they take.
_LONG = 1.0
_AHEAD = 3  # chunks in flight a process
_OPEN = 32  # evaluators kept in a process


@dataclass(frozen=True, slots=True)
class Job:
    """What is the same for all cases of a batch."""

    engine: str  # address; `{db_id}` stands for the case's database
    settings: Settings
    structure: bool = False  # whether records say how the clauses differ


def run_batch(cases: Iterable[Case], job: Job, out: Path, jobs: int = 1) -> Iterator[int]:
    """Evaluates cases and appends their audit records to a JSONL file.

    Args:
        cases: in a fixed order; read as they are needed.
        job: engine and settings.
        out: the JSONL file; a part of the same run in it is kept.
        jobs: number of processes.

    Yields:
        The number of records in the file, as it grows.

    Raises:
        ParameterError: if the file holds records of another run.
    """
    if jobs < 1:
        raise ParameterError(f"--jobs must be at least 1, not {jobs}")
    cases = iter(cases)
    done = _skip_done(cases, job, out)
    if done:
        yield done
    out.parent.mkdir(parents=True, exist_ok=True)
    with open(out, "a", encoding="utf-8", newline="\n") as handle:
        for lines in _evaluated(cases, job, jobs):
            handle.write("".join(lines))
            handle.flush()
            done += len(lines)
            yield done


def _skip_done(cases: Iterator[Case], job: Job, out: Path) -> int:
    """Drops the cases whose records are there already; returns how many."""
    if not out.exists():
        return 0
    _drop_torn_line(out)
    done, settings = 0, settings_hash(job.settings)
    for record in read_jsonl(out):
        case = next(cases, None)
        known = tuple(record.get(name) for name in ("id", "gold_hash", "pred_hash", "settings_hash"))
        same = case is not None and known == (case.id, text_hash(case.gold), text_hash(case.pred), settings)
        if not same or ("structure" in record) != job.structure:
            raise ParameterError(f"'{out}' holds another run (record {done}, id '{known[0]}'): choose another folder")
        done += 1
    return done


def _drop_torn_line(path: Path) -> None:
    """Cuts off a last line without its end, which a killed process left."""
    with open(path, "rb+") as handle:
        size = handle.seek(0, os.SEEK_END)
        position = size
        while position:
            start = max(0, position - 65536)
            handle.seek(start)
            found = handle.read(position - start).rfind(b"\n")
            if found >= 0:
                position = start + found + 1
                break
            position = start
        if position < size:
            handle.truncate(position)


def _evaluated(cases: Iterator[Case], job: Job, jobs: int) -> Iterator[list[str]]:
    """Lines of the cases, chunk by chunk, in order."""
    if jobs == 1:
        while chunk := list(islice(cases, _SMALL)):
            yield evaluate_chunk(job, chunk)[0]
        return
    waiting: deque[tuple[list[Case], Future]] = deque()
    pool, size = _pool(jobs), _SMALL
    try:
        while True:
            while len(waiting) < _AHEAD * jobs and (chunk := list(islice(cases, size))):
                waiting.append((chunk, pool.submit(evaluate_chunk, job, chunk)))
            if not waiting:
                return
            try:
                lines, seconds = waiting[0][1].result()
            except BrokenProcessPool:
                pool.shutdown(wait=False)
                yield _one_by_one(job, waiting.popleft()[0])
                pool = _pool(jobs)
                waiting = deque((chunk, pool.submit(evaluate_chunk, job, chunk)) for chunk, _ in waiting)
            else:
                waiting.popleft()
                size = _resized(size, seconds)
                yield lines
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _resized(size: int, seconds: float) -> int:
    """The size of the chunks to come, from the time that one took."""
    if seconds > _LONG:
        return max(size // 2, _SMALL)
    return min(size * 2, _LARGE) if seconds < _LONG / 2 else size


def _pool(jobs: int) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(jobs, mp_context=get_context("spawn"))


def _one_by_one(job: Job, chunk: list[Case]) -> list[str]:
    """Lines of a chunk that may have ended a process: one case at a time, so that it is known which one ends it."""
    lines, pool = [], _pool(1)
    for case in chunk:
        try:
            lines += pool.submit(evaluate_chunk, job, [case]).result()[0]
        except BrokenProcessPool:
            pool.shutdown(wait=False)
            pool = _pool(1)
            lines.append(_line(_evaluator(job, case.db_id).gave_up(case, "the process that evaluated it ended"), job))
    pool.shutdown()
    return lines


def evaluate_chunk(job: Job, chunk: list[Case]) -> tuple[list[str], float]:
    """The audit lines of some cases, and the seconds they took; runs in any process."""
    started = time.perf_counter()
    lines = [_line(_evaluator(job, case.db_id).evaluate(case), job) for case in chunk]
    return lines, time.perf_counter() - started


def _line(evaluation: Evaluation, job: Job) -> str:
    return dump_line(audit_record(evaluation, structure=_structure(evaluation, job) if job.structure else None)) + "\n"


def _structure(evaluation: Evaluation, job: Job):
    from lib.accuracy.structure import compare_structure

    schema = _evaluator(job, evaluation.db_id).engine.schema()
    return compare_structure(evaluation.gold_sql, evaluation.pred_sql, schema, "auto")


_evaluators: OrderedDict[tuple[Job, str], Evaluator] = OrderedDict()


def _evaluator(job: Job, db_id: str) -> Evaluator:
    key = (job, db_id)
    if key not in _evaluators:
        _evaluators[key] = Evaluator(open_engine(job.engine.replace("{db_id}", db_id)), job.settings)
        if len(_evaluators) > _OPEN:
            _evaluators.popitem(last=False)[1].engine.close()
    _evaluators.move_to_end(key)
    return _evaluators[key]


def evaluate_batch(
    cases: Iterable[Case], engine: str, settings: Settings | None = None, jobs: int = 1, structure: bool = False
):
    """Evaluates cases into a data frame, one row a case, with the fields of the audit records.

    Args:
        cases: golden and generated queries, such as `suite.join` gives.
        engine: address; `{db_id}` stands for the case's database.
        settings: how results are compared.
        jobs: number of processes.
        structure: whether a column says how the clauses differ.
    """
    import json

    import pandas

    if jobs < 1:
        raise ParameterError(f"jobs must be at least 1, not {jobs}")
    lines = _evaluated(iter(cases), Job(engine, settings or Settings(), structure), jobs)
    return pandas.DataFrame([json.loads(line) for chunk in lines for line in chunk])
