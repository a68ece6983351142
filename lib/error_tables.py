"""Errors of systems counted: by kind of error, of clause, by number of clauses and system; and examples."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from lib.comparison import MODELS, baseline_outputs, conclusion, model_output
from lib.errors import StudyError
from lib.inputs import run_name
from lib.metrics.bootstrap import Estimate, interval
from lib.metrics.errors import CORRECT, DROPPED, INVENTED, KINDS_OF_ERROR, PARAPHRASE, Diagnosis
from lib.metrics.errors.pairs import diagnoses
from lib.metrics.errors.trust import Trust
from lib.metrics.text import joined, sentence_bleu
from lib.models.configuration import TREE_MODELS
from lib.records import KINDS, Pair, Schema
from lib.report import UNKNOWN, verdict

if TYPE_CHECKING:
    from pandas import DataFrame

    from lib.models.explain import Attention

_FEW = 10  # texts; of fewer nothing is stated


@dataclass(frozen=True, slots=True)
class Judged:
    """One text with what is wrong with it."""

    system: str
    pair: Pair
    text: str
    diagnosis: Diagnosis
    bleu: float  # of the sentence, 0-100


def learned(runs: Path, dataset: str) -> dict[str, Path]:
    """The first run of each model that has learned a dataset and written its test texts.

    Args:
        runs: folder of the runs of a study.
        dataset: name of the dataset.

    Raises:
        StudyError: if there is none.
    """
    folders = {model: Path(runs) / run_name(model, dataset, 1) for model in MODELS}
    found = {model: folder for model, folder in folders.items() if (folder / "predictions-test.jsonl").is_file()}
    if not found:
        raise StudyError(f"'{runs}' holds no scored run on '{dataset}': run the study first, or train one")
    return found


def written(found: Mapping[str, Path], data: Path, pairs: Sequence[Pair]) -> dict[str, Sequence[str]]:
    """What models and the baselines that only copy wrote for test pairs, by name as shown.

    Args:
        found: run of each model.
        data: dataset that they learned from.
        pairs: its test pairs.
    """
    outputs = [model_output(MODELS[model], data.name, [run], pairs) for model, run in found.items()]
    return {output.system: output.texts[0] for output in (*outputs, *baseline_outputs(data, pairs))}


def for_attention(found: Mapping[str, Path]) -> tuple[str, str]:
    """A sequence model and a tree model to look into; the same twice where a study has only one sort."""
    trees = [model for model in found if model in TREE_MODELS]
    others = [model for model in found if model not in TREE_MODELS]
    return (others or trees)[0], (trees or others)[-1]


def short_pair(pairs: Sequence[Pair]) -> Pair:
    """A pair with SELECT, WHERE and ORDER BY whose SQL is short enough for a picture; else the shortest."""
    ranked = sorted(pairs, key=lambda pair: (pair.kinds != ("SELECT", "WHERE", "ORDER BY"), len(pair.sql), pair.id))
    return ranked[0]


def attention_table(seen: "Attention") -> "DataFrame":
    """Attention as a table: a row for each word, a column for each token, which are numbered since they may repeat."""
    import pandas

    frame = pandas.DataFrame(seen.weights.round(3), columns=[f"{i} {word}" for i, word in enumerate(seen.source)])
    frame.insert(0, "word", seen.words)
    return frame


def judge(texts: Mapping[str, Sequence[str]], pairs: Sequence[Pair], schemas: Mapping[str, Schema]) -> list[Judged]:
    """Judges what systems wrote.

    Args:
        texts: by system, one for each pair.
        pairs: with their references.
        schemas: by database; one that is missing is done without.
    """
    return [
        Judged(system, pair, text, found, sentence_bleu(joined(text), joined(pair.text)))
        for system, written in texts.items()
        for pair, text, found in zip(pairs, written, diagnoses(written, pairs, schemas), strict=True)
    ]


def share_table(judged: Sequence[Judged]) -> "DataFrame":
    """Percent of the texts of each system that have each kind of error, and that have none.

    Returns:
        A column `kind` and one for each system; the last three rows are the share without a finding, the share of exact
        matches in it, and the number of texts.
    """
    import pandas

    systems = list(dict.fromkeys(item.system for item in judged))
    rows = []
    for error in KINDS_OF_ERROR:
        rows.append((error, *(_percent(judged, system, error) for system in systems)))
    for label, verdicts in ((PARAPHRASE, (PARAPHRASE, CORRECT)), (f"{CORRECT} (exact match)", (CORRECT,))):
        mine = [[item.diagnosis.verdict in verdicts for item in judged if item.system == system] for system in systems]
        rows.append((label, *(100 * sum(found) / len(found) for found in mine)))
    return pandas.DataFrame(rows, columns=["kind", *systems])


def _percent(judged: Iterable[Judged], system: str, error: str) -> float:
    mine = [error in item.diagnosis.errors for item in judged if item.system == system]
    return 100 * sum(mine) / len(mine)


def clause_table(judged: Sequence[Judged], system: str) -> "DataFrame":
    """Of the texts whose SQL has a clause, the percent that have each kind of error in that clause.

    Args:
        judged: texts of all systems.
        system: whose texts count.

    Returns:
        A column `kind`, one for each kind of clause that occurs; the last row is the number of texts. Errors of no one
        clause, such as repetition, are left out.
    """
    import pandas

    mine = [item for item in judged if item.system == system]
    kinds = [kind for kind in KINDS if any(kind in item.pair.kinds for item in mine)]
    rows = []
    for error in KINDS_OF_ERROR[:-1]:
        rows.append((error, *(_clause_percent(mine, error, kind) for kind in kinds)))
    rows.append(("texts", *(float(sum(kind in item.pair.kinds for item in mine)) for kind in kinds)))
    return pandas.DataFrame(rows, columns=["kind", *kinds])


def _clause_percent(judged: Sequence[Judged], error: str, kind: str) -> float:
    having = [item for item in judged if kind in item.pair.kinds]
    found = [any(f.error == error and kind in f.clause.split("+") for f in item.diagnosis.findings) for item in having]
    return 100 * sum(found) / len(having)


def size_table(judged: Sequence[Judged]) -> "DataFrame":
    """Findings by number of clauses.

    Returns:
        Columns system, clauses, texts, "errors a text" (kinds of error, mean), "without a finding %".
    """
    import pandas

    rows = []
    for system in dict.fromkeys(item.system for item in judged):
        for size in sorted({item.pair.n_clauses for item in judged}):
            mine = [item for item in judged if item.system == system and item.pair.n_clauses == size]
            if mine:
                kinds = sum(len(item.diagnosis.errors) for item in mine) / len(mine)
                free = 100 * sum(not item.diagnosis.findings for item in mine) / len(mine)
                rows.append((system, size, len(mine), kinds, free))
    return pandas.DataFrame(rows, columns=["system", "clauses", "texts", "errors a text", "without a finding %"])


def trust_table(rows: Sequence[Trust]) -> "DataFrame":
    """How far each rule can be trusted, in percent; see `metrics.errors.trust`."""
    import pandas

    found = [
        (row.error, row.edited, 100 * row.recall, row.edited_other, 100 * row.recall_other, 100 * row.false_alarms,
         100 * row.precision)
        for row in rows
    ]  # fmt: skip
    columns = ["kind", "edited", "found %", "edited, worded otherwise", "found there %", "false alarms %",
               "right when reported %"]  # fmt: skip
    return pandas.DataFrame(found, columns=columns)


def claims(judged: Sequence[Judged], systems: Sequence[str], trusted: Sequence[Trust]) -> list[tuple]:
    """What we find, for `report.show_verdicts`; intervals (95 %) by resampling pairs, those of one SQL together.

    Args:
        judged: texts of all systems.
        systems: the models among them.
        trusted: how the rules did on known faults.
    """
    found = _claims_of_trust([row for row in trusted if row.edited >= _FEW])
    for system in systems:
        mine = [item for item in judged if item.system == system]
        claim = f"{system}: clauses are dropped more often than invented (points of percent)"
        found.append((claim, "not asked", *_dropped_or_invented(mine)))
        sizes = Counter(item.pair.n_clauses for item in mine)
        if sizes[3] and sizes[4]:
            claim = f"{system}: texts for 4 clauses have more kinds of error than texts for 3"
            found.append((claim, "not asked", *_growing(mine, sizes)))
    return found


def _claims_of_trust(trusted: Sequence[Trust]) -> list[tuple]:
    """What is known of the rules, by the kinds of error that were tried often enough."""
    right = "a kind that is reported is right 9 times of 10, if every other text has it"
    fair = "no rule accuses more than 1 of 20 right texts"
    if not trusted:
        return [(claim, "not asked", "too few questions to tell", UNKNOWN) for claim in (right, fair)]
    weakest = min(trusted, key=lambda row: row.precision)
    most = max(trusted, key=lambda row: row.false_alarms)
    return [
        (right, "not asked", f"{100 * weakest.precision:.0f} % or more, least for {weakest.error}",
         verdict(weakest.precision >= 0.9)),
        (fair, "not asked", f"{100 * most.false_alarms:.1f} % or less, most for {most.error}",
         verdict(most.false_alarms <= 0.05)),
    ]  # fmt: skip


def _dropped_or_invented(items: Sequence[Judged]) -> tuple[str, str]:
    if len(items) < _FEW:
        return f"{len(items)} texts, too few", UNKNOWN
    gap = _gap(items, lambda item: (DROPPED in item.diagnosis.errors) - (INVENTED in item.diagnosis.errors))
    return _said(gap, 1), conclusion(gap, above=True)


def _growing(items: Sequence[Judged], sizes: Counter) -> tuple[str, str]:
    count, clauses = min((sizes[n], n) for n in (3, 4))
    if count < _FEW:
        return f"{count} texts for {clauses} clauses, too few", UNKNOWN
    more = _more_with_clauses(items)
    return _said(more, 2), conclusion(more, above=True)


def _gap(items: Sequence[Judged], value) -> Estimate:
    rows = np.array([[100 * value(item), 1] for item in items], dtype=float)
    return interval(rows, [item.pair.sql for item in items], lambda sums: sums[0] / sums[1])


def _more_with_clauses(items: Sequence[Judged]) -> Estimate:
    """Mean number of kinds of error a text with 4 clauses, minus that with 3."""
    rows = np.zeros((len(items), 4))
    for row, item in zip(rows, items, strict=True):
        place = {3: 0, 4: 2}.get(item.pair.n_clauses)
        if place is not None:
            row[place : place + 2] = len(item.diagnosis.errors), 1
    groups = [item.pair.sql for item in items]
    return interval(rows, groups, lambda sums: sums[2] / max(sums[3], 1) - sums[0] / max(sums[1], 1))


def _said(found: Estimate, digits: int) -> str:
    return f"{found.value:+.{digits}f} ({found.low:+.{digits}f} to {found.high:+.{digits}f})"


def worst(judged: Sequence[Judged], count: int) -> "DataFrame":
    """The texts with the lowest sentence BLEU, each SQL once; of equal ones those with more kinds of error."""
    ranked = sorted(judged, key=lambda item: (item.bleu, -len(item.diagnosis.errors), item.pair.id, item.system))
    return _shown(_each_sql_once(ranked, count))


def typical(judged: Sequence[Judged], count: int) -> "DataFrame":
    """The texts whose sentence BLEU is nearest to the median, each SQL once."""
    scores = sorted(item.bleu for item in judged)
    middle = scores[len(scores) // 2]
    ranked = sorted(judged, key=lambda item: (abs(item.bleu - middle), item.pair.id, item.system))
    return _shown(_each_sql_once(ranked, count))


def one_of_each(judged: Sequence[Judged]) -> "DataFrame":
    """For each kind of error the text with the fewest other errors, of these the one with the highest sentence BLEU."""
    chosen = []
    for error in KINDS_OF_ERROR:
        having = [item for item in judged if error in item.diagnosis.errors]
        if having:
            best = min(having, key=lambda item: (len(item.diagnosis.errors), -item.bleu, item.pair.id, item.system))
            chosen.append((error, best))
    frame = _shown([item for _, item in chosen])
    frame.insert(0, "kind", [error for error, _ in chosen])
    return frame


def _each_sql_once(ranked: Iterable[Judged], count: int) -> list[Judged]:
    found: dict[str, Judged] = {}
    for item in ranked:
        if len(found) == count:
            break
        found.setdefault(item.pair.sql, item)
    return list(found.values())


def _shown(items: Sequence[Judged]) -> "DataFrame":
    import pandas

    rows = [
        (item.system, item.pair.sql, item.pair.text, item.text, item.bleu, said_of(item.diagnosis)) for item in items
    ]
    return pandas.DataFrame(rows, columns=["system", "SQL", "reference", "text", "sentence BLEU", "found"])


def said_of(diagnosis: Diagnosis) -> str:
    """A diagnosis in words.

    >>> from lib.metrics.errors import Finding
    >>> said_of(Diagnosis("error found", (Finding("wrong value", "WHERE", "30"), Finding("repetition", "", "and"))))
    'wrong value (WHERE: 30); repetition (and)'
    """
    if not diagnosis.findings:
        return diagnosis.verdict
    return "; ".join(_finding(**asdict(finding)) for finding in diagnosis.findings)


def _finding(error: str, clause: str, what: str) -> str:
    inner = ": ".join(part for part in (clause, what) if part)
    return f"{error} ({inner})" if inner else error
