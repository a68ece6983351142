"""lib.models.data."""

import pytest

from lib.datasets import Names, write_names, write_part, write_queries
from lib.errors import CorpusError
from lib.models.configuration import TREE_MODELS, settings
from lib.models.data import hashes, read_sources, read_training_data
from lib.models.sources import MARKS
from lib.models.trees import LEAF
from lib.records import Pair
from tests.unit.partition.test_recombination import QUERIES, recombinable

WHOLE = "SELECT T1.nm FROM plr AS T1 WHERE T1.hnd = 'L' AND ht > 180"
NAMES = {
    "club": Names({"plr": "player"}, {"plr": {"nm": "name", "hnd": "playing hand", "ht": "height"}}),
    "zoo": Names({"plr": "plover"}, {"plr": {"hnd": "wing"}}),
}


def part_of_whole(db_id: str) -> Pair:
    sql = WHOLE[WHOLE.index("WHERE") :]
    return Pair(f"{db_id}:WHERE", f"dev-{db_id}", db_id, ("WHERE",), sql, "tall and left-handed", 1, "dev", {})


@pytest.fixture
def folder(dataset):
    """A dataset with a part of a query for each of two databases, and without the query."""
    write_part(dataset, "train", [part_of_whole("club"), part_of_whole("zoo")])
    return dataset


def leaves(folder, model: str) -> list[str]:
    """What an encoder reads of the training pairs, without marks, inner nodes, points and quotes."""
    return [
        " ".join(
            token
            for number, token in enumerate(source.tokens)
            if token not in (".", *MARKS) and (source.tree is None or source.tree.kinds[number] == LEAF)
        )
        for source in read_sources(folder, ("train",), model)["train"].read
    ]


def test_names_and_whole_queries_of_a_dataset_reach_every_encoder(folder, model_name):
    write_names(folder, NAMES)
    write_queries(folder, {"dev-club": WHOLE, "dev-zoo": WHOLE})
    told = leaves(folder, model_name)
    if model_name in TREE_MODELS:
        assert told == ["player playing hand L height 180", "plover wing L ht 180"]
    else:
        assert told == ["where player playing hand = L and height > 180", "where plover wing = L and ht > 180"]


def test_a_dataset_without_them_is_read_all_the_same(folder, model_name):
    told = leaves(folder, model_name)
    assert told == 2 * (["hnd L ht 180"] if model_name in TREE_MODELS else ["where hnd = L and ht > 180"])


def test_the_hashes_tell_names_and_queries(folder):
    parts = hashes(folder)
    assert list(parts) == ["train", "validation", "test"]
    write_names(folder, NAMES)
    named = hashes(folder)
    assert named.keys() - parts.keys() == {"names"}
    write_names(folder, {"club": NAMES["club"]})
    write_queries(folder, {"dev-club": WHOLE})
    assert hashes(folder)["names"] != named["names"]
    assert "queries" in hashes(folder)


def test_broken_names_are_told(folder):
    (folder / "names.json").write_text("[]")
    with pytest.raises(CorpusError, match=r"names\.json"):
        read_sources(folder, ("train",), "bilstm")


def test_recombined_pairs_are_counted(dataset):
    write_part(dataset, "train", recombinable())
    write_queries(dataset, QUERIES)
    plain, more, short = (
        read_training_data(dataset, settings("recombined", recombine=share, max_length=longest))
        for share, longest in ((0.0, 400), (4.0, 400), (4.0, 11))
    )
    assert (plain.recombined, plain.left_out["recombined too long"]) == (0, 0)
    assert more.recombined == len(more.train) - len(plain.train) > 10
    assert 0 < short.left_out["recombined too long"] == more.recombined - short.recombined
