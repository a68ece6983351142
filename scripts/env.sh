#!/usr/bin/env bash
# Makes the environment .venv from requirements.lock. Does nothing if it is up to date, so it needs no network then.
# Usage: scripts/env.sh          PYTHON=/path/to/python3 chooses the interpreter.
set -euo pipefail
cd "$(dirname "$0")/.."

venv=.venv
stamp=$venv/.made-from # hash of what the environment was made from; written last
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INPUT=1

say() { echo "env: $*" >&2; }
fail() {
  say "$*"
  exit 3
}

wanted() { cat requirements.lock pyproject.toml "$0" | sha256sum | cut -d ' ' -f 1; }

# The first interpreter that runs and is new enough; a name alone proves nothing.
find_python() {
  local name
  for name in ${PYTHON:-python3 python3.11 python3.12 python3.13 python3.14 python}; do
    if "$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
      echo "$name"
      return
    fi
  done
  fail "no Python 3.11 or newer found (tried: ${PYTHON:-python3, python3.11 to python3.14, python})." \
    "Install one (Debian, Ubuntu: apt-get install python3 python3-venv), or name it: make env PYTHON=/path/to/python3"
}

make_venv() {
  local python=$1
  "$python" -c 'import venv, ensurepip' 2>/dev/null ||
    fail "$python lacks the venv module. Install it (Debian, Ubuntu: apt-get install python3-venv) and run it again"
  say "making $venv with $("$python" --version)"
  "$python" -m venv --clear "$venv"
}

# pip says hundreds of lines; one every 20 packages shows that it is alive. All of them go to the log.
install() {
  local log=$venv/install.log total
  total=$(grep -c '^[^#]' requirements.lock)
  say "installing $total packages (a few minutes; needs the network unless pip has them)"
  if ! "$venv/bin/python" -m pip install --progress-bar off -r requirements.lock 2>&1 | tee "$log" |
    awk -v total="$total" '/^(Collecting|Processing) /{n++; if (n % 20 == 0) print "env: " n " of " total " found"; fflush()}
                           /^Installing /{print "env: unpacking"; fflush()}
                           /^ERROR/{print; fflush()}' >&2; then
    fail "pip could not install the packages of requirements.lock; its words are in $log." \
      "Without network, point PIP_FIND_LINKS to a folder with their wheels. Then run it again: it goes on where it stopped"
  fi
  "$venv/bin/python" -m pip install --quiet --no-build-isolation --no-deps -e . >>"$log" 2>&1 ||
    fail "pip could not install spidercompose itself; its words are in $log"
}

is_current() { [ -x "$venv/bin/python" ] && [ "$(cat "$stamp" 2>/dev/null)" = "$(wanted)" ]; }

is_current && exit 0
[ -f pyproject.toml ] && [ -f requirements.lock ] || fail "requirements.lock or pyproject.toml is missing; clone the repository again"
if command -v flock >/dev/null; then # two makes at once: the second waits, then finds it made
  exec 9>.venv.lock
  flock 9
  is_current && exit 0
fi
rm -f "$stamp"
if ! "$venv/bin/python" -c 'import sys, pip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
  python=$(find_python) || exit 3
  make_venv "$python"
fi
install
wanted >"$stamp"
say "ready: . $venv/bin/activate"
