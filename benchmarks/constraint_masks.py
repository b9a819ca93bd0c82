"""What the mask over a vocabulary costs where the decode loop asks for one: of what syntax leaves possible."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING

from decoder.grammar import Grammar
from decoder.grammar.mask import Masker

if TYPE_CHECKING:
    from collections.abc import Iterable

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
    pieces = {tokenizer.decode([token]) for token in range(tokenizer.get_vocab_size())}
    grammar = Grammar.load(language)
    texts = sorted(piece for piece in pieces if "\ufffd" not in piece)
    masker = Masker(grammar.tables, grammar.automaton.reader, texts)
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
