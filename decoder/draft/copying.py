"""Expects that a text repeats an earlier part of itself, with variations (`Copying`).

N-gram lookup finds the earlier part (Saxena 2023, "Prompt lookup decoding"; the latest occurrence is taken, as code
repeats what is near). From there on both parts are compared token by token, as lines that vary one pattern: after a
token that differs the next may agree again, and what took the place of a token once may do so again.
"""

from __future__ import annotations

from collections.abc import Sequence

from decoder.draft.alignment import LONGEST, matching_end

NGRAM = 3
"""Tokens that must agree for an earlier part to be found."""
_COMPARED = 8
"""The number of last tokens of which it is kept whether they agreed."""
_MOST_DIFFERENCES = 5
"""If more of these differ, the text no longer repeats the earlier part. Counted in Python's own library and in packages
of npm: if 3 of 8 agree, 1 in 20 of the next does. If 7 agree, a quarter does right after the one that differs, and 3 in
4 later."""


class Copying:
    """A growing text, and the place in it that its end repeats."""

    def __init__(self, prompt: Sequence[int]) -> None:
        self._tokens: list[int] = []
        self._latest: dict[tuple[int, ...], int] = {}
        """By n-gram: the index after its latest occurrence that something follows."""
        self._place: int | None = None
        """Index of the earlier token with which the next one is compared; None where the text repeats nothing."""
        self._replaced_by: dict[int, int] = {}
        """By earlier token: the token that was last written in its place."""
        self._differed = 0
        """A bit for each of the last `_COMPARED` tokens: 1 where it was not as expected."""
        self.match = 0
        """How many of the last tokens in a row were as expected."""
        self.extend(prompt)

    @property
    def differences(self) -> int:
        """How many of the last `_COMPARED` tokens were not as expected."""
        return self._differed.bit_count()

    def extend(self, tokens: Sequence[int]) -> None:
        """Append tokens to the text."""
        for token in tokens:
            self._compare(token)
            if len(self._tokens) >= NGRAM:
                self._latest[tuple(self._tokens[-NGRAM:])] = len(self._tokens)
            self._tokens.append(token)
            if self.match < NGRAM:
                self._look_up()

    def next(self) -> int | None:
        """The token that is expected next; None where nothing is."""
        return next(iter(self.ahead(1)), None)

    def ahead(self, most: int) -> Sequence[int]:
        """The tokens that are expected next, at most `most`; none where nothing is expected."""
        if self._place is None:
            return ()
        return [self._replaced_by.get(token, token) for token in self._tokens[self._place : self._place + most]]

    def _compare(self, token: int) -> None:
        """Compare a new token with the earlier one, and move on; give the earlier part up if too many differ."""
        if self._place is None:
            return
        earlier = self._tokens[self._place]
        expected = self._replaced_by.get(earlier, earlier)
        self.match = self.match + 1 if token == expected else 0
        self._differed = (self._differed << 1 | (token != expected)) & ((1 << _COMPARED) - 1)
        if token == earlier:
            self._replaced_by.pop(earlier, None)
        else:
            self._replaced_by[earlier] = token
        self._place += 1
        if self.differences > _MOST_DIFFERENCES:
            self._place, self.match = None, 0

    def _look_up(self) -> None:
        """Find the earlier part that the last tokens repeat, if it is another than the present one."""
        place = self._latest.get(tuple(self._tokens[-NGRAM:]))
        if place is None or place == self._place:
            return
        self._place, self._differed = place, 0
        self._replaced_by.clear()
        self.match = matching_end(self._tokens, place, self._tokens, len(self._tokens), LONGEST)
