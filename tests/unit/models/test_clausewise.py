"""The clause-wise encoder: each clause is read as if it stood alone."""

import random

import pytest
import torch

from lib.models.batching import collate
from lib.models.configuration import CompositionalSettings
from lib.models.encoders.clausewise import ClausewiseEncoder, _layout
from lib.models.sources import source_of
from tests.unit.models.test_bilstm import naive


@pytest.fixture
def encoder() -> ClausewiseEncoder:
    """A tiny one."""
    torch.manual_seed(1)
    return ClausewiseEncoder(CompositionalSettings(embedding=6, hidden=5), 13).eval()


def test_equals_the_loops_over_each_clause(encoder, items):
    batch = collate(items((9, 1, 7, 6), (2, 2, 2, 2), 4, "compositional"))
    memory = encoder(batch)
    assert sum(len(parts) > 1 for parts in batch.structures) >= 2
    for row, parts in enumerate(batch.structures):
        start, ends = 0, []
        for length in parts:
            states = naive(encoder, batch.source[row, start : start + length].tolist())
            torch.testing.assert_close(memory.states[row, start : start + length], states, atol=1e-5, rtol=0)
            ends.append(torch.cat([states[-1, :5], states[0, 5:]]))
            start += length
        torch.testing.assert_close(memory.summary[row], torch.stack(ends).mean(dim=0), atol=1e-5, rtol=0)
        assert memory.states[row, start:].abs().sum() == 0
    assert memory.mask.sum(1).tolist() == batch.lengths.tolist()


def test_layout_finds_every_token_once():
    rng = random.Random(3)
    clauses = [[rng.randint(1, 9) for _ in range(rng.randint(1, 4))] for _ in range(50)]
    width = max(map(sum, clauses))
    groups, back = _layout(clauses, width)
    places = torch.cat([group.places.flatten() for group in groups])
    tokens = torch.cat([torch.arange(sum(parts)) + pair * width for pair, parts in enumerate(clauses)])
    assert len(groups) > 1
    assert torch.equal(places[back[tokens]], tokens)
    assert sorted(places[places < 50 * width].tolist()) == tokens.tolist()
    owned = torch.cat([group.owners for group in groups]).bincount(minlength=51).tolist()
    assert owned[:50] == [len(parts) for parts in clauses]


def test_a_clause_of_a_query_has_the_tokens_that_it_has_alone():
    whole = "SELECT T1.name FROM player AS T1 WHERE T1.age > 30 ORDER BY T1.age"
    source = source_of(whole, "compositional")
    parts = [source_of(sql, "compositional", whole).tokens
             for sql in ("SELECT T1.name FROM player AS T1", "WHERE T1.age > 30", "ORDER BY T1.age")]  # fmt: skip
    assert source.tokens == tuple(word for part in parts for word in part)
    assert source.clauses == tuple(map(len, parts))
