"""Files with the texts of a system: one text a line, or JSONL with `id` and `text`."""

from collections.abc import Sequence
from pathlib import Path

from lib.errors import CorpusError, RecordError
from lib.files import read_jsonl, read_text
from lib.metrics.text import report
from lib.records import Pair


def with_reference(pairs: Sequence[Pair]) -> list[Pair]:
    """The pairs that have a text to compare with."""
    return [pair for pair in pairs if pair.text.strip()]


def read_predictions(path: Path, pairs: Sequence[Pair]) -> list[str]:
    """The text for each pair that has a reference.

    Args:
        path: `.jsonl` with ids, in any order; else one text a line, one line a pair (an empty line is an empty text).
            Pairs without a reference may have a text or not: in a file of lines all of them, or none.
        pairs: what the texts are for.

    Raises:
        CorpusError: if the file cannot be read, or texts are missing.
        RecordError: if a record has no id or text, or an id comes twice or is unknown.
    """
    path, kept = Path(path), with_reference(pairs)
    if path.suffix.lower() == ".jsonl":
        found = _by_id(path, {pair.id for pair in pairs}, kept)
        return [found[pair.id] for pair in kept]
    lines = read_text(path).split("\n")
    if lines and lines[-1] == "":
        lines.pop()
    if len(lines) not in (len(pairs), len(kept)):
        raise CorpusError(f"'{path}' has {len(lines)} lines for {len(pairs)} pairs: give one text a line for each pair")
    texts = [line.rstrip("\r") for line in lines]
    if len(lines) == len(kept):
        return texts
    return [text for text, pair in zip(texts, pairs, strict=True) if pair.text.strip()]


def _by_id(path: Path, known: set[str], needed: Sequence[Pair]) -> dict[str, str]:
    found: dict[str, str] = {}
    for number, record in enumerate(read_jsonl(path)):
        name, text = record.get("id"), record.get("text")
        if not isinstance(name, str) or not isinstance(text, str):
            raise RecordError(path.name, number, "needs the fields 'id' and 'text', both texts")
        if name not in known:
            raise RecordError(path.name, number, f"no pair of the dataset has the id '{name}'")
        if name in found:
            raise RecordError(path.name, number, f"the id '{name}' came before: give one text for each pair")
        found[name] = text
    missing = [pair.id for pair in needed if pair.id not in found]
    if missing:
        raise CorpusError(f"'{path}' has no text for {len(missing)} of {len(needed)} pairs, such as '{missing[0]}'")
    return found


def score_file(path: Path, pairs: Sequence[Pair]) -> dict:
    """The report on a file of texts; pairs without a reference are left out, and counted.

    Args:
        path: texts for all pairs, or for those with a reference.
        pairs: one part of a dataset.

    Raises:
        CorpusError, RecordError: if the file does not fit.
        ParameterError: if there is nothing to score.
    """
    kept = with_reference(pairs)
    return {"without_reference": len(pairs) - len(kept)} | report(read_predictions(path, pairs), kept)
