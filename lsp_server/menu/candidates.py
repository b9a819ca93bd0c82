"""What the completion menu may list at a place: names in scope, importable names, and what a type checker lists.

Knows nothing of models, nor of the order in which anything is shown. An answer of the checker that comes too late for
one menu is there for the next.
"""

from __future__ import annotations

import time
from concurrent.futures import CancelledError
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from context_index import (
    CheckerAbsentError,
    CheckerError,
    CursorKind,
    NameKind,
    ancestors,
    cursor_at,
    question_at,
    rest_of_string,
    word_end,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from concurrent.futures import Future

    from context_index import Completion, CompletionQuestion, Cursor, Document, Importable, Name, Syntax, Workspace

FAR = 50
"""Scopes; no file has so many around a place, and globals are farther."""
_REUSED_SECONDS = 5.0
"""How long an answer serves: other files that it rests on may change."""
_LONGEST_WAIT = 30.0
"""Seconds that an answer is waited for where time does not matter."""
_NAMES = frozenset({CursorKind.NAME, CursorKind.ARGUMENT, CursorKind.BLANK_LINE})
"""Places of any expression."""
_OF_EVERY_OBJECT = frozenset(dir(object))


@dataclass(frozen=True, slots=True)
class Candidate:
    """One text that completes what is half-typed at the cursor."""

    text: str
    kind: NameKind
    detail: str = ""
    """What is known beyond the kind, for people."""
    importable: Importable | None = None
    """Where it would be imported from; None where no import is needed."""
    listed: Completion | None = None
    """What a type checker listed; None for names in scope."""
    distance: int | None = None
    """Scopes between the place and the declaration of a name in scope; `FAR` and more for a global one."""
    is_universal: bool = False
    """A member that every object has: a class's own come before it."""

    @property
    def name(self) -> str:
        """The text without the sign after the name of an argument (`limit=`)."""
        return self.text.removesuffix("=")


@dataclass(frozen=True, slots=True)
class Candidates:
    """What a menu may list, and the part of the text that an entry replaces."""

    start: int
    """Where that part begins; it ends at the cursor."""
    items: tuple[Candidate, ...] = ()
    complete: bool = True
    """False where asking again may bring more: when more is typed or read, or when a type checker has answered."""
    kind: CursorKind | None = None
    """The kind of the place, where a type checker was asked."""
    visible: Mapping[str, Name] = field(default_factory=dict)
    """All names in scope, whatever is half-typed; empty where no name may follow."""


_TEXT, _ELEMENT = "jsx_text", "jsx_element"


class Lister:
    """Finds candidates. May be called from any thread."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._latest: tuple[CompletionQuestion, float, Future[tuple[Completion, ...]]] | None = None
        """What a checker was asked last, and when."""

    def at(self, syntax: Syntax, offset: int, patience: float | None = None) -> Candidates:
        """What may follow at an offset and begins with what is half-typed before it, nearest first.

        Args:
            patience: Seconds that a type checker may take; None waits for it.
        """
        cursor, document = cursor_at(syntax, offset), syntax.document
        question = question_at(document, cursor)
        start = offset - len(cursor.word) if question is None else question.start
        typed = document.text[start:offset]
        asked = None if question is None else self._ask(question)
        takes_names = _takes_names(cursor, document) and not _is_in_text(syntax, offset)
        names = self._names(syntax, offset, typed) if takes_names else None
        if question is None:
            return names or Candidates(start)
        if cursor.kind is CursorKind.IMPORTED_NAME and not cursor.module:
            items = self._importable_names(syntax, offset, typed.lower())
            return Candidates(start, items, complete=False, kind=cursor.kind)
        found = () if asked is None else _answer(asked, _LONGEST_WAIT if patience is None else patience)
        listed = tuple(_listed(found or (), typed, is_python=document.language.is_python))
        if names is None or (listed and cursor.kind is CursorKind.OBJECT_KEY):
            return Candidates(start, listed, found is not None, cursor.kind)
        complete = names.complete and found is not None
        return Candidates(start, listed + names.items, complete, cursor.kind, names.visible)

    def _ask(self, question: CompletionQuestion) -> Future[tuple[Completion, ...]] | None:
        """The checker's answer, asked for now or earlier in the same word; None where there is no checker."""
        if self._latest is not None:
            latest, since, asked = self._latest
            if latest == question and (not asked.done() or time.monotonic() - since < _REUSED_SECONDS):
                return asked
            asked.cancel()
        try:
            asked = self._workspace.completions(question)
        except CheckerAbsentError:
            return None
        self._latest = question, time.monotonic(), asked
        return asked

    def _importable_names(self, syntax: Syntax, offset: int, word: str) -> tuple[Candidate, ...]:
        """What can be imported, where the import does not have its module yet, as people write from left to right."""
        importable = self._workspace.context(syntax, offset).importable
        named = {one.text: one.kind for one in importable if not (one.is_default or one.is_module)}
        return tuple(Candidate(text, kind) for text, kind in named.items() if text.lower().startswith(word))

    def _names(self, syntax: Syntax, offset: int, typed: str) -> Candidates:
        """Names in scope; those that an import would bring once something is typed."""
        context, word = self._workspace.context(syntax, offset), typed.lower()
        visible = sorted(context.names.values(), key=lambda name: (name.distance, name.text.lower()))
        items = [
            Candidate(name.text, name.kind, name.detail, distance=name.distance)
            for name in visible
            if name.text.lower().startswith(word)
        ]
        if word:
            items += [
                Candidate(one.text, one.kind, f"from {one.module}", one, distance=FAR)
                for one in context.importable
                if one.text.lower().startswith(word)
            ]
        complete = context.complete and not context.more_importable and bool(word)
        return Candidates(offset - len(typed), tuple(items), complete, visible=context.names)


def replaced_length(text: str, offset: int, kind: CursorKind | None) -> int:
    """Characters after an offset that an entry replaces: the rest of the word, or of what is in quotes."""
    return rest_of_string(text, offset) if kind is CursorKind.STRING else word_end(text, offset) - offset


def _answer(asked: Future[tuple[Completion, ...]], seconds: float) -> tuple[Completion, ...] | None:
    """What the checker lists; nothing where it failed, None where it is late, or another question took its place."""
    try:
        return asked.result(seconds)
    except (TimeoutError, CancelledError):
        return None
    except CheckerError:
        return ()


def _takes_names(cursor: Cursor, document: Document) -> bool:
    """Whether a name in scope may follow at the cursor, and not a new one."""
    if cursor.binding:
        return False
    shorthand = cursor.kind is CursorKind.OBJECT_KEY and (document.language.is_python or not cursor.callee)
    return cursor.kind in _NAMES or shorthand


def _is_in_text(syntax: Syntax, offset: int) -> bool:
    """Whether an offset is in the text of a JSX element, which is no code."""
    node = syntax.node_at(offset, offset)
    before = syntax.node_at(max(0, offset - 1), offset)
    if _TEXT in (node.type, before.type):
        return True
    around = next((one for one in (node, *ancestors(node)) if one.child_count), None)
    if around is None or around.type != _ELEMENT:
        return False
    tags = around.children
    return syntax.end(tags[0]) <= offset <= syntax.start(tags[-1])


def _listed(found: tuple[Completion, ...], typed: str, *, is_python: bool) -> Iterator[Candidate]:
    """What a type checker lists, in its own order, and begins with what is typed."""
    for one in found:
        if one.text.lower().startswith(typed.lower()):
            is_universal = is_python and one.text in _OF_EVERY_OBJECT
            yield Candidate(one.text, one.kind, " ".join(one.type.split()), listed=one, is_universal=is_universal)
