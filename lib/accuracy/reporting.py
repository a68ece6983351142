"""The report of a run, whatever form it is read in: its figures, how it stands to an earlier run, and the gate."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from lib.accuracy.rendering import as_json, as_markdown, as_text
from lib.accuracy.summary import Gate, Paired, Summary, judge_gate, paired, parts, summarise, three_views

GATE_FAILED = 1  # exit code


@dataclass(frozen=True, slots=True)
class Report:
    """What there is to say of a run."""

    summary: Summary
    gate: Gate | None  # None if nothing was asked of the run
    against: Paired | None  # None without an earlier run

    @property
    def exit_code(self) -> int:
        """0, or 1 if the gate is not passed."""
        return GATE_FAILED if self.gate is not None and not self.gate.passed else 0

    @property
    def figures(self) -> dict:
        """A value for JSON."""
        return as_json(self.summary, self.gate, self.against)

    @property
    def markdown(self) -> str:
        """For a job summary or a comment."""
        return as_markdown(self.summary, self.gate, self.against)

    @property
    def text(self) -> str:
        """For a terminal."""
        return as_text(self.summary, self.gate, self.against)


def report(
    records: Callable[[], Iterable[dict]],
    mode: str = "exact",
    min_accuracy: float | None = None,
    baseline: Iterable[dict] | None = None,
) -> Report:
    """Makes the report of a run.

    Args:
        records: gives the audit records, each time anew.
        mode: which of MODES counts as right.
        min_accuracy: percent that must be right, 0-100; None for no threshold.
        baseline: records of an earlier run, than which this one must not be significantly worse; None without one.
    """
    summary = summarise(records(), mode)
    against = None if baseline is None else paired(records(), baseline, mode)
    asked = min_accuracy is not None or against is not None
    return Report(summary, judge_gate(summary, min_accuracy, against) if asked else None, against)


def parted(records: Iterable[dict]) -> Iterator[dict]:
    """Id and verdicts of the records on which the strict, BIRD-like and test-suite-like views part."""
    return (three_views(record) for record in records if parts(record))
