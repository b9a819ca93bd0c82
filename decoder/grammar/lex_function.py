"""A compiled lex function, run on a word to record what it does with it; for `learn` and `unlearned`."""

from __future__ import annotations

import ctypes
from typing import Final

from decoder.grammar.portable_lexer import LexerStructure

Word = tuple[int, ...]
"""Code points."""
Trace = tuple[int, ...]
"""Events in order: `SKIP` or `ADVANCE` for each character read, `MARK` plus a token's number where it may end."""

SKIP: Final = 0
ADVANCE: Final = 1
MARK: Final = 2


class LexFunction:
    """A compiled lex function, driven by our callbacks that record what it does."""

    def __init__(self, address: int) -> None:
        # PYFUNCTYPE keeps the interpreter's lock during a call, as the callbacks need it at each character; CFUNCTYPE
        # would release it. A callback of either type takes the lock by itself.
        self._function = ctypes.PYFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, ctypes.c_uint16)(address)
        self._word: Word = ()
        self._at = 0
        """The index in the word of the character to be read next."""
        self._events: list[int] = []
        self._callbacks = (
            ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_bool)(self._advance),
            ctypes.CFUNCTYPE(None, ctypes.c_void_p)(self._mark_end),
            ctypes.CFUNCTYPE(ctypes.c_uint32, ctypes.c_void_p)(lambda _: 0),  # get_column
            ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p)(lambda _: False),  # is_at_included_range_start
            ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p)(lambda _: self._at >= len(self._word)),  # eof
        )
        self._lexer = LexerStructure(
            0, 0, *(ctypes.cast(callback, ctypes.c_void_p).value for callback in self._callbacks), None
        )
        self._address = ctypes.addressof(self._lexer)

    def trace(self, state: int, word: Word) -> Trace:
        """What the function does from `state` if `word` follows, and after it the text ends."""
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
