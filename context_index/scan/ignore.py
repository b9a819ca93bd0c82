"""What git ignores: .gitignore files, nested and negated, and .git/info/exclude, by gitignore(5).

The user's global excludes (`core.excludesFile`) are not read: they belong to the machine, not the workspace. Git's own
index is not read, so a tracked file that a pattern matches counts as ignored.
"""

from __future__ import annotations

import os
from pathlib import Path

from context_index.scan.patterns import Patterns

_NO_PATTERNS = Patterns(())


class GitIgnore:
    """The ignore rules of one tree; each ignore file is read once."""

    def __init__(self, root: Path) -> None:
        """Rules for paths below `root`, which may itself be a directory inside a repository.

        A root that is ignored as a whole was opened on purpose: the rules above it do not count.
        """
        self._root = root
        self._top = root
        """The top of the repository around the root; paths inside this class are the parts of paths below it."""
        self._above: tuple[str, ...] = ()
        """The root's own path below the top."""
        self._exclude = _NO_PATTERNS
        self._patterns_by_directory: dict[tuple[str, ...], Patterns] = {}
        self._rules_by_directory: dict[tuple[str, ...], tuple[tuple[int, Patterns], ...]] = {}
        self._ignored_directories: dict[tuple[str, ...], bool] = {}
        self.forget()

    def ignores(self, parts: tuple[str, ...], *, directory: bool = False) -> bool:
        """Whether git ignores the path with these parts below the root."""
        path = self._above + parts
        if directory:
            return self._ignores_directory(path)
        return self._ignores_directory(path[:-1]) or self._matches(path, directory=False)

    def forget(self) -> None:
        """Read all rules again when next asked: an ignore file changed."""
        places = (self._root, *self._root.parents)
        self._begin_at(next((place for place in places if os.path.lexists(place / ".git")), self._root))
        if self._ignores_directory(self._above):
            self._begin_at(self._root)

    def _begin_at(self, top: Path) -> None:
        """Know no rules yet, and read those of `top` and below it when next asked."""
        self._top, self._above = top, self._root.relative_to(top).parts
        self._patterns_by_directory.clear()
        self._rules_by_directory.clear()
        self._ignored_directories.clear()
        self._exclude = _read_patterns(_git_directory(self._top) / "info" / "exclude")

    def _ignores_directory(self, path: tuple[str, ...]) -> bool:
        """Whether a directory, or one above it, is ignored: then no negation can include a file in it."""
        if not path:
            return False
        known = self._ignored_directories.get(path)
        if known is None:
            known = self._ignores_directory(path[:-1]) or self._matches(path, directory=True)
            self._ignored_directories[path] = known
        return known

    def _matches(self, path: tuple[str, ...], *, directory: bool) -> bool:
        """Whether a path itself is ignored, whatever is above it.

        The deepest ignore file with a line that matches decides, and .git/info/exclude if there is none.
        """
        for depth, patterns in self._rules(path[:-1]):
            is_ignored = patterns.ignores(path[depth:], directory=directory)
            if is_ignored is not None:
                return is_ignored
        return bool(self._exclude and self._exclude.ignores(path, directory=directory))

    def _rules(self, directory: tuple[str, ...]) -> tuple[tuple[int, Patterns], ...]:
        """The ignore files that apply to the content of a directory, the deepest first.

        Each is the number of directories from the top to the file, and the file's patterns.
        """
        known = self._rules_by_directory.get(directory)
        if known is None:
            patterns = self._patterns(directory)
            above = self._rules(directory[:-1]) if directory else ()
            known = ((len(directory), patterns), *above) if patterns else above
            self._rules_by_directory[directory] = known
        return known

    def _patterns(self, directory: tuple[str, ...]) -> Patterns:
        if directory not in self._patterns_by_directory:
            self._patterns_by_directory[directory] = _read_patterns(self._top.joinpath(*directory, ".gitignore"))
        return self._patterns_by_directory[directory]


def _read_patterns(path: Path) -> Patterns:
    """The patterns in an ignore file; none where it cannot be read."""
    text = _read_text(path)
    return _NO_PATTERNS if text is None else Patterns(text.split("\n"))


def _git_directory(top: Path) -> Path:
    """The folder of the repository's own files; in a worktree `.git` is a file that names it."""
    git = top / ".git"
    if (pointer := _read_text(git)) is None:
        return git
    git = top / pointer.removeprefix("gitdir:").strip()
    common = _read_text(git / "commondir")
    return git if common is None else git / common.strip()


def _read_text(path: Path) -> str | None:
    """The text of a file; None where it cannot be read: git passes over such a file as well.

    Where bytes are no UTF-8, only their own line matches nothing, as a comment in Latin-1.
    """
    try:
        return path.read_text(encoding="utf-8-sig", errors="replace")
    except OSError:
        return None
