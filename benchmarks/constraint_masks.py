"""What the mask over a vocabulary costs where the decode loop asks for one: of what syntax leaves possible."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import mean
from time import perf_counter, process_time
from typing import TYPE_CHECKING

from decoder.grammar import Grammar
from decoder.grammar.masks import Masker
from lsp_server.collection import settle

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tokenizers import Tokenizer

    from context_index.symbols import Language


@dataclass(frozen=True, slots=True)
class MaskTimes:
    """Seconds for each mask."""

    first: list[float]
    """When a place was asked about for the first time, with the tables that are made for it."""
    again: list[float]
    """The same place once more."""


@dataclass(frozen=True, slots=True)
class SetUp:
    """What masks over a vocabulary are asked of."""

    grammar: Grammar
    masker: Masker
    texts: int
    """That the tokens write, as far as they are whole characters."""
    seconds: float
    """Of processor time that it took."""


def set_up(language: Language, tokenizer: Tokenizer) -> SetUp:
    """Masks over all texts that single tokens write, in a language."""
    grammar = Grammar.load(language)
    pieces = {tokenizer.decode([token]) for token in range(tokenizer.get_vocab_size())}
    texts = sorted(piece for piece in pieces if "\ufffd" not in piece)
    started = process_time()
    masker = Masker(grammar.tables, grammar.automaton.reader, texts)
    return SetUp(grammar, masker, len(texts), process_time() - started)


def mask_times(language: Language, tokenizer: Tokenizer, places: Iterable[str]) -> MaskTimes:
    """Times behind some texts, one after the other, from an empty memory on."""
    masks = set_up(language, tokenizer)
    grammar, masker = masks.grammar, masks.masker
    times = MaskTimes([], [])
    for place in places:
        state = grammar.start().feed(place)
        if state is None:
            raise ValueError(f"{place[-60:]!r} was refused")
        for found in (times.first, times.again):
            started = perf_counter()
            masker.mask(state)
            found.append(perf_counter() - started)
    return times


@dataclass(frozen=True, slots=True)
class FileRun:
    """A file that is written token by token, with a mask at each step."""

    steps: list[float]
    """Seconds of processor time for each mask."""
    size: int
    """Bytes that are remembered at its end, by the masker's own count."""

    @property
    def mean(self) -> float:
        """Seconds for a mask."""
        return mean(self.steps)


def file_runs(masks: SetUp, tokenizer: Tokenizer, texts: Iterable[str], most: int) -> Iterator[FileRun]:
    """What masks cost who writes files one after the other, the first of them in a process that knows nothing yet.

    Args:
        most: Steps of each file.

    Garbage is collected as in the server, which takes what is there at its start for permanent.
    """
    grammar, masker = masks.grammar, masks.masker
    settle()
    for text in texts:
        state = grammar.start()
        steps: list[float] = []
        done = 0
        for _, end in tokenizer.encode(text).offsets[:most]:
            piece = text[done:end]
            if not piece:
                continue  # a part of a character
            started = process_time()
            masker.mask(state)
            steps.append(process_time() - started)
            following = state.feed(piece)
            if following is None:
                raise ValueError(f"{text[:end][-60:]!r} was refused")
            state, done = following, end
        yield FileRun(steps, masker.size)
