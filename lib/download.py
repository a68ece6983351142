"""One file over HTTP: resumable, checked, whole or not at all.

`requests` carries it (it comes with the notebook packages): proxies, certificates, redirects and short bodies are its
daily work. What it does not know is here: going on after an interruption only if the file on the server is the same.
"""

import errno
import fcntl
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from lib.errors import DownloadError, ParameterError
from lib.files import read_json, sha256, write_json

CHUNK = 1 << 20  # bytes
LARGEST = 4 << 30  # bytes; more is refused where no size is known
TIMEOUT = (15, 60)  # seconds to connect, and between two packets
PASSING = {408, 425, 429, 500, 502, 503, 504}  # HTTP codes that may be others a little later
NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
LONGEST_WAIT = 60  # seconds, whatever the server asks for


@dataclass(frozen=True, slots=True)
class Expected:
    """What a file must be; None where it is not known."""

    size: int | None = None  # bytes
    sha256: str | None = None  # 64 hex digits
    start: bytes = b""  # its first bytes


class _Interrupted(Exception):
    """The transfer stopped; trying again may help."""

    def __init__(self, reason: str, wait: float = 0.0):
        super().__init__(reason)
        self.wait = wait  # seconds that the server asks for


class _Changed(Exception):
    """The file on the server is not the one of which we have a part."""


def download(
    url: str,
    path: Path,
    expected: Expected | None = None,
    attempts: int = 4,
    pause: float = 1.0,
    progress: Callable[[Iterable[bytes], str, int | None], Iterable[bytes]] | None = None,
) -> None:
    """Fetches `url` to `path`; an interrupted download goes on where it stopped, in this call or a later one.

    Args:
        url: http or https.
        path: the file to make; until it is whole and checked, `path` + `.part` holds what has come.
        expected: what it must be.
        attempts: how often in a row nothing may arrive.
        pause: seconds before the second attempt; doubles with each.
        progress: passes chunks of a mebibyte on and shows how many went by, such as `lib.progress.progress`.

    Raises:
        ParameterError: if the address is not http or https.
        DownloadError: if the file cannot be had, or is not what was expected.
    """
    check_address(url)
    path.parent.mkdir(parents=True, exist_ok=True)
    part = _Part(path, url, expected or Expected())
    try:
        with open(part.path, "ab") as handle:
            _lock(handle, part.path)
            _fill(part, handle, attempts, pause, progress)
            part.path.replace(path)
            part.note.unlink(missing_ok=True)
    except OSError as error:
        if error.errno not in NO_ROOM:
            raise
        part.remove()
        raise DownloadError(f"no room for '{path}' on its disk ({error.strerror}): nothing was kept") from error
    except DownloadError:
        if part.path.exists() and not part.size():
            part.remove()
        raise


def check_address(url: str) -> None:
    """Refuses what is no address on the web.

    Raises:
        ParameterError: if it is neither http nor https.
    """
    if not url.startswith(("http://", "https://")):
        raise ParameterError(f"'{url}' is no address that can be fetched: it must start with http:// or https://")


def _fill(part: "_Part", handle: IO[bytes], attempts: int, pause: float, progress: Callable | None) -> None:
    """Brings in the whole file and checks it."""
    resumed = part.size() > 0
    _transfer(part, handle, attempts, pause, progress)
    if resumed and part.fault():  # what lay there may be to blame
        part.forget(handle)
        _transfer(part, handle, attempts, pause, progress)
    fault = part.fault()
    if fault:
        part.remove()
        raise DownloadError(f"{part.url}: {fault}; nothing was kept")


def _lock(handle: IO[bytes], path: Path) -> None:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise DownloadError(f"another process is fetching to '{path}': wait for it") from error


class _Part:
    """What has come so far, and of which file on the server it is a part."""

    def __init__(self, path: Path, url: str, expected: Expected):
        self.path, self.url, self.expected = path.with_name(path.name + ".part"), url, expected
        self.note = path.with_name(path.name + ".part.json")

    def size(self) -> int:
        return self.path.stat().st_size if self.path.exists() else 0

    def headers(self) -> dict[str, str]:
        """The request for what is missing; for all of it if nobody can tell whether the part still fits."""
        have, known = self.size(), self._known()
        headers = {"Accept-Encoding": "identity", "User-Agent": "spidercompose"}
        if not have or known.get("url") != self.url:
            return headers
        if known.get("validator"):
            return headers | {"Range": f"bytes={have}-", "If-Range": known["validator"]}
        return headers | {"Range": f"bytes={have}-"} if self.expected.sha256 else headers

    def begin(self, response: Any, handle: IO[bytes]) -> int | None:
        """Notes which file is coming, makes the part fit it, and returns the size of the whole, if told."""
        validator = _validator(response)
        if response.status_code == 206:
            start, total = _content_range(response)
            known = self._known().get("validator")
            if start != self.size() or (known and validator and known != validator):
                raise _Changed
            return total
        self.forget(handle)
        write_json(self.note, {"url": self.url, "validator": validator})
        length = response.headers.get("Content-Length", "")
        return int(length) if length.isdigit() else None

    def fault(self) -> str:
        """What is wrong with the whole file; "" if nothing is."""
        expected, size = self.expected, self.size()
        if expected.size is not None and size != expected.size:
            return f"{size:,} bytes arrived, expected {expected.size:,}"
        with open(self.path, "rb") as handle:
            start = handle.read(len(expected.start))
        if start != expected.start:
            return f"what arrived does not start like the file: {start!r}"
        if expected.sha256 is None:
            return ""
        found = sha256(self.path)
        return "" if found == expected.sha256 else f"its sha256 is {found}, expected {expected.sha256}"

    def forget(self, handle: IO[bytes]) -> None:
        handle.truncate(0)
        self.note.unlink(missing_ok=True)

    def remove(self) -> None:
        self.path.unlink(missing_ok=True)
        self.note.unlink(missing_ok=True)

    def _known(self) -> dict:
        try:
            known = read_json(self.note)
        except Exception:  # absent, or damaged by a crash: then the part counts as unknown
            return {}
        return known if isinstance(known, dict) else {}


def _validator(response: Any) -> str:
    """What tells this file from a later one at the same address; only a strong ETag or a date may be used."""
    tag = response.headers.get("ETag", "")
    return tag if tag and not tag.startswith("W/") else response.headers.get("Last-Modified", "")


def _content_range(response: Any) -> tuple[int, int | None]:
    """First byte and size of the whole of a partial answer."""
    unit, _, rest = response.headers.get("Content-Range", "").partition(" ")
    span, _, total = rest.partition("/")
    start = span.partition("-")[0]
    if unit != "bytes" or not start.isdigit():
        raise _Changed
    return int(start), int(total) if total.isdigit() else None


def _transfer(part: _Part, handle: IO[bytes], attempts: int, pause: float, progress: Callable | None) -> None:
    """Asks until the whole file has come; an attempt that brought the file further than ever before is free."""
    failures, furthest = 0, part.size()
    while True:
        try:
            _receive(part, handle, progress)
            return
        except _Changed:
            part.forget(handle)
            reason, wait = "the file changed on the server, beginning again", 0.0
        except _Interrupted as error:
            reason, wait = str(error), error.wait
        failures = 1 if part.size() > furthest else failures + 1
        furthest = max(furthest, part.size())
        if failures >= attempts:
            kept = "; what has come is kept, the same command goes on" if part.size() else ""
            raise DownloadError(f"cannot fetch {part.url}: {reason}{kept}")
        wait = min(LONGEST_WAIT, max(wait, pause * 2 ** (failures - 1)))
        print(f"{reason}; next attempt in {wait:g} s", file=sys.stderr)
        time.sleep(wait)


def _receive(part: _Part, handle: IO[bytes], progress: Callable | None) -> None:
    """One request."""
    import requests

    try:
        with requests.get(part.url, headers=part.headers(), stream=True, timeout=TIMEOUT) as response:
            if _is_whole(response, part):
                return
            _check_answer(response, part.url)
            total = part.begin(response, handle)
            _check_room(part, total)
            for chunk in _shown(_chunks(response), part, total, progress):
                handle.write(chunk)
                if handle.tell() > (part.expected.size or LARGEST):
                    raise DownloadError(f"{part.url} sends more than {part.expected.size or LARGEST:,} bytes: stopped")
            handle.flush()
            if total is not None and part.size() < total:
                raise _Interrupted(f"the connection closed after {part.size():,} of {total:,} bytes")
    except requests.exceptions.InvalidURL as error:
        raise ParameterError(f"'{part.url}' is no address: {error}") from error
    except requests.exceptions.RequestException as error:
        handle.flush()
        raise _Interrupted(f"no connection ({_cause(error)})") from error


def _is_whole(response: Any, part: _Part) -> bool:
    """Whether the server says that nothing is missing."""
    if response.status_code != 416:
        return False
    if response.headers.get("Content-Range", "") == f"bytes */{part.size()}":
        return True
    raise _Changed


def _check_answer(response: Any, url: str) -> None:
    code, reason = response.status_code, f"{response.status_code} {response.reason}"
    if code in PASSING:
        after = response.headers.get("Retry-After", "")
        raise _Interrupted(f"the server answers {reason}", float(after) if after.isdigit() else 0.0)
    if code not in (200, 206):
        raise DownloadError(f"cannot fetch {url}: the server answers {reason}")
    if response.headers.get("Content-Type", "").lower().startswith("text/html"):
        raise DownloadError(
            f"{url} sends a web page instead of the file, as Google Drive does when too many people fetch a file: "
            "try again later, or fetch it with a browser"
        )


def _check_room(part: _Part, total: int | None) -> None:
    size = part.expected.size
    if size is not None and total is not None and total != size:
        raise DownloadError(f"{part.url} offers {total:,} bytes, expected {size:,}: it is another file")
    if total is not None and total > LARGEST:
        raise DownloadError(f"{part.url} offers {total:,} bytes, more than {LARGEST:,}: refused")
    check_room(part.path.parent, (total or size or 0) - part.size(), part.url)


def check_room(folder: Path, needed: int, what: str) -> None:
    """Refuses early what cannot be stored.

    Raises:
        DownloadError: if the disk of `folder` has less than `needed` bytes left.
    """
    free = shutil.disk_usage(folder).free
    if needed > free:
        raise DownloadError(f"no room for {what}: {needed:,} bytes are needed, '{folder}' has {free:,} left")


def _chunks(response: Any) -> Iterator[bytes]:
    yield from response.iter_content(CHUNK)


def _shown(chunks: Iterable[bytes], part: _Part, total: int | None, progress: Callable | None) -> Iterable[bytes]:
    missing = None if total is None else -(-(total - part.size()) // CHUNK)
    return progress(chunks, "MiB", missing) if progress else chunks


def _cause(error: BaseException) -> str:
    """The innermost reason of a chain of network errors, without addresses of objects."""
    text = str(error)
    while getattr(error, "reason", None) or getattr(error, "args", None):
        inner = getattr(error, "reason", None) or next((a for a in error.args if isinstance(a, BaseException)), None)
        if not isinstance(inner, BaseException):
            break
        error, text = inner, str(inner) or text
    return text.rpartition(">: ")[2] or type(error).__name__
