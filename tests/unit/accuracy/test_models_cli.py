"""`spidercompose accuracy generate` and `judge`, over real HTTP."""

import json

import pytest

from lib.cli import main


@pytest.fixture
def files(tmp_path, model_server):
    golden = {"Q1": {"question": "old ships?", "sql": "SELECT 1"}, "Q2": {"question": "ports?", "sql": "SELECT 2"}}
    (tmp_path / "golden.json").write_text(json.dumps(golden), encoding="utf-8")
    settings = {"url": model_server.url, "model": "m", "retries": 0}
    (tmp_path / "chat.json").write_text(json.dumps(settings), encoding="utf-8")
    (tmp_path / "judge.json").write_text(json.dumps({**settings, "llm_judge_mode": "lenient"}), encoding="utf-8")
    return tmp_path


def _lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_generated_cases_are_written_with_their_errors(files, model_server, capsys):
    model_server.script = ["```sql\nSELECT 7\n```", 500]
    options = ["--golden", f"{files}/golden.json", "--settings", f"{files}/chat.json", "--out", f"{files}/cases.jsonl"]
    assert main(["accuracy", "generate", *options]) == 0
    first, second = _lines(files / "cases.jsonl")
    assert first == {"question_id": "Q1", "generated_sql": "SELECT 7"}
    assert second["generated_sql"] == ""
    assert "HTTP 500" in second["error"]
    assert capsys.readouterr().out.startswith("2 questions, 1 without answer")


def test_a_generator_that_never_answers_is_an_error(files, model_server, capsys):
    model_server.script = [401]
    options = ["--golden", f"{files}/golden.json", "--settings", f"{files}/chat.json", "--out", f"{files}/cases.jsonl"]
    assert main(["accuracy", "generate", *options]) == 3
    assert "OPENAI_API_KEY" in capsys.readouterr().err
    assert not (files / "cases.jsonl").exists()


@pytest.mark.parametrize("name", ["chat", "answers"])
def test_missing_options_are_named(name, files, capsys):
    options = ["--golden", f"{files}/golden.json", "--out", f"{files}/cases.jsonl", "--generator", name]
    assert main(["accuracy", "generate", *options]) == 2
    assert f"--generator {name} needs --" in capsys.readouterr().err


def test_a_run_is_judged(files, model_server, capsys):
    record = {"id": "Q1", "gold_sql": "SELECT 1", "pred_sql": "SELECT 2", "error": None, "difference": "rows differ"}
    (files / "run").mkdir()
    (files / "run" / "evaluations.jsonl").write_text(json.dumps(record) + "\n", encoding="utf-8")
    model_server.script = [json.dumps({"verdict": "different", "score": 10, "reason": "another number"})]
    options = ["--run", f"{files}/run", "--golden", f"{files}/golden.json", "--settings", f"{files}/judge.json"]
    assert main(["accuracy", "judge", *options]) == 0
    (found,) = _lines(files / "run" / "judgements.jsonl")
    assert (found["id"], found["score"], found["confidence"], found["rubric"]) == ("Q1", 10, 1.0, "lenient")
    assert json.loads(capsys.readouterr().out) == {"pairs": 1, "without score": 0, "requests": 2, "tokens": 20}
    assert "old ships?" in json.dumps(model_server.seen)
    assert _lines(files / "run" / "evaluations.jsonl") == [{**record, "llm_confidence": 1.0}]


def test_a_judge_that_never_answers_is_an_error(files, model_server, capsys):
    record = {"id": "Q1", "gold_sql": "SELECT 1", "pred_sql": "SELECT 2", "error": None, "difference": None}
    (files / "run").mkdir()
    (files / "run" / "evaluations.jsonl").write_text(json.dumps(record) + "\n", encoding="utf-8")
    model_server.script = [b"<html>"]
    options = ["--run", f"{files}/run", "--golden", f"{files}/golden.json", "--settings", f"{files}/judge.json"]
    assert main(["accuracy", "judge", *options]) == 3
    (found,) = _lines(files / "run" / "judgements.jsonl")
    assert found["score"] is None  # N/A is never 0
    assert _lines(files / "run" / "evaluations.jsonl") == [{**record, "llm_confidence": None}]
    assert "no pair has a score" in capsys.readouterr().err
