"""Small replacements that an output has made before, and may make again: what a rename consists of."""

from __future__ import annotations

from collections.abc import Sequence

_LONGEST = 12
"""Tokens of what is replaced, and of what replaces it; longer ones seldom recur."""
_FAILURES = 2
"""After so many misses in a row a replacement is forgotten."""

Tokens = tuple[int, ...]


class Substitutions:
    """Replacements by what they replace. Knows nothing of drafts."""

    def __init__(self) -> None:
        self._replacements: dict[Tokens, Tokens] = {}
        self._failures: dict[Tokens, int] = {}
        self._lengths: dict[int, set[int]] = {}

    def learn(self, old: Sequence[int], new: Sequence[int]) -> None:
        """Remember that the output had `new` in place of `old`."""
        key, value = tuple(old), tuple(new)
        if not (0 < len(key) <= _LONGEST and 0 < len(value) <= _LONGEST):
            return
        self._replacements[key] = value
        self._failures[key] = 0
        self._lengths.setdefault(key[0], set()).add(len(key))

    def at(self, draft: Sequence[int], index: int) -> tuple[Tokens, Tokens] | None:
        """The longest tokens at a place that were replaced before, and what replaced them."""
        if index >= len(draft):
            return None
        for length in sorted(self._lengths.get(draft[index], ()), reverse=True):
            old = tuple(draft[index : index + length])
            if old in self._replacements:
                return old, self._replacements[old]
        return None

    def record(self, old: Tokens, *, right: bool) -> None:
        """Take note of whether an expected replacement was right."""
        self._failures[old] = 0 if right else self._failures[old] + 1
        if self._failures[old] >= _FAILURES:
            del self._replacements[old], self._failures[old]
