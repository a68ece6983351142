"""Fixtures for files that are not part of the repository; tests skip, with the reason, where these are absent."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

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
