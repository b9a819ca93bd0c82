"""The rows of a compiled parser's table: what stands there for each symbol, uncompressed when it is first asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from decoder.grammar.compiled import CompiledLanguage


class ParseTable:
    """States that treat most symbols alike are stored small: for each value, the symbols that have it."""

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
        at = self._raw.small_parse_table_map[state - self._raw.large_state_count]
        groups = table[at]
        at += 1
        for _ in range(groups):
            value, count = table[at], table[at + 1]
            for symbol in table[at + 2 : at + 2 + count]:
                row.setdefault(symbol, value)
            at += 2 + count
        return row
