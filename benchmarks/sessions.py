"""Scripted editing sessions through the real language server: what a writer sees while typing, jumping and correcting.

    inscope bench sessions                       all twenty, at the default setting of `inline.eagerness`
    inscope bench sessions --eagerness eager     at another one

The sessions are those of `benchmarks/places/sessions`, in JSON lines. The first line has the file, the language and the
text at the start; the last, `final`, has the text that the session must end with. The lines between are steps: see
`Editor.apply`.

At each pause ghost text is requested, as an editor does unasked, and waited for; nothing is accepted. While ghost text
is shown, the server is asked again after each key, as VS Code does. A key agrees with the ghost text if the text begins
with it. Agreeing keys are counted by what the server shows after them: the rest of the text (*kept*), a beginning of
the rest (*shrunk*), nothing (*gone*) or something else (*changed*). After the last character no rest is left (*taken*).

A suggestion is *exact* if it and what is typed next agree as far as the shorter of both goes; the typed text ends at
the next jump. A suggestion *says the next line again* if the cursor's line with it has the words of the next line.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.shares import share
from benchmarks.timing import machine_line
from lsp_server.engine.suggestion import Eagerness
from tests.lsp_server.process import Process

FOLDER = Path(__file__).parent / "places" / "sessions"
_MOVES = frozenset({"after", "start", "end", "back", "forward"})
"""Steps after which what was typed no longer follows the place of the pause: jumps and deletions."""
_PATIENCE_MS = 60_000
"""The deadline for all answers, so long that none is late."""


@dataclass
class Editor:
    """A document and a cursor; offsets are in code points."""

    text: str
    cursor: int = 0
    pauses: list[float] = field(default_factory=list)
    """Seconds of the pauses so far; a test reads them."""

    def apply(self, step: dict[str, Any]) -> None:
        """Do one step of a session.

        Raises:
            ValueError: there is no such step, or the document does not allow it.
        """
        match step:
            case {"type": str(typed), **more}:
                self.write(typed, **more)
            case {"enter": int(blanks), **more}:
                self._clear_blank_line()
                self.write("\n" + " " * blanks, **more)
            case {"back": int(count)}:
                self._delete(self.cursor - count, self.cursor)
            case {"forward": int(count)}:
                self._delete(self.cursor, self.cursor + count)
            case {"after": str(text)} if self.text.count(text) == 1:
                self.cursor = self.text.index(text) + len(text)
            case {"start": True}:
                self.cursor = 0
            case {"end": True}:
                self.cursor = len(self.text)
            case {"pause": float(seconds)}:
                self.pauses.append(seconds)
            case _:
                raise ValueError(step)

    def _clear_blank_line(self) -> None:
        """Delete the blanks before the cursor if its line has nothing else before it, as editors do on a line break."""
        line = self.text.rfind("\n", 0, self.cursor) + 1
        if self.text[line : self.cursor].isspace():
            self._delete(line, self.cursor)

    def write(self, typed: str, over: int = 0, closed: str = "") -> None:
        """Write a text over what the editor had closed, and leave what it closes now.

        Args:
            typed: What the writer types: `)` in `f(|)`, `(` in `f|`.
            over: How many characters after the cursor it replaces: 1 for that `)`, which the editor had written.
            closed: What the editor adds after the cursor: `)` for that `(`.
        """
        self._delete(self.cursor, self.cursor + over)
        self.text = self.text[: self.cursor] + typed + closed + self.text[self.cursor :]
        self.cursor += len(typed)

    def _delete(self, start: int, end: int) -> None:
        if not 0 <= start <= end <= len(self.text):
            message = f"{start} to {end} is not in a text of {len(self.text)} characters"
            raise ValueError(message)
        self.text = self.text[:start] + self.text[end:]
        self.cursor = start


@dataclass(slots=True)
class Shown:
    """A suggestion at a pause."""

    session: str
    text: str
    following: str
    """What is typed next, up to the next jump or deletion."""
    says_next_line: bool
    """Whether the cursor's line with the suggestion repeats the next line."""

    @property
    def is_exact(self) -> bool:
        """Whether the suggestion and what is typed next agree as far as the shorter of both goes."""
        return bool(self.following) and (self.following.startswith(self.text) or self.text.startswith(self.following))


@dataclass(slots=True)
class SeenText:
    """What a writer saw in one session."""

    pauses: int = 0
    shown: list[Shown] = field(default_factory=list)
    keys: Counter[str] = field(default_factory=Counter)
    """Keys that agree with the ghost text, by what was shown after them; see the module's docstring."""


class Typist:
    """Plays one session in one document of a server."""

    def __init__(self, server: Process, folder: Path, session: Path) -> None:
        # the last line, the text at the end, is only for the test that plays the steps without a server
        self._first, *self._steps, _ = map(json.loads, session.read_text("utf-8").splitlines())
        self._server, self._name = server, session.stem
        self._uri = (folder / self._first["file"]).as_uri()
        self._editor = Editor(self._first["start"])
        self._version = 1
        self._ghost = ""
        self.seen = SeenText()

    def play(self) -> None:
        """Do all steps of the session; `seen` has what was shown."""
        self._server.open(self._uri, self._first["language"], self._editor.text)
        for number, step in enumerate(self._steps):
            match step:
                case {"type": str(typed), **more} if not more:
                    for key in typed:
                        self._key(key)
                case {"pause": float()}:
                    self._pause(number)
                case _:  # any other step dismisses the ghost text
                    self._ghost = ""
                    self._editor.apply(step)
                    self._send_text()
        self._server.notify("textDocument/didClose", textDocument={"uri": self._uri})

    def _key(self, key: str) -> None:
        """Type one key; if it agrees with the ghost text, ask again and count what is shown now."""
        self._editor.write(key)
        self._send_text()
        if not self._ghost:
            return
        if not self._ghost.startswith(key):
            self._ghost = ""
            return
        left = self._ghost[1:]
        if not left:
            self.seen.keys["taken"] += 1
            self._ghost = ""
            return
        after_key = self._ask()
        if after_key == left:
            kind = "kept"
        elif not after_key:
            kind = "gone"
        else:
            kind = "shrunk" if left.startswith(after_key) else "changed"
        self.seen.keys[kind] += 1
        self._ghost = after_key

    def _pause(self, number: int) -> None:
        """Ask for ghost text at the pause that is step `number`."""
        self.seen.pauses += 1
        self._ghost = self._ask()
        if self._ghost:
            following = "".join(self._typed_after(number))
            self.seen.shown.append(Shown(self._name, self._ghost, following, self._says_next_line()))

    def _typed_after(self, number: int) -> Iterator[str]:
        """What the steps from `number` on type, up to the next jump or deletion."""
        for step in takewhile(_MOVES.isdisjoint, self._steps[number:]):
            match step:
                case {"type": str(typed)}:
                    yield typed
                case {"enter": int(blanks)}:
                    yield "\n" + " " * blanks

    def _says_next_line(self) -> bool:
        """Whether the cursor's line with the ghost text has the same words as the next line that is not blank."""
        above, below = self._editor.text[: self._editor.cursor], self._editor.text[self._editor.cursor :]
        line = above.rpartition("\n")[2] + self._ghost.partition("\n")[0]
        following = next((text for text in below.split("\n")[1:] if text.strip()), "")
        return bool(line.split()) and line.split() == following.split()

    def _ask(self) -> str:
        """The server's ghost text at the cursor; empty if there is none."""
        above = self._editor.text[: self._editor.cursor]
        character = len(above.rpartition("\n")[2].encode("utf-16-le")) // 2
        items = self._server.inline(self._uri, above.count("\n"), character)
        return str(items[0]["insertText"]) if items else ""

    def _send_text(self) -> None:
        """Send the document's text to the server after an edit."""
        self._version += 1
        document = {"uri": self._uri, "version": self._version}
        self._server.notify(
            "textDocument/didChange", textDocument=document, contentChanges=[{"text": self._editor.text}]
        )


def main() -> int:
    """Play all sessions, and print what was seen."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--eagerness", type=Eagerness, default=Eagerness.BALANCED)
    parser.add_argument("--texts", action="store_true", help="print each suggestion, too")
    arguments = parser.parse_args()
    seen = play(sorted(FOLDER.glob("*.jsonl")), arguments.eagerness)
    shown = [suggestion for of_session in seen for suggestion in of_session.shown]
    keys = sum((of_session.keys for of_session in seen), Counter[str]())
    pauses = sum(of_session.pauses for of_session in seen)
    print("| sessions | pauses | shown, % | exact of shown, % | says the next line again | agreeing keys |")
    print("|---|---|---|---|---|---|")
    shown_percent = f"{100 * len(shown) / pauses:.1f}"
    exact = share(suggestion.is_exact for suggestion in shown)
    again = sum(suggestion.says_next_line for suggestion in shown)
    agreeing = ", ".join(f"{kind} {count}" for kind, count in sorted(keys.items()))
    print(f"| {len(seen)} | {pauses} | {shown_percent} | {exact} | {again} | {agreeing} |")
    for suggestion in shown if arguments.texts else ():
        verdict = "exact" if suggestion.is_exact else "other"
        print(f"{suggestion.session}: {verdict} {suggestion.text!r} (typed {suggestion.following[:60]!r})")
    print(machine_line())
    return 0


def play(sessions: Sequence[Path], eagerness: Eagerness) -> list[SeenText]:
    """Play the sessions one after the other in one server; what a writer sees in each."""
    with TemporaryDirectory() as directory:
        folder = Path(directory).resolve() / "workspace"
        folder.mkdir()
        inline = {"eagerness": str(eagerness), "deadlineMs": _PATIENCE_MS, "learn": False}
        seen = []
        with Process(Path(directory) / "log") as server:
            server.start(folder, initializationOptions={"inline": inline, "checker": {"deadlineMs": _PATIENCE_MS}})
            for session in sessions:
                print(session.stem, file=sys.stderr)
                typist = Typist(server, folder, session)
                typist.play()
                seen.append(typist.seen)
            server.leave()
    return seen


if __name__ == "__main__":
    sys.exit(main())
