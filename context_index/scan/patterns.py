"""The pattern language of gitignore(5), for ignore files and for the user's include and exclude globs.

A pattern speaks of one path, never of what lies below it. That an ignored directory takes its contents along
is for the caller to know: only so do nested files and negations come out as in git (a test compares the two).
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_FLAGS = re.DOTALL | (re.IGNORECASE if sys.platform in {"win32", "darwin"} else re.NOFLAG)
_POSIX = {
    "alnum": "a-zA-Z0-9",
    "alpha": "a-zA-Z",
    "blank": " \\t",
    "cntrl": "\\x00-\\x1f\\x7f",
    "digit": "0-9",
    "graph": "\\x21-\\x7e",
    "lower": "a-z",
    "print": "\\x20-\\x7e",
    "punct": "!-/:-@\\[-`{-~",
    "space": "\\s",
    "upper": "A-Z",
    "xdigit": "0-9a-fA-F",
}


class _NothingMatchesError(ValueError):
    """The pattern is one that git reads and that no path can match."""


@dataclass(frozen=True, slots=True)
class _Pattern:
    regex: re.Pattern[str]
    negated: bool
    only_directories: bool
    name_only: bool
    """No slash in the pattern: it is matched with the last part of the path, at any depth."""


class Patterns:
    """The lines of one ignore file; the last one that matches has the word."""

    def __init__(self, lines: Iterable[str]) -> None:
        patterns = [pattern for line in lines if (pattern := _parse(line)) is not None]
        self._last_first = tuple(reversed(patterns))

    def __bool__(self) -> bool:
        return bool(self._last_first)

    def verdict(self, parts: Sequence[str], *, directory: bool) -> bool | None:
        """Whether the path is matched (True), taken back by a `!` line (False), or not spoken of (None)."""
        path = "/".join(parts)
        for pattern in self._last_first:
            if pattern.only_directories and not directory:
                continue
            if pattern.regex.fullmatch(parts[-1] if pattern.name_only else path):
                return not pattern.negated
        return None

    def cover(self, parts: Sequence[str]) -> bool:
        """Whether a file, or a directory that it lies in, is matched."""
        last = len(parts)
        return any(self.verdict(parts[:depth], directory=depth < last) for depth in range(1, last + 1))


def _parse(line: str) -> _Pattern | None:
    line = _without_trailing_spaces(line)
    if not line or line.startswith("#"):
        return None
    negated = line.startswith("!")
    line = line[negated:]
    only_directories = line.endswith("/")
    line = line[:-1] if only_directories else line
    name_only = "/" not in line
    try:
        regex = _regex(line.removeprefix("/"))
    except _NothingMatchesError:
        return None
    return _Pattern(re.compile(regex, _FLAGS), negated, only_directories, name_only)


def _without_trailing_spaces(line: str) -> str:
    bare = line.rstrip(" ")
    escapes = len(bare) - len(bare.rstrip("\\"))
    return bare + " " if escapes % 2 and bare != line else bare


def _regex(glob: str) -> str:
    """The glob as a regular expression for whole paths."""
    out = []
    at = 0
    while at < len(glob):
        if two_stars := re.compile(r"\*\*+(?=/|$)").match(glob, at) if at == 0 or glob[at - 1] == "/" else None:
            at = two_stars.end()
            if at == len(glob):
                out.append(".+")
            else:
                out.append("(?:[^/]+/)*")
                at += 1
        elif glob[at] == "*":
            out.append("[^/]*")
            at += 1
        elif glob[at] == "?":
            out.append("[^/]")
            at += 1
        elif glob[at] == "[":
            text, at = _class(glob, at + 1)
            out.append(text)
        elif glob[at] == "\\":
            if at + 1 == len(glob):
                raise _NothingMatchesError
            out.append(re.escape(glob[at + 1]))
            at += 2
        else:
            out.append(re.escape(glob[at]))
            at += 1
    if not out:
        raise _NothingMatchesError
    return "".join(out)


def _class(glob: str, at: int) -> tuple[str, int]:
    """A bracket expression from behind its `[`, and where it ends. It never matches a slash."""
    negated = glob[at : at + 1] in {"!", "^"}
    at += negated
    start, members = at, []
    while at < len(glob) and (glob[at] != "]" or at == start):
        if posix := re.compile(r"\[:(\w*):\]").match(glob, at):
            if posix[1] not in _POSIX:
                raise _NothingMatchesError
            members.append(_POSIX[posix[1]])
            at = posix.end()
            continue
        low, at = _member(glob, at)
        if glob[at : at + 1] == "-" and glob[at + 1 : at + 2] not in {"]", ""}:
            high, at = _member(glob, at + 1)
            if low <= high:
                members.append(f"{re.escape(low)}-{re.escape(high)}")
        else:
            members.append(re.escape(low))
    if at >= len(glob):
        raise _NothingMatchesError
    body = "".join(members)
    if negated:
        return f"[^/{body}]", at + 1
    return f"(?!/)[{body}]" if body else "(?!)", at + 1


def _member(glob: str, at: int) -> tuple[str, int]:
    if glob[at] == "\\":
        at += 1
    if at >= len(glob):
        raise _NothingMatchesError
    return glob[at], at + 1
