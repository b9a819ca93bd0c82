"""The memory layout of a compiled tree-sitter parser: `TSLanguage` of `parser.h`, ABI 13 to 15, 64-bit.

`tables` reads a parser through it.
"""

from __future__ import annotations

import ctypes

_OLDEST_ABI = 13
_NEWEST_ABI = 15
RESERVED_WORDS_ABI = 15
"""The first ABI whose lex modes have a set of reserved words."""
_POINTER_SIZE = 8


class GrammarError(Exception):
    """A compiled parser whose tables or lexer cannot be used; the message says why."""


class _ExternalScanner(ctypes.Structure):
    _fields_ = (
        ("states", ctypes.c_void_p),
        ("symbol_map", ctypes.POINTER(ctypes.c_uint16)),
        ("create", ctypes.c_void_p),
        ("destroy", ctypes.c_void_p),
        ("scan", ctypes.c_void_p),
        ("serialize", ctypes.c_void_p),
        ("deserialize", ctypes.c_void_p),
    )


class CompiledLanguage(ctypes.Structure):
    """A generated parser's tables, as its C compiler laid them out: the fields of `TSLanguage`, in its order."""

    _fields_ = (
        *(
            (name, ctypes.c_uint32)
            for name in (
                "abi",
                "symbol_count",
                "alias_count",
                "token_count",
                "external_token_count",
                "state_count",
                "large_state_count",
                "production_id_count",
                "field_count",
            )
        ),
        ("max_alias_sequence_length", ctypes.c_uint16),
        ("parse_table", ctypes.POINTER(ctypes.c_uint16)),
        ("small_parse_table", ctypes.POINTER(ctypes.c_uint16)),
        ("small_parse_table_map", ctypes.POINTER(ctypes.c_uint32)),
        ("parse_actions", ctypes.c_void_p),
        ("symbol_names", ctypes.POINTER(ctypes.c_char_p)),
        ("field_names", ctypes.POINTER(ctypes.c_char_p)),
        ("field_map_slices", ctypes.POINTER(ctypes.c_uint16)),
        ("field_map_entries", ctypes.c_void_p),
        ("symbol_metadata", ctypes.POINTER(ctypes.c_uint8)),
        ("public_symbol_map", ctypes.POINTER(ctypes.c_uint16)),
        ("alias_map", ctypes.POINTER(ctypes.c_uint16)),
        ("alias_sequences", ctypes.POINTER(ctypes.c_uint16)),
        ("lex_modes", ctypes.POINTER(ctypes.c_uint16)),
        ("lex_function", ctypes.c_void_p),
        ("keyword_lex_function", ctypes.c_void_p),
        ("keyword_capture_token", ctypes.c_uint16),
        ("external", _ExternalScanner),
        ("primary_state_ids", ctypes.POINTER(ctypes.c_uint16)),
        # Only from ABI 15 on.
        ("name", ctypes.c_char_p),
        ("reserved_words", ctypes.POINTER(ctypes.c_uint16)),
        ("max_reserved_word_set_size", ctypes.c_uint16),
        ("supertype_count", ctypes.c_uint32),
    )


def _address(language: object) -> int:
    """The address of the `TSLanguage` in what a grammar's package returns: a capsule, or the address itself."""
    if isinstance(language, int):
        return language
    get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
    get_pointer.restype = ctypes.c_void_p
    get_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    return int(get_pointer(language, b"tree_sitter.Language"))


def compiled_language(language: object) -> CompiledLanguage:
    """The tables in what a grammar's package returns.

    Raises:
        GrammarError: The parser has an ABI that we do not read, or this is a 32-bit Python.
    """
    if ctypes.sizeof(ctypes.c_void_p) != _POINTER_SIZE:
        raise GrammarError("tree-sitter's tables can be read by 64-bit Python only. Use a 64-bit build.")
    compiled = CompiledLanguage.from_address(_address(language))
    if not _OLDEST_ABI <= compiled.abi <= _NEWEST_ABI:
        raise GrammarError(
            f"a tree-sitter parser of ABI {compiled.abi} (we read {_OLDEST_ABI} to {_NEWEST_ABI}). "
            "Install a version of the grammar's package that was generated for one of these."
        )
    return compiled
