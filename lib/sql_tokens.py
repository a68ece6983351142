"""SQL text -> tokens with offsets, in the four dialects that the project reads.

A regular expression a dialect, because the splitter needs literals, comments and nesting only, at a tenth of
the time of a full parser; the tests hold it against sqlglot's tokenizers.
"""

import re
from dataclasses import dataclass
from functools import cache

from lib.errors import ParameterError, SqlError, suggest

DIALECTS = ("sqlite", "postgres", "mysql", "duckdb")

_STRING = r"(?:[xXnNbB](?=')|)'(?:[^']|'')*'"
_BACKSLASH_STRING = r"(?:[xXnNbB](?=')|)'(?:[^'\\]|''|\\.)*'|\"(?:[^\"\\]|\"\"|\\.)*\""
_ESCAPE_STRING = r"[eE]'(?:[^'\\]|''|\\.)*'"
_DOLLAR_STRING = r"\$(?P<tag>[^\W\d]\w*)?\$.*?\$(?(tag)(?P=tag))\$"
_DOUBLE = r'"(?:[^"]|"")*"'
_BACKTICK = r"`(?:[^`]|``)*`"

# What differs between dialects: comments, literals, quoted names.
_SPECIAL = {
    "sqlite": {"comment": r"--[^\n]*", "string": _STRING, "quoted": rf"{_DOUBLE}|{_BACKTICK}|\[[^\]\n]*\]"},
    "postgres": {"comment": r"--[^\n]*", "string": f"{_ESCAPE_STRING}|{_STRING}|{_DOLLAR_STRING}", "quoted": _DOUBLE},
    "mysql": {"comment": r"--(?:\s[^\n]*|(?=\n)|$)|\#[^\n]*", "string": _BACKSLASH_STRING, "quoted": _BACKTICK},
    "duckdb": {"comment": r"--[^\n]*", "string": f"{_ESCAPE_STRING}|{_STRING}|{_DOLLAR_STRING}", "quoted": _DOUBLE},
}

_COMMON = r"""
  | (?P<number>0[xX][0-9a-fA-F]+|(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)
  | (?P<word>[^\W\d][\w$]*)
  | (?P<parameter>\?\d*|\$\d+|:[^\W\d]\w*|@@?\w+)
  | (?P<open>[(\[{]) | (?P<close>[)\]}]) | (?P<end>;)
  | (?P<operator>[<>!]\s*=|<\s*>|->>|->|\|\||::|:=|==|<<|>>|\*(?!/)|[-+/%<>=!~&|^.,:@?\#\\])
"""


@dataclass(frozen=True, slots=True)
class SqlToken:
    """One token of a query."""

    kind: str  # string, quoted, number, word, parameter, open, close, end, operator
    text: str  # as written; blanks inside a split operator such as "> =" are left out
    start: int  # offset in the query
    stop: int  # offset behind it


@cache
def _pattern(dialect: str) -> re.Pattern:
    if dialect not in _SPECIAL:
        raise ParameterError(f"unknown dialect '{dialect}': {suggest(dialect, DIALECTS)}")
    special = "|".join(f"(?P<{name}>{pattern})" for name, pattern in _SPECIAL[dialect].items())
    return re.compile(rf"(?P<blank>[\s\ufeff]+)|(?P<block>/\*)|{special}{_COMMON}", re.VERBOSE | re.DOTALL)


def lex(query: str, dialect: str = "sqlite") -> list[SqlToken]:
    """Cuts a query into tokens; comments and blanks are left out.

    Args:
        query: SQL text.
        dialect: one of DIALECTS.

    Raises:
        SqlError: at a character that begins no token: an unclosed literal or comment, for example.
        ParameterError: if the dialect is unknown.

    >>> [token.text for token in lex("SELECT T1.a FROM t WHERE b > = 'It''s' -- why")]
    ['SELECT', 'T1', '.', 'a', 'FROM', 't', 'WHERE', 'b', '>=', "'It''s'"]
    """
    tokens, position, match_at = [], 0, _pattern(dialect).match
    while position < len(query):
        match = match_at(query, position)
        if match is None:
            raise SqlError(f"cannot read {_what(query[position])}", query, position)
        kind, stop = match.lastgroup, match.end()
        if kind == "tag":  # a dollar-quoted literal: the tag is its inner group
            kind = "string"
        if kind == "block":
            stop = _block_end(query, position, nested=dialect in ("postgres", "duckdb"))
        elif kind == "operator":
            tokens.append(SqlToken(kind, "".join(match[0].split()), position, stop))
        elif kind not in ("blank", "comment"):
            tokens.append(SqlToken(kind, match[0], position, stop))
        position = stop
    return tokens


def _what(character: str) -> str:
    names = {"'": "an unclosed literal", '"': "an unclosed quoted name", "`": "an unclosed quoted name"}
    return names.get(character, f"the character {character!r}")


def _block_end(query: str, start: int, nested: bool) -> int:
    depth = 0
    for mark in re.finditer(r"/\*|\*/", query[start:]):
        depth += 1 if mark[0] == "/*" and (nested or depth == 0) else -1 if mark[0] == "*/" else 0
        if depth == 0:
            return start + mark.end()
    raise SqlError("cannot read an unclosed comment", query, start)
