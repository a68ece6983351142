"""The `spidercompose` command: finds the subcommand, reads its options, turns errors into one line.

Exit codes: 0 done, 1 a gate was not passed, 2 wrong use, 3 data missing, 130 interrupted.
"""

import argparse
import os
import re
import sys
from importlib import import_module
from pathlib import Path

from lib import __version__
from lib.errors import DATA_MISSING, WRONG_USE, ParameterError, SpiderComposeError, suggest

# Name -> one line for the help. Each is a module of lib.commands with add_arguments(parser) and run(args).
COMMANDS = {
    "split": "cut one SQL query into clauses",
    "fetch": "download a corpus, checked and resumable",
    "check": "read a corpus and report every broken record",
    "align": "align the questions of a corpus to the clauses of their queries",
    "build": "make the SpiderCompose dataset of a corpus",
    "ablate": "remove from a training set what shares a clause with the test set (experiment 2)",
    "splits": "make Template, TMCD, length, random or original splits of a corpus",
    "train": "train a SQL-to-text model",
    "translate": "put one SQL query into words with a trained model",
    "evaluate": "score a trained model on a dataset",
    "accuracy": "hold generated SQL against golden SQL on a database",
    "score": "score the texts of any system on a dataset",
    "study": "run the notebooks of a study",
}


class _Parser(argparse.ArgumentParser):
    """An argument parser that raises instead of printing its usage, and names the nearest known option."""

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.register("type", Path, _path)

    def parse_args(self, arguments=None, namespace=None):
        """Names the nearest option of the task, where the command has several."""
        found, rest = self.parse_known_args(arguments, namespace)
        parser = next((choices[found.task] for choices in self._tasks()), self)
        if rest and parser is not self and rest[0].split("=")[0] in parser.options():
            raise ParameterError(f"the option '{rest[0]}' belongs behind '{found.task}'")
        if rest:
            parser.error(f"unrecognized arguments: {' '.join(rest)}")
        return found

    def options(self) -> list[str]:
        """All options, by all of their names."""
        return [option for action in self._actions for option in action.option_strings]

    def _tasks(self):
        return (action.choices for action in self._actions if action.dest == "task")

    def error(self, message: str):
        unknown = re.match(r"unrecognized arguments: (-\S*)", message)
        if unknown:
            name = unknown[1].split("=")[0]
            raise ParameterError(f"unknown option '{name}': {suggest(name, self.options())}")
        choice = re.match(r"argument ([^:]+): invalid choice: '(.*)' \(choose from (.*)\)$", message, re.DOTALL)
        if choice:
            known = re.findall(r"[^\s',]+", choice[3])
            raise ParameterError(f"{choice[1]}: invalid choice: '{choice[2]}', {suggest(choice[2], known)}")
        raise ParameterError(f"{message} (see '{self.prog} --help')")


def _path(text: str) -> Path:
    """Refuses "", which `Path` takes for the current folder: an unset variable must not fill that."""
    if not text:
        raise argparse.ArgumentTypeError("an empty name is no path")
    return Path(text)


def main(arguments: list[str] | None = None) -> int:
    """Runs one command; returns its exit code."""
    if arguments is None:
        arguments = sys.argv[1:]
        sys.stdout.reconfigure(encoding="utf-8")  # JSON and names are UTF-8 wherever they are piped to
    try:
        code = _run(arguments)
        sys.stdout.flush()  # here, where a full disk or a closed pipe can still be told
        return code
    except SpiderComposeError as error:
        return _fail(str(error), error.exit_code)
    except KeyboardInterrupt:
        return _fail("interrupted; the same command goes on where it stopped", 130)
    except RecursionError:
        return _fail("the input is nested too deeply", WRONG_USE)
    except BrokenPipeError:  # the reader, such as head, has seen enough
        _discard_output()
        return 0
    except OSError as error:
        _discard_output()
        place = f"use '{error.filename}'" if error.filename else "go on"
        return _fail(f"cannot {place}: {error.strerror or error}", DATA_MISSING)


def _discard_output() -> None:
    """Keeps what could not be written from being tried again when the interpreter ends."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _fail(message: str, code: int) -> int:
    print(f"spidercompose: {' '.join(message.split())}", file=sys.stderr)
    return code


def _run(arguments: list[str]) -> int:
    if not arguments or arguments[0] in ("-h", "--help"):
        print(_help())
        return 0 if arguments else WRONG_USE
    if arguments[0] == "--version":
        print(f"spidercompose {__version__}")
        return 0
    name = arguments[0]
    if name not in COMMANDS:
        raise ParameterError(f"unknown command '{name}': {suggest(name, COMMANDS)}")
    module = import_module(f"lib.commands.{name}")
    parser = _Parser(
        prog=f"spidercompose {name}",
        description=module.__doc__,
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    module.add_arguments(parser)
    return module.run(parser.parse_args(arguments[1:])) or 0


def _help() -> str:
    width = max(map(len, COMMANDS))
    lines = [f"  {name:{width}}  {text}" for name, text in COMMANDS.items()]
    return "\n".join(
        ["usage: spidercompose COMMAND [OPTIONS]", "", *lines, "", "spidercompose COMMAND --help says more."]
    )


if __name__ == "__main__":
    sys.exit(main())
