"""Unpacking a ZIP archive that came from elsewhere: nothing outside the folder, no links, no bombs."""

import shutil
import stat
import zipfile
import zlib
from pathlib import Path, PurePosixPath

from lib.download import NO_ROOM, check_room
from lib.errors import DownloadError

MOST_FILES = 100_000
LARGEST = 8 << 30  # bytes, unpacked
HIGHEST_RATIO = 200  # unpacked to packed bytes; databases reach 20 or so
_RATIO_FREE = 1 << 20  # bytes that are never a bomb
_NOISE = ("__MACOSX", ".DS_Store")  # what macOS adds


def unpack(archive: Path, folder: Path) -> int:
    """Unpacks an archive into a folder; returns the number of files.

    Args:
        archive: a ZIP file.
        folder: where to; made if need be. On an error it may hold some of the files: give a temporary one.

    Raises:
        DownloadError: if it is no ZIP archive, is damaged, does not fit, or holds anything that is not a plain file
            inside the folder.
    """
    try:
        with zipfile.ZipFile(archive) as source:
            entries = [entry for entry in source.infolist() if not _is_noise(entry)]
            _check(entries, archive)
            check_room(folder.parent, sum(entry.file_size for entry in entries), f"what '{archive.name}' holds")
            for entry in entries:
                _write(source, entry, folder)
            return len(entries)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise DownloadError(f"'{archive}' is no sound ZIP archive: {error}") from error
    except OSError as error:
        if error.errno not in NO_ROOM:
            raise
        raise DownloadError(f"no room to unpack '{archive.name}' into '{folder.parent}': nothing was kept") from error


def _is_noise(entry: zipfile.ZipInfo) -> bool:
    return entry.is_dir() or any(part in _NOISE for part in PurePosixPath(entry.filename).parts)


def _check(entries: list[zipfile.ZipInfo], archive: Path) -> None:
    """Refuses an archive before anything is written."""
    total = sum(entry.file_size for entry in entries)
    if len(entries) > MOST_FILES or total > LARGEST:
        raise DownloadError(f"'{archive}' holds {len(entries):,} files of {total:,} bytes: refused")
    if total > max(_RATIO_FREE, HIGHEST_RATIO * archive.stat().st_size):
        raise DownloadError(f"'{archive}' would grow to {total:,} bytes, over {HIGHEST_RATIO} times its size: refused")
    seen = set()
    for entry in entries:
        name = entry.filename
        if _leads_out(name) or name in seen:
            raise DownloadError(
                f"'{archive}' holds {name!r:.80}, which leads out of the folder or is there twice: refused"
            )
        if entry.flag_bits & 1 or not _is_plain(entry):
            raise DownloadError(f"'{archive}' holds {name!r:.80}, which is a link, special or encrypted: refused")
        seen.add(name)


def _leads_out(name: str) -> bool:
    path = PurePosixPath(name)
    return path.is_absolute() or ".." in path.parts or "\\" in name or ":" in name or not path.parts


def _is_plain(entry: zipfile.ZipInfo) -> bool:
    kind = stat.S_IFMT(entry.external_attr >> 16)
    return kind in (0, stat.S_IFREG)


def _write(source: zipfile.ZipFile, entry: zipfile.ZipInfo, folder: Path) -> None:
    target = folder / entry.filename
    target.parent.mkdir(parents=True, exist_ok=True)
    with source.open(entry) as packed, open(target, "xb") as handle:
        shutil.copyfileobj(packed, handle, 1 << 20)
