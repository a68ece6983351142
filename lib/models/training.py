"""Training, epoch by epoch; all of its state can be saved and taken up again.

All randomness of an epoch follows from the seed and the number of the epoch, so that a run that was killed and
taken up again ends with the same weights, bit for bit, as one that was not.
"""

import math
import random
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass

import torch
from torch import Tensor

from lib.errors import ModelError
from lib.metrics.text import bleu
from lib.models.batching import Batch, Item, bucketed, by_length, collate
from lib.models.configuration import Settings
from lib.models.data import TrainingData
from lib.models.layers import redraw
from lib.models.machine import autocast
from lib.models.model import Translator
from lib.models.search import search

_EVALUATION_BATCH = 128
_NOTICE_SECONDS = 10


@dataclass(frozen=True, slots=True)
class EpochResult:
    """One row of the learning curve."""

    epoch: int  # from 1
    learning_rate: float  # of its last step
    train_loss: float  # nats a word, with label smoothing and dropout, mean over the epoch
    validation_loss: float | None  # nats a word, without both; None if there is no validation part
    validation_bleu: float | None  # 0-100, greedy


def learning_rate(step: int, steps: int, peak: float, warmup: float) -> float:
    """Rises in a line to the peak, then falls along a cosine.

    Args:
        step: from 0.
        steps: of the whole training.
        peak: largest rate.
        warmup: share of the steps that rises, 0-1.

    >>> [round(learning_rate(step, 10, 1.0, 0.2), 3) for step in (0, 1, 2, 6, 9)]
    [0.5, 1.0, 1.0, 0.5, 0.038]
    """
    rising = max(1, round(steps * warmup))
    if step < rising:
        return peak * (step + 1) / rising
    return peak * 0.5 * (1 + math.cos(math.pi * (step - rising) / max(1, steps - rising)))


class Trainer:
    """A model in training.

    Args:
        data: encoded pairs.
        settings: of the run.
        say: takes lines of progress.
    """

    def __init__(self, data: TrainingData, settings: Settings, say: Callable[[str], None] = lambda line: None):
        self.data, self.settings, self._say = data, settings, say
        with torch.random.fork_rng():
            torch.manual_seed(settings.seed)
            self.model = Translator(settings, len(data.coder.source), len(data.coder.target))
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model.to(self.device)
        self._optimizer = torch.optim.Adam(self.model.parameters(), betas=(0.9, 0.98), fused=True)
        self.curve: list[EpochResult] = []
        self.seconds: list[float] = []  # of each epoch
        self._best: dict[str, Tensor] = {}

    @property
    def finished(self) -> bool:
        """Whether all epochs are done, or validation BLEU has not risen for `patience` epochs."""
        options = self.settings.training
        waited = len(self.curve) - self.best_epoch
        return len(self.curve) >= options.epochs or (0 < options.patience <= waited and bool(self.curve))

    @property
    def best_epoch(self) -> int:
        """The first epoch with the highest validation BLEU; the last one where there is no validation part."""
        scores = [(row.validation_bleu, -row.epoch) for row in self.curve if row.validation_bleu is not None]
        return -max(scores)[1] if scores else len(self.curve)

    def run_epoch(self) -> EpochResult:
        """Trains one epoch and evaluates.

        Raises:
            ModelError: if the loss is no number.
        """
        started = time.monotonic()
        epoch = len(self.curve) + 1
        loss, rate = self._train(epoch)
        validation_loss, validation_bleu = self._validate()
        result = EpochResult(epoch, rate, loss, validation_loss, validation_bleu)
        self.curve.append(result)
        self.seconds.append(round(time.monotonic() - started, 2))
        if self.best_epoch == epoch or self.settings.training.keep == "last":
            self._best = {name: value.detach().clone() for name, value in self.model.state_dict().items()}
        return result

    def _train(self, epoch: int) -> tuple[float, float]:
        options = self.settings.training
        rng = random.Random(f"{self.settings.seed}-{epoch}")
        generator = torch.Generator().manual_seed(rng.getrandbits(62))
        self.model.train()
        redraw(self.model, generator)
        batches = bucketed(self.data.train, options.batch_size, rng)
        notices = _Notices(self._say, epoch, options.epochs, len(batches))
        total, words, rate = 0.0, 0, 0.0
        for index, chosen in enumerate(batches):
            step = (epoch - 1) * len(batches) + index
            rate = learning_rate(step, options.epochs * len(batches), options.learning_rate, options.warmup)
            batch = self._batch(self.data.train, chosen)
            loss, count = self._step(batch, rate)
            if not math.isfinite(loss):
                raise ModelError(
                    f"the loss is no number in epoch {epoch}, step {index + 1}: lower training.learning_rate "
                    f"({options.learning_rate}) or training.clip ({options.clip})"
                )
            total, words = total + loss * count, words + count
            notices(index + 1, words, total / words)
        return total / words, rate

    def _step(self, batch: Batch, rate: float) -> tuple[float, int]:
        options = self.settings.training
        for group in self._optimizer.param_groups:
            group["lr"] = rate
        with autocast(options.bf16, self.device):
            loss, count = self.model.loss(batch, options.label_smoothing)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), options.clip)
        self._optimizer.step()
        self._optimizer.zero_grad(set_to_none=True)
        return loss.item(), count

    @torch.no_grad()
    def _validate(self) -> tuple[float | None, float | None]:
        items = self.data.validation
        if not items:
            return None, None
        self.model.eval()
        total, words = 0.0, 0
        texts = [""] * len(items)
        for chosen in by_length(items, _EVALUATION_BATCH):
            batch = self._batch(items, chosen)
            with autocast(self.settings.training.bf16, self.device):
                loss, count = self.model.loss(batch)
                found = search(self.model, batch)
            total, words = total + loss.item() * count, words + count
            for index, numbers in zip(chosen, found, strict=True):
                texts[index] = " ".join(self.data.coder.words(numbers, self.data.validation_sources[index])).lower()
        return total / words, bleu(texts, self.data.validation_texts)

    def _batch(self, items: tuple[Item, ...], chosen: list[int]) -> Batch:
        return collate([items[index] for index in chosen]).to(self.device)

    def weights(self) -> dict[str, Tensor]:
        """The weights to keep: of the best epoch by validation BLEU, or of the last."""
        return self._best

    def state(self) -> tuple[dict[str, Tensor], dict]:
        """All of the state: tensors by name, and the rest as plain values."""
        tensors = {f"model.{name}": value for name, value in self.model.state_dict().items()}
        tensors |= {f"best.{name}": value for name, value in self._best.items()}
        for name, parameter in self.model.named_parameters():
            for key, value in self._optimizer.state[parameter].items():
                tensors[f"optimizer.{key}.{name}"] = value
        return tensors, {"curve": [asdict(row) for row in self.curve], "seconds": self.seconds}

    def restore(self, tensors: dict[str, Tensor], values: dict) -> None:
        """Takes up a state.

        Raises:
            ModelError: if it is not the state of this model.
        """
        try:
            groups = {key: _below(tensors, f"{key}.") for key in ("model", "best")}
            self.model.load_state_dict(groups["model"])
            self._best = groups["best"]
            for name, parameter in self.model.named_parameters():
                found = {key: tensors[f"optimizer.{key}.{name}"] for key in ("step", "exp_avg", "exp_avg_sq")}
                if any(value.shape != parameter.shape for key, value in found.items() if key != "step"):
                    raise ModelError(f"wrong shape of the state of '{name}'")
                self._optimizer.state[parameter] = found
            self.curve = [EpochResult(**row) for row in values["curve"]]
            self.seconds = [float(value) for value in values["seconds"]]
        except (KeyError, TypeError, ValueError, RuntimeError) as error:
            raise ModelError(f"not the state of this run ({error}): remove the folder and train again") from error


def _below(tensors: dict[str, Tensor], prefix: str) -> dict[str, Tensor]:
    return {name.removeprefix(prefix): value for name, value in tensors.items() if name.startswith(prefix)}


class _Notices:
    """Lines of progress, one in ten seconds at most."""

    def __init__(self, say: Callable[[str], None], epoch: int, epochs: int, batches: int):
        self._say, self._epoch, self._epochs, self._batches = say, epoch, epochs, batches
        self._started = self._last = time.monotonic()

    def __call__(self, done: int, words: int, loss: float) -> None:
        now = time.monotonic()
        if now - self._last < _NOTICE_SECONDS:
            return
        self._last, passed = now, now - self._started
        left = passed / done * (self._batches * (self._epochs - self._epoch + 1) - done)
        place = f"epoch {self._epoch}/{self._epochs}, {100 * done // self._batches} %"
        self._say(f"{place}, {words / passed:,.0f} tokens/s, loss {loss:.3f}, about {left / 60:.1f} min left")
