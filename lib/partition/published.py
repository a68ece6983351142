"""The setting and the published splits of Spider-SSP (Shaw et al. 2021), and our own id lists."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from lib.datasets import PARTS
from lib.errors import ParameterError, RecordError
from lib.files import dump_line, read_json, write_text
from lib.records import Example

LEAST_EXAMPLES = 50  # of a database of Spider-SSP


def ssp_examples(train: Iterable[Example]) -> list[Example]:
    """The examples of Spider-SSP: training examples of databases with at least 50 of them, in file order.

    Raises:
        ParameterError: if no database has so many.
    """
    train = list(train)
    counts = Counter(example.db_id for example in train)
    kept = [example for example in train if counts[example.db_id] >= LEAST_EXAMPLES]
    if not kept:
        raise ParameterError(
            f"setting 'ssp' needs databases with at least {LEAST_EXAMPLES} training examples, and this corpus has none;"
            " use setting 'spider'"
        )
    return kept


def read_split(path: Path, examples: Sequence[Example]) -> dict[str, list[Example]]:
    """Reads which examples a split file puts where.

    Args:
        path: JSON with a list for `train`, `test` and perhaps `validation`; of ids, such as "train-00012", or, as
            published, of 0-based indices in `examples`.
        examples: all examples of the setting.

    Raises:
        CorpusError: if the file cannot be read.
        RecordError: if an entry is no example, or stands twice; names the part.
    """
    lists = read_json(path)
    name = Path(path).name
    if not isinstance(lists, dict) or not lists.keys() <= set(PARTS) or not {"train", "test"} <= lists.keys():
        raise RecordError(name, 0, "not a split: expected lists 'train', 'test' and perhaps 'validation'")
    by_name = dict(enumerate(examples)) | {example.id: example for example in examples}
    seen: set[str] = set()
    split = {part: _found(lists.get(part, []), f"'{part}'", name, by_name, seen) for part in PARTS}
    by_place = any(type(entry) is int for part in lists for entry in lists[part])
    if by_place and len(seen) < len(examples):  # places among other examples would pass as places among these
        raise RecordError(
            name, 0, f"indices of {len(seen):,} examples, but the setting has {len(examples):,}: try another --setting"
        )
    return split


def _found(entries: object, part: str, name: str, by_name: Mapping, seen: set[str]) -> list[Example]:
    """The examples of one part; adds their ids to `seen`."""
    if not isinstance(entries, list):
        raise RecordError(name, 0, f"{part} must be a list, not {type(entries).__name__}")
    found = []
    for place, entry in enumerate(entries):
        example = by_name.get(entry) if type(entry) in (int, str) else None
        if example is None:
            raise RecordError(name, place, f"{entry!r:.60} in {part} is none of the {len(by_name) // 2:,} examples")
        if example.id in seen:
            raise RecordError(name, place, f"{entry!r:.60} in {part} stands twice")
        seen.add(example.id)
        found.append(example)
    return found


def write_ids(path: Path, split: dict[str, Sequence[Example]]) -> None:
    """Writes the ids of a split, one line a part."""
    lines = [f'"{part}": {dump_line([example.id for example in split[part]])}' for part in PARTS]
    write_text(path, "{\n" + ",\n".join(lines) + "\n}\n")
