"""Escapes in regular expressions: strict ones (`u`) have no others than those that mean something."""

from __future__ import annotations

import re
from typing import Final

_STRICT: Final = re.compile(
    r"\\(?:[\^$\\.*+?()\[\]{}|/dDsSwWbfnrtv]|c[A-Za-z]|0(?!\d)|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}"
    r"|u\{0*(?:10|[0-9a-fA-F])?[0-9a-fA-F]{1,4}\}|[pP]\{[\w=]+\}|k<[^<>]+>|[1-9]\d*)"
)
_OUTSIDE: Final = re.compile(r"\\B")
_WITHIN: Final = re.compile(r"\\-")
_MANY: Final = re.compile(r"\\[dDsSwWpP]")
"""Escapes that mean many characters: no range begins or ends with one."""
_UNICODE: Final = re.compile(r"\\(?:[pP]\{|u\{)")
_NAME: Final = re.compile(r"\(\?<((?:[^\W\d]|\$)[\w$]*)>")
_BACK: Final = re.compile(r"\\(?:k<([^<>]+)>|([1-9]\d*))")
_OPENING: Final = re.compile(r"\((?!\?)|\(\?<(?![=!])")
_ESCAPE: Final = re.compile(r"\\.", re.DOTALL)


def has_wrong_escape(pattern: str, *, strict: bool, typed: bool) -> bool:
    """Whether one means nothing, or a group that is not there."""
    names, groups = _NAME.findall(pattern), len(_OPENING.findall(_ESCAPE.sub("", pattern)))
    if "|" not in pattern and len(names) != len(set(names)):
        return True
    at, in_class = 0, False
    while at < len(pattern):
        if pattern[at] != "\\":
            in_class = pattern[at] == "[" or (in_class and pattern[at] != "]")
            at += 1
            continue
        back = None if in_class else _BACK.match(pattern, at)
        if back is not None and _is_missing(back, names, groups, strict=strict or typed):
            return True
        if strict and not _is_strict(pattern, at, in_class=in_class):
            return True
        if typed and not strict and _UNICODE.match(pattern, at):
            return True
        at += 2
    return False


def _is_missing(back: re.Match[str], names: list[str], groups: int, *, strict: bool) -> bool:
    """Whether it is said that a group comes again which is not there."""
    if back[1] is not None:
        return back[1] not in names and (strict or bool(names))
    return strict and int(back[2]) > groups


def _is_strict(pattern: str, at: int, *, in_class: bool) -> bool:
    if (_WITHIN if in_class else _OUTSIDE).match(pattern, at):
        return True
    if _STRICT.match(pattern, at) is None or (in_class and _BACK.match(pattern, at)):
        return False
    is_many = in_class and _MANY.match(pattern, at) is not None
    end = pattern.find("}", at) + 1 if pattern[at + 1] in "pP" else at + 2
    follows = pattern.startswith("-", end) and not pattern.startswith("-]", end)
    precedes = pattern[at - 1] == "-" and pattern[at - 2] not in "[^"
    return not (is_many and (follows or precedes))
