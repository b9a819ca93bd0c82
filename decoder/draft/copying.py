"""Expects that a text repeats an earlier part of itself, with variations.

N-gram lookup (Saxena 2023, "Prompt lookup decoding", with the latest occurrence, as code repeats what is near) finds
the earlier part. From there on both are compared token by token, as lines that vary one pattern: after a token that
differs the next may agree again, and what took the place of a token once may do so again.
"""

from __future__ import annotations

from collections.abc import Sequence

from decoder.draft.alignment import LONGEST, matching_end

NGRAM = 3
"""Tokens that must agree for an earlier part to be found."""
_REMEMBERED = 8
"""The last tokens for which it is known whether they agreed."""
_HOPELESS = 5
"""If more of these differ, it is another text. (With 3 of 8 that agree, 1 in 20 of the next do in Python's own library
and in packages of npm; with 7, a quarter after one that differs, and 3 of 4 after it.)"""


class Copying:
    """A growing text, and the place in it that its end repeats."""

    def __init__(self, prompt: Sequence[int]) -> None:
        self._tokens: list[int] = []
        self._latest: dict[tuple[int, ...], int] = {}
        self._place: int | None = None
        """Index of the earlier token with which the next one is compared."""
        self._instead: dict[int, int] = {}
        """What was last written in place of an earlier token."""
        self._differed = 0
        """One bit for each of the last `_REMEMBERED` tokens."""
        self.match = 0
        """Tokens up to the end that were as expected."""
        self.extend(prompt)

    @property
    def differences(self) -> int:
        """How many of the last eight were not as expected."""
        return self._differed.bit_count()

    def extend(self, tokens: Sequence[int]) -> None:
        """The text goes on. An n-gram can be found once something follows it."""
        for token in tokens:
            self._compare(token)
            if len(self._tokens) >= NGRAM:
                self._latest[tuple(self._tokens[-NGRAM:])] = len(self._tokens)
            self._tokens.append(token)
            if self.match < NGRAM:
                self._look_up()

    def next(self) -> int | None:
        """The token that is expected; None where nothing is."""
        return next(iter(self.ahead(1)), None)

    def ahead(self, most: int) -> Sequence[int]:
        """At most so many tokens that are expected."""
        if self._place is None:
            return ()
        return [self._instead.get(token, token) for token in self._tokens[self._place : self._place + most]]

    def _compare(self, token: int) -> None:
        if self._place is None:
            return
        earlier = self._tokens[self._place]
        expected = self._instead.get(earlier, earlier)
        self.match = self.match + 1 if token == expected else 0
        self._differed = (self._differed << 1 | (token != expected)) & ((1 << _REMEMBERED) - 1)
        if token == earlier:
            self._instead.pop(earlier, None)
        else:
            self._instead[earlier] = token
        self._place += 1
        if self.differences > _HOPELESS:
            self._place, self.match = None, 0

    def _look_up(self) -> None:
        place = self._latest.get(tuple(self._tokens[-NGRAM:]))
        if place is None or place == self._place:
            return
        self._place, self._differed = place, 0
        self._instead.clear()
        self.match = matching_end(self._tokens, place, self._tokens, len(self._tokens), LONGEST)
