"""Aligners against the true fragments that a corpus may come with (`fragments.jsonl`), as the built-in one does."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from lib.alignment import ALIGNERS
from lib.alignment_score import Gold, Score, add_question, positions_by_kind, read_gold
from lib.corpora import Corpus
from lib.records import Clause, Example, Fragment, Schema
from lib.splicing import spans_of, to_fragment
from lib.splitting import split

if TYPE_CHECKING:
    from pandas import DataFrame

Aligner = Callable[[Sequence[str], Sequence[Clause], Schema | None], Sequence]


def _whole(tokens: Sequence[str], clauses: Sequence[Clause], schema: Schema | None) -> Sequence:
    return [spans_of(range(len(tokens)))] * len(clauses)


def _equal_parts(tokens: Sequence[str], clauses: Sequence[Clause], schema: Schema | None) -> Sequence:
    cuts = [len(tokens) * i // len(clauses) for i in range(len(clauses) + 1)]
    return [spans_of(range(start, stop)) for start, stop in pairwise(cuts)]


# What one gets without reading the SQL: every clause the whole question, or an equal part of it.
YARDSTICKS: dict[str, Aligner] = {"whole question": _whole, "equal parts": _equal_parts}


_NO_GOLD = Gold({}, frozenset())


def gold_of(corpus: Corpus) -> dict[str, Gold]:
    """The true fragments of a corpus by example id; empty if it comes without.

    Raises:
        CorpusError: if its file of them is broken.
    """
    path = corpus.folder / "fragments.jsonl"
    return read_gold(path) if path.is_file() else {}


def scores(corpus: Corpus, source: str) -> dict[str, Score]:
    """Every aligner and yardstick on the questions with two or more clauses.

    Args:
        corpus: with true fragments.
        source: train or dev.
    """
    gold = gold_of(corpus)
    found = {}
    for name, aligner in (YARDSTICKS | ALIGNERS).items():
        found[name] = Score()
        for example, _, fragments in aligned(corpus, source, aligner):
            true = gold.get(example.id, _NO_GOLD)
            add_question(found[name], example.tokens, positions_by_kind(fragments), true.fragments, true.unlinked)
    return found


def summary(found: Mapping[str, Score]) -> "DataFrame":
    """One row an aligner.

    Returns:
        Columns aligner, questions, token F1, boundary F1 (0 to 1), exact %, empty %.
    """
    import pandas

    rows = []
    for name, score in found.items():
        every = score.table()[-1]
        shares = (100 * every["exact"], 100 * every["empty"])
        rows.append((name, score.questions, score.tokens.f1, score.boundary.f1, *shares))
    return pandas.DataFrame(rows, columns=["aligner", "questions", "token F1", "boundary F1", "exact %", "empty %"])


def by_kind(found: Mapping[str, Score]) -> "DataFrame":
    """Token F1 of every aligner, kind by kind.

    Returns:
        Columns clause, aligner, token F1 (0 to 1), clauses.
    """
    import pandas

    rows = [(row["clause"], name, row["f1"], row["n"]) for name, score in found.items() for row in score.table()[:-1]]
    return pandas.DataFrame(rows, columns=["clause", "aligner", "token F1", "clauses"])


def failures(corpus: Corpus, source: str, aligner: str, count: int) -> "DataFrame":
    """The fragments that differ most from the true ones, one a question.

    Args:
        corpus: with true fragments.
        source: train or dev.
        aligner: name in ALIGNERS.
        count: rows.

    Returns:
        Columns clause, ours, true, in agreement % (words in both of words in either).
    """
    import pandas

    gold = gold_of(corpus)
    found = []
    for example, clauses, fragments in aligned(corpus, source, ALIGNERS[aligner]):
        true = gold.get(example.id, _NO_GOLD).fragments
        if len(true) > 1:
            found.append(min(_agreements(example, clauses, fragments, true), key=lambda row: row[0]))
    found.sort(key=lambda row: (row[0], row[1:]))
    rows = [(*words, 100 * share) for share, *words in found[:count]]
    return pandas.DataFrame(rows, columns=["clause", "ours", "true", "in agreement %"])


def _agreements(
    example: Example, clauses: Sequence[Clause], fragments: Sequence[Fragment], gold: Mapping[str, list[int]]
) -> Iterator[tuple[float, str, str, str]]:
    ours = positions_by_kind(fragments)
    for clause in clauses:
        kind = clause.kind.split()[0].lower()
        mine, true = set(ours[kind]), set(gold.get(kind, ()))
        texts = (" ".join(example.tokens[j] for j in sorted(positions)) for positions in (mine, true))
        yield (len(mine & true) / max(1, len(mine | true)), clause.sql, *texts)


def aligned(
    corpus: Corpus, source: str, aligner: Aligner
) -> Iterator[tuple[Example, tuple[Clause, ...], list[Fragment]]]:
    """Each example with its clauses and its fragments."""
    for example in corpus.examples(source):
        clauses = split(example.query)
        spans = aligner(example.tokens, clauses, corpus.schemas[example.db_id])
        yield example, clauses, [to_fragment(example.tokens, c.kind, s) for c, s in zip(clauses, spans, strict=True)]
