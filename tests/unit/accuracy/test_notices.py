"""Messages to a webhook and the comment on a pull request, over real HTTP against a server that behaves as told."""

import json
import os
import subprocess
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import yaml

from lib.accuracy.notices import MARK, PullRequest, Webhook, short_message
from lib.cli import main
from lib.errors import ParameterError, ServiceError
from lib.paths import ROOT
from tests.unit.accuracy.conftest import running

SECRET = "hush-3f9"


class Forge(ThreadingHTTPServer):
    """A webhook under /hook/..., and the comments of one pull request as GitHub's API has them."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.comments: list[dict] = []
        self.posted: list[dict] = []
        self.tokens: list[str | None] = []
        self.statuses: list[int] = []  # of the next answers, before all is well again


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        page = int(self.path.rpartition("page=")[2])
        self.answer(200, self.server.comments[100 * (page - 1) : 100 * page])

    def do_POST(self):
        payload = self.payload()
        if self.path.startswith("/hook/"):
            self.server.posted.append(payload)
            self.answer(200, "ok")
            return
        comment = {"id": 7, "user": {"type": "Bot"}, **payload}
        self.server.comments.append(comment)
        self.answer(201, comment)

    def do_PATCH(self):
        number = int(self.path.rpartition("/")[2])
        (comment,) = [item for item in self.server.comments if item["id"] == number]
        comment.update(self.payload())
        self.answer(200, comment)

    def payload(self) -> dict:
        return json.loads(self.rfile.read(int(self.headers["Content-Length"])))

    def answer(self, status, value):
        self.server.tokens.append(self.headers.get("Authorization"))
        if self.server.statuses:
            status, value = self.server.statuses.pop(0), {"message": f"bad {SECRET}"}
        body = json.dumps(value).encode()
        self.send_response(status)
        if status in (301, 302):
            self.send_header("Location", f"{self.server.url}/hook/elsewhere")
        if status == 429:
            self.send_header("Retry-After", "3")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


@pytest.fixture
def forge():
    yield from running(Forge())


def figures(**changes) -> dict:
    rates = {"exact": {"right": 41, "total": 50, "low": 0.692, "high": 0.902}}
    return {"mode": "exact", "accuracy_percent": 82.0, "rates": rates, "gate": None, "health": {}, **changes}


@pytest.mark.parametrize(
    ("changes", "link", "wanted"),
    [
        ({}, "", "SQL accuracy (exact): 41 of 50 right, 82.0 % (95 % interval 69.2 to 90.2 %)"),
        ({"gate": {"passed": True, "reasons": []}}, "", "\nGate: passed"),
        ({"gate": {"passed": False, "reasons": ["a <!channel> & b"]}}, "", "not passed: a &lt;!channel&gt; &amp; b"),
        ({"health": {"vacuous": {"count": 3, "ids": ["Q1"]}}}, "", "\nGolden suite: golden result is empty: 3"),
        ({}, "https://a.example/1", "\nhttps://a.example/1"),
    ],
)
def test_the_message_is_short_and_gives_no_command(changes, link, wanted):
    assert wanted in short_message(figures(**changes), link)


def test_a_webhook_gets_the_text(forge):
    Webhook(f"{forge.url}/hook/{SECRET}").post("hello")
    assert forge.posted == [{"text": "hello"}]


def test_failures_that_may_pass_are_tried_again(forge):
    forge.statuses, waits = [503, 429], []
    Webhook(f"{forge.url}/hook/{SECRET}", waits.append).post("hello")
    assert waits == [1.0, 3.0]  # our own pause, then the one that the server asks for


@pytest.mark.parametrize(
    ("statuses", "message"), [([404], "HTTP 404 Not Found"), ([302], "HTTP 302"), ([500] * 4, "in 4 tries: HTTP 500")]
)
def test_errors_of_a_webhook_hide_its_address(forge, statuses, message):
    forge.statuses = [*statuses]
    hook = Webhook(f"{forge.url}/hook/{SECRET}", lambda seconds: None)
    with pytest.raises(ServiceError, match=message) as error:
        hook.post("hello")
    assert SECRET not in str(error.value) + repr(hook)
    assert len(forge.posted) == len(statuses)  # no redirect was followed


@pytest.mark.parametrize("address", [f"http://a.example/{SECRET}", f"ftp://a.example/{SECRET}", SECRET, "https://["])
def test_an_address_in_the_clear_is_refused_and_not_shown(address):
    with pytest.raises(ParameterError) as error:
        Webhook(address)
    assert SECRET not in str(error.value)


def test_one_comment_is_kept_up_to_date(forge):
    forge.comments = [{"id": number, "body": "people talk", "user": {"type": "User"}} for number in range(100, 230)]
    forge.comments.append({"id": 230, "body": f"{MARK} not by a program", "user": {"type": "User"}})
    request = PullRequest("me/shop", 12, SECRET, forge.url)
    assert not request.comment("first")
    assert request.comment("second")
    assert len(forge.comments) == 132
    assert [item["body"] for item in forge.comments if item["id"] == 7] == [f"{MARK}\nsecond"]
    assert forge.comments[130]["body"].endswith("not by a program")
    assert set(forge.tokens) == {f"Bearer {SECRET}"}


def test_a_comment_is_no_longer_than_the_service_takes(forge):
    PullRequest("me/shop", 12, SECRET, forge.url).comment("x" * 100_000)
    assert len(forge.comments[0]["body"]) < 65_536
    assert forge.comments[0]["body"].endswith("(cut: 100000 characters)")


def test_a_refusal_is_said_without_the_token(forge):
    forge.statuses = [403]
    request = PullRequest("me/shop", 12, SECRET, forge.url)
    with pytest.raises(ServiceError, match="GitHub: HTTP 403 Forbidden") as error:
        request.comment("text")
    assert SECRET not in str(error.value) + repr(request)


@pytest.mark.parametrize("comments", [{"message": "no list"}, [1], [{"id": 1}]])
def test_answers_of_another_form_are_said(forge, comments, monkeypatch):
    monkeypatch.setattr(_Handler, "do_GET", lambda handler: handler.answer(200, comments))
    with pytest.raises(ServiceError, match="not what it should be"):
        PullRequest("me/shop", 12, SECRET, forge.url).comment("text")


@pytest.mark.parametrize(
    ("repository", "number", "token", "api"),
    [("shop", 1, "t", "https://a.example"), ("me/shop", 0, "t", "https://a.example"),
     ("me/shop", 1, "", "https://a.example"), ("me/shop", 1, "t", "http://a.example")],
)  # fmt: skip
def test_wrong_targets(repository, number, token, api):
    with pytest.raises(ParameterError):
        PullRequest(repository, number, token, api)


@pytest.fixture
def run(tmp_path) -> Path:
    (tmp_path / "summary.json").write_text(json.dumps(figures()))
    (tmp_path / "summary.md").write_text("## SQL accuracy\n")
    return tmp_path


def test_the_command_tells_both(forge, run, monkeypatch, capsys):
    for name, value in (("GITHUB_API_URL", forge.url), ("GITHUB_REPOSITORY", "me/shop"), ("GITHUB_TOKEN", SECRET),
                        ("HOOK", f"{forge.url}/hook/{SECRET}")):  # fmt: skip
        monkeypatch.setenv(name, value)
    options = ["--run", str(run), "--webhook-env", "HOOK", "--pull-request", "12"]
    assert main(["accuracy", "notify", *options]) == 0
    assert main(["accuracy", "notify", *options]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "pull request 12: comment written", "webhook: sent", "pull request 12: comment updated", "webhook: sent",
    ]  # fmt: skip
    assert len(forge.posted) == 2
    assert len(forge.comments) == 1


def test_without_a_webhook_nothing_is_sent(run, monkeypatch, capsys):
    monkeypatch.setenv("HOOK", "")
    assert main(["accuracy", "notify", "--run", str(run), "--webhook-env", "HOOK"]) == 0
    assert capsys.readouterr().out == "webhook: none (HOOK is empty)\n"


@pytest.mark.parametrize(
    ("options", "code"),
    [([], 2), (["--pull-request", "12"], 2), (["--webhook-env", "HOOK", "--run", "nowhere"], 3)],
    ids=["nowhere to", "no token", "no run"],
)
def test_exit_codes(options, code, run, monkeypatch):
    for name in ("GITHUB_TOKEN", "GITHUB_REPOSITORY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOOK", "http://localhost:1/")
    assert main(["accuracy", "notify", "--run", str(run), *options]) == code


WORKFLOW = yaml.safe_load((ROOT / ".github/workflows/sql-accuracy.yml").read_text())


def step(job: str, name: str) -> dict:
    (found,) = [item for item in WORKFLOW["jobs"][job]["steps"] if item.get("name") == name]
    return found


def test_only_the_reporting_job_may_write_and_holds_a_secret():
    assert WORKFLOW["permissions"] == {"contents": "read"}
    assert "permissions" not in WORKFLOW["jobs"]["gate"]
    assert WORKFLOW["jobs"]["report"]["permissions"] == {"contents": "read", "pull-requests": "write"}
    assert "secrets." not in json.dumps(WORKFLOW["jobs"]["gate"])
    assert not [
        item["run"] for job in WORKFLOW["jobs"].values() for item in job["steps"] if "${{" in item.get("run", "")
    ]


@pytest.mark.parametrize(("least", "code"), [("100", 0), ("101", 2)])
def test_the_workflow_s_gate_runs(least, code, tmp_path):
    """The steps as they stand, in a folder with what they need."""
    for name in ("data", ".venv", "lib"):
        (tmp_path / name).symlink_to(ROOT / name if name != ".venv" else Path(sys.prefix))
    environment = {**os.environ, **WORKFLOW["env"], "MIN_ACCURACY": least, "GITHUB_STEP_SUMMARY": f"{tmp_path}/summary"}
    done = _bash(step("gate", "Gate")["run"], tmp_path, environment)
    assert done.returncode == code, done.stderr
    assert _bash(step("gate", "Summary")["run"], tmp_path, environment).returncode == 0
    assert (tmp_path / "summary").exists() == (code == 0)
    if code == 0:
        assert "Gate: passed" in (tmp_path / "summary").read_text()


def test_the_workflow_s_report_runs_with_python_alone(forge, run):
    (run / "run").symlink_to(run)
    (run / "lib").symlink_to(ROOT / "lib")
    (run / "python").write_text(f'#!/bin/sh\nexec {sys.executable} -S "$@"\n')  # -S: no installed package
    (run / "python").chmod(0o755)
    environment = {"PATH": f"{run}:{os.environ['PATH']}", "GITHUB_API_URL": forge.url, "GITHUB_REPOSITORY": "me/shop"}
    given = {"GITHUB_TOKEN": SECRET, "SQL_ACCURACY_WEBHOOK": f"{forge.url}/hook/{SECRET}", "PULL_REQUEST": "12",
             "LINK": "https://a.example/12"}  # fmt: skip
    report = step("report", "Report")
    assert given.keys() == report["env"].keys()
    done = _bash(report["run"], run, environment | given)
    assert done.returncode == 0, done.stderr
    assert SECRET not in done.stdout + done.stderr
    assert forge.posted[0]["text"].endswith("\nhttps://a.example/12")
    assert forge.comments[0]["body"] == f"{MARK}\n## SQL accuracy\n"


def _bash(script: str, folder: Path, environment: dict) -> subprocess.CompletedProcess:
    return subprocess.run(["bash", "-eo", "pipefail", "-c", script], cwd=folder, env=environment, capture_output=True,
                          text=True, timeout=120)  # fmt: skip
