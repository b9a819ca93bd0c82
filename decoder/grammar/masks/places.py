"""What of a place matters to the texts that may follow it, and what tells two kinds of places apart.

Beside the stack, that is how far the lexers are into the unfinished token. Both are made as small as they can be, so
that what was found out at one place serves at others.
"""

from __future__ import annotations

import string
from typing import TYPE_CHECKING, Final

from decoder.grammar.automaton import bits
from decoder.grammar.by_state import ByState
from decoder.grammar.scanner import UNDECIDED
from decoder.grammar.version import Version, Window

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator

    from decoder.grammar.masks.paths import Texts
    from decoder.grammar.reader import Reader
    from decoder.grammar.tables import Tables

_HEAD: Final = 8
_TAIL: Final = 2
"""Of a long beginning of a token, so many characters mostly do."""
_KEPT: Final = 4096
_PLAIN: Final = string.ascii_letters + string.digits + " _"
_CALM: Final = "!%&()+,-.:;=?@[]^|~"
_MARKS: Final = "".join(sorted(set(string.punctuation) - {"_"}))


class Places:
    """The places of one grammar."""

    def __init__(self, tables: Tables, reader: Reader) -> None:
        self._tables = tables
        self._reader = reader
        self._short: dict[Hashable, str] = {}
        self._staying: dict[Hashable, str] = {}
        self._alike: dict[Hashable, Hashable] = {}
        self._undecided: dict[Hashable, bool] = {}
        self._numbers: dict[Hashable, int] = {}
        self.reads = ByState(self._number)
        """The same for states in which texts are read alike: where these lead is another matter."""
        raw = tables.raw
        symbols = raw.external.symbol_map[0 : raw.external_token_count] if raw.external_token_count else ()
        self._externals = sum(1 << symbol for symbol in set(symbols))

    def may_be_keyword(self, written: str) -> bool:
        """Whether a word is a keyword or the beginning of one."""
        return written in self._reader.keywords or written in self._reader.keyword_beginnings

    def canonical(self, version: Version, window: Window, texts: Texts) -> tuple[Version, Window]:
        """The same with no more text, and no more of what the scanner knows, than matters to `texts`."""
        position, stand_in = version.position, version.stand_in
        place = window.place(position)
        pending = window.text[position:]
        saved = version.saved
        if stand_in is not None:
            pending = stand_in.text + window.text[stand_in.upto :]
        if not (texts.has_lines or "\n" in pending or "\r" in pending):
            saved = self._reader.within_line(saved)
        lexeme = version.lexeme
        if version.declined and lexeme is not None:
            short = Window(pending, 1, place.at_start)
            return Version(version.node, 0, saved, lexeme.moved(position), declined=True), short
        mode = self._tables.modes[version.node.like]
        is_spelled = version.node.like in self._tables.spelled
        if mode.external_state and len(pending) > 1 and not is_spelled and not place.at_start:
            pending = self._shortened(version, pending)
        return Version(version.node, 0, saved), Window(pending, place.column, place.at_start)

    def key(self, version: Version, window: Window) -> Hashable:
        """What a canonical place is beside its stack."""
        state, saved, text = version.node.told(self.reads), version.saved, window.text
        lexeme = version.lexeme
        if not version.declined or lexeme is None:
            return state, saved, text, window.at_start
        if lexeme.token_end == len(text):
            return state, saved, lexeme.state, lexeme.start < len(text), lexeme.token
        return state, saved, lexeme.state, text

    def _number(self, state: int) -> int:
        tables = self._tables
        row, valid = tables.rows[state], tables.valid_tokens(state)
        idle = 0
        for token in bits(valid & self._externals):
            cell = row[token]
            if cell is not None and cell.shift is not None and (cell.is_extra or cell.shift == state):
                idle |= 1 << token
        mode = tables.modes[state]
        extras = sum(1 << token for token, cell in tables.unrestricted(state).items() if cell.is_extra)
        alike = (mode, self._reader.may_skip_lines(state), valid, state in tables.spelled, idle, extras, state == 0)
        return self._numbers.setdefault(alike, len(self._numbers))

    def word(self, version: Version, window: Window) -> str:
        """What is written of the unfinished word where it is a keyword here, or may become one."""
        lexeme = version.lexeme
        if not version.declined or lexeme is None:
            return ""
        written = window.text[lexeme.start :]
        reader = self._reader
        if not self.may_be_keyword(written):
            return ""
        if reader.keywords_from(lexeme, window.text) & self._tables.valid_tokens(version.node.like):
            return written
        if lexeme.token != self._tables.word or lexeme.token_end != len(window.text):
            return ""
        return written  # reserved words are no names where no keyword is due either: `match c` must not become `class`

    def staying(self, version: Version, window: Window) -> str:
        """The characters that leave both lexers where they are within an undecided token: in a comment, nearly all.

        Args:
            version: A canonical one, not yet declined by the external scanner.
        """
        state, text = version.node.like, window.text
        mode = self._tables.modes[state]
        if not mode.external_state or not text.strip() or window.at_start:
            return ""
        key = (mode, version.saved, text, self._tables.valid_tokens(state))
        staying = self._staying.get(key)
        if staying is None:
            if len(self._staying) >= _KEPT:
                self._staying.clear()
            staying = self._staying[key] = "".join(self._find_staying(state, version.saved, text))
        return staying

    def alike(self, version: Version, window: Window, letter: str) -> Hashable:
        """The same for letters after which an undecided token goes on alike; None where that cannot be told.

        Args:
            version: A canonical one.
        """
        state = version.node.like
        mode = self._tables.modes[state]
        if version.declined or not mode.external_state or window.at_start or state in self._tables.spelled:
            return None
        key = (mode, version.saved, window.text + letter, self._tables.valid_tokens(state))
        if key not in self._alike:
            if len(self._alike) >= _KEPT:
                self._alike.clear()
            self._alike[key] = self._reader.going_on(state, version.saved, window.text + letter)
        return self._alike[key]

    def undecided(self, version: Version, window: Window, text: str) -> Hashable:
        """The same for texts that the external scanner does not decide; None for those that it decides, too."""
        external_state = self._tables.modes[version.node.like].external_state
        key = (external_state, version.saved, window.text + text)
        is_undecided = self._undecided.get(key)
        if is_undecided is None:
            if len(self._undecided) >= _KEPT:
                self._undecided.clear()
            answer = self._reader.scan(*key, at_start=False)
            is_undecided = self._undecided[key] = answer is UNDECIDED
        return self.alike(version, window, text) if is_undecided else None

    def _find_staying(self, state: int, saved: bytes, text: str) -> Iterator[str]:
        reader, external = self._reader, self._tables.modes[state].external_state
        here = reader.going_on(state, saved, text)
        if here is None:
            return

        def stays(*added: str) -> bool:
            return all(
                reader.going_on(state, saved, text + more) == here
                and reader.scan(external, saved, text + more, at_start=False) is UNDECIDED
                for more in added
            )

        yield from those_that(stays)

    def _shortened(self, version: Version, pending: str) -> str:
        """A text that leaves both lexers where `pending` does, the same for all such."""
        state = version.node.like
        going_on = self._reader.going_on(state, version.saved, pending)
        if going_on is None:
            return pending
        key = (self._tables.modes[state], version.saved, going_on, self._tables.valid_tokens(state))
        short = self._short.get(key)
        if short is None:
            short = pending[:_HEAD] + pending[-_TAIL:] if len(pending) > _HEAD + _TAIL else pending
            if self._reader.going_on(state, version.saved, short) != going_on:
                short = pending
            if len(self._short) >= _KEPT:
                self._short.clear()
            self._short[key] = short
        return short


def those_that(stay: Callable[..., bool]) -> Iterator[str]:
    """Characters with which a beginning of a token stays what it is, if letters do.

    Those that mostly stay are tried together, others one by one, each of them twice.

    Args:
        stay: Whether several texts do, each by itself.
    """
    if not stay(_PLAIN, _PLAIN[::-1] + "x"):
        return
    yield _PLAIN
    together = stay(_CALM, _CALM[::-1])
    if together:
        yield _CALM
    yield from (mark for mark in _MARKS if not (together and mark in _CALM) and stay(mark, mark * 2))
