"""The brackets and conditional parts around the end of a text, by tokens alone.

For languages with directives that a preprocessor carries out: a tree of the text as it is written may be torn far above
a place. Of the branches of a conditional part only the last counts, or the one that the text ends in: so brackets
pair as they do for a compiler. `lsp_server.engine.verification` finds with it where a text may be read from.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import takewhile
from typing import NamedTuple

from context_index.symbols import CLOSES, Language
from context_index.tokens import Token, TokenKind, tokens_of

_STATEMENTS = 3
"""The most statements before the text's end that are kept."""
_ENDS_STATEMENT = frozenset({";", "{", "}"})


class Opener(NamedTuple):
    """What opens a bracket or a conditional part."""

    text: str
    """A bracket, or a directive with the end of its line."""
    start: int
    words: str = ""
    """The words right before a bracket, such as `do`, as far as no sign is between them."""


class StatementStart(NamedTuple):
    """A place at which a statement may begin."""

    start: int
    around: tuple[Opener, ...]
    """What is open there, outermost first."""


@dataclass(frozen=True, slots=True)
class Blocks:
    """How a text is read by its tokens."""

    text: str
    """The text with blanks for directives and for branches that do not count; what is open at its end is not blank."""
    open: tuple[Opener, ...]
    """What is open at its end, outermost first."""
    statements: tuple[StatementStart, ...]
    """The places nearest to its end at which a statement may begin, the nearest first."""


@lru_cache(maxsize=8)  # the text above a place is the same for each text that is tried there
def blocks_of(language: Language, text: str) -> Blocks:
    """Read a text from its beginning, which is in no string, comment or bracket."""
    reading = _Reading(language, text)
    tokens, is_first = iter(tokens_of(language, text)), True
    for token in tokens:
        if is_first and token.text.startswith(language.record.lexis.directive or "\n"):
            reading.read_directive(token, [*takewhile(lambda other: other.kind is not TokenKind.NEWLINE, tokens)])
        elif token.kind is TokenKind.NEWLINE:
            is_first = True
        else:
            is_first = False
            reading.read(token)
    return reading.blocks()


@dataclass(slots=True)
class _Reading:
    """What was read of a text so far."""

    language: Language
    text: str
    blank: list[tuple[int, int]] = field(default_factory=list)
    """Parts that do not count."""
    open: list[Opener] = field(default_factory=list)
    before: list[tuple[Opener, ...]] = field(default_factory=list)
    """What was open before each conditional part that is open."""
    words: list[str] = field(default_factory=list)
    """The words that were read last, since the last sign."""
    statements: deque[StatementStart] = field(default_factory=lambda: deque(maxlen=_STATEMENTS))

    def read(self, token: Token) -> None:
        """Read a token that is in no directive."""
        if token.kind is TokenKind.NAME:
            self.words.append(token.text)
        if token.kind is not TokenKind.PUNCTUATION:
            return
        if token.text in CLOSES.values():
            self.open.append(Opener(token.text, token.start, " ".join(self.words)))
        elif token.text in CLOSES:
            self._close(CLOSES[token.text])
        innermost = next((opener.text for opener in reversed(self.open) if opener.text in CLOSES.values()), "{")
        self.words.clear()
        if token.text in _ENDS_STATEMENT and innermost == "{":
            self.statements.append(StatementStart(token.end, tuple(self.open)))

    def _close(self, bracket: str) -> None:
        """Close the innermost bracket of a kind and the brackets in it."""
        index = max((index for index, opener in enumerate(self.open) if opener.text == bracket), default=None)
        if index is not None:
            self.open[index:] = [opener for opener in self.open[index + 1 :] if opener.text not in CLOSES.values()]

    def read_directive(self, sign: Token, others: list[Token]) -> None:
        """Read a directive: its first token and the others of its line."""
        lexis = self.language.record.lexis
        end = others[-1].end if others else sign.end
        name = sign.text.removeprefix(lexis.directive) or (others[0].text if others else "")
        if name in lexis.opens_part:
            self.before.append(tuple(self.open))
            self.open.append(Opener(f"{self.text[sign.start : end]}\n", sign.start))
            return
        self.blank.append((sign.start, end))
        if not self.before or name not in lexis.ends_branch | lexis.ends_part:
            return
        opener = next(
            opener for opener in self.open if opener not in self.before[-1] and opener.text not in CLOSES.values()
        )
        if name in lexis.ends_part:
            self.before.pop()
            self.open.remove(opener)
            self.blank.append((opener.start, opener.start + len(opener.text) - 1))
        else:
            self.blank.append((opener.start + len(opener.text) - 1, end))
            self.open[:] = [*self.before[-1], opener]

    def blocks(self) -> Blocks:
        """All that was read."""
        characters = list(self.text)
        for start, end in self.blank:
            characters[start:end] = (char if char == "\n" else " " for char in characters[start:end])
        return Blocks("".join(characters), tuple(self.open), tuple(reversed(self.statements)))
