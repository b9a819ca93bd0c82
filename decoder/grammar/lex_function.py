"""Runs a compiled lex function with callbacks that record what it reads and accepts."""

from __future__ import annotations

import ctypes
from typing import Final

from decoder.grammar.portable_lexer import LexerStructure

Word = tuple[int, ...]
Trace = tuple[int, ...]

SKIP: Final = 0
ADVANCE: Final = 1
MARK: Final = 2
"""Plus the token: the function takes what it has read for that token."""


class LexFunction:
    """A compiled lex function, driven by our callbacks that record what it does."""

    def __init__(self, address: int) -> None:
        self._function = ctypes.PYFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, ctypes.c_uint16)(address)
        self._word: Word = ()
        self._at = 0
        self._events: list[int] = []
        self._lexer = LexerStructure()
        self._callbacks = (
            ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_bool)(self._advance),
            ctypes.CFUNCTYPE(None, ctypes.c_void_p)(self._mark_end),
            ctypes.CFUNCTYPE(ctypes.c_uint32, ctypes.c_void_p)(lambda _: 0),
            ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p)(lambda _: False),
            ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p)(lambda _: self._at >= len(self._word)),
        )
        for (name, _), callback in zip(LexerStructure._fields_[2:7], self._callbacks, strict=True):
            setattr(self._lexer, name, ctypes.cast(callback, ctypes.c_void_p).value)
        self._address = ctypes.addressof(self._lexer)

    def trace(self, state: int, word: Word) -> Trace:
        """What the function does from `state` when `word` and then the end of the text follow."""
        self._word, self._at, self._events = word, 0, []
        self._lexer.lookahead = word[0] if word else 0
        self._lexer.result_symbol = 0
        self._function(self._address, state)
        return tuple(self._events)

    def _advance(self, _: int, skips: bool) -> None:  # noqa: FBT001 - the signature is tree-sitter's
        self._at += 1
        self._events.append(SKIP if skips else ADVANCE)
        self._lexer.lookahead = self._word[self._at] if self._at < len(self._word) else 0

    def _mark_end(self, _: int) -> None:
        self._events.append(MARK + self._lexer.result_symbol)
