"""Real files that somebody types in, for benchmarks: a text with a hole, and the keys that fill it."""

from __future__ import annotations

import re
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_CODE = re.compile(r"^[ \t]+((?:return |if |self\.|\w+ = |\w+\.\w+\().{12,})$", re.MULTILINE)
_SHARE = 0.7
"""Of the file that is above the place."""


@dataclass(frozen=True, slots=True)
class TypingSession:
    """`keys` are typed between `before` and `after`, one by one."""

    path: Path
    lines: int
    before: str
    keys: str
    after: str

    def prefixes(self) -> Iterator[str]:
        """The text before the cursor after each key."""
        return (self.before + self.keys[:count] for count in range(1, len(self.keys) + 1))


def session(lines: int, keystrokes: int) -> TypingSession:
    """Typing in the last third of the standard library's file whose length is nearest to `lines`.

    The hole begins with a line of code and ends with the line in which the keys are used up, since nothing follows on
    the line on which somebody types.
    """
    path = min(_candidates(), key=lambda candidate: (abs(_length(candidate) - lines), candidate.name))
    text = path.read_text(encoding="utf-8")
    start = _line_of_code(text, int(len(text) * _SHARE))
    stop = start + keystrokes
    return TypingSession(path, _length(path), text[:start], text[start:stop], text[text.index("\n", stop) :])


def _candidates() -> list[Path]:
    """Modules and packages of the standard library, tests and data aside."""
    root = Path(sysconfig.get_paths()["stdlib"])
    aside = {"test", "tests", "site-packages", "idlelib", "pydoc_data", "lib2to3", "turtledemo"}
    return [path for path in root.rglob("*.py") if not aside & {*path.relative_to(root).parts}]


def _length(path: Path) -> int:
    return path.read_bytes().count(b"\n")


def _line_of_code(text: str, place: int) -> int:
    """Where the first assignment, call, return or condition after `place` begins, after its indentation."""
    found = _CODE.search(text, place)
    return found.start(1) if found else place
