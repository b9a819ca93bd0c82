"""The facts of all files together: what each exports once re-exports are followed, and what changed since when.

Knows no disk and no threads; `Index` guards it. A change to one file reaches only the files that re-export its names.
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


class Memory(Protocol):
    """The store of facts that are not loaded yet."""

    def recall(self, key: bytes) -> FileFacts | None:
        """The facts kept under a key; None where they are lost."""

    def reread(self, path: Path) -> FileFacts:
        """The facts of a file as it is now."""


class Catalog:
    """Facts by path; they are loaded when they are first needed."""

    def __init__(self, roots: Sequence[Path], memory: Memory) -> None:
        self.resolver = Resolver(roots, self.has, self.files_below)
        self.directories: dict[Path, set[Path]] = {}
        """Every known file, by the directory that it is in."""
        self._memory = memory
        self._outlines: dict[Path, str] = {}
        """By file: see `outline`, the only module that reads them."""
        self._facts: dict[Path, FileFacts] = {}
        self._keys: dict[Path, bytes] = {}
        """The keys under which `memory` has the facts of files; none for those of open texts."""
        self._known_exports: dict[Path, tuple[Export, ...]] = {}
        self._needs: dict[Path, set[Path]] = defaultdict(set)
        """For each file, the files whose exports depend on it."""
        self._resolved: dict[tuple[Path, str], Path | None] = {}
        self._followers: set[Path] = set()
        """Files whose exports were made by following specifiers: a file that appears may be what one of them names."""
        self._log: list[Path] = []
        """A file for each change of its exports, oldest first. It only grows, by some bytes a change: its length is the
        clock, and others hold numbers of it."""
        self._names: NameIndex[Path] = NameIndex()
        self._named = 0
        """The length of the log that `_names` is up to date with."""
        self._ambient: dict[Path, tuple[Export, ...]] = {}
        self._ambient_due: set[Path] = set()
        self._modules: dict[Path, list[tuple[str, str, tuple[str, Imported]]]] = {}
        """By file: the family of its language, its own name for a module that it imports as a whole, and the module."""
        self._modules_due: set[Path] = set()
        self._called: dict[tuple[str, str], Counter[tuple[str, Imported]]] = defaultdict(Counter)
        """How often all files do so, by the family and the name."""
        self.ambient_clock = 0
        """Grows when the ambient names may have changed."""
        self.packages_clock = 0
        """Grows when a folder becomes a package of Python, or ceases to be one."""

    @property
    def clock(self) -> int:
        """Grows with every change to what files export."""
        return len(self._log)

    def changed_since(self, clock: int) -> Sequence[Path]:
        """The files whose exports may differ from what they were then."""
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
        """Set the facts of an open text. If its exports are unchanged, no other file is affected."""
        before = self.facts(path)
        self._keys.pop(path, None)
        self._facts[path] = facts
        changed = before is None or before.exports != facts.exports
        self._learn(path, outline_of(facts, path), is_new=before is None, changed=changed)

    def put_stored(self, path: Path, key: bytes, outline: str) -> None:
        """Set a file on disk, whose facts can be recalled under a key."""
        if self._keys.get(path) == key:
            return
        is_new = path not in self._outlines
        before = None if is_new else self._facts.pop(path, None) or self._recalled(path)
        self._keys[path] = key
        changed = True
        if before is not None:
            now = self._memory.recall(key)
            changed = now is None or now.exports != before.exports
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
            self._modules_due.add(path)
            self.packages_clock += path.stem == "__init__"
            self._touch(path)
            self._set_ambient(path, "")

    def forget_manifests(self) -> None:
        """Resolve everything again: a package.json, tsconfig.json or pyproject.toml changed."""
        self.resolver.forget()
        self._resolved.clear()
        for path in self._outlines:
            self.resolver.learn(path)
        for path in list(self._outlines):
            self._touch(path)

    def exports_of(self, path: Path) -> tuple[Export, ...]:
        """The public exports of a file, those of `export *` included, each with the kind of its declaration."""
        known = self._known_exports.get(path)
        if known is None:
            follow, is_module = partial(self._follow, path), partial(self._is_module, path)
            re_exports = ReExports(self._exports, follow, is_offered, is_module, _DEEPEST)
            known = self._known_exports[path] = tuple(re_exports.exported_by(path).values())
        return known

    def declared(self, path: Path, name: str, deepest: int = _DEEPEST) -> tuple[Path, Export] | None:
        """The file that declares a name which a file exports, through those that only pass it on; None for neither."""
        facts = self.facts(path) if deepest else None
        if facts is None:
            return None
        own = next((one for one in facts.exports.own if one.name == name), None)
        if own is not None and (own.source is None or own.source.name == "*"):
            return path, own
        places = [(star, name) for star in facts.exports.stars]
        if own is not None and own.source is not None:
            places = [(own.source.module, own.source.name)]
        targets = ((self._resolve(path, module), other) for module, other in places)
        found = (self.declared(target, other, deepest - 1) for target, other in targets if target is not None)
        return next((one for one in found if one is not None), None)

    def defined(self, path: Path) -> Iterator[Export]:
        """What a file defines itself, meant for importers or not; names that Python gives a meaning to are not."""
        facts = self.facts(path)
        for export in facts.exports.own if facts is not None else ():
            if export.source is None and not export.name.startswith("__"):
                yield export

    def starting_with(self, word: str) -> Iterator[set[Path]]:
        """For each name that begins with a word, whatever its case, the files that export it."""
        for path in self.changed_since(self._named):
            outline = self._outlines.get(path)
            if outline is None:
                self._names.put(path, ())
            elif passes_on(outline):
                self._names.put(path, [importable_name(path, export) for export in self.exports_of(path)])
            else:
                self._names.put(path, names(outline))
        self._named = self.clock
        return (places for _, places in self._names.starting_with(word))

    def ambient(self) -> dict[str, Export]:
        """The names that files declare for all others."""
        for path in self._ambient_due:
            facts = self.facts(path)
            self._ambient[path] = facts.exports.ambient if facts is not None else ()
        self._ambient_due.clear()
        return {export.name: export for exports in self._ambient.values() for export in exports}

    def modules_called(self, name: str, family: str) -> Mapping[tuple[str, Imported], int]:
        """How often files import each module as a whole by a name; not by relative specifiers."""
        for path in self._modules_due:
            for of_family, local, module in self._modules.pop(path, ()):
                self._called[of_family, local][module] -= 1
            whole = [*self._whole_modules(path)]
            if whole:
                self._modules[path] = whole
            for of_family, local, module in whole:
                self._called[of_family, local][module] += 1
        self._modules_due.clear()
        return +self._called[family, name] if (family, name) in self._called else {}

    def files_called(self, imported: Imported) -> Counter[Path]:
        """How often files import each file of the workspace by a name, in the way that `imported` says."""
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

    def importers(self, path: Path) -> Iterator[Path]:
        """The files that import from a file, or from one that re-exports its names; direct importers first."""
        direct: dict[Path | None, set[Path]] = defaultdict(set)
        for importer in self._outlines:
            for target in self._imported(importer):
                direct[target].add(importer)
        pending, seen = [path], {path}
        for target in pending:
            for importer in sorted(direct[target] - seen):
                seen.add(importer)
                yield importer
                if any(self._resolve(importer, module) == target for module in self._passed_on(importer)):
                    pending.append(importer)

    def _whole_modules(self, path: Path) -> Iterator[tuple[str, str, tuple[str, Imported]]]:
        facts = self.facts(path)
        for statement in () if facts is None else facts.imports:
            for imported in statement.names:
                if _is_whole(statement, imported):
                    yield _family_of(path), imported.local, (statement.module, imported)

    def _imported(self, path: Path) -> set[Path | None]:
        """The files that a file imports or re-exports, and the modules of a package that it names."""
        facts = self.facts(path)
        imports = () if facts is None else facts.imports
        modules = self._passed_on(path) | {one.module for one in imports}
        if self.exports_imports(path):
            modules |= {_submodule(one.module, name.name) for one in imports for name in one.names}
        return {self._resolve(path, module) for module in modules}

    def _passed_on(self, path: Path) -> set[str]:
        """The modules whose names a file exports again; one of Python exports whatever it imports."""
        facts = self.facts(path)
        if facts is None:
            return set()
        passed = set(facts.exports.source_modules)
        return passed | {one.module for one in facts.imports} if self.exports_imports(path) else passed

    def _resolve(self, path: Path, module: str) -> Path | None:
        key = (path, module)
        if key not in self._resolved:
            self._resolved[key] = self.resolver.resolve(path, module)
        return self._resolved[key]

    def _recalled(self, path: Path) -> FileFacts | None:
        key = self._keys.get(path)
        return None if key is None else self._memory.recall(key)

    def _learn(self, path: Path, outline: str, *, is_new: bool, changed: bool) -> None:
        self._outlines[path] = outline
        self._modules_due.add(path)
        if is_new:
            self.directories.setdefault(path.parent, set()).add(path)
            self.packages_clock += path.stem == "__init__"
            self.resolver.learn(path)
            self._resolved.clear()
            followers, self._followers = self._followers, set()
            for follower in followers:
                self._touch(follower)
        if changed:
            self._touch(path)
            self._set_ambient(path, outline)

    def _set_ambient(self, path: Path, outline: str) -> None:
        if outline and is_ambient(outline):
            self._ambient_due.add(path)
        elif path in self._ambient or path in self._ambient_due:
            self._ambient_due.discard(path)
            self._ambient.pop(path, None)
        else:
            return
        self.ambient_clock += 1

    def _exports(self, path: Path) -> Exports | None:
        facts = self.facts(path)
        return None if facts is None else facts.exports

    def _is_module(self, asker: Path, path: Path, source: ExportSource) -> bool:
        """Whether a file of Python takes a module from a package."""
        if not self.exports_imports(path) or source.name == "*":
            return False
        return self._follow(asker, path, _submodule(source.module, source.name)) is not None

    def _follow(self, asker: Path, path: Path, module: str) -> Path | None:
        """The file that a specifier in a file names; the asker's exports are made again when either changes."""
        target = self._resolve(path, module)
        self._followers.add(asker)
        if target is not None:
            self._needs[target].add(asker)
        return target

    def _touch(self, path: Path) -> None:
        """Recompute the exports that depend on a file, and those that depend on these."""
        pending = [path]
        touched = {path}
        while pending:
            place = pending.pop()
            self._known_exports.pop(place, None)
            self._log.append(place)
            fresh = self._needs.pop(place, set()) - touched
            touched |= fresh
            pending.extend(fresh)


def _family_of(path: Path) -> str:
    record = record_of(path)
    return "" if record is None else record.family


def _is_whole(statement: Import, imported: Imported) -> bool:
    """Whether a name stands for a module that any file may import so, and not for something in it."""
    is_module = imported.name in {"*", "default"} and not statement.is_type
    return is_module and not statement.module.startswith((".", "#"))


def _submodule(package: str, name: str) -> str:
    """What an import of Python would call a module of a package, which may be dots alone."""
    return f"{package}{name}" if package.endswith(".") else f"{package}.{name}"


def kind_around(catalog: Catalog, path: Path) -> ModuleKind | None:
    """The module kind of a file by its suffix, its package and the files around it, for a script that does not say.

    By the files: that of most scripts in its folder, else in the nearest folder above within the package, else in the
    whole package. A package.json without "type" means CommonJS to Node, yet most that bundlers read are ES modules.
    """
    if (by_suffix := BY_SUFFIX.get(path.suffix)) is not None:
        return by_suffix
    package = catalog.resolver.manifests.package(path.parent)
    if package is not None and package.module_kind is not None:
        return package.module_kind
    top = path.parent if package is None else package.directory
    for folder in path.parents:
        kind = _usual(catalog, catalog.directories.get(folder, ()), path)
        if kind is not None:
            return kind
        if folder == top:
            break
    return _usual(catalog, catalog.files_below(top), path)


def _usual(catalog: Catalog, paths: Iterable[Path], asker: Path) -> ModuleKind | None:
    """The module kind of most of these scripts; without the asker, and those whose suffix decides it."""
    outlines = catalog.outlines()
    scripts = (path for path in paths if path.suffix in (".js", ".jsx") and path != asker)
    kinds = Counter(kind for path in scripts if (kind := module_kind(outlines[path])) is not None)
    return max(kinds, key=lambda kind: kinds[kind], default=None)
