"""The automaton's state after a text, as an immutable value. It is the interface of this package."""

from __future__ import annotations

from typing import TYPE_CHECKING

from decoder.grammar.version import Version, Window

if TYPE_CHECKING:
    from decoder.grammar.automaton import Automaton
    from decoder.grammar.stack import StackNode

_PIECE = 256
"""Long texts are read in pieces of so many characters: each time, the scanner gets all text from its token on."""
_WORD = 8
"""A piece that is refused is read again in pieces of so many characters, to find where."""
NULL = "\0"
"""Compiled lexers take this character for the end of the text, so a text that contains it is refused."""
_KEPT = 64
"""The window is cut once more than so many of its characters are tokens on the stack: cutting after each costs more."""


class State:
    """What may follow the text so far. To go back, keep an earlier state: states never change."""

    __slots__ = ("_automaton", "_versions", "_window")

    def __init__(self, automaton: Automaton, versions: tuple[Version, ...], window: Window) -> None:
        self._automaton = automaton
        self._versions = versions
        self._window = window

    @property
    def versions(self) -> tuple[Version, ...]:
        """The ways to parse the text that are still possible."""
        return self._versions

    @property
    def automaton(self) -> Automaton:
        """The automaton that advances the versions."""
        return self._automaton

    @property
    def window(self) -> Window:
        """The end of the text; the versions' positions are relative to it."""
        return self._window

    def advance(self, text: str) -> State | None:
        """The state after `text`; None if no continuation can parse."""
        if 0 < len(text) <= _PIECE:
            return self._advance(text)
        state = self
        for offset in range(0, len(text), _PIECE):
            following = state._advance(text[offset : offset + _PIECE])
            if following is None:
                return None
            state = following
        return state

    def readable(self, text: str) -> int:
        """How many characters of `text` can come next: all, or those before the first that cannot follow."""
        state, offset = self, 0
        for size in (_PIECE, _WORD, 1):
            while offset < len(text) and (following := state.advance(text[offset : offset + size])) is not None:
                state, offset = following, offset + size
        return min(offset, len(text))

    def complete(self) -> bool:
        """Whether the text so far parses as a whole file."""
        # the last token is read again, for each version has begun to read it as one that may become longer
        restarted = tuple(version.restarted() for version in self._versions)
        _, is_complete = self._automaton.advance(restarted, self._window, ended=True)
        return is_complete

    def ended(self) -> tuple[StackNode, ...]:
        """The stacks if the text ended here, with its last token on them: `tot` counts as a whole name.

        There is no stack if the text ends within what is no token without its end, such as a comment without `*/`.
        """
        return tuple(self._automaton.ended(self._versions, self._window))

    def finishing(self) -> frozenset[str]:
        """The texts that finish the token at the end, if it may become a keyword or punctuation: `urn` after `ret`."""
        automaton, window = self._automaton, self._window
        names, endings = automaton.tables.names, set[str]()
        for version in self._versions:
            begun = window.text[version.position :].lstrip()
            for token in automaton.possible_tokens(version, window) if begun else ():
                if automaton.tables.is_literal(token) and names[token].startswith(begun):
                    endings.add(names[token][len(begun) :])
        return frozenset(endings)

    def literals(self) -> frozenset[str]:
        """The keywords and punctuation among `expected`."""
        automaton = self._automaton
        tables = automaton.tables
        tokens = {token for version in self._versions for token in automaton.possible_tokens(version, self._window)}
        return frozenset(tables.names[token] for token in tokens if tables.is_literal(token))

    def expected(self) -> frozenset[str]:
        """The names of the tokens that can come here, or that the unfinished one can still become."""
        automaton = self._automaton
        names = automaton.tables.names
        return frozenset(
            names[token] for version in self._versions for token in automaton.possible_tokens(version, self._window)
        )

    def _advance(self, piece: str) -> State | None:
        if NULL in piece:
            return None
        old = self._window
        window = Window(old.text + piece, old.column, old.at_start)
        versions, _ = self._automaton.advance(self._versions, window)
        if not versions:
            return None
        tokenized = versions[0].position if len(versions) == 1 else min([version.position for version in versions])
        if tokenized > _KEPT:
            versions = [version.moved(tokenized) for version in versions]
            window = Window(window.text[tokenized:], window.place(tokenized).column, at_start=False)
        return State(self._automaton, tuple(versions), window)


def start(automaton: Automaton, root: StackNode) -> State:
    """The state before the first character of a file."""
    return State(automaton, (Version(root, 0, automaton.initial),), Window("", 0, at_start=True))
