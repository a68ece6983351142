"""The only door for writing files: whole or not at all, the same bytes for the same content."""

import errno
import fcntl
import hashlib
import json
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from lib.errors import CorpusError, RecordError


@contextmanager
def atomic_writer(path: Path, mode: str = "w") -> Iterator[IO]:
    """Opens a temporary file beside `path` that replaces it on success and vanishes on any error.

    Folders that had to be made for it vanish too, unless something else is in them by then.
    """
    path = Path(path)
    if path.is_dir():  # else it shows only when all is written
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    made = _make_folders(path.parent)
    text = {} if "b" in mode else {"encoding": "utf-8", "newline": "\n"}
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    try:
        os.chmod(name, 0o666 & ~_umask())
        with os.fdopen(descriptor, mode, **text) as handle:
            yield handle
            handle.flush()
            os.fsync(handle.fileno())
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        _remove_empty(made)
        raise


@contextmanager
def locked(path: Path, busy: Callable[[], None] = lambda: None) -> Iterator[int]:
    """Keeps other processes out: holds the lock of a file, and yields its descriptor.

    The file is made if absent, and stays. The kernel frees the lock of a process that ends, however it ends.

    Args:
        path: of the file; its folder is made if absent.
        busy: called before it waits for another process; may raise, so as not to wait.
    """
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            busy()
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield descriptor
    finally:
        os.close(descriptor)


def _make_folders(folder: Path) -> list[Path]:
    """Makes a folder and those above it; returns the new ones, the innermost first."""
    missing = [place for place in (folder, *folder.parents) if not place.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    return missing


def _remove_empty(folders: Iterable[Path]) -> None:
    for folder in folders:
        with suppress(OSError):  # something else is in it by now
            folder.rmdir()


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def dump_line(record: Any) -> str:
    """One JSONL line, keys in the order given, without escaping letters."""
    return json.dumps(record, ensure_ascii=False, allow_nan=False)


def write_text(path: Path, text: str) -> None:
    """Writes a text file atomically."""
    with atomic_writer(path) as handle:
        handle.write(text)


def write_json(path: Path, value: Any) -> None:
    """Writes indented JSON with sorted keys, atomically."""
    write_text(path, json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True, allow_nan=False) + "\n")


def write_jsonl(path: Path, records: Iterable[Any]) -> int:
    """Writes one JSON value a line, atomically; returns the number of lines."""
    count = 0
    with atomic_writer(path) as handle:
        for record in records:
            handle.write(dump_line(record) + "\n")
            count += 1
    return count


def read_text(path: Path) -> str:
    """Reads a UTF-8 text file, with or without a byte order mark.

    Raises:
        CorpusError: if the file is missing, unreadable or not UTF-8.
    """
    try:
        return Path(path).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise CorpusError(f"cannot read '{path}': {_reason(error, path)}") from error


def read_json(path: Path) -> Any:
    """Reads a JSON file; the error names file, line and column.

    Raises:
        CorpusError: if the file cannot be read or is not JSON.
    """
    try:
        return json.loads(read_text(path))
    except (json.JSONDecodeError, RecursionError) as error:
        raise CorpusError(f"'{path}' is not JSON: {error}") from error


def has_keys(path: Path, names: Iterable[str]) -> bool:
    """Whether a file holds a JSON object with these keys; False if it cannot be read."""
    try:
        value = read_json(path)
    except CorpusError:
        return False
    return isinstance(value, dict) and value.keys() >= set(names)


def read_jsonl(path: Path) -> Iterator[dict]:
    """Yields the objects of a JSONL file, one at a time.

    Raises:
        CorpusError: if the file cannot be read.
        RecordError: at the first line that is not a JSON object.
    """
    try:
        with open(path, encoding="utf-8-sig") as handle:
            for number, line in enumerate(handle):
                yield _object(Path(path).name, number, line)
    except (OSError, UnicodeDecodeError) as error:
        raise CorpusError(f"cannot read '{path}': {_reason(error, path)}") from error


def _object(file: str, number: int, line: str) -> dict:
    try:
        value = json.loads(line)
    except (json.JSONDecodeError, RecursionError) as error:
        reason = f"{error.msg}, column {error.colno}" if isinstance(error, json.JSONDecodeError) else error
        raise RecordError(file, number, f"not JSON ({reason})") from error
    if not isinstance(value, dict):
        raise RecordError(file, number, f"expected an object, found {type(value).__name__}")
    return value


def sha256(path: Path) -> str:
    """The SHA-256 of a file, as 64 hex digits."""
    with open(path, "rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def _reason(error: Exception, path: Path) -> str:
    if isinstance(error, UnicodeDecodeError):
        place = f" in line {_undecodable_line(path)}" if Path(path).is_file() else ""  # a pipe cannot be read again
        return f"not UTF-8{place} ({error.reason})"
    return error.strerror if isinstance(error, OSError) and error.strerror else str(error)


def _undecodable_line(path: Path) -> int:
    """The first line that is not UTF-8, from 1; an error while decoding piece by piece knows its piece only."""
    with open(path, "rb") as handle:
        return next((number for number, line in enumerate(handle, 1) if not _is_utf8(line)), 1)


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
