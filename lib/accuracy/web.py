"""Requests that carry a secret: no redirect, a deadline for all of it, nothing that a server said in any message."""

import threading
import time
from email.utils import parsedate_to_datetime
from http.client import HTTPException
from urllib import request
from urllib.error import HTTPError
from urllib.parse import urlsplit

PASSING = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})  # the same request may succeed later
_LOCAL = ("localhost", "127.0.0.1", "::1")
_CHUNK = 65_536
_MAX_BODY = 4_000_000  # bytes of an answer that are read


class Passing(Exception):
    """A failure that may not come again.

    Args:
        reason: for people, without anything that the server said.
        wait_s: seconds that the server asks to wait, if it does.
    """

    def __init__(self, reason: str, wait_s: float | None = None):
        super().__init__(reason)
        self.wait_s = wait_s


class _NoRedirect(request.HTTPRedirectHandler):
    """A redirect would carry the secret to another host."""

    def redirect_request(self, *args, **kwargs):
        return None


def keeps_secrets(url: str) -> bool:
    """Whether a secret may travel to an address: over https, or within this machine.

    >>> keeps_secrets("https://a.example/v1"), keeps_secrets("http://localhost:8000"), keeps_secrets("http://a.example")
    (True, True, False)
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return bool(parts.hostname) and (parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in _LOCAL))


def exchange(message: request.Request, timeout_s: float) -> tuple[int, bytes, float | None]:
    """Sends a request; gives up after the time allowed, however slowly the server drips.

    Returns:
        The status, the body (empty for an error), and the seconds that the server asks to wait, if it does.

    Raises:
        Passing: if there is no answer in time, or only a part of one.
    """
    outcome: list = []
    worker = threading.Thread(target=_send, args=(message, timeout_s, outcome), daemon=True)
    worker.start()
    worker.join(timeout_s)
    if not outcome or isinstance(outcome[0], TimeoutError):
        raise Passing(f"no answer within {timeout_s:g} s")
    if isinstance(outcome[0], BaseException):
        raise Passing(f"the connection failed ({type(outcome[0]).__name__})")
    return outcome[0]


def _send(message: request.Request, timeout_s: float, outcome: list) -> None:
    """Runs in a thread of its own; leaves the answer, or the error, in `outcome`."""
    try:
        with request.build_opener(_NoRedirect()).open(message, timeout=timeout_s) as answer:
            outcome.append((answer.status, _body(answer, timeout_s), None))
    except HTTPError as error:
        outcome.append((error.code, b"", _wait(error.headers.get("Retry-After"))))
        error.close()
    except (OSError, HTTPException, ValueError) as error:
        outcome.append(error)


def _body(answer, limit_s: float) -> bytes:
    """The body, up to a size and a time; http.client raises if it ends before its announced length."""
    parts, size, end = [], 0, time.monotonic() + limit_s
    while chunk := answer.read1(_CHUNK):
        parts.append(chunk)
        size += len(chunk)
        if size > _MAX_BODY:
            raise ValueError("too large")
        if time.monotonic() > end:
            raise TimeoutError
    if answer.length:
        raise ValueError("cut off")
    return b"".join(parts)


def _wait(text: str | None) -> float | None:
    """Seconds of a Retry-After header: a number, or a date."""
    if text is None:
        return None
    try:
        return max(0.0, float(text))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - time.time())
    except (ValueError, TypeError):
        return None
