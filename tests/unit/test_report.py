"""Tables and figures: the files say what the page shows, and the same input gives the same bytes."""

import math
import struct

import pandas as pd
import pytest

from lib import drawing, report
from lib.errors import ParameterError
from lib.records import KINDS
from lib.splicing import splice, to_fragment
from lib.splitting import split

FRAME = pd.DataFrame(
    {"system": ["a|b", "<c>"], "pairs": [1200, 3], "BLEU (0–100)": [33.16789, math.nan], "drops": [True, False]}
)


@pytest.fixture
def shown(monkeypatch, tmp_path):
    """What is displayed, with tables and figures going to a folder of the test."""
    monkeypatch.setenv(report.RESULTS_VARIABLE, str(tmp_path / "results"))
    monkeypatch.setenv(report.FIGURES_VARIABLE, str(tmp_path / "figures"))
    objects = []
    monkeypatch.setattr("IPython.display.display", objects.append)
    return objects


def test_table_goes_to_csv_markdown_and_page(shown, tmp_path):
    report.show_table(FRAME, "table9", "Two systems & their scores", note="nrefs:1|case:lc", decimals=2)
    assert (tmp_path / "results/table9.csv").read_text() == (
        "system,pairs,BLEU (0–100),drops\na|b,1200,33.16789,True\n<c>,3,,False\n"
    )
    assert (tmp_path / "results/table9.md").read_text() == (
        "**Two systems & their scores**\n\n"
        "| system | pairs | BLEU (0–100) | drops |\n| --- | --- | --- | --- |\n"
        "| a\\|b | 1,200 | 33.17 | yes |\n| <c> | 3 | – | no |\n\nnrefs:1|case:lc\n"
    )
    page = shown[0].data
    assert '<table id="table9">' in page
    assert "<caption align=top>Two systems &amp; their scores</caption>" in page
    assert "&lt;c&gt;" in page
    assert "<c>" not in page
    assert "<td align=right>1,200</td>" in page
    assert "<small>nrefs:1|case:lc</small>" in page


def test_a_table_that_is_only_shown_leaves_no_file_and_no_id(shown, tmp_path):
    report.show_table(FRAME, "sentences", "Only to look at", keep=False)
    assert not list(tmp_path.rglob("*.csv"))
    assert "<table>" in shown[0].data
    assert "sentences" not in shown[0].data


def test_empty_table(shown, tmp_path):
    report.show_table(FRAME[:0], "none", "Nothing")
    assert (tmp_path / "results/none.csv").read_text() == "system,pairs,BLEU (0–100),drops\n"
    assert "<tbody>\n\n</tbody>" in shown[0].data
    assert "No rows." in shown[0].data


@pytest.mark.parametrize("name", ["", "../x", "a/b", "a b", "-x", "täble", "x.csv"])
def test_names_that_are_no_file_names(shown, tmp_path, name):
    with pytest.raises(ParameterError, match="is named with letters"):
        report.show_table(FRAME, name, "x")
    with drawing.canvas(1, 1) as (fig, _), pytest.raises(ParameterError, match="is named with letters"):
        report.save_figure(fig, name, FRAME, "x")
    assert not list(tmp_path.iterdir())
    assert not shown


def example_figure():
    frame = pd.DataFrame(
        [("one", "x", 3.0, 2.0, 4.5), ("one", "y", 1.0, 0.5, 1.5), ("two", "x", 2.0, 2.0, 2.0)],
        columns=["system", "experiment", "value", "low", "high"],
    )
    return drawing.bars(frame, "system", "experiment", "value", "BLEU-4 (0–100)", "low", "high"), frame


def test_figure_files_repeat_to_the_byte_and_name_no_software_or_day(shown, tmp_path):
    files = {}
    for _ in range(2):
        fig, frame = example_figure()
        report.save_figure(fig, "fig4", frame, 'Bars "of" <two>')
        for path in sorted((tmp_path / "figures").iterdir()):
            assert files.setdefault(path.name, path.read_bytes()) == path.read_bytes()
    assert list(files) == ["fig4.csv", "fig4.md", "fig4.png", "fig4.svg"]
    assert files["fig4.csv"].decode().splitlines()[1] == "one,x,3,2,4.5"
    assert b"dc:date" not in files["fig4.svg"]
    assert b"Matplotlib" not in files["fig4.svg"].replace(b"www.matplotlib.org", b"")
    assert set(png_chunks(files["fig4.png"])) == {"IHDR", "PLTE", "pHYs", "IDAT", "IEND"}
    assert shown[0].alt == 'Bars "of" <two>'
    assert "Bars &quot;of&quot; &lt;two&gt;" in shown[1].data


def png_chunks(content: bytes):
    at = 8
    while at < len(content):
        length, kind = struct.unpack(">I4s", content[at : at + 8])
        yield kind.decode()
        at += length + 12


def test_without_a_study_nothing_committed_is_touched(monkeypatch):
    monkeypatch.delenv(report.RESULTS_VARIABLE, raising=False)
    monkeypatch.delenv(report.FIGURES_VARIABLE, raising=False)
    assert report.results_dir() == report.SCRATCH / "results"
    assert report.figures_dir() == report.SCRATCH / "figures"


def luminance(colour: str) -> float:
    """Relative luminance, 0 to 1, as WCAG 2 defines it."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("kind", KINDS)
def test_words_on_clause_colours_can_be_read(kind):
    ground, ink = luminance(drawing.KIND_COLOURS[kind]), luminance(drawing.ink_on(drawing.KIND_COLOURS[kind]))
    assert (max(ground, ink) + 0.05) / (min(ground, ink) + 0.05) >= 4.0


def test_bars_differ_without_colour():
    fig, _ = example_figure()
    bars = fig.axes[0].containers
    hatches = [container.patches[0].get_hatch() for container in bars if hasattr(container, "patches")]
    assert len(set(hatches)) == len(hatches) == 2


SCORES = ["system", "dataset", "value", "low", "high"]


def test_bars_in_panels_show_what_is_missing_and_who_is_apart():
    rows = [("ABS", "paper", 31.25, 30, 33), ("copying", "paper", 12.0, 11, 13), ("ABS", "clean", 5.0, 4, 6)]
    frame = pd.DataFrame(rows, columns=SCORES)
    fig = drawing.bar_panels(frame, *SCORES[:3], "BLEU-4 (0–100)", *SCORES[3:], hatched=["copying"])
    paper, clean = fig.axes
    assert [axes.get_title(loc="left") for axes in fig.axes] == ["paper", "clean"]
    assert [text.get_text() for text in paper.texts] == ["31.2", "12.0"]
    assert [text.get_text() for text in clean.texts] == ["5.0", "–"]
    assert [bool(bar.get_hatch()) for bar in paper.patches] == [False, True]
    assert paper.get_xlim() == clean.get_xlim()
    assert 20 <= max(paper.get_xticks()) <= 33


def test_bars_in_panels_of_nothing_say_so():
    fig = drawing.bar_panels(pd.DataFrame(columns=SCORES), *SCORES[:3], "BLEU-4 (0–100)", *SCORES[3:])
    assert fig.axes[0].get_title(loc="left") == "no results yet"


def test_tagging_picture_marks_tagged_and_spliced_words():
    clauses = split("SELECT name FROM dog ORDER BY age")
    tokens = ("dog", "names", "and", "their", "age")
    tags = (frozenset(), frozenset({"SELECT"}), frozenset(), frozenset(), frozenset({"ORDER BY"}))
    fragments = [to_fragment(tokens, clause.kind, splice(tags, clause.kind)) for clause in clauses]
    axes = drawing.tagging_picture(tokens, tags, clauses, fragments).axes[0]
    assert [text.get_text() for text in axes.texts] == ["select", "·", "·", "order"]
    assert [label.get_text() for label in axes.get_xticklabels()] == list(tokens)


def test_lines_leave_gaps_for_missing_values():
    frame = pd.DataFrame({"epoch": [1, 2, 3], "loss": [3.0, 2.0, 1.0], "bleu": [math.nan, 5.0, math.nan]})
    labels = {"epoch": "epoch", "loss": "training", "bleu": "validation", "Loss": "nats", "BLEU": "0–100"}
    fig = drawing.lines(frame, "epoch", {"Loss": ["loss"], "BLEU": ["bleu"]}, labels)
    assert [len(axes.lines[0].get_xdata()) for axes in fig.axes] == [3, 1]
    assert [axes.get_ylabel() for axes in fig.axes] == ["nats", "0–100"]


def test_flow_picture_has_all_words():
    fig = drawing.flow_picture([("Data", [("split", "SQL"), ("tag", "words")]), ("Train", [("model", "one")])])
    words = {text.get_text() for text in fig.axes[0].texts}
    assert {"Data", "split", "SQL", "tag", "words", "Train", "model", "one"} <= words


def test_epochs_are_whole_numbers_in_every_panel():
    frame = pd.DataFrame({"epoch": [1, 2], "loss": [3.0, 2.5], "bleu": [None, None]}, dtype=float)
    labels = {"epoch": "epoch", "loss": "training", "bleu": "BLEU"}
    drawn = drawing.lines(frame, "epoch", {"Loss": ["loss"], "Quality": ["bleu"]}, labels)
    for axes in drawn.axes:
        low, high = axes.get_xlim()
        ticks = [tick for tick in axes.get_xticks() if low <= tick <= high]
        assert ticks == [0, 1, 2]
