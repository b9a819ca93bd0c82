"""All names at an offset: from its scopes, star imports, globals, and what an import could bring."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path
from types import MappingProxyType

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
            word = _word(syntax, offset)
            importable = self._importable(path, syntax.language, imports, {*starred, *visible}, word)
        if (
            not syntax.language.record.exports_imports
        ):  # else the only caveats are star imports, which are followed here
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
        return None if path is None or not language.record.has_module_systems else self._index.module_kind(path)

    def _base(self, language: Language, path: Path | None) -> Mapping[str, Name]:
        """Globals of the language, of the workspace's declaration files, and of the packages of types around."""
        if not language.record.has_ambient_names:
            return global_names(language)
        ambient = self._index.ambient()
        given = self._libraries.given(path, language)
        known = self._bases.get(language)
        if known is None or known[0] is not ambient or known[1] is not given:
            own = {text: Name(text, e.kind, Origin.GLOBAL, DISTANCE, is_type=e.is_type) for text, e in ambient.items()}
            names = {**_usable(given, language), **global_names(language), **_usable(own, language)}
            known = self._bases[language] = ambient, given, MappingProxyType(names)
        return known[2]

    def exporters(self, syntax: Syntax, statement: TypedImport) -> tuple[tuple[str, ...], bool]:
        """The modules that export the names of an import, nearest first, and whether there may be more.

        Those that export most of its names, and whose specifiers begin with what is written of it.
        """
        path, language = path_of(syntax.document.uri), syntax.language
        if path is None:
            return (), False
        imports = statement.others
        if language.record.exports_imports and statement.typed.startswith("."):
            imports = (*imports, Import(statement.typed, (), 0))  # relative, whatever the others are
        counts: Counter[str] = Counter()
        for name in statement.names:
            offered = self._importable(path, language, imports, frozenset(), _called(name))
            exporting = [one.module for one in offered if _is_exported(name, one)]
            if language.record.exports_imports:
                exporting += self._index.packages_with(path, name.name, imports)
            elif name.name in _WHOLE:
                exporting += self._index.files_called(path, name, imports)
            counts.update([one for one in dict.fromkeys(exporting) if one.startswith(statement.typed)])
        most = max(counts.values(), default=0)
        is_unread = self._libraries.has_more(path, language, _called(statement.names[0]))
        has_more = is_unread or self._index.lacks_files(path)
        return tuple(module for module, count in counts.items() if count == most), has_more

    def _importable(
        self, path: Path, language: Language, imports: Sequence[Import], taken: AbstractSet[str], word: str
    ) -> tuple[Importable, ...]:
        """What the workspace exports, nearest first, then what is installed; the same tuple where that is the same."""
        near = self._index.importable(path, language, imports, taken, word)
        known = taken | self._base(language, path).keys()
        installed = self._libraries.importable(path, language, imports, known, word)
        if not installed:
            return near
        latest = self._joined
        if latest is None or latest[0] is not near or latest[1] != installed:
            latest = self._joined = (near, installed, near + installed)
        return latest[2]

    def _has_more(self, path: Path, syntax: Syntax, offset: int) -> bool:
        """As `SymbolContext.more_importable` has it."""
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


_WHOLE = frozenset({"*", "default"})
"""What an import asks for that has no name of its own."""


def _called(name: Imported) -> str:
    """What an import asks for: a module and what it exports as its default are called as the file likes."""
    return name.local if name.name in _WHOLE else name.name


def _is_exported(name: Imported, one: Importable) -> bool:
    """Whether what could be imported is what an import asks for."""
    is_sort = (one.is_module, one.is_default) == (name.name == "*", name.name == "default")
    return is_sort and one.text == _called(name)


def _word(syntax: Syntax, offset: int) -> str:
    """What is half-typed before an offset."""
    text = syntax.document.text
    return text[word_start(text, offset) : offset]


def _usable(names: Mapping[str, Name], language: Language) -> dict[str, Name]:
    """The names without types, if the language has none."""
    types = language.record.has_types
    return {text: name for text, name in names.items() if types or not name.is_type}
