"""The report: all studies with results, pages that work alone, and no page that needs the network."""

import nbformat
import pandas as pd
import pytest

from lib import drawing, report
from lib.errors import StudyError
from lib.notebooks import normalised, write_notebook
from lib.site import write_site


@pytest.fixture
def out(tmp_path, monkeypatch):
    """A folder with one study: a table, a figure and a notebook."""
    monkeypatch.setenv(report.RESULTS_VARIABLE, str(tmp_path / "data/results/mine"))
    monkeypatch.setenv(report.FIGURES_VARIABLE, str(tmp_path / "figures/mine"))
    monkeypatch.setattr("IPython.display.display", lambda shown: None)
    frame = pd.DataFrame({"system": ["a<b", "c"], "value": [1.25, 2.0]})
    report.show_table(frame, "05_scores", "Scores & more")
    report.show_verdicts([("it falls", "yes", -1.0, "holds")], "05_claims")
    with drawing.canvas(2, 1) as (fig, _):
        report.save_figure(fig, "05_bars", frame, 'Bars "here"')
    store(tmp_path, "# 5. Copy?\n\nDoes it **copy**?\n\nMore.")
    return tmp_path


def store(out, source):
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(source)])
    write_notebook(out / "build/mine/notebooks/05_copy.ipynb", normalised(notebook))


def test_index_shows_claims_first_then_figures_and_tables(out):
    page = write_site(out).read_text()
    places = [
        page.index(text) for text in ("5. Copy?", "it falls", "Bars &quot;here&quot;", "Scores &amp; more", "a&lt;b")
    ]
    assert places == sorted(places)
    assert "Does it copy?" in page
    assert "a<b" not in page


def test_files_lie_beside_the_pages(out):
    site = write_site(out).parent
    assert (site / "mine/tables/05_scores.csv").read_bytes() == (out / "data/results/mine/05_scores.csv").read_bytes()
    assert (site / "mine/figures/05_bars.svg").read_bytes() == (out / "figures/mine/05_bars.svg").read_bytes()
    assert "<title>5. Copy? – spidercompose</title>" in (site / "mine/05_copy.html").read_text()


def test_same_input_same_bytes(out):
    pages = [write_site(out).read_bytes() for _ in range(2)]
    assert pages[0] == pages[1]


def test_study_without_executed_notebooks_still_shows_its_results(out):
    (out / "build/mine/notebooks/05_copy.ipynb").unlink()
    page = write_site(out).read_text()
    assert "make study STUDY=mine" in page
    assert "Scores &amp; more" in page


def test_nothing_to_report(tmp_path):
    with pytest.raises(StudyError, match=r"nothing to report in .*: run 'make study' first"):
        write_site(tmp_path)


@pytest.mark.parametrize(
    "source",
    [
        "<script src='https://example.org/x.js'></script>",
        "![x](https://example.org/x.png)",
        "<img src=//example.org/x>",
    ],
)
def test_a_page_that_needs_the_network_is_refused(out, source):
    store(out, f"# 5. Copy?\n\n{source}")
    with pytest.raises(StudyError, match=r"05_copy.html would need the network"):
        write_site(out)


def test_conclusions_have_a_fixed_vocabulary():
    with pytest.raises(report.ParameterError, match="unknown conclusion 'mostly'"):
        report.show_verdicts([("x", 1, 2, "mostly")], "x")
    assert (report.verdict(True), report.verdict(False)) == ("holds", "does not hold")
