"""lib.models.layers and lib.models.machine."""

import pytest
import torch

from lib.models import machine
from lib.models.layers import Pool, PooledDropout, WordVectors, last_states, lowered, real, redraw, reversed_within


def test_reversed_within_turns_each_sequence_and_keeps_padding():
    values = torch.tensor([[1, 2, 3, 0], [4, 0, 0, 0], [5, 6, 7, 8]])[:, :, None]
    found = reversed_within(values, torch.tensor([3, 1, 4]))
    assert found.squeeze(2).tolist() == [[3, 2, 1, 0], [4, 0, 0, 0], [8, 7, 6, 5]]
    assert torch.equal(reversed_within(found, torch.tensor([3, 1, 4])), values)


def test_last_states_and_real():
    values = torch.arange(6.0).view(2, 3, 1)
    assert last_states(values, torch.tensor([1, 3])).squeeze(1).tolist() == [0.0, 5.0]
    assert real(torch.tensor([1, 3]), 3).tolist() == [[True, False, False], [True, True, True]]


def test_word_vectors_are_large_and_their_weights_small():
    torch.manual_seed(1)
    vectors = WordVectors(1000, 64, padding=0)
    assert vectors(torch.arange(1, 1000)).std().item() == pytest.approx(1, abs=0.01)
    assert vectors.small.weight[1:].std().item() == pytest.approx(1 / 8, abs=0.001)
    vectors(torch.tensor([0, 3])).sum().backward()
    assert not vectors(torch.tensor(0)).any()
    assert vectors.small.weight.grad.abs().sum(dim=1).nonzero().tolist() == [[3]]  # padding never learns


def test_dropout_keeps_the_mean_and_follows_its_generator():
    values = torch.ones(100, 1000)

    def draw(seed):
        dropout = PooledDropout(0.25)
        redraw(dropout, torch.Generator().manual_seed(seed))
        return torch.stack([dropout(values), dropout(values)])

    assert torch.equal(draw(1), draw(1))
    assert not torch.equal(draw(1), draw(2))
    assert not torch.equal(*draw(1))
    assert draw(1).unique().tolist() == pytest.approx([0, 4 / 3], rel=0.01)  # bf16 has three digits
    assert draw(1).mean().item() == pytest.approx(1, abs=0.01)


def test_dropouts_of_one_rate_share_a_pool():
    model = torch.nn.ModuleList([PooledDropout(0.1), PooledDropout(0.1), PooledDropout(0.2)])
    redraw(model, torch.Generator())
    assert model[0].pool is model[1].pool is not model[2].pool


def test_a_pool_gives_the_same_masks_in_every_kind():
    def masks(kind):
        pool = Pool(0.25, torch.Generator().manual_seed(1))
        return torch.stack([pool.mask(torch.ones(2, 3, dtype=kind)) for _ in range(4)])

    assert masks(torch.bfloat16).dtype == torch.bfloat16
    for kind in (torch.float32, torch.float64):
        assert masks(kind).dtype == kind
        assert torch.equal(masks(kind), masks(torch.bfloat16).to(kind))
    pool = Pool(0.25, torch.Generator().manual_seed(1))
    pool.mask(torch.ones(2))
    assert len(pool.mask(torch.ones(500))) == 500  # grown, with values of the first kind gone


def test_lowered_follows_autocast():
    values = torch.ones(3)
    assert lowered(values) is values
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert lowered(values).dtype == torch.bfloat16
        assert lowered(values.double()).dtype == torch.float64


def test_dropout_rests_in_evaluation():
    values = torch.ones(10)
    dropout = PooledDropout(0.5)
    redraw(dropout, torch.Generator())
    assert torch.equal(dropout.eval()(values), values)


def test_fast_arithmetic_puts_back_what_it_found():
    before = torch.get_num_threads(), torch.get_float32_matmul_precision()
    with machine.fast_arithmetic(2):
        assert torch.get_num_threads() == 2
    assert (torch.get_num_threads(), torch.get_float32_matmul_precision()) == before


def test_without_bf16_in_hardware_all_is_fp32(monkeypatch):
    monkeypatch.setattr(machine, "has_bf16", lambda: False)
    with machine.fast_arithmetic(1), machine.autocast(True):
        assert torch.get_float32_matmul_precision() == "highest"
        assert torch.mm(torch.ones(2, 2), torch.ones(2, 2)).dtype == torch.float32
