"""External scanners: the compiled, hand-written part of a grammar's lexer, run on unfinished text.

A scanner that has read to the end of the buffer is undecided, as more text may follow; it is run again from the start
of the token. To keep the cost independent of the token's length, the middle of a long token is left out where the
scanner's result on all continuations is the same without it (`shorten`).
"""

from __future__ import annotations

import ctypes
from enum import Enum
from threading import Lock
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from decoder.grammar.portable_lexer import ScannerInput, ScanResult
    from decoder.grammar.tables import Tables

LONG_TOKEN: Final = 384
"""Characters after which an undecided token is shortened: scanning them costs about as much as anything else."""
_KEPT = 32
"""Characters at either end of a shortened token."""
_CONTINUATIONS = (
    "/",
    "/ x",  # after a star it ends a comment, which the scanner decides only by the text after that
    "`",
    '"',
    "'",
    '"""',
    "'''",
    "\n",
    "\nx",
    "*/ x",
    "}",
    "{",
    "${",
    "\\",
    " ",
    "x",
    "</",
    ";",
    ")",
    "#",
    "-->",
)
_REMEMBERED = 1 << 15
_TRIES = 16
"""Answers in one external state, each the same at another column, after which the scanner is assumed not to look at
columns there. Of the scanners that we know, none does."""
_TELLING = 2
"""Answers that depend on no more than leading white space and so many characters are remembered."""


class ScannerResult(Enum):
    """What a scanner answers when it has no token."""

    UNDECIDED = "undecided"
    """It has looked at the end of the text: what follows matters."""
    DECLINED = "declined"
    """Whatever follows, the token is not one of its own."""


UNDECIDED: Final = ScannerResult.UNDECIDED
DECLINED: Final = ScannerResult.DECLINED
"""Names of their own, since reading a member of an enumeration takes longer than looking an answer up."""


class ScannedToken(NamedTuple):
    """A token of the scanner's own. Offsets count from where it was started."""

    symbol: int
    start: int
    end: int
    saved: bytes
    """The scanner's state after the token."""


class ScanStart(NamedTuple):
    """Where the text that a scanner reads begins."""

    column: int
    at_start: bool
    """At the very beginning of the file."""


class Scanner:
    """One grammar's external scanner and compiled lex function, on one input. Calls are serialised."""

    def __init__(self, tables: Tables, source: ScannerInput) -> None:
        self._source = source
        self._lock = Lock()
        self._tried: dict[int, int] = {}
        self.answers: dict[tuple[int, bytes, str], ScannedToken | ScannerResult] = {}
        """What the scanner has answered anywhere but at the start of a file, by its state and the first characters."""
        raw = tables.raw
        self._lex = ctypes.PYFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, ctypes.c_uint16)(raw.lex_function)
        count = self._count = raw.external_token_count
        self.initial = b""
        """The state at the start of a file, spelled out: some scanners keep what they were when given none."""
        if not count:
            return
        external = raw.external
        self._is_stateless = False
        self._symbols: list[int] = external.symbol_map[0:count]
        self._states: int = external.states
        self._scan = ctypes.PYFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)(external.scan)
        self._serialize = ctypes.PYFUNCTYPE(ctypes.c_uint, ctypes.c_void_p, ctypes.c_void_p)(external.serialize)
        self._deserialize = ctypes.PYFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_uint)(
            external.deserialize
        )
        self._payload = ctypes.PYFUNCTYPE(ctypes.c_void_p)(external.create)() or 0
        self._buffer = ctypes.create_string_buffer(1024)
        self._buffer_address = ctypes.addressof(self._buffer)
        self.initial = self._saved()
        self._is_stateless = not self._payload and not self.initial

    def known(self, external_state: int, saved: bytes, text: str) -> ScannedToken | ScannerResult | None:
        """The result of `scan` anywhere but at the start of a file, if the first characters of `text` decide it."""
        blank = _blank(text)
        for count in (1, blank + 1, blank + _TELLING):
            answer = self.answers.get((external_state, saved, text[:count]))
            if answer is not None and (answer is not UNDECIDED or count >= len(text)):
                return answer
        return None

    def scan(
        self, external_state: int, saved: bytes, text: str, place: ScanStart, *, ended: bool = False
    ) -> ScannedToken | ScannerResult:
        """What the scanner makes of `text` when started in `saved`; `ended` where no more text can follow."""
        with self._lock:
            answer, extent = self._scan_once(external_state, saved, text, place, ended=ended)
            decided_by = len(text) if answer is UNDECIDED else extent + 1
            if not ended and not place.at_start and decided_by <= _blank(text) + _TELLING:
                self._remember(external_state, saved, text, decided_by, place, (answer, extent))
        return answer

    def shorten(self, external_state: int, saved: bytes, text: str, place: ScanStart) -> str:
        """A shorter text that leaves the scanner as undecided as `text` does, whatever follows; else `text` itself.

        Tried with the continuations that end tokens in the languages we know, which is evidence, not proof; so whoever
        uses the short text asks again with the whole one as soon as the scanner decides.
        """
        short = text[:_KEPT] + text[-_KEPT:]
        return short if self._go_on_alike(external_state, saved, text, short, place) else text

    def _go_on_alike(self, external_state: int, saved: bytes, text: str, short: str, place: ScanStart) -> bool:
        removed = len(text) - len(short)
        for continuation in _CONTINUATIONS:
            whole = self.scan(external_state, saved, text + continuation, place)
            brief = self.scan(external_state, saved, short + continuation, place)
            if isinstance(brief, ScannedToken) and brief.end > _KEPT:
                brief = brief._replace(end=brief.end + removed)
            if whole != brief:
                return False
        return True

    def last_token(self, lex_state: int, text: str) -> ScanResult | None:
        """The token that the compiled lex function finds at the true end of a text.

        Transitions on the end itself (Go's implied semicolon) are in no table of characters.
        """
        with self._lock:
            address = self._source.begin(text, 0, at_start=False)
            return self._source.reading() if self._lex(address, lex_state) else None

    def _scan_once(
        self, external_state: int, saved: bytes, text: str, place: ScanStart, *, ended: bool
    ) -> tuple[ScannedToken | ScannerResult, int]:
        """The answer, and the index of the last character it depends on."""
        address = self._source.begin(text, place.column, at_start=place.at_start)
        if not self._is_stateless:
            self._deserialize(self._payload, saved or None, len(saved))
        found = self._scan(self._payload, address, self._states + self._count * external_state)
        symbol, extent, start, end = self._source.reading()
        if extent >= len(text) and not ended:
            return UNDECIDED, extent
        if not found:
            return DECLINED, extent
        return ScannedToken(self._symbols[symbol], start, end, self._saved()), extent

    def _saved(self) -> bytes:
        if self._is_stateless:
            return b""
        size = self._serialize(self._payload, self._buffer_address)
        return self._buffer.raw[:size]

    def _remember(  # noqa: PLR0917 - the arguments of `_scan_once` and its result
        self,
        external_state: int,
        saved: bytes,
        text: str,
        decided_by: int,
        place: ScanStart,
        result: tuple[ScannedToken | ScannerResult, int],
    ) -> None:
        """Keep an answer for other places, unless it depends on the column; that is tried out a few times."""
        tried = self._tried.get(external_state, 0)
        if tried < _TRIES:
            elsewhere = ScanStart(place.column + 7, at_start=False)
            if self._scan_once(external_state, saved, text, elsewhere, ended=False) != result:
                return
            self._tried[external_state] = tried + 1
        if len(self.answers) >= _REMEMBERED:
            self.answers.clear()
        self.answers[external_state, saved, text[:decided_by]] = result[0]


def _blank(text: str) -> int:
    """How many characters of white space a text begins with."""
    return len(text) - len(text.lstrip())
