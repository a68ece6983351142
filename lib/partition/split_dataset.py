"""The dataset of a split: whole examples as pairs, a manifest with the verified properties, and the id lists."""

import platform
from collections.abc import Callable, Mapping
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path

from lib import __version__
from lib.composition import whole
from lib.corpora import Corpus
from lib.datasets import PARTS, check_free, names_of, read_manifest, retire, write_names, write_part, write_queries
from lib.files import sha256, write_json
from lib.partition.description import describe
from lib.partition.properties import properties
from lib.partition.published import read_split, write_ids
from lib.partition.splits import Options, examples_of, make_split, take_apart
from lib.records import Example, Schema
from lib.splitting import split as split_clauses

_NOTES = {
    "spider": "Training, validation and test part come from all examples of the corpus, 80, 10 and 10 % of them; the"
    " paper does not state its sizes.",
    "ssp": "Training examples of the databases with at least 50 of them, three quarters for training and one for"
    " testing (Shaw et al. 2021); there is no validation part.",
    "original": "The corpus's own parts: dev is the test part; whole databases with a tenth of the training examples"
    " are set apart for validation.",
    "file": "The parts are those of the file.",
}


def split_corpus(corpus: Corpus, options: Options, file: Path | None = None, progress: Callable = iter):
    """Splits a corpus, or reads how a file splits it, and measures the properties.

    Args:
        corpus: the corpus.
        options: method, setting and definition.
        file: id lists; if given, they are the split, and the method plays no part.
        progress: wraps the stream of examples, to show how far it is.

    Returns:
        The examples of each part, and the manifest.

    Raises:
        ParameterError: if the corpus does not allow the split.
        RecordError: if the file does not fit the corpus.
    """
    examples = examples_of(corpus, options.setting)
    parts, unreadable = take_apart(progress(examples), corpus.schemas, options.definition)
    split = (
        make_split([example for example in examples if example.id in parts], parts, options)
        if file is None
        else {part: _readable(read_split(file, examples)[part], parts) for part in PARTS}
    )
    key = "file" if file else "original" if options.method == "original" else options.setting
    source = {"method": "file", "file": file.name, "file_sha256": sha256(file)} if file else {}
    manifest = {
        "dataset": f"{corpus.name} split by {file.name if file else options.method}",
        "corpus": {
            "name": corpus.name,
            "examples": len(examples),
            "unreadable": dict(sorted(unreadable.items())),
            "set_aside": [str(problem) for problem in corpus.problems],
            "sha256": {path.name: sha256(path) for path in _inputs(corpus, options)},
        },
        "options": asdict(options) | source,
        "sizes_note": _NOTES[key],
        "versions": {"sqlglot": version("sqlglot"), "numpy": version("numpy"), "spidercompose": __version__,
                     "python": platform.python_version()},
    }  # fmt: skip
    return split, manifest | properties(split, parts)


def _readable(examples: list[Example], parts: Mapping) -> list[Example]:
    return [example for example in examples if example.id in parts]


def _inputs(corpus: Corpus, options: Options) -> list[Path]:
    files = [corpus.folder / "tables.json", corpus.file("train")]
    return files if options.setting == "ssp" else [*files, corpus.file("dev")]


def write_split(folder: Path, split: dict[str, list[Example]], manifest: dict, schemas: Mapping[str, Schema]) -> dict:
    """Writes the parts of the dataset, `names.json`, `ids.json` and, at last, `manifest.json`.

    Args:
        folder: where they go; made if absent.
        split: examples of each part.
        manifest: what is known of the split.
        schemas: of the corpus.

    Returns:
        The manifest with leakage and hashes of the files.

    Raises:
        ParameterError: if the folder holds other things.
    """
    folder = Path(folder)
    check_free(folder)
    retire(folder)
    for part in PARTS:
        write_part(folder, part, (whole(example, split_clauses(example.query)) for example in split[part]))
    databases = {example.db_id for part in PARTS for example in split[part]}
    write_names(folder, {name: names_of(schemas[name]) for name in databases})
    write_queries(folder, {})  # each pair is a whole query
    write_ids(folder / "ids.json", split)
    manifest = manifest | describe(folder)
    write_json(folder / "manifest.json", manifest)
    return manifest


def made_split(folder: Path, corpus: Corpus, options: Options) -> dict:
    """The manifest of a split's dataset, which is made if it is not there.

    A dataset of the same name that was made from other files or in another way, or has no names, is replaced.

    Args:
        folder: of the dataset.
        corpus: the corpus.
        options: how to split it.
    """
    if (folder / "manifest.json").is_file() and (folder / "names.json").is_file():
        made = read_manifest(folder)
        inputs = {path.name: sha256(path) for path in _inputs(corpus, options)}
        if made.get("options") == asdict(options) and made["corpus"]["sha256"] == inputs:
            return made
    write_split(folder, *split_corpus(corpus, options), corpus.schemas)
    return read_manifest(folder)  # as it will be read the next time, keys in the order of the file
