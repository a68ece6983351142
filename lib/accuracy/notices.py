"""What a run tells people elsewhere: a short message to a chat's webhook, and one comment on a pull request.

The webhook's address is a secret, as the token is: both come from the environment and are in no message and no error.
"""

import json
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from html import escape
from http.client import responses
from urllib import request

from lib.accuracy.rendering import HEALTH
from lib.accuracy.web import PASSING, Passing, exchange, keeps_secrets
from lib.errors import ParameterError, ServiceError

GITHUB = "https://api.github.com"
MARK = "<!-- spidercompose: sql-accuracy -->"  # the first line of our comment, by which it is found again
_TIMEOUT = 20.0  # seconds for one request
_TRIES = 4
_LONGEST = 30.0  # seconds between two tries
_PAGE = 100  # comments a request
_MAX_PAGES = 30
_MAX_COMMENT = 60_000  # characters; the service takes 65,536
_REPOSITORY = re.compile(r"[\w.-]+/[\w.-]+")


def short_message(figures: Mapping, link: str = "") -> str:
    """A run in a few lines for a chat, with the characters escaped that chats read as commands.

    Args:
        figures: of `summary.json`.
        link: where to read more.
    """
    rate = figures["rates"][figures["mode"]]
    low, high = (f"{100 * rate[end]:.1f}" for end in ("low", "high"))
    share = f"{figures['accuracy_percent']:.1f} % (95 % interval {low} to {high} %)"
    lines = [f"SQL accuracy ({figures['mode']}): {rate['right']} of {rate['total']} right, {share}"]
    if figures["gate"] is not None:
        reasons = "; ".join(figures["gate"]["reasons"])
        lines.append("Gate: passed" if figures["gate"]["passed"] else f"Gate: not passed: {reasons}")
    health = [f"{HEALTH[name]}: {found['count']}" for name, found in figures["health"].items()]
    lines += [f"Golden suite: {', '.join(health)}"] if health else []
    return escape("\n".join([*lines, *([link] if link else [])]), quote=False)


@dataclass(frozen=True, slots=True)
class Webhook:
    """A chat's address for messages, such as Slack's."""

    url: str = field(repr=False)
    sleep: Callable[[float], None] = time.sleep

    def __post_init__(self):
        if not keeps_secrets(self.url):
            raise ParameterError("the webhook's address must be like https://host/...; it is not shown, being a secret")

    def post(self, text: str) -> None:
        """Sends a message.

        Raises:
            ServiceError: if the service does not take it.
        """
        _send("the webhook", _request("POST", self.url, {"text": text}), self.sleep)


@dataclass(frozen=True, slots=True)
class PullRequest:
    """A pull request on GitHub, on which one comment is kept up to date."""

    repository: str  # owner/name
    number: int
    token: str = field(repr=False)  # may write to pull requests
    api: str = GITHUB
    sleep: Callable[[float], None] = time.sleep

    def __post_init__(self):
        if not _REPOSITORY.fullmatch(self.repository):
            raise ParameterError(f"the repository is owner/name, not '{self.repository}': set GITHUB_REPOSITORY")
        if self.number < 1:
            raise ParameterError(f"the number of a pull request is above 0, not {self.number}")
        if not self.token:
            raise ParameterError("no token: set GITHUB_TOKEN, with the right to write to pull requests")
        if not keeps_secrets(self.api):
            raise ParameterError(f"the API must be reached over https, or the token travels in the clear: {self.api}")

    def comment(self, markdown: str) -> bool:
        """Writes our comment, or writes it anew; returns whether there was one.

        Raises:
            ServiceError: if the service refuses.
        """
        if len(markdown) > _MAX_COMMENT:
            markdown = f"{markdown[:_MAX_COMMENT]}\n\n(cut: {len(markdown)} characters)"
        body = {"body": f"{MARK}\n{markdown}"}
        known = self._ours()
        if known is None:
            self._call("POST", f"issues/{self.number}/comments", body)
        else:
            self._call("PATCH", f"issues/comments/{known}", body)
        return known is not None

    def _ours(self) -> int | None:
        """The comment that we wrote before. People can write the mark too, so the author must be a program."""
        for page in range(1, _MAX_PAGES + 1):
            found = self._call("GET", f"issues/{self.number}/comments?per_page={_PAGE}&page={page}")
            try:
                for item in found:
                    if item["body"].startswith(MARK) and item["user"]["type"] == "Bot":
                        return int(item["id"])
                if len(found) < _PAGE:
                    return None
            except (KeyError, TypeError, ValueError, AttributeError):
                raise ServiceError("GitHub: the list of comments is not what it should be") from None
        return None

    def _call(self, method: str, path: str, payload: dict | None = None):
        url = f"{self.api.rstrip('/')}/repos/{self.repository}/{path}"
        headers = {"Authorization": f"Bearer {self.token}", "Accept": "application/vnd.github+json"}
        answer = _send("GitHub", _request(method, url, payload, headers), self.sleep)
        try:
            return json.loads(answer)
        except (ValueError, RecursionError):
            raise ServiceError("GitHub: the answer is not JSON") from None


def _request(method: str, url: str, payload: dict | None, headers: Mapping[str, str] | None = None) -> request.Request:
    data = None if payload is None else json.dumps(payload).encode()
    kind = {"Content-Type": "application/json"} if data is not None else {}
    return request.Request(url, data, {"User-Agent": "spidercompose", **kind, **(headers or {})}, method=method)


def _send(name: str, message: request.Request, sleep: Callable[[float], None]) -> bytes:
    """The body of the answer; tries again after failures that may pass."""
    reason = ""
    for attempt in range(_TRIES):
        wait = None
        try:
            status, body, wait = exchange(message, _TIMEOUT)
        except Passing as failure:
            reason = str(failure)
        else:
            if 200 <= status < 300:
                return body
            reason = f"HTTP {status} {responses.get(status, '')}".strip()
            if status not in PASSING:
                raise ServiceError(f"{name}: {reason}: check its address or token, and what it may do")
        if attempt < _TRIES - 1:
            sleep(min(2.0**attempt if wait is None else wait, _LONGEST))
    raise ServiceError(f"{name}: no success in {_TRIES} tries: {reason}")
