"""Queries whose result depends on the clock or on chance: found by the functions they call, never by their literals."""

from lib.errors import SqlError
from lib.sql_tokens import SqlToken, lex

_HINTS = (
    "now", "current_", "curdate", "curtime", "today", "localtime", "utc_", "timeofday", "sysdate", "systime",
    "timestamp", "rand", "uuid", "newid", "setseed", "julian", "epoch", "date(", "date (", "time(", "time (",
    "timediff",
)  # fmt: skip
_CLOCK_WORDS = {
    "CURRENT_DATE",
    "CURRENT_TIME",
    "CURRENT_TIMESTAMP",
    "LOCALTIME",
    "LOCALTIMESTAMP",
    "SYSDATE",
    "SYSTIMESTAMP",
}
_CLOCK_CALLS = _CLOCK_WORDS | {
    "NOW", "GETDATE", "CURDATE", "CURTIME", "TODAY", "CLOCK_TIMESTAMP", "STATEMENT_TIMESTAMP", "TRANSACTION_TIMESTAMP",
    "TIMEOFDAY", "UTC_DATE", "UTC_TIME", "UTC_TIMESTAMP", "CURRENT_DATETIME", "GET_CURRENT_TIME",
    "GET_CURRENT_TIMESTAMP", "CURRENT_LOCALTIME", "CURRENT_LOCALTIMESTAMP", "UNIX_TIMESTAMP",
}  # fmt: skip
_DATE_CALLS = {
    "DATE",
    "TIME",
    "DATETIME",
    "JULIANDAY",
    "STRFTIME",
    "UNIXEPOCH",
    "TIMEDIFF",
}  # SQLite: of now if so told
_RANDOM_CALLS = {
    "RANDOM",
    "RAND",
    "RANDOMBLOB",
    "UUID",
    "GEN_RANDOM_UUID",
    "GENERATE_UUID",
    "UUID_STRING",
    "NEWID",
    "SETSEED",
}


def volatile_flags(sql: str, dialect: str = "sqlite") -> tuple[str, ...]:
    """`clock` and `random`, as far as they apply.

    >>> volatile_flags("SELECT a FROM t WHERE d > date('now', '-7 day')")
    ('clock',)
    >>> volatile_flags("SELECT 'now' FROM t WHERE date = '1 May'")
    ()
    """
    text = sql.lower()
    if not any(hint in text for hint in _HINTS):
        return ()
    try:
        tokens = lex(sql, dialect)
    except SqlError:
        return ()
    clock = any(_reads_clock(tokens, index) for index in range(len(tokens)))
    chance = any(_calls(tokens, index, _RANDOM_CALLS) for index in range(len(tokens)))
    return (("clock",) if clock else ()) + (("random",) if chance else ())


def _calls(tokens: list[SqlToken], index: int, names: set[str]) -> bool:
    token = tokens[index]
    return token.kind == "word" and token.text.upper() in names and _text(tokens, index + 1) == "("


def _reads_clock(tokens: list[SqlToken], index: int) -> bool:
    token = tokens[index]
    if token.kind != "word" or _text(tokens, index - 1) == "." or _text(tokens, index + 1) == ".":
        return False
    if token.text.upper() in _CLOCK_WORDS or _calls(tokens, index, _CLOCK_CALLS):
        return True
    return _calls(tokens, index, _DATE_CALLS) and _of_now(tokens, index + 2, token.text.upper())


def _of_now(tokens: list[SqlToken], start: int, name: str) -> bool:
    """Whether the arguments of a date function name the present, or leave it as the default."""
    depth, arguments = 0, []
    for token in tokens[start:]:
        depth += token.kind == "open"
        if token.kind == "close" and not depth:
            break
        depth -= token.kind == "close"
        arguments.append(token)
    commas = sum(token.text == "," for token in arguments)
    if not arguments or (name == "STRFTIME" and not commas):
        return True
    return any(token.kind in ("string", "quoted") and token.text[1:-1].strip().lower() == "now" for token in arguments)


def _text(tokens: list[SqlToken], index: int) -> str:
    return tokens[index].text if 0 <= index < len(tokens) else ""
