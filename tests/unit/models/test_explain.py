"""Attention of a run: what it reads while it writes."""

import numpy as np
import pytest

from lib.errors import ModelError
from lib.models.batching import Coder
from lib.models.explain import attention, explain
from lib.models.runs import Run
from lib.models.sources import source_of
from lib.models.vocabulary import Vocabulary

SQL = "SELECT name FROM boat WHERE age > 30 ORDER BY name"


@pytest.fixture
def run(model_name, tiny_model, tiny_settings, tmp_path):
    """An untrained run with a vocabulary of some words of the SQL."""
    source, target = ["select", "name", "from", "boat", "where", "age", ">", "order", "by"], list("abcdefg")
    coder = Coder(Vocabulary(source), Vocabulary(target))
    assert (len(coder.source), len(coder.target)) == (13, 11)  # the sizes of the tiny model
    return Run(tmp_path, tiny_settings(model_name), coder, tiny_model(model_name).eval())


def test_rows_are_shares_of_attention_to_real_tokens(run, model_name):
    source = source_of(SQL, model_name)
    seen = attention(run, source)
    assert seen.source == source.tokens
    assert seen.weights.shape == (len(seen.words), len(source.tokens))
    np.testing.assert_allclose(seen.weights.sum(axis=1), 1, atol=1e-2)
    assert (seen.weights >= 0).all()


def test_words_are_those_of_the_translation(run, model_name):
    source = source_of(SQL, model_name)
    assert " ".join(attention(run, source).words) == f"{run.translate([source])[0]} END".strip()


def test_columns_stand_at_their_own_token(run, model_name):
    """Whatever order the encoder keeps its states in: a source with another last token differs most there."""
    from lib.models.batching import collate
    from lib.models.sources import encoded

    source = source_of(SQL, model_name)
    item = encoded(run.coder, model_name, source)
    memory = run.model.encoder(collate([item]))
    copies = memory.copies[0][memory.mask[0]].tolist()  # in the encoder's order
    seen = attention(run, source)
    from lib.models.explain import _order

    placed = [copies[i] for i in np.argsort(_order(item))]
    assert placed == list(item.copies)
    assert len(placed) == seen.weights.shape[1]


def test_a_pair_that_is_not_there(tmp_path):
    with pytest.raises(ModelError, match="no run"):
        explain(tmp_path, tmp_path, "dev-00001:SELECT")
