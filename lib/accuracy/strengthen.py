"""Databases that tell wrong queries from right ones: for each golden query, variants on which its neighbours differ.

A variant counts for a query only where its golden result is determined: it must not hang on the order in which rows
are stored, nor on a tie that LIMIT cuts.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from random import Random

from lib.accuracy.chance import SETTINGS, determined
from lib.accuracy.comparison import compare, needs_ties
from lib.accuracy.engines.sqlite import SqliteEngine
from lib.accuracy.equivalence import same_under
from lib.accuracy.golden import Golden, prepare
from lib.accuracy.neighbours import Neighbour, neighbours
from lib.accuracy.originals import Original, open_original, rules_of, schema_of, write_variant
from lib.accuracy.planting import make_variant
from lib.accuracy.sites import sites
from lib.accuracy.suite import GoldenQuery
from lib.errors import EngineError, SpiderComposeError
from lib.files import write_json, write_jsonl, write_text
from lib.progress import progress
from lib.records import Schema
from lib.sql_parse import parse

TRIES = 80  # variants made for one query before its last neighbours are given up
FLOOR = 3  # variants that a query has at least, also where its neighbours need none: mistakes are not all alike


@dataclass(frozen=True, slots=True)
class Strengthened:
    """What became of the neighbours of one golden query."""

    id: str
    db_id: str
    gold_sql: str
    neighbours: int = 0  # that run and may differ
    same: tuple[str, ...] = ()  # changes that cannot matter under the rules of the database, not counted
    before: int = 0  # told apart by the database as it is
    after: int = 0  # told apart by it or a variant
    left: tuple[str, ...] = ()  # changes that nothing tells apart
    variants: tuple[str, ...] = ()  # files that tell at least one apart, relative to the report
    problem: str = ""  # why the query has no neighbours


def differs(golden: Golden, sql: str, path: Path) -> bool | None:
    """Whether a query gives another result than the golden one; None if it fails or it is undecided."""
    engine = SqliteEngine(path)
    result = engine.run(sql, SETTINGS.limits)
    if result.status != "ok":
        return None
    if not golden.result.rows and not result.rows and len(golden.result.columns) == len(result.columns):
        return False  # two empty results are no evidence, whatever their columns are called
    if needs_ties(golden, result):
        golden.look_up_ties(engine, SETTINGS.limits)
    exact = compare(golden, result, SETTINGS, sql).exact
    return None if exact is None else not exact


def refute(gold: str, pred: str, variants: Iterable[Path]) -> Path | None:
    """The first variant on which a generated query gives another result than the golden one.

    Args:
        gold: golden SQL.
        pred: generated SQL; a read-only connection, the gate and limits protect the files.
        variants: SQLite files; those on which the golden result is not determined are passed over.
    """
    from lib.accuracy.gate import refusal

    if refusal(pred, "sqlite") is not None:
        return None
    for path in variants:
        golden = determined(gold, path)
        if golden is not None and differs(golden, pred, path):
            return path
    return None


def strengthen(
    query: GoldenQuery,
    original: Original,
    folder: Path,
    schema: Schema | None = None,
    seed: int = 0,
    tries: int = TRIES,
) -> Strengthened:
    """Makes variants until the neighbours of a golden query are told apart, or the tries are spent.

    Args:
        query: the golden query.
        original: its database; variants that it has already are used first.
        folder: where kept variants are written.
        schema: the database's schema; read from the database itself if None.
        seed: decides the variants, with the query's text.
        tries: variants to make at most.
    """
    report = Strengthened(query.id, query.db_id, query.sql)
    schema = schema or schema_of(original, query.db_id)
    golden = prepare(query.sql, SqliteEngine(original.path), SETTINGS)
    if golden.result.status != "ok":
        return replace(report, problem=f"the golden query fails: {golden.result.error}")
    if set(golden.flags) & {"clock", "random"}:
        return replace(report, problem="the golden result changes by itself")
    try:
        return _Search(query, original, folder, schema, seed, tries).run(report, golden)
    except SpiderComposeError as error:
        return replace(report, problem=str(error))


class _Search:
    """Looks for variants on which the neighbours of one query differ; used once."""

    def __init__(
        self, query: GoldenQuery, original: Original, folder: Path, schema: Schema | None, seed: int, tries: int
    ):
        self.query, self.original, self.folder, self.tries = query, original, folder, tries
        self.random = Random(f"{seed} {query.sql}")
        self.rules = rules_of(original, query.sql, schema)
        self.tree = parse(query.sql, schema, "sqlite")
        self.sites = sites(self.tree, original.tables)
        self.found = neighbours(query.sql, schema, "sqlite")
        self.used: list[Path] = []

    def run(self, report: Strengthened, golden: Golden) -> Strengthened:
        same, left, told = [], [], 0
        certain = determined(self.query.sql, self.original.path)
        for item in self.found:
            reason = same_under(item, self.sites, self.original.tables, self.rules)
            if reason is not None:
                same.append(f"{item.change}: {reason}")
                continue
            verdict = differs(golden, item.sql, self.original.path)
            if verdict is None:
                continue  # no query that runs: nobody is deceived by it
            if verdict and certain is not None:
                told += 1
            else:
                left.append(item)
        total = told + len(left)
        left = self._use(self.original.variants, left)
        left = self._make(left)
        names = tuple(str(path.relative_to(self.folder)) for path in self.used)
        return replace(report, neighbours=total, same=tuple(same), before=told, after=total - len(left), variants=names,
                     left=tuple(f"{item.change}: {item.sql}" for item in left))  # fmt: skip

    def _use(self, paths: list[Path], left: list[Neighbour]) -> list[Neighbour]:
        for path in paths:
            if left:
                remaining = self._told_by(path, left)
                if len(remaining) < len(left):
                    self.used.append(path)
                left = remaining
        return left

    def _told_by(self, path: Path, left: list[Neighbour]) -> list[Neighbour]:
        """The neighbours that a variant does not tell apart."""
        golden = determined(self.query.sql, path)
        if golden is None:
            return left
        return [item for item in left if not differs(golden, item.sql, path)]

    def _make(self, left: list[Neighbour]) -> list[Neighbour]:
        """Makes variants until no neighbour is left and the query has enough of them."""
        enough = sum(self._is_telling(path) for path in self.original.variants[-2 * FLOOR :])
        with tempfile.TemporaryDirectory() as place:
            for number in range(self.tries):
                if not left and (enough >= FLOOR or number > 4 * FLOOR):
                    break
                nulls = [item for item in left if item.kind == "null"]
                asked = (
                    nulls if nulls and (number % 2 or len(nulls) == len(left)) else [i for i in left if i not in nulls]
                )
                path = Path(place) / f"{number}.sqlite"
                rows = self._variant(path, self._blanks(asked) if asked is nulls else ())
                told = [item for item in asked if item not in self._told_by(path, asked)]
                if told or (asked is not nulls and enough < FLOOR and self._is_telling(path)):
                    self._keep(rows, private=asked is nulls)
                    enough += asked is not nulls
                left = [item for item in left if item not in told]
                SqliteEngine(path).close()
        return left

    def _variant(self, path: Path, blanks: tuple[tuple[str, int], ...]) -> dict[str, list[tuple]]:
        plain = tuple(site for site in self.sites if site is not None)
        rows = make_variant(self.original.tables, self.rules, plain, self.random, blanks)
        write_variant(self.original, rows, path)
        return rows

    def _is_telling(self, path: Path) -> bool:
        """Whether the query has rows on a variant, and they do not hang on chance."""
        golden = determined(self.query.sql, path)
        return golden is not None and bool(golden.result.rows)

    def _blanks(self, asked: list[Neighbour]) -> tuple[tuple[str, int], ...]:
        """Columns to hold NULL: all that are no keys, of the tables that neighbours count.

        None that the query uses: rewrites that are right elsewhere may part on NULL.
        """
        from sqlglot import exp

        names = {column.name.lower() for column in self.tree.find_all(exp.Column)}
        found = []
        for name in sorted({item.column.split(".", 1)[0] for item in asked}):
            table = self.original.tables[name]
            keys = {c for rule in self.rules.unique if rule.table == name for c in rule.columns}
            keys |= {rule.column for rule in self.rules.within if rule.table == name}
            found += [(name, number) for number, column in enumerate(table.columns)
                      if number not in keys and column.lower() not in names]  # fmt: skip
        return tuple(found)

    def _keep(self, rows: dict[str, list[tuple]], private: bool) -> None:
        folder = self.folder / (self.query.db_id or self.original.path.stem)
        folder.mkdir(parents=True, exist_ok=True)
        if private:
            self.original.private += 1
            path = folder / f"null-{self.original.private:03}.sqlite"
        else:
            path = folder / f"variant-{len(self.original.variants) + 1:03}.sqlite"
            self.original.variants.append(path)
        path.unlink(missing_ok=True)
        write_variant(self.original, rows, path)
        self.used.append(path)


@dataclass(frozen=True, slots=True)
class SuiteReport:
    """What became of a whole suite."""

    queries: tuple[Strengthened, ...]

    def counts(self) -> dict:
        """Totals; shares are None without neighbours."""
        total = sum(query.neighbours for query in self.queries)
        before, after = (sum(getattr(query, name) for query in self.queries) for name in ("before", "after"))
        return {
            "queries": len(self.queries),
            "queries with a problem": sum(bool(query.problem) for query in self.queries),
            "neighbours": total,
            "same under the rules of the database": sum(len(query.same) for query in self.queries),
            "told apart before": before,
            "told apart after": after,
            "share before": round(before / total, 4) if total else None,
            "share after": round(after / total, 4) if total else None,
            "variants": len({name for query in self.queries for name in query.variants}),
        }

    def markdown(self) -> str:
        """A summary that people read."""
        lines = ["# Strengthened databases", "", "| what | figure |", "| --- | --- |"]
        lines += [f"| {name} | {'-' if value is None else value} |" for name, value in self.counts().items()]
        lines += ["", "## Not told apart", ""]
        for query in self.queries:
            lines += [f"- {query.id} ({query.db_id}): {item}" for item in query.left]
        lines += ["", "## Problems", "", *(f"- {query.id}: {query.problem}" for query in self.queries if query.problem)]
        return "\n".join(lines) + "\n"


def strengthen_suite(
    queries: Iterable[GoldenQuery],
    database: Callable[[str], Path | None],
    schema: Callable[[str], Schema | None],
    out: Path,
    seed: int = 0,
    tries: int = TRIES,
) -> SuiteReport:
    """Strengthens the databases of a suite; writes variants, `report.json`, `queries.jsonl` and `report.md`.

    Args:
        queries: golden queries; those of one database share its variants.
        database: the SQLite file of a database, None if there is none.
        schema: the schema of a database, None if unknown.
        out: folder for the variants, one folder a database, and the reports.
        seed: decides all variants.
        tries: variants made for one query at most.
    """
    originals: dict[str, Original | str] = {}
    found = []
    for query in progress(list(queries), "golden queries"):
        if query.db_id not in originals:
            originals[query.db_id] = _original_or_problem(query.db_id, database)
        original = originals[query.db_id]
        if isinstance(original, str):
            found.append(Strengthened(query.id, query.db_id, query.sql, problem=original))
        else:
            found.append(strengthen(query, original, out, schema(query.db_id), seed, tries))
    report = SuiteReport(tuple(found))
    write_json(out / "report.json", {**report.counts(), "seed": seed, "tries": tries})
    write_jsonl(out / "queries.jsonl", (asdict(query) for query in found))
    write_text(out / "report.md", report.markdown())
    return report


def _original_or_problem(db_id: str, database: Callable[[str], Path | None]) -> Original | str:
    path = database(db_id)
    if path is None:
        return f"no database '{db_id}'" if db_id else "no database"
    try:
        return open_original(path)
    except EngineError as error:
        return str(error)


def variants_of(folder: Path, db_id: str) -> list[Path]:
    """The variants of a database that hold for every query: those with planted NULLs are for their own query only."""
    return sorted((Path(folder) / db_id).glob("variant-*.sqlite"))
