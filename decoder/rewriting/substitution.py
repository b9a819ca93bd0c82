"""What an instruction may want replaced by what: a name of the text that it mentions, by a word that the text lacks.

Nobody has to understand the sentence for that. It is a guess with which a text is written, and whether that is a better
one than others is for the model to say.
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Final

from decoder.rewriting.following import Following
from decoder.rewriting.instruction import names, words
from decoder.rewriting.original import LEXEME, WORD, Original

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping

_MANY: Final = 300
"""Lexemes on either side that differ in one go, above which nobody counts places: that would take seconds."""


@dataclass(frozen=True, slots=True)
class Substitution:
    """One guess."""

    words: Mapping[str, str]
    """The name, and what it is replaced by."""
    text: str
    """The original with it replaced."""

    def is_made_in(self, text: str) -> bool:
        """Whether that is what it says, but for white space."""
        return text.split() == self.text.split()

    def astray(self, text: str, most: int) -> int:
        """The places, so many at most, at which a text with the new word is another than this one; 0 without it."""
        (new,) = self.words.values()
        if new not in LEXEME.findall(text):
            return 0
        found = 0
        for one, other in _differing(text, self.text):
            found += _places(LEXEME.findall(one), LEXEME.findall(other))
            if found >= most:
                return most
        return found


def substitution(
    instruction: str, original: str, *, python: bool, known: Container[str] = frozenset()
) -> Substitution | None:
    """The guess; None where there would be several, or where the instruction speaks of what is no new name.

    Args:
        original: The text that is written anew.
        known: Names that mean something there.
    """
    read, said = Original(original, python=python), names(instruction)
    found = read.names()
    old = [word for word in found if word in said] or [word for word in found if word in words(instruction)]
    new = said.difference(WORD.findall(original))
    if len(old) != 1 or len(new) != 1 or any(word in read.keywords or word in known for word in new):
        return None
    pair = dict(zip(old, new, strict=True))
    return Substitution(pair, Following(original, python=python, told=pair).text)


def _differing(one: str, other: str) -> Iterator[tuple[str, str]]:
    """The lines in which two texts differ, each with what stands for it, or several where there are more or fewer."""
    lines, others = one.splitlines(), other.splitlines()
    for change, start, stop, begin, end in SequenceMatcher(None, lines, others, autojunk=False).get_opcodes():
        if change == "equal":
            continue
        if stop - start == end - begin:
            yield from zip(lines[start:stop], others[begin:end], strict=True)
        else:
            yield "\n".join(lines[start:stop]), "\n".join(others[begin:end])


def _places(one: list[str], other: list[str]) -> int:
    """In how many places two texts differ."""
    shortest = min(len(one), len(other))
    alike = next((at for at in range(shortest) if one[at] != other[at]), shortest)
    one, other = one[alike:], other[alike:]
    if len(one) * len(other) > _MANY**2:
        return _MANY
    changes = SequenceMatcher(None, one, other, autojunk=False).get_opcodes()
    return sum(change != "equal" for change, *_ in changes)
