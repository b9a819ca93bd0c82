"""The pattern language of gitignore(5), for ignore files, include and exclude globs, and the globs of controllers.

A pattern matches one path, never what is below it. The caller must apply an ignored directory to its contents: else
nested ignore files and negations would not work as in git (a test compares the two). `ignore` does so itself, and
`covers` does it for the globs of the settings.

All lines of a file become one RE2 automaton: anybody may have written them, and `re` takes minutes for a line like
`*a*a*a*a*a*a*b`. The parts of a path are joined with NUL, which no name contains, so that no bracket expression matches
a separator.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence

import re2

_TWO_STARS = re.compile(r"\*\*+(?=/|$)")
"""Two or more stars that are a whole part of a path. They match any number of parts; other stars match within one."""
_POSIX_CLASS = re.compile(r"\[:(\w*):\]")
"""A class of characters in a bracket expression, such as `[:digit:]`; the group is its name."""
_POSIX_CLASSES = {
    "cntrl": r"\x01-\x1f\x7f",  # without NUL, which separates the parts
    **{
        name: f"[:{name}:]"
        for name in ("alnum", "alpha", "blank", "digit", "graph", "lower", "print", "punct", "space", "upper", "xdigit")
    },
}
"""The classes by their names, as RE2 writes them in a bracket expression."""


class _NothingMatchesError(ValueError):
    """Git accepts the pattern, but no path can match it."""


class Patterns:
    """The lines of one ignore file; the last one that matches decides."""

    def __init__(self, lines: Iterable[str]) -> None:
        """The patterns of the lines; blank lines, comments and lines that can match nothing are left out."""
        options = re2.Options()
        # as git does on the platform's usual file system
        options.case_sensitive = sys.platform not in {"win32", "darwin"}
        options.log_errors = False
        self._regexes = re2.Set.FullMatchSet(options)
        self._negated: list[bool] = []
        """For each regular expression, whether its line begins with `!`."""
        for line in lines:
            if (parsed := _parsed_line(line)) is not None:
                regex, is_negated = parsed
                try:
                    self._regexes.Add(regex)
                except re2.error:  # too long for an automaton
                    continue
                self._negated.append(is_negated)
        self._regexes.Compile()

    def __bool__(self) -> bool:
        """Whether any line has a pattern."""
        return bool(self._negated)

    def ignores(self, parts: Sequence[str], *, directory: bool) -> bool | None:
        """Whether a path is ignored (True), included again by a `!` line (False), or not matched (None).

        Args:
            parts: The path's parts, from the directory of the ignore file on.
            directory: Whether the path is that of a directory: a line that ends with `/` matches no file.
        """
        if not self._negated:
            return None
        path = "\0".join(("d" if directory else "f", *parts))
        matched = self._regexes.Match(path.encode("utf-8", "replace"))
        return not self._negated[max(matched)] if matched else None

    def covers(self, parts: Sequence[str]) -> bool:
        """Whether a file, or a directory around it, is ignored; no `!` line includes a file of an ignored directory."""
        last = len(parts)
        return any(self.ignores(parts[:depth], directory=depth < last) for depth in range(1, last + 1))


def _parsed_line(line: str) -> tuple[str, bool] | None:
    """The regular expression of a line, and whether the line begins with `!`; None for one that matches nothing.

    The expression is for paths after a part `d` (of directories) or `f` (of files): `build/` becomes an expression for
    `d`, any parts and `build`, joined with NUL. A line with a slash before its end matches from the first part on.
    """
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
    r"""The line without the spaces at its end, but with one that a backslash escapes: `a\  ` is `a\ `."""
    bare = line.rstrip(" ")
    escapes = len(bare) - len(bare.rstrip("\\"))
    return bare + " " if escapes % 2 and bare != line else bare


def _regex(glob: str) -> str:
    """The regular expression of a glob, for whole paths whose parts are joined with NUL.

    Raises:
        _NothingMatchesError: no path can match the glob.
    """
    pieces = []
    at = 0
    while at < len(glob):
        if two_stars := _TWO_STARS.match(glob, at) if at == 0 or glob[at - 1] == "/" else None:
            at = two_stars.end()
            if at == len(glob):  # `shop/**`: all that is below
                pieces.append("(?s:.)+")
            else:  # `**/cart`: any parts, or none, each with the separator after it
                pieces.append(r"(?:[^\x00]+\x00)*")
                at += 1
        elif glob[at] == "*":
            pieces.append(r"[^\x00]*")
            at += 1
        elif glob[at] == "?":
            pieces.append(r"[^\x00]")
            at += 1
        elif glob[at] == "[":
            text, at = _bracket_expression(glob, at + 1)
            pieces.append(text)
        elif glob[at] == "\\":
            if at + 1 == len(glob):
                raise _NothingMatchesError
            pieces.append(_literal(glob[at + 1]))
            at += 2
        else:
            pieces.append(_literal(glob[at]))
            at += 1
    if not pieces:
        raise _NothingMatchesError
    return "".join(pieces)


def _literal(character: str) -> str:
    """The regular expression of one character; a slash is the separator, NUL."""
    return r"\x00" if character == "/" else re2.escape(character)


def _bracket_expression(glob: str, at: int) -> tuple[str, int]:
    """The regular expression of a bracket expression whose `[` is before `at`, and the index after its `]`.

    It never matches a slash. A `]` that is its first member is an ordinary character: `[]a]`. A range whose ends are
    in the wrong order is no member: `[z-a]`.

    Raises:
        _NothingMatchesError: it has no end, no member or an unknown class; then git matches nothing with the glob.
    """
    negated = glob[at : at + 1] in {"!", "^"}
    at += negated
    start, members = at, []
    while at < len(glob) and (glob[at] != "]" or at == start):
        if posix := _POSIX_CLASS.match(glob, at):
            if posix[1] not in _POSIX_CLASSES:
                raise _NothingMatchesError
            members.append(_POSIX_CLASSES[posix[1]])
            at = posix.end()
            continue
        low, at = _class_member(glob, at)
        if glob[at : at + 1] == "-" and glob[at + 1 : at + 2] not in {"]", ""}:
            high, at = _class_member(glob, at + 1)
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


def _class_member(glob: str, at: int) -> tuple[str, int]:
    """A character of a bracket expression, without its backslash, and the index after it.

    Raises:
        _NothingMatchesError: the glob ends after the backslash.
    """
    if glob[at] == "\\":
        at += 1
    if at >= len(glob):
        raise _NothingMatchesError
    return glob[at], at + 1
