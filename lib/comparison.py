"""Systems side by side on the same test pairs: scores, their intervals, and what experiment 2 takes away."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from lib.datasets import read_part
from lib.errors import ModelError
from lib.files import read_jsonl
from lib.metrics.bootstrap import Comparison, Estimate, compare, interval
from lib.metrics.text import N_STATISTICS, bleu_of, bleu_statistics, exact_matches, joined, sentence_bleu
from lib.partition.baselines import BASELINES, Lookup
from lib.records import Pair
from lib.report import VERDICTS

if TYPE_CHECKING:
    from pandas import DataFrame

_COLUMNS = N_STATISTICS + 2  # of one seed: what BLEU needs, exact matches, pairs


@dataclass(frozen=True, slots=True)
class Output:
    """What one system wrote for the test pairs of one dataset."""

    system: str  # name of a model or baseline
    dataset: str  # name of the dataset that it learned from
    texts: tuple[tuple[str, ...], ...]  # for each seed, a text for each test pair in order


def read_tests(data: Path) -> list[Pair]:
    """The test pairs that have a text."""
    return [pair for pair in read_part(data, "test") if pair.text.strip()]


def baseline_outputs(data: Path, pairs: Sequence[Pair]) -> list[Output]:
    """What the baselines write that only copy training texts.

    Args:
        data: dataset whose training part they look up.
        pairs: test pairs.
    """
    lookup = Lookup(read_part(data, "train"))
    return [
        Output(name, data.name, (tuple(write(lookup, pair) for pair in pairs),)) for name, write in BASELINES.items()
    ]


def model_output(system: str, dataset: str, runs: Iterable[Path], pairs: Sequence[Pair]) -> Output:
    """What a model wrote, by seed; joined with the pairs by id.

    Raises:
        ModelError: if a run has no text for a pair.
    """
    texts = []
    for run in runs:
        written = {record["id"]: record["text"] for record in read_jsonl(run / "predictions-test.jsonl")}
        missing = [pair.id for pair in pairs if pair.id not in written]
        if missing:
            raise ModelError(f"'{run}' has no text for {missing[0]}: evaluate it again on this dataset")
        texts.append(tuple(written[pair.id] for pair in pairs))
    return Output(system, dataset, tuple(texts))


def statistics(output: Output, pairs: Sequence[Pair]) -> np.ndarray:
    """What the scores need to know of each pair, (pairs, seeds * _COLUMNS); resamples add up rows."""
    references = [pair.text for pair in pairs]
    blocks = []
    for texts in output.texts:
        counts = bleu_statistics(map(joined, texts), map(joined, references))
        exact = np.array(exact_matches(texts, references), dtype=np.int64)
        blocks.append(np.column_stack([counts, exact, np.ones_like(exact)]))
    return np.concatenate(blocks, axis=1)


def mean_bleu(sums: np.ndarray) -> float:
    """Corpus BLEU-4, 0-100, mean over seeds, of summed statistics."""
    return float(np.mean([bleu_of(block) for block in _blocks(sums)]))


def mean_exact(sums: np.ndarray) -> float:
    """Exact match in percent, mean over seeds, of summed statistics."""
    return float(np.mean([100 * block[N_STATISTICS] / block[N_STATISTICS + 1] for block in _blocks(sums)]))


def mean_score(sums: np.ndarray) -> float:
    """The mean of BLEU and exact match, 0-100: the paper's score without its human ratings."""
    return (mean_bleu(sums) + mean_exact(sums)) / 2


def _blocks(sums: np.ndarray) -> np.ndarray:
    return sums.reshape(-1, _COLUMNS)


EXPERIMENTS = {"paper": "experiment 1", "experiment2": "experiment 2"}  # datasets by the paper's names
MODELS = {"bilstm": "BiLSTM", "abs": "ABS", "rel": "REL", "treelstm": "TreeLSTM", "rgt": "RGT"}  # the paper's names
SCORES = {"BLEU-4": mean_bleu, "exact match %": mean_exact, "mean": mean_score}


def score_table(outputs: Sequence[Output], pairs: Sequence[Pair]) -> "DataFrame":
    """Every score of every output with its 95 % interval; pairs of one SQL are drawn together.

    Returns:
        Columns system, dataset, seeds, score, value, low, high.
    """
    import pandas

    groups = [pair.sql for pair in pairs]
    rows = []
    for output in outputs:
        counts = statistics(output, pairs)
        for name, score in SCORES.items():
            found: Estimate = interval(counts, groups, score)
            rows.append((output.system, output.dataset, len(output.texts), name, found.value, found.low, found.high))
    return pandas.DataFrame(rows, columns=["system", "dataset", "seeds", "score", "value", "low", "high"])


def experiments(scores: "DataFrame") -> "DataFrame":
    """Scores side by side, as in table 9 of the paper.

    Args:
        scores: of `score_table`.

    Returns:
        Columns system, score, experiment 1, experiment 2, difference, and the other datasets; in the order given.
    """
    wide = scores.pivot(index=["system", "score"], columns="dataset", values="value")
    wide = wide.reindex(scores[["system", "score"]].drop_duplicates().apply(tuple, axis=1).tolist())
    wide = wide[list(dict.fromkeys(scores["dataset"]))].rename(columns=EXPERIMENTS)
    wide.insert(2, "difference", wide["experiment 1"] - wide["experiment 2"])
    return wide.reset_index()


def difference(
    outputs: Sequence[Output], pairs: Sequence[Pair], one: tuple[str, str], other: tuple[str, str]
) -> Comparison:
    """BLEU of one output minus that of another, paired over resamples of the test questions.

    Args:
        outputs: of all systems on all datasets.
        pairs: test pairs.
        one: system and dataset of the first.
        other: of the second.
    """
    by_key = {(output.system, output.dataset): output for output in outputs}
    ours, theirs = (statistics(by_key[key], pairs) for key in (one, other))
    return compare(ours, theirs, [pair.sql for pair in pairs], mean_bleu)


def conclusion(found: Estimate, above: bool) -> str:
    """Whether a difference is above (or below) zero; `too close` if its interval holds zero.

    >>> conclusion(Estimate(-3.0, -5.0, -1.0), above=False), conclusion(Estimate(0.5, -1.0, 2.0), above=True)
    ('holds', 'too close')
    """
    low, high = (found.low, found.high) if above else (-found.high, -found.low)
    return VERDICTS[0] if low > 0 else VERDICTS[1] if high < 0 else VERDICTS[2]


def by_clauses(outputs: Sequence[Output], pairs: Sequence[Pair]) -> "DataFrame":
    """BLEU by number of clauses.

    Returns:
        Columns system, dataset, clauses, pairs, BLEU-4.
    """
    import pandas

    rows = []
    for size in sorted({pair.n_clauses for pair in pairs}):
        chosen = [index for index, pair in enumerate(pairs) if pair.n_clauses == size]
        for output in outputs:
            sums = statistics(output, pairs)[chosen].sum(axis=0)
            rows.append((output.system, output.dataset, size, len(chosen), mean_bleu(sums)))
    return pandas.DataFrame(rows, columns=["system", "dataset", "clauses", "pairs", "BLEU-4"])


def examples(output: Output, pairs: Sequence[Pair]) -> "DataFrame":
    """The best, a middling and the worst text of the first seed, by sentence BLEU.

    Returns:
        Columns SQL, reference, text, sentence BLEU.
    """
    import pandas

    scored = [(sentence_bleu(joined(text), joined(pair.text)), pair.id, pair, text)
              for pair, text in zip(pairs, output.texts[0], strict=True)]  # fmt: skip
    ranked = sorted(scored, key=lambda entry: entry[:2])
    chosen = [ranked[-1], ranked[len(ranked) // 2], ranked[0]]
    rows = [(pair.sql, pair.text, text, score) for score, _, pair, text in chosen]
    return pandas.DataFrame(rows, columns=["SQL", "reference", "text", "sentence BLEU"])
