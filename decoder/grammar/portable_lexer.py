"""The lexer interface that compiled scanners call, written in Python: it works everywhere, slowly.

External scanners and lex functions read a text through five callbacks. The callbacks here read a Python string by
code points, so no byte offsets occur. `native_lexer` is some 40 times faster and is used where it works.
"""

from __future__ import annotations

import ctypes
from typing import NamedTuple, Protocol


class ScanResult(NamedTuple):
    """What a scanner or a lex function has read. Offsets count code points from the start of its text."""

    symbol: int
    """Which token: the index among the scanner's own tokens, or the lex function's symbol."""
    extent: int
    """The offset up to which it advanced. It has also seen the character at this offset, or the end of the text."""
    start: int
    """Where the token begins, after skipped white space."""
    end: int
    """Where the token ends."""


class ScannerInput(Protocol):
    """Something that a compiled scanner can read a text through."""

    def begin(self, text: str, column: int, *, at_start: bool) -> int:
        """Get ready to read `text`; returns the address to hand to the scanner.

        Args:
            column: Code points between the start of the line and `text`.
            at_start: Whether `text` begins where the file does.
        """

    def reading(self) -> ScanResult:
        """What the scanner has read since `begin`."""


class LexerStructure(ctypes.Structure):
    """`TSLexer` of tree-sitter's `parser.h`: the next character, the token read, and the callbacks."""

    _fields_ = (
        ("lookahead", ctypes.c_int32),
        ("result_symbol", ctypes.c_uint16),
        ("advance", ctypes.c_void_p),
        ("mark_end", ctypes.c_void_p),
        ("get_column", ctypes.c_void_p),
        ("is_at_included_range_start", ctypes.c_void_p),
        ("eof", ctypes.c_void_p),
        ("log", ctypes.c_void_p),  # for messages of a scanner; left at None, as those of our languages send none
    )


class PortableLexer:
    """Reads a text through callbacks written in Python. See `ScannerInput` for its methods."""

    def __init__(self) -> None:
        self._text = ""
        self._column = 0
        self._at_start = False
        self._position = 0
        self._start = 0
        self._end: int | None = None
        """Where the scanner has marked the token's end; None if it has not."""
        self._callbacks = (
            ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_bool)(self._advance),
            ctypes.CFUNCTYPE(None, ctypes.c_void_p)(self._mark_end),
            ctypes.CFUNCTYPE(ctypes.c_uint32, ctypes.c_void_p)(self._get_column),
            ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p)(self._is_at_start),
            ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p)(self._is_at_end),
        )
        self._lexer = LexerStructure(
            0, 0, *(ctypes.cast(callback, ctypes.c_void_p).value for callback in self._callbacks), None
        )
        self._address = ctypes.addressof(self._lexer)

    def begin(self, text: str, column: int, *, at_start: bool) -> int:
        """Get ready to read `text`; returns the address to hand to the scanner."""
        self._text, self._column, self._at_start = text, column, at_start
        self._position = self._start = 0
        self._end = None
        self._lexer.lookahead = ord(text[0]) if text else 0
        self._lexer.result_symbol = 0
        return self._address

    def reading(self) -> ScanResult:
        """What the scanner has read since `begin`."""
        end = self._position if self._end is None else self._end
        # a scanner may skip white space after it has marked the end; the token then is empty
        return ScanResult(self._lexer.result_symbol, self._position, min(self._start, end), end)

    def _advance(self, _: int, skips: bool) -> None:  # noqa: FBT001 - the signature is tree-sitter's
        if self._position >= len(self._text):
            return
        self._column = 0 if self._text[self._position] == "\n" else self._column + 1
        self._position += 1
        if skips:
            self._start = self._position
        ended = self._position >= len(self._text)
        self._lexer.lookahead = 0 if ended else ord(self._text[self._position])

    def _mark_end(self, _: int) -> None:
        self._end = self._position

    def _get_column(self, _: int) -> int:
        return self._column

    def _is_at_start(self, _: int) -> bool:
        return self._at_start and self._position == 0 and bool(self._text)

    def _is_at_end(self, _: int) -> bool:
        return self._position >= len(self._text)
