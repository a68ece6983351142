"""A trained model on a dataset: texts, scores, files."""

from pathlib import Path

from lib.datasets import PARTS
from lib.errors import ParameterError, suggest
from lib.files import write_json, write_jsonl
from lib.metrics.text import report
from lib.models.data import read_sources
from lib.models.runs import hashes_of, load


def evaluate(folder: Path, data: Path, part: str = "test", beam: int | None = None) -> dict:
    """Scores a run on one part of a dataset; writes `predictions-PART.jsonl` and `scores-PART.json` into the run.

    Args:
        folder: of a finished run.
        data: folder of a dataset.
        part: train, validation or test.
        beam: width of the search; that of the run's settings if not given.

    Returns:
        The report of `metrics.text.report`, with the part, the beam, the hash of the data and the pairs left out.

    Raises:
        ParameterError: if the part is unknown or empty, or the beam out of range.
        ModelError, CorpusError: if the run or the dataset is missing or broken.
    """
    if part not in PARTS:
        raise ParameterError(f"unknown part '{part}': {suggest(part, PARTS)}")
    run = load(folder)
    beam = run.settings.decoder.beam if beam is None else beam
    found = read_sources(data, (part,), run.settings.model)[part]
    texts = run.translate(found.read, beam)
    facts = {"part": part, "beam": beam, "data": hashes_of(data)[part], "without_reference": found.without_text}
    scores = facts | report(texts, found.pairs)
    records = ({"id": pair.id, "text": text} for pair, text in zip(found.pairs, texts, strict=True))
    write_jsonl(Path(folder) / f"predictions-{part}.jsonl", records)
    write_json(Path(folder) / f"scores-{part}.json", scores)
    return scores
