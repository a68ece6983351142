"""SQL text -> tokens with offsets, in the four dialects that the project reads.

A regular expression a dialect, because the splitter needs literals, comments and nesting only, at a tenth of
the time of a full parser; the tests hold it against sqlglot's tokenizers.
"""

import re
from functools import cache
from typing import NamedTuple

from lib.errors import ParameterError, SqlError, suggest

DIALECTS = ("sqlite", "postgres", "mysql", "duckdb")

# Possessive repeats (*+): an unclosed literal fails at its first character and in linear time.
_STRING = r"(?:[xXnNbB](?=')|)'[^']*+(?:''[^']*+)*+'"
_BACKSLASH_SINGLE = r"'[^'\\]*+(?:(?:''|\\.)[^'\\]*+)*+'"
_BACKSLASH_DOUBLE = _BACKSLASH_SINGLE.replace("'", '"')
_BACKSLASH_STRING = rf"(?:[xXnNbB](?=')|){_BACKSLASH_SINGLE}|{_BACKSLASH_DOUBLE}"
_ESCAPE_STRING = rf"[eE]{_BACKSLASH_SINGLE}|[uU]&'[^']*+(?:''[^']*+)*+'"
_DOLLAR_STRING = r"\$(?P<tag>[^\W\d]\w*+)?\$.*?\$(?(tag)(?P=tag))\$"
_DOUBLE = r'(?:[uU]&(?=")|)"[^"]*+(?:""[^"]*+)*+"'
_BACKTICK = r"`[^`]*+(?:``[^`]*+)*+`"

# Operators that only other dialects have. No SQL of this one has their signs side by side with another meaning that
# a reader could expect, and cut apart they would be put together with blanks between, as other SQL.
_FOREIGN = (
    r"<=>|=>|<->|!?~~?\*|!~~?|~~|&&|-\|-|\|\|?/|//|\*\*"
    r"|(?<![=<>(,|&+*/%-])(?<![=<>(,|&+*/%-]\s)\?[|&](?!\|)"  # behind an operator, `?` is a parameter
)

# What differs between dialects: comments, literals, quoted names, operators.
_SQLITE = {
    "comment": r"--[^\n]*+",
    "string": rf"[eE](?=')(?:{_STRING})|[uU]&(?=')(?:{_STRING})|{_STRING}",
    "quoted": rf"{_DOUBLE}|{_BACKTICK}|\[[^\[\]\n]*+\]",
    "special": rf"->>|->|{_FOREIGN}",
}
_POSTGRES = {
    "comment": r"--[^\n]*+",
    "string": f"{_ESCAPE_STRING}|{_STRING}|{_DOLLAR_STRING}",
    "quoted": _DOUBLE,
    "special": r"->>|->|\#>>|\#>|\#-|@>|<@|@@|@\?|\?[|&](?!\|)|<->|<=>|!?~~?\*?|\^@|&&|-\|-|\|/|=>|//|\*\*|\#\d+|\#|@",
}
_MYSQL = {
    "comment": r"--(?=\s|\Z)[^\n]*+|\#[^\n]*+",
    "string": _BACKSLASH_STRING,
    "quoted": _BACKTICK,
    "special": rf"->>|->|{_FOREIGN}",
}
_SPECIAL = {"sqlite": _SQLITE, "postgres": _POSTGRES, "mysql": _MYSQL, "duckdb": _POSTGRES}

# SQLite reads every letter behind ASCII as part of a name. So do we, but for blanks and typographic marks: a pasted
# curly quote is a slip, not a name.
_LETTER = r"[^\W\d]|[^\x00-\xa0\s\u2000-\u206f\u3000-\u303f\uff00-\uff0f\ud800-\udfff\ufeff]"
_COMMON = rf"""
  | (?P<number>0[xX][0-9a-fA-F]+|0[bB][01]+\b|0[oO][0-7]+\b|(?:\d[\d_]*+\.?(?!\.)[\d_]*+|\.\d[\d_]*+)(?:[eE][+-]?\d+)?)
  | (?P<word>(?:{_LETTER})(?:[\w$]|{_LETTER})*+)
  | (?P<parameter>\?\d*|\$\d+|\$[^\W\d]\w*+(?!\$)|:[^\W\d]\w*+|@@?\w++)
  | (?P<open>[(\[{{]) | (?P<close>[)\]}}]) | (?P<end>;)
  | (?P<operator>[<>!]\s*=|<\s*>|\|\||::|:=|==|<<|>>|\*(?!/(?!\*))|[-+/%<>=!~&|^.,:])
  | (?P<unknown>.)
"""


class SqlToken(NamedTuple):
    """One token of a query; a tuple, because a query has dozens of them and dataclasses take three times as long."""

    kind: str  # string, quoted, number, word, parameter, open, close, end, operator
    text: str  # as written; blanks inside a split operator such as "> =" are left out
    start: int  # offset in the query
    stop: int  # offset behind it


@cache
def _pattern(dialect: str) -> re.Pattern:
    if dialect not in _SPECIAL:
        raise ParameterError(f"unknown dialect '{dialect}': {suggest(dialect, DIALECTS)}")
    own = _SPECIAL[dialect]
    first = "|".join(f"(?P<{name}>{own[name]})" for name in ("comment", "string", "quoted"))
    blank = r"(?P<blank>[\s\ufeff]++)|(?P<block>/\*)"
    # A dialect's own operators go first: `?|` begins like a parameter.
    return re.compile(rf"{blank}|{first}|(?P<special>{own['special']}){_COMMON}", re.VERBOSE | re.DOTALL)


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
    tokens, position, pattern = [], 0, _pattern(dialect)
    while position < len(query):
        position = _lex_to_block(query, position, pattern, tokens)
        if position < len(query):
            position = _block_end(query, position, nested=dialect in ("postgres", "duckdb"))
    return tokens


def _lex_to_block(query: str, position: int, pattern: re.Pattern, tokens: list[SqlToken]) -> int:
    """Appends the tokens up to the next block comment and returns its offset, or the end of the query."""
    for match in pattern.finditer(query, position):
        kind, text = match.lastgroup, match[0]
        if kind == "blank" or kind == "comment":
            continue
        start = match.start()
        if kind == "block":
            return start
        if kind == "unknown":
            raise SqlError(f"cannot read {_what(text)}", query, start)
        stop = start + len(text)
        if kind == "operator" or kind == "special":
            kind, text = "operator", "".join(text.split())
        tokens.append(SqlToken(kind, text, start, stop))
    return len(query)


def _what(character: str) -> str:
    names = {"'": "an unclosed literal", '"': "an unclosed quoted name", "`": "an unclosed quoted name"}
    return names.get(character, f"the character {character!r}")


def _block_end(query: str, start: int, nested: bool) -> int:
    depth = 0
    for mark in re.compile(r"/\*|\*/").finditer(query, start):
        depth += 1 if mark[0] == "/*" and (nested or depth == 0) else -1 if mark[0] == "*/" else 0
        if depth == 0:
            return mark.end()
    raise SqlError("cannot read an unclosed comment", query, start)
