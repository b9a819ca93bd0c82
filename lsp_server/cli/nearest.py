"""The word that was probably meant by a mistyped one."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_ALIKE = 0.7
"""The share of equal characters from which on two words are alike; `nope` is not `no-prior`."""


def did_you_mean(mistyped: str, known: Iterable[str]) -> str:
    """The end of a sentence about an unknown word: the known word that is most like it, if there is one."""
    from difflib import get_close_matches  # noqa: PLC0415 - only who mistypes needs it

    bare = {word.lstrip("-"): word for word in known}
    near = get_close_matches(mistyped.lstrip("-"), bare, n=1, cutoff=_ALIKE)
    return f"; did you mean '{bare[near[0]]}'?" if near else ""
