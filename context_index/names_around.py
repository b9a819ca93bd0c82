"""All names at an offset: from its scopes, star imports, globals, and what an import could bring.

`Workspace` owns the one object and asks it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from context_index.exports import Export, Import, Imported, imports_of
from context_index.globals import DISTANCE, global_names
from context_index.index import Index
from context_index.libraries import Libraries
from context_index.scopes import caveats_at, names_at
from context_index.symbols import Importable, Language, ModuleKind, Name, Origin, SymbolContext, word_start
from context_index.syntax import Syntax
from context_index.typed_import import TypedImport
from context_index.uris import path_of

_STAR_DISTANCE = DISTANCE - 1
"""Names of a star import are in the module's own scope, the last one before the globals."""


class _Globals(NamedTuple):
    """All globals of a language, and what they were made from."""

    ambient: Mapping[str, Export]
    """What files of the workspace declare for all files."""
    given: Mapping[str, Name]
    """What packages of types declare for all files."""
    names: Mapping[str, Name]


class _Joined(NamedTuple):
    """All importable names, and where they are from."""

    near: tuple[Importable, ...]
    """Importable names of the workspace."""
    installed: tuple[Importable, ...]
    """Importable names of the libraries."""
    all: tuple[Importable, ...]


class NamesAround:
    """Composes scopes, globals, the workspace's index and its libraries. From any thread."""

    def __init__(self, index: Index, libraries: Libraries) -> None:
        self._index = index
        self._libraries = libraries
        self._globals: dict[Language, _Globals] = {}
        """The latest globals of each language."""
        self._latest_joined: _Joined | None = None
        """The latest importable names: as long as they stay the same, callers get the same tuple."""

    def at(self, syntax: Syntax, offset: int) -> SymbolContext:
        """The names that can be used at an offset, and those that an import would make usable."""
        path = path_of(syntax.document.uri)
        imports = imports_of(syntax)
        visible = names_at(syntax, offset)
        starred, caveats = self._read_star_imports(path, imports)
        importable: tuple[Importable, ...] = ()
        has_more = False
        if path is not None:
            word = _half_typed_word(syntax, offset)
            # asked before the names, so that what is read in between is asked for again
            has_more = self._has_more(path, syntax.language, word)
            importable = self._importable(path, syntax.language, imports, {*starred, *visible}, word)
        if not syntax.language.record.exports_imports:  # else all caveats are star imports, which are followed here
            caveats.extend(caveats_at(syntax, offset))
        return SymbolContext(
            syntax.language,
            self._joined_names(syntax.language, path, starred, visible),
            importable,
            complete=not caveats,
            caveats=tuple(caveats),
            more_importable=has_more,
            module_kind=self.module_kind(syntax.language, path),
        )

    def names_at(self, syntax: Syntax, offset: int) -> Mapping[str, Name]:
        """The names that can be used at an offset, without looking for what an import would bring."""
        path = path_of(syntax.document.uri)
        starred, _ = self._read_star_imports(path, imports_of(syntax))
        return self._joined_names(syntax.language, path, starred, names_at(syntax, offset))

    def _joined_names(
        self, language: Language, path: Path | None, starred: Mapping[str, Name], visible: dict[str, Name]
    ) -> Mapping[str, Name]:
        return MappingProxyType({**self._globals_of(language, path), **starred, **visible})

    def module_kind(self, language: Language, path: Path | None) -> ModuleKind | None:
        """The kind of a script that does not say its own, by its package and the files around it."""
        return None if path is None or not language.record.has_module_systems else self._index.module_kind(path)

    def _globals_of(self, language: Language, path: Path | None) -> Mapping[str, Name]:
        """Globals of the language, of the workspace's declaration files, and of the packages of types around."""
        if not language.record.has_ambient_names:
            return global_names(language)
        ambient = self._index.ambient()
        given = self._libraries.given(path, language)
        known = self._globals.get(language)
        if known is None or known.ambient is not ambient or known.given is not given:
            declared = {
                text: Name(text, export.kind, Origin.GLOBAL, DISTANCE, is_type=export.is_type)
                for text, export in ambient.items()
            }
            names = {**_usable(given, language), **global_names(language), **_usable(declared, language)}
            known = self._globals[language] = _Globals(ambient, given, MappingProxyType(names))
        return known.names

    def exporters(self, syntax: Syntax, statement: TypedImport) -> tuple[tuple[str, ...], bool]:
        """The modules that export most names of an import, nearest first, and whether there may be more of them.

        Only modules count whose specifier begins with what is typed. There may be more as long as the workspace or
        its libraries have not been read to their end.
        """
        path, language = path_of(syntax.document.uri), syntax.language
        if path is None:
            return (), False
        imports = statement.others
        if language.record.exports_imports and statement.typed.startswith("."):
            imports = (*imports, Import(statement.typed, (), 0))  # so that specifiers are relative
        counts: Counter[str] = Counter()
        for name in statement.names:
            offered = self._importable(path, language, imports, frozenset(), _searched_name(name))
            exporting = [importable.module for importable in offered if _provides(importable, name)]
            if language.record.exports_imports:
                exporting += self._index.packages_with(path, name.name, imports)
            elif name.name in _WHOLE:
                exporting += self._index.files_called(path, name, imports)
            counts.update([module for module in dict.fromkeys(exporting) if module.startswith(statement.typed)])
        most = max(counts.values(), default=0)
        has_more = self._has_more(path, language, _searched_name(statement.names[0]))
        return tuple(module for module, count in counts.items() if count == most), has_more

    def _importable(
        self, path: Path, language: Language, imports: Sequence[Import], taken: AbstractSet[str], word: str
    ) -> tuple[Importable, ...]:
        """What the workspace exports, nearest first, then what is installed.

        The tuple is the same object as long as neither of these has changed.

        Args:
            taken: Names that are in scope already.
            word: The half-typed name.
        """
        near = self._index.importable(path, language, imports, taken, word)
        known = taken | self._globals_of(language, path).keys()
        installed = self._libraries.importable(path, language, imports, known, word)
        if not installed:
            return near
        latest = self._latest_joined
        if latest is None or latest.near is not near or latest.installed != installed:
            latest = self._latest_joined = _Joined(near, installed, near + installed)
        return latest.all

    def _has_more(self, path: Path, language: Language, word: str) -> bool:
        """Whether more names may be importable than are known; see `SymbolContext.more_importable`."""
        return self._libraries.has_more(path, language, word) or self._index.lacks_files(path)

    def _read_star_imports(self, path: Path | None, imports: Iterable[Import]) -> tuple[dict[str, Name], list[str]]:
        """The names of star imports, and a caveat for each star import whose module is not of the workspace."""
        names: dict[str, Name] = {}
        caveats: list[str] = []
        for statement in imports:
            if not statement.star:
                continue
            module, line = statement.module, statement.line
            resolved = self._index.resolve_module(path, module) if path is not None else None
            if resolved is None:
                caveats.append(f"`from {module} import *` brings names that are not known here")
                continue
            _, exports = resolved
            for export in exports:
                name = export.name
                names[name] = Name(name, export.kind, Origin.IMPORT, _STAR_DISTANCE, line, f"from {module}")
        return names, caveats


_WHOLE = frozenset({"*", "default"})
"""The names of `Imported` for a whole module and for a default export; the importing file chooses what to call them."""


def _searched_name(name: Imported) -> str:
    """The name by which what an import asks for is looked up."""
    return name.local if name.name in _WHOLE else name.name


def _provides(importable: Importable, name: Imported) -> bool:
    """Whether what could be imported is what an import asks for."""
    is_same_sort = (importable.is_module, importable.is_default) == (name.name == "*", name.name == "default")
    return is_same_sort and importable.text == _searched_name(name)


def _half_typed_word(syntax: Syntax, offset: int) -> str:
    """The part of a word before an offset; empty where none has begun."""
    text = syntax.document.text
    return text[word_start(text, offset) : offset]


def _usable(names: Mapping[str, Name], language: Language) -> dict[str, Name]:
    """The names that a language can use: without those of types, if it has no types."""
    types = language.record.has_types
    return {text: name for text, name in names.items() if types or not name.is_type}
