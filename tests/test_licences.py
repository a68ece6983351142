"""Nothing of a corpus that is not ours is in the repository."""

import json
import re
import subprocess

import pytest

from lib.paths import ROOT

# Quoted by the paper itself, to explain its rules; the study cites them.
CITED = {
    "what are the full names of all left handed players in the order of birth date",
    "what is the last name of the professor whose office is located in dre 102 and when were they hired",
    "what are the id of students who registered course 301",
}
SHORTEST = 6  # words; shorter ones, such as "how many are there", are anybody's


def words_of(text: str) -> list[str]:
    return re.findall(r"[a-z0-9]+", text.lower())


def questions_of(folder) -> dict[tuple[str, ...], set[tuple[str, ...]]]:
    """The questions of Spider, by their first words."""
    by_start: dict[tuple[str, ...], set[tuple[str, ...]]] = {}
    for name in ("train_spider.json", "dev.json"):
        for record in json.loads((folder / name).read_text(encoding="utf-8")):
            words = tuple(words_of(record["question"]))
            if len(words) >= SHORTEST and " ".join(words) not in CITED:
                by_start.setdefault(words[:SHORTEST], set()).add(words)
    return by_start


def tracked_files() -> list:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)
    if listed.returncode:
        pytest.skip("not a git checkout, so there is no list of the files that are published")
    return [ROOT / name for name in listed.stdout.decode().split("\0") if name]


def test_no_question_of_spider_is_published(spider_home):
    by_start, found = questions_of(spider_home), []
    for path in tracked_files():
        try:
            words = tuple(words_of(path.read_text(encoding="utf-8")))
        except (UnicodeDecodeError, FileNotFoundError):
            continue  # a picture or a database; a file that was just moved
        for at in range(len(words) - SHORTEST + 1):
            for question in by_start.get(words[at : at + SHORTEST], ()):
                if words[at : at + len(question)] == question:
                    found.append(f"{path.relative_to(ROOT)}: {' '.join(question)}")
    assert not found, "\n".join(found)
