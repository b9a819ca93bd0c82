"""What package.json and tsconfig.json say of how files are named by others, cached by directory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from context_index.modules.jsonc import read_jsonc, section

_CONDITIONS = ("types", "import", "module", "node", "default", "require")
_MOST_EXTENDS = 8


@dataclass(frozen=True, slots=True)
class Package:
    """One package.json."""

    directory: Path
    name: str
    is_module: bool
    """Whether `.js` means an ES module, so that Node wants file extensions in specifiers."""
    entries: Mapping[str, str]
    """Subpath ("." for the package itself) to the file that it stands for, relative to the directory."""
    closed: bool
    """It has an `exports` map: nothing but its entries can be imported by name."""


@dataclass(frozen=True, slots=True)
class Alias:
    """One line of `compilerOptions.paths`, its star cut out: `@/*` -> `src/*`."""

    before: str
    after: str
    targets: tuple[tuple[str, str], ...]
    """Absolute paths in front of and behind the star, with `/` between the parts."""
    has_star: bool


class Manifests:
    """The packages and path aliases that hold for a directory, from the nearest file above it."""

    def __init__(self, roots: tuple[Path, ...]) -> None:
        self._roots = roots
        self._packages: dict[Path, Package | None] = {}
        self._aliases: dict[Path, tuple[Alias, ...]] = {}

    def forget(self) -> None:
        """Read everything anew: a package.json or tsconfig.json changed."""
        self._packages.clear()
        self._aliases.clear()

    def package(self, directory: Path) -> Package | None:
        """The package that files of the directory belong to."""
        if directory not in self._packages:
            found = _package(directory)
            if found is None and self._may_climb(directory):
                found = self.package(directory.parent)
            self._packages[directory] = found
        return self._packages[directory]

    def aliases(self, directory: Path) -> tuple[Alias, ...]:
        """The path aliases that hold for files of the directory."""
        if directory not in self._aliases:
            config = next(
                (directory / n for n in ("tsconfig.json", "jsconfig.json") if (directory / n).is_file()), None
            )
            if config is not None:
                self._aliases[directory] = tuple(_aliases(config))
            else:
                self._aliases[directory] = self.aliases(directory.parent) if self._may_climb(directory) else ()
        return self._aliases[directory]

    def named(self, name: str) -> Package | None:
        """A package of the workspace by its name, among those asked for so far."""
        return next((package for package in self._packages.values() if package and package.name == name), None)

    def _may_climb(self, directory: Path) -> bool:
        return directory not in self._roots and directory != directory.parent


def _package(directory: Path) -> Package | None:
    path = directory / "package.json"
    if not path.is_file():
        return None
    data = read_jsonc(path)
    exports = data.get("exports")
    entries = dict(_entries(exports))
    for field in ("types", "module", "main"):
        if not entries and isinstance(main := data.get(field), str):
            entries["."] = main.removeprefix("./")
    name = data.get("name")
    return Package(
        directory,
        name if isinstance(name, str) else "",
        is_module=data.get("type") == "module",
        entries=entries or {".": "index"},
        closed=exports is not None,
    )


def _entries(exports: object) -> Iterator[tuple[str, str]]:
    """The subpaths of an `exports` map, each with the file that fits our conditions first."""
    if isinstance(exports, dict) and any(key.startswith(".") for key in exports):
        for subpath, value in exports.items():
            if (target := _target(value)) is not None:
                yield subpath, target.removeprefix("./")
    elif (target := _target(exports)) is not None:
        yield ".", target.removeprefix("./")


def _target(value: object) -> str | None:
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return next((target for item in value if (target := _target(item))), None)
    if isinstance(value, dict):
        return next((target for name in _CONDITIONS if (target := _target(value.get(name)))), None)
    return None


def _aliases(config: Path) -> Iterator[Alias]:
    """`paths` and `baseUrl` of a tsconfig.json, following `extends` where it leads to a file beside it."""
    base: Path | None = None
    paths: dict[str, object] = {}
    place = config
    for _ in range(_MOST_EXTENDS):
        data = read_jsonc(place)
        options = section(data, "compilerOptions")
        if base is None and isinstance(url := options.get("baseUrl"), str):
            base = place.parent / url
        if not paths and (paths := section(options, "paths")):
            base = base or place.parent
        extends = data.get("extends")
        if not isinstance(extends, str) or not extends.startswith("."):
            break
        place = place.parent / extends
        place = place if place.suffix == ".json" else place.with_name(place.name + ".json")
    if base is None:
        return
    for pattern, targets in paths.items():
        places = (
            [(base / target).as_posix() for target in targets if isinstance(target, str)]
            if isinstance(targets, list)
            else []
        )
        before, star, after = pattern.partition("*")
        split = [place.partition("*") for place in places]
        yield Alias(before, after, tuple((_plain(head), tail) for head, _, tail in split), has_star=bool(star))
    if not any(alias == "*" for alias in paths) and "baseUrl" in section(read_jsonc(config), "compilerOptions"):
        yield Alias("", "", ((_plain(base.as_posix() + "/"), ""),), has_star=True)


def _plain(path: str) -> str:
    """A path without `.` and `..` inside; a slash at its end stays."""
    parts: list[str] = []
    for part in path.split("/"):
        if part == ".." and parts:
            parts.pop()
        elif part != ".":
            parts.append(part)
    return "/".join(parts)
