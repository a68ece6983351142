"""SQL -> sqlglot's tree, with the repairs that the queries of text-to-SQL corpora need.

1. Operators that old releases split ("> =") are joined again.
2. A double-quoted word that names no column in its scope is a literal, as SQLite reads it; sqlglot makes it a column.
   In Spider this concerns one query in five.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from lib.errors import SqlError
from lib.records import SET_OPERATORS, Clause, Schema
from lib.splitting import QUERY_STARTS
from lib.sql_tokens import DIALECTS, lex

if TYPE_CHECKING:
    from sqlglot import exp

_ROW_NUMBERS = frozenset({"rowid", "oid", "_rowid_"})  # columns that every SQLite table has


def parse(query: str, schema: Schema | None = None, dialect: str = "auto") -> exp.Query:
    """Reads one SQL query.

    Args:
        query: SQL text; a closing semicolon is allowed.
        schema: its database. Without it, or for tables that it lacks, a double-quoted word counts as a literal where
            it is compared with something and as a name elsewhere.
        dialect: one of `sql_tokens.DIALECTS`, or `auto`: the first of them that reads the query.

    Returns:
        The tree, new at each call.

    Raises:
        SqlError: if the text is no SQL query, or several.
        ParameterError: if the dialect is unknown.

    >>> parse('SELECT c FROM t WHERE c > = "str"').sql("sqlite")
    "SELECT c FROM t WHERE c >= 'str'"
    """
    if dialect != "auto":
        return _parse(query, schema, dialect)
    first_error = None
    for candidate in DIALECTS:
        try:
            return _parse(query, schema, candidate)
        except SqlError as error:
            first_error = first_error or error
    assert first_error is not None
    raise first_error


def check_grammar(clauses: Sequence[Clause], dialect: str = "auto") -> None:
    """Refuses what has clauses and is no SQL all the same; the splitter looks at keywords and nesting only.

    Args:
        clauses: of one query, or of a part of one.
        dialect: as for `parse`.

    Raises:
        SqlError: if they are no SQL.
    """
    try:
        parse(_whole(clauses), dialect=dialect)
    except SqlError as error:
        # Offsets are those of the clauses put together, not of the text that was given.
        raise SqlError(re.sub(r" at character \d+", "", str(error))) from error


def _whole(clauses: Sequence[Clause]) -> str:
    """A query that holds the clauses; what a part of a query lacks is added."""
    kind, first = clauses[0].kind, clauses[0].sql
    if kind != "SELECT":
        first = f"SELECT 1 {first}" if kind in SET_OPERATORS else f"SELECT 1 FROM t {first}"
    elif first.upper().startswith("VALUES"):
        first = f"SELECT * FROM ({first}) AS t"
    return " ".join([first, *(clause.sql for clause in clauses[1:])])


def _parse(query: str, schema: Schema | None, dialect: str) -> exp.Query:
    from sqlglot import exp

    text = _join_operators(query, dialect)
    tree = _read(text, dialect)
    if dialect == "sqlite":  # elsewhere a double-quoted word is always a name, or (MySQL) always a literal
        for column in [*tree.find_all(exp.Column)]:
            if _is_double_quoted(column, text) and _is_value(column, schema):
                column.replace(exp.Literal.string(column.name))
    return tree


def _join_operators(query: str, dialect: str) -> str:
    """Writes operators without blanks inside; every other character keeps its place."""
    tokens = lex(query, dialect)
    if not tokens:
        raise SqlError("no SQL: the text is empty or holds comments only; give one query")
    first = tokens[0]
    if first.text.upper() not in QUERY_STARTS and first.text != "(":
        raise SqlError(
            f"not a query: it starts with '{first.text}'; give one that starts with SELECT", query, first.start
        )
    parts, last = [], 0
    for token in tokens:
        if token.kind == "operator" and len(token.text) < token.stop - token.start:
            parts += [query[last : token.start], token.text.ljust(token.stop - token.start)]
            last = token.stop
    return "".join(parts) + query[last:]


def _read(text: str, dialect: str) -> exp.Query:
    import sqlglot
    from sqlglot import exp

    try:
        trees = [tree for tree in sqlglot.parse(text, read=dialect) if tree is not None]
    except sqlglot.errors.SqlglotError as error:
        raise SqlError(f"cannot parse the SQL ({_reason(error)})", text, _position(error, text)) from error
    except RecursionError as error:
        raise SqlError("cannot parse the SQL: it is nested too deeply") from error
    if len(trees) != 1:
        raise SqlError(f"expected one query, found {len(trees)} statements: give one")
    tree = trees[0]
    if not isinstance(tree, exp.Query) or (isinstance(tree, exp.Select) and not tree.expressions):
        raise SqlError("not a query: it asks for nothing; give one that starts with SELECT")
    return tree


def _reason(error: Exception) -> str:
    details = getattr(error, "errors", None)
    text = details[0]["description"] if details else str(error)
    return re.sub(r"\x1b\[[0-9;]*m| but got <Token.*", "", text.split("\n")[0]).strip(" .")


def _position(error: Exception, text: str) -> int | None:
    """Offset of a parse error; sqlglot tells the line and the column behind the token, both 1-based."""
    details = getattr(error, "errors", None)
    if not details or details[0].get("line") is None:
        return None
    lines = text.splitlines(keepends=True)[: details[0]["line"] - 1]
    behind = sum(map(len, lines)) + (details[0]["col"] or 0)
    return min(max(0, behind - len(details[0].get("highlight") or "")), len(text))


def _is_double_quoted(column: exp.Column, text: str) -> bool:
    name = column.this
    if column.args.get("table") or not name.args.get("quoted"):
        return False
    start = name.meta.get("start")
    return start is not None and text[start] == '"'


def _is_value(column: exp.Column, schema: Schema | None) -> bool:
    """Whether no column that the word could mean has its name."""
    names = _names_in_scope(column, schema)
    if names is None:
        return _is_compared(column)
    return column.name.lower() not in names


def _is_compared(column: exp.Column) -> bool:
    """Whether the word stands where literals do: right of a comparison, in a list, in a range, as a later argument."""
    from sqlglot import exp

    parent = column.parent
    if isinstance(parent, exp.Func) and not isinstance(parent, exp.AggFunc | exp.Connector):
        return column.arg_key != "this"
    if isinstance(parent, exp.In | exp.Between):
        return column.arg_key != "this"
    return isinstance(parent, exp.Binary) and not isinstance(parent, exp.Connector) and column.arg_key == "expression"


def _names_in_scope(column: exp.Column, schema: Schema | None) -> frozenset[str] | None:
    """Lower-case names that columns and result columns have where `column` stands; None if not all are known."""
    from sqlglot import exp

    names: set[str] = set(_ROW_NUMBERS)
    for query in _enclosing(column):
        select = query.find(exp.Select) if not isinstance(query, exp.Select) else query
        if select is None:
            continue
        found = _source_names(select, schema)
        if found is None:
            return None
        names |= found | {item.alias.lower() for item in select.expressions if item.alias}
    return frozenset(names)


def _enclosing(column: exp.Column):
    """The queries around a column, the nearest first."""
    from sqlglot import exp

    query = column.find_ancestor(exp.Query)
    while query is not None:
        yield query
        query = query.find_ancestor(exp.Query)


def _source_names(select: exp.Select, schema: Schema | None) -> set[str] | None:
    """Names of the columns of all that a SELECT reads from."""
    names: set[str] = set()
    for source in _sources(select):
        found = _columns_of(source, schema)
        if found is None:
            return None
        names |= found
    return names


def _sources(select: exp.Select) -> list:
    start = select.args.get("from_")
    joins = [join.this for join in select.args.get("joins") or ()]
    return [*([start.this] if start else []), *joins]


def _columns_of(source: exp.Expression, schema: Schema | None) -> set[str] | None:
    from sqlglot import exp

    if isinstance(source, exp.Subquery):
        return _result_names(source.unnest(), schema)
    if not isinstance(source, exp.Table):
        return None
    defined = _definition(source)
    if defined is not None:
        columns = defined.args["alias"].columns if defined.args.get("alias") else ()
        # a recursive definition that selects `*` from itself has no names of its own
        is_inside = any(ancestor is defined for ancestor in _ancestors(source))
        named = {column.name.lower() for column in columns}
        return named or (None if is_inside else _result_names(defined.this, schema))
    if schema is None:
        return None
    tables = [index for index, name in enumerate(schema.tables) if name.lower() == source.name.lower()]
    return {column.name.lower() for column in schema.columns if column.table in tables} if tables else None


def _definition(table: exp.Table) -> exp.CTE | None:
    """The common table expression that a table name means."""
    from sqlglot import exp

    for query in _ancestors(table):
        if isinstance(query, exp.Query):
            for cte in query.ctes:
                if cte.alias.lower() == table.name.lower():
                    return cte
    return None


def _ancestors(node: exp.Expression):
    while node.parent is not None:
        node = node.parent
        yield node


def _result_names(query: exp.Expression, schema: Schema | None) -> set[str] | None:
    """Names of the columns that a query gives."""
    from sqlglot import exp

    select = query if isinstance(query, exp.Select) else query.find(exp.Select)
    if select is None:
        return None
    names = {item.alias_or_name.lower() for item in select.expressions}
    if any(item.is_star for item in select.expressions):
        found = _source_names(select, schema)
        return None if found is None else names | found
    return names


def unknown_tables(tree: exp.Query, schema: Schema) -> tuple[str, ...]:
    """The tables of a query that its schema lacks, as written, in order, each once."""
    from sqlglot import exp

    known = {name.lower() for name in schema.tables}
    tables = [table for table in tree.find_all(exp.Table, bfs=False) if isinstance(table.this, exp.Identifier)]
    missing = [table.name for table in tables if table.name.lower() not in known and _definition(table) is None]
    return tuple(dict.fromkeys(missing))


def unknown_qualifiers(tree: exp.Query) -> tuple[str, ...]:
    """The qualifiers of columns (`T1` in `T1.id`) that name no source of their own or an outer SELECT.

    Aliases of one operand of a set operator do not hold in the other; a query with such a qualifier fails in every
    engine, although a scan over the text finds the alias.

    >>> unknown_qualifiers(parse("SELECT T1.id FROM ship EXCEPT SELECT T1.id FROM ship AS T1"))
    ('T1',)
    """
    from sqlglot import exp

    missing = []
    for column in tree.find_all(exp.Column, bfs=False):
        selects = [query for query in _enclosing(column) if isinstance(query, exp.Select)]
        known = {source.alias_or_name.lower() for select in selects for source in _sources(select)}
        if column.table and selects and column.table.lower() not in known:
            missing.append(column.table)
    return tuple(dict.fromkeys(missing))
