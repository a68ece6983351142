"""Words and their numbers; numbers beyond the vocabulary stand for source words to be copied."""

from collections import Counter
from collections.abc import Iterable, Sequence

from lib.errors import ModelError

PAD, UNKNOWN, START, END = range(4)
SPECIALS = ("<pad>", "<unk>", "<s>", "</s>")


class Vocabulary:
    """A fixed list of words.

    Args:
        words: without the special ones, distinct.

    Raises:
        ModelError: if a word comes twice or is no text.
    """

    def __init__(self, words: Sequence[str]):
        self.words = (*SPECIALS, *words)
        if not all(isinstance(word, str) for word in self.words) or len(set(self.words)) != len(self.words):
            raise ModelError("not a vocabulary: its words must be distinct texts")
        self._number = {word: number for number, word in enumerate(self.words)}

    def __len__(self) -> int:
        return len(self.words)

    def numbers(self, words: Iterable[str]) -> list[int]:
        """The number of each word; UNKNOWN for words that are not here."""
        return [self._number.get(word, UNKNOWN) for word in words]

    def extended(self, words: Iterable[str], source: Sequence[str]) -> list[int]:
        """The number of each word, where a word of the source that is not here has a number behind the last one.

        >>> Vocabulary(["a"]).extended(["a", "Rome", "b"], ["in", "Rome"])
        [4, 6, 1]
        """
        places = {word: len(self) + index for index, word in reversed(list(enumerate(source)))}
        return [self._number.get(word, places.get(word, UNKNOWN)) for word in words]


def count_words(sentences: Iterable[Iterable[str]], min_count: int = 1) -> Vocabulary:
    """The vocabulary of sentences: words by falling count, ties in the order of the alphabet.

    Args:
        sentences: their words.
        min_count: rarer words are left out; at least 1.
    """
    counts = Counter(word for sentence in sentences for word in sentence)
    for special in SPECIALS:
        counts.pop(special, None)
    kept = [word for word, count in counts.items() if count >= min_count]
    return Vocabulary(sorted(kept, key=lambda word: (-counts[word], word)))
