"""What a file could import from the workspace, kept up to date by reading only the files that changed.

Names from the nearest modules are always ready; names from farther modules are looked up by their prefix.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from context_index.exports import Export, Import
from context_index.index.catalog import Catalog
from context_index.index.names import FreeNames
from context_index.index.outline import importable_name
from context_index.languages.python.modules import module_name, package_of
from context_index.modules import Style
from context_index.modules.paths import parts_in_common
from context_index.symbols import Importable, Language, NameKind
from context_index.text import language_of

NEAR = 2_000
"""So many names from the nearest modules are always ready: few enough to be searched at every key."""
_FAR = 200
"""The most names from farther modules that are offered for one prefix."""
_NEAR_FILES = 1_000
"""The most files that are looked at for the nearest names."""
_FAR_FILES = 400
"""The most files that are looked at for one prefix."""
_SHORTEST_WORD = 2
"""The fewest letters of a prefix for which farther modules are searched."""
_TEST_DIRECTORIES = frozenset({"test", "tests", "__tests__", "__mocks__", "spec", "e2e"})
_FOLDER_STEMS = frozenset({"__init__", "index"})
"""The stems of modules that stand for their folder. Those of the folders around the importer come last, as they may
import it: of 31 names that such a module of Python exports again, authors import 29 from where they are defined."""
_NEVER_IMPORTED = frozenset({"setup.py", "conftest.py", "__main__.py"})
"""The names of files that are run, and imported by nobody."""


@dataclass(frozen=True, slots=True)
class _ModuleExports:
    """The names that the importer can import from one file."""

    order: tuple[bool, int, str]
    """A key that sorts modules: whether the file stands for a folder around the importer, then its `_nearness`."""
    items: tuple[Importable, ...]


_EMPTY = _ModuleExports((False, 0, ""), ())


@dataclass(slots=True)
class Importables:
    """What one file could import; `Index` keeps it for the files that were asked about last."""

    catalog: Catalog
    path: Path
    language: Language
    root: Path
    _clock: int = -1
    """The catalogue's `clock` with which the fields below are up to date; -1: with none."""
    _style: Style | None = None
    _packages_clock: int = -1
    _exports: dict[Path, _ModuleExports] = field(default_factory=dict)
    """By file, what can be imported from it; filled as files are asked about."""
    _near_exports: dict[Path, _ModuleExports] = field(default_factory=dict)
    """The same for the nearest files alone."""
    _near_names: FreeNames = field(default_factory=FreeNames)
    """Their names, nearest modules first."""

    def names(self, imports: Sequence[Import], taken: Iterable[str], word: str = "") -> tuple[Importable, ...]:
        """What the file could import, nearest modules first, without names that are taken.

        The same tuple comes back as long as the workspace, and which of its names are taken, stay the same, and no
        farther name begins with the word.
        """
        self._refresh(self.catalog.resolver.style(self.path, imports))
        taken = frozenset(taken)
        near = self._near_names.without(taken)
        far = self._far_names(word.lower(), taken) if len(word) >= _SHORTEST_WORD else ()
        return near + far if far else near

    def _refresh(self, style: Style) -> None:
        """Bring the nearest names up to date with the catalogue and with the style of the file's imports."""
        if style != self._style or self._packages_clock != self.catalog.packages_clock:
            self._style, self._packages_clock, self._clock = style, self.catalog.packages_clock, -1
            self._exports.clear()
        if self._clock == self.catalog.clock:
            return
        for target in self.catalog.changed_since(self._clock) if self._clock >= 0 else ():
            self._exports.pop(target, None)
        self._clock = self.catalog.clock
        self._near_exports = dict(self._nearest(style))
        groups = sorted(self._near_exports.values(), key=lambda exports: exports.order)
        self._near_names = FreeNames(tuple(dict.fromkeys(item for exports in groups for item in exports.items)))

    def _nearest(self, style: Style) -> Iterator[tuple[Path, _ModuleExports]]:
        """The files of the nearest directories and what they export, until there are enough names or files."""
        name_count = looked_at = 0
        for directory in sorted(self.catalog.directories, key=self._distance):
            if not directory.is_relative_to(self.root):
                continue
            for target in sorted(self.catalog.directories[directory]):
                exports = self._exports_of(target, style)
                yield target, exports
                name_count += len(exports.items)
                looked_at += 1
            if name_count >= NEAR or looked_at >= _NEAR_FILES:
                return

    def _far_names(self, word: str, taken: frozenset[str]) -> tuple[Importable, ...]:
        """Names that begin with a word, from farther modules."""
        if len(self._near_exports) == len(self.catalog.outlines()) or self._style is None:
            return ()
        name_counts: Counter[Path] = Counter()
        for places in self.catalog.starting_with(word):
            name_counts.update(places)
            if len(name_counts) > _FAR_FILES:
                break
        targets = [path for path in name_counts if path not in self._near_exports and path.is_relative_to(self.root)]
        items = [
            item
            for target in sorted(targets, key=lambda path: self._distance(path.parent))
            for item in self._exports_of(target, self._style).items
            if item.text.lower().startswith(word) and item.text not in taken
        ]
        return tuple(items[:_FAR])

    def _distance(self, directory: Path) -> tuple[int, Path]:
        """A key that sorts directories: the steps up and down from the file's own, then the path."""
        ours, theirs = self.path.parent.parts, directory.parts
        return len(ours) + len(theirs) - 2 * parts_in_common(ours, theirs), directory

    def _exports_of(self, target: Path, style: Style) -> _ModuleExports:
        """The names that can be imported from a file, kept until it or the style changes."""
        exports = self._exports.get(target)
        if exports is None:
            exports = self._exports[target] = self._importable_from(target, style)
        return exports

    def _importable_from(self, target: Path, style: Style) -> _ModuleExports:
        """The names that can be imported from a file."""
        if target == self.path or not self._may_import(target):
            return _EMPTY
        specifier = self.catalog.resolver.specifier(self.path, target, style)
        if specifier is None:
            return _EMPTY
        items = tuple(self._importables_of(target, specifier))
        is_around = target.stem in _FOLDER_STEMS and self.path.is_relative_to(target.parent)
        return _ModuleExports((is_around, *_nearness(specifier)), items) if items else _EMPTY

    def _may_import(self, target: Path) -> bool:
        """Whether a file of this kind may import from another: of the same family, and no test unless it is one."""
        language = language_of(target.name)
        if language is None or language.family != self.language.family:
            return False
        if language.record.has_types and not self.language.record.has_types:
            return False
        return target.name not in _NEVER_IMPORTED and (
            not _is_test(target, self.root) or _is_test(self.path, self.root)
        )

    def _importables_of(self, target: Path, specifier: str) -> Iterator[Importable]:
        """What a file exports, as the importer can write it.

        Within a package of Python, also the private names of the file, and the file as a module.
        """
        exports: Iterable[Export] = self.catalog.exports_of(target)
        if self.catalog.resolver.is_in_package_of(self.path, target):
            exports = {export.name: export for export in (*self.catalog.defined(target), *exports)}.values()
            if package := package_of(specifier):
                yield Importable(module_name(target), NameKind.MODULE, package)
        for export in exports:
            if export.is_type and not self.language.record.has_types:
                continue
            text = importable_name(target, export)
            if text.isidentifier() or "$" in text:
                is_default = export.name == "default" and self.language.record.has_default_exports
                yield Importable(text, export.kind, specifier, is_default)


def _nearness(specifier: str) -> tuple[int, str]:
    """A key that sorts modules: few steps first, a relative specifier counting one less, then by the alphabet."""
    steps = specifier.count("/") + specifier.count("../") + specifier.strip(".").count(".")
    return steps - specifier.startswith("."), specifier


def _is_test(path: Path, root: Path) -> bool:
    """Whether a file is a test, or is used by tests only."""
    name = path.name
    if name.startswith("test_") or name.endswith("_test.py") or ".test." in name or ".spec." in name:
        return True
    return path.is_relative_to(root) and not _TEST_DIRECTORIES.isdisjoint(path.relative_to(root).parts[:-1])
