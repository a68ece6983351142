"""The only doors for tables and figures: what a notebook shows is also written as files, the same bytes each time.

Tables go to `SPIDERCOMPOSE_RESULTS`, figures to `SPIDERCOMPOSE_FIGURES`; a study sets both. Without them (a notebook
run by hand) they go to `build/scratch`, so that trying things out never changes committed results.
"""

import io
import os
import re
from collections.abc import Mapping, Sequence
from html import escape
from numbers import Integral, Real
from pathlib import Path
from typing import TYPE_CHECKING

from lib.errors import ParameterError, suggest
from lib.files import atomic_writer, write_text
from lib.paths import SCRATCH

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

RESULTS_VARIABLE, FIGURES_VARIABLE = "SPIDERCOMPOSE_RESULTS", "SPIDERCOMPOSE_FIGURES"
VERDICTS = HOLDS, NOT, CLOSE, UNKNOWN = ("holds", "does not hold", "too close", "cannot be told here")
MISSING = "–"  # what a reader sees for no value
_DPI = 100  # dots per inch: sharp on a page 20 cm wide, some 30 kB a figure


def results_dir() -> Path:
    """Where tables go."""
    return Path(os.environ.get(RESULTS_VARIABLE) or SCRATCH / "results")


def figures_dir() -> Path:
    """Where figures go."""
    return Path(os.environ.get(FIGURES_VARIABLE) or SCRATCH / "figures")


def show_table(
    frame: "DataFrame",
    name: str,
    caption: str,
    note: str = "",
    decimals: int | Mapping[str, int] = 1,
    keep: bool = True,
) -> None:
    """Writes `NAME.csv` (full precision) and `NAME.md` (as shown), and shows the table.

    Args:
        frame: one row a line, without a meaningful index; column names as readers should see them, units included.
        name: letters, digits, `_` and `-`; also the id of the HTML table.
        caption: one sentence that says what the rows and numbers are.
        note: a line under the table, such as the signature of a score.
        decimals: digits shown after the point of floats, for all columns or by column (else 1).
        keep: False shows it only, such as sentences of a corpus that is not ours to publish.

    Raises:
        ParameterError: if `name` cannot be a file name.
    """
    from IPython.display import HTML, display

    _check_name(name)
    columns = [str(column) for column in frame.columns]
    digits = [decimals if isinstance(decimals, int) else decimals.get(column, 1) for column in columns]
    cells = [list(map(_shown, row, digits)) for row in frame.itertuples(index=False, name=None)]
    note = note if cells else "No rows."
    if keep:
        write_text(results_dir() / f"{name}.csv", to_csv(frame))
        write_text(results_dir() / f"{name}.md", _markdown(columns, cells, caption, note))
    display(HTML(_html(columns, cells, _numeric(frame), name if keep else "", caption, note)))


def save_figure(fig: "Figure", name: str, data: "DataFrame", caption: str, keep: bool = True) -> None:
    """Writes `NAME.svg`, `NAME.png`, `NAME.csv` and a page `NAME.md` with the caption, and shows the figure.

    Args:
        fig: the figure.
        name: letters, digits, `_` and `-`.
        data: the numbers or words behind it, one row a mark.
        caption: what it shows, for those who see it and for those who hear it.
        keep: False shows it only, such as words of a corpus that is not ours to publish.

    Raises:
        ParameterError: if `name` cannot be a file name.
    """
    from IPython.display import HTML, Image, display

    _check_name(name)
    png = _with_few_colours(_drawn(fig, "png", {"Software": None}))
    if keep:
        _write_figure(fig, name, png, to_csv(data), caption)
    display(Image(data=png, format="png", alt=caption))
    label = f' id="{name}"' if keep else ""
    display(HTML(f"<p{label}><em>{escape(caption)}</em></p>"))


def _write_figure(fig: "Figure", name: str, png: bytes, csv: str, caption: str) -> None:
    import matplotlib

    folder = figures_dir()
    write_text(folder / f"{name}.csv", csv)
    with matplotlib.rc_context({"svg.hashsalt": name, "svg.fonttype": "path"}):  # ids in the file would else be random
        _write(folder / f"{name}.svg", _drawn(fig, "svg", {"Date": None, "Creator": None}))
    write_text(folder / f"{name}.md", f"**{caption}**\n\n![{caption}]({name}.svg)\n")
    _write(folder / f"{name}.png", png)


def show_verdicts(claims: Sequence[tuple[str, object, object, str]], name: str) -> None:
    """Shows what the paper says beside what we found, as table `NAME`.

    Args:
        claims: each a statement, the paper's value, ours, and one of VERDICTS.
        name: letters, digits, `_` and `-`.

    Raises:
        ParameterError: if a conclusion is none of VERDICTS.
    """
    import pandas

    for claim, _, _, verdict in claims:
        if verdict not in VERDICTS:
            raise ParameterError(f"'{claim}': unknown conclusion '{verdict}': {suggest(verdict, VERDICTS)}")
    rows = [(claim, str(theirs), str(ours), verdict) for claim, theirs, ours, verdict in claims]
    frame = pandas.DataFrame(rows, columns=["claim", "paper", "ours", "conclusion"])
    show_table(frame, name, "What the paper says, and what we find")


def verdict(holds: bool) -> str:
    """The conclusion for a claim that either holds or does not."""
    return HOLDS if holds else NOT


def to_csv(frame: "DataFrame") -> str:
    """The CSV of a table: comma, LF, empty for no value, floats to 10 significant digits."""
    return frame.to_csv(index=False, lineterminator="\n", float_format="%.10g")


def _check_name(name: str) -> None:
    if not re.fullmatch(r"[A-Za-z0-9][\w-]*", name, re.ASCII):
        raise ParameterError(f"a table or figure is named with letters, digits, '_' and '-', not '{name}'")


def _shown(value, decimals: int) -> str:
    import pandas

    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    if pandas.isna(value):
        return MISSING
    if pandas.api.types.is_bool(value):
        return "yes" if value else "no"
    if isinstance(value, Integral):
        return f"{value:,}"
    return f"{round(value, decimals) + 0.0:,.{decimals}f}" if isinstance(value, Real) else str(value)  # never "-0.0"


def _numeric(frame: "DataFrame") -> list[bool]:
    from pandas.api.types import is_bool_dtype, is_numeric_dtype

    return [is_numeric_dtype(kind) and not is_bool_dtype(kind) for kind in frame.dtypes]


def _markdown(columns: list[str], cells: list[list[str]], caption: str, note: str) -> str:
    def line(values: list[str]) -> str:
        return "| " + " | ".join(value.replace("|", "\\|").replace("\n", " ") for value in values) + " |"

    rows = [line(columns), line(["---"] * len(columns)), *map(line, cells)]
    return "\n".join([f"**{caption}**", "", *rows, *(["", note] if note else []), ""])


def _html(columns: list[str], cells: list[list[str]], numeric: list[bool], name: str, caption: str, note: str) -> str:
    def row(tag: str, values: list[str]) -> str:
        aligned = zip(values, numeric, strict=True)
        inner = "".join(
            f"<{tag}{' align=right' if right else ' align=left'}>{escape(v)}</{tag}>" for v, right in aligned
        )
        return f"<tr>{inner}</tr>"

    body = "\n".join(row("td", values) for values in cells)
    foot = f"\n<p><small>{escape(note)}</small></p>" if note else ""
    mark = f' id="{name}"' if name else ""  # an id leads to files, so that a table without files has none
    return (
        f"<table{mark}>\n<caption align=top>{escape(caption)}</caption>\n"
        f"<thead>{row('th', columns)}</thead>\n<tbody>\n{body}\n</tbody>\n</table>{foot}"
    )


def _drawn(fig: "Figure", kind: str, metadata: dict) -> bytes:
    buffer = io.BytesIO()
    fig.savefig(buffer, format=kind, dpi=_DPI, metadata=metadata, bbox_inches="tight")
    return buffer.getvalue()


def _with_few_colours(png: bytes) -> bytes:
    """The picture with 64 colours: to the eye the same at a quarter of the size, since few colours are drawn."""
    from PIL import Image  # comes with matplotlib

    buffer = io.BytesIO()
    Image.open(io.BytesIO(png)).convert("RGB").quantize(64).save(buffer, "png", optimize=True, dpi=(_DPI, _DPI))
    return buffer.getvalue()


def _write(path: Path, content: bytes) -> None:
    with atomic_writer(path, "wb") as handle:
        handle.write(content)
