"""pyproject.toml, requirements.lock and environment.yml agree, and the import stays light."""

import ast
import os
import re
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions, version
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import lib
from lib.paths import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
EXTRAS = PROJECT["project"]["optional-dependencies"]
DECLARED = [Requirement(text) for text in PROJECT["project"]["dependencies"] + EXTRAS["test"]]
BUILD = [Requirement(text) for text in PROJECT["build-system"]["requires"]]


# Import names of packages in optional extras, which need not be installed.
OPTIONAL = {"google": "google-cloud-bigquery", "snowflake": "snowflake-connector-python"}


def locked() -> dict[str, str]:
    lines = (ROOT / "requirements.lock").read_text().splitlines()
    pins = [line.split("==") for line in lines if line and not line.startswith("#")]
    assert all(len(pin) == 2 for pin in pins), "every line of the lock is NAME==VERSION"
    return {canonicalize_name(name): pinned for name, pinned in pins}


@pytest.mark.parametrize("requirement", DECLARED + BUILD, ids=str)
def test_lock_satisfies_each_declared_requirement(requirement):
    pinned = locked()[canonicalize_name(requirement.name)]
    assert requirement.specifier.contains(pinned), f"{requirement} but {pinned} is locked: run 'make lock'"


def test_environment_is_the_locked_one():
    differing = {
        f"{name}: {version(name)} is installed, {pinned} is locked"
        for name, pinned in locked().items()
        if version(name).split("+")[0] != pinned
    }
    assert not differing, "run 'make env'"


def test_lock_pins_torch_without_a_local_suffix_and_not_above_the_bound():
    assert re.fullmatch(r"[\d.]+", locked()["torch"])
    assert locked()["torch"] == "2.13.0"


def test_lock_is_closed():
    """Everything that a locked package needs is locked too, so that nothing unlocked is installed."""
    from importlib.metadata import requires

    pins = locked()
    missing = {
        f"{name} needs {needed.name}"
        for name in pins
        for needed in map(Requirement, requires(name) or ())
        if (needed.marker is None or needed.marker.evaluate({"extra": ""}))
        and canonicalize_name(needed.name) not in pins
        and name != "torch"  # its requirements differ between the CPU and the CUDA build
    }
    assert not missing


def test_lock_holds_no_package_that_only_another_extra_needs():
    allowed = {canonicalize_name(r.name) for r in DECLARED}
    optional = {canonicalize_name(Requirement(text).name) for texts in EXTRAS.values() for text in texts}
    assert not (optional - allowed) & locked().keys()


def test_conda_file_takes_python_and_pip_only_and_the_rest_from_the_lock():
    conda = yaml.safe_load((ROOT / "environment.yml").read_text())
    assert conda["name"] == PROJECT["project"]["name"]
    assert conda["dependencies"] == [
        f"python{PROJECT['project']['requires-python']}",
        "pip",
        {"pip": ["-r requirements.lock"]},
    ]


def test_imported_packages_are_declared():
    """Nothing is imported that is here only because something else needs it."""
    declared = {canonicalize_name(r.name) for r in DECLARED}
    for texts in EXTRAS.values():
        declared |= {canonicalize_name(Requirement(text).name) for text in texts}
    owners = packages_distributions()
    undeclared = set()
    for path in sorted((ROOT / "lib").rglob("*.py")):
        for name in _imported(path):
            if name in sys.stdlib_module_names or name == "lib":
                continue
            known = [OPTIONAL[name]] if name in OPTIONAL else owners.get(name, [name])
            names = {canonicalize_name(owner) for owner in known}
            if not names & declared:
                undeclared.add(f"{path.relative_to(ROOT)} imports {name}")
    assert not undeclared


def _imported(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.split(".")[0]


def test_lib_is_this_repository():
    assert lib.__path__[0] == str(ROOT / "lib")


@pytest.mark.parametrize("module", ["lib", "lib.cli", "lib.commands.split"])
def test_light_modules_load_nothing_heavy(module):
    code = f"import sys, {module}; print(*sorted({{name.split('.')[0] for name in sys.modules}}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    heavy = {"torch", "matplotlib", "pandas", "numpy", "sqlglot", "nltk", "lemminflect", "sacrebleu", "IPython"}
    assert not heavy & set(done.stdout.split())


def test_versions_agree():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert str(citation["version"]) == lib.__version__ == version("spidercompose")


@pytest.fixture
def bare(tmp_path):
    """The files that `make env` starts from, without an environment."""
    for name in ("requirements.lock", "pyproject.toml", "Makefile", "scripts/env.sh"):
        target = tmp_path / name
        target.parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, target)
    return tmp_path


def script(path: Path, body: str) -> Path:
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return path


@pytest.mark.parametrize(
    ("python", "message"),
    [
        ("exit 1", "env: no Python 3.11 or newer found (tried: "),
        (
            'case "$*" in *ensurepip*) exit 1;; esac',
            "lacks the venv module. Install it (Debian, Ubuntu: apt-get install",
        ),
    ],
    ids=["no python", "no venv"],
)
def test_env_says_plainly_what_is_missing(bare, python, message):
    python = script(bare / "python", python)
    done = subprocess.run(["make", "env", f"PYTHON={python}"], cwd=bare, capture_output=True, text=True)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.count("env: ") == 1
    assert not (bare / ".venv").exists()


def test_env_that_is_up_to_date_is_left_alone(bare):
    digest = subprocess.run(
        "cat requirements.lock pyproject.toml scripts/env.sh | sha256sum | cut -d ' ' -f 1",
        shell=True, cwd=bare, capture_output=True, text=True, check=True,
    )  # fmt: skip
    (bare / ".venv/bin").mkdir(parents=True)
    script(bare / ".venv/bin/python", "exit 1")  # any use of it would fail
    (bare / ".venv/.made-from").write_text(digest.stdout)
    outside = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}  # of an outer make
    done = subprocess.run(["make", "env"], cwd=bare, capture_output=True, text=True, env=outside)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
