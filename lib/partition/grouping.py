"""Examples that must stay on one side, and sides of an exact size."""

import random
from collections.abc import Callable, Hashable, Sequence


def grouped(keys: Sequence[Hashable]) -> list[list[int]]:
    """Indices of equal keys, in the order in which keys first occur.

    >>> grouped(["a", "b", "a"])
    [[0, 2], [1]]
    """
    groups: dict[Hashable, list[int]] = {}
    for index, key in enumerate(keys):
        groups.setdefault(key, []).append(index)
    return list(groups.values())


def shuffled(count: int, rng: random.Random) -> list[int]:
    """The numbers below `count` in random order."""
    order = list(range(count))
    rng.shuffle(order)
    return order


def fill(sizes: Sequence[int], order: Sequence[int], target: int) -> list[int]:
    """Takes groups in the given order until their sizes sum to `target`.

    Args:
        sizes: size of each group, at least 1.
        order: the groups that may be taken, the first ones first.
        target: wanted sum, at least 0.

    Returns:
        The groups taken, in order. The last few are chosen to meet `target`; where no choice does, their sum is as
        near below it as these few allow.

    >>> fill([2, 2, 1, 3], [0, 1, 2, 3], 5)
    [0, 1, 2]
    >>> fill([2, 2, 3], [0, 1, 2], 3)
    [2]
    """
    margin = 4 * max((sizes[group] for group in order), default=0)
    taken, gap = [], target
    for group in order:
        if gap - sizes[group] < margin:
            break
        taken.append(group)
        gap -= sizes[group]
    return taken + _closing(sizes, order[len(taken) :], gap)


def _closing(sizes: Sequence[int], order: Sequence[int], gap: int) -> list[int]:
    """The earliest groups of the order whose sizes sum to `gap`, or as near below it as can be (subset sum)."""
    mask = (1 << (gap + 1)) - 1
    sums = [1]  # bit s of entry k: some of the first k groups sum to s
    for group in order:
        if sums[-1] >> gap & 1:
            break
        sums.append((sums[-1] | sums[-1] << sizes[group]) & mask)
    total, taken = sums[-1].bit_length() - 1, []
    for place in range(len(sums) - 2, -1, -1):
        if not sums[place] >> total & 1:
            taken.append(order[place])
            total -= sizes[order[place]]
    return taken[::-1]


def by_key(count: int, key: Callable[[int], object], rng: random.Random) -> list[int]:
    """The numbers below `count` by rising key, equal ones in random order."""
    return sorted(shuffled(count, rng), key=key)
