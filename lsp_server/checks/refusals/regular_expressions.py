"""Whether an engine would refuse a regular expression, as far as brackets, ranges, repetitions and flags tell."""

from __future__ import annotations

import re
from typing import Final

from lsp_server.checks.refusals.regular_escapes import has_wrong_escape

_FLAGS: Final = frozenset("dgimsuvy")
_PLAIN_LETTERS: Final = frozenset("aeghijlmoqyzACEFGHIJKLMNOQRTUVXYZ")
"""Letters that a backslash makes nothing else of."""
_GROUP: Final = re.compile(r"\?(?::|=|!|<=|<!|<(?:[^\W\d]|\$)[\w$]*>|[ims]*(?:-[ims]*)?:)")
_ESCAPE: Final = re.compile(r"\\(?:[pPu]\{[^{}]*\}|.|$)", re.DOTALL)
_COUNTS: Final = re.compile(r"\{(\d+)(,(\d*))?\}")


def is_no_pattern(pattern: str, flags: str = "", *, typed: bool = False) -> bool:
    """Whether `/pattern/flags` is refused. Where more would have to be known, it is not.

    Args:
        typed: TypeScript refuses escapes, too, that mean themselves where engines are lax.
    """
    if len(set(flags)) < len(flags) or not set(flags) <= _FLAGS or {"u", "v"} <= set(flags):
        return True
    strict = "u" in flags
    return "v" not in flags and (
        _is_broken(pattern, strict=strict) or has_wrong_escape(pattern, strict=strict, typed=typed)
    )


def _is_broken(pattern: str, *, strict: bool) -> bool:
    depth, at = 0, 0
    repeatable = False
    while at < len(pattern):
        character = pattern[at]
        counts = _COUNTS.match(pattern, at) if character == "{" else None
        step = 1
        if character == "\\":
            escape = _ESCAPE.match(pattern, at)
            step = escape.end() - at if escape else 1
        elif character == "[":
            step = _length_of_class(pattern, at)
        elif character == "(":
            group = _GROUP.match(pattern, at + 1)
            step += group.end() - at - 1 if group else 0
        if (
            not step
            or (character == "(" and pattern.startswith("?", at + 1) and step == 1)
            or (character == ")" and not depth)
            or ((character in "*+?" or counts) and not repeatable)
            or (counts is not None and _is_out_of_order(counts))
            or (strict and character in "{}]" and counts is None)
        ):
            return True
        depth += {"(": 1, ")": -1}.get(character, 0)
        if character in "*+?" or counts:
            at = counts.end() if counts else at + 1
            at += pattern.startswith("?", at)
        else:
            at += step
        repeatable = character not in "(|^$*+?" and counts is None and pattern[at - 2 : at] not in (r"\b", r"\B")
    return depth > 0


def _is_out_of_order(counts: re.Match[str]) -> bool:
    return bool(counts[3]) and int(counts[3]) < int(counts[1])


def _length_of_class(pattern: str, start: int) -> int:
    """How long `[...]` is; 0 where a range in it is out of order, or it does not end."""
    at = start + 1 + pattern.startswith("^", start + 1)
    while at < len(pattern) and pattern[at] != "]":
        first, at = _plain(pattern, at)
        if pattern.startswith("-", at) and not pattern.startswith("-]", at):
            last, at = _plain(pattern, at + 1)
            if first and last and first > last:
                return 0
    return at + 1 - start if at < len(pattern) else 0


def _plain(pattern: str, at: int) -> tuple[str, int]:
    """A character of a class, empty where an escape may mean another one or many, and what is behind it."""
    if not pattern.startswith("\\", at):
        return pattern[at : at + 1], at + 1
    escaped = pattern[at + 1 : at + 2]
    is_itself = bool(escaped) and (not escaped.isalnum() or escaped in _PLAIN_LETTERS)
    return escaped if is_itself else "", at + 2
