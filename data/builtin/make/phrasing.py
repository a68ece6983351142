"""Parts of questions that many constructs share: openings, orders, amounts."""

from dataclasses import dataclass

from data.builtin.make import english
from data.builtin.make.model import Column, Table
from data.builtin.make.world import World

_COMMANDS = ("List", "Show", "Give me", "Find", "Return", "Tell me", "Show me", "Give")
_ASIDES = ("I would like to see", "I need", "Please list")


@dataclass(frozen=True, slots=True)
class Opening:
    """The words that ask for columns, ending with the noun of the rows."""

    text: str
    mark: str  # closing mark of the sentence
    verb: bool = False  # a verb phrase follows ("Which hives" + "are blue"), else a phrase behind the noun

    @property
    def command(self) -> bool:
        """Whether it is a command that can go on with "and sort them"."""
        return self.mark == "." and not self.text.startswith(("I ", "Please"))


def wanted(columns: list[Column], plural: bool = True) -> str:
    """The selected columns: "names and ages"."""
    return english.listing([column.many if plural else column.one for column in columns])


def openings(world: World, columns: list[Column], table: Table, verbs: bool = True) -> list[Opening]:
    """All openings for a list of rows, in random order."""
    thing, rng = f"{wanted(columns)} of", world.rng
    nouns = [f"the {table.many}", table.many, f"the {table.many}"]
    found = [Opening(f"What are the {thing} {rng.choice(nouns)}", "?") for _ in range(2)]
    found += [Opening(f"{rng.choice(_COMMANDS)} the {thing} {rng.choice(nouns)}", ".") for _ in range(3)]
    found.append(Opening(f"{rng.choice(_ASIDES)} the {thing} {rng.choice(nouns)}", "."))
    if columns == [table.title] and verbs:
        found += [Opening(f"Which {table.many}", "?", verb=True)] * 2
    rng.shuffle(found)
    return found


def single(world: World, columns: list[Column], table: Table) -> tuple[str, str, str]:
    """An opening for one row: words before its noun ("What is the name of the"), the noun, the closing mark."""
    command = world.rng.choice(_COMMANDS)
    verb = "is" if len(columns) == 1 else "are"
    return world.one_of(
        [
            (f"What {verb} the {wanted(columns, plural=False)} of", table.one, "?"),
            (f"{command} the {wanted(columns, plural=False)} of", table.one, "."),
        ]
    )


def tail(opening: Opening, phrase: str) -> str:
    """A phrase in the form that the opening asks for."""
    if opening.verb:
        return english.agree(english.predicate(phrase))
    return english.agree(phrase)


def direct(phrase: str) -> bool:
    """Whether a phrase can become a verb phrase."""
    return not phrase.startswith(("whose", "without", "of which"))


def orders(world: World, column: Column, descending: bool) -> list[str]:
    """Ways to ask for an order, to stand at the end of a sentence."""
    if column.role in ("name", "cat"):
        return _alphabetical(column, descending)
    first, last = (column.high, column.low) if descending else (column.low, column.high)
    direction = "descending" if descending else "ascending"
    ways = [
        f"in {direction} order of {column.one}",
        f"sorted by {column.one} in {direction} order",
        f"ordered by {column.one}, {first} first",
        f"sorted by {column.one} from {first} to {last}",
        f"starting with the {first} {column.one}",
    ]
    if not descending:
        ways += [f"sorted by {column.one}", f"ordered by {column.one}"]
    if column.role == "day" or column.role == "year":
        ways += [f"in chronological order of {column.one}"] if not descending else [f"by {column.one}, {first} first"]
    if column.most and column.least and " " not in column.most:
        first, last = (column.most, column.least) if descending else (column.least, column.most)
        ways += [
            f"from {first} to {last}",
            f"from the {first} to the {last}",
            f"{first} first",
            f"starting with the {first}",
        ]
    world.rng.shuffle(ways)
    return ways


def _alphabetical(column: Column, descending: bool) -> list[str]:
    if descending:
        return [f"in reverse alphabetical order of {column.one}", f"sorted by {column.one} from Z to A"]
    return [
        f"in alphabetical order of {column.one}",
        f"sorted alphabetically by {column.one}",
        f"ordered by {column.one} from A to Z",
        "in alphabetical order",
    ]


def ordered(world: World, opening: Opening, body: str, way: str) -> str:
    """A marked question with its order behind it, in the same or a second sentence."""
    dice = world.rng.random()
    verb = way.split(" ", 1)[0] in ("sorted", "ordered")
    if verb and opening.command and dice < 0.4:
        word = {"sorted": "sort", "ordered": "order"}[way.split(" ", 1)[0]]
        return f"{body} [o and {word} them {way.split(' ', 1)[1]}]."
    if verb and dice < 0.25:
        word = {"sorted": "Sort", "ordered": "Order"}[way.split(" ", 1)[0]]
        return f"{body}{opening.mark} [o {word} them {way.split(' ', 1)[1]}]."
    comma = "," if dice > 0.5 or "], " in body else ""
    return f"{body}{comma} [o {way}]{opening.mark}"


def extremes(column: Column, descending: bool) -> list[str]:
    """Superlatives for the rows at one end: "the oldest {}", "the {} with the highest age"; `{}` is their noun."""
    adjective = column.most if descending else column.least
    value = column.high if descending else column.low
    ways = [f"{{}} [o with the {value} {column.one}]"]
    if adjective:
        ways += [f"[o the {adjective}] {{}}"] * 2
    return ways


def amounts(world: World, low: int = 2, high: int = 5) -> tuple[str, str]:
    """A condition on a number of rows: SQL behind count(*), and words before a plural noun."""
    count = world.rng.randint(low, high)
    word = english.number(count, world.rng)
    return world.one_of(
        [
            (f">= {count}", f"at least {word}"),
            (f">= {count}", f"{word} or more"),
            (f"> {count}", f"more than {word}"),
            (f"< {count + 1}", f"fewer than {english.number(count + 1, world.rng)}"),
            (f"= {count}", f"exactly {word}"),
        ]
    )
