"""`spidercompose accuracy`: options, files, exit codes."""

import json
import sqlite3

import pytest

from lib.cli import main
from lib.files import read_jsonl


@pytest.fixture
def suite(tmp_path, shop):
    """Options for a suite of two questions, one answered rightly."""
    golden = {"Q1": {"question": "Who earns most?", "sql": "SELECT * FROM staff WHERE pay > 50000"},
              "Q2": {"question": "Who is in HR?", "sql": "SELECT name FROM staff WHERE team = 'HR'"}}  # fmt: skip
    cases = [{"question_id": "Q2", "generated_sql": "SELECT name FROM staff WHERE team = 'HR'"},
             {"question_id": "Q1", "generated_sql": "SELECT id FROM staff WHERE pay > 50000"}]  # fmt: skip
    (tmp_path / "golden.json").write_text(json.dumps(golden))
    (tmp_path / "cases.json").write_text(json.dumps(cases))
    return [
        "run",
        "--golden",
        f"{tmp_path}/golden.json",
        "--cases",
        f"{tmp_path}/cases.json",
        "--engine",
        f"sqlite:{shop}",
    ]


def accuracy(*arguments) -> int:
    return main(["accuracy", *map(str, arguments)])


def test_compare_prints_one_record(shop, capsys):
    assert (
        accuracy(
            "compare",
            "--engine",
            f"sqlite:{shop}",
            "--gold",
            "SELECT * FROM staff",
            "--pred",
            "SELECT id, name FROM staff",
            "--json",
        )
        == 0
    )
    record = json.loads(capsys.readouterr().out)
    promised = "status exact contains subset superset lenient row_score column_score accuracy flags difference"
    assert set(promised.split()) <= record.keys()
    assert (record["status"], record["exact"], record["accuracy"]) == ("ok", False, 75.0)


def test_compare_for_people(shop, capsys):
    assert accuracy("compare", "--engine", shop, "--gold", "SELECT 1", "--pred", "SELECT 2") == 0
    assert "rows differ; missing: (1); not golden: (2)" in capsys.readouterr().out


def test_structure_says_which_clause_differs(shop, capsys):
    queries = ["--gold", "SELECT name FROM staff WHERE pay > 50000", "--pred", "SELECT name FROM staff WHERE pay > 6"]
    assert accuracy("compare", "--engine", f"sqlite:{shop}", *queries, "--json") == 0
    assert "structure" not in json.loads(capsys.readouterr().out)
    assert accuracy("compare", "--engine", f"sqlite:{shop}", *queries, "--json", "--structure") == 0
    structure = json.loads(capsys.readouterr().out)["structure"]
    assert (structure["same"], structure["differing"], structure["problem"]) == (False, ["WHERE"], "")
    (where,) = [clause for clause in structure["clauses"] if clause["clause"] == "WHERE"]
    assert (where["shared"], len(where["missing"]), len(where["extra"])) == (0, 1, 1)
    assert 0 < structure["tree"] < 1
    assert accuracy("compare", "--engine", f"sqlite:{shop}", *queries, "--structure") == 0
    assert "golden only: staff.pay > 50000; generated only: staff.pay > 6" in capsys.readouterr().out


def test_compare_writes_reports_too(shop, tmp_path, capsys):
    options = ["compare", "--engine", f"sqlite:{shop}", "--gold", "SELECT id FROM staff"]
    reports = ["--markdown", tmp_path / "s.md", "--junit", tmp_path / "j.xml", "--jobs", 2]
    assert accuracy(*options, "--pred", "SELECT id FROM staff", "--json") == 0
    (tmp_path / "before.jsonl").write_text(capsys.readouterr().out)
    baseline = ["--baseline", tmp_path / "before.jsonl"]
    assert accuracy(*options, "--pred", "SELECT pay FROM staff", *reports, *baseline, "--min-accuracy", 50) == 1
    assert "accuracy 0.00 % (exact) is below 50 %" in (tmp_path / "s.md").read_text()
    assert "0 won, 1 lost among 1 questions" in (tmp_path / "s.md").read_text()
    assert (tmp_path / "j.xml").read_text().count("<failure") == 1
    assert accuracy(*options, "--pred", "SELECT 1", "--jobs", 0) == 2
    assert accuracy(*options, "--pred", "SELECT 1", "--baseline", tmp_path / "nowhere") == 3


def test_a_refused_run_leaves_the_manifest_alone(suite, tmp_path):
    accuracy(*suite, "--out", tmp_path / "out")
    before = (tmp_path / "out" / "manifest.json").read_bytes()
    assert accuracy(*suite, "--out", tmp_path / "out", "--order", "ignore") == 2
    assert (tmp_path / "out" / "manifest.json").read_bytes() == before


def test_structure_knows_whose_columns_they_are(shop, capsys):
    with sqlite3.connect(shop) as connection:
        connection.execute("CREATE TABLE team(title TEXT)")
    connection.close()
    join = "FROM staff JOIN team ON team = title"
    queries = ["--gold", f"SELECT name {join}", "--pred", f"SELECT T1.name {join}".replace("staff", "staff AS T1")]
    assert accuracy("compare", "--engine", f"sqlite:{shop}", *queries, "--json", "--structure") == 0
    assert json.loads(capsys.readouterr().out)["structure"]["same"]


def test_structure_of_a_query_that_cannot_be_read(shop, capsys):
    assert (
        accuracy("compare", "--engine", f"sqlite:{shop}", "--gold", "SELECT 1", "--pred", "SELECT (", "--structure")
        == 0
    )
    assert "\nclauses " in capsys.readouterr().out


def test_structure_of_a_run_is_averaged_over_items(suite, tmp_path, capsys):
    assert accuracy(*suite, "--structure", "--out", tmp_path / "out", "--json", "--jobs", 2) == 0
    scores = {score["clause"]: score for score in json.loads(capsys.readouterr().out)["structure"]}
    assert (scores["WHERE"]["shared"], scores["WHERE"]["gold"], scores["WHERE"]["pred"]) == (2, 2, 2)
    assert (scores["SELECT"]["shared"], scores["SELECT"]["gold"]) == (1, 2)
    assert "| WHERE | 2 | 2 | 2 | 100.0 | 100.0 | 100.0 |" in (tmp_path / "out" / "summary.md").read_text()
    assert accuracy(*suite, "--out", tmp_path / "out") == 2  # without --structure it is another run
    assert "holds another run" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("pred", "options", "code"),
    [
        ("SELECT id FROM staff", ["--min-accuracy", 100], 0),
        ("SELECT name FROM staff", ["--min-accuracy", 100], 1),
        ("SELECT id, name FROM staff", ["--min-accuracy", 100, "--mode", "contains"], 0),
        ("SELECT id FROM staff", ["--min-accuracy", 101], 2),
        ("SELECT id FROM staff", ["--tolerance", 2], 2),
        ("SELECT id FROM staff", ["--timeout", 0], 2),
        ("SELECT id FROM staff", ["--mode", "strict"], 2),
    ],
)
def test_exit_codes_of_compare(shop, pred, options, code):
    assert (
        accuracy("compare", "--engine", f"sqlite:{shop}", "--gold", "SELECT id FROM staff", "--pred", pred, *options)
        == code
    )


def test_a_missing_database_is_said(tmp_path, capsys):
    assert (
        accuracy(
            "compare", "--engine", f"sqlite:{tmp_path}/no.db", "--gold", "SELECT 1", "--pred", "SELECT 1", "--json"
        )
        == 3
    )
    out, err = capsys.readouterr()
    assert json.loads(out)["status"] == "no_database"
    assert err.count("\n") == 1


def test_a_wrong_golden_query_is_said(shop, capsys):
    assert accuracy("compare", "--engine", f"sqlite:{shop}", "--gold", "hello", "--pred", "SELECT 1") == 3
    assert capsys.readouterr().err.startswith("spidercompose: nothing could be judged: ")


@pytest.mark.parametrize(
    "options",
    [
        ["--jobs", 0],
        ["--engine", "mysql://x"],
        ["--gold-dialect", "klingon"],
        ["--baseline", "broken.jsonl"],
    ],
)
def test_wrong_options_leave_no_folder(suite, options, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "broken.jsonl").write_text('{"id": "Q1"}\n')
    assert accuracy(*suite, "--out", tmp_path / "out", *options) in (2, 3)
    assert capsys.readouterr().err.count("\n") == 1
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("engine", "message"), [("sqlight:a.db", "did you mean 'sqlite'"), ("shop", "no engine in 'shop'")]
)
def test_unknown_engines(engine, message, capsys):
    assert accuracy("compare", "--engine", engine, "--gold", "SELECT 1", "--pred", "SELECT 1") == 2
    assert message in capsys.readouterr().err


def test_run_writes_records_and_reports(suite, tmp_path, capsys):
    out = tmp_path / "out"
    code = accuracy(*suite, "--out", out, "--junit", tmp_path / "j.xml", "--markdown", tmp_path / "s.md", "--json")
    figures = json.loads(capsys.readouterr().out)
    assert (code, figures["accuracy_percent"], figures["total"]) == (0, 50.0, 2)
    assert [record["question_id"] for record in read_jsonl(out / "evaluations.jsonl")] == ["Q1", "Q2"]
    assert json.loads((out / "summary.json").read_text()) == figures
    assert "| exact | 1 | 2 |" in (tmp_path / "s.md").read_text()
    assert (tmp_path / "j.xml").read_text().count("<failure") == 1


@pytest.mark.parametrize(
    ("name", "content"), [("manifest.json", '{"epochs": 3}'), ("summary.md", "mine"), ("evaluations.jsonl", "mine")]
)
def test_a_folder_of_something_else_is_refused(suite, tmp_path, name, content, capsys):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / name).write_text(content)
    assert accuracy(*suite, "--out", tmp_path / "run") == 2
    assert "choose another folder" in capsys.readouterr().err
    assert {path.name: path.read_text() for path in (tmp_path / "run").iterdir()} == {name: content}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "--min-acuracy", "3"], "did you mean '--min-accuracy'"),
        (["compare", "--mod=exact"], "did you mean '--mode'"),
        (["compare", "--mode", "exat"], "did you mean 'exact'"),
        (["--json", "compare"], "belongs behind 'compare'"),
        (["comprae"], "did you mean 'compare'"),
    ],
)
def test_the_nearest_name_is_suggested(suite, arguments, message, shop, capsys):
    needed = {"run": suite[1:], "compare": ["--engine", shop, "--gold", "SELECT 1", "--pred", "SELECT 1"]}
    assert accuracy(*arguments, *needed.get(arguments[-1], needed.get(arguments[0], ()))) == 2
    assert message in capsys.readouterr().err


def test_run_twice_gives_the_same_records(suite, tmp_path, capsys):
    accuracy(*suite, "--out", tmp_path / "out")
    first = (tmp_path / "out" / "evaluations.jsonl").read_bytes()
    accuracy(*suite, "--out", tmp_path / "out")
    assert (tmp_path / "out" / "evaluations.jsonl").read_bytes() == first
    reports = capsys.readouterr().out
    assert reports[: len(reports) // 2] == reports[len(reports) // 2 :]


@pytest.mark.parametrize(("least", "code"), [(50, 0), (51, 1)])
def test_gate(suite, least, code, capsys):
    assert accuracy(*suite, "--min-accuracy", least) == code
    assert ("Gate: passed" in capsys.readouterr().out) == (code == 0)


def test_baseline(suite, tmp_path, capsys):
    accuracy(*suite, "--out", tmp_path / "before")
    capsys.readouterr()
    assert accuracy(*suite, "--baseline", tmp_path / "before") == 0
    assert "0 won, 0 lost among 2 questions" in capsys.readouterr().out
    assert accuracy(*suite, "--baseline", tmp_path / "nowhere") == 3


def test_replay(suite, tmp_path, shop, capsys):
    accuracy(*suite, "--out", tmp_path / "out")
    capsys.readouterr()
    assert accuracy("replay", "--run", tmp_path / "out", "--id", "Q1") == 0
    assert "the same as before" in capsys.readouterr().out
    with sqlite3.connect(shop) as connection:
        connection.execute("DELETE FROM staff WHERE pay > 50000")
    connection.close()
    assert accuracy("replay", "--run", tmp_path / "out", "--id", "Q1", "--json") == 1
    assert {"database_hash", "gold_rows", "flags"} <= json.loads(capsys.readouterr().out)["changed"].keys()
    assert accuracy("replay", "--run", tmp_path / "out", "--id", "Q3") == 2
    assert "no record of 'Q3': known: Q1, Q2" in capsys.readouterr().err


def test_another_mode_reads_the_same_records(suite, tmp_path, capsys):
    accuracy(*suite, "--out", tmp_path / "out")
    assert accuracy(*suite, "--out", tmp_path / "out", "--mode", "subset", "--min-accuracy", 50) == 0


def test_ids_must_match(suite, tmp_path, capsys):
    (tmp_path / "cases.json").write_text('[{"question_id": "Q3", "generated_sql": "SELECT 1"}]')
    assert accuracy(*suite) == 2
    assert "'Q3', which is no golden query" in capsys.readouterr().err


def test_nothing_to_judge(suite, tmp_path, capsys):
    suite[-1] = f"sqlite:{tmp_path}/gone.sqlite"
    assert accuracy(*suite) == 3
    assert "database is missing" in capsys.readouterr().out


def test_predictions_for_spider(spider_home, shared, capsys):
    path = shared / "predictions" / "dev_8.txt"
    assert accuracy("spider", "--predictions", path, "--data", spider_home, "--json") == 0
    figures = json.loads(capsys.readouterr().out)
    assert figures["total"] == 1034
    assert figures["judged"] == 972
    assert figures["rates"]["exact"]["cluster_low"] is not None


def test_a_prediction_for_each_example(spider_home, tmp_path, capsys):
    (tmp_path / "p.txt").write_text("SELECT 1\n")
    assert accuracy("spider", "--predictions", tmp_path / "p.txt", "--data", spider_home) == 2
    assert "has 1 lines, dev has 1034 examples" in capsys.readouterr().err
