"""The only door for progress: a bar on standard error for what takes over two seconds, nothing in batch."""

import sys
from collections.abc import Iterable, Iterator
from typing import TypeVar

Item = TypeVar("Item")


def progress(items: Iterable[Item], name: str, total: int | None = None) -> Iterator[Item]:
    """Passes the items on and shows how many went by; TQDM_DISABLE=1 silences it.

    Args:
        items: anything that can be looped over.
        name: what is counted, such as "examples".
        total: how many there will be, if known.
    """
    from tqdm import tqdm

    class Bar(tqdm):
        monitor_interval = 0  # no watching thread, which a later fork would not survive

    interval = 1 if sys.stderr.isatty() else 10  # seconds; a log keeps every line
    yield from Bar(items, desc=name, total=total, unit="", delay=2, mininterval=interval, leave=False, file=sys.stderr)
