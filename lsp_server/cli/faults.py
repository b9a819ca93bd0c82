"""Sentences about two kinds of mistakes: an unexpected error in Inscope, and a mistyped word."""

from __future__ import annotations

import os
import shlex
import sys
import traceback
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_ALIKE = 0.7
"""The least likeness (`difflib`'s ratio) of two words; `nope` is not like `no-prior`."""


def unexpected(error: Exception) -> str:
    """A sentence about an unexpected error; with INSCOPE_TRACEBACK set, its traceback is printed first."""
    if os.environ.get("INSCOPE_TRACEBACK"):
        traceback.print_exception(error)
    message = " ".join(str(error).split())
    if isinstance(error, ImportError):
        again = f"{shlex.quote(sys.executable)} -m pip install --force-reinstall inscope"
        return (
            f"Inscope's installation is broken, a package cannot be imported ({message}). Install it again: {again} "
            "(set INSCOPE_TRACEBACK=1 to see where it is wanted)"
        )
    what = f"{type(error).__name__}: {message}" if message else type(error).__name__
    return f"an error in Inscope itself, {what} (set INSCOPE_TRACEBACK=1 to see where, and please report it)"


def did_you_mean(mistyped: str, known: Iterable[str]) -> str:
    """The end of a sentence about an unknown word: the most similar known word; empty if none is similar."""
    from difflib import get_close_matches  # noqa: PLC0415 - only who mistypes needs it

    bare = {word.lstrip("-"): word for word in known}
    near = get_close_matches(mistyped.lstrip("-"), bare, n=1, cutoff=_ALIKE)
    return f"; did you mean '{bare[near[0]]}'?" if near else ""
