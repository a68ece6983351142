"""A run: a folder with a trained model, its settings, its learning curve, and what it was made from.

Files: `config.json` (settings and data), `vocabulary.json`, `model.safetensors`, `learning_curve.csv`,
`manifest.json` (written last: a run that has it is finished), and `state.safetensors` while it is not.
No file is a pickle, and no size in a file is trusted before it is held against the tensors that are there.
"""

import json
import platform
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path

import torch
from torch import Tensor

from lib import __version__
from lib.errors import CorpusError, ModelError, ParameterError
from lib.files import atomic_writer, locked, read_json, sha256, write_json, write_text
from lib.models.batching import Coder, by_length, collate
from lib.models.configuration import Settings, from_dict
from lib.models.data import TrainingData, hashes, read_training_data
from lib.models.machine import fast_arithmetic, search_arithmetic
from lib.models.model import Translator
from lib.models.search import search
from lib.models.sources import Source, encoded, source_of
from lib.models.training import EpochResult, Trainer
from lib.models.vocabulary import SPECIALS, Vocabulary
from lib.splitting import split
from lib.sql_parse import check_grammar

_BATCH = 128  # sentences
_ROWS = 1024  # texts at once, beams times sentences


def train(data: Path, settings: Settings, out: Path, say: Callable[[str], None] = lambda line: None) -> dict:
    """Trains a model, or takes up a training that was interrupted; a finished run is left as it is.

    Args:
        data: folder of a dataset.
        settings: of the run.
        out: folder of the run.
        say: takes lines of progress.

    Returns:
        The manifest of the run.

    Raises:
        ModelError: if `out` holds another run or a broken one, is in use, or training fails.
        CorpusError, RecordError: if the dataset is missing or broken.
    """
    out = Path(out)
    config = {"settings": settings.as_dict(), "data": hashes_of(data)}
    done = _finished(out, config)
    if not done:
        encoded = read_training_data(Path(data), settings)  # first, so that a broken dataset leaves no folder behind
        with locked(out / ".lock", lambda: _in_use(out)):
            done = _finished(out, config)  # by another process, meanwhile
            if not done:
                write_json(out / "config.json", config)
                with fast_arithmetic(settings.training.threads, settings.training.bf16):
                    return _train(encoded, settings, out, config, say)
    say(f"'{out}' is finished")
    return done


def hashes_of(data: Path) -> dict[str, str]:
    """The hashes that tell a dataset from others.

    Raises:
        CorpusError: if the folder is no dataset, or its files are not those that its manifest names.
    """
    from lib.datasets import read_manifest

    stated, found = read_manifest(data).get("sha256"), hashes(data)
    if stated is None:  # made by hand
        return found
    stated = {Path(name).stem: digest for name, digest in stated.items()} if isinstance(stated, dict) else {}
    for name in sorted(found.keys() | stated.keys()):
        if found.get(name) != stated.get(name):
            raise CorpusError(f"'{name}' in '{data}' is missing, or not the file that the dataset's manifest names: "
                              "remove the folder and build the dataset again")  # fmt: skip
    return found


def _finished(out: Path, config: dict) -> dict | None:
    """The manifest of a run that is finished, None if it is not.

    Raises:
        ModelError: if the folder holds another run, other things, or a broken manifest.
    """
    if not out.exists():
        return None
    _same_run(out, config)
    path = out / "manifest.json"
    if not path.is_file():
        return None
    manifest = read_json(path)
    best = manifest.get("best") if isinstance(manifest, dict) else None
    if not isinstance(best, dict) or not {"epoch", "validation_bleu"} <= best.keys() or "epochs" not in manifest:
        raise ModelError(f"'{path}' is not the manifest of a run: remove the folder and train again")
    return manifest


def _train(encoded: TrainingData, settings: Settings, out: Path, config: dict, say: Callable[[str], None]) -> dict:
    trainer = Trainer(encoded, settings, say)
    words = {side: getattr(encoded.coder, side).words[len(SPECIALS) :] for side in ("source", "target")}
    write_json(out / "vocabulary.json", words)
    if (out / "state.safetensors").exists():
        trainer.restore(*_read_state(out / "state.safetensors"))
        say(f"going on after epoch {len(trainer.curve)}")
    while not trainer.finished:
        row = trainer.run_epoch()
        say(_line(row, settings.training.epochs, trainer.seconds[-1]))
        tensors, values = trainer.state()
        write_tensors(out / "state.safetensors", tensors, values)
        write_text(out / "learning_curve.csv", _csv(trainer.curve))
    write_tensors(out / "model.safetensors", trainer.weights(), {})
    write_text(out / "learning_curve.csv", _csv(trainer.curve))
    manifest = _manifest(out, config, trainer)
    write_json(out / "manifest.json", manifest)
    (out / "state.safetensors").unlink(missing_ok=True)  # three times the model, of no use any more
    return manifest


def _in_use(out: Path) -> None:
    raise ModelError(f"'{out}' is in use by another training: wait for it, or choose another folder")


def _same_run(out: Path, config: dict) -> None:
    """Refuses a folder that holds a run with other settings or other data."""
    path = out / "config.json"
    if not path.exists():
        others = sorted(item.name for item in out.iterdir() if item.name != ".lock" and not item.name.endswith(".part"))
        if others:
            raise ModelError(f"'{out}' holds other files ({others[0]}): choose an empty folder for the run")
        return
    there = read_json(path)
    if not isinstance(there, dict):
        raise ModelError(f"'{path}' holds no settings: choose another folder")
    before, now = _flat(there), _flat(config)
    odd = sorted(key for key in before.keys() | now.keys() if before.get(key) != now.get(key))
    if odd:
        key = odd[0]
        raise ModelError(f"'{out}' holds a run with another {key} ({before.get(key)}, not {now.get(key)}): "
                         "choose another folder")  # fmt: skip


def _flat(value, prefix: str = "") -> dict:
    if not isinstance(value, dict):
        return {prefix: value}
    flat = {}
    for key, inner in value.items():
        flat |= _flat(inner, f"{prefix}.{key}" if prefix else key)
    return flat


def _line(row: EpochResult, epochs: int, seconds: float) -> str:
    checked = "" if row.validation_bleu is None else (
        f", validation loss {row.validation_loss:.3f}, BLEU {row.validation_bleu:.2f}")  # fmt: skip
    return f"epoch {row.epoch}/{epochs}: train loss {row.train_loss:.3f}{checked}, {seconds:.0f} s"


def _csv(curve: Sequence[EpochResult]) -> str:
    names = EpochResult.__slots__
    lines = [",".join(names)]
    for row in curve:
        values = (getattr(row, name) for name in names)
        lines.append(",".join("" if value is None else f"{value:.6g}" for value in values))
    return "\n".join(lines) + "\n"


def _manifest(out: Path, config: dict, trainer: Trainer) -> dict:
    best = trainer.curve[trainer.best_epoch - 1]
    return config | {
        "pairs": {
            "train": len(trainer.data.train) - trainer.data.recombined,
            "recombined": trainer.data.recombined,
            "validation": len(trainer.data.validation),
        },
        "left_out": trainer.data.left_out,
        "words": {"source": len(trainer.data.coder.source), "target": len(trainer.data.coder.target)},
        "parameters": sum(parameter.numel() for parameter in trainer.model.parameters()),
        "epochs": len(trainer.curve),
        "best": asdict(best),
        "sha256": {name: sha256(out / name) for name in ("model.safetensors", "vocabulary.json", "learning_curve.csv")},
        "seconds": {"epochs": trainer.seconds, "all": round(sum(trainer.seconds), 1)},
        "device": str(trainer.device),
        "versions": {name: version(name) for name in ("numpy", "sacrebleu", "safetensors", "torch")}
        | {"spidercompose": __version__, "python": platform.python_version()},
    }


def write_tensors(path: Path, tensors: dict[str, Tensor], values: dict) -> None:
    """Writes tensors and plain values into one safetensors file, atomically."""
    from safetensors.torch import save

    contiguous = {name: value.detach().cpu().contiguous() for name, value in tensors.items()}
    with atomic_writer(path, "wb") as handle:
        handle.write(save(contiguous, {"values": json.dumps(values, sort_keys=True)}))


def read_tensors(path: Path) -> tuple[dict[str, Tensor], dict]:
    """Reads what `write_tensors` wrote.

    Raises:
        ModelError: if the file is missing or no such file.
    """
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="pt") as handle:
            values = json.loads((handle.metadata() or {}).get("values", "{}"))
            return {name: handle.get_tensor(name) for name in handle.keys()}, values  # noqa: SIM118 (no mapping)
    except (SafetensorError, OSError, ValueError) as error:
        raise ModelError(f"cannot read '{path}' as safetensors ({error})") from error


def _read_state(path: Path) -> tuple[dict[str, Tensor], dict]:
    try:
        tensors, values = read_tensors(path)
    except ModelError as error:
        raise ModelError(f"{error}: remove the folder and train again") from error
    if not isinstance(values, dict):
        raise ModelError(f"'{path}' is not the state of a training: remove the folder and train again")
    return tensors, values


@dataclass(frozen=True, slots=True)
class Run:
    """A trained model, ready to translate."""

    folder: Path
    settings: Settings
    coder: Coder
    model: Translator

    def translate(self, sources: Sequence[Source], beam: int = 1) -> list[str]:
        """Puts SQL into words.

        Args:
            sources: as read by `source_of`.
            beam: width of the search, 1 to 64; 1 is greedy.

        Returns:
            A text for each, tokens joined by blanks.

        Raises:
            ParameterError: if `beam` is out of range.
            ModelError: if a source is empty or too long.
        """
        if not 1 <= beam <= 64:
            raise ParameterError(f"beam must lie between 1 and 64, not {beam}")
        longest = self.settings.training.max_length
        for source in sources:
            if len(source.tokens) > longest:
                raise ModelError(f"the SQL has {len(source.tokens)} tokens, the model reads at most {longest}")
        items = [encoded(self.coder, self.settings.model, source) for source in sources]
        texts = [""] * len(items)
        options = self.settings.training
        with search_arithmetic(options.threads, options.bf16):
            for chosen in by_length(items, min(_BATCH, _ROWS // beam)):
                batch = collate([items[index] for index in chosen])
                for index, numbers in zip(chosen, search(self.model, batch, beam), strict=True):
                    texts[index] = " ".join(self.coder.words(numbers, sources[index].tokens))
        return texts

    def translate_sql(self, sql: str, beam: int = 1) -> str:
        """Puts one query, or a part of one that starts at a clause, into words.

        Raises:
            SqlError: if it is not one query or a part of one.
            ModelError: if it is too long.
        """
        check_grammar(split(sql))
        return self.translate([source_of(sql, self.settings.model)], beam)[0]


def load(folder: Path) -> Run:
    """Opens a finished run.

    Raises:
        ModelError: if the folder holds no finished run, or a broken one.
    """
    folder = Path(folder)
    if not (folder / "manifest.json").is_file():
        what = "an unfinished run" if (folder / "config.json").is_file() else "no run"
        raise ModelError(f"'{folder}' holds {what}: train it with 'spidercompose train --out {folder}'")
    try:
        stated = read_json(folder / "config.json").get("settings")
        settings = from_dict(stated)
        _check_unchanged(folder, stated)
        words = read_json(folder / "vocabulary.json")
        coder = Coder(Vocabulary(words["source"]), Vocabulary(words["target"]))
        tensors, _ = read_tensors(folder / "model.safetensors")
        model = _filled(settings, coder, tensors)
    except (CorpusError, ModelError, ParameterError, AttributeError, KeyError, TypeError) as error:
        raise ModelError(f"'{folder}' is a broken run ({error}): remove the folder and train again") from error
    return Run(folder, settings, coder, model.eval())


def _check_unchanged(folder: Path, settings: dict) -> None:
    """Refuses settings, weights or words that are not those of the training: they would write worse texts unnoticed."""
    manifest = read_json(folder / "manifest.json")
    if settings != manifest["settings"]:
        raise ModelError("config.json has changed since training wrote it")
    for name in ("model.safetensors", "vocabulary.json"):
        if not (folder / name).is_file() or sha256(folder / name) != manifest["sha256"][name]:
            raise ModelError(f"{name} is missing, or has changed since training wrote it")


def _filled(settings: Settings, coder: Coder, tensors: dict[str, Tensor]) -> Translator:
    """A model with given weights; nothing is allocated for sizes that the weights do not have."""
    with torch.device("meta"):
        model = Translator(settings, len(coder.source), len(coder.target))
    wanted = {name: (value.shape, value.dtype) for name, value in model.state_dict().items()}
    found = {name: (value.shape, value.dtype) for name, value in tensors.items()}
    odd = sorted(name for name in wanted.keys() | found.keys() if wanted.get(name) != found.get(name))
    if odd:
        raise ModelError(f"the weights '{odd[0]}' do not fit the settings and the vocabulary")
    model.load_state_dict(tensors, assign=True)
    return model


def notice(line: str) -> None:
    """Prints one line of progress to standard error, unless TQDM_DISABLE=1."""
    import os

    if os.environ.get("TQDM_DISABLE") != "1":
        print(line, file=sys.stderr, flush=True)
