"""The types of the names at a place, asked of its checker in one question for all that are wanted, and kept.

The names are written as a list at the place itself, in the overlay that the checker is shown, so that its own scope
rules and its own narrowing apply. Where a list cannot stand there, it is written above the statement.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from concurrent.futures import TimeoutError as FutureTimeoutError
from dataclasses import dataclass
from functools import partial
from threading import Lock

from context_index.checkers.answers import Description
from context_index.checkers.checker import Asked
from context_index.checkers.checkers import Checkers
from context_index.checkers.errors import CheckerError
from context_index.checkers.written_types import typed_name
from context_index.cursor import CursorKind, cursor_at
from context_index.symbols import Name, TypedName, continues_identifier
from context_index.syntax import Syntax, ancestors
from context_index.text import Document

_PLACES = 32
"""Places whose types are kept, those asked for last."""
_EXPRESSIONS = frozenset({CursorKind.NAME, CursorKind.ARGUMENT, CursorKind.BLANK_LINE})
_WITNESS = {True: "None", False: "NaN"}
"""A name that every checker knows where an expression may stand: if it does, its word on the others counts."""
_STATEMENTS = ("_statement", "_declaration", "_definition")


@dataclass(frozen=True, slots=True)
class _Key:
    document: Document
    revision: int
    offset: int


@dataclass(frozen=True, slots=True)
class _Spot:
    """Where a list of names may stand: what it takes the place of, and whether it is a statement above another."""

    start: int
    end: int
    is_above: bool = False


class TypeCache:
    """What checkers said of names, by document, what else they knew, and place. Any thread may ask."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._known: OrderedDict[_Key, dict[str, TypedName]] = OrderedDict()

    def at(self, key: _Key) -> dict[str, TypedName]:
        """What is known of a place; what is put into it stays."""
        with self._lock:
            found = self._known.setdefault(key, {})
            self._known.move_to_end(key)
            while len(self._known) > _PLACES:
                self._known.popitem(last=False)
            return found


class TypesAtPlace:
    """Knows the types of the names that are visible at one place; see `symbols.NameTypes`."""

    def __init__(
        self, checkers: Checkers, cache: TypeCache, syntax: Syntax, offset: int, visible: Mapping[str, Name]
    ) -> None:
        """Nothing is asked yet."""
        self._checkers, self._cache = checkers, cache
        self._syntax, self._offset, self._visible = syntax, offset, visible

    def of(self, names: Sequence[str], seconds: float | None = None) -> Mapping[str, TypedName]:
        """The type of each name that is visible; those asked for before at this place are asked once."""
        key = _Key(self._syntax.document, self._checkers.world.revision, self._offset)
        known = self._cache.at(key)
        wanted = [name for name in dict.fromkeys(names) if name in self._visible]
        missing = [name for name in wanted if name not in known]
        until = None if seconds is None else time.monotonic() + seconds
        why, witness = "", _WITNESS[self._syntax.language.is_python]
        for spot in self._spots() if missing else ():
            left = None if until is None else max(0.0, until - time.monotonic())
            try:
                found = self._asked(missing, spot, left)
            except FutureTimeoutError:
                why = f"the checker did not answer within {seconds or 0:g} s"
                break
            except (CheckerError, CancelledError) as error:
                why = str(error)
                break
            is_understood = found.pop(witness).type is not None
            known.update(found)
            missing = [name for name in missing if known[name].type is None]
            if not missing or is_understood:
                break
        return {name: known.get(name) or TypedName(None, why=why) for name in wanted}

    def _spots(self) -> Iterator[_Spot]:
        """The place itself, then above its line and the statements around it: in torn code these may be too large."""
        cursor, text = cursor_at(self._syntax, self._offset), self._syntax.document.text
        if cursor.kind in _EXPRESSIONS and not cursor.binding:
            end = self._offset
            while end < len(text) and continues_identifier(text[end]):
                end += 1
            yield _Spot(self._offset - len(cursor.word), end)
        node = self._syntax.node_at(self._offset)
        around = [
            self._syntax.start(one)
            for one in (node, *ancestors(node))
            if one.type.endswith(_STATEMENTS) or not one.parent
        ]
        line = text.rfind("\n", 0, self._offset) + 1
        first = line + len(text[line : self._offset]) - len(text[line : self._offset].lstrip())
        for start in sorted({first, *around[:2]}, reverse=True):
            yield _Spot(start, start, is_above=True)

    def _asked(self, names: Sequence[str], spot: _Spot, seconds: float | None) -> dict[str, TypedName]:
        document, witness = self._syntax.document, _WITNESS[self._syntax.language.is_python]
        written, places = _listed([(name, self._visible[name].is_type) for name in names], witness)
        if spot.is_above:
            line = document.text.rfind("\n", 0, spot.start) + 1
            indentation = document.text[line : spot.start]
            written += f"\n{indentation if not indentation.strip() else ''}" if document.language.is_python else ";\n"
        text = document.text[: spot.start] + written + document.text[spot.end :]
        shown = Document(document.uri, document.language, text, document.revision)
        question = partial(_described, places=[spot.start + place for place in places])
        found = self._checkers.of(document).ask(shown, question).result(seconds)
        return {
            name: TypedName(None, why="the checker says nothing of the name here")
            if one is None
            else typed_name(one.signature, one.documentation, document.language)
            for name, one in zip((*names, witness), found, strict=True)
        }


def _listed(names: Sequence[tuple[str, bool]], witness: str) -> tuple[str, list[int]]:
    """The names as an expression, and where each stands in it; one that is a type only is written as a type."""
    text, places = "[", []
    for name, is_type in (*names, (witness, False)):
        text += "0 as any as " if is_type else ""
        places.append(len(text))
        text += f"{name}, "
    return f"{text}]", places


def _described(asked: Asked, places: Sequence[int]) -> tuple[Description | None, ...]:
    return asked.descriptions(places)
