"""What one file could import, kept up to date by looking only at files that changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from context_index.index.catalog import Catalog
from context_index.index.facts import Facts
from context_index.modules import Style
from context_index.surfaces import Export, Import
from context_index.symbols import Importable, Language, NameKind

_SCRIPTS = frozenset({Language.JAVASCRIPT, Language.TYPESCRIPT, Language.TSX})
_TEST_DIRECTORIES = frozenset({"test", "tests", "__tests__", "__mocks__", "spec", "e2e"})
_NEVER = frozenset({"setup.py", "conftest.py", "__main__.py"})


@dataclass(slots=True)
class _Shelf:
    """What one target file gives to the importer."""

    order: tuple[int, str]
    items: tuple[Importable, ...]


@dataclass(slots=True)
class Importables:
    """The importable names of one importer, `path`."""

    catalog: Catalog
    path: Path
    language: Language
    root: Path
    _clock: int = -1
    _style: Style | None = None
    _shelves: dict[Path, _Shelf] = field(default_factory=dict)
    _names: Counter[str] = field(default_factory=Counter)
    _all: tuple[Importable, ...] | None = None
    _without: tuple[frozenset[str], tuple[Importable, ...]] | None = None

    def names(self, imports: Sequence[Import], taken: Iterable[str]) -> tuple[Importable, ...]:
        """What the file could import, nearest modules first, without names that are taken.

        The same tuple comes back as long as neither the workspace nor the taken names that matter change.
        """
        self._refresh(self.catalog.resolver.style(self.path, imports))
        if self._all is None:
            shelves = sorted(self._shelves.values(), key=lambda shelf: shelf.order)
            self._all = tuple(item for shelf in shelves for item in shelf.items)
            self._without = None
        hidden = frozenset(name for name in taken if name in self._names)
        if not hidden:
            return self._all
        if self._without is None or self._without[0] != hidden:
            self._without = (hidden, tuple(item for item in self._all if item.text not in hidden))
        return self._without[1]

    def _refresh(self, style: Style) -> None:
        """Bring the shelves up to date."""
        if style != self._style:
            self._style, self._clock = style, -1
            self._shelves.clear()
            self._names.clear()
            self._all = None
        if self._clock == self.catalog.clock:
            return
        changed = list(self.catalog.paths()) if self._clock < 0 else self.catalog.changed_since(self._clock)
        for target in changed:
            if target != self.path:
                self._restock(target, style)
        self._clock = self.catalog.clock

    def _restock(self, target: Path, style: Style) -> None:
        before = self._shelves.pop(target, None)
        if before is not None:
            self._names -= Counter(item.text for item in before.items)
            self._all = None
        facts = self.catalog.facts(target)
        if facts is None or not self._may_import(target, facts):
            return
        specifier = self.catalog.resolver.specifier(self.path, target, style)
        if specifier is None:
            return
        items = tuple(self._items(target, specifier, facts))
        if items:
            self._shelves[target] = _Shelf(_nearness(specifier), items)
            self._names.update(item.text for item in items)
            self._all = None

    def _may_import(self, target: Path, facts: Facts) -> bool:
        if facts.language.is_python != self.language.is_python or not target.is_relative_to(self.root):
            return False
        if self.language is Language.JAVASCRIPT and facts.language is not Language.JAVASCRIPT:
            return False
        return target.name not in _NEVER and (not _is_test(target, self.root) or _is_test(self.path, self.root))

    def _items(self, target: Path, specifier: str, facts: Facts) -> Iterator[Importable]:
        for export in self.catalog.offers(target):
            if export.is_type and self.language is Language.JAVASCRIPT:
                continue
            is_default = export.name == "default" and facts.language in _SCRIPTS
            text = _default_name(target, export) if is_default else export.name
            if text.isidentifier() or "$" in text:
                yield Importable(text, export.kind, specifier, export.detail, is_default)


def _nearness(specifier: str) -> tuple[int, str]:
    """Few steps first; what is written relative goes before what is not."""
    steps = specifier.count("/") + specifier.count("../") + specifier.strip(".").count(".")
    return steps - specifier.startswith("."), specifier


def _is_test(path: Path, root: Path) -> bool:
    """Whether a file tests others, and so is imported by tests at most."""
    name = path.name
    if name.startswith("test_") or name.endswith("_test.py") or ".test." in name or ".spec." in name:
        return True
    return (
        any(part in _TEST_DIRECTORIES for part in path.relative_to(root).parts[:-1])
        if path.is_relative_to(root)
        else False
    )


def _default_name(path: Path, export: Export) -> str:
    """What an importer would call a default export: as its file does, else after the file."""
    if export.local:
        return export.local
    stem = path.name.partition(".")[0]
    first, *rest = (stem if stem != "index" else path.parent.name).replace("_", "-").split("-")
    name = first + "".join(part[:1].upper() + part[1:] for part in rest)
    return name[:1].upper() + name[1:] if export.kind is NameKind.CLASS else name
