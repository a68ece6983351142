"""Split a corpus by templates, compounds (TMCD), length or chance, or as it is, and verify the properties of the split.

Writes train.jsonl, validation.jsonl, test.jsonl, ids.json and manifest.json. With --split FILE it takes the split from
a file (ids, or the published indices of Spider-SSP) and reports the same properties.
"""

import argparse
from pathlib import Path

from lib.corpora import open_corpus
from lib.errors import ParameterError
from lib.partition.compounds import DEFINITIONS
from lib.partition.split_dataset import split_corpus, write_split
from lib.partition.splits import METHODS, SETTINGS, Options
from lib.progress import progress


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of `spidercompose splits`."""
    parser.add_argument("--corpus", default="builtin", help="builtin, spider, or a folder in Spider's format")
    parser.add_argument("--method", choices=METHODS, help="how to split")
    parser.add_argument(
        "--out", type=Path, help="folder for the dataset, replaces an older one in it; may be left out with --split"
    )
    parser.add_argument("--setting", choices=SETTINGS, default="spider",
                        help="spider: 80/10/10 %% of all examples; ssp: 75/0/25 %% of the training examples of"
                        " databases with at least 50 of them")  # fmt: skip
    parser.add_argument("--seed", type=int, default=1, help="of what is left to chance (default: 1)")
    parser.add_argument("--definition", choices=tuple(DEFINITIONS), default="ours",
                        help="of atoms and compounds: ours, or that of Shaw et al. 2021 (default: ours)")  # fmt: skip
    parser.add_argument("--length-matched", action="store_true",
                        help="tmcd only: keep mean SQL lengths of both sides within a tenth")  # fmt: skip
    parser.add_argument("--split", type=Path, metavar="FILE", help="take the split from this file")
    parser.add_argument("--strict", action="store_true", help="stop at the first broken record")


def run(args: argparse.Namespace) -> None:
    """Makes or reads the split, writes the dataset and prints its properties."""
    if bool(args.method) == bool(args.split):
        raise ParameterError("give either --method, to make a split, or --split FILE, to read one")
    if not args.out and not args.split:
        raise ParameterError("--out is missing: name a folder for the dataset")
    method = args.method or "random"  # plays no part when the split is read
    options = Options(method, args.setting, args.seed, args.definition, args.length_matched)
    corpus = open_corpus(args.corpus, strict=args.strict)
    split, manifest = split_corpus(corpus, options, args.split, lambda examples: progress(examples, "examples"))
    if args.out:
        write_split(args.out, split, manifest, corpus.schemas)
    print(summary(manifest))


def summary(manifest: dict) -> str:
    """The properties of a split in a few lines."""
    lengths = manifest["sql_length"]
    lines = [
        f"{part:11} {size:6,} examples" + (f", SQL {lengths[part]['mean']:.1f} tokens on average" if size else "")
        for part, size in manifest["sizes"].items()
    ]
    for part, found in (("test", manifest), ("validation", manifest["validation"])):
        if not found or "compound_divergence" not in found:
            continue
        divergence = f"{found['compound_divergence']:.4f} in compounds, {found['atom_divergence']:.4f} in atoms"
        counts = {"an unseen atom": "unseen_atom", "a seen template": "seen_template", "a seen SQL": "seen_sql"}
        having = ", ".join(f"{words} {found[f'{name}_examples']:,}" for words, name in counts.items())
        lines += [f"{part:11} divergence from training {divergence}", f"{part:11} examples with {having}"]
    unread = len(manifest["corpus"]["unreadable"])
    if unread or manifest["corpus"]["set_aside"]:
        lines.append(f"set aside   {unread:,} examples that the definition cannot read,"
                     f" {len(manifest['corpus']['set_aside']):,} broken records; the manifest names them")  # fmt: skip
    return "\n".join(lines)
