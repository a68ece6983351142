"""Ratings that nobody gave, for trying out and teaching what is done with ratings. They say nothing of any real system.

Three invented systems write texts whose faults are known, since they are made by hand from the references; invented
raters see that quality through noise.
"""

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from lib.metrics.rating_sheets import make_sheets, read_ratings, read_sheet, sheets_in, write_sheet
from lib.metrics.ratings import LEVELS, SCALES, Item, Rating, Ratings, choose
from lib.records import Pair


@dataclass(frozen=True, slots=True)
class InventedSystem:
    """A system with a known fault."""

    write: Callable[[Sequence[str], Random], Sequence[str]]  # from the words of the reference
    quality: tuple[float, float]  # true fluency and adequacy of its texts, 1 to 5


@dataclass(frozen=True, slots=True)
class InventedRater:
    """How somebody turns quality into ratings."""

    strictness: float  # points below the true quality, on average
    noise: float  # standard deviation in points; endless for somebody who does not read the texts
    filled: float  # share of the sheet that is done, 0 to 1


def _shuffled(words: Sequence[str], rng: Random) -> Sequence[str]:
    return rng.sample(words, len(words))


INVENTED_SYSTEMS = {
    "invented A (flawless)": InventedSystem(lambda words, rng: words, (4.7, 4.7)),
    "invented B (end missing)": InventedSystem(lambda words, rng: words[: len(words) * 2 // 3], (4.0, 2.6)),
    "invented C (words shuffled)": InventedSystem(_shuffled, (1.6, 3.0)),
}
INVENTED_RATERS = {
    "rater-1": InventedRater(strictness=0.0, noise=0.5, filled=1.0),
    "rater-2": InventedRater(strictness=0.4, noise=0.5, filled=0.8),
    "rater-3": InventedRater(strictness=0.0, noise=float("inf"), filled=1.0),
}


def invented_texts(pairs: Sequence[Pair], seed: int) -> dict[str, tuple[str, ...]]:
    """What the invented systems write for some pairs."""
    texts = {}
    for name, system in INVENTED_SYSTEMS.items():
        rng = Random(f"{seed} {name}")
        texts[name] = tuple(" ".join(system.write(pair.text.split(), rng)) for pair in pairs)
    return texts


def simulate(pairs: Sequence[Pair], items: int, seed: int) -> Ratings:
    """Makes sheets of invented texts, lets the invented raters fill them, and reads them; keeps no file.

    Args:
        pairs: test pairs.
        items: most texts on a sheet.
        seed: of all chance in it.

    Raises:
        ParameterError: if `items` has no room for the texts of one pair.
    """
    chosen = choose(invented_texts(pairs, seed), pairs, items, seed)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_sheets(folder, chosen, len(INVENTED_RATERS), seed)
        for sheet in sheets_in(folder):
            _fill(sheet, chosen, INVENTED_RATERS[sheet.stem], seed)
        return read_ratings(folder)


def _fill(sheet: Path, items: Sequence[Item], rater: InventedRater, seed: int) -> None:
    rng, by_number, blank = (
        Random(f"{seed} {sheet.stem}"),
        {item.number: item for item in items},
        read_sheet(sheet, items),
    )
    done = round(rater.filled * len(blank))
    filled = [_rated(rating, by_number[rating.item], rater, seed, rng) for rating in blank[:done]]
    write_sheet(sheet, items, filled + blank[done:])


def _rated(rating: Rating, item: Item, rater: InventedRater, seed: int, rng: Random) -> Rating:
    own = Random(f"{seed} {item.pair} {item.text}")  # the same for all raters, and for a repeat
    truth = dict(zip(SCALES, INVENTED_SYSTEMS[item.systems[0]].quality, strict=True))
    values = {}
    for scale in SCALES:
        quality = truth[scale] + own.gauss(0, 0.6) - rater.strictness
        careless = rater.noise == float("inf")
        values[scale] = rng.choice(LEVELS) if careless else _level(quality + rng.gauss(0, rater.noise))
    return replace(rating, **values)


def _level(quality: float) -> int:
    return min(max(round(quality), LEVELS[0]), LEVELS[-1])
