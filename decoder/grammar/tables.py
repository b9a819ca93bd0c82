"""The LR tables in a compiled tree-sitter parser, read in place; the rest of this package asks them.

A state's row says for each symbol what to do: for a token an index of actions, for a nonterminal the next state. Knows
nothing of texts, lexing or stacks.
"""

from __future__ import annotations

import ctypes
import hashlib
import struct
from collections import defaultdict
from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from decoder.grammar.actions import Production, TableCell, productions, read_actions
from decoder.grammar.compiled import RESERVED_WORDS_ABI, compiled_language

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import numpy.typing as npt

    from decoder.grammar.compiled import CompiledLanguage

ERROR_STATE = 0
"""The LR state of tree-sitter's error recovery: in its lex mode any token of the language is read."""
START_STATE = 1
"""The LR state before the first token."""
END_OF_INPUT = 0
"""The token that stands for the end of the text."""
END_OF_EXTRA = -1
"""Our token for the end of an extra that is a rule, not a single token (Rust's comments): no text is read for it."""
NO_LEXING = 0xFFFF
"""The lex state of LR states in which no token is read, because an extra that is a rule ends there."""


class LexMode(NamedTuple):
    """How an LR state reads its next token."""

    lex_state: int
    """The state in which the compiled lex function is started."""
    external_state: int
    """Which tokens the external scanner may return here; 0 for none."""
    reserved_set: int
    """The index in `Tables.reserved` of the keywords that are no identifiers here."""


class TableEntries(NamedTuple):
    """All entries of a parse table, as int64 [entries] each, in the order of the states."""

    states: npt.NDArray[np.int64]
    symbols: npt.NDArray[np.int64]
    targets: npt.NDArray[np.int64]
    """The state that is put on top; 0 where none is, as for extras."""
    takes: npt.NDArray[np.int64]
    """The most nodes that a reduction takes; 0 without a reduction."""


class ActionRow(dict[int, "TableCell | None"]):
    """What one state does for each token; None for nothing. `row[token]` reads a cell when it is first asked for.

    Of most rows, few cells are ever asked for. Reading whole rows made the slowest steps (1 ms, `inscope bench
    constraint`).
    """

    def __init__(self, tables: Tables, state: int) -> None:
        super().__init__()
        self._tables = tables
        self._state = state

    def __missing__(self, token: int) -> TableCell | None:
        cell = self[token] = self._tables.read_cell(self._state, token)
        return cell


class Tables:
    """One grammar's tables; rows are read when first asked for.

    Args:
        language: The compiled parser, as its package returns it.

    Raises:
        GrammarError: The parser has an ABI that we do not read, or this is a 32-bit Python.
    """

    def __init__(self, language: object) -> None:
        self._owner = language  # kept alive: `raw` points into it
        raw = self.raw = compiled_language(language)
        self.abi: int = raw.abi
        self.symbol_count: int = raw.symbol_count
        self.token_count: int = raw.token_count
        self.state_count: int = raw.state_count
        self.word: int = raw.keyword_capture_token
        """The token of identifiers, which keywords are spelled like; 0 for none."""
        self.names: tuple[str, ...] = tuple(
            raw.symbol_names[i].decode() for i in range(raw.symbol_count + raw.alias_count)
        )
        """By symbol, its name in the grammar; after these, the names that productions give to their children."""
        self.modes = self._read_modes()
        """By state, how it reads its next token."""
        self.reserved = self._read_reserved()
        """By `LexMode.reserved_set`, the keywords that may not be read as identifiers."""
        self._raw_row = _ParseTable(raw).row
        self.rows: Sequence[ActionRow] = [ActionRow(self, state) for state in range(self.state_count)]
        """By state, what it does for each token."""
        self._gotos: list[dict[int, int] | None] = [None] * self.state_count
        self._valid: list[int | None] = [None] * self.state_count
        self._actions: dict[int, TableCell] = {}
        self._productions = _Productions(self._cell)

    def read_cell(self, state: int, token: int) -> TableCell | None:
        """What `state` does for `token`; None for nothing. Use `rows`, which caches this."""
        index = self._raw_row(state).get(token)
        return None if index is None else self._cell(index)

    def reductions(self, state: int) -> frozenset[Production]:
        """The reductions of `state` for all tokens together."""
        row = self._raw_row(state).items()
        indices = {index for symbol, index in row if symbol < self.token_count}
        return frozenset().union(*(self._productions[index] for index in indices))

    def entries(self) -> TableEntries:
        """All entries of the parse table but those of the error state."""
        rows = [self._raw_row(state) if state >= START_STATE else {} for state in range(self.state_count)]
        states = np.repeat(np.arange(self.state_count), [len(row) for row in rows])
        symbols = np.fromiter(chain.from_iterable(rows), np.int64, len(states))
        values = np.fromiter(chain.from_iterable(map(dict.values, rows)), np.int64, len(states))
        is_token = symbols < self.token_count
        indices, which = np.unique(values[is_token], return_inverse=True)
        cells = [self._cell(index) for index in indices.tolist()]
        targets, takes = values, np.zeros_like(values)
        targets[is_token] = np.array([0 if cell.is_extra else cell.shift or 0 for cell in cells])[which]
        most_taken = [max((reduction.count for reduction in cell.reductions), default=0) for cell in cells]
        takes[is_token] = np.array(most_taken)[which]
        return TableEntries(states, symbols, targets, takes)

    def states_reducing(self, wanted: Callable[[Production], bool]) -> dict[Production, set[int]]:
        """By wanted production, the states in which it may be reduced."""
        states: dict[Production, set[int]] = defaultdict(set)
        for state in range(START_STATE, self.state_count):
            for production in filter(wanted, self.reductions(state)):
                states[production].add(state)
        return states

    def goto(self, state: int, symbol: int) -> int:
        """The state after `symbol` has been reduced on top of `state`; 0 where it cannot be."""
        row = self._gotos[state]
        if row is None:
            row = {reduced: target for reduced, target in self._raw_row(state).items() if reduced >= self.token_count}
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
        return token in self.reserved[self.modes[state].reserved_set]

    def fingerprint(self) -> str:
        """A hash that distinguishes versions of a grammar: a lexer serves only the tables it was learned from."""
        modes = struct.pack(f"<{3 * len(self.modes)}H", *(value for mode in self.modes for value in mode))
        return hashlib.sha256(repr((self.abi, self.state_count, self.names, modes)).encode()).hexdigest()[:16]

    def is_visible(self, symbol: int) -> bool:
        """Whether `symbol` has a node of its own in a syntax tree."""
        return bool(self.raw.symbol_metadata[3 * symbol])

    def is_literal(self, symbol: int) -> bool:
        """Whether a token is always written like its name: punctuation and keywords."""
        return self.is_visible(symbol) and not self.raw.symbol_metadata[3 * symbol + 1]

    def alias(self, production: int, index: int) -> str | None:
        """The name that `production` gives to its child `index`; None where it does not rename it."""
        width = self.raw.max_alias_sequence_length
        if not production or index >= width:
            return None
        symbol = self.raw.alias_sequences[production * width + index]
        return self.names[symbol] if symbol else None

    def fields(self, production: int) -> Mapping[int, str]:
        """By index of a production's child, its field. A child's own field takes precedence over an inherited one."""
        names: dict[int, str] = {}
        raw = self.raw
        if production < raw.production_id_count:
            first, count = raw.field_map_slices[2 * production], raw.field_map_slices[2 * production + 1]
            entries = ctypes.string_at(raw.field_map_entries + 4 * first, 4 * count)
            for field, child, inherited in struct.iter_unpack("<HBB", entries):
                if not inherited or child not in names:
                    names[child] = raw.field_names[field].decode()
        return MappingProxyType(names)

    def _read_modes(self) -> tuple[LexMode, ...]:
        raw = self.raw
        width = 3 if self.abi >= RESERVED_WORDS_ABI else 2
        flat = raw.lex_modes[0 : width * raw.state_count]
        padding = (0,) * (3 - width)
        return tuple(LexMode(*flat[start : start + width], *padding) for start in range(0, len(flat), width))

    def _read_reserved(self) -> tuple[frozenset[int], ...]:
        raw = self.raw
        count = max(mode.reserved_set for mode in self.modes) + 1
        size = raw.max_reserved_word_set_size if self.abi >= RESERVED_WORDS_ABI else 0
        if not size:
            return (frozenset(),) * count
        sets = [frozenset[int]()]
        for index in range(1, count):
            words = raw.reserved_words[index * size : (index + 1) * size]
            sets.append(frozenset(words[: words.index(0)] if 0 in words else words))
        return tuple(sets)

    def _cell(self, index: int) -> TableCell:
        """The actions stored at `index` of the parser's list; the same object each time."""
        cell = self._actions.get(index)
        if cell is None:
            cell = self._actions[index] = read_actions(self.raw.parse_actions, index)
        return cell


class _Productions(dict[int, frozenset[Production]]):
    """By index of the parser's list of actions, their reductions; each is computed when it is first asked for."""

    def __init__(self, cell: Callable[[int], TableCell]) -> None:
        super().__init__()
        self._cell = cell

    def __missing__(self, index: int) -> frozenset[Production]:
        reduced = self[index] = productions(self._cell(index))
        return reduced


class _ParseTable:
    """The rows of the compiled table, uncompressed when first asked for.

    The rows of the first states are stored whole, with a value for each symbol. Rows with few distinct values are
    stored small: for each value, the symbols that have it.
    """

    def __init__(self, raw: CompiledLanguage) -> None:
        self._raw = raw
        self._rows: dict[int, dict[int, int]] = {}

    def row(self, state: int) -> dict[int, int]:
        """Symbol to table value: an index of actions for tokens, a state for the others. Zeros are left out."""
        row = self._rows.get(state)
        if row is None:
            row = self._large(state) if state < self._raw.large_state_count else self._small(state)
            self._rows[state] = row
        return row

    def _large(self, state: int) -> dict[int, int]:
        count = self._raw.symbol_count
        values = self._raw.parse_table[state * count : (state + 1) * count]
        return {symbol: value for symbol, value in enumerate(values) if value}

    def _small(self, state: int) -> dict[int, int]:
        row: dict[int, int] = {}
        table = self._raw.small_parse_table
        offset = self._raw.small_parse_table_map[state - self._raw.large_state_count]
        group_count = table[offset]
        offset += 1
        for _ in range(group_count):
            value, count = table[offset], table[offset + 1]
            for symbol in table[offset + 2 : offset + 2 + count]:
                row.setdefault(symbol, value)
            offset += 2 + count
        return row


def bits(mask: int) -> Iterator[int]:
    """The members of a bit set, lowest first."""
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest
