"""The facts of all files together: what each exports once re-exports are followed, and what changed since when.

Knows no disk and no threads; `Index` guards it by a lock. After a change to a file, only what it exports is computed
again, and what files export that re-export its names.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Protocol

from context_index.exports import Export, Exports, ExportSource, Import, Imported, ReExports
from context_index.index.facts import FileFacts
from context_index.index.names import NameIndex
from context_index.index.outline import (
    importable_name,
    is_ambient,
    is_offered,
    module_kind,
    names,
    outline_of,
    passes_on,
)
from context_index.languages.ecmascript.module_kind import BY_SUFFIX
from context_index.modules import Resolver
from context_index.symbols import ModuleKind
from context_index.text import record_of

_DEEPEST = 12
"""The longest chain of re-exports that is followed; real chains are shorter, and cycles end."""
_WholeImport = tuple[str, str, tuple[str, Imported]]
"""An import of a whole module: the family of its file's language, the file's own name for the module, and the module as
its specifier and how it is imported."""


class Memory(Protocol):
    """Where facts that are not loaded yet come from; `FileReader` is one."""

    def recall(self, key: bytes) -> FileFacts | None:
        """The facts kept under a key; None where they are lost."""

    def reread(self, path: Path) -> FileFacts:
        """The facts of a file as it is now."""


class Catalog:
    """The facts of all known files, by path; they are loaded when they are first needed."""

    def __init__(self, roots: Sequence[Path], memory: Memory) -> None:
        self.resolver = Resolver(roots, self.has, self.files_below)
        self.directories: dict[Path, set[Path]] = {}
        """Every known file, by the directory that it is in."""
        self._memory = memory
        self._outlines: dict[Path, str] = {}
        """By file: see `outline`, the only module that reads them."""
        self._facts: dict[Path, FileFacts] = {}
        self._keys: dict[Path, bytes] = {}
        """The keys under which `memory` has the facts of files; open texts have none."""
        self._known_exports: dict[Path, tuple[Export, ...]] = {}
        """The answers of `exports_of` that still hold."""
        self._dependents: dict[Path, set[Path]] = defaultdict(set)
        """For each file, the files whose exports depend on its exports."""
        self._resolved: dict[tuple[Path, str], Path | None] = {}
        """By file and specifier, the file that the specifier names; None where it names none."""
        self._followers: set[Path] = set()
        """Files whose exports were made by following specifiers: a new file may be what one of these names."""
        self._log: list[Path] = []
        """A file for each change of its exports, oldest first. Its length is `clock`, so it is never shortened; it
        grows by some bytes a change."""
        self._names: NameIndex[Path] = NameIndex()
        self._names_clock = 0
        """The clock that `_names` is up to date with."""
        self._ambient: dict[Path, tuple[Export, ...]] = {}
        """By file, the names that it declares for all others."""
        self._ambient_due: set[Path] = set()
        """Files whose entry in `_ambient` is out of date."""
        self._whole_imports: dict[Path, list[_WholeImport]] = {}
        self._whole_imports_due: set[Path] = set()
        """Files whose entry in `_whole_imports` is out of date."""
        self._whole_import_counts: dict[tuple[str, str], Counter[tuple[str, Imported]]] = defaultdict(Counter)
        """By family and name, how often files import each module by that name."""
        self.ambient_clock = 0
        """Grows when the ambient names may have changed."""
        self.packages_clock = 0
        """Grows when a folder becomes a package of Python, or ceases to be one."""

    @property
    def clock(self) -> int:
        """Grows with every change to what files export."""
        return len(self._log)

    def changed_since(self, clock: int) -> Sequence[Path]:
        """The files whose exports may have changed since `clock` had a value; oldest change first."""
        return list(dict.fromkeys(self._log[clock:]))

    def has(self, path: Path) -> bool:
        """Whether the file is known."""
        return path in self._outlines

    def paths(self) -> Iterator[Path]:
        """Every known file."""
        return iter(self._outlines)

    def outlines(self) -> Mapping[Path, str]:
        """The outline of each file, which is known before its facts are loaded."""
        return self._outlines

    def facts(self, path: Path) -> FileFacts | None:
        """A file's facts; None for an unknown file."""
        facts = self._facts.get(path)
        if facts is None and path in self._outlines:
            facts = self._facts[path] = self._recalled(path) or self._memory.reread(path)
        return facts

    def put(self, path: Path, facts: FileFacts) -> None:
        """Set the facts of an open text. If its exports are unchanged, the answers for other files still hold."""
        before = self.facts(path)
        self._keys.pop(path, None)
        self._facts[path] = facts
        changed = before is None or before.exports != facts.exports
        self._learn(path, outline_of(facts, path), is_new=before is None, changed=changed)

    def put_stored(self, path: Path, key: bytes, outline: str) -> None:
        """Set the outline of a file on disk, whose facts can be recalled under a key."""
        if self._keys.get(path) == key:
            return
        is_new = path not in self._outlines
        before = None if is_new else self._facts.pop(path, None) or self._recalled(path)
        self._keys[path] = key
        changed = True
        if before is not None:
            facts = self._memory.recall(key)
            changed = facts is None or facts.exports != before.exports
        self._learn(path, outline, is_new=is_new, changed=changed)

    def remove(self, path: Path) -> None:
        """Drop a file."""
        if self._outlines.pop(path, None) is not None:
            self._facts.pop(path, None)
            self._keys.pop(path, None)
            siblings = self.directories[path.parent]
            siblings.discard(path)
            if not siblings:
                del self.directories[path.parent]
            self.resolver.forget_files()
            self._resolved.clear()
            self._whole_imports_due.add(path)
            self.packages_clock += path.stem == "__init__"
            self._invalidate(path)
            self._set_ambient(path, "")

    def forget_manifests(self) -> None:
        """Resolve everything again: a package.json, tsconfig.json or pyproject.toml changed."""
        self.resolver.forget()
        self._resolved.clear()
        for path in self._outlines:
            self.resolver.learn(path)
        for path in list(self._outlines):
            self._invalidate(path)

    def exports_of(self, path: Path) -> tuple[Export, ...]:
        """The public exports of a file, those of `export *` included, each with the kind of its declaration."""
        known = self._known_exports.get(path)
        if known is None:
            follow, is_module = partial(self._follow, path), partial(self._is_module, path)
            re_exports = ReExports(self._own_exports, follow, is_offered, is_module, _DEEPEST)
            known = self._known_exports[path] = tuple(re_exports.exported_by(path).values())
        return known

    def declared(self, path: Path, name: str, deepest: int = _DEEPEST) -> tuple[Path, Export] | None:
        """The file that declares what a file exports by a name, and the declared name; re-exports are followed.

        None where no known file declares it.

        Args:
            deepest: How many re-exports may be followed.
        """
        facts = self.facts(path) if deepest else None
        if facts is None:
            return None
        own = next((export for export in facts.exports.own if export.name == name), None)
        if own is not None and (own.source is None or own.source.name == "*"):
            return path, own
        sources = [(star, name) for star in facts.exports.stars]
        if own is not None and own.source is not None:
            sources = [(own.source.module, own.source.name)]
        targets = ((self._resolve(path, module), source) for module, source in sources)
        answers = (self.declared(target, source, deepest - 1) for target, source in targets if target is not None)
        return next((answer for answer in answers if answer is not None), None)

    def defined(self, path: Path) -> Iterator[Export]:
        """What a file defines itself, also if it is not meant for importers; names such as `__all__` are left out."""
        facts = self.facts(path)
        for export in facts.exports.own if facts is not None else ():
            if export.source is None and not export.name.startswith("__"):
                yield export

    def starting_with(self, word: str) -> Iterator[set[Path]]:
        """For each name that begins with a word, in whatever case, the files that export it."""
        for path in self.changed_since(self._names_clock):
            outline = self._outlines.get(path)
            if outline is None:
                self._names.put(path, ())
            elif passes_on(outline):
                self._names.put(path, [importable_name(path, export) for export in self.exports_of(path)])
            else:
                self._names.put(path, names(outline))
        self._names_clock = self.clock
        return (places for _, places in self._names.starting_with(word))

    def ambient(self) -> dict[str, Export]:
        """The names that files declare for all others."""
        for path in self._ambient_due:
            facts = self.facts(path)
            self._ambient[path] = facts.exports.ambient if facts is not None else ()
        self._ambient_due.clear()
        return {export.name: export for exports in self._ambient.values() for export in exports}

    def modules_called(self, name: str, family: str) -> Mapping[tuple[str, Imported], int]:
        """How often the files of a family import each module as a whole by a name, without relative specifiers.

        The keys are specifiers, each with the `Imported` that says how.
        """
        for path in self._whole_imports_due:
            for file_family, local, module in self._whole_imports.pop(path, ()):
                self._whole_import_counts[file_family, local][module] -= 1
            imports = [*self._whole_imports_of(path)]
            if imports:
                self._whole_imports[path] = imports
            for file_family, local, module in imports:
                self._whole_import_counts[file_family, local][module] += 1
        self._whole_imports_due.clear()
        return +self._whole_import_counts[family, name] if (family, name) in self._whole_import_counts else {}

    def files_called(self, imported: Imported) -> Counter[Path]:
        """How often files of the workspace import each file by the local name, and in the way, of `imported`."""
        counts = Counter[Path]()
        for path in self._outlines:
            facts = self.facts(path)
            for statement in () if facts is None else facts.imports:
                target = self._resolve(path, statement.module) if imported in statement.names else None
                if target is not None:
                    counts[target] += 1
        return counts

    @staticmethod
    def exports_imports(path: Path) -> bool:
        """Whether a file is a module that exports whatever it imports."""
        record = record_of(path)
        return record is not None and record.exports_imports

    def files_below(self, directory: Path) -> Iterator[Path]:
        """Every known file at any depth below a directory."""
        parts = directory.parts
        for place, files in self.directories.items():
            if place.parts[: len(parts)] == parts:  # many times faster than `is_relative_to`
                yield from files

    def importers(self, *paths: Path, indirect: bool = False) -> Iterator[Path]:
        """The files that import from one of some files, or from one that re-exports its names; direct importers first.

        Args:
            indirect: Whether the importers of importers follow too, whatever these re-export.
        """
        importers_by_file: dict[Path | None, set[Path]] = defaultdict(set)
        for importer in self._outlines:
            for target in self._imported(importer):
                importers_by_file[target].add(importer)
        pending, seen = [*paths], {*paths}
        for target in pending:
            for importer in sorted(importers_by_file[target] - seen):
                seen.add(importer)
                yield importer
                if indirect or any(self._resolve(importer, module) == target for module in self._passed_on(importer)):
                    pending.append(importer)

    def _whole_imports_of(self, path: Path) -> Iterator[_WholeImport]:
        """The imports of whole modules in a file."""
        facts = self.facts(path)
        for statement in () if facts is None else facts.imports:
            for imported in statement.names:
                if _is_whole(statement, imported):
                    yield _family_of(path), imported.local, (statement.module, imported)

    def _imported(self, path: Path) -> set[Path | None]:
        """The files that a file imports or re-exports, and the modules that it imports from a package by name.

        None is among them if a specifier names no file.
        """
        facts = self.facts(path)
        imports = () if facts is None else facts.imports
        modules = self._passed_on(path) | {statement.module for statement in imports}
        if self.exports_imports(path):
            modules |= {_submodule(statement.module, name.name) for statement in imports for name in statement.names}
        return {self._resolve(path, module) for module in modules}

    def _passed_on(self, path: Path) -> set[str]:
        """The specifiers of modules whose names a file re-exports; a file of Python exports whatever it imports."""
        facts = self.facts(path)
        if facts is None:
            return set()
        modules = set(facts.exports.source_modules)
        if self.exports_imports(path):
            modules |= {statement.module for statement in facts.imports}
        return modules

    def _resolve(self, path: Path, module: str) -> Path | None:
        """The file that a specifier in a file names; None where it names none."""
        key = (path, module)
        if key not in self._resolved:
            self._resolved[key] = self.resolver.resolve(path, module)
        return self._resolved[key]

    def _recalled(self, path: Path) -> FileFacts | None:
        """A file's facts from memory; None where it has none."""
        key = self._keys.get(path)
        return None if key is None else self._memory.recall(key)

    def _learn(self, path: Path, outline: str, *, is_new: bool, changed: bool) -> None:
        """Set a file's outline, and make out of date what depends on it.

        Args:
            is_new: Whether the file was not known before.
            changed: Whether its exports may have changed.
        """
        self._outlines[path] = outline
        self._whole_imports_due.add(path)
        if is_new:
            self.directories.setdefault(path.parent, set()).add(path)
            self.packages_clock += path.stem == "__init__"
            self.resolver.learn(path)
            self._resolved.clear()
            followers, self._followers = self._followers, set()
            for follower in followers:
                self._invalidate(follower)
        if changed:
            self._invalidate(path)
            self._set_ambient(path, outline)

    def _set_ambient(self, path: Path, outline: str) -> None:
        """Note that a file's ambient names may have changed; `outline` is empty for a file that is gone."""
        if outline and is_ambient(outline):
            self._ambient_due.add(path)
        elif path in self._ambient or path in self._ambient_due:
            self._ambient_due.discard(path)
            self._ambient.pop(path, None)
        else:
            return
        self.ambient_clock += 1

    def _own_exports(self, path: Path) -> Exports | None:
        facts = self.facts(path)
        return None if facts is None else facts.exports

    def _is_module(self, asker: Path, path: Path, source: ExportSource) -> bool:
        """Whether what a file of Python re-exports is a module of a package."""
        if not self.exports_imports(path) or source.name == "*":
            return False
        return self._follow(asker, path, _submodule(source.module, source.name)) is not None

    def _follow(self, asker: Path, path: Path, module: str) -> Path | None:
        """The file that a specifier in `path` names; when that file changes, the asker's exports are computed again.

        Args:
            asker: The file whose exports are being computed.
        """
        target = self._resolve(path, module)
        self._followers.add(asker)
        if target is not None:
            self._dependents[target].add(asker)
        return target

    def _invalidate(self, path: Path) -> None:
        """Forget the exports of a file, and of all files whose exports depend on them, and log the changes."""
        pending = [path]
        touched = {path}
        while pending:
            changed = pending.pop()
            self._known_exports.pop(changed, None)
            self._log.append(changed)
            dependents = self._dependents.pop(changed, set()) - touched
            touched |= dependents
            pending.extend(dependents)


def _family_of(path: Path) -> str:
    record = record_of(path)
    return "" if record is None else record.family


def _is_whole(statement: Import, imported: Imported) -> bool:
    """Whether a name is bound to a whole module, or its default export, by a specifier that any file may use."""
    is_module = imported.name in {"*", "default"} and not statement.is_type
    return is_module and not statement.module.startswith((".", "#"))


def _submodule(package: str, name: str) -> str:
    """The specifier of a module in a package of Python; the package may be written as dots alone."""
    return f"{package}{name}" if package.endswith(".") else f"{package}.{name}"


def kind_around(catalog: Catalog, path: Path) -> ModuleKind | None:
    """The module kind of a script whose text does not show it, by its suffix, its package, and the files around it.

    Of the files around it, most scripts decide: those in its folder, else in the nearest folder above within the
    package, else in the whole package. They do because a package.json without "type" means CommonJS to Node, but most
    such packages are bundled, and written as ES modules.
    """
    if (by_suffix := BY_SUFFIX.get(path.suffix)) is not None:
        return by_suffix
    package = catalog.resolver.manifests.package(path.parent)
    if package is not None and package.module_kind is not None:
        return package.module_kind
    top = path.parent if package is None else package.directory
    for folder in path.parents:
        kind = _most_usual_kind(catalog, catalog.directories.get(folder, ()), path)
        if kind is not None:
            return kind
        if folder == top:
            break
    return _most_usual_kind(catalog, catalog.files_below(top), path)


def _most_usual_kind(catalog: Catalog, paths: Iterable[Path], asker: Path) -> ModuleKind | None:
    """The module kind of most of some scripts whose text shows it; None where there are none.

    The asker does not count, nor do scripts whose suffix decides their kind.
    """
    outlines = catalog.outlines()
    scripts = (path for path in paths if path.suffix in (".js", ".jsx") and path != asker)
    kinds = Counter(kind for path in scripts if (kind := module_kind(outlines[path])) is not None)
    return max(kinds, key=lambda kind: kinds[kind], default=None)
