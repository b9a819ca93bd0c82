"""The texts of types, taken apart at their signs: what the ways to write them have in common."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from context_index.symbols import RecordType, Type, UnionType

CUT = "..."
UNRESOLVED = frozenset({"any", "Unknown", ""})
"""What a checker says of a name that it does not know."""
ANYTHING = UNRESOLVED | {"Any", "unknown"}
"""The same, and what is declared to be anything."""
_OPENING, _CLOSING, _QUOTES = "([{<", ")]}>", "'\"`"
_ARROWS = frozenset({"->", "=>"})


def flat(parts: Iterable[Type]) -> Iterator[Type]:
    """The types, with those of unions in place of these."""
    return chain.from_iterable(one.of if isinstance(one, UnionType) else [one] for one in parts)


def union(parts: Sequence[Type]) -> Type:
    """The type that is one of some."""
    distinct = tuple(dict.fromkeys(parts)) if all(map(_is_hashable, parts)) else tuple(parts)
    return distinct[0] if len(distinct) == 1 else UnionType(distinct)


def _is_hashable(one: Type) -> bool:
    return not isinstance(one, RecordType)


def split(text: str, separator: str) -> Iterator[str]:
    """The parts of a text at a sign outside of all brackets and quotes."""
    start = 0
    for at, depth in _depths(text):
        if text[at] == separator and not depth:
            yield text[start:at].strip()
            start = at + 1
    if last := text[start:].strip():
        yield last


def closing(text: str, start: int) -> int:
    """Where the bracket at a place is closed; -1 where it is not, or there is none."""
    before = 0
    for at, depth in _depths(text, start) if start >= 0 else ():
        if before > depth == 0:
            return at
        before = depth
    return -1


def _depths(text: str, start: int = 0) -> Iterator[tuple[int, int]]:
    """The place of each sign outside of quotes, and how many brackets are open after it."""
    depth, quote, is_escaped = 0, "", False
    for at in range(start, len(text)):
        sign = text[at]
        if quote:
            quote = "" if sign == quote and not is_escaped else quote
            is_escaped = sign == "\\" and not is_escaped
            continue
        if sign in _QUOTES:
            quote = sign
        elif sign in _OPENING:
            depth += 1
        elif sign in _CLOSING and text[at - 1 : at + 1] not in _ARROWS:
            depth -= 1
        yield at, depth
