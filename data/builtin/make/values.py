"""Column fillers: each returns a function (generator, number of rows) -> values."""

from datetime import date, timedelta
from itertools import product
from random import Random

from data.builtin.make.model import Values

FIRST = [
    "Ada",
    "Alma",
    "Amir",
    "Anton",
    "Astrid",
    "Bela",
    "Bruno",
    "Carla",
    "Cedric",
    "Dalia",
    "Dmitri",
    "Edda",
    "Elias",
    "Emeka",
    "Farah",
    "Felix",
    "Greta",
    "Hanna",
    "Hugo",
    "Ines",
    "Ivo",
    "Jana",
    "Jonas",
    "Kira",
    "Lena",
    "Levin",
    "Lotte",
    "Malik",
    "Mara",
    "Milo",
    "Nadia",
    "Nils",
    "Olga",
    "Oskar",
    "Petra",
    "Quentin",
    "Rosa",
    "Ruben",
    "Selma",
    "Stefan",
    "Tamar",
    "Tilda",
    "Ugo",
    "Vera",
    "Wanda",
    "Yusuf",
    "Zoe",
]
LAST = [
    "Abbot",
    "Arden",
    "Barlow",
    "Bergman",
    "Castell",
    "Cole",
    "Dahl",
    "Drake",
    "Egger",
    "Ferrand",
    "Fenn",
    "Garrick",
    "Gold",
    "Hale",
    "Holm",
    "Iqbal",
    "Janssen",
    "Keller",
    "Kovac",
    "Lind",
    "Marsh",
    "Moreno",
    "Nagy",
    "Novak",
    "Okoro",
    "Orme",
    "Pell",
    "Petrov",
    "Quist",
    "Rask",
    "Rossi",
    "Sand",
    "Silva",
    "Thorne",
    "Toft",
    "Ulrich",
    "Vance",
    "Vidal",
    "Weir",
    "Winter",
    "Yates",
    "Zeller",
]


def pick(*values) -> Values:
    """Draws from a few values, the first ones more often."""
    weights = [1 / (rank + 2) for rank in range(len(values))]
    return lambda rng, n: rng.choices(values, weights, k=n)


def listed(*values) -> Values:
    """The given values, one a row."""
    return lambda rng, n: list(values[:n])


def whole(low: int, high: int, step: int = 1) -> Values:
    """Whole numbers from `low` to `high`."""
    return lambda rng, n: [rng.randrange(low, high + 1, step) for _ in range(n)]


def decimal(low: float, high: float, digits: int = 1) -> Values:
    """Numbers with a few digits behind the point."""
    return lambda rng, n: [round(rng.uniform(low, high), digits) for _ in range(n)]


def days(first: int, last: int) -> Values:
    """Dates of the years `first` to `last`."""
    start, length = date(first, 1, 1), (date(last, 12, 31) - date(first, 1, 1)).days
    return lambda rng, n: [(start + timedelta(rng.randint(0, length))).isoformat() for _ in range(n)]


def combined(left: str, right: str, between: str = " ") -> Values:
    """Unique names of two words, each taken from a list (a blank or, where it has one, a comma between entries)."""
    pairs = [between.join(pair) for pair in product(_entries(left), _entries(right))]
    return lambda rng, n: rng.sample(pairs, n)


def people() -> Values:
    """Unique first and last names."""
    return combined(" ".join(FIRST), " ".join(LAST))


def surnames() -> Values:
    """Last names, unique."""
    return lambda rng, n: rng.sample(LAST, n)


def maybe(values: Values, share: float = 0.15) -> Values:
    """The same with a share of NULLs."""
    return lambda rng, n: [None if rng.random() < share else value for value in values(rng, n)]


def references(rng: Random, count: int, rows: int) -> list[int]:
    """Keys 1 to `count`, some far more often than others and some never."""
    keys = list(range(1, count + 1))
    rng.shuffle(keys)
    kept = keys[: max(2, round(count * 0.85))]
    return rng.choices(kept, [1 / (rank + 3) for rank in range(len(kept))], k=rows)


def _entries(text: str) -> list[str]:
    return [entry.strip() for entry in text.split(",")] if "," in text else text.split()
