"""What an instruction may want of strings that values are put into: all of them as f-strings, or as templates.

That it speaks of these is told by its words. It is a guess, as in `substitution`: a text that is weighed like others.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import Final

from decoder.rewriting.guess import Guess
from decoder.rewriting.original import Original

_F_STRINGS: Final = r"f[- ]?strings?\b"
_TEMPLATES: Final = (
    r"template[- ](?:literal|string)s?\b|templates\b|back-?tick(?:s|ed|[- ](?:string|literal|quote)s?)\b"
)
_INTERPOLATES: Final = r"(?<!linear )(?<!linearly )\binterpolat(?!\w*\s+between\b)"
_AGAINST: Final = re.compile(
    r"\b(?:no|not|avoid|without|instead of|than|from|remove|replac(?:e|ing)|drop|don't|convert|turn|change|rewrite)"
    rf"(?:\s+(?:the|these|this|any|all|an?|use|using))*\s+(?:{_F_STRINGS}|{_TEMPLATES})",
    re.IGNORECASE,
)
"""Wants them away."""
_SPEAKS_OF: Final = {
    True: re.compile(rf"\b(?:{_F_STRINGS})|{_INTERPOLATES}", re.IGNORECASE),
    False: re.compile(rf"\b(?:{_TEMPLATES})|{_INTERPOLATES}|\$\{{", re.IGNORECASE),
}
"""Whether it is Python, and what its strings with values are called. A sentence that speaks of `the template` means
another one, as a rule."""


@dataclass(frozen=True, slots=True)
class Interpolation(Guess):
    """The original with all of its strings written so."""

    words: Counter[str]
    """What the words of the original's strings are, which all of them still say then."""

    def astray(self, text: str, most: int) -> int:
        """All are astray in a text that says a word of a string no more; what it has not changed `worth` tells."""
        return most if self.words - _words(text) else 0


def interpolation(instruction: str, original: str, *, python: bool) -> Interpolation | None:
    """The guess; None where the instruction speaks of something else, or nothing is to be done."""
    if _AGAINST.search(instruction) or not _SPEAKS_OF[python].search(instruction):
        return None
    read = Original(original, python=python)
    text = read.all_otherwise()
    if text == original:
        return None
    quoted = (lexeme for lexeme, in_code in zip(read.lexemes, read.in_code, strict=True) if not in_code)
    return Interpolation(text, _words(" ".join(quoted)) & _words(text))


def _words(text: str) -> Counter[str]:
    return Counter(re.findall(r"\w+", text))
