"""Packages and path aliases by directory, from package.json and tsconfig.json; cached.

`Resolver` has the one `Manifests` of a workspace; the rules of JavaScript and TypeScript ask it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from context_index.disk import is_file, is_folder
from context_index.modules.jsonc import read_jsonc, section
from context_index.modules.packages import Package, load_package

_CONFIGS = ("tsconfig.json", "jsconfig.json")
_MOST_EXTENDS = 8
"""The longest chain of `extends` that is followed; cycles end."""


@dataclass(frozen=True, slots=True)
class Alias:
    """One line of `compilerOptions.paths`, its star cut out: `@/*` -> `src/*`."""

    before: str
    after: str
    """The texts before and after its star; without a star, `before` is all of it."""
    targets: tuple[tuple[str, str], ...]
    """The absolute paths that may replace it, each as the texts before and after its star, with `/` between parts."""
    has_star: bool


class _Base(NamedTuple):
    """The folder to which the targets of `paths` are relative."""

    folder: Path
    is_base_url: bool
    """Whether specifiers that match none of `paths` are relative to it, too."""


class Manifests:
    """The packages and path aliases that hold for a directory, from the nearest file above it."""

    def __init__(self, roots: tuple[Path, ...]) -> None:
        self._roots = roots
        self._packages: dict[Path, Package | None] = {}
        self._by_name: dict[str, Package] = {}
        self._aliases: dict[Path, tuple[Alias, ...]] = {}

    def forget(self) -> None:
        """Read everything again: a package.json or tsconfig.json changed."""
        self._packages.clear()
        self._aliases.clear()
        self._by_name.clear()

    def package(self, directory: Path) -> Package | None:
        """The package that files of the directory belong to; None where they belong to none."""
        if directory not in self._packages:
            package = load_package(directory)
            if package is not None:
                if package.name:
                    self._by_name.setdefault(package.name, package)
            elif self._may_climb(directory):
                package = self.package(directory.parent)
            self._packages[directory] = package
        return self._packages[directory]

    def aliases(self, directory: Path) -> tuple[Alias, ...]:
        """The path aliases that hold for files of the directory, in the order in which TypeScript tries them."""
        if directory not in self._aliases:
            if (config := _config(directory)) is not None:
                self._aliases[directory] = tuple(sorted(_aliases(config), key=_precedence))
            else:
                self._aliases[directory] = self.aliases(directory.parent) if self._may_climb(directory) else ()
        return self._aliases[directory]

    def named(self, name: str) -> Package | None:
        """A package of the workspace by its name, among those that `package` was asked for so far."""
        return self._by_name.get(name)

    def _may_climb(self, directory: Path) -> bool:
        """Whether manifests above the directory hold for it: none outside of the workspace is read."""
        return directory not in self._roots and directory != directory.parent


def _config(directory: Path) -> Path | None:
    return next((file for name in _CONFIGS if is_file(file := directory / name)), None)


def _precedence(alias: Alias) -> tuple[bool, int]:
    """A key that sorts whole names before patterns, and patterns with a longer beginning before others."""
    return alias.has_star, -len(alias.before)


def _aliases(config: Path) -> Iterator[Alias]:
    """The aliases from `paths` and `baseUrl` of a tsconfig.json.

    Where it has neither, the first of its `references` that has one counts.
    """
    base, paths = _base_and_paths(config, _MOST_EXTENDS)
    if base is None:
        for reference in _objects(read_jsonc(config).get("references")):
            if isinstance(name := reference.get("path"), str):
                base, paths = _base_and_paths(_referenced_config(config, name), _MOST_EXTENDS)
                if base is not None:
                    break
    if base is None:
        return
    for pattern, targets in paths.items():
        places = (
            [(base.folder / target).as_posix() for target in targets if isinstance(target, str)]
            if isinstance(targets, list)
            else []
        )
        before, star, after = pattern.partition("*")
        split = [place.partition("*") for place in places]
        yield Alias(before, after, tuple((_normalised(head), tail) for head, _, tail in split), has_star=bool(star))
    if base.is_base_url and "*" not in paths:
        yield Alias("", "", ((_normalised(base.folder.as_posix() + "/"), ""),), has_star=True)


def _base_and_paths(config: Path, depth: int) -> tuple[_Base | None, dict[str, object]]:
    """The base of a configuration's `paths`, and `paths`; without `paths` and `baseUrl` the base is None.

    A configuration's own options go before those that it extends; of several configurations that it extends, the last
    goes first. Inherited `paths` are relative to the file that has them, unless the configuration has a `baseUrl`. A
    `baseUrl` is inherited without `paths`, too.

    Args:
        depth: How many steps of `extends` may still be followed.
    """
    data = read_jsonc(config)
    options = section(data, "compilerOptions")
    paths = section(options, "paths")
    base = _Base(config.parent / url, is_base_url=True) if isinstance(url := options.get("baseUrl"), str) else None
    extended = data.get("extends")
    for name in reversed(extended if isinstance(extended, list) else [extended]):
        if depth == 0 or not isinstance(name, str) or (place := _extended_config(config, name)) is None:
            continue
        inherited_base, inherited_paths = _base_and_paths(place, depth - 1)
        if not paths and inherited_paths:
            paths, base = inherited_paths, base or inherited_base
        base = base or (inherited_base if inherited_base and inherited_base.is_base_url else None)
    return base or (_Base(config.parent, is_base_url=False) if paths else None), paths


def _extended_config(config: Path, name: str) -> Path | None:
    """The file that `extends` names, beside the configuration or in an installed package; None where it is missing."""
    if name.startswith(".") or Path(name).is_absolute():
        places = [config.parent / name]
    else:
        places = [above / "node_modules" / name for above in config.parents]
    for place in places:
        for file in (place, place.parent / f"{place.name}.json", place / "tsconfig.json"):
            if is_file(file):
                return file
    return None


def _referenced_config(config: Path, name: str) -> Path:
    """The configuration that a reference names, by itself or by its folder."""
    place = config.parent / name
    return place / "tsconfig.json" if is_folder(place) else place


def _objects(value: object) -> list[dict[str, object]]:
    """The objects in a list of JSON; none where the value is no list."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _normalised(path: str) -> str:
    """A path without `.` and `..` inside; a slash at its end stays."""
    kept: list[str] = []
    for part in path.split("/"):
        if part == ".." and kept:
            kept.pop()
        elif part != ".":
            kept.append(part)
    return "/".join(kept)
