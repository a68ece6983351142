"""The outermost SELECT of a query as ranges of tokens: enough of its parse to know order, keys and LIMIT.

Works on the tokens with their nesting, so it is linear, has no recursion that hostile SQL could exhaust, and keeps the
query's own text: nothing is generated anew, in any dialect.
"""

from dataclasses import dataclass

from lib.errors import SqlError
from lib.sql_tokens import SqlToken, lex

_SET_OPERATORS = {"UNION", "INTERSECT", "EXCEPT", "MINUS"}
_AFTER_ITEMS = {"FROM", "WHERE", "GROUP", "HAVING", "WINDOW", "QUALIFY", "ORDER", "LIMIT", "OFFSET", "FETCH", "FOR"}
_TAIL = {"LIMIT", "OFFSET", "FETCH"}
_DIRECTIONS = {"ASC", "DESC", "NULLS", "FIRST", "LAST"}


@dataclass(frozen=True, slots=True)
class Item:
    """One item of the select list, or one sort key."""

    text: str  # its expression as written, without alias or direction
    tokens: tuple[str, ...]  # the same as tokens, words in lower case
    alias: str  # lower case, "" without


@dataclass(frozen=True, slots=True)
class Outline:
    """What stands at the top level of one query."""

    ordered: bool  # the outermost SELECT (or the whole set operation) has ORDER BY
    distinct: bool
    compound: bool  # a set operation at the top
    items: tuple[Item, ...]  # of the first SELECT
    keys: tuple[Item, ...]  # of the outermost ORDER BY
    limit: int | None  # number of rows, if LIMIT is a literal
    offset: int  # rows skipped before
    cut: bool  # there is a LIMIT, OFFSET or FETCH
    readable: bool  # the LIMIT is understood
    items_stop: int  # offset in the text behind the select list, -1 if unknown
    body_stop: int  # offset in the text before LIMIT, OFFSET or FETCH; end of the query without
    text: str  # the query, without a closing semicolon


def outline(query: str, dialect: str = "sqlite") -> Outline | None:
    """Reads the top level of a query; None if its text cannot be cut into tokens.

    >>> seen = outline("SELECT a, count(*) n FROM t GROUP BY a ORDER BY n DESC, b LIMIT 2, 3")
    >>> seen.ordered, [key.text for key in seen.keys], seen.limit, seen.offset
    (True, ['n', 'b'], 3, 2)
    """
    try:
        tokens = lex(query, dialect)
    except SqlError:
        return None
    while tokens and tokens[-1].kind == "end":
        tokens.pop()
    return _outline(query, _Top(_unwrapped(tokens))) if tokens else None


def _unwrapped(tokens: list[SqlToken]) -> list[SqlToken]:
    """Without brackets around the whole query."""
    while len(tokens) > 2 and tokens[0].text == "(" and _closing(tokens) == len(tokens) - 1:
        tokens = tokens[1:-1]
    return tokens


def _closing(tokens: list[SqlToken]) -> int:
    depth = 0
    for index, token in enumerate(tokens):
        depth += (token.kind == "open") - (token.kind == "close")
        if not depth:
            return index
    return -1


class _Top:
    """Tokens with the words at depth 0 in upper case (a blank word elsewhere)."""

    def __init__(self, tokens: list[SqlToken]):
        self.tokens, self.words, depth = tokens, [], 0
        for index, token in enumerate(tokens):
            depth += token.kind == "open"
            plain = token.kind == "word" and not depth and (not index or tokens[index - 1].text != ".")
            self.words.append(token.text.upper() if plain else "")
            depth -= token.kind == "close"

    def find(self, words: set[str], start: int = 0, stop: int | None = None) -> int:
        """Index of the first of some top-level words, or -1."""
        for index in range(start, len(self.words) if stop is None else stop):
            if self.words[index] in words:
                return index
        return -1


def _outline(query: str, top: _Top) -> Outline:
    tokens = top.tokens
    begin, end = tokens[0].start, tokens[-1].stop
    select = max(top.find({"SELECT"}), 0)
    order = _order_by(top)
    tail = top.find(_TAIL, order + 2 if order >= 0 else select)
    body_end = tail if tail >= 0 else len(tokens)
    limit, offset, readable = _limit(top, tail) if tail >= 0 else (None, 0, True)
    items, items_stop, distinct = _select_list(query, top, select)
    return Outline(
        ordered=order >= 0,
        distinct=distinct,
        compound=top.find(_SET_OPERATORS, select) >= 0,
        items=items,
        keys=_pieces(query, top, order + 2, body_end, keys=True) if order >= 0 else (),
        limit=limit,
        offset=offset,
        cut=tail >= 0,
        readable=readable,
        items_stop=items_stop - begin,
        body_stop=tokens[max(body_end - 1, 0)].stop - begin,
        text=query[begin:end],
    )


def _order_by(top: _Top) -> int:
    """Index of the outermost ORDER, or -1: the last at depth 0, as in a set operation it ends the whole."""
    for index in range(len(top.words) - 2, -1, -1):
        if top.words[index] == "ORDER" and top.words[index + 1] == "BY":
            return index
    return -1


def _select_list(query: str, top: _Top, select: int) -> tuple[tuple[Item, ...], int, bool]:
    if top.words[select] != "SELECT":
        return (), -1, False
    start = select + 1
    distinct = start < len(top.words) and top.words[start] == "DISTINCT"
    if start < len(top.words) and top.words[start] in ("DISTINCT", "ALL"):
        start += 1
    stop = top.find(_AFTER_ITEMS | _SET_OPERATORS, start)
    stop = len(top.tokens) if stop < 0 else stop
    if stop <= start:
        return (), -1, distinct
    return _pieces(query, top, start, stop), top.tokens[stop - 1].stop, distinct


def _pieces(query: str, top: _Top, start: int, stop: int, keys: bool = False) -> tuple[Item, ...]:
    """Cuts a list at its top-level commas."""
    pieces, first, depth = [], start, 0
    for index in range(start, stop):
        token = top.tokens[index]
        depth += (token.kind == "open") - (token.kind == "close")
        if token.text == "," and not depth:
            pieces.append((first, index))
            first = index + 1
    pieces.append((first, stop))
    return tuple(_item(query, top, a, b, keys) for a, b in pieces if b > a)


def _item(query: str, top: _Top, start: int, stop: int, key: bool) -> Item:
    alias = ""
    if key:
        while stop - 1 > start and top.words[stop - 1] in _DIRECTIONS:
            stop -= 1
    elif stop - start > 1:
        alias, stop = _alias(top, start, stop)
    tokens = top.tokens[start:stop]
    words = tuple(token.text.lower() if token.kind == "word" else token.text for token in tokens)
    return Item(query[tokens[0].start : tokens[-1].stop], words, alias)


def _alias(top: _Top, start: int, stop: int) -> tuple[str, int]:
    last, before = top.tokens[stop - 1], top.tokens[stop - 2]
    if last.kind not in ("word", "quoted", "string") or top.words[stop - 1] == "END":
        return "", stop
    if top.words[stop - 2] == "AS":
        return unquoted(last.text), stop - 2 if stop - 2 > start else stop
    if before.kind in ("word", "quoted", "number", "string", "close") and (
        before.kind != "word" or not _operator(before)
    ):
        return unquoted(last.text), stop - 1
    return "", stop


def _operator(token: SqlToken) -> bool:
    return token.text.upper() in {"NOT", "AND", "OR", "IS", "IN", "LIKE", "BETWEEN", "CASE", "WHEN", "THEN", "ELSE",
                                  "COLLATE", "GLOB", "INTERVAL", "DATE", "TIMESTAMP", "ESCAPE"}  # fmt: skip


def unquoted(name: str) -> str:
    """A name in lower case without its quotes."""
    return (name[1:-1] if name[:1] in "\"'`[" and len(name) > 1 else name).lower()


def _limit(top: _Top, tail: int) -> tuple[int | None, int, bool]:
    """Rows kept, rows skipped, and whether all of it was understood."""
    words = [top.words[index] or token.text for index, token in enumerate(top.tokens[tail:], tail)]
    numbers = {"LIMIT": None, "OFFSET": 0}
    index = 0
    while index < len(words):
        word, value = words[index], _integer(words, index + 1)
        if word == "LIMIT" and value is not None and words[index + 2 : index + 3] == [","]:
            second = _integer(words, index + 3)
            if second is None:
                return None, 0, False
            numbers.update(OFFSET=value, LIMIT=second)
            index += 4
        elif word in numbers and value is not None:
            numbers[word] = value
            index += 2
        elif word == "FETCH" and words[index + 1 : index + 2] in (["FIRST"], ["NEXT"]):
            value = _integer(words, index + 2)
            numbers["LIMIT"] = 1 if value is None else value
            index += 2 if value is None else 3
        elif word in ("ROW", "ROWS", "ONLY"):
            index += 1
        else:
            return None, 0, False
    return numbers["LIMIT"], numbers["OFFSET"], True


def _integer(words: list[str], index: int) -> int | None:
    return int(words[index]) if index < len(words) and words[index].isdecimal() and len(words[index]) < 16 else None
