"""The files of a workspace that are worth reading, and for every other one the reason why not.

Knows names, sizes and bytes; nothing of programs. Symbolic links are not followed, as git does not follow
them: loops cannot arise, and a link never leads to a file that its own name would exclude.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from context_index.scan.exclusion import Exclusion, ScanSettings, is_generated, is_secret, is_vendored
from context_index.scan.ignore import GitIgnore
from context_index.scan.patterns import Patterns
from context_index.text import language_of

_MINIFIED_LINE = 500
"""Mean line length from which on a text of some size was written by no person."""
_MINIFIED_SIZE = 5_000


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file or a directory that is left alone."""

    path: Path
    why: Exclusion


class Scanner:
    """Walks the roots of a workspace and judges single paths by the same rules."""

    def __init__(self, roots: Sequence[Path], settings: ScanSettings) -> None:
        self._roots = tuple(root.absolute() for root in roots)
        self._settings = settings
        self._include = Patterns(settings.include)
        self._exclude = Patterns(settings.exclude)
        self._ignores = {root: GitIgnore(root) for root in self._roots}

    @property
    def roots(self) -> tuple[Path, ...]:
        """The roots as absolute paths."""
        return self._roots

    def root_of(self, path: Path) -> Path | None:
        """The innermost root that holds the path."""
        return max(
            (root for root in self._roots if path.is_relative_to(root)),
            key=lambda r: len(r.parts),
            default=None,
        )

    def walk(self) -> Iterator[Path | Skipped]:
        """Every file, or why it is left alone. Of a directory that is left alone, the files are not told.

        Files come sorted, so that two walks of one tree agree. A root inside another is walked with that one.
        """
        for root in self._roots:
            if not any(root != other and root.is_relative_to(other) for other in self._roots):
                yield from self._walk(root, (), self._ignores[root])

    def excluded(self, path: Path) -> Exclusion | None:
        """Why a file is not read, judged by name and place alone; None where nothing speaks against it.

        The file need not exist. One outside of all roots is judged by its own name.
        """
        root = self.root_of(path)
        parts = path.relative_to(root).parts if root else path.parts[-1:]
        if not parts:
            return None
        if why := self._by_name(parts):
            return why
        if path.is_symlink() and not self._settings.secrets and is_secret(path.resolve().parts):
            return Exclusion.SECRET
        if any(is_vendored(part) for part in parts[:-1]):
            return Exclusion.VENDORED
        if root is not None and self._ignores[root].ignores(parts):
            return Exclusion.IGNORED
        return None

    def read(self, path: Path) -> str | Exclusion:
        """The text of a file, or why it has none for us."""
        try:
            if path.stat().st_size > self._settings.max_bytes:
                return Exclusion.TOO_LARGE
            data = path.read_bytes()
        except OSError:
            return Exclusion.UNREADABLE
        return _text(data)

    def forget_ignore_rules(self) -> None:
        """Read ignore files anew: one of them changed."""
        for rules in self._ignores.values():
            rules.forget()

    def _walk(self, directory: Path, parts: tuple[str, ...], ignore: GitIgnore) -> Iterator[Path | Skipped]:
        try:
            with os.scandir(directory) as listing:
                entries = sorted(listing, key=lambda entry: entry.name)
        except OSError:
            yield Skipped(directory, Exclusion.UNREADABLE)
            return
        for entry in entries:
            path, below = directory / entry.name, (*parts, entry.name)
            if _is_link(entry):
                yield Skipped(path, Exclusion.LINK)
            elif entry.is_dir(follow_symlinks=False):
                if why := self._skips_directory(path, below, ignore):
                    yield Skipped(path, why)
                else:
                    yield from self._walk(path, below, ignore)
            elif why := self._by_name(below) or (Exclusion.IGNORED if ignore.ignores(below) else None):
                yield Skipped(path, why)
            elif entry.is_file(follow_symlinks=False):  # not a pipe, a socket or a device
                yield path

    def _skips_directory(self, path: Path, parts: tuple[str, ...], ignore: GitIgnore) -> Exclusion | None:
        if is_vendored(parts[-1]) or (path / "pyvenv.cfg").exists():
            return Exclusion.VENDORED
        return Exclusion.IGNORED if ignore.ignores(parts, directory=True) else None

    def _by_name(self, parts: Sequence[str]) -> Exclusion | None:
        """The reasons that a path alone gives, the gravest first."""
        settings = self._settings
        if not settings.secrets and is_secret(parts):
            return Exclusion.SECRET
        if self._exclude.cover(parts) or (self._include and not self._include.cover(parts)):
            return Exclusion.SETTING
        if is_generated(parts[-1]):
            return Exclusion.GENERATED
        language = language_of(parts[-1])
        if language is None:
            return Exclusion.UNKNOWN_LANGUAGE
        return None if language in settings.languages else Exclusion.LANGUAGE_OFF


def _is_link(entry: os.DirEntry[str]) -> bool:
    if sys.version_info >= (3, 12):  # the first that can tell the junctions of Windows
        return entry.is_symlink() or entry.is_junction()
    return entry.is_symlink()


def _text(data: bytes) -> str | Exclusion:
    """The characters of a file that a person may have written."""
    if b"\0" in data:
        return Exclusion.BINARY
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return Exclusion.NOT_UTF8
    if len(text) > _MINIFIED_SIZE and len(text) > _MINIFIED_LINE * (1 + len(re.findall(r"\r\n|\n|\r", text))):
        return Exclusion.GENERATED
    return text
