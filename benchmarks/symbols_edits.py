"""What a list of names costs right after a key, with the statements carried over, and without."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from benchmarks.symbols_places import File
from benchmarks.timing import spread
from context_index.scopes import forget_statements, names_at
from context_index.syntax import Syntax
from context_index.text import Edit

_LONGEST_FILES = 12
_KEYS = 8


@dataclass(slots=True)
class Edited:
    """CPU milliseconds of one list each, in the longest files."""

    lines: int = 0
    """Of all files together."""
    files: int = 0
    carried: list[float] = field(default_factory=list)
    anew: list[float] = field(default_factory=list)
    """With every statement on the way outwards read again."""

    def as_json(self) -> dict[str, object]:
        """For programs."""
        return {"files": self.files, "lines": self.lines, "carried": spread(self.carried), "anew": spread(self.anew)}


def edited(files: Sequence[File], chance: random.Random) -> Edited:
    """A letter typed at the end of lines drawn by chance, and the names asked for after it."""
    longest = sorted(files, key=lambda file: len(file.text))[-_LONGEST_FILES:]
    found = Edited(sum(len(file.syntax.document.lines) for file in longest), len(longest))
    for file in longest:
        syntax, text = file.syntax, file.text
        for revision in range(_KEYS):
            place = text.find("\n", chance.randrange(len(text)))
            edits = [Edit(place, place, "x")] if place >= 0 else []
            document = syntax.document.edited(edits, revision)
            found.anew.append(_cost(syntax.edited(document, edits), place + 1))
            forget_statements()
            names_at(syntax.edited(syntax.document, []), place)
            found.carried.append(_cost(syntax.edited(document, edits), place + 1))
            forget_statements()
    return found


def _cost(syntax: Syntax, offset: int) -> float:
    started = time.thread_time()
    names_at(syntax, offset)
    return (time.thread_time() - started) * 1000
