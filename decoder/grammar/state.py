"""The automaton's state after a text, as an immutable value; the interface of this package."""

from __future__ import annotations

from typing import TYPE_CHECKING

from decoder.grammar.version import Version, Window

if TYPE_CHECKING:
    from decoder.grammar.automaton import Automaton
    from decoder.grammar.stack import Node

_PIECE = 256
"""Texts are read in pieces of so many characters: the scanner is handed all text from its token on each time."""
_WORD = 8
"""Where a piece cannot be read whole, it is read in pieces of so many."""
NULL = "\0"
"""Compiled lexers take this character for the end of the text, so a text that contains it is refused."""
_KEPT = 64
"""The most characters that are on the stack already and still in the window; cutting it at every token costs more."""


class State:
    """What may follow the text so far. Going back is dropping a reference."""

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
        for at in range(0, len(text), _PIECE):
            following = state._advance(text[at : at + _PIECE])
            if following is None:
                return None
            state = following
        return state

    def readable(self, text: str) -> int:
        """How many characters of `text` can come next: all, or those before the first that no text could go on with."""
        state, at = self, 0
        for size in (_PIECE, _WORD, 1):
            while at < len(text) and (following := state.advance(text[at : at + size])) is not None:
                state, at = following, at + size
        return min(at, len(text))

    def complete(self) -> bool:
        """Whether the text so far parses as it is."""
        # the last token is read again, for each version has begun to read it as one that may become longer
        restarted = tuple(version.restarted() for version in self._versions)
        _, is_complete = self._automaton.advance(restarted, self._window, ended=True)
        return is_complete

    def ended(self) -> tuple[Node, ...]:
        """The stacks if the text ended here, its last token on them: `tot` as a whole name.

        None where what the text ends in is no token without its end: a comment without `*/`.
        """
        return tuple(self._automaton.ended(self._versions, self._window))

    def finishing(self) -> frozenset[str]:
        """What finishes the token that the text ends in, where it may become a keyword or punctuation."""
        automaton, window = self._automaton, self._window
        names, found = automaton.tables.names, set[str]()
        for version in self._versions:
            begun = window.text[version.position :].lstrip()
            for token in automaton.possible_tokens(version, window) if begun else ():
                if automaton.tables.is_literal(token) and names[token].startswith(begun):
                    found.add(names[token][len(begun) :])
        return frozenset(found)

    def literals(self) -> frozenset[str]:
        """The keywords and signs among the tokens that can come here."""
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
        done = versions[0].position if len(versions) == 1 else min([version.position for version in versions])
        if done > _KEPT:
            versions = [version.moved(done) for version in versions]
            window = Window(window.text[done:], window.place(done).column, at_start=False)
        return State(self._automaton, tuple(versions), window)


def start(automaton: Automaton, root: Node) -> State:
    """The state before the first character of a file."""
    return State(automaton, (Version(root, 0, automaton.initial),), Window("", 0, at_start=True))
