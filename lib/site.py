"""The HTML report: the executed notebooks, all tables and all figures as static pages that need no network."""

import re
import shutil
from dataclasses import dataclass
from html import escape
from pathlib import Path

from lib.errors import StudyError
from lib.files import read_text, write_text
from lib.notebooks import read_notebook
from lib.paths import STUDIES

_EXTERNAL = re.compile(r"""<(?:script|link|img|iframe)\b[^>]*\b(?:src|href)\s*=\s*["']?(?:https?:)?//""", re.I)


@dataclass(frozen=True, slots=True)
class Item:
    """One table or figure of a study."""

    name: str  # of its files
    caption: str  # one sentence
    html: str  # what the page shows


def write_site(out: Path) -> Path:
    """Writes `site/` below a folder from the results, figures and executed notebooks of all its studies.

    Returns:
        Where its first page is.

    Raises:
        StudyError: if there is nothing to report, or a page would need the network.
    """
    names = _studies(out)
    if not names:
        raise StudyError(f"nothing to report in '{out}': run 'make study' first")
    index = out / "site" / "index.html"
    sections = [_section(out, name) for name in names]
    _write_page(index, "Report", "\n".join([_WELCOME, _contents(names), *sections]), home="index.html")
    return index


def _studies(out: Path) -> list[str]:
    """Names of the studies with results, the built-in one first."""
    folders = [path for path in (out / "data" / "results").glob("*") if any(path.glob("*.csv"))]
    return sorted((path.name for path in folders), key=lambda name: (name != "builtin", name))


def _contents(names: list[str]) -> str:
    links = " · ".join(f'<a href="#{name}">{escape(_title(name))}</a>' for name in names)
    return f"<p>Studies: {links}</p>" if len(names) > 1 else ""


def _title(name: str) -> str:
    import yaml

    path = STUDIES / f"{name}.yaml"
    return yaml.safe_load(read_text(path))["title"] if path.is_file() else name


def _section(out: Path, study: str) -> str:
    notebooks = sorted((out / "build" / study / "notebooks").glob("[0-9]*.ipynb"))
    pages = "\n".join(_notebook_entry(path, out / "site" / study) for path in notebooks)
    reading = f'<ol class="notebooks">\n{pages}\n</ol>' if pages else (
        f"<p>Its notebooks were not run here: <code>make study STUDY={escape(study)}</code>.</p>")  # fmt: skip
    parts = [f'<section id="{study}"><h2>{escape(_title(study))}</h2>', reading]
    tables = _tables(out, study)
    others = [item for item in tables if not item.name.endswith("_claims")]
    titles = {path.stem.split("_")[0]: _opening(read_notebook(path))[0] for path in notebooks}
    claims = [_titled(item, titles.get(item.name.split("_")[0], item.name)) for item in tables if item not in others]
    figures = _figures(out, study)
    for heading, items in (("What the paper says, and what we find", claims), ("Figures", figures), ("Tables", others)):
        if items:
            entries = "\n".join(f'<article id="{study}-{item.name}">{item.html}</article>' for item in items)
            parts.append(f"<h3>{heading}</h3>\n{entries}")
    return "\n".join([*parts, "</section>"])


def _titled(item: Item, title: str) -> Item:
    """The same table under another caption."""
    return Item(item.name, title, item.html.replace(escape(item.caption), escape(title), 1))


def _notebook_entry(path: Path, folder: Path) -> str:
    notebook = read_notebook(path)
    title, lead = _opening(notebook)
    _write_page(folder / f"{path.stem}.html", title, _notebook_html(notebook), home="../index.html")
    return f'<li><a href="{folder.name}/{path.stem}.html">{escape(title)}</a><br>{escape(lead)}</li>'


def _opening(notebook) -> tuple[str, str]:
    """Title and first paragraph of a notebook, as plain words."""
    blocks = [block.strip() for block in notebook.cells[0].source.split("\n\n")]
    words = [re.sub(r"[*`]|\[(.*?)\]\(.*?\)", r"\1", " ".join(block.split())) for block in blocks]
    return words[0].lstrip("# "), words[1] if len(words) > 1 else ""


def _notebook_html(notebook) -> str:
    """The cells alone: nbconvert's full pages load scripts from elsewhere."""
    from nbconvert import HTMLExporter

    exporter = HTMLExporter(template_name="basic", exclude_input_prompt=True, exclude_output_prompt=True)
    body, _ = exporter.from_notebook_node(notebook)
    return f'<div class="notebook">{body}</div>'


def _figures(out: Path, study: str) -> list[Item]:
    source, target = out / "figures" / study, out / "site" / study / "figures"
    items = []
    for page in sorted(source.glob("*.md")):
        name, caption = page.stem, _caption(page)
        files = _copied(source, target, [f"{name}.svg", f"{name}.png", f"{name}.csv"])
        picture = f'<img src="{study}/figures/{name}.svg" alt="{escape(caption, quote=True)}">'
        html = f"<figure>{picture}<figcaption>{escape(caption)} {_links(study, 'figures', files)}</figcaption></figure>"
        items.append(Item(name, caption, html))
    return items


def _tables(out: Path, study: str) -> list[Item]:
    from nbconvert.filters import markdown2html

    source, target = out / "data" / "results" / study, out / "site" / study / "tables"
    items = []
    for page in sorted(source.glob("*.md")):
        files = _copied(source, target, [f"{page.stem}.csv", f"{page.stem}.md"])
        html = f"{markdown2html(read_text(page))}\n<p>{_links(study, 'tables', files)}</p>"
        items.append(Item(page.stem, _caption(page), html))
    return items


def _caption(page: Path) -> str:
    return read_text(page).split("\n", 1)[0].strip("*")


def _copied(source: Path, target: Path, names: list[str]) -> list[str]:
    target.mkdir(parents=True, exist_ok=True)
    for name in names:
        shutil.copyfile(source / name, target / name)
    return names


def _links(study: str, folder: str, files: list[str]) -> str:
    links = (f'<a href="{study}/{folder}/{name}">{name.rsplit(".", 1)[1].upper()}</a>' for name in files)
    return f'<small class="files">{" ".join(links)}</small>'


def _write_page(path: Path, title: str, body: str, home: str) -> None:
    from pygments.formatters import HtmlFormatter

    page = _PAGE.format(
        title=escape(title),
        home=home,
        body=body,
        style=_STYLE + HtmlFormatter(style="friendly").get_style_defs(".highlight"),
    )
    if external := _EXTERNAL.search(page):
        raise StudyError(f"{path.name} would need the network: {external[0]}")
    write_text(path, page)


_WELCOME = """<h1>Does a SQL-to-text model understand SQL compositionally?</h1>
<p>A query is cut into clauses and its question into the fragments that say them; all subsets of clauses become pairs
of SQL and text. Models learn from pairs of one or two clauses and are tested on pairs of three or four. Experiment 2
takes the test clauses out of the training pairs: what a model loses by that is what it owed to composition.</p>
<p>Start with a notebook, or look up a figure or table. Every number has its CSV beside it.</p>"""

_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title} – spidercompose</title>
<style>
{style}
</style>
</head>
<body>
<header><a href="{home}">spidercompose</a></header>
<main>
{body}
</main>
</body>
</html>
"""

_STYLE = """:root { --ink: #222; --quiet: #666; --line: #ddd; --accent: #0072b2; --ground: #f7f7f5; }
* { box-sizing: border-box; }
body { margin: 0; color: var(--ink); font: 16px/1.55 system-ui, "Segoe UI", "DejaVu Sans", sans-serif; }
header { border-bottom: 1px solid var(--line); padding: .7rem 1.2rem; }
header a { color: var(--ink); font-weight: 600; text-decoration: none; }
main { max-width: 54rem; margin: 0 auto; padding: 1rem 1.2rem 4rem; }
h1 { font-size: 1.8rem; line-height: 1.25; } h2 { font-size: 1.35rem; margin-top: 2.4rem; }
h3 { font-size: 1.1rem; margin-top: 1.8rem; }
a { color: var(--accent); } a.anchor-link { display: none; }
section > h2 { border-bottom: 2px solid var(--accent); padding-bottom: .2rem; }
ol.notebooks { padding-left: 0; list-style: none; } ol.notebooks li { margin: .5rem 0; }
article { margin: 1.4rem 0 2rem; overflow-x: auto; }
figure { margin: 0; } figcaption, caption { color: var(--quiet); font-size: .88rem; text-align: left; }
caption { padding-bottom: .35rem; caption-side: top; }
img, svg { max-width: 100%; height: auto; }
table { border-collapse: collapse; font-size: .88rem; margin: .6rem 0; font-variant-numeric: tabular-nums; }
th, td { padding: .28rem .7rem .28rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
th { border-bottom: 1.5px solid var(--ink); text-align: left; }
.files a { margin-right: .5em; }
pre, code { font: .86em/1.45 ui-monospace, "DejaVu Sans Mono", Menlo, monospace; }
pre { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; }
.notebook .code_cell { margin: .6rem 0; } .notebook .highlight { background: none; }
.notebook .input_area { background: var(--ground); border-left: 3px solid var(--line); padding: .5rem .8rem; }
.notebook .output_wrapper { padding: .5rem 0 .2rem .9rem; overflow-x: auto; }
@media print { header { display: none; } article, figure, table { break-inside: avoid; } }
"""
