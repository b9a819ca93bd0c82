"""The lexer callbacks compiled into the tree_sitter wheel, used to read our own buffers at native speed.

A compiled scanner reads a text through the five callbacks of a `TSLexer`. A `TSParser` begins with its `Lexer`, and a
`Lexer` begins with a `TSLexer`. We copy the callbacks' addresses from there into a `Lexer` of our own, whose private
part (tree-sitter's `lexer.h`) we fill in. That layout is not ours and may change. So it is used only with the versions
of tree_sitter that it was read from, on 64-bit CPython, and only after `works` has compared it with `PortableLexer`. In
all other cases the portable one is used. `grammar` asks `works` once, and `scanner` reads through the lexer.

A `Lexer` has these bytes, of which the last 1,024 are for messages and are not used here:

    from  what is there                                                       where it is written
    0     `TSLexer`: the next character, the symbol                           `_HEAD`
    8     `TSLexer`: the five callbacks and that of a log                     copied (`_CALLBACKS`)
    56    the position, the start and the end of the token                    `_POSITIONS_TO_CHUNK`
    96    the address of the ranges, that of the text                         `_POSITIONS_TO_CHUNK`
    112   `TSInput`: payload, callback for more text, encoding, decoder       `NativeLexer.__init__`
    144   `TSLogger`: payload, callback                                       `NativeLexer.__init__`
    160   which text and range, the size of the next character, the column    `_TAIL`
"""

from __future__ import annotations

import ctypes
import struct
import sys
import sysconfig
from importlib.metadata import version

import tree_sitter

from context_index.symbols import encodable
from decoder.grammar.portable_lexer import PortableLexer, ScanResult

KNOWN_VERSIONS = ("0.25.", "0.26.")
"""Releases of tree_sitter whose `Lexer` has the layout below."""

_OBJECT_HEAD = 16
"""Bytes before the parser's address in the Python object: a reference count and a type."""
_CALLBACKS = slice(8, 56)
"""The bytes of a `Lexer` that hold the addresses of the callbacks and of a log."""
_HEAD = struct.Struct("<iH2x")
"""The next character as its code point, 0 at the end; and the symbol that the scanner has read."""
_POSITIONS = struct.Struct("<9I")
"""Where the lexer is, where its token begins and where it ends: a byte offset, a row and a column each.

Of the rows only one thing matters here: `begin` puts the lexer into row 1, and an end that is not marked into row 0.
"""
_POSITIONS_AT = 56
_POSITIONS_TO_CHUNK = struct.Struct("<9I4xQQ")
"""Positions, the address of the ranges and the address of the text: neighbours, so that one call writes them."""
_INPUT_AT, _LOGGER_AT, _TAIL_AT = 112, 144, 160
_SIZE = 1280
"""More bytes than a `Lexer` has."""
_TAIL = struct.Struct("<5IB3xIB3x")
"""In this order: the count of ranges, the index of the range that the lexer is in, the byte offset of the text, its
bytes, the bytes of the next character, whether the scanner asked for the column, the column, and whether it is known.
"""
_RANGE = struct.Struct("<6I")
"""A range: row and column of its start, row and column of its end, byte offset of its start, byte offset of its end."""
_BYTES_HEAD = bytes.__basicsize__ - 1
"""Bytes of a `bytes` object before its contents."""
_NOT_THE_START = 1 << 20
"""The byte offset given to a text that is not the start of a file: a scanner takes only offset 0 for the start."""
_ONE_BYTE, _TWO_BYTES, _THREE_BYTES = 0x80, 0xE0, 0xF0
"""A first byte of UTF-8 that is smaller begins a character of so many bytes."""


class NativeLexer:
    """Reads a text as UTF-8 through tree_sitter's own callbacks. See `ScannerInput` for its methods.

    Only where `works` is true: elsewhere it would read and write memory that is laid out in another way.
    """

    def __init__(self) -> None:
        self._parser = tree_sitter.Parser()
        parser = ctypes.c_void_p.from_address(id(self._parser) + _OBJECT_HEAD).value
        if parser is None:
            raise RuntimeError("a tree_sitter.Parser without a parser inside")
        self._memory = bytearray(_SIZE)
        self._range = bytearray(_RANGE.size)
        self._address = ctypes.addressof(ctypes.c_char.from_buffer(self._memory))
        self._memory[_CALLBACKS] = ctypes.string_at(parser + _CALLBACKS.start, _CALLBACKS.stop - _CALLBACKS.start)
        self._range_address = ctypes.addressof(ctypes.c_char.from_buffer(self._range))
        read_type = ctypes.CFUNCTYPE(
            ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_uint64, ctypes.POINTER(ctypes.c_uint32)
        )
        self._read = read_type(_read_nothing)
        read_address = ctypes.cast(self._read, ctypes.c_void_p).value or 0
        # `TSInput` (payload, read, encoding, decode) and `TSLogger` (payload, log)
        struct.pack_into("<QQI4xQ", self._memory, _INPUT_AT, 0, read_address, 0, 0)
        struct.pack_into("<QQ", self._memory, _LOGGER_AT, 0, 0)
        self._bytes = b""
        """The text, kept alive while the callbacks read it."""
        self._ascii = True
        """Whether all of the text is ASCII, so that byte offsets count code points."""
        self._base = 0
        """The byte offset that the text's first byte is given."""

    def begin(self, text: str, column: int, *, at_start: bool) -> int:
        """Get ready to read `text`; returns the address to hand to the scanner."""
        data = self._bytes = encodable(text).encode()  # valid UTF-8: the callbacks read beyond broken one
        length = len(data)
        self._ascii = length == len(text)
        base = self._base = 0 if at_start else _NOT_THE_START
        if not text:
            code, width, range_index = 0, 1, 1  # the end of the text is after the only range, whose index is 0
        else:
            code, range_index = ord(text[0]), 0
            first = data[0]
            width = 1 if first < _ONE_BYTE else 2 if first < _TWO_BYTES else 3 if first < _THREE_BYTES else 4
        memory = self._memory
        _HEAD.pack_into(memory, 0, code, 0)
        chunk = id(data) + _BYTES_HEAD if length else 0
        _POSITIONS_TO_CHUNK.pack_into(
            memory, _POSITIONS_AT, base, 1, column, base, 1, column, 0, 0, 0, self._range_address, chunk
        )
        _TAIL.pack_into(memory, _TAIL_AT, 1, range_index, base, length, width, 0, column, 1)
        _RANGE.pack_into(self._range, 0, 0, 0, 0xFFFFFFFF, 0xFFFFFFFF, 0, base + length)
        return self._address

    def reading(self) -> ScanResult:
        """What the scanner has read since `begin`."""
        memory = self._memory
        symbol: int = memory[4] | memory[5] << 8
        position, _, _, start, _, _, end, end_row, _ = _POSITIONS.unpack_from(memory, _POSITIONS_AT)
        if end_row == 0:  # the end was never marked
            end = position
        start = min(start, end)
        base = self._base
        if self._ascii:
            return ScanResult(symbol, position - base, start - base, end - base)
        return ScanResult(
            symbol, self._code_points(position - base), self._code_points(start - base), self._code_points(end - base)
        )

    def _code_points(self, offset: int) -> int:
        """How many code points the bytes before an offset are."""
        return len(self._bytes[:offset].decode())


def _read_nothing(_payload: int, _byte: int, _point: int, count: object) -> int:
    """tree-sitter's callback for more text: there is none, since what follows has not been written yet."""
    count[0] = 0  # type: ignore[index]  # a ctypes pointer
    return 0


def works() -> bool:
    """Whether `NativeLexer` can be used on this machine and does what `PortableLexer` does."""
    known = version("tree_sitter").startswith(KNOWN_VERSIONS)
    free_threaded = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
    if not known or free_threaded or sys.implementation.name != "cpython" or sys.byteorder != "little":
        return False
    return all(_walk(NativeLexer(), text) == _walk(PortableLexer(), text) for text in _SELF_TEST)


_SELF_TEST = ("", "x", "  ab\n c", "\r\n\té", "中文\n x", "😀 a", "aé中😀")
"""Texts with white space, line ends, and characters of one to four bytes."""


def _walk(lexer: NativeLexer | PortableLexer, text: str) -> list[tuple[object, ...]]:
    """What the callbacks return, and the result, for each way to skip the first characters and to take the others.

    The token's end is marked after the skipped characters.
    """
    observed: list[tuple[object, ...]] = []
    for skipped in range(len(text) + 1):
        for at_start in (True, False):
            address = lexer.begin(text, 3, at_start=at_start)
            advance, mark_end, get_column, is_at_start, eof = (
                ctypes.c_void_p.from_address(address + 8 * i).value for i in range(1, 6)
            )
            lookahead = ctypes.c_int32.from_address(address)
            for step in range(len(text) + 1):
                observed.append(
                    (
                        lookahead.value,
                        ctypes.PYFUNCTYPE(ctypes.c_bool, ctypes.c_void_p)(eof)(address),  # type: ignore[arg-type]
                        ctypes.PYFUNCTYPE(ctypes.c_bool, ctypes.c_void_p)(is_at_start)(address),  # type: ignore[arg-type]
                        ctypes.PYFUNCTYPE(ctypes.c_uint32, ctypes.c_void_p)(get_column)(address),  # type: ignore[arg-type]
                    )
                )
                if step == skipped:
                    ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(mark_end)(address)  # type: ignore[arg-type]
                move = ctypes.PYFUNCTYPE(None, ctypes.c_void_p, ctypes.c_bool)(advance)  # type: ignore[arg-type]
                move(address, step < skipped)
            observed.append(tuple(lexer.reading()))
    return observed
