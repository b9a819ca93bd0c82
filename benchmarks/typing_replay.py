"""A stretch of a file typed anew into a real server, key by key, and what was shown at each pause."""

from __future__ import annotations

import random
import time
from dataclasses import asdict, dataclass, replace

from benchmarks.typing_client import Client, Ghost
from benchmarks.typing_editor import Editor
from benchmarks.typing_person import Person
from benchmarks.typing_places import Task, is_code, unit_of
from context_index import Document, Edit, Language, parse
from decoder.prefill import shared_length

_SHORTEST = 2
"""Characters of a suggestion that somebody takes instead of typing them."""
_AHEAD = 40
"""Characters after a suggestion that are remembered of what is typed next."""


@dataclass(frozen=True, slots=True)
class Pause:
    """Somebody waited, and looked."""

    path: str
    language: str
    kind: str
    above: str
    """The last lines up to the cursor."""
    below: str
    """What the editor has closed after the cursor, and the next lines."""
    shown: str
    """Empty where nothing was."""
    reason: str
    """Why nothing was shown."""
    message: str
    replaces: int
    wanted: str
    right: int
    """How many of its characters are what is typed next."""
    milliseconds: float
    expected: str | None
    """What is left of what was shown before, if just its beginning was typed since."""
    repeats: bool
    """Its last line is below already."""
    in_code: bool
    """Not in a string, a comment or the text of an element."""
    unbalanced: bool
    """Brackets that were balanced are not with it."""
    accepted: bool

    @property
    def is_right(self) -> bool:
        """All of it is what is typed next."""
        return bool(self.shown) and self.right == len(self.shown)

    @property
    def flickers(self) -> bool:
        """Another text than the rest of what was shown, though that was being typed."""
        return bool(self.expected) and self.shown != self.expected

    def as_json(self) -> dict[str, object]:
        """For programs."""
        return asdict(self)


@dataclass(slots=True)
class Typed:
    """What a task took."""

    pauses: list[Pause]
    keys: int
    saved: int
    """Characters that were accepted, less a key for each time."""
    busy: float
    """Processor time of the server, seconds."""


class Replay:
    """One task, typed."""

    def __init__(self, client: Client, task: Task, seed: int) -> None:
        self.client, self.task = client, task
        wanted = parse(Document(task.path.as_uri(), task.language, task.wanted))
        text = task.wanted[: task.start] + task.wanted[task.end :]
        editor = Editor(text, task.start, task.language is Language.PYTHON, unit_of(task.wanted))
        editor.is_code = lambda: is_code(wanted, min(editor.cursor, len(task.wanted)))
        draw = random.Random(f"{seed} {task.path} {task.start}")  # noqa: S311 - reproducible
        self.person = Person(editor, task.wanted, len(task.wanted) - task.end, draw)
        self._document = Document(task.path.as_uri(), task.language, text)
        self._version = 0
        self._seen: tuple[int, str] | None = None
        """Where ghost text was shown, and which."""

    def run(self, language_id: str, *, accepts: bool, most_keys: int = 2000) -> Typed:
        """Type it all.

        Raises:
            AssertionError: it does not come to what is wanted.
        """
        client, person = self.client, self.person
        began = client.busy_seconds()
        client.open(self._document, language_id)
        pauses: list[Pause] = []
        saved = asked = 0
        for stroke in person.strokes():
            if person.keys > most_keys:
                raise AssertionError(f"{self.task.path} at {self.task.start} is not typed with {most_keys} keys")
            if asked:
                client.cancel(asked)
            self._tell(stroke.edits)
            asked = client.send_inline(self._document, person.editor.cursor)
            if not stroke.pause or person.is_done:
                continue
            pause, ghost = self._look(asked)
            asked = 0
            if accepts and ghost and pause.is_right and len(ghost.text.strip()) >= _SHORTEST:
                saved += len(ghost.text) - 1
                self._accept(ghost)
                pauses.append(replace(pause, accepted=True))
            else:
                pauses.append(pause)
        client.notify("textDocument/didClose", {"textDocument": {"uri": self._document.uri}})
        return Typed(pauses, person.keys, saved, client.busy_seconds() - began)

    def _tell(self, edits: list[Edit]) -> None:
        if edits:
            self._version += 1
            self.client.change(self._document, self._version, edits)
            self._document = self._document.edited(edits, self._version)

    def _look(self, asked: int) -> tuple[Pause, Ghost | None]:
        client, person, editor = self.client, self.person, self.person.editor
        began = time.perf_counter()
        ghost = client.ghost(asked, self._document, editor.cursor)
        taken = (time.perf_counter() - began) * 1000
        client.settle()
        text, cursor = editor.text, editor.cursor
        shown = ghost.text if ghost else ""
        wanted = person.rest if text[:cursor] == person.wanted[:cursor] else ""
        replaced = ghost.replaces if ghost else 0
        silence = {"reason": "", "message": ""} if ghost else client.silence
        pause = Pause(
            path=str(self.task.path),
            language=str(self.task.language),
            kind=self.task.kind,
            above="\n".join(text[:cursor].split("\n")[-6:]),
            below="\n".join(text[cursor:].split("\n")[:4]),
            shown=shown,
            reason=silence["reason"],
            message=silence["message"],
            replaces=replaced,
            wanted=wanted[: max(len(shown) + _AHEAD, 2 * _AHEAD)],
            right=shared_length(shown, wanted),
            milliseconds=round(taken, 1),
            expected=self._expected(),
            repeats=_repeats(shown, text[cursor:]),
            in_code=self.person.editor.is_code(),
            unbalanced=_is_balanced(text) and not _is_balanced(text[:cursor] + shown + text[cursor + replaced :]),
            accepted=False,
        )
        self._seen = (cursor, shown) if shown else None
        return pause, ghost

    def _expected(self) -> str | None:
        """What is left of what was seen last, if just its beginning was typed since."""
        if self._seen is None:
            return None
        start, shown = self._seen
        typed = self.person.editor.text[start : self.person.editor.cursor]
        if self.person.editor.cursor < start or not shown.startswith(typed):
            return None
        rest = shown[len(typed) :]
        return None if rest == self.person.closed else rest  # the editor may have closed all that is left

    def _accept(self, ghost: Ghost) -> None:
        editor = self.person.editor
        self._tell(editor.accept(editor.cursor, editor.cursor + ghost.replaces, ghost.text))
        self._seen = None


def _repeats(shown: str, below: str) -> bool:
    """Whether the last line of what is shown is the next line there."""
    *_, last = shown.strip().split("\n")
    following = next((line.strip() for line in below.split("\n")[1:] if line.strip()), "")
    return len(last.strip()) >= 4 and last.strip() == following  # noqa: PLR2004 - `}` and `);` recur in good code


def _is_balanced(text: str) -> bool:
    return all(text.count(left) == text.count(right) for left, right in ("()", "[]", "{}"))
