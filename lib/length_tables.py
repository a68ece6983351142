"""Tables 5 to 8 of the paper: the lengths of a dataset's parts, as tables and as a figure."""

from collections.abc import Mapping

from lib.drawing import lines
from lib.metrics.lengths import Lengths, cumulative_rows, length_rows
from lib.report import save_figure, show_table

_MEASURES = {"sql": "SQL", "text": "text"}


def show_lengths(parts: Mapping[str, Lengths], dataset: str, number: int) -> None:
    """Shows one table for SQL, one for text, and the curves of both.

    Args:
        parts: lengths by name of the part.
        dataset: its name.
        number: of the table in the paper.
    """
    import pandas

    for measure, words in _MEASURES.items():
        caption = f"Table {number}: lengths of {words} in tokens, {dataset}."
        show_table(pandas.DataFrame(length_rows(parts, measure)), f"03_table{number}_{measure}", caption)
    curves = pandas.DataFrame(cumulative_rows(parts))
    panels = {words: [f"{measure} {part}" for part in parts] for measure, words in _MEASURES.items()}
    labels = {f"{measure} {part}": part for measure in _MEASURES for part in parts} | {"tokens": "length (tokens)"}
    labels |= dict.fromkeys(_MEASURES.values(), "pairs up to this length (%)")
    caption = f"Lengths of SQL and text in the parts of {dataset} (table {number} of the paper)."
    save_figure(lines(curves, "tokens", panels, labels), f"03_table{number}", curves, caption)
