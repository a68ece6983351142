"""Every command of the README that is marked `# test` does what the README says, in the order of the page."""

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from lib.paths import ROOT


@dataclass(frozen=True)
class Command:
    line: str  # as written, without the mark
    output: str | None  # lines after it that begin with "#> ", if any


def commands(text: str) -> list[Command]:
    found = []
    for block in re.findall(r"^```bash\n(.*?)^```", text, re.M | re.S):
        lines = block.splitlines()
        for number, line in enumerate(lines):
            if re.search(r"\s# test$", line):
                rest = [after[3:] for after in _leading(lines[number + 1 :])]
                found.append(Command(re.sub(r"\s+# test$", "", line), "\n".join(rest) if rest else None))
    return found


def _leading(lines: list[str]) -> list[str]:
    kept = []
    for line in lines:
        if not line.startswith("#> "):
            break
        kept.append(line)
    return kept


README = (ROOT / "README.md").read_text()


def test_marked_commands_are_found():
    text = "```bash\na  # test\n#> one\n#> two\nb # tested\nc # test\n```\n```text\nd # test\n```\n"
    assert commands(text) == [Command("a", "one\ntwo"), Command("c", None)]


@pytest.mark.slow
def test_commands_of_the_readme(tmp_path):
    listed = commands(README)
    assert len(listed) >= 4
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = os.environ | {"PATH": path, "TQDM_DISABLE": "1", "OMP_NUM_THREADS": "1"}
    for command in listed:
        done = subprocess.run(
            ["bash", "-euc", command.line], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=240
        )
        assert done.returncode == 0, f"{command.line}\n{done.stderr}"
        if command.output is not None:
            assert done.stdout.rstrip("\n") == command.output, command.line


def test_make_targets_of_the_readme_exist():
    named = set(re.findall(r"\bmake ([a-z]+)\b", " ".join(re.findall(r"`[^`]*`|^make .*", README, re.M))))
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.M))
    assert {"study", "test"} <= named
    assert named <= targets


def test_subcommands_of_the_readme_exist():
    from lib.cli import COMMANDS

    named = set(re.findall(r"spidercompose ([a-z]+) (?:\"|-|[a-z])", README))
    assert named
    assert named <= COMMANDS.keys()


def test_links_lead_somewhere():
    links = [link for link in re.findall(r"\]\(([^)]+)\)", README) if "://" not in link]
    assert links
    assert not [link for link in links if not (ROOT / link.split("#")[0]).exists()]
