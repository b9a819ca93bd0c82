"""The types of the names at a place: all that are wanted are asked of the checker in one question, and cached.

The names are written as a list at the place itself, in the overlay that the checker is shown, so that its own scope
rules and its own narrowing apply. Where a list cannot stand there, it is written above the statement. A name that
stands at the place already is asked about as it stands, as a list has no expected type and is none of types.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import suppress
from dataclasses import dataclass
from threading import Lock
from typing import TypeVar

from context_index.checkers.answers import Description
from context_index.checkers.checkers import Checkers
from context_index.checkers.errors import CheckerError
from context_index.checkers.query import Query
from context_index.checkers.written_types import called_name, typed_name
from context_index.cursor import CursorKind, cursor_at
from context_index.recently_used import remember
from context_index.symbols import ANY_VALUE, Language, Name, NameKind, TypedName, word_end
from context_index.syntax import STATEMENTS, Syntax, ancestors
from context_index.text import Document

T = TypeVar("T")
_PLACES = 32
"""The most places whose types are cached; the least recently used is dropped."""
_EXPRESSIONS = frozenset({CursorKind.NAME, CursorKind.ARGUMENT, CursorKind.SUBSCRIPT, CursorKind.BLANK_LINE})
_Item = tuple[str, int]
"""An expression as it is written, and the place in it that is asked about, in characters before its end."""
_RIGHT, _WRONG = "0", "(0)()"
"""A statement without an error, and one with an error of types."""


@dataclass(frozen=True, slots=True)
class _Key:
    document: Document
    revision: int
    offset: int


@dataclass(frozen=True, slots=True)
class _Spot:
    """Where a list of names may stand: the range that it replaces, and whether it is a statement above another."""

    start: int
    end: int
    is_above: bool = False
    member: str = ""
    """The member that follows, `.name`: before a dot a type parameter counts as what it is narrowed to."""


class TypeCache:
    """The checkers' answers about names, by document, revision of the checkers' world, and offset. Thread-safe."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._known: dict[_Key, dict[str, TypedName]] = {}

    def at(self, key: _Key) -> dict[str, TypedName]:
        """The types known at a place; the caller may add to them."""
        with self._lock:
            found = self._known.get(key, {})
            remember(self._known, key, found, _PLACES)
            return found


class TypesAtPlace:
    """Knows the types of the names that are visible at one place; see `symbols.NameTypes`."""

    def __init__(
        self, checkers: Checkers, cache: TypeCache, syntax: Syntax, offset: int, visible: Mapping[str, Name]
    ) -> None:
        """Make the question; nothing is asked yet."""
        self._checkers, self._cache = checkers, cache
        self._syntax, self._offset, self._visible = syntax, offset, visible

    def of(self, names: Sequence[str], seconds: float | None = None) -> Mapping[str, TypedName]:
        """The type of each name or path whose first name is visible; each is asked of the checker once."""
        key = _Key(self._syntax.document, self._checkers.world.revision, self._offset)
        known = self._cache.at(key)
        wanted = [name for name in dict.fromkeys(names) if name.partition(".")[0] in self._visible]
        missing = [name for name in wanted if name not in known]
        until = None if seconds is None else time.monotonic() + seconds
        why, language = "the checker says nothing of the names here", self._syntax.language
        for spot in self._spots() if missing else ():
            items = [self._item(name, spot.member) for name in missing]
            try:
                standing = self._standing(spot, missing, _left(until))
                *found, witness = self._in_list(items, Query.descriptions, spot, _left(until))
            except TimeoutError:
                why = "the checker did not answer in time"
                break
            except (CheckerError, CancelledError) as error:
                why = str(error)
                break
            if self._is_answered(witness):
                known.update((name, _typed(one, language)) for name, one in zip(missing, found, strict=True))
                known.update((name, one) for name, one in standing.items() if one.type is not None)
                break
        return {name: known.get(name) or TypedName(None, why=why) for name in wanted}

    def members(self, paths: Sequence[str]) -> Mapping[str, Mapping[str, NameKind]]:
        """The members of each name or path, without methods; none where the checker does not answer."""
        items = [(f"{self._item(path)[0]}.", 0) for path in paths]
        with suppress(CheckerError, CancelledError):
            for spot in self._spots() if paths else ():
                found, witness = self._in_list(items, _members, spot)
                if self._is_answered(witness):
                    return dict(zip(paths, found, strict=True))
        return {path: {} for path in paths}

    def signature(self, callee: str) -> TypedName:
        """The signature of a function, a method or a class."""
        why = "the checker does not know what it takes"
        try:
            for spot in self._spots():
                label, witness = self._in_list([(f"{callee}()", len(")"))], _signature, spot)
                if label is not None:
                    return called_name(label, self._syntax.language)
                if self._is_answered(witness):
                    break
        except (CheckerError, CancelledError) as error:
            why = str(error)
        return TypedName(None, why=why)

    def accepted(self, statements: Sequence[str]) -> tuple[bool, ...]:
        """Whether the checker finds no error in each statement; see `symbols.NameTypes`.

        Where it finds one in a statement that has none, or none in one that has, it does not judge there.
        """
        with suppress(CheckerError, CancelledError):
            for spot in self._spots() if statements else ():
                if spot.is_above:
                    right, wrong, *found = self._above((_RIGHT, _WRONG, *statements), spot)
                    if right and not wrong:
                        return tuple(found)
        return (False,) * len(statements)

    def _spots(self) -> Iterator[_Spot]:
        """The place itself, then above its line and the two statements around it, which broken code may make long."""
        if self._syntax.language.record.checker.witness is None:
            return  # nothing would show whether a list was read as one
        cursor, text = cursor_at(self._syntax, self._offset), self._syntax.document.text
        if cursor.kind in _EXPRESSIONS and not cursor.binding:
            start, end = self._offset - len(cursor.word), word_end(text, self._offset)
            yield _Spot(start, end, member=self._member_after(start, end))
        node = self._syntax.node_at(self._offset)
        around = [
            self._syntax.start(one)
            for one in (node, *ancestors(node))
            if one.type.endswith(STATEMENTS) or not one.parent
        ]
        line = text.rfind("\n", 0, self._offset) + 1
        first = line + len(text[line : self._offset]) - len(text[line : self._offset].lstrip())
        for start in sorted({first, *around[:2]}, reverse=True):
            yield _Spot(start, start, is_above=True)

    def _member_after(self, start: int, end: int) -> str:
        """In ECMAScript, the access to a member that follows an object at a place, as it is written."""
        access = self._syntax.node_at(start).parent
        member = access and access.child_by_field_name("property")
        return self._syntax.document.text[end : self._syntax.end(member)] if member else ""

    def _standing(self, spot: _Spot, names: Sequence[str], seconds: float | None) -> Mapping[str, TypedName]:
        """The type of the one of some names that stands at a spot, in the document as it is."""
        document = self._syntax.document
        name = document.text[spot.start : spot.end]
        if name not in names:
            return {}
        asked = self._checkers.of(document).ask(document, lambda shown: shown.descriptions([spot.start]))
        (found,) = asked.result(seconds)
        return {name: _typed(found, self._syntax.language)}

    def _in_list(
        self,
        items: Sequence[_Item],
        question: Callable[[Query, Sequence[int]], T],
        spot: _Spot,
        seconds: float | None = None,
    ) -> T:
        """What is asked about the items of a list at a spot; the last place is that of the witness."""
        witness, _ = self._witness
        items = [*items, (witness, len(witness))]
        text, starts = as_list([written for written, _ in items], self._syntax.document, spot.start)
        places = [start + len(written) - back for start, (written, back) in zip(starts, items, strict=True)]
        return self._ask(text, spot, lambda shown: question(shown, places), seconds)

    @property
    def _witness(self) -> tuple[str, str]:
        """A name that no program gives another meaning, and its type.

        Where the checker says anything else of it, its answers about the other names do not count: what is assigned to
        `[a, b]` is what it says of both.
        """
        return self._syntax.language.record.checker.witness or ("", "")

    def _is_answered(self, witness: Description | None) -> bool:
        """Whether the checker took a list for expressions, by what it says of the witness in it."""
        return _typed(witness, self._syntax.language).type == self._witness[1]

    def _above(self, statements: Sequence[str], spot: _Spot) -> Sequence[bool]:
        """Whether each statement is without an error, written one after another at a spot above a statement."""
        written = self._end(spot).join(statements)
        values = {spot.start + found.start() for found in re.finditer(ANY_VALUE, written)}

        def judged(shown: Query) -> Sequence[bool]:
            errors = [one for one in shown.diagnostics() if one.is_error]
            errors = [one for one in errors if not (one.start in values and one.end - one.start == len(ANY_VALUE))]
            found, start = [], spot.start
            for one in statements:
                end = start + len(one)
                found.append(not any(error.start < end and error.end > start for error in errors))
                start = end + len(self._end(spot))
            return found

        return self._ask(written, spot, judged)

    def _ask(self, written: str, spot: _Spot, question: Callable[[Query], T], seconds: float | None = None) -> T:
        """Ask about the document with a text at a spot."""
        document = self._syntax.document
        end = self._end(spot) if spot.is_above else ""
        text = document.text[: spot.start] + written + end + document.text[spot.end :]
        shown = Document(document.uri, document.language, text, document.revision)
        return self._checkers.of(document).ask(shown, question).result(seconds)

    def _end(self, spot: _Spot) -> str:
        """The separator between two statements at a spot."""
        text = self._syntax.document.text
        before = text[text.rfind("\n", 0, spot.start) + 1 : spot.start]
        return self._syntax.language.record.separator + ("" if before.strip() else before)

    def _item(self, path: str, member: str = "") -> _Item:
        """A path as an expression, with a member of it; what is a type only is written as a type, which has none."""
        back = len(path.rpartition(".")[2])
        is_type = self._visible[path.partition(".")[0]].is_type
        return (f"0 as any as {path}", back) if is_type else (path + member, back + len(member))


def as_list(items: Sequence[str], document: Document, offset: int) -> tuple[str, list[int]]:
    """Several expressions as a list that may be written at an offset, and where each begins there.

    First on its line in ECMAScript, `[` alone would go on with the statement above where no semicolon ends that.
    """
    is_first = not document.text[document.text.rfind("\n", 0, offset) + 1 : offset].strip()
    text, starts = document.language.record.checker.list_opening if is_first else "[", []
    for item in items:
        starts.append(offset + len(text))
        text += f"{item}, "
    return f"{text}]", starts


def _left(until: float | None) -> float | None:
    """The seconds that are left until a time; None for no limit."""
    return None if until is None else max(0.0, until - time.monotonic())


def _typed(found: Description | None, language: Language) -> TypedName:
    if found is None:
        return TypedName(None, why="the checker says nothing of the name here")
    return typed_name(found.signature, found.documentation, language)


def _members(asked: Query, places: Sequence[int]) -> tuple[Sequence[Mapping[str, NameKind]], Description | None]:
    """The members before the dots at some places, and the description of the witness at the last."""
    *dots, witness = places
    return asked.members(dots), asked.descriptions([witness])[0]


def _signature(asked: Query, places: Sequence[int]) -> tuple[str | None, Description | None]:
    """The signature of the call at the first place, and the description of the witness at the last."""
    call, witness = places
    found = asked.signatures(call)
    return None if found is None else found.active_signature.label, asked.descriptions([witness])[0]
