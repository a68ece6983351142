"""Hold generated SQL against golden SQL on a database: one pair, a suite, or predictions for Spider."""

import argparse
import json
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

from lib.accuracy.records import MODES, ORDERS, Case, Limits, Settings
from lib.errors import EngineError, ParameterError, RecordError

CHANGED = 1  # exit code of a replay that gives another record


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the subcommands of `spidercompose accuracy`."""
    commands = parser.add_subparsers(dest="task", required=True, metavar="TASK")
    _add_run(commands)
    _add_spider(commands)
    _add_compare(commands)
    _add_replay(commands)
    _add_strengthen(commands)
    _add_models(commands)
    _add_notify(commands)


def run(args: argparse.Namespace) -> int:
    """Runs the task; returns the exit code."""
    return args.perform(args)


def _task(commands, name: str, text: str, perform: Callable) -> argparse.ArgumentParser:
    parser = commands.add_parser(name, help=text, description=text, allow_abbrev=False)
    parser.set_defaults(perform=perform)
    return parser


def _add_run(commands) -> None:
    parser = _task(commands, "run", "evaluate a file of generated queries on a golden suite", _run_suite)
    parser.add_argument("--golden", required=True, type=Path, help="golden suite: JSON, JSONL or CSV with id and sql")
    parser.add_argument("--cases", required=True, type=Path, help="generated queries: question_id and generated_sql")
    parser.add_argument("--engine", required=True, help="database, such as sqlite:shop.sqlite; {db_id} is filled in")
    _add_batch_options(parser)


def _add_spider(commands) -> None:
    parser = _task(commands, "spider", "evaluate predictions for a corpus in Spider's format", _run_spider)
    parser.add_argument("--predictions", required=True, type=Path, help="one SQL a line, or JSONL with ids")
    parser.add_argument("--data", default="spider", help="corpus: builtin, spider or a folder (default: spider)")
    parser.add_argument("--split", default="dev", choices=("dev", "train"), help="which questions (default: dev)")
    parser.add_argument("--engine", help="database per db_id, if not the corpus's own SQLite files")
    _add_batch_options(parser)


def _add_compare(commands) -> None:
    parser = _task(commands, "compare", "hold one generated query against one golden query", _run_compare)
    parser.add_argument("--engine", required=True, help="database, such as sqlite:shop.sqlite")
    parser.add_argument("--gold", required=True, metavar="SQL", help="the golden query")
    parser.add_argument("--pred", required=True, metavar="SQL", help="the generated query")
    _add_comparison_options(parser)
    _add_report_options(parser)


def _add_replay(commands) -> None:
    parser = _task(commands, "replay", "evaluate one record of a run again, and say what changed", _run_replay)
    parser.add_argument("--run", required=True, type=Path, metavar="DIR", help="folder of the run (its --out)")
    parser.add_argument("--id", required=True, help="id of the question")
    parser.add_argument("--engine", help="database, if the address in the run's manifest lacks its password")
    parser.add_argument("--json", action="store_true", help="print JSON")


def _add_strengthen(commands) -> None:
    from lib.commands import accuracy_strengthen

    text = "make variants of databases that tell wrong queries from right ones"
    accuracy_strengthen.add_arguments(_task(commands, "strengthen", text, accuracy_strengthen.run))


def _add_models(commands) -> None:
    from lib.commands import accuracy_models

    text = "ask a language model, or a file of answers, for the SQL of a suite's questions"
    accuracy_models.add_generate(_task(commands, "generate", text, accuracy_models.generate))
    text = "ask a language model for its opinion on the evaluations of a run"
    accuracy_models.add_judge(_task(commands, "judge", text, accuracy_models.judge))


def _add_notify(commands) -> None:
    from lib.commands import accuracy_notify

    text = "tell a chat's webhook or a pull request how a run went"
    accuracy_notify.add_arguments(_task(commands, "notify", text, accuracy_notify.run))


def _add_comparison_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--mode", default="exact", choices=MODES, help="what counts as right (default: exact)")
    parser.add_argument("--order", default="auto", choices=ORDERS, help="auto: if the golden query orders its result")
    parser.add_argument("--tolerance", type=float, default=Settings().tolerance, help="relative, for numbers (1e-9)")
    parser.add_argument("--timeout", type=float, default=Limits().timeout_s, help="seconds for one query (10)")
    parser.add_argument("--max-rows", type=int, default=Limits().max_rows, help="rows of one result (1000000)")
    parser.add_argument("--gold-dialect", default="", help="dialect of the golden SQL, if not the engine's own")
    parser.add_argument("--structure", action="store_true", help="also compare the queries clause by clause, as text")
    parser.add_argument("--min-accuracy", type=float, help="percent that must be right, or the exit code is 1")


def _add_batch_options(parser: argparse.ArgumentParser) -> None:
    _add_comparison_options(parser)
    parser.add_argument("--out", type=Path, help="folder for records and reports; an interrupted run in it goes on")
    _add_report_options(parser)


def _add_report_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--jobs", type=int, default=1, help="processes (1); a single comparison needs no more")
    parser.add_argument("--baseline", type=Path, help="evaluations.jsonl of an earlier run: must not be worse")
    parser.add_argument("--junit", type=Path, help="write JUnit XML here")
    parser.add_argument("--markdown", type=Path, help="write a Markdown summary here")


def _settings(args: argparse.Namespace) -> Settings:
    limits = Limits(timeout_s=args.timeout, max_rows=args.max_rows)
    if args.jobs < 1:
        raise ParameterError(f"--jobs must be at least 1, not {args.jobs}")
    if args.gold_dialect:
        from lib.accuracy.translation import check_dialect

        check_dialect(args.gold_dialect)
    if args.min_accuracy is not None and not 0 <= args.min_accuracy <= 100:
        raise ParameterError(f"--min-accuracy is a percentage, 0 to 100, not {args.min_accuracy:g}")
    return Settings(args.mode, args.order, args.tolerance, limits, args.gold_dialect)


def _run_compare(args: argparse.Namespace) -> int:
    from lib.accuracy.audit import audit_record
    from lib.accuracy.engines.catalog import open_engine
    from lib.accuracy.evaluation import evaluate
    from lib.accuracy.rendering import one_as_text

    settings, baseline = _settings(args), _baseline(args.baseline, args.mode)
    engine = open_engine(args.engine)
    evaluation = evaluate(args.gold, args.pred, engine, settings)
    record = audit_record(evaluation, structure=_structure(args, engine.schema()) if args.structure else None)
    print(json.dumps(record, ensure_ascii=False, allow_nan=False) + "\n" if args.json else one_as_text(record), end="")
    report = _report(lambda: [record], baseline, args)
    _write_report(lambda: [record], report, args)
    if not report.summary.judged:
        raise EngineError(f"nothing could be judged: {evaluation.error}")
    return report.exit_code


def _structure(args: argparse.Namespace, schema):
    from lib.accuracy.structure import compare_structure

    return compare_structure(args.gold, args.pred, schema, "auto")


def _run_suite(args: argparse.Namespace) -> int:
    from lib.accuracy.suite import join, read_cases, read_golden

    cases = join(read_golden(args.golden), read_cases(args.cases))
    return _evaluate(cases, args.engine, args)


def _run_spider(args: argparse.Namespace) -> int:
    from lib.accuracy.suite import spider_cases
    from lib.corpora import open_corpus

    corpus = open_corpus(args.data)
    cases = spider_cases(corpus, args.predictions, args.split)
    for problem in corpus.problems:
        print(f"set aside: {problem}", file=sys.stderr)
    engine = args.engine or f"sqlite:{Path(corpus.folder).absolute()}/database/{{db_id}}/{{db_id}}.sqlite"
    return _evaluate(cases, engine, args)


def _run_replay(args: argparse.Namespace) -> int:
    from lib.accuracy.audit import audit_record, changed, find_record, settings_of
    from lib.accuracy.engines.catalog import open_engine
    from lib.accuracy.evaluation import Evaluator
    from lib.accuracy.rendering import one_as_text
    from lib.files import read_json, read_jsonl

    manifest = read_json(args.run / "manifest.json")
    before = find_record(read_jsonl(args.run / "evaluations.jsonl"), args.id)
    address = (args.engine or str(manifest.get("engine"))).replace("{db_id}", before["db_id"])
    case = Case(before["id"], before["gold_sql"], before["pred_sql"], before["db_id"])
    after = audit_record(Evaluator(open_engine(address), settings_of(manifest)).evaluate(case))
    differences = changed(before, after)
    if args.json:
        print(json.dumps({"record": after, "changed": differences}, ensure_ascii=False, allow_nan=False))
    else:
        print(one_as_text(after), end="")
        lines = [f"{name}: {old} before, {new} now" for name, (old, new) in differences.items()]
        print("\n".join(["changed:", *lines]) if lines else "the same as before")
    return CHANGED if differences else 0


def _evaluate(cases: list[Case], engine: str, args: argparse.Namespace) -> int:
    """Runs a batch; without --out its records go to a temporary folder."""
    from tempfile import TemporaryDirectory

    from lib.accuracy.engines.catalog import open_engine

    settings, baseline = _settings(args), _baseline(args.baseline, args.mode)
    if cases:  # an address that cannot be read must not leave half a run behind
        open_engine(engine.replace("{db_id}", cases[0].db_id)).close()
    if args.out is not None:
        return _evaluate_into(args.out, cases, engine, settings, baseline, args)
    with TemporaryDirectory(prefix="spidercompose-") as folder:
        return _evaluate_into(Path(folder), cases, engine, settings, baseline, args)


def _baseline(path: Path | None, mode: str) -> Path | None:
    """The file of an earlier run, read once before this one begins: a broken one must not end it late."""
    from lib.files import read_jsonl

    if path is not None and path.is_dir():
        path = path / "evaluations.jsonl"
    if path is not None and not path.is_file():
        raise EngineError(f"no baseline at '{path}': give the evaluations.jsonl of an earlier run, or its folder")
    for number, record in enumerate(read_jsonl(path) if path is not None else ()):
        missing = {"id", "status", mode} - record.keys()
        if missing:
            raise RecordError(path.name, number, f"not an evaluation, it has no '{min(missing)}': give those of a run")
    return path


def _evaluate_into(
    out: Path, cases: list[Case], engine: str, settings: Settings, baseline: Path | None, args: argparse.Namespace
) -> int:
    from lib.accuracy.audit import check_run_folder, run_manifest
    from lib.accuracy.batch import Job, run_batch
    from lib.accuracy.reporting import parted
    from lib.files import read_jsonl, write_json, write_jsonl, write_text

    path, manifest = out / "evaluations.jsonl", run_manifest(engine, settings)
    check_run_folder(out)
    if not path.exists():
        write_json(out / "manifest.json", manifest)
    _show_progress(run_batch(cases, Job(engine, settings, args.structure), path, args.jobs), len(cases))
    write_json(out / "manifest.json", manifest)  # only now is it known that older records are of this run

    def records() -> Iterable[dict]:
        return read_jsonl(path) if cases else ()

    report = _report(records, baseline, args)
    if args.out is not None:
        write_json(out / "summary.json", report.figures)
        write_text(out / "summary.md", report.markdown)
        write_jsonl(out / "views.jsonl", parted(records()))
    _write_report(records, report, args)
    print(json.dumps(report.figures, ensure_ascii=False) if args.json else report.text.rstrip())
    if not report.summary.judged:
        raise EngineError("nothing could be judged: no database was found, or every golden query fails (see the table)")
    return report.exit_code


def _show_progress(counts: Iterable[int], total: int) -> None:
    from lib.progress import progress

    for _ in progress(_unit_steps(counts), "evaluations", total):
        pass


def _unit_steps(counts: Iterable[int]) -> Iterable[int]:
    """One step a record, from totals that grow by chunks."""
    seen = 0
    for count in counts:
        while seen < count:
            seen += 1
            yield seen


def _report(records: Callable[[], Iterable[dict]], baseline: Path | None, args: argparse.Namespace):
    from lib.accuracy.reporting import report
    from lib.files import read_jsonl

    before = None if baseline is None else read_jsonl(baseline)
    return report(records, args.mode, args.min_accuracy, before)


def _write_report(records: Callable[[], Iterable[dict]], report, args: argparse.Namespace) -> None:
    from lib.accuracy.rendering import junit
    from lib.files import atomic_writer, write_text

    if args.markdown is not None:
        write_text(args.markdown, report.markdown)
    if args.junit is not None:
        with atomic_writer(args.junit) as handle:
            handle.writelines(junit(records(), args.mode))
