"""Where things are: the only module that knows the layout of the repository."""

import os
from pathlib import Path

from lib.errors import CorpusError

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT / "data"
BUILTIN = DATA / "builtin"  # our own corpus, in Spider's format
RAW = DATA / "raw"  # downloads; never committed, never changed
SPLITS = DATA / "splits"  # id lists
RESULTS = DATA / "results"  # CSV and manifests that tables and figures are made from
FIGURES = ROOT / "figures"
NOTEBOOKS = ROOT / "notebooks"
STUDIES = NOTEBOOKS / "studies"
RUNS = ROOT / "runs"  # trained models; never committed
BUILD = ROOT / "build"  # datasets and executed notebooks of studies; never committed
SCRATCH = BUILD / "scratch"  # tables and figures of notebooks run by hand
SITE = ROOT / "site"  # the HTML report; never committed


def corpus_dir(name: str) -> Path:
    """The folder of a corpus: `builtin`, `spider` (SPIDER_HOME, else the fetched copy), or a path.

    Raises:
        CorpusError: if there is no such folder; says how to get one.
    """
    if name == "builtin":
        return BUILTIN
    if name == "spider":
        return _spider_dir()
    folder = Path(os.path.expanduser(name))  # unlike Path.expanduser, leaves an unknown user as it is
    if not folder.is_dir():
        raise CorpusError(f"no corpus folder at '{name}': give 'builtin', 'spider' or a folder in Spider's format")
    return folder


def _spider_dir() -> Path:
    home = os.environ.get("SPIDER_HOME")
    folder = Path(home).expanduser() if home else RAW / "spider"
    if folder.is_dir():
        return folder
    source = (
        f"SPIDER_HOME names '{home}', which is no folder" if home else "SPIDER_HOME is not set and nothing was fetched"
    )
    raise CorpusError(f"Spider is not here: {source}. Run 'spidercompose fetch spider', or set SPIDER_HOME")
