"""Golden results that hang on chance: on the order in which rows are stored, or on which row of a group is shown.

SQLite lets a grouped query show a column that it does not group by, and takes it from any row of the group. Such a
query is asked twice more, with the lowest and with the highest value of the column: both must give the same.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from functools import lru_cache
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING
from urllib.parse import quote

from lib.accuracy.engines.sqlite import SqliteEngine
from lib.accuracy.golden import Golden, prepare
from lib.accuracy.records import Limits, Settings
from lib.errors import SqlError
from lib.sql_parse import parse

if TYPE_CHECKING:
    from sqlglot import exp

SETTINGS = Settings(limits=Limits(timeout_s=5.0, max_rows=100_000))
_UNUSABLE = {"gold_nondeterministic", "clock", "random"}  # flags of golden results that prove nothing


def determined(sql: str, path: Path) -> Golden | None:
    """The golden side on one SQLite file; None if it fails there or its result hangs on chance.

    Args:
        sql: golden SQL.
        path: the file.
    """
    engine = SqliteEngine(path)
    golden = prepare(sql, engine, SETTINGS)
    if golden.result.status != "ok" or _UNUSABLE.intersection(golden.flags):
        return None
    expected = Counter(golden.result.rows)
    if _run_backwards(sql, path) != expected:
        return None
    for probe in _probes(sql):
        result = engine.run(probe, SETTINGS.limits, golden=True)
        if result.status != "ok" or Counter(result.rows) != expected:
            return None
    return golden


def connect(path: Path) -> sqlite3.Connection:
    """A connection that only reads; a missing file is an error."""
    return sqlite3.connect(f"file:{quote(str(Path(path).resolve()))}?mode=ro", uri=True)


def _run_backwards(sql: str, path: Path) -> Counter | None:
    """The rows if tables without ORDER BY are read from their end; None if the query fails."""
    connection = connect(path)
    try:
        connection.execute("PRAGMA reverse_unordered_selects = 1")
        connection.execute("PRAGMA query_only = 1")
        deadline = perf_counter() + SETTINGS.limits.timeout_s
        connection.set_progress_handler(lambda: perf_counter() > deadline, 1000)
        return Counter(connection.execute(sql).fetchmany(SETTINGS.limits.max_rows))
    except sqlite3.Error:
        return None
    finally:
        connection.close()


@lru_cache(maxsize=4096)
def _probes(sql: str) -> tuple[str, ...]:
    """The query with the lowest, and with the highest value of each column that its groups do not fix."""
    from sqlglot import exp

    try:
        tree = parse(sql, None, "sqlite")
    except SqlError:
        return ()
    if not any(_loose(select) for select in tree.find_all(exp.Select)):
        return ()
    found = []
    for wrap in (exp.Min, exp.Max):
        copy = tree.copy()
        for select in copy.find_all(exp.Select):
            for column in _loose(select):
                column.replace(wrap(this=column.copy()))
        found.append(copy.sql("sqlite"))
    return tuple(found)


def _loose(select: exp.Select) -> list[exp.Column]:
    """The columns outside aggregates that a grouped SELECT shows, asks or sorts by and does not group by."""
    from sqlglot import exp

    places = [*select.expressions, *(select.args[name] for name in ("having", "order") if select.args.get(name))]
    inside = [node for place in places for node in place.dfs(prune=lambda node: isinstance(node, exp.Query))]
    aggregates = [node for node in inside if isinstance(node, exp.AggFunc)]
    group = select.args.get("group")
    if not group and not aggregates:
        return []
    if len(aggregates) == 1 and isinstance(aggregates[0], exp.Min | exp.Max):
        return []  # SQLite then takes the row that has the extreme
    keys = [node for key in (group.expressions if group else ()) for node in key.find_all(exp.Column)]
    named = {item.alias.lower() for item in select.expressions if item.alias}
    return [node for node in inside if isinstance(node, exp.Column) and not node.is_star
            and not node.find_ancestor(exp.AggFunc) and node.name.lower() not in named
            and not any(_same(node, key) for key in keys)]  # fmt: skip


def _same(column: exp.Column, key: exp.Column) -> bool:
    tables = {node.table.lower() for node in (column, key) if node.table}
    return column.name.lower() == key.name.lower() and len(tables) <= 1
