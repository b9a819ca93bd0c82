"""The LR tables inside a compiled tree-sitter parser, read in place.

Knows the memory layout of `TSLanguage` (tree-sitter's `parser.h`, ABI 13 to 15, 64-bit) and nothing of texts, lexing
or stacks. A parser of another ABI is refused with a sentence, never guessed at.
"""

from __future__ import annotations

import ctypes
import struct
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from decoder.grammar.stack import Node

    ShiftCheck = Callable[[Node], object]
    """From the stack that a token would be put on."""
    SpelledCheck = Callable[[Node, str], object]
    """From the stack that a token would be put on, and the token's text."""
    ReduceCheck = Callable[[Node, tuple[Node, ...]], object]
    """From the stack below the cells that are replaced, and these cells, lowest first."""

OLDEST_ABI = 13
NEWEST_ABI = 15
RESERVED_WORDS_ABI = 15

START_STATE = 1
END_OF_INPUT = 0
"""The symbol that stands for the end of the text."""
END_OF_EXTRA = -1
"""Our symbol for "the lexer has nothing to add here": the end of an extra that is no single token (Rust's comments)."""
NO_LEXING = 0xFFFF
"""The lex state of LR states in which no token is read, because a non-terminal extra ends there."""

_SHIFT, _REDUCE, _ACCEPT = 0, 1, 2
_ACTION = struct.Struct("<BxHBB2x")
_REDUCTION = struct.Struct("<BBHhH")
_ACTION_SIZE = 8
_POINTER_SIZE = 8


class GrammarError(Exception):
    """A compiled parser that we cannot drive."""


class LexMode(NamedTuple):
    """How an LR state reads its next token."""

    lex_state: int
    external_state: int
    """Which tokens the external scanner may return here; 0 for none."""
    reserved_set: int


@dataclass(frozen=True, slots=True)
class Reduce:
    """Replace the top `count` cells by one `symbol`."""

    count: int
    symbol: int
    precedence: int
    production: int
    check: ReduceCheck | None = None
    """A rule of ours on top of the grammar's: the mark of the new cell, or DEAD."""


@dataclass(frozen=True, slots=True)
class Cell:
    """What an LR state does at sight of one token."""

    reductions: tuple[Reduce, ...]
    """More than one, or one beside a shift, where the grammar is ambiguous so far."""
    shift: int | None
    """The next state; None for no shift."""
    is_extra: bool
    """The token is one that may stand anywhere, such as a comment: the stack stays as it is."""
    accepts: bool
    reusable: bool
    """The token may be kept after a reduction although the new state would lex differently."""
    check: ShiftCheck | None = None
    """A rule of ours on top of the grammar's: the mark of the token's cell, or DEAD."""
    spelled: SpelledCheck | None = None
    """The same where the token's text matters: asked instead, once the text is known."""

    @property
    def is_empty(self) -> bool:
        """Whether the table has an entry but no action that a viable text can take."""
        return not self.reductions and self.shift is None and not self.accepts


_NOTHING = Cell((), None, is_extra=False, accepts=False, reusable=False)


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


class _Language(ctypes.Structure):
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


def language_pointer(language: object) -> int:
    """The address of the `TSLanguage` in what a grammar's wheel gives: a capsule, or a plain address."""
    if isinstance(language, int):
        return language
    get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
    get_pointer.restype = ctypes.c_void_p
    get_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    return int(get_pointer(language, b"tree_sitter.Language"))


class Tables:
    """One grammar's tables; rows are read when first asked for."""

    def __init__(self, language: object) -> None:
        if ctypes.sizeof(ctypes.c_void_p) != _POINTER_SIZE:
            raise GrammarError("tree-sitter's tables can be read by 64-bit Python only. Use a 64-bit build.")
        self._owner = language
        self.raw = _Language.from_address(language_pointer(language))
        self.abi: int = self.raw.abi
        if not OLDEST_ABI <= self.abi <= NEWEST_ABI:
            raise GrammarError(
                f"a tree-sitter parser of ABI {self.abi} (we read {OLDEST_ABI} to {NEWEST_ABI}). "
                "Install a version of the grammar's package that was generated for one of these."
            )
        raw = self.raw
        self.symbol_count: int = raw.symbol_count
        self.token_count: int = raw.token_count
        self.state_count: int = raw.state_count
        self.word: int = raw.keyword_capture_token
        """The token that keywords are cut from: the identifier. 0 for none."""
        self.names = tuple(raw.symbol_names[i].decode() for i in range(raw.symbol_count + raw.alias_count))
        self.modes = self._read_modes()
        self.reserved = self._read_reserved()
        self._raw_rows: dict[int, dict[int, int]] = {}
        self._cells: list[dict[int, Cell] | None] = [None] * self.state_count
        self._gotos: list[dict[int, int] | None] = [None] * self.state_count
        self._valid: list[int | None] = [None] * self.state_count
        self._actions: dict[int, Cell] = {}
        self._shifts = _Shifts(self._cell)
        self._restriction: Callable[[int, int, Cell], Cell] | None = None
        self.spelled: frozenset[int] = frozenset()
        """States in which a rule of ours may ask for the text of the next token."""
        self._reserved_where: tuple[frozenset[int], int] = frozenset(), 0

    def cells(self, state: int) -> dict[int, Cell]:
        """What `state` does at sight of each token; tokens that are not there do nothing."""
        row = self._cells[state]
        if row is None:
            row = self.unrestricted(state)
            if self._restriction is not None:
                row = {symbol: self._restriction(state, symbol, cell) for symbol, cell in row.items()}
            self._cells[state] = row
        return row

    def unrestricted(self, state: int) -> dict[int, Cell]:
        """What the compiled parser itself does in `state` at sight of each token."""
        row = self._raw_row(state).items()
        return {symbol: self._cell(index) for symbol, index in row if symbol < self.token_count}

    def restrict(self, restriction: Callable[[int, int, Cell], Cell], spelled: frozenset[int]) -> None:
        """Let what a state does with a token be decided by `restriction` too. Only before any row has been read.

        Rules that must know a token's text are found in the states `spelled` only.
        """
        self._restriction = restriction
        self.spelled = spelled

    def reserve(self, words: frozenset[int], where: int) -> None:
        """Let keywords be no identifiers wherever the token `where` can stand."""
        self._reserved_where = words, where

    def successors(self, state: int) -> list[tuple[int, int]]:
        """The symbols that may be put on top of `state`, each with the state that then is on top."""
        tokens, shifts = self.token_count, self._shifts
        return [
            (symbol, target)
            for symbol, index in self._raw_row(state).items()
            if (target := index if symbol >= tokens else shifts[index])
        ]

    def cell(self, state: int, token: int) -> Cell:
        """What `state` does at sight of `token`."""
        return self.cells(state).get(token, _NOTHING)

    def goto(self, state: int, symbol: int) -> int:
        """The state after `symbol` has been reduced on top of `state`."""
        row = self._gotos[state]
        if row is None:
            row = {s: target for s, target in self._raw_row(state).items() if s >= self.token_count}
            self._gotos[state] = row
        return row.get(symbol, 0)

    def valid_tokens(self, state: int) -> int:
        """The tokens that have an entry in `state`, as a bit set."""
        valid = self._valid[state]
        if valid is None:
            valid = sum(1 << symbol for symbol in self._raw_row(state) if symbol < self.token_count)
            self._valid[state] = valid
        return valid

    def is_reserved(self, state: int, token: int) -> bool:
        """Whether the keyword `token` may not be read as an identifier in `state`."""
        words, where = self._reserved_where
        if token in words and self.valid_tokens(state) >> where & 1:
            return True
        return token in self.reserved[self.modes[state].reserved_set]

    @cached_property
    def fingerprint(self) -> tuple[object, ...]:
        """Tells two versions of a grammar apart: data about it that changes when its lexer does."""
        modes = struct.pack(f"<{3 * len(self.modes)}H", *(value for mode in self.modes for value in mode))
        return (self.abi, self.state_count, self.names, modes)

    def is_visible(self, symbol: int) -> bool:
        """Whether `symbol` has a node of its own in a syntax tree."""
        return bool(self.raw.symbol_metadata[3 * symbol])

    def alias(self, production: int, index: int) -> str | None:
        """The name that `production` gives to its child `index`, where it renames it."""
        width = self.raw.max_alias_sequence_length
        if not production or index >= width:
            return None
        symbol = self.raw.alias_sequences[production * width + index]
        return self.names[symbol] if symbol else None

    def fields(self, production: int) -> Mapping[int, str]:
        """Field names of a production's children by child index. A child's own field wins over an inherited one."""
        found: dict[int, str] = {}
        raw = self.raw
        if production < raw.production_id_count:
            first, count = raw.field_map_slices[2 * production], raw.field_map_slices[2 * production + 1]
            entries = ctypes.string_at(raw.field_map_entries + 4 * first, 4 * count)
            for field, child, inherited in struct.iter_unpack("<HBB", entries):
                if not inherited or child not in found:
                    found[child] = raw.field_names[field].decode()
        return MappingProxyType(found)

    def _read_modes(self) -> tuple[LexMode, ...]:
        raw = self.raw
        width = 3 if self.abi >= RESERVED_WORDS_ABI else 2
        flat = raw.lex_modes[0 : width * raw.state_count]
        padding = (0,) * (3 - width)
        return tuple(LexMode(*flat[i : i + width], *padding) for i in range(0, len(flat), width))

    def _read_reserved(self) -> tuple[frozenset[int], ...]:
        raw = self.raw
        count = max(mode.reserved_set for mode in self.modes) + 1
        size = raw.max_reserved_word_set_size if self.abi >= RESERVED_WORDS_ABI else 0
        if not size:
            return (frozenset(),) * count
        sets = [frozenset[int]()]
        for i in range(1, count):
            words = raw.reserved_words[i * size : (i + 1) * size]
            sets.append(frozenset(words[: words.index(0)] if 0 in words else words))
        return tuple(sets)

    def _raw_row(self, state: int) -> dict[int, int]:
        """Symbol to table value: an index of actions for tokens, a state for the others. Zeros are left out."""
        row = self._raw_rows.get(state)
        if row is None:
            raw = self.raw
            if state < raw.large_state_count:
                values = raw.parse_table[state * raw.symbol_count : (state + 1) * raw.symbol_count]
                row = {symbol: value for symbol, value in enumerate(values) if value}
            else:
                row = self._small_row(state)
            self._raw_rows[state] = row
        return row

    def _small_row(self, state: int) -> dict[int, int]:
        """Small states list, for each value, the symbols that have it."""
        row: dict[int, int] = {}
        table = self.raw.small_parse_table
        at = self.raw.small_parse_table_map[state - self.raw.large_state_count]
        groups = table[at]
        at += 1
        for _ in range(groups):
            value, count = table[at], table[at + 1]
            for symbol in table[at + 2 : at + 2 + count]:
                row.setdefault(symbol, value)
            at += 2 + count
        return row

    def _cell(self, index: int) -> Cell:
        """The actions stored at `index`: a header of eight bytes, then eight for each action."""
        cell = self._actions.get(index)
        if cell is None:
            base = self.raw.parse_actions + _ACTION_SIZE * index
            count, reusable = ctypes.string_at(base, 2)
            data = ctypes.string_at(base + _ACTION_SIZE, _ACTION_SIZE * count)
            cell = self._actions[index] = _parse_actions(data, reusable=bool(reusable))
        return cell


class _Shifts(dict[int, int]):
    """Where the actions stored at an index shift to, as asked for; 0 for nowhere."""

    def __init__(self, cell: Callable[[int], Cell]) -> None:
        super().__init__()
        self._cell = cell

    def __missing__(self, index: int) -> int:
        target = self[index] = self._cell(index).shift or 0
        return target


def _parse_actions(data: bytes, *, reusable: bool) -> Cell:
    reductions: list[Reduce] = []
    shift: int | None = None
    is_extra = accepts = False
    for at in range(0, len(data), _ACTION_SIZE):
        kind = data[at]
        if kind == _REDUCE:
            _, count, symbol, precedence, production = _REDUCTION.unpack_from(data, at)
            reductions.append(Reduce(count, symbol, precedence, production))
        elif kind == _SHIFT:
            _, target, extra, repetition = _ACTION.unpack_from(data, at)
            if not repetition:  # the reductions beside it stand for the same text, as tree-sitter does
                shift, is_extra = target, bool(extra)
                break
        elif kind == _ACCEPT:
            accepts = True
            break
        else:  # recovery belongs to broken texts
            break
    return Cell(tuple(reductions), shift, is_extra=is_extra, accepts=accepts, reusable=reusable)
