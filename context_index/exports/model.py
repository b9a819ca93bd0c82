"""What a file exports and imports, as frozen data that depends on its text alone.

Nothing here depends on where the file is or on other files, so it can be stored under a hash of the text. Re-exports
(`export * from`, `from .x import y`) are recorded as such; `index` follows them.
"""

from __future__ import annotations

from dataclasses import dataclass

from context_index.symbols import NameKind


@dataclass(frozen=True, slots=True)
class Imported:
    """One name that an import statement binds."""

    name: str
    """As the module exports it; "*" for the whole module (`import * as m`), "default" for its default export."""
    local: str
    """As the importing file calls it."""


@dataclass(frozen=True, slots=True)
class Import:
    """One import statement, or a top-level `require`."""

    module: str
    """The specifier as written; Python's leading dots belong to it."""
    names: tuple[Imported, ...]
    line: int
    star: bool = False
    """Whether it imports all names without listing them: `from x import *`."""
    is_type: bool = False
    """Whether it is TypeScript's `import type`."""
    is_require: bool = False
    """Whether it is a `require`."""


@dataclass(frozen=True, slots=True)
class ExportSource:
    """Where a re-exported name comes from."""

    module: str
    """The specifier as written."""
    name: str
    """The name there; "*" where the re-exported name stands for the whole module."""


@dataclass(frozen=True, slots=True)
class Export:
    """One name that other files may import."""

    name: str
    """As importers write it; "default" for the default export of an ECMAScript module."""
    kind: NameKind
    line: int
    local: str = ""
    """What the file itself calls it, if that differs from `name`; "" for an anonymous default export."""
    source: ExportSource | None = None
    """Where it comes from, if the file only re-exports it."""
    public: bool = True
    """Whether it is meant for importers; Python lets them import other names as well."""
    is_type: bool = False
    """Whether it is only a type, such as an interface."""

    @property
    def is_lifted(self) -> bool:
        """Whether it is a public name that a package re-exports from a module inside it: `from .x import y`."""
        return self.source is not None and self.source.module.startswith(".") and not self.name.startswith("_")

    def imported_as(self, stem: str) -> str:
        """What an importer calls it; a default export as its file calls it, else after the file's name `stem`."""
        if self.name != "default":
            return self.name
        if self.local:
            return self.local
        first, *rest = stem.replace(".", "-").replace("_", "-").split("-")
        name = first + "".join(part[:1].upper() + part[1:] for part in rest)
        return name[:1].upper() + name[1:] if self.kind is NameKind.CLASS else name

    def moved(self, lines: int) -> Export:
        """The same, `lines` lines further down."""
        return Export(self.name, self.kind, self.line + lines, self.local, self.source, self.public, self.is_type)


@dataclass(frozen=True, slots=True)
class Exports:
    """All that a file exports."""

    own: tuple[Export, ...] = ()
    """What it exports by name; re-exports by name are among them."""
    stars: tuple[str, ...] = ()
    """The specifiers of modules whose exports it re-exports all: `export * from`."""
    ambient: tuple[Export, ...] = ()
    """Names that it declares for every file of the workspace, as a declaration file."""
    complete: bool = True
    """False where the program computes what it exports."""

    @property
    def source_modules(self) -> tuple[str, ...]:
        """The specifiers of all modules from which names are re-exported."""
        named = (export.source.module for export in self.own if export.source is not None)
        return tuple(dict.fromkeys((*self.stars, *named)))
