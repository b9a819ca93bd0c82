"""What an instruction may want of strings that values are put into: all of them as f-strings, or as templates.

That it speaks of these is told by its words. It is a guess, as in `substitution`: a text that is weighed like others.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from decoder.rewriting.original import Original

_SPEAKS_OF: Final = {
    True: re.compile(r"\bf[- ]?strings?\b|\binterpolat", re.IGNORECASE),
    False: re.compile(r"\btemplates?\b|\bback-?ticks?\b|\binterpolat|`|\$\{", re.IGNORECASE),
}
"""Whether it is Python, and what its strings with values are called."""


@dataclass(frozen=True, slots=True)
class Interpolation:
    """One guess."""

    text: str
    """The original with all of its strings written so."""

    def is_made_in(self, text: str) -> bool:
        """Whether that is what it says, but for white space."""
        return text.split() == self.text.split()

    def astray(self, _text: str, _most: int) -> int:
        """None: how many strings a text has changed is told by the text alone (`worth`)."""
        return 0


def interpolation(instruction: str, original: str, *, python: bool) -> Interpolation | None:
    """The guess; None where the instruction speaks of something else, or nothing is to be done."""
    if not _SPEAKS_OF[python].search(instruction):
        return None
    text = Original(original, python=python).all_otherwise()
    return None if text == original else Interpolation(text)
