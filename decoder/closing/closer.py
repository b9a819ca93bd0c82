"""Proposes what ends an unfinished text before the text that follows it."""

from __future__ import annotations

from functools import cache
from itertools import chain, islice
from typing import TYPE_CHECKING

from decoder.closing.spelling import PLACEHOLDER, end_of_token, spelling_of
from decoder.grammar import Entries, Grammar
from decoder.grammar.closing import Closings
from decoder.lexical import at_cursor

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from context_index.symbols import Language
    from decoder.grammar import State

_PROPOSED = 8
"""Sequences of tokens that are spelled, of which the cheapest is nearly always the right one."""
_FOLLOWING = 300
"""Characters of the text below that must still be read after a proposal, at least: up to the end of their line."""
_JOINT = ","
"""What may be missing between two elements that are both there."""
_FINISHING = (PLACEHOLDER, "\n", ";", "/", '""', "0", ".")
"""What ends a name, a line that goes on, an entity, a comment's beginning, a string after its prefix, a number, and
Python's ellipsis, which is no punctuation to its grammar."""
_OPTIONAL = ";"
"""A token that nothing lacks: a statement is read without it as well."""


class Closer:
    """Proposes closings for the texts of one document, as it is edited. Not for several threads at once."""

    def __init__(self, language: Language) -> None:
        self._language = language
        self._entries = Entries(language)
        self._spelling = spelling_of(language)
        self._closings = _closings(language)

    def proposals(self, before: str, text: str, after: str, *, view: int = _FOLLOWING) -> Iterator[str]:
        """What may be written between a text and what follows it, so that both are read; the empty one included.

        None where what is above the text does not parse, or the text breaks it.

        Args:
            before: What is above the text, from the start of a statement on.
            text: What is written there.
            after: What follows it; read is only its beginning.
            view: How many characters of it, at least: from the default on, to the end of a line.
        """
        entry = self._entries.enter(before, len(before)).state
        state = None if entry is None else entry.advance(text)
        if state is None:
            return
        whole = before + text
        following = _beginning(after) if view >= _FOLLOWING else after[:view]
        place = at_cursor(whole, language=self._language)
        end_of_text = end_of_token(place)
        if text and end_of_text and after.partition("\n")[0].strip():
            return  # nobody leaves a string or a comment before more code
        given: set[str] = set()
        later: list[str] = []
        for end in dict.fromkeys(chain((end_of_text, ""), self._finishing(state))):
            if end not in (end_of_text, "") and (given or _is_read(state, _JOINT, following)):
                break  # it is read without another end of its last token
            ended = state.advance(end) if end else state
            stacks = () if ended is None else ended.ended()
            for tokens in islice(self._closings.of(stacks), _PROPOSED):
                for closing, is_more in self._cuts(state, whole, end, tokens, following):
                    if closing in given:
                        continue
                    given.add(closing)
                    if is_more:
                        later.append(closing)
                    else:
                        yield closing
        yield from later
        if not given and _is_read(state, _JOINT, following):
            yield _JOINT

    @staticmethod
    def _finishing(state: State) -> Iterator[str]:
        """What may finish the token that a text ends in, as far as it may be one: half a keyword, a prefix."""
        yield from sorted(state.finishing(), key=len)
        yield from _FINISHING
        yield from (f"\n{one}" for one in _FINISHING)  # after a line that goes on, another token of it

    def _cuts(
        self, state: State, whole: str, end: str, tokens: Sequence[str], following: str
    ) -> Iterator[tuple[str, bool]]:
        """The beginnings of a sequence of tokens, spelled, with which what follows is read; it may bring the rest.

        Each with whether it is read without its last token as well, which is mostly a semicolon.
        """
        before = whole + end
        place = at_cursor(before, language=self._language)
        is_read = False
        for count in range(len(tokens) + 1):
            closing = end + self._spelling.spelled(before, place, tokens[:count])
            is_more, is_read = is_read and tokens[count - 1] == _OPTIONAL, _is_read(state, closing, following)
            if is_read:
                yield closing, is_more


@cache
def _closings(language: Language) -> Closings:
    """One for all documents of a language: what it knows of the tables takes tenths of a second to find."""
    return Grammar.load(language).closings(spelling_of(language).costs)


def _beginning(text: str) -> str:
    """What is read of a text: to the end of a line."""
    end = text.find("\n", _FOLLOWING)
    return text if end < 0 else text[: end + 1]


def _is_read(state: State, closing: str, following: str) -> bool:
    """Whether a text parses with a closing, as far as it is read."""
    after = state.advance(closing + following)
    return after is not None and (bool(following.strip()) or after.complete())
