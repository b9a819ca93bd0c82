"""What is installed for a file, and what may stand behind a package's name in a path."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from context_index.modules import exported_paths
from context_index.modules.folders import Folders, joined
from context_index.modules.packages import Package
from context_index.modules.spellings import below

_TYPED = frozenset({".ts", ".tsx", ".mts", ".cts"})
_MODULES = frozenset({".mjs", ".mts"})
_MAYBE_MODULES = frozenset({".js", ".jsx", ".ts", ".tsx"})
_TYPES = "@types/"


@dataclass(frozen=True, slots=True)
class Following:
    """What may follow a part of a path."""

    names: tuple[str, ...]
    """One that ends with a slash goes on; where the part may end the path, "" is one."""
    complete: bool
    """Whether nothing else can be resolved there."""
    others: tuple[str, ...] | None = None
    """All else that can, though nobody is to import it; None where there may be more."""


@dataclass(frozen=True, slots=True)
class Writer:
    """The file in which a path is written, and how paths are written there."""

    importer: Path
    bare: bool
    """Whether a file may go without its suffix, and a folder without its index."""
    required: bool
    """Whether Node's `require` reads it, in the end."""
    own: tuple[str, ...]
    """Other paths of the file."""
    known: tuple[str, ...]
    """The same, or those of the files beside it where it has no relative ones."""

    @property
    def is_typed(self) -> bool:
        """Whether packages that are nothing but types can be imported."""
        return self.importer.suffix in _TYPED


class Packages:
    """Answers from the `node_modules` and manifests around a file."""

    def __init__(self, folders: Folders) -> None:
        self._folders = folders
        self._names: dict[Writer, tuple[str, ...]] = {}
        self._others: dict[Writer, tuple[str, ...] | None] = {}
        self._lying: dict[Path, tuple[tuple[str, Path], ...]] = {}

    def look_again(self) -> None:
        """Folders may have changed."""
        self._names.clear()
        self._others.clear()
        self._lying.clear()

    def is_module(self, importer: Path) -> bool:
        """Whether Node takes a file for an ECMAScript module, in which it adds nothing to a path."""
        if importer.suffix in _MODULES:
            return True
        own = self._own(importer) if importer.suffix in _MAYBE_MODULES else None
        return own is not None and own.is_module

    def names(self, writer: Writer) -> tuple[str, ...]:
        """The packages that a file is to import: what its manifests declare, or all that is there if they say nothing.

        What is declared and not there counts only where nothing at all is installed.
        """
        if writer not in self._names:
            self._names[writer] = tuple(dict.fromkeys(self._found(writer)))
        return self._names[writer]

    def others(self, writer: Writer) -> tuple[str, ...] | None:
        """What a path may begin with besides: what others need, or lacks its code; None where nothing is installed."""
        if writer not in self._others:
            installed = self._installed(replace(writer, importer=writer.importer.with_suffix(".ts")))
            known = dict.fromkeys((*installed, *self._declared(writer)))
            forms = tuple(form for name in known for form in (name, name + "/"))
            self._others[writer] = forms if installed else None
        return self._others[writer]

    def _declared(self, writer: Writer) -> dict[str, None]:
        """What the manifests around a file say that it needs."""
        return dict.fromkeys(
            name
            for above in writer.importer.parents
            if (package := self._folders.package(above)) is not None
            for name in package.dependencies
        )

    def _found(self, writer: Writer) -> Iterator[str]:
        declared = self._declared(writer)
        installed = self._installed(writer)
        if not installed or not declared:
            for name in installed or declared:
                yield from (name, name + "/")
        else:
            for name in declared:
                if name in installed:
                    yield from self._forms(name, installed[name])
        own = self._own(writer.importer)
        if own is not None and own.closed and own.name:
            yield from self._forms(own.name, own.directory)

    def behind(self, writer: Writer, folder: str) -> Following | None:
        """What may stand behind `folder`, which begins with a package's name; None where there is no such package."""
        name = package_name(folder)
        if name.startswith("@") and "/" not in name:
            scoped, others = (
                tuple(one[len(folder) :] for one in forms if one.startswith(folder))
                for forms in (self.names(writer), self.others(writer) or ())
            )
            return Following(scoped, complete=False, others=others or None)
        places = [*self._places(writer.importer, name)]
        if writer.is_typed:
            places += self._places(writer.importer, _TYPES + name.removeprefix("@").replace("/", "__"))
        rest, required = folder[len(name) + 1 :], writer.required
        found = [self._inside(place, rest, required=required) for place in places]
        names = dict.fromkeys(one for following in found for one in following.names)
        return Following(tuple(names), all(following.complete for following in found)) if found else None

    def internal(self, writer: Writer, folder: str) -> Iterator[str]:
        """The `#names` of the file's own package, behind what is written of them."""
        own = self._own(writer.importer)
        if own is not None:
            yield from exported_paths.internal(self._folders, own, folder)

    def _inside(self, place: Path, written: str, *, required: bool) -> Following:
        """What may stand behind a part of a path within a package."""
        package = self._folders.package(place)
        if package is not None and package.closed:
            told = tuple(exported_paths.exported(self._folders, package, written))
            return Following(told, exported_paths.is_all_told(package))
        folder = joined(place, written) if written else place
        ends = ("",) if self._folders.is_importable(folder) else ()
        names = below(self._folders, folder, bare=True, required=required) or ()
        return Following((*names, *ends), complete=True)

    def _forms(self, name: str, place: Path) -> Iterator[str]:
        """A package's name, if it can be imported itself, and with a slash, if something is to stand behind it."""
        package = self._folders.package(place)
        if package is None or not package.closed:
            yield from (name, name + "/") if package is not None or self._folders.is_importable(place) else ()
            return
        keys = {key for key, _ in package.entries()}
        if "." in keys:
            yield name
        if keys - {"."}:
            yield name + "/"

    def _places(self, importer: Path, name: str) -> Iterator[Path]:
        """Where a package lies, the nearest first: what one has not, the next may have, until one says what it exports.

        That may be the file's own.
        """
        own = self._own(importer)
        if own is not None and own.closed and own.name == name:
            yield own.directory
            return
        for modules in self._folders.installed(importer):
            if self._folders.entries(place := modules / name):
                yield place
                package = self._folders.package(place)
                if package is not None and package.closed:
                    return

    def _installed(self, writer: Writer) -> dict[str, Path]:
        """All that is installed for a file, the nearest of each name."""
        found: dict[str, Path] = {}
        for name, place in self._around(writer.importer):
            if not name.startswith(_TYPES):
                found.setdefault(name, place)
            elif writer.is_typed:
                scope, separated, rest = name.removeprefix(_TYPES).partition("__")
                found.setdefault(f"@{scope}/{rest}" if separated else scope, place)
        return found

    def _around(self, importer: Path) -> tuple[tuple[str, Path], ...]:
        """What lies in each `node_modules` around a file, the nearest first."""
        if importer.parent not in self._lying:
            modules = self._folders.installed(importer)
            self._lying[importer.parent] = tuple(one for folder in modules for one in self._packages_of(folder))
        return self._lying[importer.parent]

    def _packages_of(self, modules: Path) -> Iterator[tuple[str, Path]]:
        entries = self._folders.entries(modules)
        for name in sorted(entries.folders) if entries is not None else ():
            if name.startswith("@"):
                scoped = self._folders.entries(modules / name)
                for inner in sorted(scoped.folders) if scoped is not None else ():
                    yield f"{name}/{inner}", modules / name / inner
            elif not name.startswith("."):
                yield name, modules / name

    def _own(self, importer: Path) -> Package | None:
        """The package that a file belongs to."""
        return next((found for above in importer.parents if (found := self._folders.package(above))), None)


def package_name(path: str) -> str:
    """The package that a path which is not relative begins with; a scope alone is told as such."""
    parts = path.split("/")
    size = 2 if path.startswith("@") else 1
    return "/".join(part for part in parts[:size] if part)
