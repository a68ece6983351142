"""Tokens against golden cases, NLTK's tokenizer and Spider's own token fields."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.tokenize import TreebankWordTokenizer

from lib.files import read_jsonl
from lib.tokens import detokenize, lemmas, parts_of_speech, tokenize

CASES = list(read_jsonl(Path(__file__).parents[1] / "golden" / "tokens.jsonl"))
TREEBANK = TreebankWordTokenizer()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_golden(case):
    assert tokenize(case["text"]) == tuple(case["tokens"])


def test_handed_cases(shared):
    cases = json.loads((shared / "cases" / "sql_and_text.json").read_text(encoding="utf-8"))
    checked = 0
    for case in cases:
        if case["kind"] == "tokenisation" and isinstance(case["input"], str):
            tokens, expected = tokenize(case["input"]), tuple(case["expected"])
            places = range(len(tokens) - len(expected) + 1)  # some cases give a part of the tokens
            assert any(tokens[i : i + len(expected)] == expected for i in places), case["id"]
            checked += 1
    assert checked >= 3


CONTRACTIONS = {"'s", "'S", "'m", "'d", "'re", "'ve", "'ll", "''", "'"}


def plain_quotes(tokens):
    """Treebank tokens with our deviations: typographic quotes are plain ones, and each quote is a token of its own."""
    for token in tokens:
        plain = token.replace("‘", "'").replace("’", "'")
        if plain in CONTRACTIONS:
            yield plain
        else:
            yield from (part for part in re.fullmatch(r"('?)(.*?)('s|')?", plain).groups() if part)


def test_spider_tokens(spider_home):
    examples = json.loads((spider_home / "dev.json").read_text(encoding="utf-8"))
    differing = [
        index
        for index, example in enumerate(examples)
        if list(tokenize(example["question"])) != list(plain_quotes(example["question_toks"]))
    ]
    assert len(examples) == 1034
    assert len(differing) <= 3, differing


def treebank(text):
    """NLTK's tokens, sentence by sentence, as it asks for."""
    sentences = re.split(r"(?<=[.?!])\s+(?=[A-Z])", text)
    return list(plain_quotes(token for sentence in sentences for token in TREEBANK.tokenize(sentence)))


def test_equals_nltk_on_spider(spider_home):
    examples = json.loads((spider_home / "train_spider.json").read_text(encoding="utf-8"))
    quotes = str.maketrans("‘’“”", "''\"\"")
    questions = [example["question"].translate(quotes) for example in examples]
    differing = [question for question in questions if list(tokenize(question)) != treebank(question)]
    assert len(questions) == 7000
    assert len(differing) <= 20  # a capital behind an abbreviation, and single letters in quotes


WORDS = st.sampled_from(
    [
        "name",
        "names",
        "Norway",
        "O'Neill",
        "1,500",
        "3.75",
        "don't",
        "we're",
        "it's",
        "10:30",
        "left-handed",
        ",",
        "?",
        "!",
        ";",
        "(",
        ")",
        "--",
        "...",
        "$",
        "%",
        "&",
        "cannot",
        "a",
    ]
)


@given(st.lists(WORDS, min_size=1, max_size=12).map(" ".join))
def test_equals_nltk_on_words_and_marks(text):
    assert list(tokenize(text + " end")) == treebank(text + " end")


@given(st.text(max_size=60))
def test_loses_no_letter(text):
    quotes = re.compile("[\"'`‘’‚‛′“”„‟″\\s]")
    assert quotes.sub("", "".join(tokenize(text))) == quotes.sub("", text)


@given(st.text(max_size=60))
def test_is_stable(text):
    assert all(token and not token.isspace() and " " not in token for token in tokenize(text))


@pytest.mark.parametrize(
    "text",
    [
        "What is Norway's capital?",
        'Find the ships named "The Sea" (and their crews).',
        "They don't know, do they?",
        "Who lives in 'North Dale' since 1,500?",
    ],
)
def test_detokenize_gives_the_text_back(text):
    assert detokenize(tokenize(text)) == text


@given(st.lists(st.sampled_from(["a", "b", ",", ".", "``", "''", "(", ")", "'s"]), max_size=10))
def test_detokenize_keeps_all_tokens(tokens):
    plain = "".join(tokens).replace("``", '"').replace("''", '"')
    assert "".join(detokenize(tokens).split()) == plain


@pytest.mark.parametrize(
    ("word", "base"),
    [
        ("dogs", "dog"),
        ("had", "have"),
        ("tallest", "tall"),
        ("Countries", "country"),
        ("people", "people"),
        ("ordered", "order"),
    ],
)
def test_lemmas(word, base):
    assert base in lemmas(word)
    assert word.lower() in lemmas(word)


@pytest.mark.parametrize("word", ["", "'s", "1,500", "naïve", "x_y", "学生"])
def test_lemmas_of_odd_words_are_the_words(word):
    assert word.lower() in lemmas(word)
    assert isinstance(parts_of_speech(word), frozenset)
