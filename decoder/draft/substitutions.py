"""Small replacements that an output has made before, and may make again, as in a rename (`Substitutions`)."""

from __future__ import annotations

from collections.abc import Sequence

_LONGEST = 12
"""The most tokens of either side of a replacement; longer ones seldom recur."""
_FAILURES = 2
"""After so many misses in a row a replacement is forgotten."""

Tokens = tuple[int, ...]


class Substitutions:
    """Replacements of some tokens by others."""

    def __init__(self) -> None:
        self._replacements: dict[Tokens, Tokens] = {}
        """The new tokens, by the old ones."""
        self._failures: dict[Tokens, int] = {}
        """By old tokens: the misses in a row."""
        self._lengths: dict[int, set[int]] = {}
        """By first old token: the lengths of old tokens that were ever learnt."""

    def learn(self, old: Sequence[int], new: Sequence[int]) -> None:
        """Remember that the output had `new` in place of `old`; not if either is empty or too long."""
        old_tokens, new_tokens = tuple(old), tuple(new)
        if not (0 < len(old_tokens) <= _LONGEST and 0 < len(new_tokens) <= _LONGEST):
            return
        self._replacements[old_tokens] = new_tokens
        self._failures[old_tokens] = 0
        self._lengths.setdefault(old_tokens[0], set()).add(len(old_tokens))

    def at(self, draft: Sequence[int], index: int) -> tuple[Tokens, Tokens] | None:
        """The longest replacement of the draft's tokens from `index` on: old and new tokens; None for none."""
        if index >= len(draft):
            return None
        for length in sorted(self._lengths.get(draft[index], ()), reverse=True):
            old = tuple(draft[index : index + length])
            if old in self._replacements:
                return old, self._replacements[old]
        return None

    def record(self, old: Tokens, *, right: bool) -> None:
        """Take note of whether an expected replacement of `old` was made."""
        self._failures[old] = 0 if right else self._failures[old] + 1
        if self._failures[old] >= _FAILURES:
            del self._replacements[old], self._failures[old]
