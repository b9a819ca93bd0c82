"""Module specifiers of JavaScript and TypeScript: from a specifier to its file, and from a file to its specifier.

Knows relative paths, `paths` of tsconfig.json, the workspace's packages by name and their own `#names`. Does not read
node_modules: `libraries` does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from context_index.exports.model import Import
from context_index.modules.manifest import Alias, Manifests
from context_index.modules.packages import IMPORTING, REQUIRING, Package, filled
from context_index.modules.paths import parts_in_common

_SUFFIXES = (".ts", ".tsx", ".js", ".jsx", ".mts", ".cts", ".mjs", ".cjs", ".d.ts", ".d.mts", ".d.cts")
"""Sources before declarations: who imports a file is to be found, whether or not it is declared beside."""
_WRITTEN_FOR = {".js": (".ts", ".tsx", ".d.ts"), ".jsx": (".tsx",), ".mjs": (".mts",), ".cjs": (".cts",)}
"""A TypeScript file is imported under the name of the JavaScript that it becomes."""
_COMPILED = {
    ".ts": ".js",
    ".tsx": ".js",
    ".mts": ".mjs",
    ".cts": ".cjs",
    ".d.ts": ".js",
    ".d.mts": ".mjs",
    ".d.cts": ".cjs",
}


@dataclass(frozen=True, slots=True)
class ScriptStyle:
    """How a file writes its specifiers."""

    extensions: bool = False
    typescript_extensions: bool = False
    """`./x.ts` rather than `./x.js`."""
    aliased: bool = False
    """`@/lib/x` rather than `../lib/x`."""


def rules(
    has: Callable[[Path], bool],
    below: Callable[[Path], Iterable[Path]],
    _roots: tuple[Path, ...],
    manifests: Manifests,
) -> ScriptModules:
    """See `modules.resolver.ModuleRules`."""
    return ScriptModules(has, below, manifests)


class ScriptModules:
    """Resolution among the files of a workspace."""

    def __init__(
        self, has: Callable[[Path], bool], below: Callable[[Path], Iterable[Path]], manifests: Manifests
    ) -> None:
        self._has = has
        self._files_below = below
        self._manifests = manifests
        self._by_file: dict[tuple[Path, bool], dict[Path, str]] = {}

    def forget(self) -> None:
        """Resolve the entries of packages again, as files were added or removed."""
        self._by_file.clear()

    forget_files = forget

    def learn(self, paths: Iterable[Path]) -> None:
        """Resolve the entries of packages again, and read the manifests around the files."""
        self.forget()
        for directory in {path.parent for path in paths}:
            self._manifests.package(directory)

    def package(self, _path: Path) -> Path | None:
        """None: what a module keeps for itself, no other may import."""
        return None

    def style(self, importer: Path, imports: Iterable[Import]) -> ScriptStyle:
        """How a file writes specifiers: as in the imports that it has, else as Node will want it."""
        modules = [found.module for found in imports]
        local = [module for module in modules if module.startswith(".")]
        climbs = any(module.startswith("../") for module in local)
        is_aliased = not climbs and any(map(self._alias_for(importer), modules))
        if local:
            suffixes = [_suffix(module) for module in local]
            return ScriptStyle(any(suffixes), any(suffix in {".ts", ".tsx"} for suffix in suffixes), is_aliased)
        package = self._manifests.package(importer.parent)
        is_module = package is not None and package.is_module
        return ScriptStyle(
            importer.suffix == ".mjs" or (is_module and importer.suffix in {".js", ".jsx"}), aliased=is_aliased
        )

    def resolve(self, importer: Path, specifier: str) -> Path | None:
        """The file of the workspace that a specifier names."""
        if specifier.startswith("."):
            return self._file(_joined(importer.parent, specifier))
        if specifier.startswith("#"):
            return self._internal(importer, specifier)
        for alias in self._manifests.aliases(importer.parent):
            if (filling := _filling(alias, specifier)) is None:
                continue
            for head, tail in alias.targets:
                if (found := self._file(Path(head + filling + tail))) is not None:
                    return found
        return self._in_package(importer, specifier)

    def specifier(self, importer: Path, target: Path, style: ScriptStyle) -> str | None:
        """What `importer` would write to import `target`; None where it cannot."""
        theirs, ours = self._manifests.package(target.parent), self._manifests.package(importer.parent)
        if theirs is not None and (ours is None or theirs.directory != ours.directory) and theirs.name:
            return self._by_package(theirs, target)
        parts = _module_parts(target, style)
        best = relative = _relative(importer.parent.parts, parts)
        aliases = self._manifests.aliases(importer.parent)
        for alias in aliases:
            aliased = _aliased(alias, "/".join(parts).replace("//", "/", 1))
            if aliased is None or next(one for one in aliases if _filling(one, aliased) is not None) is not alias:
                continue
            is_wanted = style.aliased and alias.before and best.startswith("../")
            best = aliased if is_wanted or aliased.count("/") < best.count("/") else best
        if ours is not None and ours.imports and relative.startswith("../"):
            internal = self._names_of(ours, internal=True).get(target)
            if internal is not None:
                best = internal if internal.count("/") < best.count("/") else best
        return best

    def _alias_for(self, importer: Path) -> Callable[[str], bool]:
        """A function that says whether a specifier is written by one of the path aliases that hold for a file."""
        aliases = [alias for alias in self._manifests.aliases(importer.parent) if alias.before]
        return lambda module: any(_filling(alias, module) is not None for alias in aliases)

    def _file(self, path: Path) -> Path | None:
        """The file that a path without or with its suffix stands for, or the index of a directory."""
        if self._has(path):
            return path
        for suffix in _WRITTEN_FOR.get(path.suffix, ()):
            if self._has(written := path.with_suffix(suffix)):
                return written
        for candidate in (path, path / "index"):
            for suffix in _SUFFIXES:
                if self._has(found := candidate.with_name(candidate.name + suffix)):
                    return found
        return None

    def _internal(self, importer: Path, specifier: str) -> Path | None:
        """`#name`, by the `imports` map of the importer's own package."""
        package = self._manifests.package(importer.parent)
        if package is None:
            return None
        for conditions in (IMPORTING, REQUIRING):
            target = package.internal(specifier, conditions)
            if target is not None and target.startswith("./"):
                return self._file(_joined(package.directory, target))
            if target is not None:
                return self._in_package(importer, target)
        return None

    def _in_package(self, importer: Path, specifier: str) -> Path | None:
        parts = specifier.split("/")
        size = 2 if specifier.startswith("@") else 1
        package = self._manifests.named("/".join(parts[:size]))
        if package is None:
            return None
        subpath = "/".join([".", *parts[size:]])
        if package.closed:
            targets = [package.exported(subpath, conditions) for conditions in (IMPORTING, REQUIRING)]
            return next((self._file(_joined(package.directory, target)) for target in targets if target), None)
        own = self._manifests.package(importer.parent)
        if own is not None and own.directory == package.directory:
            return None  # a package knows itself by name only where it says what it exports
        if len(parts) > size:
            return self._file(package.directory.joinpath(*parts[size:]))
        return self._file(_joined(package.directory, package.types or package.main or "index"))

    def _by_package(self, package: Package, target: Path) -> str | None:
        if target in (known := self._names_of(package, internal=False)):
            return known[target]
        if package.closed:
            return None
        parts = _module_parts(target, ScriptStyle())[len(package.directory.parts) :]
        return "/".join((package.name, *parts))

    def _names_of(self, package: Package, *, internal: bool) -> dict[Path, str]:
        """The files that a package's maps name one by one, with what one writes for each; the first name counts.

        Those that a star matches are found among the known files.
        """
        key = (package.directory, internal)
        if key not in self._by_file:
            entries = package.internals() if internal else package.entries()
            if not internal and not package.closed:
                entries = iter([(".", package.types or package.main or "index")])
            found: dict[Path, str] = {}
            for name, target in entries:
                written = name if internal else package.name + name[1:]
                if "*" not in target:
                    if (file := self._file(_joined(package.directory, target))) is not None:
                        found.setdefault(file, written)
                elif "*" in name:
                    pattern = _joined(package.directory, target).as_posix()
                    for file in self._files_below(package.directory):
                        text = filled(pattern, file.as_posix(), written)
                        if text is not None and (internal or self._in_package(file, text) == file):  # null may close it
                            found.setdefault(file, text)
            self._by_file[key] = found
        return self._by_file[key]


def _suffix(name: str) -> str:
    """The suffix of a source file, `.d.ts` being one; "" where there is none."""
    found = [suffix for suffix in _SUFFIXES if name.endswith(suffix)]
    return max(found, key=len, default="")


def _module_parts(path: Path, style: ScriptStyle) -> tuple[str, ...]:
    """The parts of a path as a specifier names it."""
    *directory, name = path.parts
    suffix = _suffix(name)
    stem = name.removesuffix(suffix)
    if style.extensions:
        written = suffix if style.typescript_extensions else _COMPILED.get(suffix, suffix)
        return (*directory, stem + written)
    return tuple(directory) if stem == "index" else (*directory, stem)


def _relative(directory: tuple[str, ...], target: tuple[str, ...]) -> str:
    common = parts_in_common(directory, target)
    up = len(directory) - common
    return "/".join((*([".."] * up or ["."]), *(target[common:] or ("index",))))


def _joined(directory: Path, specifier: str) -> Path:
    """A relative specifier, seen from a directory, without asking the disk."""
    for part in specifier.split("/"):
        if part == "..":
            directory = directory.parent
        elif part not in {"", "."}:
            directory = directory / part
    return directory


def _filling(alias: Alias, specifier: str) -> str | None:
    """What the star of an alias stands for in a specifier, "" without a star; None if the alias does not match."""
    whole = "" if specifier == alias.before else None
    return _between(alias.before, alias.after, specifier) if alias.has_star else whole


def _aliased(alias: Alias, path: str) -> str | None:
    """What an alias writes for a path, which has no suffix if specifiers have none; None if it does not lead there."""
    for head, tail in alias.targets:
        if alias.has_star and (matched := _between(head, tail, path)):
            return alias.before + matched + alias.after
        if not alias.has_star and path in {head, head.removesuffix(_suffix(head))}:
            return alias.before
    return None


def _between(before: str, after: str, text: str) -> str | None:
    """What a star between two texts stands for in a text; None where that does not fit."""
    fits = text.startswith(before) and text.endswith(after) and len(text) >= len(before) + len(after)
    return text[len(before) : len(text) - len(after)] if fits else None
