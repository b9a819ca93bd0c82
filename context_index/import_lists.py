"""What an import may name while it is half written: names whose module nobody has told yet, and modules of names.

People write `import { useState } from 'react'` from left to right, so that a type checker has nothing to go by on
either side of `from`. What can be imported is known: the names are those, and the modules such as export what stands
in front of them. Both lists may lack what could not be read; where all that is named is the workspace's own, and what
is installed has been read, the list of its modules is `Closed`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from context_index.surfaces import imports_of
from context_index.symbols import Closed, Importable, Listed, NameKind, Position
from context_index.syntax import parse

if TYPE_CHECKING:
    from pathlib import Path

    from context_index.index import Index
    from context_index.libraries import Libraries
    from context_index.text import Document

_IMPORTED = frozenset({Position.IMPORTED_NAME, Position.MODULE})
_REACH = 2_000
"""Characters before a place in which its import begins."""
_LIST = re.compile(r"\bimport\s+(?:type\s+)?(?:([\w$]+)\s*,\s*)?\{([^{}'\"`;]*)$")
_IS_TOLD = re.compile(r"(?:[^{}'\"`;\n]*|[^{}'\"`;]*\})\s*from\s*['\"]")
"""Behind such a place: the module stands there already."""
_FROM = re.compile(r"\bimport\s+(?:type\s+)?([\w$]+)?\s*(?:,\s*)?(?:\{([^{}'\"`;]*)\})?\s*from\s*['\"]$")
_REQUIRE = re.compile(
    r"\b(?:const|let|var)\s+(?:([\w$]+)|\{([^{}'\"`;]*)\})\s*=\s*(?:await\s+import|require)\s*\(\s*['\"]$"
)
_NAME = re.compile(r"(?:^|,)\s*(?:type\s+)?([\w$]+)(?=\s*(?:,|$|\s+as\b|:))")
_NODE = "node:"
_IN_QUOTES = re.compile(r"[^'\"\n]*")


@dataclass(frozen=True, slots=True)
class Exports:
    """What a file can import.

    Args:
        starting_with: Everything whose name begins with a word, perhaps more.
        everything: All names, with what they are.
        of: The names that some modules export.
        packages: The installed modules that export anything; None before they are read.
        spellings: All ways to write the path of a module, itself among them.
    """

    starting_with: Callable[[str], Sequence[Importable]]
    everything: Callable[[], dict[str, NameKind]]
    of: Callable[[Iterable[str]], dict[str, NameKind]]
    packages: Callable[[], frozenset[str] | None]
    spellings: Callable[[str], Sequence[str]]


@dataclass(slots=True)
class ImportLists:
    """The lists of one document, looked up when the first of them is wanted."""

    index: Index
    libraries: Libraries
    path: Path
    document: Document
    _exports: Exports | None = None

    def __call__(self, text: str, offset: int, position: Position) -> Closed | Listed | None:
        """What may stand at `offset` of a text that the document is to have; None where others know more."""
        if position not in _IMPORTED:
            return None
        if self._exports is None:
            self._exports = self._found()
        return listed(text, offset, position, self._exports)

    def _found(self) -> Exports:
        """What the document can import, whatever it has imported; its text tells only how it writes paths."""
        path, language = self.path, self.document.language
        imports = imports_of(parse(self.document))

        def near(word: str = "") -> tuple[Importable, ...]:
            return self.index.importable(path, language, imports, (), word)

        def exported(modules: frozenset[str] | None = None) -> dict[str, NameKind]:
            own = (one for one in near() if not one.is_default and (modules is None or one.module in modules))
            return {one.text: one.kind for one in own} | self.libraries.exported(path, language, modules)

        return Exports(
            starting_with=lambda word: near(word) + self.libraries.importable(path, language, imports, (), word),
            everything=exported,
            of=lambda modules: exported(frozenset(modules)),
            packages=lambda: self.libraries.packages(path, language),
            spellings=lambda module: self.index.spellings(path, module, imports),
        )


def listed(text: str, offset: int, position: Position, exports: Exports) -> Closed | Listed | None:
    """What may stand at `offset` of JavaScript or TypeScript; None where others know more."""
    before = text[max(offset - _REACH, 0) : offset]
    if position is Position.IMPORTED_NAME:
        found = _LIST.search(before)
        if found is None or _IS_TOLD.match(text, offset):
            return None
        taken = _NAME.findall(found[2].rpartition(",")[0])
        modules = _modules(taken, exports, found[1])
        names = exports.of(modules) if modules else exports.everything()
        return Listed({name: kind for name, kind in names.items() if name not in taken}) if names else None
    if position is not Position.MODULE or (found := _FROM.search(before) or _REQUIRE.search(before)) is None:
        return None
    whole, names_in = found[1], _NAME.findall(found[2] or "")
    modules = _modules(names_in, exports, whole)
    written = _IN_QUOTES.match(text, offset)
    begun = written[0] if written is not None else ""
    paths = [path for module in modules for path in exports.spellings(module)]
    if not any(path.startswith(begun) for path in paths):  # nobody knows of it, or knows that way to it
        return None
    packages, names_of_modules = exports.packages(), dict.fromkeys(paths, NameKind.MODULE)
    is_own = packages is not None and all(one.removeprefix(_NODE) not in packages for one in modules)
    return Closed(names_of_modules) if is_own else Listed(names_of_modules)


def _modules(names: Iterable[str], exports: Exports, whole: str | None = None) -> list[str]:
    """The modules that export all of some names, and another one as a whole or by default; the nearest first."""
    found: list[str] | None = None
    for name in names:
        some = [one.module for one in exports.starting_with(name) if one.text == name and not _is_whole(one)]
        found = some if found is None else [one for one in found if one in some]
    if whole:
        some = [one.module for one in exports.starting_with(whole) if one.text == whole and _is_whole(one)]
        packages = exports.packages() or frozenset()
        some = some or [name for name in dict.fromkeys((whole, whole.lower())) if name in packages]
        found = some if found is None or not some else [one for one in found if one in some]
    return list(dict.fromkeys(found or ()))


def _is_whole(one: Importable) -> bool:
    return one.is_default or one.is_module
