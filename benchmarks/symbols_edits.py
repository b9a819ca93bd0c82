"""What a list of names costs right after a key, for `inscope bench symbols`.

It is measured as in the product, which carries what it knows of unchanged statements over to the new tree, and with all
statements read anew.
"""

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
"""Files that are edited: the longest ones."""
_KEYS = 8
"""Keys that are typed in each."""


@dataclass(slots=True)
class EditTimes:
    """Milliseconds of processor time for each list of names in the edited files."""

    lines: int = 0
    """Lines of all files together."""
    files: int = 0
    carried: list[float] = field(default_factory=list)
    """With unchanged statements carried over."""
    anew: list[float] = field(default_factory=list)
    """With every statement on the path from the place to the root read again."""

    def as_json(self) -> dict[str, object]:
        """The figures as data, for `--json`."""
        return {"files": self.files, "lines": self.lines, "carried": spread(self.carried), "anew": spread(self.anew)}


def time_edits(files: Sequence[File], chance: random.Random) -> EditTimes:
    """Type a letter at the end of random lines of the longest files, and time the list of names after it."""
    longest = sorted(files, key=lambda file: len(file.text))[-_LONGEST_FILES:]
    result = EditTimes(sum(len(file.syntax.document.lines) for file in longest), len(longest))
    for file in longest:
        syntax, text = file.syntax, file.text
        for revision in range(_KEYS):
            place = text.find("\n", chance.randrange(len(text)))
            edits = [Edit(place, place, "x")] if place >= 0 else []
            document = syntax.document.edited(edits, revision)
            result.anew.append(_time_names(syntax.edited(document, edits), place + 1))
            forget_statements()
            names_at(syntax.edited(syntax.document, []), place)  # reads the statements that the next tree takes over
            result.carried.append(_time_names(syntax.edited(document, edits), place + 1))
            forget_statements()
    return result


def _time_names(syntax: Syntax, offset: int) -> float:
    """Milliseconds of processor time for the names at a place."""
    started = time.thread_time()
    names_at(syntax, offset)
    return (time.thread_time() - started) * 1000
