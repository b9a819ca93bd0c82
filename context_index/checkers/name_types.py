"""The types of the names at a place, asked of the checker in one question and cached.

The checker is shown the document with a list of the names written at the place itself, so that its own scopes and its
own narrowing apply. If no list can stand there, it is written above the statement. Each list ends with a witness, a
name whose type is known (`TypesAtPlace._witness`): with another type, it was not read as a list.

A name that the place has already, `total` of `pay(total|)`, is asked about in the unchanged document, as what is in a
list is not what `pay` expects. That answer counts only where the list is read as one: the `total` of `pay(total=1)` is
the name of an argument, and not the name that is visible.

`workspace` makes a `TypesAtPlace` for each request; `symbols.NameTypes` is its interface for the decoder.
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
"""Cursors at which an expression, so also a list, may be written."""
_Item = tuple[str, int]
"""An expression of the list, and how many characters before its end the checker is asked about it."""
_RIGHT, _WRONG = "0", "(0)()"
"""A statement without an error, and a statement with an error of types."""


@dataclass(frozen=True, slots=True)
class _Key:
    """A place in one state of the workspace."""

    document: Document
    revision: int
    """That of the checkers' `World`."""
    offset: int


@dataclass(frozen=True, slots=True)
class _Spot:
    """A range of the document that a list of names, or statements, may replace."""

    start: int
    end: int
    is_above: bool = False
    """Whether it is before a statement, so that a separator must follow."""
    member: str = ""
    """The access to a member, `.name`, after the place. It is written after each name as well, as the checker narrows a
    type parameter only before a dot."""


class TypeCache:
    """The types of names that checkers have returned, by place. Thread-safe."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._known: dict[_Key, dict[str, TypedName]] = {}

    def at(self, key: _Key) -> dict[str, TypedName]:
        """The cached types at a place, by name; the caller may add to them."""
        with self._lock:
            types = self._known.get(key, {})
            remember(self._known, key, types, _PLACES)
            return types


class TypesAtPlace:
    """Asks for the types of the names that are visible at one place; see `symbols.NameTypes`.

    Args:
        syntax: The document.
        offset: The place.
        visible: The names that are visible there.
    """

    def __init__(
        self, checkers: Checkers, cache: TypeCache, syntax: Syntax, offset: int, visible: Mapping[str, Name]
    ) -> None:
        """Nothing is asked yet."""
        self._checkers, self._cache = checkers, cache
        self._syntax, self._offset, self._visible = syntax, offset, visible

    def of(self, names: Sequence[str], seconds: float | None = None) -> Mapping[str, TypedName]:
        """The type of each name or path (`desk.owner`) whose first name is visible, or why it is not known.

        Args:
            seconds: How long the checker may take; None for no limit.
        """
        key = _Key(self._syntax.document, self._checkers.world.revision, self._offset)
        types = self._cache.at(key)
        wanted = [name for name in dict.fromkeys(names) if name.partition(".")[0] in self._visible]
        missing = [name for name in wanted if name not in types]
        until = None if seconds is None else time.monotonic() + seconds
        why, language = "the checker says nothing of the names here", self._syntax.language
        for spot in self._spots() if missing else ():
            items = [self._item(name, spot.member) for name in missing]
            try:
                at_place = self._at_place(spot, missing, _seconds_left(until))
                *descriptions, witness = self._in_list(items, Query.descriptions, spot, _seconds_left(until))
            except TimeoutError:
                why = "the checker did not answer in time"
                break
            except (CheckerError, CancelledError) as error:
                why = str(error)
                break
            if self._is_list_read(witness):
                types |= {name: _typed(item, language) for name, item in zip(missing, descriptions, strict=True)}
                types |= {name: typed for name, typed in at_place.items() if typed.type is not None}
                break
        return {name: types.get(name) or TypedName(None, why=why) for name in wanted}

    def members(self, paths: Sequence[str]) -> Mapping[str, Mapping[str, NameKind]]:
        """The kinds of the members of each name or path, without methods; none if the checker does not answer."""
        items = [(f"{self._item(path)[0]}.", 0) for path in paths]
        with suppress(CheckerError, CancelledError):
            for spot in self._spots() if paths else ():
                members, witness = self._in_list(items, _members, spot)
                if self._is_list_read(witness):
                    return dict(zip(paths, members, strict=True))
        return {path: {} for path in paths}

    def signature(self, callee: str) -> TypedName:
        """The signature of a function, a method or a class, or why it is not known."""
        why = "the checker does not know what it takes"
        try:
            for spot in self._spots():
                label, witness = self._in_list([(f"{callee}()", len(")"))], _signature, spot)
                if label is not None:  # it is of this call, however the list around it was read
                    return called_name(label, self._syntax.language)
                if self._is_list_read(witness):
                    break
        except (CheckerError, CancelledError) as error:
            why = str(error)
        return TypedName(None, why=why)

    def accepted(self, statements: Sequence[str]) -> tuple[bool, ...]:
        """Whether the checker finds no error in a statement, for each; see `symbols.NameTypes`.

        At a spot where it accepts a statement with an error, or refuses one without, its answers do not count.
        """
        with suppress(CheckerError, CancelledError):
            for spot in self._spots() if statements else ():
                if spot.is_above:
                    accepts_right, accepts_wrong, *accepted = self._accepted_at(spot, (_RIGHT, _WRONG, *statements))
                    if accepts_right and not accepts_wrong:
                        return tuple(accepted)
        return (False,) * len(statements)

    def _spots(self) -> Iterator[_Spot]:
        """The spots to try: the place itself, then above its line, then above the two innermost statements around it.

        In broken code, these statements may begin far above the line.
        """
        if self._syntax.language.record.checker.witness is None:
            return  # nothing would show whether the checker read the list as one
        cursor, text = cursor_at(self._syntax, self._offset), self._syntax.document.text
        if cursor.kind in _EXPRESSIONS and not cursor.binding:
            start, end = self._offset - len(cursor.word), word_end(text, self._offset)
            yield _Spot(start, end, member=self._member_after(start, end))
        node = self._syntax.node_at(self._offset)
        statements = [
            self._syntax.start(around)
            for around in (node, *ancestors(node))
            if around.type.endswith(STATEMENTS) or not around.parent
        ]
        before = text[text.rfind("\n", 0, self._offset) + 1 : self._offset]
        first_in_line = self._offset - len(before.lstrip())
        for start in sorted({first_in_line, *statements[:2]}, reverse=True):
            yield _Spot(start, start, is_above=True)

    def _member_after(self, start: int, end: int) -> str:
        """The access to a member after an object, `.name`, as it is written in ECMAScript; empty without one."""
        access = self._syntax.node_at(start).parent
        member = access and access.child_by_field_name("property")
        return self._syntax.document.text[end : self._syntax.end(member)] if member else ""

    def _at_place(self, spot: _Spot, names: Sequence[str], seconds: float | None) -> Mapping[str, TypedName]:
        """The type of the name that the document has at a spot, if it is one of `names`; else nothing."""
        document = self._syntax.document
        name = document.text[spot.start : spot.end]
        if name not in names:
            return {}
        answer = self._checkers.of(document).ask(document, lambda query: query.descriptions([spot.start]))
        (description,) = answer.result(seconds)
        return {name: _typed(description, self._syntax.language)}

    def _in_list(
        self,
        items: Sequence[_Item],
        question: Callable[[Query, Sequence[int]], T],
        spot: _Spot,
        seconds: float | None = None,
    ) -> T:
        """The answer to a question about the places of items in a list at a spot; the last place is the witness's."""
        witness, _ = self._witness
        items = [*items, (witness, len(witness))]
        text, starts = as_list([written for written, _ in items], self._syntax.document, spot.start)
        places = [start + len(written) - back for start, (written, back) in zip(starts, items, strict=True)]
        return self._ask(text, spot, lambda query: question(query, places), seconds)

    @property
    def _witness(self) -> tuple[str, str]:
        """A name that no program redefines, and its type.

        If the checker gives it another type, the list was not read as one, and the other answers do not count: for the
        target `[a, b]` of an assignment, the checker returns the assigned value's types.
        """
        return self._syntax.language.record.checker.witness or ("", "")

    def _is_list_read(self, witness: Description | None) -> bool:
        """Whether the checker read the list as one, by its description of the witness in it."""
        return _typed(witness, self._syntax.language).type == self._witness[1]

    def _accepted_at(self, spot: _Spot, statements: Sequence[str]) -> Sequence[bool]:
        """Whether each statement has no error, if all are written one after another at a spot above a statement."""
        separator = self._separator(spot)
        written = separator.join(statements)
        values = {spot.start + match.start() for match in re.finditer(ANY_VALUE, written)}

        def judge(query: Query) -> Sequence[bool]:
            errors = [
                error
                for error in query.diagnostics()
                if error.is_error and not (error.start in values and error.end - error.start == len(ANY_VALUE))
            ]
            accepted, start = [], spot.start
            for statement in statements:
                end = start + len(statement)
                accepted.append(not any(error.start < end and error.end > start for error in errors))
                start = end + len(separator)
            return accepted

        return self._ask(written, spot, judge)

    def _ask(self, written: str, spot: _Spot, question: Callable[[Query], T], seconds: float | None = None) -> T:
        """The answer to a question about the document with a text at a spot."""
        document = self._syntax.document
        end = self._separator(spot) if spot.is_above else ""
        text = document.text[: spot.start] + written + end + document.text[spot.end :]
        shown = Document(document.uri, document.language, text, document.revision)
        return self._checkers.of(document).ask(shown, question).result(seconds)

    def _separator(self, spot: _Spot) -> str:
        """What is written between two statements at a spot: the language's separator, and the line's indentation."""
        text = self._syntax.document.text
        before = text[text.rfind("\n", 0, spot.start) + 1 : spot.start]
        return self._syntax.language.record.separator + ("" if before.strip() else before)

    def _item(self, path: str, member: str = "") -> _Item:
        """A path as an item of the list, with the access to a member after it; one of types is written as a cast."""
        back = len(path.rpartition(".")[2])
        is_type = self._visible[path.partition(".")[0]].is_type
        return (f"0 as any as {path}", back) if is_type else (path + member, back + len(member))


def as_list(items: Sequence[str], document: Document, offset: int) -> tuple[str, list[int]]:
    """The text of a list of expressions that may be written at an offset, and the offset of each expression then.

    In ECMAScript, `[` first on its line could continue the statement above, so `list_opening` stands in its place.
    """
    is_first = not document.text[document.text.rfind("\n", 0, offset) + 1 : offset].strip()
    text, starts = document.language.record.checker.list_opening if is_first else "[", []
    for item in items:
        starts.append(offset + len(text))
        text += f"{item}, "
    return f"{text}]", starts


def _seconds_left(until: float | None) -> float | None:
    """The seconds until a time of the monotonic clock, at least 0; None for no limit."""
    return None if until is None else max(0.0, until - time.monotonic())


def _typed(description: Description | None, language: Language) -> TypedName:
    if description is None:
        return TypedName(None, why="the checker says nothing of the name here")
    return typed_name(description.signature, description.documentation, language)


def _members(query: Query, places: Sequence[int]) -> tuple[Sequence[Mapping[str, NameKind]], Description | None]:
    """The members at the places but the last, which are after dots, and the witness's description at the last."""
    *dots, witness = places
    return query.members(dots), query.descriptions([witness])[0]


def _signature(query: Query, places: Sequence[int]) -> tuple[str | None, Description | None]:
    """The signature of the call at the first place, and the witness's description at the second."""
    call, witness = places
    signatures = query.signatures(call)
    return None if signatures is None else signatures.active_signature.label, query.descriptions([witness])[0]
