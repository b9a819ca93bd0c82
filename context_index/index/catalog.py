"""All files' facts together: what each offers once re-exports are followed, and what changed since when.

Knows no disk and no threads; `Index` guards it. A change to one file is felt only by those that pass its names on.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from context_index.index.facts import Facts
from context_index.modules import Resolver
from context_index.surfaces import Export
from context_index.symbols import NameKind

_DEEPEST = 12
"""Re-exports of re-exports are followed so far; real chains are shorter, and cycles end."""


class Catalog:
    """Facts by path."""

    def __init__(self, roots: Sequence[Path]) -> None:
        self.resolver = Resolver(roots, self.has)
        self._facts: dict[Path, Facts] = {}
        self._offers: dict[Path, tuple[Export, ...]] = {}
        self._needs: dict[Path, set[Path]] = defaultdict(set)
        """For each file, those whose offers were made with its help."""
        self._resolved: dict[tuple[Path, str], Path | None] = {}
        self._followers: set[Path] = set()
        """Files whose offers were made by following specifiers: a file that appears may be what one of them names."""
        self._log: list[Path] = []
        self._ambient: dict[Path, tuple[Export, ...]] = {}
        self.ambient_clock = 0
        """Grows when the ambient names change."""

    @property
    def clock(self) -> int:
        """Grows with every change to what files offer."""
        return len(self._log)

    def changed_since(self, clock: int) -> Sequence[Path]:
        """The files whose offers may differ from what they were then."""
        return list(dict.fromkeys(self._log[clock:]))

    def has(self, path: Path) -> bool:
        """Whether the file is known."""
        return path in self._facts

    def paths(self) -> Iterator[Path]:
        """Every known file."""
        return iter(self._facts)

    def facts(self, path: Path) -> Facts | None:
        """What is known of one file."""
        return self._facts.get(path)

    def put(self, path: Path, facts: Facts) -> None:
        """Set a file's facts. If it offers what it offered before, nobody else notices."""
        before = self._facts.get(path)
        self._facts[path] = facts
        if before is None:
            self.resolver.learn(path)
            self._resolved.clear()
            followers, self._followers = self._followers, set()
            for follower in followers:
                self._touch(follower)
        if before is None or before.surface != facts.surface:
            self._touch(path)
        self._set_ambient(path, facts.surface.ambient)

    def remove(self, path: Path) -> None:
        """Drop a file."""
        if self._facts.pop(path, None) is not None:
            self._resolved.clear()
            self._touch(path)
            self._set_ambient(path, ())

    def forget_manifests(self) -> None:
        """Resolve everything anew: a package.json, tsconfig.json or pyproject.toml changed."""
        self.resolver.forget()
        self._resolved.clear()
        for path in self._facts:
            self.resolver.learn(path)
        for path in list(self._facts):
            self._touch(path)

    def offers(self, path: Path) -> tuple[Export, ...]:
        """The public exports of a file, with `export *` spelled out and each kind taken from where the name is made."""
        known = self._offers.get(path)
        if known is None:
            known = self._offers[path] = tuple(self._gather(path, path, _DEEPEST).values())
        return known

    def ambient(self) -> dict[str, Export]:
        """The names that files give to all others."""
        return {export.name: export for exports in self._ambient.values() for export in exports}

    def _set_ambient(self, path: Path, exports: tuple[Export, ...]) -> None:
        if self._ambient.get(path, ()) != exports:
            self._ambient[path] = exports
            self.ambient_clock += 1

    def _gather(self, path: Path, asker: Path, depth: int) -> Mapping[str, Export]:
        facts = self._facts.get(path)
        if facts is None or depth == 0:
            return {}
        is_package = path.stem == "__init__"
        found: dict[str, Export] = {}
        for module in facts.surface.stars:
            target = self._follow(path, module, asker)
            if target is not None:
                passed_on = self._gather(target, asker, depth - 1)
                found |= {name: export for name, export in passed_on.items() if name != "default"}
        for export in facts.surface.exports:
            lifted = is_package and export.source is not None and export.source.module.startswith(".")
            if export.public or (lifted and not export.name.startswith("_")):
                found[export.name] = self._traced(path, export, asker, depth)
        return found

    def _traced(self, path: Path, export: Export, asker: Path, depth: int) -> Export:
        """An export that is only passed on, with the kind and signature of the original."""
        source = export.source
        if source is None:
            return export
        facts = self._facts[path]
        if facts.language.is_python and source.name != "*":
            inside = source.module if source.module.endswith(".") else source.module + "."
            if self._follow(path, inside + source.name, asker) is not None:
                return replace(export, kind=NameKind.MODULE)
        target = self._follow(path, source.module, asker)
        if target is None or source.name == "*":
            return export
        original = next((e for e in self._facts[target].surface.exports if e.name == source.name), None)
        if original is None:
            original = self._gather(target, asker, depth - 1).get(source.name)
        elif original.source is not None and depth > 1:
            original = self._traced(target, original, asker, depth - 1)
        if original is None:
            return export
        return replace(
            export,
            kind=original.kind,
            detail=original.detail,
            doc=original.doc,
            is_type=export.is_type or original.is_type,
        )

    def _follow(self, path: Path, module: str, asker: Path) -> Path | None:
        key = (path, module)
        if key not in self._resolved:
            self._resolved[key] = self.resolver.resolve(path, module)
        target = self._resolved[key]
        self._followers.add(asker)
        if target is not None:
            self._needs[target].add(asker)
        return target

    def _touch(self, path: Path) -> None:
        """Offers made with the help of a file are made anew, and so on upward."""
        pending = [path]
        touched = {path}
        while pending:
            place = pending.pop()
            self._offers.pop(place, None)
            self._log.append(place)
            fresh = self._needs.pop(place, set()) - touched
            touched |= fresh
            pending.extend(fresh)
