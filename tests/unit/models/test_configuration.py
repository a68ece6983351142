"""lib.models.configuration."""

import pytest

from lib.errors import ParameterError
from lib.models.configuration import ENCODERS, from_dict, parse_change, settings


@pytest.mark.parametrize("model", sorted(ENCODERS))
def test_settings_survive_a_file(model):
    chosen = settings(model, 7, **{"decoder.copy": True, "epochs": 3})
    assert from_dict(chosen.as_dict()) == chosen
    assert chosen.decoder.copy
    assert chosen.training.epochs == 3


def test_a_bare_name_sets_every_group_that_has_it():
    chosen = settings("bilstm", dropout=0.1)
    assert (chosen.encoder.dropout, chosen.decoder.dropout) == (0.1, 0.1)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"encoder.hiden": 3}, "did you mean 'encoder.hidden'"),
        ({"epoch": 3}, "unknown setting 'epoch'"),
        ({"epochs": 0}, "between 1 and"),
        ({"epochs": 2.5}, "must be int"),
        ({"epochs": True}, "must be int"),
        ({"dropout": float("nan")}, "between"),
        ({"decoder.copy": 1}, "must be bool"),
        ({"keep": "first"}, "cannot be 'first'"),
    ],
)
def test_wrong_settings_are_named(changes, message):
    with pytest.raises(ParameterError, match=message):
        settings("bilstm", **changes)


def test_unknown_model_and_wrong_seed():
    with pytest.raises(ParameterError, match="did you mean 'bilstm'"):
        settings("bilstn")
    with pytest.raises(ParameterError, match="seed must be"):
        settings("bilstm", -1)


@pytest.mark.parametrize("record", [None, [], {}, {"model": "bilstm", "encoder": 3}, {"model": "bilstm", "x": 1}])
def test_a_broken_file_is_refused(record):
    with pytest.raises(ParameterError):
        from_dict(record)


def test_change_without_value():
    with pytest.raises(ParameterError, match="NAME=VALUE"):
        parse_change("epochs")
