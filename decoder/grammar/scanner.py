"""External scanners: the compiled, hand-written part of a grammar's lexer, run on unfinished text.

A scanner that has read to the end of the buffer is undecided, as more text may follow. When there is more, it is run
again from the start of the token. To keep the cost independent of the token's length, the middle of a long token is
left out if the scanner's results are the same without it (`shorten`). `reader` calls this.
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
"""An undecided token of more characters is shortened: scanning so many takes as long as the rest of a step."""
_KEPT = 32
"""Characters at either end of a token that are kept when it is shortened."""
_CONTINUATIONS = (
    "/",
    "/ x",  # after a star it ends a comment, which the scanner reports only when it sees what follows
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
"""Texts that end tokens in the languages we know, and texts that do not."""
_SERIALIZATION_SIZE = 1024
"""`TREE_SITTER_SERIALIZATION_BUFFER_SIZE`: no scanner's state has more bytes."""
_REMEMBERED = 1 << 15
"""The most answers that are cached."""
_TRIES = 16
"""After so many answers in one external state that were the same at another column, the scanner is assumed not to look
at columns there. Of the scanners that we know, none does."""
_DECISIVE = 2
"""An answer is cached if it depends on no more than leading white space and so many characters after it."""


class ScannerResult(Enum):
    """What a scanner answers when it has no token."""

    UNDECIDED = "undecided"
    """It has looked at the end of the text, so the answer depends on what follows."""
    DECLINED = "declined"
    """Whatever follows, the token is none of the scanner's."""


UNDECIDED: Final = ScannerResult.UNDECIDED
DECLINED: Final = ScannerResult.DECLINED
"""Constants, since reading a member of an enumeration takes longer than looking up a cached answer."""


class ScannedToken(NamedTuple):
    """A token that the scanner has read. Offsets count from where the scanner was started."""

    symbol: int
    start: int
    end: int
    saved: bytes
    """The scanner's state after the token."""


class ScanStart(NamedTuple):
    """Where the text that a scanner reads begins."""

    column: int
    """Code points between the start of the line and the text."""
    at_start: bool
    """Whether the text begins where the file does."""


class Scanner:
    """One grammar's external scanner and compiled lex function. Calls are serialised: both read the same input.

    Args:
        source: What the compiled code reads a text through.
    """

    def __init__(self, tables: Tables, source: ScannerInput) -> None:
        self._source = source
        self._lock = Lock()
        self._tried: dict[int, int] = {}
        """By external state, how many answers were the same at another column; at most `_TRIES`."""
        self.answers: dict[tuple[int, bytes, str], ScannedToken | ScannerResult] = {}
        """Cached answers, except at the start of a file, by external state, scanner's state and first characters."""
        raw = tables.raw
        self._lex = ctypes.PYFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, ctypes.c_uint16)(raw.lex_function)
        count = self._count = raw.external_token_count
        self.initial = b""
        """The scanner's state at the start of a file, as serialised: given no state, some scanners keep their last."""
        if not count:
            return
        external = raw.external
        self._is_stateless = False
        self._symbols: list[int] = external.symbol_map[0:count]
        self._states: int = external.states
        """The address of a table of booleans: by external state, which of the scanner's tokens it may return."""
        self._scan = ctypes.PYFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)(external.scan)
        self._serialize = ctypes.PYFUNCTYPE(ctypes.c_uint, ctypes.c_void_p, ctypes.c_void_p)(external.serialize)
        self._deserialize = ctypes.PYFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_uint)(
            external.deserialize
        )
        self._payload = ctypes.PYFUNCTYPE(ctypes.c_void_p)(external.create)() or 0
        self._buffer = ctypes.create_string_buffer(_SERIALIZATION_SIZE)
        self._buffer_address = ctypes.addressof(self._buffer)
        self.initial = self._saved()
        self._is_stateless = not self._payload and not self.initial

    def known(self, external_state: int, saved: bytes, text: str) -> ScannedToken | ScannerResult | None:
        """The cached result of `scan`, anywhere but at the start of a file; None if there is none."""
        blank = _blank(text)
        for count in (1, blank + 1, blank + _DECISIVE):
            answer = self.answers.get((external_state, saved, text[:count]))
            if answer is not None and (answer is not UNDECIDED or count >= len(text)):
                return answer
        return None

    def scan(
        self, external_state: int, saved: bytes, text: str, place: ScanStart, *, ended: bool = False
    ) -> ScannedToken | ScannerResult:
        """Run the scanner on a text.

        Args:
            external_state: Which tokens it may return: `LexMode.external_state`.
            saved: The scanner's state before the text.
            ended: Whether no more text can follow. Then the answer is never `UNDECIDED`.
        """
        with self._lock:
            answer, extent = self._scan_once(external_state, saved, text, place, ended=ended)
            decided_by = len(text) if answer is UNDECIDED else extent + 1
            if not ended and not place.at_start and decided_by <= _blank(text) + _DECISIVE:
                self._remember(external_state, saved, text, decided_by, place, (answer, extent))
        return answer

    def shorten(self, external_state: int, saved: bytes, text: str, place: ScanStart) -> str:
        """A shorter text on which the scanner does the same, whatever follows; `text` itself if there is none.

        The scanner is tried with `_CONTINUATIONS`, which is evidence, not proof. So as soon as the scanner decides on
        the short text, the caller asks again with the whole text.
        """
        short = text[:_KEPT] + text[-_KEPT:]
        return short if self._are_scanned_alike(external_state, saved, text, short, place) else text

    def _are_scanned_alike(self, external_state: int, saved: bytes, text: str, short: str, place: ScanStart) -> bool:
        """Whether the scanner answers the same for both texts with each continuation after them."""
        removed = len(text) - len(short)
        for continuation in _CONTINUATIONS:
            answer = self.scan(external_state, saved, text + continuation, place)
            short_answer = self.scan(external_state, saved, short + continuation, place)
            if isinstance(short_answer, ScannedToken) and short_answer.end > _KEPT:
                short_answer = short_answer._replace(end=short_answer.end + removed)
            if answer != short_answer:
                return False
        return True

    def last_token(self, lex_state: int, text: str) -> ScanResult | None:
        """The token that the compiled lex function finds in a text after which nothing follows; None for none.

        The learned table cannot answer this: it has characters only, and some functions also react to the end of the
        text itself (Go's implied semicolon).
        """
        with self._lock:
            address = self._source.begin(text, 0, at_start=False)
            return self._source.reading() if self._lex(address, lex_state) else None

    def _scan_once(
        self, external_state: int, saved: bytes, text: str, place: ScanStart, *, ended: bool
    ) -> tuple[ScannedToken | ScannerResult, int]:
        """The answer, and the index of the last character that it depends on; `len(text)` stands for the text's end."""
        address = self._source.begin(text, place.column, at_start=place.at_start)
        if not self._is_stateless:
            self._deserialize(self._payload, saved or None, len(saved))
        has_token = self._scan(self._payload, address, self._states + self._count * external_state)
        symbol, extent, start, end = self._source.reading()
        if extent >= len(text) and not ended:
            return UNDECIDED, extent
        if not has_token:
            return DECLINED, extent
        return ScannedToken(self._symbols[symbol], start, end, self._saved()), extent

    def _saved(self) -> bytes:
        """The scanner's present state, as it serialises it."""
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
        """Cache an answer for other places, unless it depends on the column. The first `_TRIES` answers test this."""
        tried = self._tried.get(external_state, 0)
        if tried < _TRIES:
            elsewhere = ScanStart(place.column + 7, at_start=False)  # any other column
            if self._scan_once(external_state, saved, text, elsewhere, ended=False) != result:
                return
            self._tried[external_state] = tried + 1
        if len(self.answers) >= _REMEMBERED:
            self.answers.clear()
        self.answers[external_state, saved, text[:decided_by]] = result[0]


def _blank(text: str) -> int:
    """How many characters of white space a text begins with."""
    return len(text) - len(text.lstrip())
