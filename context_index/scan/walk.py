"""The files of a workspace that are to be read, and for each other file the reason why it is not.

Knows names, sizes and dates; nothing of programs. As in git, symbolic links are not followed: so there are no loops,
and no link leads to a file whose own name would exclude it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path

from context_index.disk import innermost_root, is_link, real
from context_index.scan.exclusion import (
    Exclusion,
    ScanSettings,
    holds_secrets,
    is_generated,
    is_secret,
    is_secret_name,
    is_vendored,
)
from context_index.scan.ignore import GitIgnore
from context_index.scan.patterns import Patterns
from context_index.text import language_of


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file to read, as it is now."""

    path: str
    modified: int
    """When it was last changed, in nanoseconds since 1970."""
    size: int
    """In bytes."""


@dataclass(frozen=True, slots=True)
class SkippedPath:
    """A file or a directory that is skipped."""

    path: Path
    why: Exclusion


class WorkspaceScanner:
    """Walks the roots of a workspace and judges single paths by the same rules."""

    def __init__(self, roots: Sequence[Path], settings: ScanSettings) -> None:
        self._roots = tuple(dict.fromkeys(root.absolute() for root in roots))
        self._root_names = frozenset(map(str, self._roots))
        self.settings = settings
        self._include = Patterns(settings.include)
        self._exclude = Patterns(settings.exclude)
        self._ignores = {root: GitIgnore(root) for root in self._roots}
        self._reasons_by_name: dict[str, Exclusion | None] = {}

    @property
    def roots(self) -> tuple[Path, ...]:
        """The roots as absolute paths."""
        return self._roots

    def root_of(self, path: Path) -> Path | None:
        """The innermost root that holds the path; None where none does."""
        return innermost_root(path, self._roots)

    def walk(self) -> Iterator[FoundFile | SkippedPath]:
        """Every file, or why it is skipped; of a skipped directory only the directory.

        Files come sorted, so that two walks of one tree agree. A root inside another is walked by its own rules, as a
        person opened it.
        """
        for root in self._roots:
            yield from self._walk(str(root), (), self._ignores[root], secret=False)

    def excluded(self, path: Path) -> Exclusion | None:
        """Why a file is not read, judged by name and place alone; None where nothing speaks against it.

        The file need not exist. One outside all roots is judged by its own name.
        """
        root = self.root_of(path)
        parts = path.relative_to(root).parts if root else path.parts[-1:]
        if not parts:
            return None
        if why := self._by_name(parts, secret=any(map(holds_secrets, parts[:-1]))):
            return why
        if is_link(path) and not self.settings.secrets and is_secret(real(path).parts):
            return Exclusion.SECRET
        if any(is_vendored(part) for part in parts[:-1]):
            return Exclusion.VENDORED
        if root is not None and self._ignores[root].ignores(parts):
            return Exclusion.IGNORED
        return None

    def forget_ignore_rules(self) -> None:
        """Read ignore files again: one of them changed."""
        for rules in self._ignores.values():
            rules.forget()

    def _walk(
        self, directory: str, parts: tuple[str, ...], ignore: GitIgnore, *, secret: bool
    ) -> Iterator[FoundFile | SkippedPath]:
        """What is in a directory of a root. Paths are plain texts, for speed: each start walks all files.

        Args:
            parts: The directory's path below the root.
            secret: Whether all files in it are assumed to hold keys or passwords.
        """
        try:
            with os.scandir(directory) as listing:
                walked = (entry for entry in listing if entry.path not in self._root_names)  # roots are walked once
                entries = sorted(walked, key=attrgetter("name"))
        except OSError:
            yield SkippedPath(Path(directory), Exclusion.UNREADABLE)
            return
        if parts and any(entry.name == "pyvenv.cfg" for entry in entries):
            yield SkippedPath(Path(directory), Exclusion.VENDORED)
            return
        for entry in entries:
            name = entry.name
            path = (*parts, name)
            if _is_link(entry):
                yield SkippedPath(Path(entry.path), Exclusion.LINK)
            elif entry.is_dir(follow_symlinks=False):
                if is_vendored(name):
                    yield SkippedPath(Path(entry.path), Exclusion.VENDORED)
                elif ignore.ignores(path, directory=True):
                    yield SkippedPath(Path(entry.path), Exclusion.IGNORED)
                else:
                    yield from self._walk(entry.path, path, ignore, secret=secret or holds_secrets(name))
            elif why := self._by_name(path, secret=secret) or (Exclusion.IGNORED if ignore.ignores(path) else None):
                yield SkippedPath(Path(entry.path), why)
            elif entry.is_file(follow_symlinks=False):  # not a pipe, a socket or a device
                yield _file_to_read(entry)

    def _by_name(self, parts: Sequence[str], *, secret: bool) -> Exclusion | None:
        """The gravest reason to skip a file that its path below a root alone gives.

        Args:
            secret: Whether a directory around it is assumed to hold keys or passwords.
        """
        name = parts[-1]
        if name not in self._reasons_by_name:
            self._reasons_by_name[name] = self._reason_in_name(name)
        why = self._reasons_by_name[name]
        if why is Exclusion.SECRET or (secret and not self.settings.secrets):
            return Exclusion.SECRET
        if self._exclude.covers(parts) or (self._include and not self._include.covers(parts)):
            return Exclusion.SETTING
        return why

    def _reason_in_name(self, name: str) -> Exclusion | None:
        """What a file's own name says against it."""
        if not self.settings.secrets and is_secret_name(name):
            return Exclusion.SECRET
        if is_generated(name):
            return Exclusion.GENERATED
        language = language_of(name)
        if language is None:
            return Exclusion.UNKNOWN_LANGUAGE
        return None if language in self.settings.languages else Exclusion.LANGUAGE_OFF


def _file_to_read(entry: os.DirEntry[str]) -> FoundFile | SkippedPath:
    """The file of an entry with its date and size, or why it is skipped."""
    try:
        status = entry.stat(follow_symlinks=False)
    except OSError:  # it went away a moment ago
        return SkippedPath(Path(entry.path), Exclusion.UNREADABLE)
    return FoundFile(entry.path, status.st_mtime_ns, status.st_size)


def _is_link(entry: os.DirEntry[str]) -> bool:
    if sys.version_info >= (3, 12):  # the first version that recognises Windows' junctions
        return entry.is_symlink() or entry.is_junction()
    return entry.is_symlink()
