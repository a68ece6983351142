"""The tasks `spidercompose accuracy generate` and `judge`: ask a language model for SQL, or for its opinion."""

import argparse
import json
from pathlib import Path

from lib.errors import ParameterError, ServiceError

GENERATORS = ("chat", "answers", "article-mock")


def add_generate(parser: argparse.ArgumentParser) -> None:
    """Declares the options of `generate`."""
    parser.add_argument("--golden", required=True, type=Path, help="golden suite with questions: JSON, JSONL or CSV")
    parser.add_argument("--out", required=True, type=Path, help="JSONL for `accuracy run --cases`")
    parser.add_argument("--generator", default="chat", choices=GENERATORS, help="where the SQL comes from (chat)")
    parser.add_argument("--answers", type=Path, help="file of answers, for --generator answers")
    parser.add_argument("--settings", type=Path, help="JSON with url, model and further settings, for chat")
    parser.add_argument("--tables", type=Path, help="tables.json: the schemas that the model sees")
    parser.add_argument("--dialect", default="sqlite", help="SQL to ask for (sqlite)")
    parser.add_argument("--cache", type=Path, help="folder of answers that were of use before")


def add_judge(parser: argparse.ArgumentParser) -> None:
    """Declares the options of `judge`."""
    parser.add_argument("--run", required=True, type=Path, help="folder of a run; its records get llm_confidence")
    parser.add_argument("--golden", required=True, type=Path, help="the golden suite, for the questions")
    parser.add_argument("--settings", required=True, type=Path, help="JSON with url, model and llm_judge_mode")
    parser.add_argument("--out", type=Path, help="JSONL of judgements (RUN/judgements.jsonl)")
    parser.add_argument("--cache", type=Path, help="folder of answers that were of use before")


def generate(args: argparse.Namespace) -> int:
    """Asks for each question of a suite; returns the exit code."""
    from lib.accuracy.generators import generate_all, write_cases
    from lib.accuracy.suite import read_golden
    from lib.accuracy.translation import check_dialect
    from lib.schemas import read_schemas

    check_dialect(args.dialect)
    schemas = read_schemas(args.tables)[0] if args.tables is not None else {}
    found = list(generate_all(read_golden(args.golden), _generator(args), schemas.get))
    count = write_cases(args.out, found)
    print(f"{count} questions, {sum(not item.sql for item in found)} without answer: {args.out}")
    return 0


def _generator(args: argparse.Namespace):
    from lib.accuracy.chat import Chat, read_settings
    from lib.accuracy.generators import Answers, ArticleMock, ChatGenerator

    if args.generator == "article-mock":
        return ArticleMock()
    needed = {"answers": args.answers, "chat": args.settings}[args.generator]
    if needed is None:
        option = {"answers": "--answers", "chat": "--settings"}[args.generator]
        raise ParameterError(f"--generator {args.generator} needs {option} FILE")
    if args.generator == "answers":
        return Answers(needed)
    return ChatGenerator(Chat(read_settings(needed)[0], args.cache), args.dialect)


def judge(args: argparse.Namespace) -> int:
    """Judges the evaluations of a run; returns the exit code."""
    from dataclasses import asdict

    from lib.accuracy.audit import with_confidence
    from lib.accuracy.judge import read_judge
    from lib.accuracy.suite import read_golden
    from lib.files import read_jsonl, write_jsonl
    from lib.progress import progress

    questions = {query.id: query.question for query in read_golden(args.golden)}
    reviewer = read_judge(args.settings, args.cache)
    records = list(read_jsonl(args.run / "evaluations.jsonl"))
    found = [
        {"id": record["id"], **asdict(_judged(reviewer, record, questions))} for record in progress(records, "pairs")
    ]
    out = args.out or args.run / "judgements.jsonl"
    write_jsonl(out, found)
    confidences = {item["id"]: item["confidence"] for item in found}
    write_jsonl(args.run / "evaluations.jsonl", with_confidence(records, confidences))
    counts = {"pairs": len(found), "without score": sum(item["score"] is None for item in found),
              "requests": reviewer.chat.requests, "tokens": reviewer.chat.tokens}  # fmt: skip
    print(json.dumps(counts))
    if found and counts["without score"] == len(found):
        raise ServiceError(f"no pair has a score, the first: {found[0]['problem']}")
    return 0


def _judged(reviewer, record: dict, questions: dict[str, str]):
    from lib.accuracy.structure import compare_structure

    structure = compare_structure(record["gold_sql"], record["pred_sql"], dialect="auto")
    difference = record["error"] or record["difference"]
    return reviewer.judge(
        questions.get(record["id"], ""), record["gold_sql"], record["pred_sql"], structure, difference
    )
