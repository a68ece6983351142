"""Fixtures for files that are not part of the repository; tests skip, with the reason, where these are absent."""

import json
import os
from pathlib import Path

import pytest
from hypothesis import settings

from lib.paths import BUILTIN

# No deadline: on a busy machine a slow example is no failure. The same examples in every run.
settings.register_profile("repeatable", deadline=None, derandomize=True)
settings.load_profile("repeatable")


def _folder(variable: str, what: str) -> Path:
    value = os.environ.get(variable)
    if not value:
        pytest.skip(f"{variable} is not set: it names {what}")
    folder = Path(value)
    if not folder.is_dir():
        pytest.skip(f"{variable} names '{value}', which is no folder: it should be {what}")
    return folder.resolve()


@pytest.fixture(scope="session")
def spider_home() -> Path:
    """Folder of real Spider."""
    return _folder("SPIDER_HOME", "a folder with Spider (see `spidercompose fetch spider`)")


@pytest.fixture(scope="session")
def shared() -> Path:
    """Folder with case files, gold alignments and published splits."""
    return _folder("SPIDERCOMPOSE_SHARED", "a folder with the case files `cases/*.json`")


@pytest.fixture(scope="session")
def small_corpus(tmp_path_factory) -> Path:
    """Every eighth question of the built-in corpus, with its fragments."""
    folder, every = tmp_path_factory.mktemp("corpus"), 8
    gold = {}
    for line in (BUILTIN / "fragments.jsonl").read_text().splitlines():
        record = json.loads(line)
        gold[record["id"]] = record["fragments"]
    kept = []
    for source in ("train", "dev"):
        records = json.loads((BUILTIN / f"{source}.json").read_text())
        chosen = range(0, len(records), every)
        (folder / f"{source}.json").write_text(json.dumps([records[i] for i in chosen]))
        kept += [{"id": f"{source}-{new:05d}", "fragments": gold[f"{source}-{i:05d}"]} for new, i in enumerate(chosen)]
    (folder / "fragments.jsonl").write_text("".join(json.dumps(record) + "\n" for record in kept))
    (folder / "tables.json").symlink_to(BUILTIN / "tables.json")
    (folder / "database").symlink_to(BUILTIN / "database")
    return folder
