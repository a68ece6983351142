"""Downloads against a real HTTP server on this machine that misbehaves as servers do."""

import hashlib
import random
import re
import subprocess
import sys
import threading
import zipfile
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from lib import download as module
from lib.archives import unpack
from lib.catalogue import MANIFEST, SPIDER, Entry, fetch
from lib.cli import main
from lib.corpora import open_corpus
from lib.download import Expected, download
from lib.errors import CorpusError, DownloadError, ParameterError
from lib.files import read_json
from lib.paths import BUILTIN, ROOT

BODY = b"PK" + random.Random(1).randbytes(3_000_000)
DIGEST = hashlib.sha256(BODY).hexdigest()


@dataclass
class Site:
    """What the server does; each request is noted."""

    body: bytes = BODY
    tag: str = '"one"'
    modified: str = ""
    ranges: bool = True
    statuses: list[int] = field(default_factory=list)  # answered first, one a request
    cut_after: list[int] = field(default_factory=list)  # bytes after which the connection closes, one a request
    length: int | None = None  # announced instead of the true one
    kind: str = "application/zip"
    retry_after: str = ""
    on_request: object = None  # called with the number of the request
    requests: list[dict] = field(default_factory=list)
    url: str = ""


class Handler(BaseHTTPRequestHandler):
    """Serves one body as the site says."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_args):
        """Stays silent."""

    def do_GET(self):
        site = self.server.site
        site.requests.append(dict(self.headers))
        if site.on_request:
            site.on_request(len(site.requests))
        self.close_connection = True
        if site.statuses and (code := site.statuses.pop(0)) != 200:
            self.answer(code, b"", {"Retry-After": site.retry_after} if site.retry_after else {})
            return
        start = self.start(site)
        if start is not None and start >= len(site.body):
            self.answer(416, b"", {"Content-Range": f"bytes */{len(site.body)}"})
            return
        rest = site.body[start or 0 :]
        headers = {"Content-Type": site.kind, "ETag": site.tag, "Last-Modified": site.modified}
        if start is not None:
            headers["Content-Range"] = f"bytes {start}-{len(site.body) - 1}/{len(site.body)}"
        length = len(rest) if site.length is None else site.length
        cut = site.cut_after.pop(0) if site.cut_after else len(rest)
        self.answer(200 if start is None else 206, rest[:cut], headers, length)

    def start(self, site) -> int | None:
        asked = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        condition = self.headers.get("If-Range")
        if not asked or not site.ranges or (condition and condition not in (site.tag, site.modified)):
            return None
        return int(asked[1])

    def answer(self, code, body, headers, length=None):
        self.send_response(code)
        for name, value in headers.items():
            if value:
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        try:
            self.wfile.write(body)
        except ConnectionError:  # the client has seen enough
            return


@pytest.fixture
def site():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.site = Site(url=f"http://127.0.0.1:{server.server_port}/spider.zip")
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    yield server.site
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture(autouse=True)
def _small_chunks(monkeypatch):
    monkeypatch.setattr(module, "CHUNK", 1 << 16)
    monkeypatch.setenv("TQDM_DISABLE", "1")


def get(site, path, expected=None, **options):
    download(site.url, path, expected, **{"attempts": 3, "pause": 0.001} | options)
    return path.read_bytes()


def leftovers(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_whole_file_arrives_and_nothing_else_is_left(site, tmp_path):
    assert get(site, tmp_path / "a.zip", Expected(len(BODY), DIGEST, b"PK")) == BODY
    assert leftovers(tmp_path) == ["a.zip"]


def test_cut_connection_is_resumed_in_the_same_call(site, tmp_path):
    site.cut_after = [1_000_000, 700_000]
    assert get(site, tmp_path / "a.zip") == BODY
    ranges = [request.get("Range") for request in site.requests]
    assert ranges[0] is None
    assert all(re.fullmatch(r"bytes=\d+-", asked) for asked in ranges[1:])
    assert all(request["If-Range"] == '"one"' for request in site.requests[1:])


@pytest.mark.parametrize("failures", [1, 3])
def test_next_call_goes_on_where_the_last_one_stopped(site, tmp_path, failures):
    site.cut_after = [1_500_000] + [0] * (failures + 2)
    with pytest.raises(DownloadError, match="the same command goes on"):
        get(site, tmp_path / "a.zip", attempts=failures)
    kept = (tmp_path / "a.zip.part").stat().st_size
    assert 0 < kept <= 1_500_000
    site.cut_after, site.requests[:] = [], []
    assert get(site, tmp_path / "a.zip") == BODY
    assert site.requests[0]["Range"] == f"bytes={kept}-"
    assert leftovers(tmp_path) == ["a.zip"]


def test_file_that_changed_in_between_is_fetched_anew(site, tmp_path):
    site.cut_after = [1_000_000]

    def change(number):
        if number == 2:
            site.body, site.tag = b"PK" + bytes(500_000), '"two"'

    site.on_request = change
    assert get(site, tmp_path / "a.zip") == b"PK" + bytes(500_000)


def test_changed_file_is_noticed_though_the_server_ignores_if_range(site, tmp_path, monkeypatch):
    monkeypatch.setattr(
        Handler,
        "start",
        lambda self, site: int(self.headers["Range"][6:-1]) if self.headers.get("Range") else None,
    )
    site.cut_after = [1_000_000]
    changed = b"PK" + random.Random(2).randbytes(2_000_000)

    def change(number):
        if number == 2:
            site.body, site.tag = changed, '"two"'

    site.on_request = change
    assert get(site, tmp_path / "a.zip") == changed


def test_weak_tag_is_not_used_to_resume(site, tmp_path):
    site.tag, site.cut_after = 'W/"weak"', [1_000_000]
    assert get(site, tmp_path / "a.zip") == BODY
    assert "Range" not in site.requests[1]


def test_date_serves_where_there_is_no_tag(site, tmp_path):
    site.tag, site.modified, site.cut_after = "", "Wed, 11 Sep 2024 10:00:00 GMT", [1_000_000]
    assert get(site, tmp_path / "a.zip") == BODY
    assert site.requests[1]["If-Range"] == site.modified


def test_known_digest_allows_resuming_without_any_validator(site, tmp_path):
    site.tag, site.cut_after = "", [1_000_000]
    assert get(site, tmp_path / "a.zip", Expected(sha256=DIGEST)) == BODY
    assert "Range" in site.requests[1]


def test_server_without_ranges_begins_again(site, tmp_path):
    site.ranges, site.cut_after = False, [1_000_000]
    assert get(site, tmp_path / "a.zip") == BODY


def test_part_that_is_already_whole(site, tmp_path):
    site.cut_after = [len(BODY) - 10, 0, 0, 0]
    with pytest.raises(DownloadError):
        get(site, tmp_path / "a.zip", attempts=1)
    (tmp_path / "a.zip.part").write_bytes(BODY)
    site.cut_after = []
    assert get(site, tmp_path / "a.zip") == BODY


def test_spoilt_part_is_thrown_away(site, tmp_path):
    site.cut_after = [1_000_000]
    with pytest.raises(DownloadError):
        get(site, tmp_path / "a.zip", attempts=1)
    part = tmp_path / "a.zip.part"
    part.write_bytes(b"XX" + part.read_bytes()[2:])
    assert get(site, tmp_path / "a.zip", Expected(sha256=DIGEST)) == BODY


def test_damaged_note_beside_the_part_is_no_trouble(site, tmp_path):
    (tmp_path / "a.zip.part").write_bytes(BODY[:1000])
    (tmp_path / "a.zip.part.json").write_text("[1")
    assert get(site, tmp_path / "a.zip") == BODY


@pytest.mark.parametrize("code", [408, 429, 500, 503])
def test_passing_trouble_is_waited_for(site, tmp_path, code, capsys):
    site.statuses, site.retry_after = [code, code, 200], "0"
    assert get(site, tmp_path / "a.zip") == BODY
    assert f"answers {code}" in capsys.readouterr().err


REFUSED = {
    "404": ({"statuses": [404]}, Expected(), "404 Not Found"),
    "403": ({"statuses": [403]}, Expected(), "403 Forbidden"),
    "always 500": ({"statuses": [500] * 9}, Expected(), "answers 500"),
    "web page": ({"kind": "text/html; charset=utf-8"}, Expected(), "a web page instead of the file"),
    "other start": ({"body": b"<html>no zip</html>"}, Expected(start=b"PK"), "does not start like the file"),
    "wrong digest": ({}, Expected(sha256="0" * 64), f"its sha256 is {DIGEST}"),
    "wrong size": ({}, Expected(size=5), "expected 5: it is another file"),
    "announces too much": ({"length": len(BODY) + 999}, Expected(), "cannot fetch"),
    "announces too little": ({"length": 1000}, Expected(sha256=DIGEST), "its sha256 is"),
    "announces the impossible": ({"length": 10**18}, Expected(), "refused"),
    "no room": ({"length": (4 << 30) - 1}, Expected(), "no room|cannot fetch"),
}


@pytest.mark.parametrize(("behaviour", "expected", "message"), REFUSED.values(), ids=REFUSED)
def test_refused_and_nothing_is_half_written(site, tmp_path, behaviour, expected, message):
    for name, value in behaviour.items():
        setattr(site, name, value)
    with pytest.raises(DownloadError, match=message):
        get(site, tmp_path / "a.zip", expected)
    assert not (tmp_path / "a.zip").exists()
    assert all(name.startswith("a.zip.part") for name in leftovers(tmp_path)), "only what a later call goes on with"


def test_early_check_of_the_room(site, tmp_path, monkeypatch):
    usage = type("Usage", (), {"free": 1000})
    monkeypatch.setattr(module.shutil, "disk_usage", lambda _folder: usage)
    with pytest.raises(DownloadError, match=r"no room .* 1,000 left"):
        get(site, tmp_path / "a.zip")
    assert not (tmp_path / "a.zip").exists()


LIMITED = """
import resource, sys
from pathlib import Path
from lib.cli import main
import signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))
sys.exit(main(["fetch", "spider", "--to", sys.argv[2], "--source", sys.argv[1]]))
"""


def test_disk_that_fills_up_leaves_nothing_behind(site, tmp_path):
    """The kernel itself refuses to let the file grow (EFBIG), at the same place in the code as a full disk."""
    command = [sys.executable, "-c", LIMITED, site.url, str(tmp_path / "spider")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (3, "")
    assert "no room for" in done.stderr
    assert "Traceback" not in done.stderr
    assert leftovers(tmp_path) == []


def test_really_full_disk(site, tmp_path, monkeypatch):
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(disk)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("no right to mount a small disk here")
    try:
        site.tag = ""
        with pytest.raises(DownloadError, match="no room"):
            get(site, disk / "a.zip")  # announced: refused before the first byte
        assert leftovers(disk) == []
        monkeypatch.setattr(module, "check_room", lambda *_: None)  # another process fills the disk after the check
        with pytest.raises(DownloadError, match="no room"):
            get(site, disk / "a.zip")
        assert leftovers(disk) == []
    finally:
        subprocess.run(["umount", str(disk)], check=True)


@pytest.mark.parametrize("url", ["ftp://a/b", "file:///etc/passwd", "nonsense"])
def test_only_http_addresses(tmp_path, url):
    with pytest.raises(ParameterError, match="must start with http"):
        download(url, tmp_path / "a.zip")


def test_nobody_listens(tmp_path):
    with pytest.raises(DownloadError, match="no connection"):
        download("http://127.0.0.1:9/a.zip", tmp_path / "a.zip", attempts=2, pause=0.001)
    assert leftovers(tmp_path) == []


def test_second_process_is_kept_away(site, tmp_path):
    import fcntl

    with open(tmp_path / "a.zip.part", "ab") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        with pytest.raises(DownloadError, match="another process"):
            get(site, tmp_path / "a.zip")


# Archives


def archive(path: Path, members: dict[str, bytes], **attributes) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as target:
        for name, content in members.items():
            info = zipfile.ZipInfo(name)
            info.compress_type = zipfile.ZIP_DEFLATED
            for key, value in attributes.items():
                setattr(info, key, value)
            target.writestr(info, content)
    return path


BAD_MEMBERS = {
    "parent": ("../evil", {}, "leads out"),
    "deep parent": ("a/../../evil", {}, "leads out"),
    "absolute": ("/etc/evil", {}, "leads out"),
    "backslash": ("..\\evil", {}, "leads out"),
    "drive": ("C:evil", {}, "leads out"),
    "link": ("evil", {"external_attr": 0o120777 << 16}, "a link"),
    "device": ("evil", {"external_attr": 0o020666 << 16}, "a link"),
}


@pytest.mark.parametrize(("name", "attributes", "message"), BAD_MEMBERS.values(), ids=BAD_MEMBERS)
def test_hostile_members_are_refused_before_anything_is_written(tmp_path, name, attributes, message):
    path = archive(tmp_path / "a.zip", {"fine": b"1", name: b"/etc/passwd"}, **attributes)
    with pytest.raises(DownloadError, match=message):
        unpack(path, tmp_path / "out")
    assert leftovers(tmp_path) == ["a.zip"]


def test_bomb_is_refused(tmp_path):
    path = archive(tmp_path / "a.zip", {"zeros": bytes(50_000_000)})
    with pytest.raises(DownloadError, match="times its size"):
        unpack(path, tmp_path / "out")
    assert leftovers(tmp_path) == ["a.zip"]


@pytest.mark.parametrize("spoil", ["truncated", "no zip", "flipped"])
def test_damaged_archives(tmp_path, spoil):
    path = archive(tmp_path / "a.zip", {"a": random.Random(3).randbytes(5000)})
    content = bytearray(path.read_bytes())
    if spoil == "flipped":
        content[2500] ^= 255
    path.write_bytes({"truncated": bytes(content[:2000]), "no zip": b"PK nothing", "flipped": bytes(content)}[spoil])
    with pytest.raises(DownloadError, match="no sound ZIP archive"):
        unpack(path, tmp_path / "out")


def test_noise_of_other_systems_is_left_out(tmp_path):
    path = archive(tmp_path / "a.zip", {"a/b": b"1", "__MACOSX/a/._b": b"2", "a/.DS_Store": b"3"})
    assert unpack(path, tmp_path / "out") == 1
    assert (tmp_path / "out/a/b").read_bytes() == b"1"


# The whole way


@pytest.fixture(scope="module")
def packed(tmp_path_factory) -> Path:
    """A small corpus as an archive, in a folder of its own and with the noise of macOS."""
    members = {f"data/{name}": (BUILTIN / name).read_bytes() for name in ("tables.json", "train.json", "dev.json")}
    return archive(tmp_path_factory.mktemp("packed") / "a.zip", members | {"__MACOSX/data/._dev.json": b"noise"})


def entry(site, packed, **changes) -> Entry:
    site.body = packed.read_bytes()
    facts = {"size": len(site.body), "sha256": hashlib.sha256(site.body).hexdigest()}
    values = {"name": "spider", "page": "the page", "url": site.url, "licence": "the licence", "versions": None}
    return Entry(**values | facts | changes)


def test_fetch_installs_a_corpus(site, packed, tmp_path, capsys):
    wanted = entry(site, packed)
    corpus = fetch(wanted, tmp_path / "spider")
    assert "the licence" in capsys.readouterr().err
    assert len(list(corpus.examples("dev"))) == len(list(open_corpus("builtin").examples("dev")))
    manifest = read_json(tmp_path / "spider" / MANIFEST)
    assert (manifest["sha256"], manifest["size"], manifest["files"]) == (wanted.sha256, wanted.size, 3)
    assert leftovers(tmp_path) == ["spider"]
    asked = len(site.requests)
    fetch(wanted, tmp_path / "spider")
    assert len(site.requests) == asked, "what is here is not fetched again"


def test_fetch_refuses_another_version(site, packed, tmp_path):
    with pytest.raises(DownloadError, match="not those of the expected version"):
        fetch(entry(site, packed, versions=SPIDER.versions), tmp_path / "spider")
    assert leftovers(tmp_path) == []


def test_fetch_leaves_a_foreign_folder_alone(site, packed, tmp_path):
    (tmp_path / "spider").mkdir()
    (tmp_path / "spider/mine.txt").write_text("keep")
    with pytest.raises(CorpusError, match="is there and is not spider"):
        fetch(entry(site, packed), tmp_path / "spider")
    assert (tmp_path / "spider/mine.txt").read_text() == "keep"


def test_fetch_says_what_to_do_by_hand(site, packed, tmp_path):
    wanted = entry(site, packed)
    site.statuses = [404]
    with pytest.raises(DownloadError, match=r"By hand: open the page .* --source FILE\.zip"):
        fetch(wanted, tmp_path / "spider")
    assert leftovers(tmp_path) == []


def test_fetch_from_a_file(site, packed, tmp_path):
    corpus = fetch(entry(site, packed), tmp_path / "spider", source=str(packed))
    assert corpus.schemas
    assert packed.exists()
    assert not site.requests


def test_fetch_clears_up_after_a_killed_one(site, packed, tmp_path):
    stale = tmp_path / ".spider.unpacking"
    stale.mkdir()
    (stale / "half").write_text("x")
    fetch(entry(site, packed), tmp_path / "spider")
    assert leftovers(tmp_path) == ["spider"]


def test_archive_without_a_corpus(site, tmp_path):
    other = archive(tmp_path / "a.zip", {"x/readme": b"nothing here"})
    with pytest.raises(DownloadError, match=r"no folder with tables\.json and dev\.json"):
        fetch(entry(site, other), tmp_path / "to/spider")
    assert leftovers(tmp_path / "to") == []


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["--sha256", "12"], 2, "64 hex digits"),
        (["--size", "0"], 2, "above 0"),
        (["--size", "x"], 2, "invalid int value"),
        (["--sha256", "0" * 64], 3, "its sha256 is"),
        (["--size", "7"], 3, "expected 7"),
        ([], 3, "not those of the expected version"),
        (["--any-version"], 0, ""),
    ],
)
def test_command(site, packed, tmp_path, capsys, options, code, message):
    site.body = packed.read_bytes()
    assert main(["fetch", "spider", "--to", str(tmp_path / "s"), "--source", site.url, *options]) == code
    out, err = capsys.readouterr()
    assert message in err
    assert "Traceback" not in err
    assert leftovers(tmp_path) == (["s"] if code == 0 else [])
    assert bool(out) == (code == 0)


def test_real_spider_passes_its_own_check(site, spider_home, tmp_path):
    names = ("tables.json", "train_spider.json", "dev.json")
    path = archive(tmp_path / "a.zip", {f"spider_data/{name}": (spider_home / name).read_bytes() for name in names})
    site.body = path.read_bytes()
    assert main(["fetch", "spider", "--to", str(tmp_path / "spider"), "--source", site.url]) == 0
    assert read_json(tmp_path / "spider" / MANIFEST)["examples"] == {"train": 7000, "dev": 1034}
