"""The databases of the built-in corpus: one module each, holding schema, rows and vocabulary."""

from importlib import import_module

from data.builtin.make.model import Domain

TRAIN = (
    "tram_network",
    "beekeeping",
    "seed_bank",
    "puppet_theatre",
    "village_bakery",
    "lighthouses",
    "chess_league",
    "observatory",
    "canal_boats",
    "translation_bureau",
    "folk_archive",
    "repair_cafe",
)
DEV = ("mountain_huts", "print_workshop", "botanic_garden", "dive_centre")


def load(db_id: str) -> Domain:
    """The description of one database."""
    return import_module(f"{__name__}.{db_id}").DOMAIN
