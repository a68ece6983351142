"""lib.models.training."""

import pytest
import torch

from lib.errors import ModelError
from lib.models.batching import collate
from lib.models.data import read_training_data
from lib.models.search import search
from lib.models.training import Trainer


@pytest.fixture
def trainer(dataset, tiny_settings):
    """Makes a trainer on the eight pairs."""

    def make(model="bilstm", **changes):
        chosen = tiny_settings(model, **changes)
        return Trainer(read_training_data(dataset, chosen), chosen)

    return make


def run(trainer):
    while not trainer.finished:
        trainer.run_epoch()
    return trainer


@pytest.mark.parametrize("copy", [False, True])
def test_eight_pairs_are_learnt_by_heart(model_name, dataset, trainer, copy):
    (dataset / "validation.jsonl").write_text("")  # evaluated once, at the end
    changes = {"decoder.hidden": 24, "decoder.embedding": 16, "encoder.dropout": 0.0, "decoder.dropout": 0.0}
    trained = run(trainer(model_name, **changes, copy=copy, epochs=60, learning_rate=0.03, label_smoothing=0.0))
    trained.model.eval()
    items = trained.data.train
    texts = search(trained.model, collate(items))
    assert texts == [list(item.target[:-1]) for item in items]
    assert trained.curve[-1].train_loss < 0.3  # nats a word; 3 at the start


def test_same_seed_same_curve_other_seed_another(trainer):
    assert run(trainer()).curve == run(trainer()).curve
    first = trainer()
    first.settings = type(first.settings)(
        "bilstm", 2, first.settings.encoder, first.settings.decoder, first.settings.training
    )
    assert run(first).curve != run(trainer()).curve


def test_a_restored_run_ends_bit_for_bit_alike(model_name, trainer):
    whole = run(trainer(model_name, epochs=4, dropout=0.3))
    first = trainer(model_name, epochs=4, dropout=0.3)
    first.run_epoch()
    first.run_epoch()
    tensors, values = first.state()
    tensors = {name: value.clone() for name, value in tensors.items()}
    torch.manual_seed(99)  # what else went on in the process must not matter
    second = trainer(model_name, epochs=4, dropout=0.3)
    second.restore(tensors, values)
    run(second)
    assert second.curve == whole.curve
    for name, value in whole.model.state_dict().items():
        assert torch.equal(value, second.model.state_dict()[name]), name
    assert all(torch.equal(value, second.weights()[name]) for name, value in whole.weights().items())


def test_early_stopping_keeps_the_best_epoch(trainer):
    trained = run(trainer(epochs=40, patience=2, learning_rate=0.5))
    assert len(trained.curve) == trained.best_epoch + 2 < 40
    scores = [row.validation_bleu for row in trained.curve]
    assert scores.index(max(scores)) + 1 == trained.best_epoch


def test_the_last_epoch_is_kept_on_demand(trainer):
    trained = run(trainer(epochs=3, keep="last"))
    assert all(torch.equal(value, trained.weights()[name]) for name, value in trained.model.state_dict().items())


def test_a_loss_that_is_no_number_ends_in_one_line(trainer):
    broken = trainer()
    with torch.no_grad():
        broken.model.decoder.bias.fill_(float("nan"))
    with pytest.raises(ModelError, match="the loss is no number in epoch 1, step 1: lower"):
        broken.run_epoch()


def test_pairs_without_text_and_long_ones_are_counted(dataset, tiny_settings):
    data = read_training_data(dataset, tiny_settings(max_length=8))
    assert data.left_out["train without text"] == 1
    assert data.left_out["train too long"] > 0
    assert len(data.train) + data.left_out["train too long"] == 8


def test_nothing_left_to_train_on(dataset, tiny_settings):
    with pytest.raises(ModelError, match="no pairs to train on"):
        read_training_data(dataset, tiny_settings(max_length=2))
    (dataset / "train.jsonl").write_text("")
    with pytest.raises(ModelError, match="no pairs to train on"):
        read_training_data(dataset, tiny_settings())


def test_without_a_validation_part_the_last_epoch_is_the_best(dataset, trainer):
    (dataset / "validation.jsonl").write_text("")
    trained = run(trainer(epochs=3))
    assert trained.best_epoch == 3
    assert trained.curve[0].validation_bleu is None
