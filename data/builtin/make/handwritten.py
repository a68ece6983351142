"""Questions written by hand: one text file a database, a marked question and its query on two lines each."""

from collections.abc import Iterator
from pathlib import Path

from data.builtin.make import markup
from data.builtin.make.generate import Item

FOLDER = Path(__file__).parent / "handwritten"


def read(db_id: str) -> Iterator[Item]:
    """Yields the handwritten questions of a database; lines that start with # are remarks.

    Raises:
        ValueError: if the lines do not come in pairs or a question is marked wrongly.
    """
    lines = [line.strip() for line in (FOLDER / f"{db_id}.txt").read_text(encoding="utf-8").splitlines()]
    lines = [line for line in lines if line and not line.startswith("#")]
    if len(lines) % 2:
        raise ValueError(f"{db_id}.txt: a question without a query")
    for question, query in zip(lines[::2], lines[1::2], strict=True):
        marked = markup.read(question)
        yield Item(db_id, marked.question, query, marked.fragments, "handwritten")
