"""`python -m data.builtin.make [--out FOLDER]`: makes the built-in corpus anew."""

import argparse
import json
from pathlib import Path

from data.builtin.make.corpus import build


def main() -> None:
    """Makes the corpus and prints its statistics."""
    parser = argparse.ArgumentParser(prog="python -m data.builtin.make", description="Make the built-in corpus anew.")
    parser.add_argument("--out", type=Path, default=Path(__file__).parents[1], help="folder to write to")
    print(json.dumps(build(parser.parse_args().out), indent=1))


if __name__ == "__main__":
    main()
