"""What followed the last tokens when they were read or written before, and goes on alike after a difference.

N-gram lookup (Saxena 2023, "Prompt lookup decoding", with the latest occurrence, as code repeats what is near) finds
the place. From there on tokens stand one below the other, as in lines that vary one pattern: where one differs the next
may agree again, and what took the place of a token once may do so again.
"""

from __future__ import annotations

from collections.abc import Sequence

from decoder.draft.alignment import LONGEST, matching_end

N = 3
"""Tokens that must agree for a place to be found."""
_REMEMBERED = 8
"""Tokens of which is known whether they agreed."""
_HOPELESS = 5
"""More of these differed: it is another text. (With 3 of 8 that agree, 1 in 20 of the next do in Python's own library
and in packages of npm; with 7, a quarter after one that differs, and 3 of 4 after it.)"""


class Copying:
    """A growing text, and the place in it that its end repeats."""

    def __init__(self, prompt: Sequence[int]) -> None:
        self._tokens: list[int] = []
        self._latest: dict[tuple[int, ...], int] = {}
        self._place: int | None = None
        """Index of the token that is below the next one."""
        self._instead: dict[int, int] = {}
        self._differed = 0
        """One bit for each of the last tokens."""
        self.match = 0
        """Tokens up to the end that were as expected."""
        self.extend(prompt)

    @property
    def differences(self) -> int:
        """How many of the last eight were not as expected."""
        return self._differed.bit_count()

    def extend(self, tokens: Sequence[int]) -> None:
        """More was written. An n-gram counts once something follows it."""
        for token in tokens:
            self._compare(token)
            if len(self._tokens) >= N:
                self._latest[tuple(self._tokens[-N:])] = len(self._tokens)
            self._tokens.append(token)
            if self.match < N:
                self._look_up()

    def next(self) -> int | None:
        """The token that is expected; None where nothing is."""
        if self._place is None:
            return None
        token = self._tokens[self._place]
        return self._instead.get(token, token)

    def ahead(self, most: int) -> Sequence[int]:
        """At most so many tokens that are expected."""
        if self._place is None:
            return ()
        return [self._instead.get(token, token) for token in self._tokens[self._place : self._place + most]]

    def _compare(self, token: int) -> None:
        if self._place is None:
            return
        below = self._tokens[self._place]
        expected = self._instead.get(below, below)
        self.match = self.match + 1 if token == expected else 0
        self._differed = (self._differed << 1 | (token != expected)) & ((1 << _REMEMBERED) - 1)
        if token == below:
            self._instead.pop(below, None)
        else:
            self._instead[below] = token
        self._place += 1
        if self.differences > _HOPELESS:
            self._place, self.match = None, 0

    def _look_up(self) -> None:
        place = self._latest.get(tuple(self._tokens[-N:]))
        if place is None or place == self._place:
            return
        self._place, self._differed = place, 0
        self._instead.clear()
        self.match = matching_end(self._tokens, place, self._tokens, len(self._tokens), LONGEST)
