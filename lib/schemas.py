"""`tables.json` -> schemas, each checked."""

import re
from pathlib import Path
from typing import Any

from lib.errors import RecordError
from lib.json_stream import Doubled, read_list
from lib.records import Column, Schema

MAX_NAME = 200  # characters of a name; longer ones are not names
# Control characters, and lone surrogates: bytes that are not UTF-8, or half a character. No name or sentence has them.
UNREADABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
_FOLDER_NAME = re.compile(r"(?!\.)[^/\\:\s]+( [^/\\:\s]+)*")  # what may be joined to a path: no way out of the folder


class _Fault(Exception):
    """What is wrong with a schema."""


def read_schemas(path: Path) -> tuple[dict[str, Schema], dict[str, RecordError], list[RecordError]]:
    """Reads `tables.json`.

    Args:
        path: the file, in Spider's format.

    Returns:
        The sound schemas by database, in file order; the error of each broken one that has a name; all errors.

    Raises:
        CorpusError: if the file cannot be read or is not a JSON list.
    """
    schemas: dict[str, Schema] = {}
    named: dict[str, RecordError] = {}
    problems = []
    for index, record in enumerate(read_list(path)):
        try:
            schema = _schema(record)
            if schema.db_id in schemas:
                raise _Fault(f"database '{schema.db_id}' stands twice; the first one is kept")
            schemas[schema.db_id] = schema
        except _Fault as fault:
            problems.append(RecordError(path.name, index, str(fault)))
            name = record.get("db_id") if isinstance(record, dict) else None
            if isinstance(name, str) and name not in schemas:
                named[name] = problems[-1]
    return schemas, {name: error for name, error in named.items() if name not in schemas}, problems


def _schema(record: Any) -> Schema:
    if not isinstance(record, dict):
        raise _Fault(f"expected an object, found {type(record).__name__}")
    if isinstance(record, Doubled):
        raise _Fault("a key stands twice")
    tables = tuple(_name(name, "table_names_original") for name in _list(record, "table_names_original"))
    if not tables:
        raise _Fault("'table_names_original' is empty")
    numbered = _columns(record, "column_names_original", len(tables))
    kept = [index for index, (table, _) in enumerate(numbered) if table >= 0]  # without `*`
    place = {index: position for position, index in enumerate(kept)}
    types, natural = _types(record, len(numbered)), _natural_columns(record, numbered)
    return Schema(
        db_id=_db_id(record.get("db_id")),
        tables=tables,
        natural_tables=_natural_tables(record, tables),
        columns=tuple(Column(*numbered[index], natural[index], types[index]) for index in kept),
        primary_keys=tuple(_key(key, place, "primary_keys") for key in _flat(_list(record, "primary_keys", []))),
        foreign_keys=tuple(_pair(pair, place) for pair in _list(record, "foreign_keys", [])),
    )


def _list(record: dict, key: str, default: list | None = None) -> list:
    value = record.get(key, default)
    if value is None:
        raise _Fault(f"'{key}' is missing")
    if not isinstance(value, list):
        raise _Fault(f"'{key}' must be a list, not {type(value).__name__}")
    return value


def _name(value: Any, key: str) -> str:
    if not isinstance(value, str) or not value.strip() or len(value) > MAX_NAME or UNREADABLE.search(value):
        raise _Fault(f"'{key}' holds {value!r:.60}, which is no name")
    return value


def _db_id(value: Any) -> str:
    name = _name(value, "db_id")
    if not _FOLDER_NAME.fullmatch(name):
        raise _Fault(f"'db_id' is {name!r:.60}, which cannot name a folder")
    return name


def _columns(record: dict, key: str, n_tables: int) -> list[tuple[int, str]]:
    """Table index (-1 for `*`) and name of each column."""
    pairs = []
    for entry in _list(record, key):
        if not isinstance(entry, list) or len(entry) != 2:
            raise _Fault(f"'{key}' holds {entry!r:.60}, expected [table index, name]")
        table, name = entry
        if type(table) is not int or not -1 <= table < n_tables:
            raise _Fault(f"'{key}' holds {entry!r:.60}: no table has the index {table!r:.20}")
        pairs.append((table, _name(name, key)))
    if not any(table >= 0 for table, _ in pairs):
        raise _Fault(f"'{key}' holds no column")
    return pairs


def _types(record: dict, count: int) -> list[str]:
    types = _list(record, "column_types", ["others"] * count)
    if len(types) != count or not all(isinstance(kind, str) for kind in types):
        raise _Fault(f"'column_types' must hold {count} texts, one a column")
    return types


def _natural_tables(record: dict, tables: tuple[str, ...]) -> tuple[str, ...]:
    names = _list(record, "table_names", [])
    if len(names) != len(tables):  # optional: other corpora have no names that people say
        return tuple(map(_spoken, tables))
    return tuple(_name(name, "table_names").lower() for name in names)


def _natural_columns(record: dict, numbered: list[tuple[int, str]]) -> list[str]:
    """The names that people say; the columns' own where these are missing or stand for another table's column.

    The latter happens in Spider itself: both lists of `formula_1` name the same columns in different orders.
    """
    names = record.get("column_names")
    if not isinstance(names, list) or len(names) != len(numbered):
        return [_spoken(name) for _, name in numbered]
    spoken = []
    for (table, own), entry in zip(numbered, names, strict=True):
        fits = isinstance(entry, list) and len(entry) == 2 and entry[0] == table
        spoken.append(_name(entry[1], "column_names").lower() if fits else _spoken(own))
    return spoken


def _spoken(name: str) -> str:
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name).replace("_", " ")
    return " ".join(words.lower().split())


def _flat(keys: list) -> list:
    """Keys of several columns are lists in some corpora."""
    return [key for entry in keys for key in (entry if isinstance(entry, list) else [entry])]


def _key(value: Any, place: dict[int, int], name: str) -> int:
    if type(value) is not int or value not in place:
        raise _Fault(f"'{name}' holds {value!r:.60}, which is no index of a column")
    return place[value]


def _pair(value: Any, place: dict[int, int]) -> tuple[int, int]:
    if not isinstance(value, list) or len(value) != 2:
        raise _Fault(f"'foreign_keys' holds {value!r:.60}, expected two indices of columns")
    return _key(value[0], place, "foreign_keys"), _key(value[1], place, "foreign_keys")
