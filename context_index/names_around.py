"""All names at an offset: from its scopes, star imports, globals, and what an import could bring."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path
from types import MappingProxyType

from context_index.exports import Export, Import, imports_of
from context_index.globals import DISTANCE, global_names
from context_index.index import Index
from context_index.libraries import Libraries
from context_index.scopes import caveats_at, names_at
from context_index.symbols import Importable, Language, ModuleKind, Name, Origin, SymbolContext, word_start
from context_index.syntax import Syntax
from context_index.uris import path_of

_STAR_DISTANCE = DISTANCE - 1
"""Names of a star import are those of the module's own scope, as far out as that may be."""


class NamesAround:
    """Composes scopes, globals, the workspace's index and its libraries. From any thread."""

    def __init__(self, index: Index, libraries: Libraries) -> None:
        self._index = index
        self._libraries = libraries
        self._bases: dict[Language, tuple[Mapping[str, Export], Mapping[str, Name], Mapping[str, Name]]] = {}
        """By language: the names that the workspace and packages of types declare for all files, and all globals."""
        self._joined: tuple[tuple[Importable, ...], tuple[Importable, ...], tuple[Importable, ...]] | None = None
        """The latest importable names of the workspace, of the libraries, and of both."""

    def at(self, syntax: Syntax, offset: int) -> SymbolContext:
        """The names that can be used at an offset, and those that an import would make usable."""
        path = path_of(syntax.document.uri)
        imports = imports_of(syntax)
        visible = names_at(syntax, offset)
        starred, caveats = self._starred(path, imports)
        importable: tuple[Importable, ...] = ()
        has_more = False
        if path is not None:
            has_more = self._has_more(path, syntax, offset)  # asked first: what is read meanwhile is asked for again
            importable = self._importable(path, syntax, offset, imports, {*starred, *visible})
        if not syntax.language.is_python:  # whose only caveats are star imports, which are followed here
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
        starred, _ = self._starred(path, imports_of(syntax))
        return self._joined_names(syntax.language, path, starred, names_at(syntax, offset))

    def _joined_names(
        self, language: Language, path: Path | None, starred: Mapping[str, Name], visible: dict[str, Name]
    ) -> Mapping[str, Name]:
        return MappingProxyType({**self._base(language, path), **starred, **visible})

    def module_kind(self, language: Language, path: Path | None) -> ModuleKind | None:
        """The kind of a script that does not say its own, by its package and the files around it."""
        return None if path is None or language is not Language.JAVASCRIPT else self._index.module_kind(path)

    def _base(self, language: Language, path: Path | None) -> Mapping[str, Name]:
        """Globals of the language, of the workspace's declaration files, and of the packages of types around."""
        if language.is_python:
            return global_names(language)
        ambient = self._index.ambient()
        given = self._libraries.given(path, language)
        known = self._bases.get(language)
        if known is None or known[0] is not ambient or known[1] is not given:
            own = {text: Name(text, e.kind, Origin.GLOBAL, DISTANCE, is_type=e.is_type) for text, e in ambient.items()}
            names = {**_usable(given, language), **global_names(language), **_usable(own, language)}
            known = self._bases[language] = ambient, given, MappingProxyType(names)
        return known[2]

    def _importable(
        self, path: Path, syntax: Syntax, offset: int, imports: Sequence[Import], taken: AbstractSet[str]
    ) -> tuple[Importable, ...]:
        """What the workspace exports, nearest first, then what is installed; the same tuple where that is the same."""
        word = _word(syntax, offset)
        near = self._index.importable(path, syntax.language, imports, taken, word)
        known = taken | self._base(syntax.language, path).keys()
        installed = self._libraries.importable(path, syntax.language, imports, known, word)
        if not installed:
            return near
        latest = self._joined
        if latest is None or latest[0] is not near or latest[1] != installed:
            latest = self._joined = (near, installed, near + installed)
        return latest[2]

    def _has_more(self, path: Path, syntax: Syntax, offset: int) -> bool:
        """Whether an import may bring more: when files and packages have been read, or for a longer word."""
        unread = self._libraries.has_more(path, syntax.language, _word(syntax, offset))
        return unread or self._index.lacks_files(path)

    def _starred(self, path: Path | None, imports: Iterable[Import]) -> tuple[dict[str, Name], list[str]]:
        """The names of star imports, and a caveat for each whose module is not of the workspace."""
        names: dict[str, Name] = {}
        caveats: list[str] = []
        for found in imports:
            if not found.star:
                continue
            resolved = self._index.resolve_module(path, found.module) if path is not None else None
            if resolved is None:
                caveats.append(f"`from {found.module} import *` brings names that are not known here")
                continue
            for e in resolved[1]:
                detail = f"from {found.module}"
                names[e.name] = Name(e.name, e.kind, Origin.IMPORT, _STAR_DISTANCE, found.line, detail)
        return names, caveats


def _word(syntax: Syntax, offset: int) -> str:
    """What is half-typed before an offset."""
    text = syntax.document.text
    return text[word_start(text, offset) : offset]


def _usable(names: Mapping[str, Name], language: Language) -> dict[str, Name]:
    """The names without types, if the language has none."""
    types = language is not Language.JAVASCRIPT
    return {text: name for text, name in names.items() if types or not name.is_type}
