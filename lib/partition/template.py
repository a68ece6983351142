"""Query templates: SQL with its numbers and texts left open (Finegan-Dollak et al. 2018, Shaw et al. 2021)."""

from functools import lru_cache

from lib.errors import SqlError
from lib.sql_tokens import DIALECTS, SqlToken, lex

PLACEHOLDER = "___"


def sql_tokens(query: str) -> list[SqlToken]:
    """The lower-case tokens of a query, without a closing semicolon, in the first dialect that reads it.

    Offsets are those in the query in lower case with single blanks.

    Raises:
        SqlError: if no dialect reads it.
    """
    text = " ".join(query.split()).lower()
    first_error = None
    for dialect in DIALECTS:
        try:
            return [token for token in lex(text, dialect) if token.kind != "end"]
        except SqlError as error:
            first_error = first_error or error
    assert first_error is not None
    raise first_error


@lru_cache(maxsize=1 << 16)
def sql_key(query: str) -> str:
    """What two examples with the same SQL share, however it is spaced and in whatever case.

    >>> sql_key("SELECT  a FROM t;") == sql_key("select A from T")
    True
    """
    return " ".join(token.text for token in sql_tokens(query))


@lru_cache(maxsize=1 << 16)
def template(query: str) -> str:
    """The template of a query: its tokens in lower case, a placeholder for each number and each quoted text.

    As published, a double-quoted word counts as a text: in Spider it nearly always is one.

    Raises:
        SqlError: if the query cannot be read.

    >>> template("SELECT a FROM t WHERE b = 'Oslo' LIMIT 3")
    'select a from t where b = ___ limit ___'
    """
    return " ".join(PLACEHOLDER if _is_value(token) else token.text for token in sql_tokens(query))


def _is_value(token: SqlToken) -> bool:
    return token.kind in ("number", "string") or token.text[0] in "'\""


def sql_length(query: str) -> int:
    """Length of a query in SQL tokens; a quoted text is one token.

    >>> sql_length("SELECT T1.a FROM t AS T1 WHERE b = 'New York'")
    12
    """
    return len(sql_tokens(query))
