"""What holds for every encoder."""

import pytest
import torch

from lib.errors import ParameterError
from lib.models.batching import collate
from lib.models.configuration import ENCODERS, Settings
from lib.models.encoders import _CLASSES, make_encoder


def test_every_model_has_settings_and_a_class():
    assert ENCODERS.keys() == _CLASSES.keys()
    with pytest.raises(ParameterError, match="did you mean 'bilstm'"):
        make_encoder(Settings("bilstn"), 5)


@pytest.mark.parametrize("copy", [False, True])
def test_padding_changes_nothing(model_name, tiny_model, items, copy):
    model = tiny_model(model_name, copy=copy).eval()
    several = items((5, 2, 12), (4, 6, 9), 5, model_name)
    alone = [model.loss(collate([item]))[0] * len(item.target) for item in several]
    together, words = model.loss(collate(several))
    torch.testing.assert_close(sum(alone) / words, together)


@pytest.mark.parametrize("copy", [False, True])
def test_every_parameter_gets_a_gradient(model_name, tiny_model, tiny_batch, copy):
    model = tiny_model(model_name, copy=copy)
    model.loss(tiny_batch(model=model_name), 0.1)[0].backward()
    silent = [name for name, value in model.named_parameters() if value.grad is None or not value.grad.abs().sum() > 0]
    assert silent == []


def test_gradients_are_right(model_name, tiny_model, tiny_batch):
    model = tiny_model(model_name, copy=True).double().eval()
    batch = tiny_batch((6, 2), (3, 2), model=model_name)
    names = [name for name, _ in model.named_parameters()]

    def loss(*values):
        with torch.nn.utils.stateless._reparametrize_module(model, dict(zip(names, values, strict=True))):
            return model.loss(batch)[0]

    values = tuple(value.detach().clone().requires_grad_() for value in model.parameters())
    assert torch.autograd.gradcheck(loss, values, fast_mode=True)


def test_bf16_changes_little(model_name, tiny_model, tiny_batch):
    """The arithmetic of training on the CPU, whether or not the processor has it in hardware."""
    batch = tiny_batch(model=model_name)
    results = []
    for enabled in (False, True):
        model = tiny_model(model_name, **{"decoder.copy": True}).eval()
        with torch.autocast("cpu", torch.bfloat16, enabled=enabled):
            loss = model.loss(batch)[0]
        loss.backward()
        slopes = torch.cat([parameter.grad.flatten() for parameter in model.parameters()])
        results.append((loss.item(), slopes / slopes.norm()))
    (loss, slopes), (coarse, others) = results
    assert coarse == pytest.approx(loss, rel=0.01)
    assert torch.dot(slopes, others) > 0.99
