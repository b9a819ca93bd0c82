"""What may stand behind a package's name, or behind `#`, by the maps of its package.json.

A map may close what lies on disk, and name what does not: so it is asked about every name that is found.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from context_index.modules.folders import Entries, Folders
from context_index.modules.packages import IMPORTING, REQUIRING, Package

_ANY = "inscope_any"
"""Stands for a name of which only the place matters."""


def exported(folders: Folders, package: Package, written: str) -> Iterable[str]:
    """What may follow `written`, which is all of a path behind the package's name and a slash."""
    entries = ((key[2:], target) for key, target in package.targets() if key.startswith("./"))
    return _Maps(folders, package, is_internal=False).behind(entries, written)


def internal(folders: Folders, package: Package, written: str) -> Iterable[str]:
    """What may follow `written`, which is empty or begins with `#`, in a file of the package."""
    return _Maps(folders, package, is_internal=True).behind(package.internal_targets(), written)


def is_all_told(package: Package) -> bool:
    """Whether every entry of `exports` means something under the conditions that we know; bundlers know others."""
    if not isinstance(package.exports, dict):
        return True
    told = {key for key, _ in package.entries()}
    return all(value is None or key in told or not key.startswith(".") for key, value in package.exports.items())


@dataclass(slots=True)
class _Maps:
    """One question about the maps of one package."""

    folders: Folders
    package: Package
    is_internal: bool
    _entries: dict[str, Entries | None] = field(default_factory=dict)

    def behind(self, entries: Iterable[tuple[str, str]], written: str) -> Iterable[str]:
        """What the entries allow behind `written`, up to and with the next slash."""
        names: dict[str, None] = {}
        for key, target in entries:
            head, star, tail = key.partition("*")
            if not star and key.endswith("/"):  # a folder, as older maps have them
                names.update(dict.fromkeys(self._in_folder(key, target, written)))
            elif not star:
                if key.startswith(written) and (name := _next(key, written)) not in names and self._is_there(target):
                    names[name] = None
            elif head.startswith(written) and head != written:
                if any(True for _ in self._starred(target, "", tail)):
                    names[_next(head, written)] = None
            elif written.startswith(head):
                found = self._starred(target, written[len(head) :], tail)
                names.update(dict.fromkeys(rest for rest in found if self._is_open(written + rest)))
        names.pop("", None)
        return names

    def _in_folder(self, key: str, target: str, written: str) -> Iterator[str]:
        if written.startswith(key):
            yield from self._starred(target + "*", written[len(key) :], "")
        elif key.startswith(written) and self._looked_at(target.rstrip("/")):
            yield _next(key, written)

    def _starred(self, target: str, begun: str, tail: str) -> Iterator[str]:
        """What the star of a target stands for, up to and with the next slash, behind what it has `begun` with."""
        before, _, after = target.partition("*")
        folder, _, prefix = (before + begun).rpartition("/")
        found = self._looked_at(folder)
        if found is None:
            return
        for inner in sorted(found.folders):
            if inner.startswith(prefix) and inner != "node_modules" and self._looked_at(f"{folder}/{inner}"):
                rest = inner[len(prefix) :]
                yield rest + "/"
                if after.startswith("/") and self._is_there(f"{before}{begun}{rest}{after}"):
                    yield rest + tail
        for file in sorted(found.files):
            if file.startswith(prefix) and file.endswith(after) and len(file) > len(prefix) + len(after) - bool(prefix):
                yield file[len(prefix) : len(file) - len(after)] + tail

    def _is_open(self, path: str) -> bool:
        """Whether a more particular entry does not close the place again."""
        path += _ANY if path.endswith("/") else ""
        asked = self.package.internal if self.is_internal else self.package.exported
        name = path if self.is_internal else "./" + path
        return any(asked(name, conditions) is not None for conditions in (IMPORTING, REQUIRING))

    def _is_there(self, target: str) -> bool:
        """Whether a target is on disk; one that names another package is taken to be."""
        if not target.startswith("./"):
            return True
        folder, _, name = target.rpartition("/")
        found = self._looked_at(folder)
        return found is not None and name in found.files

    def _looked_at(self, folder: str) -> Entries | None:
        """What a folder of the package holds."""
        if folder not in self._entries:
            self._entries[folder] = self.folders.entries(self.package.directory / folder)
        return self._entries[folder]


def _next(path: str, written: str) -> str:
    """What a path says behind `written`, up to and with the next slash."""
    head, slash, _ = path[len(written) :].partition("/")
    return head + slash
