"""Typing sessions in real files, for `inscope bench latency`: a text with a hole, and the keys that fill it."""

from __future__ import annotations

import re
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_CODE = re.compile(r"^[ \t]+((?:return |if |self\.|\w+ = |\w+\.\w+\().{12,})$", re.MULTILINE)
"""An indented line of code, from its first word on: an assignment, call, return or condition that is not short."""
_SHARE = 0.7
"""The share of the file that is above the hole."""


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

    The hole begins at a line of code. It ends at the end of the line in which the last key is, as nothing follows the
    cursor on the line that is being typed.
    """
    path = min(_candidates(), key=lambda candidate: (abs(_length(candidate) - lines), candidate.name))
    text = path.read_text(encoding="utf-8")
    start = _line_of_code(text, int(len(text) * _SHARE))
    stop = start + keystrokes
    return TypingSession(path, _length(path), text[:start], text[start:stop], text[text.index("\n", stop) :])


def _candidates() -> list[Path]:
    """The standard library's files, without tests and data."""
    root = Path(sysconfig.get_paths()["stdlib"])
    left_out = {"test", "tests", "site-packages", "idlelib", "pydoc_data", "lib2to3", "turtledemo"}
    return [path for path in root.rglob("*.py") if not left_out & {*path.relative_to(root).parts}]


def _length(path: Path) -> int:
    """Lines of a file."""
    return path.read_bytes().count(b"\n")


def _line_of_code(text: str, place: int) -> int:
    """Where the first line of code after `place` begins, after its indentation; `place` if there is none."""
    match = _CODE.search(text, place)
    return match.start(1) if match else place
