"""The parse gate: one query, of a kind that only reads; everything else is refused before an engine sees it.

It reads tokens, not a tree: linear in the text, so that nothing nested can exhaust it, and no valid query is turned
away because a parser lacks its dialect. The engines enforce the same again in their own way.
"""

import re
from functools import cache
from itertools import pairwise

from lib.accuracy.records import Result
from lib.errors import SqlError
from lib.sql_tokens import SqlToken, lex

MAX_SQL = 200_000  # characters of one query
_QUERY_WORDS = {"SELECT", "WITH", "VALUES", "FROM", "TABLE"}
# First words of statements that are no queries: refused as unsafe; any other word is a plain mistake.
_OTHER_STATEMENTS = frozenset(
    """
    ALTER ANALYZE ATTACH BEGIN CALL CHECKPOINT CLOSE CLUSTER COMMENT COMMIT COPY CREATE DEALLOCATE
    DECLARE DELETE DETACH DISCARD DO DROP END EXECUTE EXPLAIN EXPORT FETCH FORCE GRANT IMPORT INSERT
    INSTALL LISTEN LOAD LOCK MERGE MOVE NOTIFY PRAGMA PREPARE PUT GET LIST REMOVE REASSIGN REFRESH
    REINDEX RELEASE REPLACE RESET REVOKE ROLLBACK SAVEPOINT SECURITY SET SHOW START SUMMARIZE
    DESCRIBE DESC TRUNCATE UNDROP UNDO UNLISTEN UPDATE UPSERT USE VACUUM UNSET RENAME
    """.split()  # noqa: SIM905 - a hundred quotation marks say no more
)
_WRITES = {"INSERT", "UPDATE", "DELETE", "MERGE"}
_WRITING = re.compile("insert|update|delete|merge|into", re.IGNORECASE)
_SELF_GUARDED = {"sqlite"}  # the engine's own authorizer sees what a statement does, however it is written
_HALF = re.compile("[\ud800-\udfff]")
_PLAIN = re.compile(r"[\s(]*(?:select|with|values)\b", re.IGNORECASE)
# Functions that reach out of the database, wait, take locks or change settings, by dialect.
_FUNCTIONS = {
    "sqlite": r"load_extension|readfile|writefile|edit|fts3_tokenizer|sqlite_log|zipfile|fsdir|lsmode",
    "duckdb": r"read_\w+|\w+_scan|glob|getenv|query|query_table|which_secret|duckdb_secrets|sniff_csv|"
    r"from_substrait\w*|parquet_\w+|write_\w+|pragma_\w+|sql_auto_complete|json_execute_serialized_sql|nextval|currval|"
    r"checkpoint|force_checkpoint|st_read\w*",
    "postgres": r"pg_read_\w+|pg_ls_\w+|pg_stat_file|pg_terminate_backend|pg_cancel_backend|pg_reload_conf|"
    r"pg_rotate_logfile|pg_\w*advisory\w*|pg_promote|pg_switch_wal|pg_create_\w+|pg_drop_\w+|pg_logical_\w+|"
    r"pg_replication_\w+|pg_import_\w+|pg_backup_\w+|pg_start_backup|pg_stop_backup|pg_file_\w+|pg_notify|"
    r"pg_export_snapshot|pg_logdir_ls|pg_stat_reset\w*|pg_wal_\w+|pg_current_xact_id|txid_current|lo_\w+|loread|lowrite|"
    r"dblink\w*|set_config|(?:query|cursor|database|schema|table)_to_xml\w*|xpath_table|nextval|setval",
    "snowflake": r"system\$\w+|get_presigned_url|get_stage_location|result_scan|build_\w+_url",
    "bigquery": r"external_query",
}


def refusal(sql: str, dialect: str = "sqlite") -> Result | None:
    """Why a text must not run, or None.

    Returns:
        A result with status `error` (no query, or several) or `unsafe` (another statement, or a forbidden function).

    >>> refusal("SELECT 1; DROP TABLE t").status, refusal("DROP TABLE t").status, refusal("SELECT 'a;b';")
    ('error', 'unsafe', None)
    """
    if not isinstance(sql, str):
        return _error(f"the SQL is {type(sql).__name__}, not text")
    if len(sql) > MAX_SQL:
        return _error(f"the query has {len(sql)} characters; at most {MAX_SQL} are read")
    if "\0" in sql or (not sql.isascii() and _HALF.search(sql)):
        return _error("the query holds a character that no SQL text may hold (NUL or half a surrogate pair)")
    if dialect in _SELF_GUARDED and _PLAIN.match(sql) and ";" not in sql.rstrip(" ;\n\t"):
        return None  # reading tokens would take as long as running most queries
    try:
        tokens = lex(sql, lexed_as(dialect))
    except SqlError as error:
        return None if dialect in _SELF_GUARDED else _error(str(error))
    return _judge(tokens, sql, dialect)


def lexed_as(dialect: str) -> str:
    """The dialect of `sql_tokens` that comes nearest to an engine's."""
    return {"snowflake": "duckdb", "bigquery": "mysql"}.get(dialect, dialect)


def _judge(tokens: list[SqlToken], sql: str, dialect: str) -> Result | None:
    first = next((token for token in tokens if token.text not in ("(", ";")), None)
    if first is None:
        return _error("no SQL: the text is empty or holds comments only")
    word = first.text.upper()
    if first.kind == "word" and word in _OTHER_STATEMENTS:
        return _unsafe(f"{word} is no query: only one SELECT may run")
    if first.kind != "word" or word not in _QUERY_WORDS:
        return _error(f"not a query: it starts with {first.text[:40]!r}")
    if _several(tokens):
        return _error("more than one statement: give one query")
    return _forbidden(tokens, sql, dialect)


def _several(tokens: list[SqlToken]) -> bool:
    """Whether anything follows a semicolon."""
    while tokens[-1].kind == "end":
        tokens = tokens[:-1]
    return any(token.kind == "end" for token in tokens)


def _forbidden(tokens: list[SqlToken], sql: str, dialect: str) -> Result | None:
    """A forbidden function, a writing WITH, SELECT INTO, a file as a table."""
    functions = _functions(dialect)
    if functions.search(sql):  # seldom: only now is it worth looking whether it is a call
        for token, after in pairwise(tokens):
            called = token.text.strip('"`[]').lower()
            if after.text == "(" and token.kind in ("word", "quoted") and functions.fullmatch(called):
                return _unsafe(f"the function {called} is not allowed")
    if _WRITING.search(sql):
        return _writing(tokens, dialect)
    return _file_as_table(tokens) if dialect == "duckdb" else None


@cache
def _functions(dialect: str) -> re.Pattern:
    return re.compile(_FUNCTIONS.get(dialect, r"(?!)"), re.IGNORECASE)


def _writing(tokens: list[SqlToken], dialect: str) -> Result | None:
    for index in range(1, len(tokens) - 1):
        before, token, after = tokens[index - 1], tokens[index], tokens[index + 1]
        if token.kind != "word":
            continue
        word = token.text.upper()
        if word in _WRITES and before.text in ("(", ")") and after.kind in ("word", "quoted"):
            return _unsafe(f"{word} inside a query writes")
        if word == "INTO" and before.text not in (".", "AS", "as") and after.text not in (".", "=", ","):
            return _unsafe("SELECT INTO writes a table") if dialect != "sqlite" else None
    return _file_as_table(tokens) if dialect == "duckdb" else None


def _file_as_table(tokens: list[SqlToken]) -> Result | None:
    for index, token in enumerate(tokens[1:], 1):
        before = tokens[index - 1].text.upper()
        if token.kind == "string" and (before in ("FROM", "JOIN") or (before == "," and _in_from(tokens, index))):
            return _unsafe("a file is not a table of the database")
    return None


def _in_from(tokens: list[SqlToken], index: int) -> bool:
    """Whether a comma at index - 1 belongs to a FROM list."""
    depth = 0
    for token in reversed(tokens[:index]):
        depth += (token.kind == "close") - (token.kind == "open")
        if depth < 0:
            return False
        if (
            not depth
            and token.kind == "word"
            and token.text.upper() in ("FROM", "SELECT", "WHERE", "ON", "BY", "VALUES")
        ):
            return token.text.upper() == "FROM"
    return False


def _error(message: str) -> Result:
    return Result("error", error=" ".join(message.split()))


def _unsafe(message: str) -> Result:
    return Result("unsafe", error=" ".join(message.split()))
