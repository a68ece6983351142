"""lib.models.names."""

from hypothesis import given
from hypothesis import strategies as st

from lib.datasets import Names
from lib.models.names import Scope, Words, name_words

WORDS = Words(Names({"emp": "employee"}, {"emp": {"id": "staff id"}, "shp": {"id": "shop id", "cty": "city"}}))


@given(st.text(alphabet="abcXYZ_ 0é", min_size=1, max_size=12))
def test_name_words_are_lower_words(name):
    words = name_words(name)
    assert words
    assert all(word == word.lower() and "_" not in word.strip("_") for word in words)


def test_names_are_found_in_any_case_and_cut_where_unknown():
    assert (WORDS.table("EMP"), WORDS.table("shp"), WORDS.table("no_one")) == (("employee",), ("shp",), ("no", "one"))
    assert WORDS.column("Shp", "ID") == ("shop", "id")
    assert WORDS.column("", "Cty") == WORDS.column("emp", "cty") == ("city",)
    assert WORDS.column("emp", "birthDate") == ("birth", "date")


def test_the_nearest_from_owns_a_column():
    outer = Scope(WORDS)
    outer.define("emp", "T1")
    inner = Scope(WORDS, outer)
    inner.define("shp")
    assert (outer.owner("ID"), inner.owner("id"), outer.owner("cty")) == ("emp", "shp", "")
    assert (inner.table("t1"), inner.table("SHP"), outer.table("shp")) == ("emp", "shp", None)


def test_a_quoted_text_is_a_column_only_if_the_from_has_it():
    scope = Scope(WORDS)
    assert scope.names_column("cty")  # a part of a query, whose FROM is not known
    scope.define("emp")
    assert scope.names_column("id")
    assert not scope.names_column("cty")
