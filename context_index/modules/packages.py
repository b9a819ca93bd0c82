"""What the names of one package.json resolve to, by Node's algorithm (PACKAGE_EXPORTS_RESOLVE and related).

Targets are paths relative to the package, or specifiers of other packages; no file but the manifest is read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from context_index.disk import is_file
from context_index.modules.jsonc import read_jsonc, section
from context_index.symbols import ModuleKind

IMPORTING = frozenset({"types", "import", "module", "module-sync", "node", "default"})
"""The conditions in `exports` and `imports` that hold where an ES module imports; `types` is TypeScript's."""
REQUIRING = frozenset({"types", "require", "module-sync", "node", "default"})
"""The conditions that hold where a CommonJS module calls `require`."""
_DEPENDENCIES = ("dependencies", "peerDependencies", "optionalDependencies", "devDependencies")


@dataclass(frozen=True, slots=True)
class Package:
    """One package.json."""

    directory: Path
    name: str
    version: str
    module_kind: ModuleKind | None
    """The kind of `.js` files by its `type`; None where it has no `type`: then the scripts themselves decide."""
    types: str
    """The declaration file for the package's own name; "" where none is given."""
    main: str
    """The file for the package's own name, by `module` (for bundlers) or `main` (for Node); "" where none is given."""
    exports: object
    """The `exports` map as written; None where there is none, and every file can be imported by name."""
    imports: Mapping[str, object]
    """Specifiers with `#` that only the package's own files may use."""
    dependencies: tuple[str, ...]
    """Names of the packages that it needs; those for development only come last."""

    @property
    def is_module(self) -> bool:
        """Whether `.js` means an ES module, so that Node wants file extensions in specifiers."""
        return self.module_kind is ModuleKind.ES

    @property
    def is_closed(self) -> bool:
        """Whether only what `exports` lists can be imported by name."""
        return self.exports is not None

    def exported(self, subpath: str, conditions: frozenset[str] = IMPORTING) -> str | None:
        """The file that "." or "./sub" stands for, relative to the directory; None where that is not exported."""
        return _target_of_name(_export_map(self.exports), subpath, conditions)

    def internal(self, specifier: str, conditions: frozenset[str] = IMPORTING) -> str | None:
        """What `#name` stands for in the package's own files: a file or another package; None without an entry."""
        return _target_of_name(self.imports, specifier, conditions)

    def entries(self) -> Iterator[tuple[str, str]]:
        """Each exported subpath, perhaps with a star, and the file or files that it stands for."""
        yield from _names_and_targets(_export_map(self.exports))

    def internals(self) -> Iterator[tuple[str, str]]:
        """Each `#name`, perhaps with a star, and the file, files or package that it stands for."""
        yield from _names_and_targets(self.imports)


def load_package(directory: Path) -> Package | None:
    """The package.json that is in a directory; None where there is none."""
    path = directory / "package.json"
    if not is_file(path):
        return None
    data = read_jsonc(path)
    types = next((value for key in ("types", "typings") if isinstance(value := data.get(key), str)), "")
    main = next((value for key in ("module", "main") if isinstance(value := data.get(key), str)), "")
    needed = dict.fromkeys(name for kind in _DEPENDENCIES for name in section(data, kind))
    return Package(
        directory,
        _string(data, "name"),
        _string(data, "version"),
        module_kind=next((kind for kind in ModuleKind if data.get("type") == kind), None),
        types=types,
        main=main,
        exports=data.get("exports"),
        imports=section(data, "imports"),
        dependencies=tuple(needed),
    )


def filled(pattern: str, text: str, target: str) -> str | None:
    """`target` with its star filled by what the star of `pattern` stands for in `text`; None where it does not fit."""
    before, star, after = pattern.partition("*")
    if not star:
        return target if text == pattern else None
    # a star stands for one character or more: `./*.js` is not `./.js`
    if len(text) < len(pattern) or not (text.startswith(before) and text.endswith(after)):
        return None
    return target.replace("*", text[len(before) : len(text) - len(after)])


def _string(data: Mapping[str, object], key: str) -> str:
    value = data.get(key)
    return value if isinstance(value, str) else ""


def _export_map(exports: object) -> Mapping[str, object]:
    """`exports` as a map of subpaths. Where it names none, all of it is the target of "."."""
    if isinstance(exports, dict) and any(key.startswith(".") for key in exports):
        return exports
    return {} if exports is None else {".": exports}


def _target_of_name(targets: Mapping[str, object], key: str, conditions: frozenset[str]) -> str | None:
    """The target of a subpath or `#name`: of its own entry, else of the matching pattern with the longest beginning.

    None where no entry matches, or the one that does has no target under the conditions.
    """
    if key in targets and "*" not in key:
        return _target(targets[key], conditions) or None
    patterns = [name for name in targets if "*" in name]
    for pattern in sorted(patterns, key=lambda name: (-name.index("*"), -len(name))):
        if filled(pattern, key, "") is not None:
            target = _target(targets[pattern], conditions)
            return filled(pattern, key, target) if target else None
    return None


def _names_and_targets(targets: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """Each name that has a target, with the target for ES modules, else the one for CommonJS."""
    for key, value in targets.items():
        for conditions in (IMPORTING, REQUIRING):
            if target := _target(value, conditions):
                yield key, target
                break


def _target(value: object, conditions: frozenset[str]) -> str | None:
    """The first target, in the order written, whose conditions hold; None where there is none.

    "" stands for `null`, which closes an entry: no later condition is tried, but later items of a list are.
    """
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, list):
        targets = [_target(item, conditions) for item in value]
        return next(filter(None, targets), "" if "" in targets else None)
    if isinstance(value, dict):
        targets = [_target(inner, conditions) for condition, inner in value.items() if condition in conditions]
        return next((target for target in targets if target is not None), None)
    return None
