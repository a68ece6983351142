"""Greedy and beam search, in batches that sentences leave when they are finished."""

from dataclasses import dataclass, replace

import torch
from torch import Tensor
from torch.nn.functional import linear

from lib.models.batching import Batch, inside
from lib.models.decoder import alike
from lib.models.encoders.memory import Memory
from lib.models.model import Translator
from lib.models.vocabulary import END, PAD, START, UNKNOWN

_NEVER = (PAD, UNKNOWN, START)  # words that no text holds
_ROWS = 16  # the number of sentences is kept at a multiple of this
_BLOCK = 64  # the best words are sought in blocks of so many; scores are filled up to whole blocks


def limits(lengths: Tensor) -> Tensor:
    """The longest text allowed for each source, in words; no reference of Spider comes near."""
    return (2 * lengths + 20).cpu()


@torch.no_grad()
def search(model: Translator, batch: Batch, beam: int = 1, length_penalty: float = 1.0) -> list[list[int]]:
    """Finds a likely text for each source.

    Args:
        model: in evaluation mode.
        batch: targets are not looked at.
        beam: texts kept at each step; 1 is greedy search.
        length_penalty: log probabilities are divided by the length in words to this power; 0 or more.

    Returns:
        Extended target numbers of each text, without END, in the order of the batch.
    """
    memory = model.encoder(batch)
    stepper = _Stepper(model, memory, batch.copies.shape[1])
    if beam == 1:
        return _greedy(stepper, limits(batch.lengths))
    return _beam(stepper, limits(batch.lengths), beam, length_penalty)


@dataclass(slots=True)
class _State:
    """The live sentences; each has as many decoder states as the search has beams."""

    memory: Memory
    keys: Tensor  # (sentences, places, hidden): the memory, projected once
    same: Tensor  # (sentences, places, places): which places hold the same word
    hidden: Tensor  # (sentences, beams, hidden)
    cell: Tensor  # (sentences, beams, hidden)

    def sentences(self, chosen: Tensor) -> "_State":
        """Some of the sentences."""
        hidden, cell = self.hidden[chosen], self.cell[chosen]
        return _State(self.memory.rows(chosen), self.keys[chosen], self.same[chosen], hidden, cell)

    def beams(self, origins: Tensor) -> "_State":
        """The decoder states that (sentences, beams) new beams come from; the memory stays as it is."""
        places = origins[:, :, None].expand(-1, -1, self.hidden.shape[2])
        return replace(self, hidden=self.hidden.gather(1, places), cell=self.cell.gather(1, places))


class _Stepper:
    """The decoder one step at a time."""

    def __init__(self, model: Translator, memory: Memory, extra: int):
        self._decoder, self._size = model.decoder, model.target_size
        lstm = model.decoder.lstm
        self._recurrent = lstm.weight_hh_l0.to(memory.states.dtype)  # in bf16 under autocast, as in training
        # What a word adds to the gates of the LSTM depends on the word alone: one table instead of a product a step.
        self._table = model.decoder.embedding.weight @ lstm.weight_ih_l0.T + (lstm.bias_ih_l0 + lstm.bias_hh_l0)
        self._choice = model.decoder.choice(extra + -(self._size + extra) % _BLOCK)
        hidden, cell = model.decoder.initial(memory)
        keys = model.decoder.key(memory.states)
        self.state = _State(memory, keys, alike(memory.copies).to(keys.dtype), hidden[:, None], cell[:, None])

    def __call__(self, state: _State, words: Tensor) -> tuple[_State, Tensor]:
        """Reads (sentences, beams) words; returns the next state and log probabilities, (..., vocabulary + extra)."""
        decoder, memory = self._decoder, state.memory
        hidden = state.hidden.flatten(0, 1).to(self._recurrent.dtype)  # else the product is made sentence by sentence
        gates = self._table[inside(words, self._size)] + linear(hidden, self._recurrent).view(*words.shape, -1)
        enter, forget, new, out = gates.chunk(4, dim=-1)
        cell = forget.sigmoid() * state.cell + enter.sigmoid() * new.tanh()
        hidden = out.sigmoid() * cell.tanh()
        found = decoder.attend(hidden, state.keys, memory)
        scores = decoder.log_probabilities(found, self._choice, memory.copies, state.same)
        scores[:, :, _NEVER] = float("-inf")
        return replace(state, hidden=hidden, cell=cell), scores


def _greedy(step: _Stepper, longest: Tensor) -> list[list[int]]:
    """The likeliest word at each step."""
    texts = torch.full((len(longest), int(longest.max())), END)
    live = torch.arange(len(longest))  # numbers of the sentences in the rows
    going = torch.ones(len(longest), dtype=torch.bool)  # of each row: whether its sentence goes on
    state, words = step.state, torch.full_like(live, START)
    for place in range(texts.shape[1]):
        state, scores = step(state, words[:, None].to(state.hidden.device))
        words = _largest(torch.zeros_like(scores[:, :, 0]), scores, 1)[2].squeeze(1).cpu()
        going &= words != END
        texts[live[going], place] = words[going]
        going &= place + 1 < longest[live]
        if not going.any():
            break
        rows = _kept(going)
        if rows is not None:
            live, words, going, state = live[rows], words[rows], going[rows], state.sentences(rows)
    return [text[:length] for text, length in zip(texts.tolist(), (texts != END).sum(dim=1).tolist(), strict=True)]


def _kept(going: Tensor) -> Tensor | None:
    """The rows to go on with, once a quarter of them can go: those that are not finished, and some up to a multiple.

    Moving rows costs about as much as a step, and oneDNN compiles a kernel for each number of rows.

    Returns:
        Their numbers in order, or None to go on with all.
    """
    size = -(-int(going.sum()) // _ROWS) * _ROWS
    if 4 * size > 3 * len(going):
        return None
    return torch.cat([going.nonzero(), (~going).nonzero()]).squeeze(1)[:size].sort().values


def _beam(step: _Stepper, longest: Tensor, beam: int, length_penalty: float) -> list[list[int]]:
    """Beam search; a sentence is finished once `beam` of its texts are."""
    count = len(longest)
    finished: list[list[tuple[float, list[int]]]] = [[] for _ in range(count)]
    live = torch.arange(count)
    state = step.state.beams(torch.zeros(count, beam, dtype=torch.long, device=step.state.hidden.device))
    scores = torch.full((count, beam), float("-inf"))
    scores[:, 0] = 0  # all beams of a sentence start alike: count only one
    texts = torch.full((count, beam, 1), START)
    going = torch.ones(count, dtype=torch.bool)  # of each live sentence
    for length in range(1, int(longest.max()) + 1):
        state, chances = step(state, texts[:, :, -1].to(state.hidden.device))
        # Twice the beam, since at most `beam` of them end the text.
        candidates = _largest(scores, chances.cpu(), 2 * beam)
        divisor = length**length_penalty
        _collect(finished, live, going, texts, candidates, beam, divisor)
        scores, origins, words = _continued(*candidates, beam)
        texts = torch.cat([texts.gather(1, origins[:, :, None].expand(-1, -1, texts.shape[2])), words[:, :, None]], 2)
        over = going & (length >= longest[live])
        _cut_off(finished, live, texts, scores, over, divisor)
        going &= ~over & torch.tensor([len(finished[i]) < beam for i in live.tolist()])
        if not going.any():
            break
        state = state.beams(origins.to(state.hidden.device))
        kept = _kept(going)
        if kept is not None:
            live, going, scores, texts = live[kept], going[kept], scores[kept], texts[kept]
            state = state.sentences(kept)
    return [max(found, key=lambda pair: pair[0])[1] for found in finished]


def _largest(scores: Tensor, chances: Tensor, count: int) -> tuple[Tensor, Tensor, Tensor]:
    """The best continuations of each sentence.

    Blocks first: the best words lie in the blocks with the best maxima, and a maximum costs a tenth of `topk`.
    Of exactly equal scores any may come first.

    Args:
        scores: (sentences, beams) log probability so far.
        chances: (sentences, beams, words) log probability of each word; whole blocks of them.
        count: how many to find, at most the words of a sentence's beams.

    Returns:
        Total scores, beams that they continue, words; (sentences, count) each, the best first.
    """
    blocks = chances.unflatten(2, (-1, _BLOCK))  # (sentences, beams, blocks, _BLOCK)
    each = blocks.shape[2]
    tops = (scores[:, :, None] + blocks.amax(dim=3)).flatten(1)
    kept = tops.topk(min(count, tops.shape[1])).indices  # blocks of all beams
    values = blocks.flatten(1, 2).gather(1, kept[:, :, None].expand(-1, -1, _BLOCK))
    totals = scores.gather(1, kept // each)[:, :, None] + values
    best, places = totals.flatten(1).topk(count)
    found = kept.gather(1, places // _BLOCK)
    return best, found // each, found % each * _BLOCK + places % _BLOCK


def _collect(finished: list, live: Tensor, going: Tensor, texts: Tensor, candidates: tuple, beam: int,
             divisor: float) -> None:  # fmt: skip
    """Notes the texts that end now; only those among the best `beam`."""
    totals, origins, words = candidates
    ends = (words[:, :beam] == END) & totals[:, :beam].isfinite() & going[:, None]
    for row, rank in ends.nonzero().tolist():
        text = texts[row, origins[row, rank], 1:].tolist()
        finished[live[row]].append((float(totals[row, rank]) / divisor, text))


def _continued(totals: Tensor, origins: Tensor, words: Tensor, beam: int) -> tuple[Tensor, Tensor, Tensor]:
    """The best `beam` candidates that go on, in order."""
    ranks = torch.arange(totals.shape[1]).expand_as(words)
    chosen = torch.where(words == END, ranks + totals.shape[1], ranks).argsort(dim=-1)[:, :beam]
    return totals.gather(1, chosen), origins.gather(1, chosen), words.gather(1, chosen)


def _cut_off(finished: list, live: Tensor, texts: Tensor, scores: Tensor, over: Tensor, divisor: float) -> None:
    """Takes texts that reached the limit as they are, if nothing better ended."""
    for row in over.nonzero().squeeze(1).tolist():
        if not finished[live[row]]:
            finished[live[row]].append((float(scores[row, 0]) / divisor, texts[row, 0, 1:].tolist()))
