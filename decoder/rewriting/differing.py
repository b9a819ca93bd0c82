"""In how many places two texts differ: what was done at one and not at another shows as one place each."""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Final

from decoder.rewriting.original import LEXEME

if TYPE_CHECKING:
    from collections.abc import Iterator

_MANY: Final = 300
"""Lexemes on either side that differ in one go, above which nobody counts places: that would take seconds."""


def differing(text: str, other: str, most: int) -> int:
    """The places, so many at most."""
    found = 0
    for one, another in changed_lines(text, other):
        found += _places(LEXEME.findall(one), LEXEME.findall(another))
        if found >= most:
            return most
    return found


def changed_lines(one: str, other: str) -> Iterator[tuple[str, str]]:
    """The lines in which two texts differ, each with what stands for it, or several where there are more or fewer."""
    lines, others = one.splitlines(), other.splitlines()
    for change, start, stop, begin, end in SequenceMatcher(None, lines, others, autojunk=False).get_opcodes():
        if change == "equal":
            continue
        if stop - start == end - begin:
            yield from zip(lines[start:stop], others[begin:end], strict=True)
        else:
            yield "\n".join(lines[start:stop]), "\n".join(others[begin:end])


def _places(one: list[str], other: list[str]) -> int:
    """In how many places two texts differ."""
    shortest = min(len(one), len(other))
    alike = next((at for at in range(shortest) if one[at] != other[at]), shortest)
    one, other = one[alike:], other[alike:]
    if len(one) * len(other) > _MANY**2:
        return _MANY
    changes = SequenceMatcher(None, one, other, autojunk=False).get_opcodes()
    return sum(change != "equal" for change, *_ in changes)
