"""What another person would score: a second question of the same SQL, held against the first as models are."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from lib.datasets import whole_queries
from lib.metrics.text import normalised, score_texts
from lib.records import Pair

if TYPE_CHECKING:
    from pandas import DataFrame

PERSON = "another question of the same SQL"


def other_questions(pairs: Sequence[Pair]) -> dict[int, str]:
    """For the pairs whose SQL has questions in other words: the next of them in order, and the first after the last.

    Only whole queries have questions; what a part of one has for a text, no person has written.

    Args:
        pairs: with their references.

    Returns:
        By place in `pairs`.
    """
    by_sql: dict[tuple[str, str], list[int]] = {}
    wholes = whole_queries(pairs)
    for place, pair in enumerate(pairs):
        if pair.sql == wholes[pair.example_id]:
            by_sql.setdefault((pair.db_id, pair.sql), []).append(place)
    found = {}
    for places in by_sql.values():
        for rank, place in enumerate(places):
            turned = places[rank + 1 :] + places[:rank]
            own = normalised(pairs[place].text)
            other = next((pairs[i].text for i in turned if normalised(pairs[i].text) != own), None)
            if other is not None:
                found[place] = other
    return found


def second_question_table(texts: Mapping[str, Sequence[str]], pairs: Sequence[Pair]) -> "DataFrame":
    """Scores of people and of systems, on the pairs whose SQL has another question.

    Args:
        texts: by system, one for each pair.
        pairs: with their references.

    Returns:
        Columns system, pairs, BLEU-4, chrF, exact match %; people first. No rows if no SQL has two questions.
    """
    import pandas

    columns = ["system", "pairs", "BLEU-4", "chrF", "exact match %"]
    others = other_questions(pairs)
    rows = []
    for system, written in ({PERSON: others} | dict(texts)).items() if others else ():
        scores = score_texts([written[place] for place in others], [pairs[place].text for place in others])
        rows.append((system, len(others), scores.bleu, scores.chrf, scores.exact_match))
    return pandas.DataFrame(rows, columns=columns)
