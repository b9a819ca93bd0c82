"""What may follow in the path of a module that is half-written: files, folders, packages, and what maps make of them.

Rules are Node's (LOAD_FROM_PATH, PACKAGE_RESOLVE) and TypeScript's (`paths`, the suffixes of sources), whichever of the
two resolves more. A name that ends with a slash goes on. Does not know what bundlers add.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path

from context_index.globals import NODE_TYPES, PREFIXED_MODULES, node_modules
from context_index.modules.folders import Folders, joined
from context_index.modules.installed import Following, Packages, Writer, package_name
from context_index.modules.manifest import Alias, Manifests
from context_index.modules.spellings import below, spelt
from context_index.modules.written_paths import Neighbours, paths_in

_SCRIPTS = (".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts")
_OTHERS = (".json", ".node")
_TYPED = frozenset({".ts", ".tsx", ".mts", ".cts"})
_CONFIG_SECONDS = 10.0
"""In which a tsconfig.json is taken not to change."""
FOLDER_SECONDS = 0.2
"""In which folders are: one suggestion tries many paths."""


class ModulePaths:
    """Answers from the disk. Asked by one thread."""

    def __init__(
        self,
        roots: tuple[Path, ...],
        opened: Callable[[], Iterable[Path]] = tuple,
        *,
        remembers: float = FOLDER_SECONDS,
    ) -> None:
        """Nothing is looked at yet.

        Args:
            opened: tells the files that an editor has open.
            remembers: seconds in which folders are taken not to change.
        """
        self._manifests = Manifests(roots)
        self._read_at = self._looked_at = time.monotonic()
        self._remembers = remembers
        self._known: dict[tuple[Writer, str], Following | None] = {}
        self._folders = Folders(opened)
        self._packages = Packages(self._folders)
        self._neighbours = Neighbours(self._folders)

    def following(self, importer: Path, text: str, offset: int, written: str, *, requires: bool) -> Following | None:
        """What may stand behind `written`, the whole path so far, which ends at an offset; None where nobody knows.

        Args:
            text: The importer's.
            requires: Whether `require` is called with the path, whatever kind of module the file is.
        """
        self._look_again(time.monotonic())
        writer = self._writer(importer, text, offset, requires=requires)
        above, slash, begun = written.rpartition("/")
        found = self._behind(writer, above + slash)
        if found is None:
            return None
        names, others = (
            None
            if forms is None
            else tuple(dict.fromkeys(name[len(begun) :] for name in forms if name.startswith(begun)))
            for forms in (found.names, found.others)
        )
        return Following(names or (), found.complete and self._explains(writer, above + slash), others)

    def _look_again(self, now: float) -> None:
        if now - self._read_at > _CONFIG_SECONDS:
            self._manifests.forget()
            self._read_at = now
        if now - self._looked_at >= self._remembers:
            self._folders.look_again()
            self._packages.look_again()
            self._known.clear()
            self._looked_at = now

    def _writer(self, importer: Path, text: str, offset: int, *, requires: bool) -> Writer:
        own = tuple(dict.fromkeys(paths_in(text, offset)))
        known = own
        if not any(path.startswith(".") for path in own):
            known = tuple(dict.fromkeys((*own, *self._neighbours.paths(importer))))
        ends = [path.endswith(_SCRIPTS) for path in known if path.startswith(".") and not path.endswith(_OTHERS)]
        required = requires or not self._packages.is_module(importer)
        return Writer(importer, required or not ends or not all(ends), required, own, known)

    def _explains(self, writer: Writer, folder: str) -> bool:
        """Whether all that is written there of the same kind is listed: if not, more can be resolved than we know."""
        for path in writer.known:
            above, slash, name = path.rpartition("/")
            if not _is_alike(folder, path) or not name.strip("."):  # `..`, or dots that stand for any path
                continue
            found = self._behind(writer, above + slash)
            if found is None or name not in found.names:
                return False
        return True

    def _other_packages(self, writer: Writer, names: Iterable[str]) -> tuple[str, ...] | None:
        """What else a path may begin with; None where the file, or one beside it, takes what is not there.

        That is what bundlers add, or what the manifest will name when somebody has installed it.
        """
        others = self._packages.others(writer)
        forms = {*names, *(others or ())}
        written = (*writer.own, *self._neighbours.paths(writer.importer))
        is_explained = all(
            path in forms or any(path[:end] in forms for end, sign in enumerate(path, 1) if sign == "/")
            for path in written
            if path.strip(".") and not path.startswith(".")
        )
        return others if is_explained else None

    def _behind(self, writer: Writer, folder: str) -> Following | None:
        """What may stand behind a path that ends with a slash, or behind nothing."""
        if (writer, folder) not in self._known:
            self._known[writer, folder] = self._found_behind(writer, folder)
        return self._known[writer, folder]

    def _found_behind(self, writer: Writer, folder: str) -> Following | None:
        if folder.startswith("."):
            return self._relative(writer, folder)
        builtin = _builtin() if self._knows_node(writer) else ()
        names = [*_beginning(folder, builtin), *self._aliased(writer, folder)]
        complete, others = False, None
        if not folder:
            names = ["./", "../", *self._bare_folders(writer), *self._packages.names(writer), *names]
            others = self._other_packages(writer, (*names, *self._packages.internal(writer, "")))
        if not folder or folder.startswith("#"):
            names += self._packages.internal(writer, folder)
        elif ":" not in folder and not folder.startswith("/"):
            packaged = self._packages.behind(writer, folder)
            if packaged is not None:
                complete = packaged.complete and not names
                heads = self._behind(writer, "") if packaged.others is not None else None
                others = None if heads is None or heads.others is None else packaged.others
                names += packaged.names
        if not folder or not names:
            names += _beginning(folder, (path for path in writer.own if not path.startswith(".")))
        return Following(tuple(dict.fromkeys(names)), complete, others) if names or complete or others else None

    def _knows_node(self, writer: Writer) -> bool:
        """Whether Node's modules can be imported: TypeScript needs their types, and who imports one has them."""
        if writer.importer.suffix not in _TYPED or not set(_builtin()).isdisjoint(writer.own):
            return True
        return any(self._folders.is_file(place / NODE_TYPES) for place in writer.importer.parents)

    def _relative(self, writer: Writer, folder: str) -> Following | None:
        place = joined(writer.importer.parent, folder)
        names = below(self._folders, place, bare=writer.bare, required=writer.required)
        if names is None:
            return None
        if place == writer.importer.parent:  # nothing imports itself
            own = {*spelt(writer.importer.name, bare=True, required=writer.required)}
            names = [name for name in names if name not in own]
        if writer.bare and self._folders.is_importable(place):
            names.append("")
        # bundlers want no suffixes, but who writes some writes all, but for 20 of 92,000 such paths in npm packages
        is_settled = writer.bare or any(path.startswith(".") for path in writer.own)
        return Following((*names, "../"), is_settled and not self._manifests.merges(writer.importer.parent))

    def _bare_folders(self, writer: Writer) -> Iterator[str]:
        """`.` and `..`, where they can be imported."""
        here = writer.importer.parent
        for name, place in ((".", here), ("..", here.parent)):
            if writer.bare and self._folders.is_importable(place):
                yield name

    def _aliased(self, writer: Writer, folder: str) -> Iterator[str]:
        """What `paths` and `baseUrl` of tsconfig.json make of it."""
        for alias in self._manifests.aliases(writer.importer.parent):
            if not alias.has_star:
                yield from _beginning(folder, [alias.before])
            elif alias.before.startswith(folder) and alias.before != folder:
                rest, slash, _ = alias.before[len(folder) :].partition("/")
                inner = self._substituted(writer, alias, "") if not slash else ()
                yield from [rest + slash] if slash else [rest + name for name in inner]
            elif folder.startswith(alias.before):
                yield from self._substituted(writer, alias, folder[len(alias.before) :])

    def _substituted(self, writer: Writer, alias: Alias, begun: str) -> Iterator[str]:
        """What may stand for an alias's star behind what it has begun with, and behind the star."""
        for head, tail in alias.targets:
            above, _, prefix = (head + begun).rpartition("/")
            names = below(self._folders, Path(above), bare=writer.bare, required=False) or ()
            for name in names:
                if not name.startswith(prefix):
                    continue
                if not tail and not alias.after:
                    yield name[len(prefix) :]
                elif name.endswith("/") and self._leads(Path(above) / (name[:-1] + tail)):
                    yield name[len(prefix) : -1] + alias.after

    def _leads(self, path: Path) -> bool:
        """Whether there is something at the end of an alias's target."""
        return self._folders.is_importable(path) or any(
            self._folders.is_file(path.with_name(path.name + suffix)) for suffix in ("", *_SCRIPTS, *_OTHERS)
        )


def _is_alike(folder: str, path: str) -> bool:
    """Whether two paths are resolved by the same rules: both relative, both internal, or of the same package."""
    if folder.startswith((".", "#")) or path.startswith((".", "#")):
        return folder[:1] == path[:1]
    name = package_name(path)
    return name == package_name(folder) and path != name


def _beginning(folder: str, names: Iterable[str]) -> Iterator[str]:
    return (name[len(folder) :] for name in names if name.startswith(folder) and name != folder)


@cache
def _builtin() -> tuple[str, ...]:
    """Node's own modules."""
    modules = sorted(node_modules())
    return (*(name for name in modules if name not in PREFIXED_MODULES), *(f"node:{name}" for name in modules))
