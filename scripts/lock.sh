#!/usr/bin/env bash
# Makes requirements.lock: the newest versions that pyproject.toml allows, in a clean environment.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PIP_DISABLE_PIP_VERSION_CHECK=1
"${PYTHON:-python3}" -m venv "$work/venv"
"$work/venv/bin/python" - >"$work/wanted" <<'PYTHON'
import tomllib

project = tomllib.load(open("pyproject.toml", "rb"))
extras = project["project"]["optional-dependencies"]["test"]
print("\n".join([*project["build-system"]["requires"], *project["project"]["dependencies"], *extras]))
PYTHON
"$work/venv/bin/python" -m pip install --quiet -r "$work/wanted"
{
  cat scripts/lock-header.txt
  "$work/venv/bin/python" -m pip freeze --all | grep -v '^pip==' | sed 's/+[a-z0-9]*$//' # +cpu and the like: any build
} >"$work/lock"
mv "$work/lock" requirements.lock
