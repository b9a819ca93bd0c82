"""Does the constraint stay useful while a file is broken? Counted on files with a token spoilt above the cursor."""

from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING

from benchmarks.grammar_corpus import Judge, sources
from benchmarks.grammar_tally import Tally
from decoder.grammar.entry import Entries, EntryKind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from context_index.symbols import Language
    from decoder.grammar import State

_CONTINUED = 80
"""Characters of the real text after the cursor that must be accepted."""
_PROPOSED = 40
_PIECE = re.compile(r"\w+|[^\w\s]|\s+")


def check_edits(language: Language, roots: list[Path], seed: int, portable: bool) -> Iterator[Tally]:  # noqa: FBT001 - all checks are called alike
    """Spoils a token of one file after another, enters below it; yields the tally after each."""
    return _edits(language, roots, seed, portable=portable, half_typed=False)


def check_half_typed(language: Language, roots: list[Path], seed: int, portable: bool) -> Iterator[Tally]:  # noqa: FBT001 - likewise
    """The same where the rest of the cursor's line has not been typed yet: that is the continuation."""
    return _edits(language, roots, seed, portable=portable, half_typed=True)


def _edits(language: Language, roots: list[Path], seed: int, *, portable: bool, half_typed: bool) -> Iterator[Tally]:
    judge = Judge.of(language)
    draw = random.Random(seed)  # noqa: S311 - reproducible
    tally = Tally()
    for source in sources(language, roots, seed, largest=20_000):
        tokens = judge.tokens(source.text)
        if len(tokens) < 20:  # noqa: PLR2004 - nothing above a cursor
            continue
        data = source.text.encode()
        spoilt = draw.randrange(len(tokens) * 3 // 4)
        start, end = tokens[spoilt]
        kept = data[start : start + (end - start) // 2] if draw.random() < 0.5 and end - start > 1 else b""  # noqa: PLR2004 - half of the draws
        cursor = tokens[draw.randrange(spoilt + 1, len(tokens))][0]
        before = (data[:start] + kept + data[end:cursor]).decode(errors="replace")
        rest = data.find(b"\n", cursor) if half_typed else cursor
        after = data[rest:].decode() if rest >= 0 else ""
        continuation = data[cursor:].decode()[:_CONTINUED].partition("\n" if half_typed else "\0")[0]
        tally.count("edits")
        entry = Entries(language, portable=portable).enter(before + after, len(before))
        tally.count(entry.kind.value)
        place = f"{source.path}: {data[start:end].decode()!r} became {kept.decode(errors='replace')!r} at {start}"
        if entry.state is None:
            tally.note("inactive", place)
            yield tally
            continue
        if entry.state.advance(continuation) is None:
            tally.note("continuation refused", f"{place}, cursor {cursor}, {entry.repairs}")
        inserted = _propose(entry.state, source.text, draw, entry.surroundings.accept)
        if inserted is not None:
            tally.count("insertions")
            if judge.errors(before + inserted + after) > judge.errors(before + after):
                tally.fail("errors added", f"{place}, inserted {inserted!r}")
        if entry.kind is not EntryKind.WHOLE:
            tally.count("errors in the broken file", judge.errors(before + after))
        yield tally


def _propose(state: State, text: str, draw: random.Random, accept: Callable[[str, State], bool]) -> str | None:
    """A random insertion that the constraint lets through and lets stop."""
    pieces: list[str] = _PIECE.findall(text)
    written = ""
    for _ in range(_PROPOSED):
        piece = draw.choice(pieces)
        following = state.advance(piece)
        if following is None:
            continue
        state, written = following, written + piece
        if accept(written, state):
            return written
    return None
