"""The command as people misuse it: one clear line on standard error, an exit code, nothing half-written."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time

import pytest

from lib.cli import COMMANDS, main
from lib.paths import ROOT
from lib.sql_parse import check_grammar

CORPUS = {
    "tables.json": [
        {
            "db_id": "ships",
            "table_names_original": ["ship"],
            "column_names_original": [[-1, "*"], [0, "name"]],
        }
    ],
    "train.json": [],
    "dev.json": [{"db_id": "ships", "question": "How many ferries sail?", "query": "SELECT count(*) FROM ship"}],
}


def command(*arguments, stdin=b"", environment=None, **options):
    line = [sys.executable, "-m", "lib.cli", *arguments]
    environment = {**os.environ, "TQDM_DISABLE": "1", **(environment or {})}
    options = {"cwd": ROOT, "timeout": 120, "check": False, "env": environment} | options
    return subprocess.run(
        line, input=stdin, stdout=options.pop("stdout", subprocess.PIPE), stderr=subprocess.PIPE, **options
    )


def assert_one_line(text: str) -> None:
    assert text.startswith("spidercompose: ")
    assert text.count("\n") == 1, text
    assert "Traceback" not in text
    assert len(text) < 1500


@pytest.fixture
def corpus(tmp_path):
    folder = tmp_path / "corpus"
    folder.mkdir()
    for name, content in CORPUS.items():
        (folder / name).write_text(json.dumps(content))
    return folder


def test_split_prints_json(capsys):
    assert main(["split", "SELECT a FROM t WHERE b = 'größe'"]) == 0
    out = capsys.readouterr().out
    assert "größe" in out
    assert [clause["kind"] for clause in json.loads(out)] == ["SELECT", "WHERE"]


PARTS = [
    "WHERE a = 1",
    "ORDER BY x LIMIT 3",
    "GROUP BY a HAVING count(*) > 1",
    "UNION SELECT a FROM t",
    "WHERE a > = 1;",
]


@pytest.mark.parametrize("sql", [*PARTS, 'SELECT a FROM t WHERE b = "x"', "FROM t", "VALUES (1)", "SELECT $$a'b$$"])
def test_split_takes_queries_and_parts(sql, capsys):
    assert main(["split", sql]) == 0
    assert json.loads(capsys.readouterr().out)


WRONG = {
    "no command": ([], ""),
    "unknown command": (["splt", "SELECT 1"], "did you mean 'split"),
    "prose": (["split", "how many ferries sail"], "not a query"),
    "prose with a keyword": (["split", "select me a good restaurant please"], "cannot parse"),
    "no columns": (["split", "SELECT FROM WHERE"], ""),
    "unfinished condition": (["split", "SELECT a FROM t WHERE b ="], "cannot parse"),
    "unfinished part": (["split", "WHERE a ="], "cannot parse"),
    "two statements": (["split", "SELECT 1; SELECT 2"], "more than one statement"),
    "hostile second statement": (["split", "SELECT 1; DROP TABLE t"], "more than one statement"),
    "empty": (["split", ""], "no SQL"),
    "blank": (["split", "  "], "no SQL"),
    "no query": (["split"], "required: sql"),
    "unknown option": (["split", "SELECT 1", "--dialct", "mysql"], "did you mean '--dialect'"),
    "abbreviated option": (["split", "SELECT 1", "--dia", "mysql"], "unknown option '--dia'"),
    "unknown dialect": (["split", "SELECT 1", "--dialect", "oracle"], "invalid choice: 'oracle'"),
    "wrong type": (["fetch", "spider", "--size", "big"], "invalid int value: 'big'"),
    "unknown corpus to fetch": (["fetch", "spidr"], "invalid choice: 'spidr'"),
    "address of another kind": (["fetch", "spider", "--to", "/nonexistent/x", "--source", "ftp://x/y"], ""),
    "line breaks": (["split", "nonsense\nover\nlines"], "not a query"),
}


@pytest.mark.parametrize(("arguments", "message"), list(WRONG.values()), ids=WRONG)
def test_wrong_use(arguments, message, capsys):
    code = main(arguments)
    out, err = capsys.readouterr()
    assert code in (2, 3)
    assert message in err
    if arguments:
        assert_one_line(err)
        assert out == ""


@pytest.mark.parametrize("name", [name for name in COMMANDS if (ROOT / f"lib/commands/{name}.py").is_file()])
def test_each_command_explains_itself(name, capsys):
    with pytest.raises(SystemExit) as stopped:
        main([name, "--help"])
    assert stopped.value.code == 0
    assert f"spidercompose {name}" in capsys.readouterr().out


def test_standard_input():
    done = command("split", "-", stdin=b"SELECT a FROM t\n-- why\nWHERE b = 'gr\xc3\xb6\xc3\x9fe'\n")
    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout)[1]["sql"] == "WHERE b = 'größe'"


def test_output_is_utf8_in_any_locale():
    done = command("split", "-", stdin="SELECT 'größe'".encode(), environment={"PYTHONIOENCODING": "utf-8:strict"})
    assert "größe" in done.stdout.decode()


BAD_INPUT = {
    "empty": (b"", {}, "no SQL"),
    "not UTF-8": (b"SELECT 'gr\xf6\xdfe'", {"LC_ALL": "C.UTF-8", "PYTHONIOENCODING": "utf-8:strict"}, "not UTF-8"),
    "not UTF-8, escaped": (b"SELECT \xff", {"LC_ALL": "C", "PYTHONIOENCODING": "utf-8:surrogateescape"}, "cannot read"),
    "NUL": (b"SELECT a\0 FROM t", {}, "cannot read the character"),
    "deep brackets": (b"(" * 20_000 + b"SELECT 1 + 1", {}, "never closed"),
    "deep expression": (b"SELECT " + b"(" * 20_000 + b"1" + b")" * 20_000, {}, "nested too deeply"),
    "binary": (bytes(range(256)), {"PYTHONIOENCODING": "utf-8:strict"}, "not UTF-8"),
}


@pytest.mark.parametrize(("stdin", "environment", "message"), list(BAD_INPUT.values()), ids=BAD_INPUT)
def test_bad_standard_input(stdin, environment, message):
    done = command("split", "-", stdin=stdin, environment=environment)
    assert done.returncode == 2, done.stderr[-300:]
    assert done.stdout == b""
    assert message in done.stderr.decode()
    assert_one_line(done.stderr.decode())


def test_a_megabyte_of_sql():
    start = time.perf_counter()
    done = command(
        "split",
        "-",
        stdin=b"SELECT a FROM t WHERE b IN ("
        b"'" + b"x" * 50 + b"', '" + b"', '".join([b"y" * 50] * 20_000) + b"', " + b"'y')",
    )
    assert done.returncode == 0, done.stderr[-300:]
    assert len(json.loads(done.stdout)[1]["sql"]) > 1_000_000
    assert time.perf_counter() - start < 60


def test_closed_pipe_is_no_error():
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = command("split", "SELECT 1", stdout=writer)
    finally:
        os.close(writer)
    assert (done.returncode, done.stderr) == (0, b"")


def test_full_disk_behind_standard_output():
    with open("/dev/full", "w") as full:
        done = command("split", "SELECT 1", stdout=full)
    assert done.returncode == 3
    assert "No space left" in done.stderr.decode()
    assert_one_line(done.stderr.decode())


def test_interrupt():
    # Tests in the background of a script are started with SIGINT ignored, and hand that down.
    code = (
        "import runpy, signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
        "runpy.run_module('lib.cli', run_name='__main__')"
    )
    line = [sys.executable, "-c", code, "split", "-"]
    with subprocess.Popen(
        line, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        process.stdin.write(b"SELECT")
        process.stdin.flush()
        _wait_until_reading(process.pid)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert out == b""
    assert_one_line(err.decode())


def _wait_until_reading(pid: int) -> None:
    """Until the process sleeps in a read of its standard input, that is, has come past its imports."""
    for _ in range(500):
        with open(f"/proc/{pid}/syscall") as handle:
            if handle.read().split()[:2] in (["0", "0x0"], ["63", "0x0"]):  # read(0), x86-64 and arm64
                return
        time.sleep(0.02)
    raise AssertionError("the command does not read its standard input")


# check

SOUND = {"db_id": "ships", "question": "How many ships?", "query": "SELECT 1"}
SPOILT = {
    "empty question": ("dev.json", [SOUND | {"question": " "}], "'question' is empty"),
    "unknown database": ("dev.json", [SOUND | {"db_id": "shps"}], "unknown database 'shps'"),
    "no SQL": ("dev.json", [SOUND | {"query": "hello"}], "cannot be split: not a query"),
    "two statements": ("dev.json", [SOUND | {"query": "SELECT 1; SELECT 2"}], "more than one"),
    "wrong type": ("dev.json", [SOUND | {"question": 7}], "must be a text, not int"),
    "broken schema": ("tables.json", [{"db_id": "ships"}], "'table_names_original' is missing"),
}


@pytest.mark.parametrize(("file", "content", "message"), list(SPOILT.values()), ids=SPOILT)
def test_check_reports_and_strict_fails(corpus, file, content, message, capsys):
    (corpus / file).write_text(json.dumps(content))
    assert main(["check", "--corpus", str(corpus)]) == 0
    assert message in capsys.readouterr().out
    assert main(["check", "--corpus", str(corpus), "--strict"]) == 3


def test_check_of_a_sound_corpus(corpus, capsys):
    assert main(["check", "--corpus", str(corpus), "--strict"]) == 0
    out = capsys.readouterr().out
    assert "1 dev examples of 1 databases, 0 broken records" in out
    assert "0 of 1 SQLite files are here" in out
    assert "0 problems" in out
    assert "0 notes" in out


def remove(*paths):
    for path in paths:
        path.unlink()
    return paths[0]


UNREADABLE = {
    "wrong JSON": (lambda folder: (folder / "dev.json").write_text('[{"db_id": '), "is not JSON: "),
    "no list": (lambda folder: (folder / "dev.json").write_text("{}"), "holds no JSON list"),
    "missing tables": (lambda folder: remove(folder / "tables.json"), "No such file"),
    "missing examples": (lambda folder: remove(folder / "train.json", folder / "dev.json"), "neither train"),
    "folder for a file": (lambda folder: remove(folder / "dev.json").mkdir(), "Is a directory"),
    "loop of links": (lambda folder: remove(folder / "tables.json").symlink_to("tables.json"), "symbolic links"),
}


@pytest.mark.parametrize(("spoil", "message"), list(UNREADABLE.values()), ids=UNREADABLE)
def test_check_of_what_cannot_be_read(corpus, spoil, message, capsys):
    spoil(corpus)
    assert main(["check", "--corpus", str(corpus)]) == 3
    err = capsys.readouterr().err
    assert message in err
    assert_one_line(err)


def test_unreadable_file(corpus):
    if os.geteuid() == 0 and not os.path.exists("/usr/bin/setpriv"):
        pytest.skip("the administrator may read everything, and there is no setpriv to become somebody else")
    (corpus / "dev.json").chmod(0)
    for folder in (corpus, *corpus.parents[:3]):
        folder.chmod(0o755)
    drop = ["/usr/bin/setpriv", "--reuid=65534", "--clear-groups"] if os.geteuid() == 0 else []
    line = [*drop, sys.executable, "-m", "lib.cli", "check", "--corpus", str(corpus)]
    done = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    if "No module named" in done.stderr or "failed" in done.stderr:
        pytest.skip("another user cannot run this interpreter")
    assert done.returncode == 3
    assert "Permission denied" in done.stderr


@pytest.mark.parametrize("name", ["/nonexistent", "builtn", "\0", "~nobody-of-this-name/x"])
def test_no_such_corpus(name, capsys):
    assert main(["check", "--corpus", name]) == 3
    assert_one_line(capsys.readouterr().err)


def test_grammar_check_keeps_no_offset(capsys):
    assert main(["split", "SELECT   a   FROM   t   WHERE   b   ="]) == 2
    assert "at character" not in capsys.readouterr().err


def test_split_accepts_all_of_spider(spider_home):
    """Odd queries stay accepted; every tenth, for time."""
    from lib.corpora import open_corpus
    from lib.splitting import split

    corpus = open_corpus(str(spider_home))
    queries = sorted({example.query for source in ("train", "dev") for example in corpus.examples(source)})
    for query in queries[::10]:
        check_grammar(split(query))


@pytest.fixture
def material(corpus, tmp_path, monkeypatch):
    """A folder to work in: a sound corpus, a broken and an empty one, datasets that are sound, broken, or none."""
    monkeypatch.chdir(tmp_path)
    assert main(["build", "--corpus", "corpus", "--out", "data", "--jobs", "1"]) == 0
    for name in ("half", "odd", "empty"):
        shutil.copytree("data", name)
    shutil.copytree("corpus", "nothing")
    shutil.copytree("corpus", "wrong")
    (tmp_path / "nothing/dev.json").write_text("[]")
    (tmp_path / "wrong/dev.json").write_text('[{"db_id": "ships", "question": "Why?", "query": "because"}]')
    (tmp_path / "half/validation.jsonl").write_text('{"id"')
    (tmp_path / "odd/manifest.json").write_text("[]")
    (tmp_path / "empty/train.jsonl").write_text("")
    (tmp_path / "file").write_text("x")
    return tmp_path


FAILS = {
    "build nothing": ["build", "--corpus", "nothing", "--out", "new/deep"],
    "build, all broken": ["build", "--corpus", "wrong", "--out", "new/deep"],
    "build, strict": ["build", "--corpus", "wrong", "--out", "new", "--strict", "--jobs", "1"],
    "build without a name": ["build", "--corpus", "corpus", "--out", ""],
    "check, strict": ["check", "--corpus", "wrong", "--strict"],
    "align, strict": ["align", "--corpus", "wrong", "--out", "new/a.json", "--strict"],
    "align onto a folder": ["align", "--corpus", "corpus", "--out", "data"],
    "splits, seed": ["splits", "--corpus", "corpus", "--method", "original", "--out", "new", "--seed", "-1"],
    "splits of nothing": ["splits", "--corpus", "nothing", "--method", "original", "--out", "new"],
    "ablate, seed": ["ablate", "--data", "data", "--out", "new", "--seed", "-1"],
    "ablate, half": ["ablate", "--data", "half", "--out", "new"],
    "ablate, manifest": ["ablate", "--data", "odd", "--out", "new"],
    "ablate nothing": ["ablate", "--data", "empty", "--out", "new"],
    "train, half": ["train", "--data", "half", "--out", "new/run", "--epochs", "1"],
    "train on nothing": ["train", "--data", "empty", "--out", "new/run", "--epochs", "1"],
    "train onto a dataset": ["train", "--data", "data", "--out", "data", "--epochs", "1"],
}


@pytest.mark.parametrize("arguments", list(FAILS.values()), ids=FAILS)
def test_a_command_that_fails_leaves_all_as_it_was(arguments, material, capsys):
    def files():
        return {str(path): path.read_bytes() if path.is_file() else None for path in material.rglob("*")}

    before = files()
    capsys.readouterr()
    assert main(arguments) in (2, 3)
    assert_one_line(capsys.readouterr().err)
    assert files() == before
