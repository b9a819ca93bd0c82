"""Who types: from the text that somebody wants to the keys that write it, with slips of the finger and pauses.

A person knows what the text is to be, looks at what the editor has closed, and steps over it, moves after it or takes
it away. The same seed presses the same keys, as long as the same suggestions are accepted.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field

from benchmarks.typing_editor import Editor
from context_index import Edit

_PAUSES = {"\n": 0.9, ".": 0.5, "(": 0.45, ",": 0.3, " ": 0.35, "=": 0.3, "{": 0.5, ":": 0.4, '"': 0.3, "'": 0.3}
"""How often somebody stops to think after a key; after others less often."""
_WITHIN_WORDS = 0.12
_NEAR = {"a": "s", "e": "r", "i": "o", "n": "m", "s": "d", "t": "r", "o": "p", "r": "e", "l": "k", "c": "v"}
"""The key that is hit instead."""
_SLIPS = 0.01


@dataclass(slots=True)
class Stroke:
    """A key was pressed."""

    edits: list[Edit]
    pause: bool = False
    """Whether the person now waits and looks."""


@dataclass(slots=True)
class Person:
    """Turns the editor's text into the one that is wanted, from the cursor on."""

    editor: Editor
    wanted: str
    """The whole text as it is to be."""
    after: int
    """How many characters at the end of it nobody touches."""
    draw: random.Random
    keys: int = field(default=0)

    @property
    def is_done(self) -> bool:
        """Whether all of it is written."""
        return self.editor.text == self.wanted and self.editor.cursor >= len(self.wanted) - self.after

    @property
    def rest(self) -> str:
        """What is still to be written."""
        return self.wanted[self.editor.cursor : len(self.wanted) - self.after]

    @property
    def closed(self) -> str:
        """What the editor has put after the cursor."""
        return self.editor.text[self.editor.cursor : len(self.editor.text) - self.after]

    def strokes(self) -> Iterator[Stroke]:
        """Key after key; whoever takes them may accept a suggestion meanwhile."""
        while not self.is_done:
            yield from self._next()

    def _next(self) -> Iterator[Stroke]:
        editor, rest, closed = self.editor, self.rest, self.closed
        if not rest and closed:
            yield self._pressed(editor.delete(len(closed)))
            return
        if rest and closed and rest[0].isspace() and closed[0].isspace():
            chunk = closed[: len(closed) - len(closed.lstrip()) + 1]
            if rest.startswith(chunk) and (chunk.strip() or rest == chunk):
                editor.move(editor.cursor + len(chunk))
                yield self._pressed([], pause=self._thinks(chunk[-1]))
                return
        key = rest[0]
        if key == "\n":
            yield from self._break()
            return
        if key in _NEAR and not closed and self.draw.random() < _SLIPS:
            yield self._pressed(editor.type(_NEAR[key]), pause=self.draw.random() < 0.5)  # noqa: PLR2004 - every other
            if editor.text[: editor.cursor] != self.wanted[: editor.cursor]:  # else a suggestion was accepted
                yield self._pressed(editor.backspace())
            return
        yield self._pressed(editor.type(key), pause=self._thinks(key))

    def _break(self) -> Iterator[Stroke]:
        """A new line, with the indentation that is wanted."""
        editor, rest = self.editor, self.rest
        lines = len(rest) - len(rest.lstrip())
        blank, _, wanted = rest[:lines].rpartition("\n")
        for _ in range(blank.count("\n")):
            yield self._pressed(editor.enter())
        edits = editor.enter()
        yield self._pressed(edits, pause=editor.line() == wanted and self._thinks("\n"))
        while (now := editor.line()) != wanted and not now.strip():
            if wanted.startswith(now):
                edits = editor.type("\t") if wanted[len(now) :].startswith("\t") else self._spaces(wanted[len(now) :])
            else:
                is_step = now.endswith(editor.unit) and wanted.startswith(now.removesuffix(editor.unit))
                edits = editor.backspace(len(editor.unit) if is_step else 1)
            yield self._pressed(edits, pause=editor.line() == wanted and self._thinks("\n"))

    def _spaces(self, lacking: str) -> list[Edit]:
        """One press of the tabulator."""
        return self.editor.accept(self.editor.cursor, self.editor.cursor, lacking[: max(len(self.editor.unit), 1)])

    def _thinks(self, key: str) -> bool:
        return self.draw.random() < _PAUSES.get(key, _WITHIN_WORDS)

    def _pressed(self, edits: list[Edit], *, pause: bool = False) -> Stroke:
        self.keys += 1
        return Stroke(edits, pause)
