"""What lies on a stack, by name: the vocabulary in which the stricter rules are written."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, ParamSpec

from decoder.grammar.by_state import ByState
from decoder.grammar.stack import DEAD
from decoder.grammar.tables import START_STATE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from collections.abc import Set as AbstractSet

    from decoder.grammar.actions import Cell, Reduce, ReduceCheck, ShiftCheck, SpelledCheck
    from decoder.grammar.stack import Node
    from decoder.grammar.tables import Tables

_Arguments = ParamSpec("_Arguments")


class Shapes:
    """The symbols of one grammar's states. Tree-sitter lets several symbols lead into one state where it can."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self.token: dict[str, int] = {}
        """The first token of each name."""
        for token, name in enumerate(tables.names[: tables.token_count]):
            self.token.setdefault(name, token)
        entered: list[set[int]] = [set() for _ in range(tables.state_count)]
        before: dict[int, set[int]] = defaultdict(set)
        for state in range(START_STATE, tables.state_count):
            for symbol, target in tables.successors(state):
                entered[target].add(symbol)
                if symbol >= tables.token_count:
                    before[symbol].add(state)
        names = tables.names
        self._before: dict[str, set[int]] = defaultdict(set)
        for symbol, states in before.items():
            self._before[names[symbol]] |= states
        self._entered_by = tuple(frozenset(names[symbol] for symbol in found) for found in entered)
        self._tops = ByState(self.entered_by)
        self._one_of: dict[AbstractSet[str], ByState[bool]] = {}
        self._sole: dict[AbstractSet[str], ByState[str | None]] = {}

    def entered_by(self, state: int) -> frozenset[str]:
        """The symbols one of which is on top of the stack in `state`."""
        return self._entered_by[state]

    def is_after(self, state: int, name: str) -> bool:
        """Whether that symbol, and no other, is on top of the stack in `state`."""
        return self._entered_by[state] == {name}

    def top(self, node: Node) -> frozenset[str]:
        """The symbols one of which `node` is."""
        return node.told(self._tops)

    def is_one_of(self, node: Node, names: AbstractSet[str]) -> bool:
        """Whether `node` can be nothing but one of `names`."""
        by_state = self._one_of.get(names)
        if by_state is None:
            by_state = self._one_of[names] = ByState(lambda state: self._can_only_be(state, names))
        return node.told(by_state)

    def sole(self, node: Node, names: AbstractSet[str]) -> str | None:
        """Which of `names` a node is; None if it is, or may be, something else."""
        by_state = self._sole.get(names)
        if by_state is None:
            by_state = self._sole[names] = ByState(lambda state: self._find_sole(state, names))
        return node.told(by_state)

    def _find_sole(self, state: int, names: AbstractSet[str]) -> str | None:
        entered = self._entered_by[state]
        return next(iter(entered)) if len(entered) == 1 and entered <= names else None

    def _can_only_be(self, state: int, names: AbstractSet[str]) -> bool:
        entered = self._entered_by[state]
        return bool(entered) and entered <= names

    def before(self, symbol: str) -> set[int]:
        """The states on top of which a reduction may put `symbol`."""
        return self._before.get(symbol, set())

    def made(self, symbol: str) -> int:
        """The symbol of this name that reductions make; a token may have the same name."""
        return self._tables.names.index(symbol, self._tables.token_count)

    def shift(self, state: int, token: int) -> int | None:
        """The state after `token`."""
        cell = self._tables.unrestricted(state).get(token)
        return None if cell is None or cell.is_extra else cell.shift

    def reductions(self, state: int) -> set[tuple[str, int]]:
        """The symbols that reductions in `state` make, with the number of cells they take."""
        cells = self._tables.unrestricted(state).values()
        return {(self._tables.names[r.symbol], r.count) for cell in cells for r in cell.reductions}

    def leads_to(self, state: int, symbol: str, count: int) -> bool:
        """Whether `symbol` is made of what ends with one more cell on top of `state`."""
        targets = {target for made, target in self._tables.successors(state) if made >= self._tables.token_count}
        return any((symbol, count) in self.reductions(target) for target in targets)


def down(node: Node) -> Iterator[Node]:
    """The nodes from `node` to the bottom; ends early where stacks have been merged."""
    found: Node | None = node
    while found is not None:
        yield found
        if found.also:
            return
        found = found.below


def dead_unless(good: bool) -> object:  # noqa: FBT001 - the verdict itself
    """What a check answers."""
    return None if good else DEAD


def with_check(cell: Cell, check: ShiftCheck) -> Cell:
    """The cell with one more rule for its shift."""
    if cell.shift is None:
        return cell
    return replace(cell, check=check if cell.check is None else _both(cell.check, check))


def with_spelled_check(cell: Cell, check: SpelledCheck) -> Cell:
    """The cell with a rule for its shift that must know the token's text."""
    return cell if cell.shift is None else replace(cell, spelled=check)


def with_reduce_check(
    cell: Cell, wanted: Callable[[str, int], bool], check: ReduceCheck, names: tuple[str, ...]
) -> Cell:
    """The cell with one more rule for those of its reductions that are wanted, by symbol and number of cells."""
    for reduction in cell.reductions:
        if wanted(names[reduction.symbol], reduction.count):
            break
    else:
        return cell
    reductions = tuple(checked(r, check) if wanted(names[r.symbol], r.count) else r for r in cell.reductions)
    return replace(cell, reductions=reductions)


def with_checks_of(cell: Cell, checks: Mapping[str, ReduceCheck], names: tuple[str, ...]) -> Cell:
    """The cell with one more rule for each of its reductions to one of some symbols."""
    for reduction in cell.reductions:
        if names[reduction.symbol] in checks:
            break
    else:
        return cell
    found = [(r, checks.get(names[r.symbol])) for r in cell.reductions]
    return replace(cell, reductions=tuple(r if check is None else checked(r, check) for r, check in found))


def checked(reduction: Reduce, check: ReduceCheck) -> Reduce:
    """The reduction with one more rule."""
    return replace(reduction, check=check if reduction.check is None else _both(reduction.check, check))


def without(cell: Cell, symbols: AbstractSet[str], names: tuple[str, ...]) -> Cell:
    """The cell without the reductions that make one of `symbols`."""
    kept = tuple(r for r in cell.reductions if names[r.symbol] not in symbols)
    return cell if len(kept) == len(cell.reductions) else replace(cell, reductions=kept)


def _both(first: Callable[_Arguments, object], second: Callable[_Arguments, object]) -> Callable[_Arguments, object]:
    """Both rules; the mark is that of the last that gives one."""

    def check(*arguments: _Arguments.args, **named: _Arguments.kwargs) -> object:
        mark = first(*arguments, **named)
        if mark is DEAD:
            return DEAD
        later = second(*arguments, **named)
        return mark if later is None else later

    return check
