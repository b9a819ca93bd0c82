"""What a rewritten text is worth beside its probability: people want a text changed, and the same change everywhere.

All that is said here shows only once the whole text is there, so it is taken off the score of a text and refuses
nothing. Knows nothing of models.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from decoder.rewriting import formatted, joined
from decoder.rewriting.guess import Meant
from decoder.rewriting.misread import misread

if TYPE_CHECKING:
    from collections.abc import Container

    from decoder.rewriting.guess import Guess

UNCHANGED: Final = 8.0
"""Nats off the original again but for white space: somebody wanted it changed."""
MISREAD: Final = 16.0
"""Nats off where a word of the wish stands for a name though nobody asked for that: rather the original again."""
UNEVEN: Final = 4.0
"""Nats off for each place at which something is not done that is done at others, is done where it is not due, or at
which something else is changed beside it."""
_MOST: Final = 2
"""Places that count: behind more of them there is another reason."""
_F_STRING: Final = re.compile(r"""(?<![\w'"])[fF](["'])((?:\\.|(?!\1)[^\\\n])*)\1(?!\1)""")
_TEMPLATE: Final = re.compile(r"""(`)((?:\\.|[^\\`])*)`""", re.DOTALL)


class Worth:
    """Of rewritings of one text.

    Args:
        instruction: What is asked for.
        original: The text that is written anew.
        guess: What the instruction may want.
        python: Whether it is Python; else JavaScript or TypeScript.
        known: Names that mean something there.
    """

    def __init__(
        self,
        instruction: str,
        original: str,
        guess: Guess | None,
        *,
        python: bool,
        known: Container[str] = frozenset(),
    ) -> None:
        self._instruction = instruction
        self._original = original
        self._known = known
        self._words = original.split()
        self._guess = guess
        self._python = python
        self._count = formatted.count if python else joined.count
        self._put_in = _F_STRING if python else _TEMPLATE
        self._others = self._count(original)
        self._before = len(self._put_in.findall(original))
        self._empty_before = self._empty(original)

    def is_unchanged(self, text: str) -> bool:
        """Whether it is the original but for white space."""
        return text.split() == self._words

    def is_half_formatted(self, text: str) -> bool:
        """Whether it has more f-strings or templates than the original, and other strings that values are put into."""
        return bool(self._others and self._count(text)) and len(self._put_in.findall(text)) > self._before

    def of(self, text: str) -> float:
        """Nats, 0 at most."""
        if isinstance(self._guess, Meant):
            return self._of_meant(text, self._guess)
        if self.is_unchanged(text):
            return -UNCHANGED
        if misread(self._instruction, self._original, text, python=self._python, known=self._known):
            return -MISREAD
        uneven = 0 if self._guess is None else self._guess.astray(text, _MOST)
        uneven += max(0, self._empty(text) - self._empty_before)
        uneven += self._count(text) if self.is_half_formatted(text) else 0
        return -UNEVEN * min(uneven, _MOST)

    def _of_meant(self, text: str, meant: Meant) -> float:
        """Where there is no doubt what is wanted: what departs from it is worse than the original again."""
        if meant.is_made_in(text):
            return 0.0
        return -UNCHANGED if self.is_unchanged(text) else -MISREAD

    def _empty(self, text: str) -> int:
        """f-strings or templates that nothing is put into."""
        return sum("{" not in found[1] for found in self._put_in.findall(text))
