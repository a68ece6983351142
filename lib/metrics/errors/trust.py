"""How far the rules of `errors` can be trusted: texts of people with one known fault each, and texts without any.

Each edit puts one kind of error into a question. Recall is the share of edited texts in which the rules find the kind;
false alarms are what they find in another question that people wrote for the same SQL, which has no fault (or nobody
knows of it), and in the reference itself.
"""

import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lib.alignment import align
from lib.alignment_score import positions_by_kind, read_gold
from lib.corpora import Corpus
from lib.metrics.errors import KINDS_OF_ERROR, diagnose
from lib.metrics.errors.edits import EDITS, Sample
from lib.metrics.text import joined
from lib.records import Schema
from lib.splitting import split


def samples(corpus: Corpus, source: str, size: int, seed: int = 1) -> list[Sample]:
    """Draws questions of a corpus, each with another question of the same SQL where there is one.

    Args:
        corpus: with true fragments in `fragments.jsonl`, or they are those of the aligner `viterbi`.
        source: train or dev.
        size: number of questions; all, if there are fewer.
        seed: of the draw.
    """
    gold = read_gold(corpus.folder / "fragments.jsonl") if (corpus.folder / "fragments.jsonl").is_file() else {}
    by_sql = defaultdict(list)
    for example in corpus.examples(source):
        by_sql[example.db_id, example.query].append(example)
    rng = random.Random(seed)
    drawn = []
    for (db_id, query), examples in by_sql.items():
        schema, clauses = corpus.schemas[db_id], split(query)
        for example in examples:
            others = [other.question for other in examples if joined(other.question) != joined(example.question)]
            drawn.append((example, clauses, schema, rng.choice(others) if others else ""))
    if len(drawn) > size:
        drawn = [drawn[i] for i in sorted(rng.sample(range(len(drawn)), size))]
    return [_sample(*entry, gold) for entry in drawn]


def _sample(example, clauses, schema: Schema, other: str, gold: Mapping) -> Sample:
    words = [joined(token) for token in example.tokens]
    if example.id in gold:
        found = gold[example.id].fragments
    else:
        found = positions_by_kind(align(example.tokens, clauses, schema, "viterbi"))
    kinds = {clause.kind.split()[0].lower(): clause.kind for clause in clauses}
    positions = {kinds[name]: tuple(places) for name, places in found.items() if name in kinds}
    return Sample(clauses, schema, tuple(word or "'" for word in words), positions, other)


@dataclass(slots=True)
class Trust:
    """How the rules did on one kind of error."""

    error: str  # one of KINDS_OF_ERROR
    edited: int = 0  # questions with this error put in, held against the question itself
    found: int = 0  # of these, found
    others: int = 0  # of these, with another kind reported besides
    edited_other: int = 0  # the same held against another question of the same SQL
    found_other: int = 0
    untouched: int = 0  # questions held against themselves
    alarms: int = 0  # of these, with this error reported
    untouched_other: int = 0  # questions held against another question of the same SQL
    alarms_other: int = 0

    @property
    def recall(self) -> float:
        """Share of errors found where the text is otherwise the reference, 0-1."""
        return self.found / max(1, self.edited)

    @property
    def recall_other(self) -> float:
        """Share of errors found where the text is worded otherwise, 0-1."""
        return self.found_other / max(1, self.edited_other)

    @property
    def false_alarms(self) -> float:
        """Share of texts without a fault, worded otherwise than the reference, that are said to have it, 0-1."""
        return self.alarms_other / max(1, self.untouched_other)

    @property
    def precision(self) -> float:
        """How often a report of this kind is right if every other text has the error, 0-1; worded otherwise."""
        reports = self.recall_other + self.false_alarms
        return self.recall_other / reports if reports else 0.0


def trust(drawn: Sequence[Sample], seed: int = 1) -> list[Trust]:
    """Measures the rules on known edits, one row a kind of error."""
    rng = random.Random(seed)
    rows = {error: Trust(error) for error in KINDS_OF_ERROR}
    for sample in drawn:
        _count_untouched(sample, rows)
        for error, edit in EDITS.items():
            words = edit(sample, rng)
            if words and joined(" ".join(words)) != sample.text:
                _count_edited(sample, " ".join(words), rows[error])
    return list(rows.values())


def _count_untouched(sample: Sample, rows: Mapping[str, Trust]) -> None:
    itself = _errors(sample, sample.text, sample.text)
    other = _errors(sample, sample.text, sample.reference) if sample.reference else frozenset()
    for error, row in rows.items():
        row.untouched += 1
        row.alarms += error in itself
        row.untouched_other += bool(sample.reference)
        row.alarms_other += error in other


def _count_edited(sample: Sample, text: str, row: Trust) -> None:
    found = _errors(sample, text, sample.text)
    row.edited += 1
    row.found += row.error in found
    row.others += bool(found - {row.error})
    if sample.reference:
        row.edited_other += 1
        row.found_other += row.error in _errors(sample, text, sample.reference)


def _errors(sample: Sample, text: str, reference: str) -> frozenset[str]:
    return diagnose(text, [reference], sample.clauses, sample.schema).errors
