"""Specifiers of JavaScript and TypeScript: from one to the file it names, and from a file to what one would write.

Knows relative paths, `paths` of tsconfig.json and the packages of the workspace by their names. Does not enter
node_modules: what an installed package offers is not known here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from context_index.modules.manifest import Alias, Manifests, Package
from context_index.surfaces.model import Import

_SUFFIXES = (".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mts", ".cts", ".d.mts", ".d.cts", ".mjs", ".cjs")
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


class ScriptModules:
    """Resolution among the files of a workspace."""

    def __init__(self, has: Callable[[Path], bool], manifests: Manifests) -> None:
        self._has = has
        self._manifests = manifests

    def style(self, importer: Path, imports: Iterable[Import]) -> ScriptStyle:
        """How a file writes specifiers: as in the imports that it has, else as Node will want it."""
        local = [found.module for found in imports if found.module.startswith(".")]
        if local:
            suffixes = [_suffix(module) for module in local]
            return ScriptStyle(any(suffixes), any(suffix in {".ts", ".tsx"} for suffix in suffixes))
        package = self._manifests.package(importer.parent)
        is_module = package is not None and package.is_module
        return ScriptStyle(importer.suffix == ".mjs" or (is_module and importer.suffix in {".js", ".jsx"}))

    def resolve(self, importer: Path, specifier: str) -> Path | None:
        """The file of the workspace that a specifier names."""
        if specifier.startswith("."):
            return self._file(_joined(importer.parent, specifier))
        for alias in self._manifests.aliases(importer.parent):
            for target in _substituted(alias, specifier):
                if (found := self._file(target)) is not None:
                    return found
        return self._in_package(specifier)

    def specifier(self, importer: Path, target: Path, style: ScriptStyle) -> str | None:
        """What `importer` would write to import `target`; None where it cannot."""
        theirs, ours = self._manifests.package(target.parent), self._manifests.package(importer.parent)
        if theirs is not None and (ours is None or theirs.directory != ours.directory) and theirs.name:
            return self._by_package(theirs, target)
        relative = _relative(importer.parent.parts, _module_parts(target, style))
        best = relative
        for alias in self._manifests.aliases(importer.parent):
            aliased = _aliased(alias, "/".join(_module_parts(target, style)).replace("//", "/", 1))
            if aliased is not None and aliased.count("/") < best.count("/"):
                best = aliased
        return best

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

    def _in_package(self, specifier: str) -> Path | None:
        parts = specifier.split("/")
        size = 2 if specifier.startswith("@") else 1
        package = self._manifests.named("/".join(parts[:size]))
        if package is None:
            return None
        subpath = "/".join([".", *parts[size:]])
        if subpath in package.entries:
            return self._file(package.directory / package.entries[subpath])
        return None if package.closed else self._file(package.directory.joinpath(*parts[size:]))

    def _by_package(self, package: Package, target: Path) -> str | None:
        for subpath, entry in package.entries.items():
            if self._file(package.directory / entry) == target:
                return package.name + subpath[1:]
        if package.closed:
            return None
        parts = _module_parts(target, ScriptStyle())[len(package.directory.parts) :]
        return "/".join((package.name, *parts))


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
    common = 0
    for ours, theirs in zip(directory, target, strict=False):
        if ours != theirs:
            break
        common += 1
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


def _substituted(alias: Alias, specifier: str) -> Iterator[Path]:
    if not alias.has_star:
        matched = "" if specifier == alias.before else None
    elif specifier.startswith(alias.before) and specifier.endswith(alias.after):
        matched = specifier[len(alias.before) : len(specifier) - len(alias.after)]
    else:
        matched = None
    if matched is not None:
        yield from (Path(head + matched + tail) for head, tail in alias.targets)


def _aliased(alias: Alias, path: str) -> str | None:
    for head, tail in alias.targets:
        if alias.has_star and path.startswith(head) and path.endswith(tail) and len(path) > len(head):
            return alias.before + path[len(head) : len(path) - len(tail)] + alias.after
        if not alias.has_star and path in {head, head.removesuffix(_suffix(head))}:
            return alias.before
    return None
