"""An editor as far as it changes what is typed: closes brackets and quotes, types over them, indents new lines.

Follows VS Code's defaults. Knows nothing of servers or of who types: a key goes in, edits come out. Offsets count code
points.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from context_index import Edit

CLOSES = {"(": ")", "[": "]", "{": "}", '"': '"', "'": "'", "`": "`"}
_CLOSES_BEFORE = frozenset([*";:.,=}])>` \n\t\r", ""])
"""Only before one of these, or at the end, is anything closed."""
_PREFIXES = frozenset("fbr")
"""Letters before a quote of Python that belong to it."""


@dataclass(slots=True)
class Editor:
    """A text with a cursor, and what the editor itself put after the cursor."""

    text: str
    cursor: int
    python: bool
    unit: str
    """One step of indentation."""
    is_code: Callable[[], bool] = lambda: True
    """Whether the cursor is in code, and not in a string or comment."""
    closed: list[int] = field(default_factory=list)
    """Where the brackets and quotes are that the editor closed by itself, as distances from the end of the text."""

    def type(self, key: str) -> list[Edit]:
        """Press a key that writes a character; no edit where that only steps over what was closed."""
        if key == "\n":
            return self.enter()
        if self._closes_next(key):
            self.closed.pop()
            self.cursor += 1
            return []
        closing = CLOSES.get(key, "") if self._may_close(key) else ""
        edits = self._replace(self.cursor, self.cursor, key + closing)
        if closing:
            self.cursor -= 1
            self.closed.append(len(self.text) - self.cursor)
        return edits

    def enter(self) -> list[Edit]:
        """A new line, indented as the one above or farther; a bracket after the cursor goes to a line of its own."""
        line = self.line()
        indentation = line[: len(line) - len(line.lstrip())]
        opened = line.rstrip()[-1:]
        start = self.cursor if line.strip() else self.cursor - len(line)  # white space that it put there goes
        if opened in tuple("([{"):
            after = self.text[self.cursor : self.cursor + 1]
            if after and CLOSES[opened] == after:
                edits = self._replace(start, self.cursor, f"\n{indentation}{self.unit}\n{indentation}")
                self.cursor -= 1 + len(indentation)
                return edits
            return self._replace(start, self.cursor, f"\n{indentation}{self.unit}")
        deeper = self.unit if opened == ":" and self.python else ""
        return self._replace(start, self.cursor, f"\n{indentation}{deeper}")

    def backspace(self, count: int = 1) -> list[Edit]:
        """Take back what stands before the cursor; between a bracket and the one it brought along, both."""
        start = self.cursor - count
        pair = self.text[start : self.cursor + 1]
        both = count == 1 and CLOSES.get(pair[:1]) == pair[1:] and self._closes_next(pair[1:])
        if both:
            self.closed.pop()
        return self._replace(start, self.cursor + both, "")

    def delete(self, count: int) -> list[Edit]:
        """Delete the text after the cursor."""
        end = len(self.text) - self.cursor
        self.closed = [one for one in self.closed if not end - count < one <= end]
        return self._replace(self.cursor, self.cursor + count, "")

    def move(self, to: int) -> None:
        """Put the cursor elsewhere; what was closed before it is settled."""
        self.cursor = to
        self.closed = [one for one in self.closed if one <= len(self.text) - to]

    def accept(self, start: int, end: int, text: str) -> list[Edit]:
        """Put a suggestion in."""
        self.closed = [one for one in self.closed if one <= len(self.text) - end]
        return self._replace(start, end, text)

    def line(self) -> str:
        """The cursor's line up to the cursor."""
        return self.text[self.text.rfind("\n", 0, self.cursor) + 1 : self.cursor]

    def _closes_next(self, key: str) -> bool:
        here = len(self.text) - self.cursor
        return bool(self.closed) and self.closed[-1] == here and self.text[self.cursor] == key

    def _may_close(self, key: str) -> bool:
        before, after = self.text[self.cursor - 1 : self.cursor], self.text[self.cursor : self.cursor + 1]
        if key not in CLOSES or not self.is_code() or after not in _CLOSES_BEFORE:
            return False
        if CLOSES[key] != key or (self.python and before.lower() in _PREFIXES):
            return True
        return before != key and not before.isalnum() and before != "_"

    def _replace(self, start: int, end: int, text: str) -> list[Edit]:
        self.text = self.text[:start] + text + self.text[end:]
        self.cursor = start + len(text)
        return [Edit(start, end, text)]
