"""N-gram lookup: what followed the last tokens when they were read or written before.

Saxena 2023, "Prompt lookup decoding", with the latest occurrence instead of the first, as code repeats what is near.
"""

from __future__ import annotations

from collections.abc import Sequence

from decoder.draft.alignment import LONGEST, matching_end

_N = 3


class Lookup:
    """The n-grams of a growing sequence."""

    def __init__(self, prompt: Sequence[int]) -> None:
        self._tokens: list[int] = []
        self._latest: dict[tuple[int, ...], int] = {}
        self.extend(prompt)

    def extend(self, tokens: Sequence[int]) -> None:
        """More was written. An n-gram counts once something follows it."""
        for token in tokens:
            if len(self._tokens) >= _N:
                self._latest[tuple(self._tokens[-_N:])] = len(self._tokens)
            self._tokens.append(token)

    def find(self, most: int) -> tuple[Sequence[int], int]:
        """At most `most` tokens that followed the latest occurrence, and how many tokens before them match."""
        index = self._latest.get(tuple(self._tokens[-_N:])) if len(self._tokens) >= _N else None
        if index is None:
            return (), 0
        match = matching_end(self._tokens, index, self._tokens, len(self._tokens), LONGEST)
        return self._tokens[index : index + most], match
