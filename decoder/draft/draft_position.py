"""Where a growing output is in its draft (`DraftPosition`).

It follows the output token by token, with the replacements applied that the output has made before, and notices where
the output leaves the draft. It does not look for the place where the draft goes on: it is told one to try.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from decoder.draft.substitutions import Substitutions, Tokens


@dataclass(frozen=True, slots=True)
class Mismatch:
    """Where the output left the draft."""

    draft: int
    """The index of the draft's token that the output does not have."""
    output: int
    """The index of the output's token in its place."""


@dataclass(frozen=True, slots=True)
class _Trial:
    """A place at which the output may go on with the draft."""

    index: int
    """The index of the draft's next token."""
    match: int
    """How many tokens before it are the output's last ones."""


@dataclass(frozen=True, slots=True)
class _Replacement:
    """A replacement that the output is in the middle of."""

    old: Tokens
    """The draft's tokens at the place."""
    new: Tokens
    """The output's tokens instead."""
    written: int
    """How many tokens of `new` the output has already."""


class DraftPosition:
    """The place in a draft that an output has reached.

    It is in one of four states:

    - The output follows the draft: `next` is set, `mismatch` is None, and nothing is tried.
    - It has reached the draft's end: the same, and `next` is the draft's length.
    - It has left the draft: `next` is None, and `mismatch` says where that was. An unexpected token leads here.
    - A place to go on is tried: `next` is this place, and `mismatch` is still set. If the output's next token is the
      draft's at this place, the output follows the draft again, and the edit between is learned as a replacement.
      Otherwise it has left the draft as before.
    """

    def __init__(self, draft: Tokens) -> None:
        self._draft = draft
        self._substitutions = Substitutions()
        self.next: int | None = 0
        """The index of the draft's next token."""
        self.match = 0
        """How many of the output's last tokens in a row are as expected of the draft."""
        self.mismatch: Mismatch | None = None
        """Where the output left the draft."""
        self._trial: _Trial | None = None
        self._replacing: _Replacement | None = None
        """The replacement that the output is in the middle of; None outside of replacements."""

    def ahead(self) -> Iterator[tuple[int, bool]]:
        """The draft's tokens from `next` on, with known replacements; each with whether it is the draft's own."""
        place = self.next or 0
        if self._replacing is not None:
            yield from ((token, False) for token in self._replacing.new[self._replacing.written :])
            place += len(self._replacing.old)
        while place < len(self._draft):
            if substitution := self._substitutions.at(self._draft, place):
                old, new = substitution
                yield from ((token, False) for token in new)
                place += len(old)
            else:
                yield self._draft[place], True
                place += 1

    def try_place(self, index: int, match: int) -> None:
        """Try whether the output goes on with the draft at `index`, before which `match` tokens are its last ones."""
        self._trial, self.next, self.match = _Trial(index, match), index, match

    def follow(self, output: Sequence[int], index: int) -> None:
        """Read the output's token at `index`: move on with the draft, or leave it if the token is unexpected.

        A trial that fails leaves `mismatch` as it is.
        """
        if self.next is None:
            return
        if self._move_on(self.next, output[index]):
            if self._trial is not None:
                self._learn_edit(self._trial, output, index)
            self.match += 1
            return
        if self._trial is None:
            written = 0 if self._replacing is None else self._replacing.written
            self.mismatch = Mismatch(self.next, index - written)
        self.next, self.match, self._trial, self._replacing = None, 0, None, None

    def _move_on(self, place: int, token: int) -> bool:
        """Move on from `place` if the token is the draft's next, replaced or not. Returns whether it is."""
        if self._replacing is not None:
            old, new, written = self._replacing.old, self._replacing.new, self._replacing.written
            if token != new[written]:
                self._substitutions.record(old, right=False)
                return False
            self._move_on_in(place, _Replacement(old, new, written + 1))
            return True
        substitution = self._substitutions.at(self._draft, place)
        if substitution is not None:
            old, new = substitution
            if token == new[0]:
                self._move_on_in(place, _Replacement(old, new, 1))
                return True
            self._substitutions.record(old, right=False)
        if self._draft[place : place + 1] != (token,):
            return False
        self.next = place + 1
        return True

    def _move_on_in(self, place: int, replacement: _Replacement) -> None:
        """Go on with a replacement at `place`; after its last token the next one is after what it replaces."""
        if replacement.written < len(replacement.new):
            self._replacing = replacement
        else:
            self._substitutions.record(replacement.old, right=True)
            self._replacing = None
            self.next = place + len(replacement.old)

    def _learn_edit(self, trial: _Trial, output: Sequence[int], index: int) -> None:
        """Learn the edit that ended before the output's token at `index`: the same replacement may recur.

        The tokens that matched before the trial's place are not part of the edit, on either side.
        """
        if self.mismatch is not None:
            old = self._draft[self.mismatch.draft : trial.index - trial.match]
            self._substitutions.learn(old, output[self.mismatch.output : index - trial.match])
        self._trial = self.mismatch = None
