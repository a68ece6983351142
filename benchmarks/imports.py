"""How long imports and the command take from a cold start; `import lib` must stay under 0.3 s."""

import subprocess
import sys
import time
from statistics import median

REPEATS = 7
CASES = {
    "python alone": ["-c", "pass"],
    "import lib": ["-c", "import lib"],
    "import lib.cli": ["-c", "import lib.cli"],
    "spidercompose split": ["-m", "lib.cli", "split", "SELECT a FROM t WHERE b = 1"],
}


def seconds(arguments: list[str]) -> float:
    """Median wall time of a new interpreter."""
    taken = []
    for _ in range(REPEATS):
        started = time.perf_counter()
        subprocess.run([sys.executable, *arguments], check=True, capture_output=True)
        taken.append(time.perf_counter() - started)
    return median(taken)


def main() -> int:
    """Prints a line a case; 1 if `import lib` is over its limit."""
    found = {name: seconds(arguments) for name, arguments in CASES.items()}
    print(*(f"{name:20} {1000 * value:6.0f} ms" for name, value in found.items()), sep="\n")
    return int(found["import lib"] > 0.3)


if __name__ == "__main__":
    sys.exit(main())
