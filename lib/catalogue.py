"""The corpora that can be fetched, and how one is fetched, checked and put in its place."""

import fcntl
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from lib.archives import unpack
from lib.corpora import SOURCES, Corpus, open_corpus
from lib.download import Expected, check_address, download
from lib.errors import CorpusError, DownloadError
from lib.files import sha256, write_json
from lib.versions import JUNE_2020, Fingerprint, fingerprint

MANIFEST = "fetched.json"


@dataclass(frozen=True, slots=True)
class Entry:
    """One corpus that can be fetched."""

    name: str
    page: str  # official page, for people
    url: str  # official address of the archive
    size: int | None  # bytes of the archive; None: not known
    sha256: str | None  # of the archive; None: not known
    licence: str
    versions: dict[str, Fingerprint] | None  # what its examples must be, by source; None: anything


# Spider's page links one file on Google Drive (uploaded in September 2024) and gives no checksum. Size and SHA-256 are
# those that several independent projects recorded of that file. What counts is checked on top: the queries themselves.
SPIDER = Entry(
    name="spider",
    page="https://yale-lily.github.io/spider",
    url="https://drive.usercontent.google.com/download?id=1403EGqzIDoHMdQF4c9Bkyl7dZLZ5Wt6J&export=download&confirm=t",
    size=205_800_266,
    sha256="00636695dabed6b5f4b8328a16b13e069a2f16591d5efcce57660669c85b121b",
    licence="CC BY-SA 4.0 (https://creativecommons.org/licenses/by-sa/4.0/): Yu et al., Spider, EMNLP 2018",
    versions=JUNE_2020,
)
CATALOGUE = {entry.name: entry for entry in (SPIDER,)}


def fetch(entry: Entry, to: Path, source: str = "", progress: Callable | None = None) -> Corpus:
    """Fetches a corpus into a folder, which appears when all is well and not before.

    Args:
        entry: what to fetch, and what it must be.
        to: folder of the corpus; must not exist, be empty, or hold the corpus already.
        source: another address of the archive, or an archive on this machine; "" for the official address.
        progress: as for `download`.

    Raises:
        DownloadError: if the archive cannot be had or is not what it must be; says how to do it by hand.
        CorpusError: if the folder holds something else.
    """
    if to.exists() and (not to.is_dir() or any(to.iterdir())):
        return _already(entry, to)
    local = bool(source) and "://" not in source
    if not local:
        check_address(source or entry.url)
    print(f"{entry.name} has this licence: {entry.licence}; page: {entry.page}", file=sys.stderr)
    archive = Path(source).expanduser() if local else to.parent / f"{entry.name}.zip"
    to.parent.mkdir(parents=True, exist_ok=True)
    with _alone(to.parent):
        if local:
            _check_local(archive, entry)
        else:
            _download(entry, source or entry.url, archive, to, progress)
        try:
            _install(entry, archive, to, source or entry.url)
        except DownloadError:
            _drop(archive, local)
            raise
        _drop(archive, local)
    return open_corpus(str(to))


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Keeps a second fetch into the same place away; the lock goes with the process, whatever ends it."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError as error:
        raise DownloadError(f"another process is fetching into '{folder}': wait for it") from error
    finally:
        os.close(handle)


def _drop(archive: Path, local: bool) -> None:
    if not local:
        archive.unlink(missing_ok=True)


def _already(entry: Entry, to: Path) -> Corpus:
    try:
        corpus = open_corpus(str(to))
        fault = _fault(entry, corpus)
    except CorpusError as error:
        fault = str(error)
    if fault:
        raise CorpusError(
            f"'{to}' is there and is not {entry.name} ({fault}): remove it, or give another folder with --to"
        )
    return corpus


def _check_local(archive: Path, entry: Entry) -> None:
    if not archive.is_file():
        raise DownloadError(f"no archive at '{archive}'")
    if entry.size is not None and archive.stat().st_size != entry.size:
        raise DownloadError(f"'{archive}' has {archive.stat().st_size:,} bytes, expected {entry.size:,}")
    if entry.sha256 is not None and sha256(archive) != entry.sha256:
        raise DownloadError(f"the sha256 of '{archive}' is {sha256(archive)}, expected {entry.sha256}")


def _download(entry: Entry, url: str, archive: Path, to: Path, progress: Callable | None) -> None:
    if archive.is_file() and entry.sha256 is not None and sha256(archive) == entry.sha256:
        return  # whole, of a fetch that was stopped while unpacking
    try:
        download(url, archive, Expected(entry.size, entry.sha256, b"PK"), progress=progress)
    except DownloadError as error:
        raise DownloadError(
            f"{error}. By hand: open {entry.page} or {entry.url} in a browser, then run 'spidercompose fetch "
            f"{entry.name} --source FILE.zip'; or unpack the file so that '{to}' holds tables.json and dev.json"
        ) from error


def _install(entry: Entry, archive: Path, to: Path, url: str) -> None:
    """Unpacks beside the target, checks, then renames: the target is whole or absent."""
    temporary = to.parent / f".{to.name}.unpacking"
    shutil.rmtree(temporary, ignore_errors=True)  # of a fetch that was killed
    try:
        files = unpack(archive, temporary)
        root = _root(temporary, archive)
        corpus = open_corpus(str(root))
        fault = _fault(entry, corpus)
        if fault:
            raise DownloadError(f"'{archive.name}' is not what was expected: {fault}; nothing was installed")
        counts = {source: sum(1 for _ in corpus.examples(source)) for source in SOURCES}
        facts = {"url": url, "size": archive.stat().st_size, "sha256": sha256(archive), "licence": entry.licence}
        write_json(root / MANIFEST, facts | {"files": files, "examples": counts})
        if to.exists():
            to.rmdir()
        root.rename(to)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _root(folder: Path, archive: Path) -> Path:
    """The folder in the archive that holds the corpus."""
    roots = sorted(path.parent for path in folder.rglob("tables.json") if (path.parent / "dev.json").is_file())
    if not roots:
        raise DownloadError(f"'{archive.name}' holds no folder with tables.json and dev.json; nothing was installed")
    return min(roots, key=lambda path: len(path.parts))


def _fault(entry: Entry, corpus: Corpus) -> str:
    """How the examples differ from what the entry wants; "" if they do not."""
    for source, wanted in (entry.versions or {}).items():
        found = fingerprint(corpus.examples(source))
        if found != wanted:
            return f"its {source} queries are not those of the expected version ({found.count:,} examples)"
    return ""


def with_source(entry: Entry, size: int | None, digest: str | None, any_version: bool, elsewhere: bool) -> Entry:
    """An entry with what the user knows better; the official size and digest do not hold for another address."""
    changed = replace(entry, versions=None) if any_version else entry
    if elsewhere or size is not None or digest is not None:
        changed = replace(changed, size=size, sha256=digest)
    return changed
