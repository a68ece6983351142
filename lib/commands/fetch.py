"""Download a corpus: resumable, checked, in place only when whole. Shows its licence first."""

import argparse
import re
from pathlib import Path

from lib.catalogue import CATALOGUE, fetch, with_source
from lib.errors import ParameterError
from lib.paths import RAW
from lib.progress import progress


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of `spidercompose fetch`."""
    parser.add_argument("name", choices=tuple(CATALOGUE), help="which corpus")
    parser.add_argument("--to", type=Path, help="its folder (default: data/raw/NAME, where --corpus NAME finds it)")
    parser.add_argument("--source", default="", help="another address of the archive, or an archive on this machine")
    parser.add_argument("--sha256", help="what the SHA-256 of the archive must be")
    parser.add_argument("--size", type=int, help="how many bytes the archive must have")
    parser.add_argument("--any-version", action="store_true", help="install it even if its queries are others")


def run(args: argparse.Namespace) -> None:
    """Fetches and says where the corpus is."""
    if args.sha256 is not None and not re.fullmatch(r"[0-9a-fA-F]{64}", args.sha256):
        raise ParameterError(f"--sha256 takes 64 hex digits, not '{args.sha256:.80}'")
    if args.size is not None and args.size <= 0:
        raise ParameterError(f"--size takes a number of bytes above 0, not {args.size}")
    digest = args.sha256.lower() if args.sha256 else None
    entry = with_source(CATALOGUE[args.name], args.size, digest, args.any_version, elsewhere=bool(args.source))
    corpus = fetch(entry, args.to or RAW / args.name, args.source, progress)
    print(f"{args.name} is in {corpus.folder}")
