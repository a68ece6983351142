"""Lengths of SQL and text in the parts of a dataset (tables 5 to 8 of the paper), and what the paper says of them.

SQL is measured in SQL tokens (a quoted text is one), text in question tokens. Bins are ten tokens wide for SQL and
five for text; the last one is open.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from lib.errors import ParameterError, suggest
from lib.partition.properties import summary
from lib.partition.template import sql_length
from lib.records import Pair

SQL_BINS = (0, 10, 20, 30, 40, 50, 60)  # lower bounds, in tokens; a bin ends below the next
TEXT_BINS = (0, 5, 10, 15, 20, 25, 30)
ALIKE = 0.1  # two parts are alike if their mean lengths differ by less than this share of the first


@dataclass(frozen=True, slots=True)
class Lengths:
    """Lengths of one part of a dataset, in tokens."""

    sql: tuple[int, ...]  # one a pair
    text: tuple[int, ...]  # one a pair; 0 without text


@dataclass(frozen=True, slots=True)
class Statement:
    """Something that the paper says of lengths, and whether it holds."""

    dataset: str  # spider, spidercompose, template or tmcd
    says: str  # the paper's words, shortened
    found: str  # our figures
    holds: bool


def lengths_of(pairs: Iterable[Pair]) -> Lengths:
    """Lengths of the pairs of one part; may be a stream."""
    measured = [(sql_length(pair.sql), len(pair.text.split())) for pair in pairs]
    return Lengths(tuple(sql for sql, _ in measured), tuple(text for _, text in measured))


def mean(values: Sequence[int]) -> float:
    """The mean length.

    Raises:
        ParameterError: if there is none.
    """
    if not values:
        raise ParameterError("no lengths to average: the part is empty")
    return sum(values) / len(values)


def shares(values: Sequence[int], bins: Sequence[int]) -> list[float]:
    """Share of the values in each bin, 0-1.

    Args:
        values: lengths in tokens.
        bins: lower bounds, rising, the first at or below all values; the last bin is open.

    >>> shares([1, 9, 10, 99], (0, 10, 20))
    [0.5, 0.25, 0.25]
    """
    edges = [*bins, float("inf")]
    counts = [sum(low <= value < high for value in values) for low, high in pairwise(edges)]
    return [count / len(values) for count in counts] if values else [0.0] * len(bins)


def bin_names(bins: Sequence[int]) -> list[str]:
    """Names of bins.

    >>> bin_names((0, 10, 20))
    ['0–9', '10–19', '20+']
    """
    return [f"{low}–{high - 1}" for low, high in pairwise(bins)] + [f"{bins[-1]}+"]


def length_rows(parts: Mapping[str, Lengths], measure: str) -> list[dict]:
    """The rows of a table of lengths, one a part: pairs, mean, quantiles, and the share of each bin in percent.

    Args:
        parts: lengths by name of the part; parts without pairs are left out.
        measure: `sql` or `text`.

    Raises:
        ParameterError: if the measure is unknown.
    """
    bins = bins_of(measure)
    rows = []
    for part, lengths in parts.items():
        values = getattr(lengths, measure)
        if values:
            row = {"part": part, "pairs": len(values)} | {k: v for k, v in summary(values).items() if k != "n"}
            binned = zip(bin_names(bins), shares(values, bins), strict=True)
            rows.append(row | {f"{name} (%)": 100 * share for name, share in binned})
    return rows


def bins_of(measure: str) -> tuple[int, ...]:
    """The bins of `sql` or `text`.

    Raises:
        ParameterError: if the measure is unknown.
    """
    if measure not in _BINS:
        raise ParameterError(f"unknown measure '{measure}': {suggest(measure, _BINS)}")
    return _BINS[measure]


def cumulative_rows(parts: Mapping[str, Lengths], limits: Sequence[int] = range(0, 65, 5)) -> list[dict]:
    """For each limit the share of pairs that are no longer, in percent; columns such as "sql train"."""
    return [
        {"tokens": limit}
        | {
            f"{measure} {part}": 100 * _up_to(getattr(lengths, measure), limit)
            for measure in _BINS
            for part, lengths in parts.items()
            if lengths.sql
        }
        for limit in limits
    ]


def largest_gap(first: Sequence[int], second: Sequence[int]) -> float:
    """The largest difference of the two shares of values up to a length (Kolmogorov–Smirnov), 0-1.

    >>> largest_gap([1, 2], [1, 2]), largest_gap([1, 2], [3, 4])
    (0.0, 1.0)
    """
    limits = sorted({*first, *second})
    return max((abs(_up_to(first, limit) - _up_to(second, limit)) for limit in limits), default=0.0)


def _up_to(values: Sequence[int], limit: int) -> float:
    return sum(value <= limit for value in values) / len(values) if values else 0.0


def statements(datasets: Mapping[str, Mapping[str, Lengths]]) -> list[Statement]:
    """Checks what the paper says of tables 5 to 8 (section 5.1.3).

    Args:
        datasets: lengths by part, for `spider` (parts train and dev), `spidercompose`, `template` and `tmcd`; those
            that are absent, and parts without pairs, are left out.
    """
    found = []
    for name, (says, measures, holds) in _STATEMENTS.items():
        parts = {part: lengths for part, lengths in datasets.get(name, {}).items() if lengths.sql}
        others = [part for part in parts if part != "train"]
        if "train" not in parts or not others:
            continue
        means = {m: {part: mean(getattr(lengths, m)) for part, lengths in parts.items()} for m in measures}
        figures = "; ".join(f"{m} " + ", ".join(f"{p} {v:.1f}" for p, v in row.items()) for m, row in means.items())
        truths = [holds(row["train"], row[part]) for row in means.values() for part in others]
        found.append(Statement(name, says, figures, all(truths)))
    return found


def _alike(train: float, other: float) -> bool:
    return abs(other - train) < ALIKE * train


def _longer(train: float, other: float) -> bool:
    return other >= (1 + ALIKE) * train


def _shorter(train: float, other: float) -> bool:
    return other <= (1 - ALIKE) * train


_BINS = {"sql": SQL_BINS, "text": TEXT_BINS}
_STATEMENTS = {
    "spider": ("training and dev set have similar lengths of SQL and text", ("sql", "text"), _alike),
    "spidercompose": ("validation and test are longer than training, SQL and text", ("sql", "text"), _longer),
    "template": ("all three parts have similar lengths of SQL and text", ("sql", "text"), _alike),
    "tmcd": ("the SQL of validation and test is short", ("sql",), _shorter),
}
