"""What the tests of the evaluator share: a small shop as a SQLite file, a chat endpoint that misbehaves as told."""

import json
import sqlite3
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

SHOP = """
CREATE TABLE staff(id INTEGER PRIMARY KEY, name TEXT, team TEXT, pay INTEGER);
INSERT INTO staff VALUES (1,'Ada','HR',61000),(2,'Bo','HR',48000),(3,'Cy','IT',75000),(4,'Di','IT',75000);
"""


@pytest.fixture
def shop(tmp_path) -> Path:
    """A database with one table of four rows."""
    path = tmp_path / "shop.sqlite"
    connection = sqlite3.connect(path)
    connection.executescript(f"PRAGMA synchronous = 0; BEGIN; {SHOP} COMMIT;")
    connection.close()
    return path


def completion(text, finish="stop", tokens=10) -> bytes:
    """A chat completion as OpenAI's servers send it."""
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": finish}
    return json.dumps({"choices": [choice], "usage": {"total_tokens": tokens}}).encode()


class ModelServer(ThreadingHTTPServer):
    """Answers request after request from a script; the last entry answers all that follow.

    An entry is a text (a good answer), bytes (a body as it is), a status, (status, headers), a function of the
    request's JSON that gives one of these, or one of the words slow, drip, cut, hangup.
    """

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.script, self.seen, self.headers_seen = ["ok"], [], []
        self.lock = threading.Lock()
        self.url = f"http://127.0.0.1:{self.server_port}/v1"

    def next(self, payload: dict):
        with self.lock:
            entry = self.script[min(len(self.seen), len(self.script) - 1)]
            self.seen.append(payload)
        return entry(payload) if callable(entry) else entry

    def handle_error(self, request, address):  # a client that gave up is no news
        pass


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        self.server.headers_seen.append(dict(self.headers))
        payload = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        entry = self.server.next(payload)
        if entry == "hangup":
            self.close_connection = True
        elif entry == "slow":
            time.sleep(1.0)
            self.reply(200, completion("late"))
        elif entry == "drip":
            self.begin(200, 1000)
            for _ in range(20):
                self.wfile.write(b" ")
                self.wfile.flush()
                time.sleep(0.05)
        elif entry == "cut":
            body = completion("SELECT 1")
            self.begin(200, len(body))
            self.wfile.write(body[:20])
            self.close_connection = True
        elif isinstance(entry, int):
            self.reply(entry, b'{"error": {"message": "Incorrect API key provided: sk-secret"}}')
        elif isinstance(entry, tuple):
            self.reply(entry[0], b"", entry[1])
        else:
            self.reply(200, entry if isinstance(entry, bytes) else completion(entry))

    def begin(self, status, length, headers=()):
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(length))
        for name, value in dict(headers).items():
            self.send_header(name, value)
        self.end_headers()

    def reply(self, status, body, headers=()):
        self.begin(status, len(body), headers)
        self.wfile.write(body)

    def log_message(self, *args):
        pass


def running(server):
    """Yields a server while a thread serves; the body of a fixture."""
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def model_server():
    """A running `ModelServer`."""
    yield from running(ModelServer())
