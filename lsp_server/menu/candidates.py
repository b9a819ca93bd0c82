"""What the completion menu may list at a place: names in scope, importable names, and what a type checker lists.

Knows nothing of models, nor of the order in which anything is shown. A type checker is asked about the text without
the half-typed word, so that its answer serves for the whole word; one that comes too late for one menu is there for
the next.
"""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from context_index import (
    Closed,
    CursorKind,
    Document,
    NameKind,
    NamePosition,
    Open,
    continues_identifier,
    cursor_at,
    of_every_object,
    position_at,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from context_index import Cursor, Importable, Members, Name, Pending, Syntax, Workspace

FAR = 50
"""Scopes; no file has so many around a place, and globals are farther."""
_REUSED_SECONDS = 5.0
"""How long an answer serves: other files that it rests on may change."""
_PATIENT = 30.0
"""Seconds that an answer is waited for where time does not matter."""
_NAMES = frozenset({CursorKind.NAME, CursorKind.ARGUMENT, CursorKind.BLANK_LINE})
"""Where any expression may stand."""
_QUOTED = frozenset({NamePosition.SUBSCRIPT, NamePosition.LITERAL})
_QUOTES = "'\"`"
_SCRIPT = re.compile(r"\.(?:d\.)?[cm]?[jt]sx?$")
_NO_NAMES = frozenset({"", ".", ".."})


@dataclass(frozen=True, slots=True)
class Candidate:
    """One text that completes what is half-typed at the cursor."""

    text: str
    kind: NameKind
    detail: str = ""
    """What is known beyond the kind, for people."""
    importable: Importable | None = None
    """Where it would be imported from; None where no import is needed."""
    position: NamePosition | None = None
    """What a type checker was asked for when it listed this; None for names in scope."""
    distance: int | None = None
    """Scopes between the place and the declaration of a name in scope; `FAR` and more for a global one."""
    is_proven: bool = True
    """Whether nothing but what is listed can stand there; told in `detail` where not."""
    is_universal: bool = False
    """A member that every object has: a class's own come before it."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """What a menu may list, and which part of the text it replaces."""

    start: int
    """Where that part begins; it ends at the cursor."""
    items: tuple[Candidate, ...] = ()
    complete: bool = True
    """False where asking again may bring more: when more is typed, or when a type checker has answered."""
    position: NamePosition | None = None
    """What a type checker was asked for."""
    visible: Mapping[str, Name] = field(default_factory=dict)
    """The names in scope, where they were looked at; whatever is half-typed."""


@dataclass(frozen=True, slots=True)
class _Question:
    """What a type checker was asked last."""

    document: Document
    start: int
    position: NamePosition
    asked: float
    pending: Pending

    def serves(self, document: Document, start: int, position: NamePosition) -> bool:
        """Whether its answer, once there, is the answer to another question too."""
        if (document, start, position) != (self.document, self.start, self.position):
            return False
        if not self.pending.done:
            return True
        return time.monotonic() - self.asked - self.pending.answer(0).seconds < _REUSED_SECONDS


class Lister:
    """Finds candidates. May be called from any thread."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._latest: _Question | None = None

    def at(self, syntax: Syntax, offset: int, patience: float | None = None) -> Candidates:
        """What may stand at an offset and begins with what is half-typed before it, nearest first.

        Args:
            patience: Seconds that a type checker may take; None waits for it.
        """
        cursor, document = cursor_at(syntax, offset), syntax.document
        asked = _question(document, cursor)
        start = offset - len(cursor.word) if asked is None else asked[1]
        typed = document.text[start:offset]
        if asked is None:
            names = self._names(syntax, offset, typed) if _takes_names(cursor, document) else None
            return names or Candidates(start)
        position = asked[0]
        pending = self._asked(document, start, offset, position)
        names = self._names(syntax, offset, typed) if _takes_names(cursor, document) else None
        answer = pending.answer(_PATIENT if patience is None else patience)
        late = isinstance(answer.members, Open) and not pending.done
        universal = of_every_object(document.language) if position is NamePosition.MEMBER else frozenset()
        listed = tuple(_listed(answer.members, position, answer.by, typed, universal))
        if names is None or (listed and position is NamePosition.OBJECT_KEY):
            return Candidates(start, listed, not late, position)
        return Candidates(start, listed + names.items, names.complete and not late, position, names.visible)

    def _asked(self, document: Document, start: int, offset: int, position: NamePosition) -> Pending:
        """The question for what may stand at `start`, put now or for another part of the same word."""
        text = document.text[:start] + document.text[offset:]
        bare = Document(document.uri, document.language, text)
        latest = self._latest
        if latest is None or not latest.serves(bare, start, position):
            if latest is not None:
                latest.pending.drop()
            pending = self._workspace.types(bare).ask(text, start, position)
            latest = self._latest = _Question(bare, start, position, time.monotonic(), pending)
        return latest.pending

    def _names(self, syntax: Syntax, offset: int, typed: str) -> Candidates:
        """Names in scope; those that an import would bring once something is typed."""
        context, word = self._workspace.context(syntax, offset), typed.lower()
        visible = sorted(context.names.values(), key=lambda name: (name.distance, name.text.lower()))
        items = [
            Candidate(name.text, name.kind, name.detail, distance=name.distance, is_proven=context.complete)
            for name in visible
            if name.text.lower().startswith(word)
        ]
        if word:
            items += [
                Candidate(one.text, one.kind, f"{one.detail} from {one.module}".lstrip(), one, distance=FAR)
                for one in context.importable
                if one.text.lower().startswith(word)
            ]
        complete = context.complete and bool(word)
        return Candidates(offset - len(typed), tuple(items), complete, visible=context.names)


def rest_of_word(text: str, offset: int, position: NamePosition | None) -> int:
    """Characters behind an offset that belong to the word, or to what is in quotes, at it."""
    end = offset
    if position in _QUOTED:
        while end < len(text) and text[end] not in _QUOTES and text[end] not in "\r\n":
            end += 1
        return end - offset if text[end : end + 1] in tuple(_QUOTES) else 0
    while end < len(text) and continues_identifier(text[end]):
        end += 1
    return end - offset


def _question(document: Document, cursor: Cursor) -> tuple[NamePosition, int] | None:
    """What a type checker is to be asked; not for argument names behind `name=`."""
    found = position_at(document, cursor)
    if found is None or found[0] is not NamePosition.KEYWORD_ARGUMENT:
        return found
    return None if document.text[: found[1]].rstrip().endswith("=") else found


def _takes_names(cursor: Cursor, document: Document) -> bool:
    """Whether a name in scope may stand at the cursor: a new one is nobody's to list."""
    if cursor.binding:
        return False
    shorthand = cursor.kind is CursorKind.OBJECT_KEY and (document.language.is_python or not cursor.callee)
    return cursor.kind in _NAMES or shorthand


def _listed(
    members: Members, position: NamePosition, by: str, typed: str, universal: frozenset[str]
) -> Iterator[Candidate]:
    """What a type checker lists; names with underscores behind the others, and otherwise in its own order."""
    if isinstance(members, Open):
        return
    names = members.names
    proven = isinstance(members, Closed)
    doubt = "" if proven else f"listed by {by}, perhaps not all"
    for name in sorted(names, key=lambda name: len(name) - len(name.lstrip("_"))):
        if name.lower().startswith(typed.lower()) and not (position is NamePosition.MODULE and _is_told(name, names)):
            text = f"{name}=" if position is NamePosition.KEYWORD_ARGUMENT else name
            yield Candidate(
                text, names[name], doubt, position=position, is_proven=proven, is_universal=name in universal
            )


def _is_told(path: str, paths: Mapping[str, NameKind]) -> bool:
    """Whether another name of a list says the same: a file without its suffix, a folder with a slash."""
    stem = _SCRIPT.sub("", path)
    return path in _NO_NAMES or (stem != path and stem in paths)
