"""lib.models.vocabulary."""

import pytest

from lib.errors import ModelError
from lib.models.batching import Coder
from lib.models.vocabulary import END, SPECIALS, UNKNOWN, Vocabulary, count_words


def test_words_by_falling_count_then_alphabet():
    assert count_words([["b", "a", "c"], ["c", "a", "b", "c"], ["d"]], 2).words == (*SPECIALS, "c", "a", "b")


def test_a_special_word_in_a_text_is_an_unknown_word_or_itself_once():
    assert count_words([["<s>", "a"]]).words == (*SPECIALS, "a")


@pytest.mark.parametrize("words", [["a", "a"], ["<pad>"], [3]])
def test_no_vocabulary(words):
    with pytest.raises(ModelError, match="distinct"):
        Vocabulary(words)


def test_words_of_the_source_survive_both_ways():
    coder = Coder(Vocabulary(["where"]), Vocabulary(["in"]))
    source = ["where", "Rome", "Rome", "Oslo"]
    item = coder.item(source, ["in", "Oslo", "Rome", "never"])
    assert item.target == (4, 5 + 3, 5 + 1, UNKNOWN, END)
    assert item.copies == (5, 6, 6, 8)
    assert coder.words(item.target[:3], source) == ["in", "Oslo", "Rome"]


def test_an_empty_source_is_refused():
    with pytest.raises(ModelError, match="empty source"):
        Coder(Vocabulary([]), Vocabulary([])).item([])
