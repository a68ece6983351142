"""What encoders read: the mark that tells whole queries from parts."""

import pytest

from lib.models.batching import Coder
from lib.models.configuration import ENCODERS, MARKED_MODELS
from lib.models.sources import PART, WHOLE, encoded, source_of
from lib.models.vocabulary import PAD, Vocabulary

QUERY = "SELECT name FROM player WHERE age > 30"


@pytest.mark.parametrize(
    ("sql", "whole", "mark"),
    [
        (QUERY, QUERY, WHOLE),
        (QUERY.replace(" ", "  ") + " ;", QUERY, WHOLE),
        ("SELECT name FROM player", QUERY, PART),
        ("WHERE age > 30", QUERY, PART),
        (QUERY, None, WHOLE),
        ("(SELECT 1) UNION (SELECT 2)", None, WHOLE),
        ("WHERE age > 30", None, PART),
    ],
)
def test_marked_models_are_told_whole_queries_from_parts(sql, whole, mark):
    for model in sorted(ENCODERS):
        tokens = source_of(sql, model, whole).tokens
        assert (tokens[0] == mark) == (model in MARKED_MODELS)
        assert model not in MARKED_MODELS or tokens[1:] == source_of(sql, "bilstm", whole).tokens


def test_the_mark_is_never_copied():
    coder = Coder(Vocabulary([]), Vocabulary([]))
    item = encoded(coder, "marked", source_of(QUERY, "marked"), (WHOLE, "player"))
    assert item.copies[0] == PAD
    assert item.target[0] == 1  # an unknown word, though the source has it
    assert item.target[1] >= len(coder.target)  # a copied one
