"""Resolves module specifiers of JavaScript and TypeScript: from a specifier to its file, and from a file to one.

Knows relative paths, the aliases in `paths` of tsconfig.json, and the workspace's packages with their own `#names`.
Does not read node_modules: `libraries` does. `modules.resolver` calls it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from context_index.exports.model import Import
from context_index.modules.manifest import Alias, Manifests
from context_index.modules.packages import IMPORTING, REQUIRING, Package, filled
from context_index.modules.paths import parts_in_common

_SUFFIXES = (".ts", ".tsx", ".js", ".jsx", ".mts", ".cts", ".mjs", ".cjs", ".d.ts", ".d.mts", ".d.cts")
"""What completes a specifier, in this order: sources first, so that the importers of a source with declarations beside
it are found."""
_SOURCES_OF = {".js": (".ts", ".tsx", ".d.ts"), ".jsx": (".tsx",), ".mjs": (".mts",), ".cjs": (".cts",)}
"""The suffixes of the files from which a JavaScript file is compiled: TypeScript is imported by the compiled name."""
_COMPILED = {
    ".ts": ".js",
    ".tsx": ".js",
    ".mts": ".mjs",
    ".cts": ".cjs",
    ".d.ts": ".js",
    ".d.mts": ".mjs",
    ".d.cts": ".cjs",
}
"""The suffix of the JavaScript file that a file is compiled to, or declares."""


@dataclass(frozen=True, slots=True)
class ScriptStyle:
    """How a file writes its specifiers."""

    extensions: bool = False
    """Whether specifiers of files have suffixes: `./x.js`, not `./x`."""
    typescript_extensions: bool = False
    """Whether these are TypeScript's own: `./x.ts`, not `./x.js`."""
    aliased: bool = False
    """Whether path aliases are used where possible: `@/lib/x`, not `../lib/x`."""


def rules(
    has: Callable[[Path], bool],
    below: Callable[[Path], Iterable[Path]],
    _roots: tuple[Path, ...],
    manifests: Manifests,
) -> ScriptModules:
    """See `modules.resolver.ModuleRules`."""
    return ScriptModules(has, below, manifests)


class ScriptModules:
    """Resolves specifiers among the files of a workspace; see `modules.resolver.ModuleRules`.

    Args:
        has: Whether the workspace has a file.
        below: The workspace's files at any depth below a directory.
        manifests: The packages and aliases that hold for a directory.
    """

    def __init__(
        self, has: Callable[[Path], bool], below: Callable[[Path], Iterable[Path]], manifests: Manifests
    ) -> None:
        self._has = has
        self._files_below = below
        self._manifests = manifests
        self._specifiers: dict[tuple[Path, bool], dict[Path, str]] = {}
        """The results of `_specifiers_of`, by the package's directory and `internal`."""

    def forget(self) -> None:
        """Drop the specifiers of packages' files, as files were added or removed."""
        self._specifiers.clear()

    forget_files = forget

    def learn(self, paths: Iterable[Path]) -> None:
        """Drop the specifiers of packages' files, and read the manifests around new files."""
        self.forget()
        for directory in {path.parent for path in paths}:
            self._manifests.package(directory)

    def package(self, _path: Path) -> Path | None:
        """The package within which private modules are shared: None, as JavaScript has no such modules."""
        return None

    def style(self, importer: Path, imports: Iterable[Import]) -> ScriptStyle:
        """How a file writes specifiers: as in its relative imports; without any, with suffixes if Node needs them."""
        modules = [statement.module for statement in imports]
        local = [module for module in modules if module.startswith(".")]
        climbs = any(module.startswith("../") for module in local)
        is_aliased = not climbs and any(map(self._alias_for(importer), modules))
        if local:
            suffixes = [_suffix(module) for module in local]
            return ScriptStyle(any(suffixes), any(suffix in {".ts", ".tsx"} for suffix in suffixes), is_aliased)
        package = self._manifests.package(importer.parent)
        is_module = package is not None and package.is_module
        is_es_module = importer.suffix == ".mjs" or (is_module and importer.suffix in {".js", ".jsx"})
        return ScriptStyle(is_es_module, aliased=is_aliased)

    def resolve(self, importer: Path, specifier: str) -> Path | None:
        """The file of the workspace that a specifier names; None if it names none."""
        if specifier.startswith("."):
            return self._file(_joined(importer.parent, specifier))
        if specifier.startswith("#"):
            return self._internal(importer, specifier)
        for alias in self._manifests.aliases(importer.parent):
            if (filling := _filling(alias, specifier)) is None:
                continue
            for head, tail in alias.targets:
                if (file := self._file(Path(head + filling + tail))) is not None:
                    return file
        return self._in_package(importer, specifier)

    def specifier(self, importer: Path, target: Path, style: ScriptStyle) -> str | None:
        """What `importer` would write to import `target`; None if it cannot.

        A file of another package is named by the package. Otherwise the relative path, a path alias or a `#name` is
        taken: the one with the fewest slashes, or the alias if the style prefers it to a path with `../`.
        """
        theirs, ours = self._manifests.package(target.parent), self._manifests.package(importer.parent)
        if theirs is not None and (ours is None or theirs.directory != ours.directory) and theirs.name:
            return self._by_package(theirs, target)
        parts = _module_parts(target, style)
        best = relative = _relative(importer.parent.parts, parts)
        aliases = self._manifests.aliases(importer.parent)
        for alias in aliases:
            aliased = _aliased(alias, "/".join(parts).replace("//", "/", 1))
            if aliased is None or next(rule for rule in aliases if _filling(rule, aliased) is not None) is not alias:
                continue  # an earlier alias would resolve the specifier
            is_preferred = style.aliased and alias.before and best.startswith("../")
            best = aliased if is_preferred or aliased.count("/") < best.count("/") else best
        if ours is not None and ours.imports and relative.startswith("../"):
            internal = self._specifiers_of(ours, internal=True).get(target)
            if internal is not None:
                best = internal if internal.count("/") < best.count("/") else best
        return best

    def _alias_for(self, importer: Path) -> Callable[[str], bool]:
        """A function that says whether a specifier matches a path alias that holds for a file."""
        aliases = [alias for alias in self._manifests.aliases(importer.parent) if alias.before]
        return lambda module: any(_filling(alias, module) is not None for alias in aliases)

    def _file(self, path: Path) -> Path | None:
        """The file of the workspace that a path names in a specifier; None if there is none."""
        return next(filter(self._has, _candidates(path)), None)

    def _internal(self, importer: Path, specifier: str) -> Path | None:
        """The file of a `#name`, by the `imports` map of the importer's own package."""
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
        """The file that a specifier names by one of the workspace's packages: `name`, `@scope/name/subpath`."""
        parts = specifier.split("/")
        name_length = 2 if specifier.startswith("@") else 1
        package = self._manifests.named("/".join(parts[:name_length]))
        if package is None:
            return None
        subpath = "/".join([".", *parts[name_length:]])
        if package.is_closed:
            targets = [package.exported(subpath, conditions) for conditions in (IMPORTING, REQUIRING)]
            return next((self._file(_joined(package.directory, target)) for target in targets if target), None)
        ours = self._manifests.package(importer.parent)
        if ours is not None and ours.directory == package.directory:
            return None  # a package may name itself only if it has an `exports` map
        if len(parts) > name_length:
            return self._file(package.directory.joinpath(*parts[name_length:]))
        return self._file(_joined(package.directory, package.types or package.main or "index"))

    def _by_package(self, package: Package, target: Path) -> str | None:
        """The specifier of a package's file by the package's name; None if the package does not export the file."""
        if target in (specifiers := self._specifiers_of(package, internal=False)):
            return specifiers[target]
        if package.is_closed:
            return None
        parts = _module_parts(target, ScriptStyle())[len(package.directory.parts) :]
        return "/".join((package.name, *parts))

    def _specifiers_of(self, package: Package, *, internal: bool) -> dict[Path, str]:
        """The specifier of each file that a package's map names; the first one counts if there are several.

        Args:
            internal: Whether the map is `imports`, with specifiers for the package's own files; if not, `exports`.
        """
        key = (package.directory, internal)
        if key not in self._specifiers:
            entries = package.internals() if internal else package.entries()
            if not internal and not package.is_closed:
                entries = iter([(".", package.types or package.main or "index")])
            specifiers: dict[Path, str] = {}
            for name, target in entries:
                specifier = name if internal else package.name + name[1:]
                if "*" not in target:
                    if (file := self._file(_joined(package.directory, target))) is not None:
                        specifiers.setdefault(file, specifier)
                elif "*" in name:
                    pattern = _joined(package.directory, target).as_posix()
                    for file in self._files_below(package.directory):
                        text = filled(pattern, file.as_posix(), specifier)
                        # another entry may exclude the file, with null as its target
                        if text is not None and (internal or self._in_package(file, text) == file):
                            specifiers.setdefault(file, text)
            self._specifiers[key] = specifiers
        return self._specifiers[key]


def _candidates(path: Path) -> Iterator[Path]:
    """The files that a path may name, in order: itself, its source, with a suffix added, a directory's index."""
    yield path
    yield from (path.with_suffix(suffix) for suffix in _SOURCES_OF.get(path.suffix, ()))
    for base in (path, path / "index"):
        yield from (base.with_name(base.name + suffix) for suffix in _SUFFIXES)


def _suffix(name: str) -> str:
    """The longest suffix of a source or a declaration file that a name ends with; "" if it has none."""
    return max((suffix for suffix in _SUFFIXES if name.endswith(suffix)), key=len, default="")


def _module_parts(path: Path, style: ScriptStyle) -> tuple[str, ...]:
    """The parts of a file's path as a specifier writes them: without a suffix, unless the style has them."""
    *directory, name = path.parts
    suffix = _suffix(name)
    stem = name.removesuffix(suffix)
    if style.extensions:
        written_suffix = suffix if style.typescript_extensions else _COMPILED.get(suffix, suffix)
        return (*directory, stem + written_suffix)
    return tuple(directory) if stem == "index" else (*directory, stem)


def _relative(directory: tuple[str, ...], target: tuple[str, ...]) -> str:
    """The relative specifier of a target, from a directory."""
    common = parts_in_common(directory, target)
    up = len(directory) - common
    return "/".join((*([".."] * up or ["."]), *(target[common:] or ("index",))))


def _joined(directory: Path, specifier: str) -> Path:
    """The path that a relative specifier names from a directory, without reading the disk."""
    for part in specifier.split("/"):
        if part == "..":
            directory = directory.parent
        elif part not in {"", "."}:
            directory = directory / part
    return directory


def _filling(alias: Alias, specifier: str) -> str | None:
    """What the star of an alias stands for in a specifier, "" without a star; None if the alias does not match."""
    if alias.has_star:
        return _between(alias.before, alias.after, specifier)
    return "" if specifier == alias.before else None


def _aliased(alias: Alias, path: str) -> str | None:
    """The specifier of a path by an alias; None if the alias does not lead there.

    Args:
        path: Without a suffix if specifiers have none.
    """
    for head, tail in alias.targets:
        if alias.has_star and (matched := _between(head, tail, path)):
            return alias.before + matched + alias.after
        if not alias.has_star and path in {head, head.removesuffix(_suffix(head))}:
            return alias.before
    return None


def _between(before: str, after: str, text: str) -> str | None:
    """The part of a text between two other texts, with which it begins and ends; None if it does not."""
    fits = text.startswith(before) and text.endswith(after) and len(text) >= len(before) + len(after)
    return text[len(before) : len(text) - len(after)] if fits else None
