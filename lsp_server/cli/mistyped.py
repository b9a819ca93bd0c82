"""The end of a sentence about a mistyped word: which known word may be meant (`did_you_mean`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_ALIKE = 0.7
"""The least likeness (`difflib`'s ratio) of two words; `nope` is not like `no-prior`."""


def did_you_mean(mistyped: str, known: Iterable[str]) -> str:
    """The end of a sentence about an unknown word: the most similar known word; empty if none is similar."""
    from difflib import get_close_matches  # noqa: PLC0415 - only who mistypes needs it

    bare = {word.lstrip("-"): word for word in known}
    near = get_close_matches(mistyped.lstrip("-"), bare, n=1, cutoff=_ALIKE)
    return f"; did you mean '{bare[near[0]]}'?" if near else ""
