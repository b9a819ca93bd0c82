"""Helpers for reading the texts of types, shared by the parts `written_types` of the languages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from context_index.symbols import RecordType, Type, UnionType

CUT = "..."
"""What a checker writes in place of what it leaves out."""
UNRESOLVED = frozenset({"any", "Unknown", ""})
"""The types that a checker writes for a name that it does not know."""
ANYTHING = UNRESOLVED | {"Any", "unknown"}
"""These, and the types of names that are declared to be anything."""
ANY_OBJECT = ANYTHING | {"object", "{}"}
"""These, and the types that each object has."""
NOTHING = frozenset({"null", "undefined"})
"""TypeScript's types of what is no value."""
_LITERAL = "Literal["
_OPENING, _CLOSING, _QUOTES = "([{<", ")]}>", "'\"`"
_ARROWS = frozenset({"->", "=>"})


def flat(types: Iterable[Type]) -> Iterator[Type]:
    """The types, with each union replaced by its members."""
    return chain.from_iterable(each.of if isinstance(each, UnionType) else [each] for each in types)


def union(types: Sequence[Type]) -> Type:
    """The union of types; a single distinct type is returned itself."""
    distinct = tuple(dict.fromkeys(types)) if all(map(_is_hashable, types)) else tuple(types)
    return distinct[0] if len(distinct) == 1 else UnionType(distinct)


def _is_hashable(type_: Type) -> bool:
    return not isinstance(type_, RecordType)


def says_nothing(of_type: str) -> bool:
    """Whether a type, or one of a union, is that of anything or of any object: it says nothing of the members."""
    return not of_type or not ANY_OBJECT.isdisjoint(split(of_type, "|"))


def split(text: str, separator: str) -> Iterator[str]:
    """The parts of a text between separators, stripped; a separator inside brackets or quotes does not count."""
    start = 0
    for at, depth in _depths(text):
        if text[at] == separator and not depth:
            yield text[start:at].strip()
            start = at + 1
    if last := text[start:].strip():
        yield last


def literal_texts(text: str) -> frozenset[str]:
    """The strings of which a type is one: of `"on" | "off"`, and of `Literal["on", "off"]`; empty for other types."""
    texts = set[str]()
    for part in split(text, "|"):
        is_list = part.startswith(_LITERAL) and part.endswith("]")
        for each in split(part.removeprefix(_LITERAL)[:-1], ",") if is_list else [part]:
            inner = each[1:-1]
            if len(each) < len("''") or each[0] not in "'\"" or each[-1] != each[0] or "\\" in inner:
                return frozenset()
            texts.add(inner)
    return frozenset(texts)


def closing(text: str, start: int) -> int:
    """The offset of the bracket that closes the one at `start`; -1 if none does, or `start` is -1."""
    previous_depth = 0
    for at, depth in _depths(text, start) if start >= 0 else ():
        if previous_depth > depth == 0:
            return at
        previous_depth = depth
    return -1


def _depths(text: str, start: int = 0) -> Iterator[tuple[int, int]]:
    """The offset of each character outside of quotes, and how many brackets are open after it."""
    depth, quote, is_escaped = 0, "", False
    for at in range(start, len(text)):
        character = text[at]
        if quote:
            quote = "" if character == quote and not is_escaped else quote
            is_escaped = character == "\\" and not is_escaped
            continue
        if character in _QUOTES:
            quote = character
        elif character in _OPENING:
            depth += 1
        elif character in _CLOSING and text[at - 1 : at + 1] not in _ARROWS:
            depth -= 1
        yield at, depth
