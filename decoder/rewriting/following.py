"""Where in its original a rewrite has got to, and what would stand next if nothing more were changed.

Read in lexemes (words, white space, single signs), so that it does not matter how a text is cut into tokens. While the
output follows the original, the rest of the original is expected, with the words replaced that the output has replaced
before. Where it leaves the original, nothing is expected until a lexeme shows where it goes on: the place that matches
most, and is nearest to where it left (as `decoder.draft.alignment` finds it for drafts, whose guesses may also depend
on the machine; what is said here depends on both texts alone).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import log2
from typing import Final

from decoder.rewriting.original import LEXEME, WORD, Original, Place

_BEHIND, _AHEAD = 20, 60
"""Lexemes of the original around the place that was left, among which it is found again."""
_FAR: Final = 0.75
"""Lexemes of match that a doubling of the distance is worth."""
_BACKWARDS: Final = 3
"""How much farther a place seems that is behind the one that was left: texts are seldom written twice."""
_WORD_TELLS, _SIGN_TELLS = 1.5, 0.5
"""What a lexeme that matches is worth."""
_COPIED: Final = 0.75
"""How much less a match is worth of which a word was copied before: arguments that move into a text go one by one."""
_LEAST: Final = -0.8
"""What a place must be worth: behind a word that matches, seven lexemes are skipped at most; behind a sign, two."""
_CHANCE: Final = 2
"""Lexemes up to which that a place was found may have been chance."""
_LOOKAHEAD: Final = 24
"""Characters that are foretold; no token is longer, as a rule."""


@dataclass(frozen=True, slots=True)
class Expected:
    """What would come next."""

    text: str
    """Empty where the original is at its end."""
    within_word: bool
    """Whether a part of a word (or of white space) has been written, which this goes on with."""
    replaces: bool
    """Whether its first lexeme but white space is what another word was replaced by before."""
    word: str = ""
    """The word of the original that is due, behind white space at most; empty at a sign and within a word."""
    place: Place = Place.NAME
    """Of that word."""
    string: tuple[str, ...] = ()
    """The words of the string that opens next, if nothing is put into it or joined to it; one at least."""
    opens: int | None = None
    """Characters of `text` before the next quote, if it is near."""


@dataclass(frozen=True, slots=True)
class _Left:
    """Where the output left the original: the number of the lexeme in either."""

    original: int
    output: int


class Along:
    """One output after the other, each read along the original from where the last one was the same.

    Args:
        anew: The original, and nothing read along it.
    """

    def __init__(self, anew: Callable[[], Following]) -> None:
        self._anew = anew
        self._following = anew()
        self._read = ""

    def at(self, written: str) -> Following:
        """Where in the original an output has got to. Not to be fed."""
        if not written.startswith(self._read):
            self._following, self._read = self._anew(), ""
        self._following.feed(written[len(self._read) :])
        self._read = written
        return self._following


class Following:
    """Reads an output along its original.

    Args:
        original: What is being rewritten.
        python: Whether it is Python; else JavaScript or TypeScript.
        pairs: Words, and what each may be replaced by: if it is, the rest is expected behind it at once.
        told: Words, and what each is thought to be replaced by; from its first place that is not, this one is not.
        otherwise: Whether strings are thought to be formatted otherwise (`Original.otherwise`), likewise.
    """

    def __init__(
        self,
        original: str,
        *,
        python: bool = False,
        pairs: Mapping[str, str] | None = None,
        told: Mapping[str, str] | None = None,
        otherwise: bool = False,
    ) -> None:
        self._text = Original(original, python=python)
        self._original = self._text.lexemes
        self._copied: set[int] = set()
        """The lexemes of the original that the output has."""
        self._output: list[str] = []
        self._unfinished = ""
        """The output's last lexeme, if it may go on."""
        self._place = 0
        """Of the original's lexeme that comes next."""
        self._left: _Left | None = None
        self._earlier: _Left | None = None
        """Where it left before it was found again, as long as that may have been chance."""
        self._followed = 0
        """Lexemes since it was found again."""
        self._pairs = pairs or {}
        self._replaced: dict[str, str] = {**(told or {})}
        self._written_otherwise = range(0)
        """Lexemes that stand for others now (`Original.otherwise`)."""
        self._writes_otherwise = otherwise
        self._prefixed: int | None = None
        """The place of the original before which the output has just written the prefix of an f-string."""

    @property
    def unfinished_word(self) -> str:
        """What has been written of a word that may go on."""
        return self._unfinished if WORD.fullmatch(self._unfinished) else ""

    @property
    def text(self) -> str:
        """The original, with what is replaced."""
        return "".join(self._meant(place) for place in range(len(self._original)))

    def feed(self, text: str) -> None:
        """More was written."""
        lexemes = LEXEME.findall(self._unfinished + text)
        self._unfinished = ""
        if lexemes and (lexemes[-1].isspace() or WORD.fullmatch(lexemes[-1])):
            self._unfinished = lexemes.pop()
        for lexeme in lexemes:
            self._output.append(lexeme)
            self._follow(lexeme)

    def expected(self) -> Expected | None:
        """What would come next; None while it is not known where in the original that is."""
        begun = self._unfinished
        if self._left is not None:
            return None
        if self._place >= len(self._original):
            return None if begun else Expected("", within_word=False, replaces=False)
        if begun == self._text.prefix and (instead := self._text.otherwise(self._place)) is not None:
            return Expected(instead[1][:_LOOKAHEAD], within_word=False, replaces=True)
        if not begun and self._is_otherwise(self._place):
            return Expected(self._foretold(self._place), within_word=False, replaces=True)
        lexeme = begun if begun and self._is_paired(begun) else self._meant(self._place)
        if not lexeme.startswith(begun):
            return None
        text, place = lexeme[len(begun) :], self._place + 1
        begins = self._place if text else place
        text += self._foretold(place, _LOOKAHEAD - len(text))
        within = begins == self._place and bool(begun)
        first = begins + (begins < len(self._original) and self._original[begins].isspace())
        replaces = first < len(self._original) and self._meant(first) != self._original[first]
        replaces = replaces or first in self._written_otherwise or self._is_otherwise(first)
        is_word = not within and first < len(self._original) and WORD.fullmatch(self._original[first])
        if not is_word:
            string, opens = ((), None) if within else self._text.next_string(begins, first)
            return Expected(text, within, replaces, string=string, opens=opens)
        return Expected(text, within, replaces, self._original[first], self._text.kind(first))

    def _foretold(self, place: int, length: int = _LOOKAHEAD) -> str:
        """What stands from a place on, as far as somebody wants to know."""
        text = ""
        while len(text) < length and place < len(self._original):
            if self._is_otherwise(place):
                found = self._text.otherwise(place)
                return text if found is None else text + self._text.prefix + found[1][:length]
            text += self._meant(place)
            place += 1
        return text

    def _is_paired(self, word: str) -> bool:
        """Whether a name stands at the place that a word may replace."""
        is_name = self._text.in_code[self._place] and not self._text.is_member(self._place)
        return is_name and self._pairs.get(self._original[self._place]) == word

    def _meant(self, place: int) -> str:
        """The original's lexeme, or what its word was replaced by; members and prose speak of other things."""
        lexeme: str = self._original[place]
        is_other = self._text.is_member(place) or not self._text.in_code[place]
        return lexeme if is_other else self._replaced.get(lexeme, lexeme)

    def _is_otherwise(self, place: int) -> bool:
        """Whether a string is formatted there, as others before it that the output writes as f-strings."""
        return self._writes_otherwise and place < len(self._original) and self._text.otherwise(place) is not None

    def _follow(self, lexeme: str) -> None:
        if self._is_written_otherwise(lexeme):
            return
        if self._left is None and self._place < len(self._original):
            original = self._original[self._place]
            if self._is_paired(lexeme):
                self._replaced[original] = lexeme
            if lexeme in (self._meant(self._place), original):
                if lexeme != self._meant(self._place):
                    del self._replaced[original]  # this time it was not
                if self._is_otherwise(self._place):
                    self._writes_otherwise = False
                self._copied.add(self._place)
                self._place += 1
                self._followed += 1
                if self._followed > _CHANCE:
                    self._earlier = None
                return
        if self._left is None:
            self._left = self._earlier or _Left(self._place, len(self._output) - 1)
        self._rejoin(self._left)

    def _is_written_otherwise(self, lexeme: str) -> bool:
        """Whether a string that values are put into has just been begun otherwise: from now on it is expected so.

        A prefix that is a word is followed by the string's own quote.
        """
        prefixed, self._prefixed = self._prefixed, None
        if prefixed is None or lexeme != self._original[prefixed]:
            if lexeme != self._text.prefix or self._left is not None or self._place >= len(self._original):
                return False
            prefixed = self._place
            if WORD.fullmatch(lexeme):
                self._prefixed = prefixed
                return False
        span = self._text.write_otherwise(prefixed)
        if not span:
            return False
        self._written_otherwise, self._writes_otherwise = span, True
        self._copied = {one for one in self._copied if one < span.start}
        self._place, self._left, self._earlier = span.start + 1, None, None
        return True

    def _rejoin(self, left: _Left) -> None:
        """Go on in the original, if the last lexeme shows where."""
        first, last = max(1, left.original - _BEHIND), min(len(self._original), left.original + _AHEAD)
        places = ((place, self._match(place, left)) for place in range(first, last + 1))
        matching = ((place, match) for place, match in places if match and not self._is_blank(match))
        worth, place, match = max(((self._worth(*one, left), *one) for one in matching), default=(_LEAST, 0, 0))
        if worth <= _LEAST:
            return
        self._learn(self._original[left.original : place - match], self._output[left.output : -match])
        self._place, self._followed = place, 0
        self._copied.update(range(place - match, place))
        self._left, self._earlier = None, left

    def _learn(self, old: list[str], new: list[str]) -> None:
        """Words took the place of words, and nothing else was changed. Another keyword stands for itself alone."""
        pairs = [(one, other) for one, other in zip(old, new, strict=False) if one != other]
        if len(old) == len(new) and all(WORD.fullmatch(one) and WORD.fullmatch(other) for one, other in pairs):
            self._replaced.update((one, other) for one, other in pairs if one not in self._text.keywords)

    def _match(self, place: int, left: _Left) -> int:
        """How many lexemes before a place of the original are the last ones of the output since it left."""
        most = min(place, len(self._output) - left.output)
        length = 0
        while length < most and self._meant(place - 1 - length) == self._output[-1 - length]:
            length += 1
        return length

    def _is_blank(self, match: int) -> bool:
        return all(lexeme.isspace() for lexeme in self._output[-match:])

    def _worth(self, place: int, match: int, left: _Left) -> float:
        matching = (lexeme for lexeme in self._output[-match:] if not lexeme.isspace())
        telling = sum(_WORD_TELLS if WORD.fullmatch(lexeme) else _SIGN_TELLS for lexeme in matching)
        behind = range(place - match, place)
        if any(one in self._copied and WORD.fullmatch(self._original[one]) for one in behind):
            telling -= _COPIED
        ahead = place - match - left.original
        return telling - _FAR * log2(1 + (ahead if ahead >= 0 else -_BACKWARDS * ahead))
