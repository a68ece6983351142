"""Keyword tagging (paper 3.2.1): candidate words give tags, then rules adjust them.

A rule is a function from a question and its tags to new tags; they apply in the order of RULES. The first two are the
paper's own, the others ours, in the same spirit: fewer wrong tags, fragments that hold together.
"""

from collections.abc import Sequence

from lib.records import Clause, Schema
from lib.tagging import lexicon
from lib.tagging.labels import labels, scores, step_cost
from lib.tagging.matching import Matches, match
from lib.tagging.phrases import phrases
from lib.tokens import parts_of_speech

Tags = list[frozenset[str]]  # for each token the kinds of clauses that it speaks of

_PRONOUNS = frozenset({"when", "where", "which", "who", "why"})  # the paper's list: neither whose nor that
_SELECT = frozenset({"SELECT"})


def tag(tokens: Sequence[str], clauses: Sequence[Clause], schema: Schema | None) -> tuple[frozenset[str], ...]:
    """For each token the kinds of the clauses that it speaks of (paper 3.2.1).

    Args:
        tokens: tokens of the question.
        clauses: the clauses of its query, in order.
        schema: its database; without it, or for tables that it lacks, the names in the SQL are candidates alone.

    >>> question = "What are the id of students who registered course 301 ?".split()
    >>> clauses = (Clause("SELECT", "SELECT student_id FROM student_course_attendance", 0, 48),
    ...            Clause("WHERE", "WHERE course_id = 301", 49, 70))
    >>> [sorted(tags) for tags in tag(question, clauses, None)][6]
    ['WHERE']
    """
    matches = match(tokens, clauses, schema)
    tags = initial_tags(matches)
    for rule in RULES:
        tags = rule(matches, tags)
    return tuple(tags)


def initial_tags(matches: Matches) -> Tags:
    """Every kind of clause for which a token is a candidate word, the generic ones included."""
    conditions = frozenset(matches.kinds) - {"SELECT", "ORDER BY"}
    tags = []
    for position, word in enumerate(matches.words):
        kinds = frozenset(matches.strengths[position])
        if word in lexicon.RELATIVES and not matches.starts[position]:
            kinds |= conditions | _SELECT
        elif word in _PRONOUNS:
            kinds |= _SELECT
        tags.append(kinds)
    return tags


def pronoun_behind_and(matches: Matches, tags: Tags) -> Tags:
    """Paper: "and when were they hired" asks for a further column, unless INTERSECT joins two questions."""
    if "INTERSECT" in matches.kinds:
        return tags
    tags = list(tags)
    for position in _inner_pronouns(matches):
        if matches.words[position - 1] == "and":
            tags[position - 1] = tags[position] = _SELECT
    return tags


def pronoun_behind_noun(matches: Matches, tags: Tags) -> Tags:
    """Paper: in "students who registered" the pronoun opens a condition and asks for nothing."""
    tags = list(tags)
    for position in _inner_pronouns(matches):
        if "NOUN" in parts_of_speech(matches.words[position - 1]) and len(tags[position]) > 1:
            tags[position] -= _SELECT
    return tags


def _inner_pronouns(matches: Matches):
    for position in range(1, len(matches.words)):
        if matches.words[position] in _PRONOUNS and not matches.starts[position]:
            yield position


def phrase_agreement(matches: Matches, tags: Tags) -> Tags:
    """The tokens of one phrase speak of the clauses that explain it best; its first token opens them all."""
    tags, known, before = list(tags), labels(matches.candidates), None
    for phrase in phrases(matches):
        costs = [step_cost(before, label, phrase.sign) for label in known]
        fits = [fit - cost for fit, cost in zip(scores(matches, phrase, known), costs, strict=True)]
        best = known[fits.index(max(fits))]
        for position in range(phrase.start, phrase.stop):
            said = [unit for unit in best.units if unit & tags[position]]
            tags[position] = frozenset().union(*said)
        if before is None or best.kinds != before.kinds:
            tags[phrase.start] = best.kinds
        before = best
    return tags


def no_clause_without_words(matches: Matches, tags: Tags) -> Tags:
    """A clause that lost all its tags gets those of its strongest words back, or shares the question."""
    tags = list(tags)
    for kind in matches.kinds:
        if any(kind in kinds for kinds in tags):
            continue
        strengths = [strength.get(kind, 0.0) for strength in matches.strengths]
        best = max(strengths, default=0.0)
        places = [i for i, strength in enumerate(strengths) if best and strength == best]
        for position in places or range(len(tags)):
            tags[position] |= {kind}
    return tags


RULES = (pronoun_behind_and, pronoun_behind_noun, phrase_agreement, no_clause_without_words)
