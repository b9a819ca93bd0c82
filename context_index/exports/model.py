"""What a file exports and imports, as frozen data that depends on its text alone.

Nothing here depends on where the file is or on other files, so it can be stored under a hash of the text. Re-exports
(`export * from`, `from .x import y`) are recorded as such; `index` follows them.
"""

from __future__ import annotations

from dataclasses import dataclass

from context_index.symbols import NameKind


@dataclass(frozen=True, slots=True)
class Imported:
    """One name that an import statement binds. `name` is "*" where the whole module is bound, as in `import * as m`."""

    name: str
    local: str


@dataclass(frozen=True, slots=True)
class Import:
    """One import statement, or a top-level `require`."""

    module: str
    """The specifier as written; Python's leading dots belong to it."""
    names: tuple[Imported, ...]
    line: int
    star: bool = False
    """Whether the names are not in the statement: `from x import *`."""
    is_type: bool = False
    is_require: bool = False


@dataclass(frozen=True, slots=True)
class ExportSource:
    """Where a name that is passed on comes from. `name` is "*" where it stands for the whole module."""

    module: str
    name: str


@dataclass(frozen=True, slots=True)
class Export:
    """One name that other files may import."""

    name: str
    """As importers write it; "default" for the default export of an ECMAScript module."""
    kind: NameKind
    line: int
    local: str = ""
    """What the file itself calls it, where that is another name; "" for an anonymous default export."""
    source: ExportSource | None = None
    """Set where the name is only passed on."""
    public: bool = True
    """Offered to importers; Python lets them take other names as well."""
    is_type: bool = False

    @property
    def is_lifted(self) -> bool:
        """Whether a package takes the name from a module inside it: `from .x import y`."""
        return self.source is not None and self.source.module.startswith(".") and not self.name.startswith("_")

    def imported_as(self, stem: str) -> str:
        """What an importer calls it: a default export as its file does, else after the file's `stem`."""
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
    stars: tuple[str, ...] = ()
    """Modules of which every export is offered as well."""
    ambient: tuple[Export, ...] = ()
    """Names given to every file of the workspace, by a declaration file."""
    complete: bool = True
    """False where the program computes what it exports."""

    @property
    def source_modules(self) -> tuple[str, ...]:
        """The specifiers of all modules that names are passed on from."""
        return tuple(dict.fromkeys((*self.stars, *(one.source.module for one in self.own if one.source is not None))))
