"""How a text can be brought to an end: a few tokens after which it parses.

A beam search over what the automaton expects, led by an estimate from the LR tables: how many tokens each open rule
still needs. The estimate ignores lookahead, so it may err; the automaton has the last word on every token.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final

from decoder.grammar.tables import START_STATE

if TYPE_CHECKING:
    from decoder.grammar import Grammar, State
    from decoder.grammar.stack import Node
    from decoder.grammar.tables import Tables

_BEAM: Final = 3
_LONGEST_RULE: Final = 14
_ALWAYS: Final = (
    ")",
    "]",
    "}",
    '"""',
    "'''",
    '"',
    "'",
    "`",
    "*/",
    "/",
    ">",
    "\n",
    ";",
    "x",
    "0",
    " ",
    " x",
    "\\",
    ":",
    "!--",
)


class Closer:
    """Finds endings under one grammar."""

    def __init__(self, grammar: Grammar) -> None:
        self._tables = grammar.tables
        self._needs = _tokens_to_reduce(grammar.tables)

    def ending(self, state: State, most: int = 64) -> str | None:
        """A text of at most `most` tokens that completes what has been fed; None if the search finds none."""
        beam = [(state, "")]
        seen = {_shape(state)}
        for _ in range(most + 1):
            for reached, written in beam:
                if reached.complete():
                    return written
            found: dict[object, tuple[tuple[int, int], State, str]] = {}
            for reached, written in beam:
                for rank, token in enumerate(_candidates(reached)):
                    following = reached.feed(token)
                    if following is None:
                        continue
                    score = (self.estimate(following), rank)
                    shape = _shape(following)
                    if shape in seen:
                        continue
                    if shape not in found or score < found[shape][0]:
                        found[shape] = (score, following, written + token)
            best = sorted(found.values(), key=lambda entry: entry[0])
            beam = [(following, written) for _, following, written in best[:_BEAM]]
            seen.update(_shape(following) for following, _ in beam)
        return None

    def estimate(self, state: State) -> int:
        """About how many tokens are missing, on the reading that needs the fewest."""
        pending = bool(state.versions[0].lexeme)
        return min(self._estimate(version.node) for version in state.versions) * 2 + pending

    def _estimate(self, node: Node) -> int:
        stack = list(reversed(node.states()))
        needed = 0
        seen: set[tuple[int, int]] = set()
        while choices := [
            (tokens, -count, goto)
            for count, (tokens, symbol) in self._needs.get(stack[-1], {}).items()
            if count < len(stack)
            and (goto := self._tables.goto(stack[-count - 1], symbol))
            and (len(stack) - count, goto) not in seen
        ]:
            tokens, count, goto = min(choices)
            needed += tokens
            stack[count:] = [goto]
            seen.add((len(stack) - 1, goto))
        return needed + len(stack)


def _tokens_to_reduce(tables: Tables) -> dict[int, dict[int, tuple[int, int]]]:
    """By state and cells taken: the fewest symbols until a reduction takes just those, and what it makes of them."""
    comes_from: dict[int, set[int]] = {}
    found: dict[int, dict[int, tuple[int, int]]] = {}
    work: deque[tuple[int, int, int, int]] = deque()
    for state in range(START_STATE, tables.state_count):
        for cell in set(tables.cells(state).values()):
            if cell.shift is not None and not cell.is_extra:
                comes_from.setdefault(cell.shift, set()).add(state)
            work += [(state, r.count, 0, r.symbol) for r in cell.reductions if 0 < r.count <= _LONGEST_RULE]
        for symbol in range(tables.token_count, tables.symbol_count):
            target = tables.goto(state, symbol)
            if target:
                comes_from.setdefault(target, set()).add(state)
    while work:
        state, count, tokens, symbol = work.popleft()
        known = found.setdefault(state, {})
        if count in known:
            continue
        known[count] = (tokens, symbol)
        if count > 1:
            work += [(before, count - 1, tokens + 1, symbol) for before in comes_from.get(state, ())]
    return found


def _candidates(state: State) -> list[str]:
    names = sorted(state.expected(), key=lambda name: (len(name), name))
    literal = [name for name in names if name not in _ALWAYS and not any(c.isspace() or c == "_" for c in name)]
    return [*_ALWAYS, *(f" {name} " if name.isalpha() else name for name in literal)]


def _shape(state: State) -> object:
    """What tells two states apart that would go on differently."""
    return frozenset((v.node.states(), v.saved, v.lexeme and v.lexeme.state) for v in state.versions)
