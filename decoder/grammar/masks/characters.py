"""Texts as arrays of characters."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from decoder.grammar.dfa import ASCII

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from decoder.grammar.dfa import Dfa

    Codes = npt.NDArray[np.int32]
    Flags = npt.NDArray[np.bool_]


def codes_of(text: str) -> Codes:
    """The code points of a text."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4").astype(np.int32)


def those(codes: Codes, holds: Callable[[str], object]) -> Flags:
    """Which code points something holds of; it is asked once about each character."""
    found = np.flatnonzero(np.bincount(codes))
    table = np.zeros(int(found.max(initial=0)) + 1, dtype=np.bool_)
    table[found] = [bool(holds(chr(code))) for code in found.tolist()]
    return table[codes]


def columns_of(dfa: Dfa, codes: Codes) -> Codes:
    """The columns of a lexer's rows in which code points stand; the first for what is below zero."""
    run = np.searchsorted(np.array(dfa.class_starts), codes, "right") - 1
    classes = np.array(dfa.class_of_run, dtype=np.int32)
    return np.where(codes < ASCII, np.maximum(codes, 0), ASCII + classes[run]).astype(np.int32)
