"""The study's pictures, all in one style: colours that the colour-blind tell apart, marks that survive grey print."""

import textwrap
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from lib.records import KINDS, Clause, Fragment

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from pandas import DataFrame

    from lib.models.trees import Tree

# Okabe and Ito's palette, from dark to light where it matters in grey.
PALETTE = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9", "#999999")
HATCHES = ("", "///", "xx", "--", "\\\\\\", "++", "||")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
DASHES = ("-", "--", ":", "-.", (0, (5, 1)), (0, (1, 1)), (0, (3, 1, 1, 1)))
KIND_COLOURS = dict(zip(KINDS, PALETTE, strict=True))
# The framework of the method: its three parts, and the steps of each with the function that does it.
FRAMEWORK = (
    (
        "1  Transform the data",
        (
            ("corpus", "questions with their SQL"),
            ("split", "SQL into clauses"),
            ("tag, splice", "question into fragments"),
            ("compose", "subsets of clauses into pairs"),
            ("partition", "by the number of clauses"),
        ),
    ),
    (
        "2  Train a model",
        (
            ("training pairs", "one or two clauses"),
            ("model", "reads SQL, writes text"),
            ("validation pairs", "three or four clauses"),
        ),
    ),
    (
        "3  Evaluate its ability",
        (
            ("test pairs", "three or four clauses"),
            ("experiment 1", "test clauses seen in training"),
            ("experiment 2", "test clauses not seen"),
            ("difference", "what composition is worth"),
        ),
    ),
)
_INK, _PALE = "#222222", "#F4F4F4"
_WIDTH = 7.2  # inches: the text width of a page

_STYLE = {
    "figure.facecolor": "white",
    "font.family": "DejaVu Sans",  # comes with matplotlib, so that every machine draws the same
    "font.size": 9,
    "axes.titlesize": 10,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": _INK,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "axes.axisbelow": True,
    "grid.color": "#DDDDDD",
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "hatch.linewidth": 0.6,
}


def ink_on(colour: str) -> str:
    """The colour of words on a ground of the palette: white on dark ones, else near black."""
    return "#FFFFFF" if colour in ("#0072B2",) else _INK


@contextmanager
def canvas(width: float, height: float, panels: int = 1) -> Iterator[tuple["Figure", Sequence["Axes"]]]:
    """A figure in the study's style with panels side by side.

    Args:
        width: inches.
        height: inches.
        panels: number of axes.
    """
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context(_STYLE):
        fig = Figure(figsize=(width, height), layout="constrained")
        yield fig, [fig.add_subplot(1, panels, i + 1) for i in range(panels)]


def tagging_picture(
    tokens: Sequence[str], tags: Sequence[frozenset[str]], clauses: Sequence[Clause], fragments: Sequence[Fragment]
) -> "Figure":
    """Which clause each word of a question speaks of (figure 2 of the paper).

    A full cell is a tagged word; a pale one is a word without tags that splicing put into the fragment.

    Args:
        tokens: the question.
        tags: kinds tagged to each token.
        clauses: of the query, in order.
        fragments: one a clause.
    """
    height = 0.5 + 0.42 * len(clauses)
    with canvas(max(_WIDTH, 0.62 * len(tokens) + 1.6), height) as (fig, (axes,)):
        for row, (clause, fragment) in enumerate(zip(clauses, fragments, strict=True)):
            inside = {j for start, stop in fragment.spans for j in range(start, stop)}
            for column in range(len(tokens)):
                _cell(axes, column, row, clause.kind, clause.kind in tags[column], column in inside)
        axes.set(xlim=(0, len(tokens)), ylim=(len(clauses), 0))
        axes.set_xticks([i + 0.5 for i in range(len(tokens))], tokens, rotation=0 if len(tokens) < 17 else 45)
        axes.set_yticks([i + 0.5 for i in range(len(clauses))], [clause.kind for clause in clauses])
        axes.xaxis.tick_top()
        axes.tick_params(length=0)
        axes.grid(False)
        for spine in axes.spines.values():
            spine.set_visible(False)
    return fig


def _cell(axes: "Axes", column: int, row: int, kind: str, tagged: bool, inside: bool) -> None:
    from matplotlib.patches import Rectangle

    colour = KIND_COLOURS[kind] if tagged or inside else _PALE
    alpha = 1.0 if tagged or not inside else 0.3
    axes.add_patch(Rectangle((column + 0.03, row + 0.1), 0.94, 0.8, facecolor=colour, alpha=alpha, linewidth=0))
    if tagged or inside:
        word = kind.split()[0].lower() if tagged else "·"
        axes.text(
            column + 0.5,
            row + 0.5,
            word,
            ha="center",
            va="center",
            color=ink_on(colour) if tagged else _INK,
            fontsize=7,
        )


def flow_picture(boxes: Sequence[tuple[str, Sequence[tuple[str, str]]]]) -> "Figure":
    """Columns of boxes with arrows between them, such as the framework of the method (figure 1 of the paper).

    Args:
        boxes: for each column its title and its boxes from top to bottom, each a heading and a line below it.
    """
    rows = max(len(column) for _, column in boxes)
    with canvas(2.7 * len(boxes), 0.78 * rows + 0.6) as (fig, (axes,)):
        for x, (title, column) in enumerate(boxes):
            axes.text(x + 0.5, -0.28, title, ha="center", va="center", fontweight="bold", fontsize=10)
            for y, (heading, line) in enumerate(column):
                _box(axes, x, y, heading, line, PALETTE[x])
                if y:
                    _arrow(axes, (x + 0.5, y - 0.16), (x + 0.5, y + 0.12))
            if x:
                _arrow(axes, (x - 0.06, len(boxes[x - 1][1]) - 0.5), (x + 0.06, 0.5), bend=True)
        axes.set(xlim=(0, len(boxes)), ylim=(rows, -0.5))
        axes.axis("off")
    return fig


def _box(axes: "Axes", x: int, y: int, heading: str, line: str, colour: str) -> None:
    from matplotlib.patches import FancyBboxPatch

    shape = FancyBboxPatch(
        (x + 0.09, y + 0.14), 0.82, 0.68, boxstyle="round,pad=0,rounding_size=0.06",
        facecolor="white", edgecolor=colour, linewidth=1.6, mutation_aspect=2.5,
    )  # fmt: skip
    axes.add_patch(shape)
    axes.text(x + 0.5, y + 0.35, heading, ha="center", va="center", fontsize=8.5, fontweight="bold")
    axes.text(x + 0.5, y + 0.62, line, ha="center", va="center", fontsize=7.5, color="#444444")


def _arrow(axes: "Axes", start: tuple[float, float], stop: tuple[float, float], bend: bool = False) -> None:
    style = {"arrowstyle": "-|>", "color": _INK, "linewidth": 1.1, "shrinkA": 0, "shrinkB": 0}
    if bend:
        style["connectionstyle"] = "angle,angleA=0,angleB=90,rad=4"
        start, middle = start, (stop[0] - 0.06, start[1])
        axes.plot([start[0] - 0.03, middle[0], middle[0]], [start[1], middle[1], stop[1]], color=_INK, linewidth=1.1)
        start, style = (middle[0], stop[1]), style | {"connectionstyle": "arc3"}
        stop = (stop[0] + 0.03, stop[1])
    axes.annotate("", xy=stop, xytext=start, arrowprops=style)


def lines(frame: "DataFrame", x: str, panels: Mapping[str, Sequence[str]], labels: Mapping[str, str]) -> "Figure":
    """Curves over one variable, a panel for each unit.

    Args:
        frame: one row a point on the horizontal axis.
        x: column of the horizontal axis.
        panels: for each panel's title the columns that it draws; missing values are gaps.
        labels: words for columns; the first column of a panel also names its axis.
    """
    whole = bool((frame[x].dropna() % 1 == 0).all())  # epochs, not half ones
    with canvas(_WIDTH, 2.6, len(panels)) as (fig, all_axes):
        for axes, (title, columns) in zip(all_axes, panels.items(), strict=True):
            for i, column in enumerate(columns):
                known = frame[frame[column].notna()]
                axes.plot(known[x], known[column], color=PALETTE[i], marker=MARKERS[i], linestyle=DASHES[i],
                          markersize=4, linewidth=1.4, label=labels[column])  # fmt: skip
            axes.set(title=title, xlabel=labels[x], ylabel=labels.get(title, ""))
            drawn = frame.empty or frame[list(columns)].notna().any(axis=None)
            axes.set_xlim(0, None if drawn else frame[x].max())  # a panel without values has the axis of the others
            axes.locator_params(axis="x", integer=whole)
            if len(columns) > 1:
                axes.legend()
    return fig


def _in_lines(label: str, width: int) -> str:
    """A label in two lines, or in more where the longer one is wider than so many letters."""
    lines = label.replace(" ", "\n", 1)
    if max(map(len, lines.split("\n"))) <= width:
        return lines
    return textwrap.fill(label, width, break_long_words=False)


def bars(
    frame: "DataFrame", group: str, series: str, value: str, label: str, low: str = "", high: str = ""
) -> "Figure":
    """Groups of bars, with intervals where given.

    Args:
        frame: one row a bar, in the order of drawing.
        group: column whose values are the groups on the horizontal axis.
        series: column whose values are the bars within a group.
        value: column of heights.
        label: words and unit for the vertical axis.
        low: column of the intervals' lower ends.
        high: column of their upper ends.
    """
    groups, names = list(dict.fromkeys(frame[group])), list(dict.fromkeys(frame[series]))
    step, unit = 0.8 / len(names), frame[value].max() <= 1  # shares need two digits
    room = len(groups) * len(names) <= 16  # for numbers above the bars
    with canvas(_WIDTH, 3.0) as (fig, (axes,)):
        for i, name in enumerate(names):
            rows = frame[frame[series] == name]
            at = [groups.index(g) + (i - (len(names) - 1) / 2) * step for g in rows[group]]
            axes.bar(at, rows[value], width=step * 0.92, color=PALETTE[i], hatch=HATCHES[i], edgecolor="white",
                     linewidth=0.5, label=name)  # fmt: skip
            if low and high:
                spread = [rows[value] - rows[low], rows[high] - rows[value]]
                axes.errorbar(at, rows[value], yerr=spread, fmt="none", ecolor=_INK, elinewidth=1, capsize=2.5)
            tops = rows[high] if high else rows[value]
            for x, height, top in zip(at, rows[value], tops, strict=True) if room else ():
                axes.annotate(
                    f"{height:.{2 if unit else 1}f}",
                    (x, top),
                    xytext=(0, 3),
                    textcoords="offset points",
                    ha="center",
                    fontsize=7,
                )
        axes.set_xticks(range(len(groups)), [_in_lines(str(g), 95 // len(groups)) for g in groups])
        axes.set(ylabel=label)
        axes.margins(y=0.12)
        axes.tick_params(axis="x", length=0)
        axes.legend(ncols=min(len(names), 5), loc="lower left", bbox_to_anchor=(0, 1.0))
    return fig


def bar_panels(
    frame: "DataFrame",
    group: str,
    series: str,
    value: str,
    label: str,
    low: str,
    high: str,
    hatched: Collection[str] = (),
) -> "Figure":
    """Horizontal bars with intervals, a panel for each series; for many groups and series.

    Args:
        frame: one row a bar, in the order of drawing; a group that a panel has no row of gets a dash.
        group: column whose values are the groups, from the top.
        series: column whose values are the panels.
        value: column of lengths.
        label: words and unit for the horizontal axes.
        low: column of the intervals' lower ends.
        high: column of their upper ends.
        hatched: groups that are drawn apart.
    """
    groups, names = list(dict.fromkeys(frame[group])), list(dict.fromkeys(frame[series])) or ["no results yet"]
    top = frame[high].max() if groups else 1
    with canvas(_WIDTH, 0.9 + 0.29 * len(groups), len(names)) as (fig, all_axes):
        for axes, name in zip(all_axes, names, strict=True):
            rows = frame[frame[series] == name]
            at = [groups.index(g) for g in rows[group]]
            looks = [("#BBBBBB", HATCHES[1]) if g in hatched else (PALETTE[0], "") for g in rows[group]]
            axes.barh(at, rows[value], height=0.66, color=[colour for colour, _ in looks], edgecolor="white",
                      hatch=[hatch for _, hatch in looks], linewidth=0.5)  # fmt: skip
            spread = [rows[value] - rows[low], rows[high] - rows[value]]
            axes.errorbar(rows[value], at, xerr=spread, fmt="none", ecolor=_INK, elinewidth=1, capsize=2)
            words = dict.fromkeys(range(len(groups)), (0, "–"))
            words |= {y: (x, f"{v:.1f}") for y, x, v in zip(at, rows[high], rows[value], strict=True)}
            for y, (x, word) in words.items():
                axes.annotate(word, (x, y), xytext=(3, 0), textcoords="offset points", va="center", fontsize=7)
            axes.set_yticks(range(len(groups)), [textwrap.fill(g, 18) for g in groups], fontsize=8)
            axes.tick_params(axis="y", length=0, labelleft=axes is all_axes[0])
            axes.set_title(textwrap.fill(name, 14), fontsize=8)
            axes.set(xlim=(0, 1.3 * top or 1), ylim=(len(groups) - 0.4, -0.6))
            axes.locator_params(axis="x", nbins=4)
            axes.set_xticks([tick for tick in axes.get_xticks() if tick <= top])
            axes.grid(axis="x", visible=True)
            axes.grid(axis="y", visible=False)
        fig.supxlabel(label, fontsize=9)
    return fig


def heat_map(
    values: Sequence[Sequence[float]],
    rows: Sequence[str],
    columns: Sequence[str],
    label: str,
    digits: int = 0,
    least: float = 0,
    top: float | None = None,
) -> "Figure":
    """Numbers as cells, darker for more; so that it survives grey print, large numbers are written in their cells.

    Args:
        values: a number for each row and column, 0 or more; NaN for none.
        rows: words for the rows, from top to bottom.
        columns: words for the columns.
        label: words and unit for the scale.
        digits: behind the point.
        least: numbers from here on are written.
        top: end of the scale; the largest number by default.
    """
    width, height = 0.34 * len(columns) + 2.6, 0.26 * len(rows) + 1.5
    long = max(map(len, columns)) > 4
    with canvas(max(_WIDTH * 0.6, width), max(2.0, height)) as (fig, (axes,)):
        picture = axes.imshow(values, cmap="Greys", vmin=0, vmax=top, aspect="auto")
        top = picture.get_clim()[1]
        for row, numbers in enumerate(values):
            for column, number in enumerate(numbers):
                if number >= least:
                    ink = "white" if number > 0.55 * top else _INK
                    text = f"{number:.{digits}f}".removeprefix("0") if top <= 1 else f"{number:.{digits}f}"
                    axes.text(column, row, text, ha="center", va="center", color=ink, fontsize=6.5)
        axes.set_xticks(range(len(columns)), columns, rotation=55 if long else 0, ha="left" if long else "center",
                        rotation_mode="anchor", fontsize=8)  # fmt: skip
        axes.set_yticks(range(len(rows)), rows, fontsize=8)
        axes.xaxis.tick_top()
        axes.tick_params(length=0)
        axes.grid(False)
        fig.colorbar(picture, ax=axes, label=label, shrink=0.8, aspect=30)
    return fig


def tree_picture(tree: "Tree") -> "Figure":
    """The tree of SQL from left to right: inner nodes in boxes, leaves without.

    Args:
        tree: its nodes from the root down.
    """
    children = [[node for node, parent in enumerate(tree.parents) if parent == i] for i in range(len(tree.labels))]
    depths, heights, leaves = [0] * len(children), [0.0] * len(children), 0
    for node, parent in enumerate(tree.parents):
        depths[node] = depths[parent] + 1 if parent >= 0 else 0
        if not children[node]:
            heights[node], leaves = float(leaves), leaves + 1
    for node in reversed(range(len(children))):
        if children[node]:
            heights[node] = (heights[children[node][0]] + heights[children[node][-1]]) / 2
    with canvas(1.35 * (max(depths) + 1), 0.23 * leaves + 0.4) as (fig, (axes,)):
        for node, parent in enumerate(tree.parents):
            if parent >= 0:
                start, stop = (depths[parent], heights[parent]), (depths[node], heights[node])
                bend = (start[0] + stop[0]) / 2
                axes.plot([start[0], bend, bend, stop[0]], [start[1], start[1], stop[1], stop[1]], color="#777777",
                          linewidth=0.9, zorder=1)  # fmt: skip
            inner = {"boxstyle": "round,pad=0.25", "facecolor": "white", "edgecolor": PALETTE[0], "linewidth": 1.1}
            leaf = {"boxstyle": "square,pad=0.15", "facecolor": "white", "edgecolor": "none"}
            axes.text(depths[node], heights[node], tree.labels[node], ha="center", va="center", fontsize=8,
                      bbox=inner if children[node] else leaf, zorder=2)  # fmt: skip
        axes.set(xlim=(-0.5, max(depths) + 0.6), ylim=(leaves - 0.4, -0.6))
        axes.axis("off")
    return fig
