"""What an instruction may want replaced by what: a name of the text that it mentions, by a word that the text lacks.

Nobody has to understand the sentence for that. It is a guess with which a text is written, and whether that is a better
one than others is for the model to say.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from decoder.rewriting.differing import differing
from decoder.rewriting.following import Following
from decoder.rewriting.guess import Guess
from decoder.rewriting.instruction import may_rename, names, new_names, words
from decoder.rewriting.original import LEXEME, Original

if TYPE_CHECKING:
    from collections.abc import Container, Mapping


@dataclass(frozen=True, slots=True)
class Substitution(Guess):
    """The original with a name replaced."""

    words: Mapping[str, str]
    """The name, and what it is replaced by."""

    def astray(self, text: str, most: int) -> int:
        """The places, so many at most, at which a text with the new word is another than this one; 0 without it."""
        (new,) = self.words.values()
        if new not in LEXEME.findall(text):
            return 0
        return differing(text, self.text, most)


def substitution(
    instruction: str, original: str, *, python: bool, known: Container[str] = frozenset()
) -> Substitution | None:
    """The guess; None where there would be several, or where the instruction speaks of what is no new name.

    Args:
        original: The text that is written anew.
        known: Names that mean something there.
    """
    if not may_rename(instruction, original):
        return None
    read, said = Original(original, python=python), names(instruction)
    found = read.names()
    old = [word for word in found if word in said] or [word for word in found if word in words(instruction)]
    new = new_names(instruction, original)
    if len(old) != 1 or len(new) != 1 or any(word in read.keywords or word in known for word in new):
        return None
    pair = dict(zip(old, new, strict=True))
    return Substitution(Following(original, python=python, told=pair).text, pair)
