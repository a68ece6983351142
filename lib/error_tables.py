"""Errors of systems counted: by kind of error, of clause, by number of clauses and system; and examples."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from lib.datasets import whole_queries
from lib.metrics.errors import CORRECT, KINDS_OF_ERROR, PARAPHRASE, Diagnosis, diagnose
from lib.metrics.errors.trust import Trust
from lib.metrics.text import joined, sentence_bleu
from lib.records import KINDS, Pair, Schema
from lib.splitting import split

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True, slots=True)
class Judged:
    """One text with what is wrong with it."""

    system: str
    pair: Pair
    text: str
    diagnosis: Diagnosis
    bleu: float  # of the sentence, 0-100


def judge(texts: Mapping[str, Sequence[str]], pairs: Sequence[Pair], schemas: Mapping[str, Schema]) -> list[Judged]:
    """Judges what systems wrote; all texts of pairs with the same SQL count as references.

    Args:
        texts: by system, one for each pair.
        pairs: with their references.
        schemas: by database; one that is missing is done without.
    """
    references: dict[tuple[str, str], dict[str, None]] = {}
    for pair in pairs:
        references.setdefault((pair.db_id, pair.sql), {})[pair.text] = None
    wholes = {example: split(sql) for example, sql in whole_queries(pairs).items()}
    judged = []
    for system, written in texts.items():
        for pair, text in zip(pairs, written, strict=True):
            known = [pair.text, *(other for other in references[pair.db_id, pair.sql] if other != pair.text)]
            found = diagnose(text, known, wholes[pair.example_id], schemas.get(pair.db_id), pair.kinds)
            judged.append(Judged(system, pair, text, found, sentence_bleu(joined(text), joined(pair.text))))
    return judged


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
