"""The whole corpus: all databases, all questions, the checks, and the files."""

import json
from collections import Counter
from pathlib import Path
from sqlite3 import Connection, Error

from data.builtin.make import database, domains, handwritten
from data.builtin.make.generate import Item, generate, gives_rows
from lib.errors import SpiderComposeError
from lib.files import write_json, write_jsonl, write_text
from lib.progress import progress
from lib.splitting import split

SEED = 20260
SCALE = 0.34  # queries per unit of weight and database; gives about 155 questions a database
_CLAUSES = (" JOIN ", " HAVING ", " LIMIT ", " DISTINCT ", "(SELECT ")
_CONDITIONS = (" LIKE ", " BETWEEN ", " IN ", " NOT IN ", " IS NULL", " IS NOT NULL", " OR ", " AND ")
_WORDS = (*_CLAUSES, "(DISTINCT ", *_CONDITIONS, '"', "'")
_NAMES = {"GROUP BY": "group", "ORDER BY": "order"}


def build(out: Path, seed: int = SEED, scale: float = SCALE) -> dict:
    """Writes the corpus to a folder and returns its statistics.

    Raises:
        ValueError: if a record is not fit: a query that fails, a clause without fragment, a repeated pair.
    """
    sides = {"train": domains.TRAIN, "dev": domains.DEV}
    schemas, fragments, by_hand, statistics = [], [], {}, {}
    for source, names in sides.items():
        items, empty = [], 0
        for name in progress(names, f"{source} databases"):
            domain = domains.load(name)
            schemas.append(database.schema(domain))
            rows, path = database.fill(domain, seed), out / "database" / name / f"{name}.sqlite"
            database.write(domain, rows, path)
            with database.opened(path) as connection:
                found = _one_database(domain, rows, connection, seed, scale)
                empty += sum(not gives_rows(connection, item.query) for item in found)
            items += found
        records = [{"db_id": x.db_id, "question": x.question, "query": x.query} for x in items]
        write_text(out / f"{source}.json", _records(records))
        ids = [f"{source}-{at:05d}" for at in range(len(items))]
        fragments += [{"id": i, "fragments": item.fragments} for i, item in zip(ids, items, strict=True)]
        by_hand[source] = [i for i, item in zip(ids, items, strict=True) if item.construct == "handwritten"]
        statistics[source] = _statistics(items, empty)
    write_json(out / "tables.json", schemas)
    write_jsonl(out / "fragments.jsonl", fragments)
    write_json(out / "handwritten.json", by_hand)
    write_json(out / "statistics.json", statistics)
    return statistics


def _one_database(domain, rows: dict, connection: Connection, seed: int, scale: float) -> list[Item]:
    items = [*handwritten.read(domain.db_id), *generate(domain, rows, connection, seed, scale)]
    unique = {}
    for item in items:
        key = (item.question.lower(), item.query)
        if key in unique:
            raise ValueError(f"{domain.db_id}: twice the same pair: {item.question}")
        unique[key] = item
        check(item, connection)
    return items


def check(item: Item, connection: Connection) -> None:
    """Checks one question.

    Raises:
        ValueError: if its query fails, or its fragments are not those of the query's clauses.
    """
    try:
        connection.execute(item.query).fetchall()
        kinds = {_NAMES.get(clause.kind, clause.kind.lower()) for clause in split(item.query)}
    except (Error, SpiderComposeError) as error:
        raise ValueError(f"{item.db_id}: {item.query}: {error}") from error
    if kinds != set(item.fragments):
        raise ValueError(f"{item.db_id}: '{item.question}' has fragments {sorted(item.fragments)}, not {sorted(kinds)}")


def _statistics(items: list[Item], empty: int) -> dict:
    clauses = [[clause.kind for clause in split(item.query)] for item in items]
    subsets = [len(kinds) for kinds in clauses]
    return {
        "questions": len(items),
        "handwritten": sum(item.construct == "handwritten" for item in items),
        "queries": len({(item.db_id, item.query) for item in items}),
        "databases": len({item.db_id for item in items}),
        "without_rows": empty,
        "by_clauses": {str(n): count for n, count in sorted(Counter(subsets).items())},
        "pairs_of_3_or_more_clauses": sum({3: 1, 4: 5}.get(n, 0) for n in subsets),
        "by_kinds": dict(sorted(Counter("+".join(kinds) for kinds in clauses).items())),
        "by_construct": dict(sorted(Counter(item.construct for item in items).items())),
        "by_sql": {word.strip(): sum(word in f" {item.query.upper()} " for item in items) for word in _WORDS},
    }


def _records(records: list[dict]) -> str:
    """JSON as in Spider's files: a list, a record indented by four blanks."""
    return json.dumps(records, ensure_ascii=False, indent=4) + "\n"
