"""How well fragments agree with gold ones: tokens, boundaries, whole and empty fragments.

Only questions with two or more clauses count, and of a question only its words: punctuation, and segments that the
gold links to no clause, are left out. Figures are micro-averages over the questions.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from lib.alignment import align
from lib.corpora import Corpus
from lib.errors import CorpusError
from lib.files import read_json, read_jsonl
from lib.records import SET_OPERATORS, Fragment
from lib.splicing import positions_of
from lib.splitting import split

SET_OPERATOR = "set operator"  # INTERSECT, UNION and EXCEPT are scored together: each alone is rare
_WORD = re.compile(r"\w")
Positions = Mapping[str, Collection[int]]  # kind of clause -> positions of its tokens


@dataclass(slots=True)
class Counts:
    """Sums over the clauses of one kind."""

    clauses: int = 0  # clauses in the gold
    with_words: int = 0  # of these, clauses with at least one word in the gold
    common: int = 0  # words in both fragments
    predicted: int = 0  # words in ours
    gold: int = 0  # words in the gold
    exact: int = 0  # fragments with the same words
    empty: int = 0  # fragments of ours without a word
    whole: int = 0  # fragments of ours with all words of the question

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(*(getattr(self, name) + getattr(other, name) for name in Counts.__slots__))


@dataclass(frozen=True, slots=True)
class Rates:
    """Precision, recall and their harmonic mean, each from 0 to 1 (0 where there is nothing to count)."""

    precision: float
    recall: float
    f1: float


@dataclass(slots=True)
class Score:
    """The agreement of many questions."""

    kinds: dict[str, Counts] = field(default_factory=dict)  # by kind of clause
    boundaries: list[int] = field(default_factory=lambda: [0, 0, 0])  # found within one token; ours; the gold's
    questions: int = 0  # questions counted

    @property
    def all(self) -> Counts:
        """The sums over all kinds."""
        return sum(self.kinds.values(), Counts())

    @property
    def tokens(self) -> Rates:
        """Agreement on words."""
        return token_rates(self.all)

    @property
    def boundary(self) -> Rates:
        """Agreement on the places where the set of clauses changes, within one token."""
        return _rates(*self.boundaries)

    def table(self) -> list[dict[str, str | int | float]]:
        """One row a kind and one for all: precision, recall, F1, and the shares of exact, empty and whole fragments."""
        return [_row(kind, self.kinds[kind]) for kind in sorted(self.kinds)] + [_row("all", self.all)]


def token_rates(counts: Counts) -> Rates:
    """Precision, recall and F1 over words."""
    return _rates(counts.common, counts.predicted, counts.gold)


def _rates(common: int, predicted: int, gold: int) -> Rates:
    precision, recall = common / predicted if predicted else 0.0, common / gold if gold else 0.0
    both = precision + recall
    return Rates(precision, recall, 2 * precision * recall / both if both else 0.0)


def _row(kind: str, counts: Counts) -> dict[str, str | int | float]:
    rates, with_words, clauses = token_rates(counts), max(counts.with_words, 1), max(counts.clauses, 1)
    return {
        "clause": kind,
        "n": counts.with_words,
        "precision": rates.precision,
        "recall": rates.recall,
        "f1": rates.f1,
        "exact": counts.exact / with_words,
        "empty": counts.empty / clauses,
        "whole": counts.whole / clauses,
    }


@dataclass(frozen=True, slots=True)
class Gold:
    """The true fragments of one question."""

    fragments: Positions
    unlinked: frozenset[int]  # positions of words that belong to no clause


def read_gold(path: Path) -> dict[str, Gold]:
    """Reads true fragments: JSONL with example ids, or a JSON list with row numbers of a dev file and segments.

    Returns:
        Gold by example id.

    Raises:
        CorpusError: if the file cannot be read or holds something else.
    """
    try:
        if Path(path).suffix == ".jsonl":
            return {record["id"]: Gold(record["fragments"], frozenset()) for record in read_jsonl(path)}
        return {
            f"dev-{item['index']:05d}": Gold(item["fragments"], _unlinked(item["segments"])) for item in read_json(path)
        }
    except (KeyError, TypeError, ValueError) as error:
        raise CorpusError(f"'{path}' does not hold gold fragments: {type(error).__name__} {error}") from error


def _unlinked(segments: Iterable) -> frozenset[int]:
    return frozenset(position for positions, kinds in segments if not kinds for position in positions)


def score_corpus(corpus: Corpus, gold: Mapping[str, Gold], aligner: str) -> Score:
    """Aligns those questions of a corpus that have gold fragments, and scores them.

    Args:
        corpus: the corpus.
        gold: true fragments by example id.
        aligner: name in `alignment.ALIGNERS`.
    """
    score = Score()
    for source in sorted({example_id.split("-")[0] for example_id in gold}):
        for example in corpus.examples(source):
            if example.id in gold:
                clauses = split(example.query)
                fragments = align(example.tokens, clauses, corpus.schemas.get(example.db_id), aligner)
                true = gold[example.id]
                add_question(score, example.tokens, positions_by_kind(fragments), true.fragments, true.unlinked)
    return score


def positions_by_kind(fragments: Iterable[Fragment]) -> dict[str, list[int]]:
    """The token positions of each fragment, by the first word of its kind in lower case, as gold files have them."""
    return {fragment.kind.split()[0].lower(): positions_of(fragment.spans) for fragment in fragments}


def add_question(
    score: Score, tokens: Sequence[str], ours: Positions, gold: Positions, unlinked: Collection[int] = ()
) -> None:
    """Counts one question.

    Args:
        score: the sums, which grow.
        tokens: tokens of the question.
        ours: positions by kind, as `positions_by_kind` gives them.
        gold: the same, true.
        unlinked: positions that the gold links to no clause.
    """
    if len(gold) < 2:
        return
    words = [j for j, token in enumerate(tokens) if _WORD.search(token) and j not in unlinked]
    scored = set(words)
    for kind, positions in gold.items():
        mine, true = scored.intersection(ours.get(kind, ())), scored.intersection(positions)
        name = SET_OPERATOR if kind.upper() in SET_OPERATORS else kind
        score.kinds[name] = score.kinds.get(name, Counts()) + _counts(mine, true, scored)
    found = _boundaries(words, {kind: frozenset(ours.get(kind, ())) for kind in gold})
    true_ones = _boundaries(words, {kind: frozenset(positions) for kind, positions in gold.items()})
    for i, count in enumerate((_matched(found, true_ones), len(found), len(true_ones))):
        score.boundaries[i] += count
    score.questions += 1


def _counts(mine: set[int], true: set[int], scored: set[int]) -> Counts:
    counts = Counts(clauses=1, empty=not mine, whole=mine == scored)
    if not true:
        return counts
    return counts + Counts(0, 1, len(mine & true), len(mine), len(true), mine == true)


def _boundaries(words: Sequence[int], positions: Mapping[str, frozenset[int]]) -> list[int]:
    """Words at which the set of clauses changes; a word of no clause belongs to what is before it."""
    found, last = [], None
    for word in words:
        kinds = frozenset(kind for kind, places in positions.items() if word in places) or last or frozenset()
        if last is not None and kinds != last:
            found.append(word)
        last = kinds
    return found


def _matched(found: Sequence[int], true: Sequence[int]) -> int:
    """How many boundaries have a true one within one token, each true one used once, the nearest first."""
    left = list(true)
    for place in found:
        near = [other for other in left if abs(other - place) <= 1]
        if near:
            left.remove(min(near, key=lambda other: abs(other - place)))
    return len(true) - len(left)
