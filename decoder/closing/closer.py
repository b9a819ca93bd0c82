"""Proposes what completes an unfinished text, so that it and the text after it can be parsed together.

The verifier asks: it parses the document with a suggestion in it, which is mostly unfinished.
"""

from __future__ import annotations

from functools import cache
from itertools import chain, islice
from typing import TYPE_CHECKING

from decoder.closing.spelling import IDENTIFIER, PLACEHOLDER, end_of_token, spelling_of
from decoder.grammar import Entries, Grammar
from decoder.grammar.closing import Closings
from decoder.lexical import at_cursor

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from context_index.symbols import Language
    from decoder.grammar import State

_PROPOSED = 8
"""So many sequences of tokens are spelled; the cheapest is nearly always the right one."""
_FOLLOWING = 300
"""So many characters of the text after a proposal must still parse, and the rest of their line."""
_JOINT = ","
"""What may be missing between two elements that are both there."""
_FINISHING = (PLACEHOLDER, "\n", ";", "/", '""', "0", ".")
"""What ends a name, a line that goes on, an entity, a comment's beginning, a string after its prefix, a number, and
Python's ellipsis, which is no punctuation to its grammar."""
_BEGINNINGS = 8
"""So many texts above keep their states. For each text the verifier asks from one line after another."""
_OPTIONAL = ";"
"""A token that may be left out: a statement is mostly complete without it."""


class Closer:
    """Proposes closings for the texts of one document, as it is edited. Not for several threads at once."""

    def __init__(self, language: Language) -> None:
        self._language = language
        self._entries: list[Entries] = []
        """The states of the texts above that were read last, the last one first."""
        self._spelling = spelling_of(language)
        self._closings = _closings(language)

    def proposals(self, before: str, text: str, after: str, *, view: int = _FOLLOWING) -> Iterator[str]:
        """What may be put between a text and the text after it so that both parse; the first is mostly right.

        The empty text is proposed, too, where nothing is missing. There is no proposal where `before` or `text` does
        not parse.

        Args:
            before: What is above the text, from the start of a statement on.
            text: The unfinished text.
            after: What follows the text. Only its beginning must parse after a proposal.
            view: How many characters of `after` must parse. From the default on, also the rest of their line.
        """
        entry = self._state_after(before)
        state = None if entry is None else entry.advance(text)
        if state is None:
            return
        whole = before + text
        following = _beginning(after) if view >= _FOLLOWING else after[:view]
        place = at_cursor(whole, language=self._language)
        end_of_text = end_of_token(place)
        if text and end_of_text and after.partition("\n")[0].strip():
            return  # nobody leaves a string or a comment before more code
        proposed: set[str] = set()
        with_optional: list[str] = []
        for end in dict.fromkeys(chain((end_of_text, ""), self._token_ends(state))):
            if end not in (end_of_text, "") and (proposed or _parses(state, _JOINT, following)):
                break  # something is proposed without another end of the last token
            ended = state.advance(end) if end else state
            stacks = () if ended is None else ended.ended()
            for tokens in islice(self._closings.of(stacks), _PROPOSED):
                for closing, has_optional_end in self._cuts(state, whole, end, tokens, following):
                    if closing in proposed:
                        continue
                    proposed.add(closing)
                    if has_optional_end:
                        with_optional.append(closing)
                    else:
                        yield closing
        yield from with_optional
        if not proposed and _parses(state, _JOINT, following):
            yield _JOINT

    def continuations(self, before: str, text: str, after: str) -> Iterator[str]:
        """What may be put between a text and the text after it if the text goes on: one for each kind of next token.

        After `return ` these are a name, a string, a bracket and so on. Tokens are of one kind if the parser is in the
        same states after each of them. Where the last token of `text` may go on, a blank must end it.

        Args:
            before: What is above the text, from the start of a statement on.
            text: The text.
            after: What follows the text. Only its beginning must parse after a continuation.
        """
        entry = self._state_after(before)
        state = None if entry is None else entry.advance(text)
        if state is None:
            return
        whole, following = before + text, _beginning(after)
        place = at_cursor(whole, language=self._language)
        seen = set[tuple[int, ...]]()
        for token in sorted(state.expected() & {*state.literals(), IDENTIFIER}):
            written = self._spelling.spelled(whole, place, (token,))
            following_state = state.advance(written)
            stacks = () if following_state is None else following_state.ended()
            kind = tuple(stack.state for stack in stacks)
            if not kind or kind in seen:
                continue
            seen.add(kind)
            for tokens in islice(self._closings.of(stacks), 1):
                yield from (closing for closing, _ in self._cuts(state, whole, written, tokens, following))

    def _state_after(self, before: str) -> State | None:
        """The state after a text that is above, read on from the most similar one; None where it does not parse."""
        entries = max(self._entries, key=lambda known: known.shared(before), default=None)
        if entries is not None and entries.shared(before) > len(before) // 2:
            self._entries.remove(entries)
        else:
            entries = Entries(self._language)
        self._entries = [entries, *self._entries[: _BEGINNINGS - 1]]
        return entries.enter(before, len(before)).state

    @staticmethod
    def _token_ends(state: State) -> Iterator[str]:
        """What may finish the last token of a text, which may be half a keyword or a prefix; the likeliest first."""
        yield from sorted(state.finishing(), key=len)
        yield from _FINISHING
        yield from (f"\n{end}" for end in _FINISHING)  # a line that goes on, and another token after it

    def _cuts(
        self, state: State, whole: str, end: str, tokens: Sequence[str], following: str
    ) -> Iterator[tuple[str, bool]]:
        """The beginnings of a sequence of tokens, spelled, after which `following` parses: it may have the rest.

        Each comes with whether its last token is optional, as the beginning without it will do as well.

        Args:
            state: The state after `whole`.
            whole: All text up to the closing.
            end: What finishes the last token of `whole`; each closing begins with it.
        """
        before = whole + end
        place = at_cursor(before, language=self._language)
        parses = False
        for count in range(len(tokens) + 1):
            closing = end + self._spelling.spelled(before, place, tokens[:count])
            has_optional_end = parses and tokens[count - 1] == _OPTIONAL
            parses = _parses(state, closing, following)
            if parses:
                yield closing, has_optional_end


@cache
def _closings(language: Language) -> Closings:
    """The closings of a language, shared by all its documents: they compute tenths of a second on the tables."""
    return Grammar.load(language).closings(spelling_of(language).costs)


def _beginning(text: str) -> str:
    """The part of the text after a proposal that must parse: `_FOLLOWING` characters, and the rest of their line."""
    end = text.find("\n", _FOLLOWING)
    return text if end < 0 else text[: end + 1]


def _parses(state: State, closing: str, following: str) -> bool:
    """Whether a closing and the text after it parse; without more text, whether the whole is complete."""
    after = state.advance(closing + following)
    return after is not None and (bool(following.strip()) or after.complete())
