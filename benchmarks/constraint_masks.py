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


def mask_times(language: Language, tokenizer: Tokenizer, places: Iterable[str]) -> MaskTimes:
    """Times behind some texts, one after the other, from an empty memory on."""
    grammar = Grammar.load(language)
    masker = _masker(grammar, tokenizer)
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


def file_runs(language: Language, tokenizer: Tokenizer, texts: Iterable[str], most: int) -> Iterator[FileRun]:
    """What masks cost who writes files one after the other, the first of them in a process that knows nothing yet.

    Args:
        most: Steps of each file.

    Garbage is collected as in the server, which takes what is there at its start for permanent.
    """
    grammar = Grammar.load(language)
    masker = _masker(grammar, tokenizer)
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


def _masker(grammar: Grammar, tokenizer: Tokenizer) -> Masker:
    pieces = {tokenizer.decode([token]) for token in range(tokenizer.get_vocab_size())}
    texts = sorted(piece for piece in pieces if "\ufffd" not in piece)
    return Masker(grammar.tables, grammar.automaton.reader, texts)
