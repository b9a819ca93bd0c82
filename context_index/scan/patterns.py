"""The pattern language of gitignore(5), for ignore files, include and exclude globs, and the globs of controllers.

A pattern matches one path, never what is below it; the caller must apply an ignored directory to its contents, since
nested files and negations would otherwise differ from git (a test compares the two). All lines of a file become one RE2
automaton: they come from whoever wrote the workspace, and `re` takes minutes for a line like `*a*a*a*a*a*a*b`. Parts of
paths are joined with NUL, which no name contains, so that no bracket expression matches it.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence

import re2

_POSIX = {
    "cntrl": r"\x01-\x1f\x7f",  # without NUL
    **{
        name: f"[:{name}:]"
        for name in ("alnum", "alpha", "blank", "digit", "graph", "lower", "print", "punct", "space", "upper", "xdigit")
    },
}


class _NothingMatchesError(ValueError):
    """Git accepts the pattern, but no path can match it."""


class Patterns:
    """The lines of one ignore file; the last one that matches decides."""

    def __init__(self, lines: Iterable[str]) -> None:
        options = re2.Options()
        options.case_sensitive = sys.platform not in {"win32", "darwin"}
        options.log_errors = False
        self._any_of = re2.Set.FullMatchSet(options)
        self._negated: list[bool] = []
        for line in lines:
            if (pattern := _parse(line)) is not None:
                try:
                    self._any_of.Add(pattern[0])
                except re2.error:  # too long for an automaton
                    continue
                self._negated.append(pattern[1])
        self._any_of.Compile()

    def __bool__(self) -> bool:
        return bool(self._negated)

    def ignores(self, parts: Sequence[str], *, directory: bool) -> bool | None:
        """Whether a path is ignored (True), included again by a `!` line (False), or not matched (None)."""
        if not self._negated:
            return None
        path = "\0".join(("d" if directory else "f", *parts))
        matched = self._any_of.Match(path.encode("utf-8", "replace"))
        return not self._negated[max(matched)] if matched else None

    def covers(self, parts: Sequence[str]) -> bool:
        """Whether a file, or a directory around it, is ignored."""
        last = len(parts)
        return any(self.ignores(parts[:depth], directory=depth < last) for depth in range(1, last + 1))


def _parse(line: str) -> tuple[str, bool] | None:
    """The regular expression of a line, for paths after `d` (directories) or `f`, and whether it is a `!` line."""
    line = _without_trailing_spaces(line)
    if not line or line.startswith("#"):
        return None
    negated = line.startswith("!")
    line = line[negated:]
    only_directories = line.endswith("/")
    line = line[:-1] if only_directories else line
    anywhere = "" if "/" in line else r"(?:(?s:.)*\x00)?"
    try:
        regex = _regex(line.removeprefix("/"))
    except _NothingMatchesError:
        return None
    return rf"{'d' if only_directories else '[df]'}\x00{anywhere}{regex}", negated


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
                out.append("(?s:.)+")
            else:
                out.append(r"(?:[^\x00]+\x00)*")
                at += 1
        elif glob[at] == "*":
            out.append(r"[^\x00]*")
            at += 1
        elif glob[at] == "?":
            out.append(r"[^\x00]")
            at += 1
        elif glob[at] == "[":
            text, at = _class(glob, at + 1)
            out.append(text)
        elif glob[at] == "\\":
            if at + 1 == len(glob):
                raise _NothingMatchesError
            out.append(_literal(glob[at + 1]))
            at += 2
        else:
            out.append(_literal(glob[at]))
            at += 1
    if not out:
        raise _NothingMatchesError
    return "".join(out)


def _literal(character: str) -> str:
    return r"\x00" if character == "/" else re2.escape(character)


def _class(glob: str, at: int) -> tuple[str, int]:
    """A bracket expression, read from after its `[`, and the index after it. It never matches a slash."""
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
                members.append(f"{re2.escape(low)}-{re2.escape(high)}")
        else:
            members.append(re2.escape(low))
    if at >= len(glob):
        raise _NothingMatchesError
    body = "".join(members)
    if not negated and not body:
        raise _NothingMatchesError
    return rf"[^\x00{body}]" if negated else f"[{body}]", at + 1


def _member(glob: str, at: int) -> tuple[str, int]:
    if glob[at] == "\\":
        at += 1
    if at >= len(glob):
        raise _NothingMatchesError
    return glob[at], at + 1
