"""Finds a way past a syntax error above the cursor, so that the constraint can be used in a broken file.

Where the automaton stops, something just before is missing, superfluous or half-typed. The smallest change that lets
the following lines parse is used: a token near the place removed, inserted or replaced, or else whole lines left out.
Tokens to insert are those that the automaton expects there, so this knows no language.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from decoder.grammar.state import State

HORIZON: Final = 240
"""So many characters after the fault must be readable for a change to count as a repair."""
_TOKENS_BACK: Final = 10
LINES_BACK: Final = 4
"""How many lines before the fault are looked at."""
_LINES_LEFT_OUT: Final = 6
_MOST_TRIED: Final = 600
"""Changes of single tokens beyond so many are not tried: a key should not wait for them."""
_STAND_IN: Final = "x"
"""Stands for a missing name or expression."""
_LIKELY: Final = frozenset({_STAND_IN, "(", ")", "[", "]", "{", "}", ";", ",", ":", "=", "."})
_STEP: Final = 16
_LONGEST_SHOWN: Final = 40
"""Characters of the user's text that a sentence repeats."""
_TEMPLATE: Final = "`"
_NO_CODE: Final = " 1 1"
"""What only a text takes that runs over lines."""
_PIECES = re.compile(r"\w+|[^\w\s]|\s+")


@dataclass(frozen=True, slots=True)
class Repair:
    """Read `inserted` in place of text[start:end]. For people; the text itself stays as it is."""

    start: int
    end: int
    inserted: str

    def described(self, text: str) -> str:
        """The change in words, with the line counted from 1."""
        read, left_out = _quoted(self.inserted.strip()), _quoted(" ".join(text[self.start : self.end].split()))
        if len(left_out) > _LONGEST_SHOWN:
            left_out = f"{text.count(chr(10), self.start, self.end) + 1} lines"
        if self.start == self.end:
            change = f"with {read} put in"
        else:
            change = f"{left_out} as {read}" if self.inserted else f"without {left_out}"
        return f"line {text.count(chr(10), 0, self.start) + 1} {change}"


@dataclass(frozen=True, slots=True)
class RepairedState:
    """A state on the far side of a fault."""

    state: State
    offset: int
    """Where to read on."""
    repair: Repair
    is_drastic: bool = False
    """Whether whole lines were left out, and with them what they declare or open."""


@dataclass(frozen=True, slots=True)
class _Boundary:
    """A place where a token of the text begins, and the state there."""

    start: int
    end: int
    state: State


def find_repair(text: str, fault: int, cursor: int, line_states: list[tuple[int, State]]) -> RepairedState | None:
    """The nearest small change before `cursor` that lets `text` be read on past `fault`, the character refused.

    Args:
        text: All of it: what is after the cursor shows too whether a change was the right one.
        fault: Offset of the first character refused.
        cursor: Where reading will end; a change may not reach beyond it.
        line_states: The last states known at the starts of lines before the fault, oldest first.
    """
    horizon = min(fault + HORIZON, len(text))
    best: RepairedState | None = None
    furthest = fault
    for found in _changes(text, fault, cursor, line_states):
        if best is not None and found.is_drastic and furthest >= min(cursor, horizon):
            break
        read = _read_on(found.state, text, found.offset, cursor, horizon)
        if read > furthest:
            best, furthest = found, read
            if read >= horizon:
                break
    return best


def _changes(text: str, fault: int, cursor: int, line_states: list[tuple[int, State]]) -> Iterator[RepairedState]:
    """Changes to try, the likely ones first, of equal ones those near the fault."""
    yield from islice(_token_changes(text, _boundaries(text, fault, cursor, line_states)), _MOST_TRIED)
    yield from _without_lines(text, fault, cursor, line_states)


def _token_changes(text: str, boundaries: list[_Boundary]) -> Iterator[RepairedState]:
    """Changes of one token, the likely ones first."""
    places = [
        (boundary, text[boundary.start : boundary.end], _expected_texts(boundary.state)) for boundary in boundaries
    ]
    for place, word, _ in places:
        if word.isalpha():
            for keyword in sorted(place.state.automaton.reader.keywords):
                if keyword.startswith(word) and keyword != word:
                    yield from _changed(place, keyword, place.end)
    for likely in (True, False):
        for place, _, tokens in places:
            yield from _one_token(place, [token for token in tokens if (token in _LIKELY) is likely], drop=likely)


def _one_token(place: _Boundary, tokens: list[str], *, drop: bool) -> Iterator[RepairedState]:
    """The token at a place left out, or each of `tokens` before it or in its stead."""
    if drop and place.end > place.start:
        yield RepairedState(place.state, place.end, Repair(place.start, place.end, ""))
    for token in tokens:
        yield from _changed(place, token, place.start)
    for token in tokens if place.end > place.start else ():
        yield from _changed(place, token, place.end)


def _without_lines(text: str, fault: int, cursor: int, line_states: list[tuple[int, State]]) -> Iterator[RepairedState]:
    """Leave out whole lines: from one of the last before the fault to one of the first after it."""
    ends: list[int] = []
    end = fault
    while len(ends) < _LINES_LEFT_OUT and (end := text.find("\n", end, cursor) + 1):
        ends.append(end)
    for first, state in reversed(line_states):
        for end in ends:
            yield RepairedState(state, end, Repair(first, end, ""), is_drastic=True)


def _changed(place: _Boundary, token: str, resume: int) -> Iterator[RepairedState]:
    """The state with `token` put in at a place, before or instead of the token that is there.

    Not one that opens a template: all code up to the cursor would be its text, and nothing there be held to syntax.
    """
    state = place.state.advance(token)
    if state is not None and (token != _TEMPLATE or state.advance(_NO_CODE) is None):
        yield RepairedState(state, resume, Repair(place.start, resume, token))


def _boundaries(text: str, fault: int, cursor: int, line_states: list[tuple[int, State]]) -> list[_Boundary]:
    """The last places before the fault where a token may begin, last first; then the ends of the lines above.

    What was opened and is left open mostly ends on its line.
    """
    found: list[_Boundary] = []
    line_ends: list[_Boundary] = []
    at, state = line_states[0]
    for piece in _PIECES.finditer(text, at, cursor):
        if piece.start() > fault:
            break
        if not piece[0].isspace():
            found.append(_Boundary(piece.start(), piece.end(), state))
        elif "\n" in piece[0] and found:
            line_ends += (found[-1], _Boundary(piece.start(), piece.start(), state))
        following = state.advance(piece[0])
        if following is None:
            break
        state = following
    else:
        found.append(_Boundary(cursor, cursor, state))
    nearest = found[: -_TOKENS_BACK - 1 : -1]
    return nearest + [boundary for boundary in reversed(line_ends) if boundary not in nearest]


def _expected_texts(state: State) -> list[str]:
    """What might be missing: a name, or any token that is always written the same."""
    texts = [_STAND_IN, '"', "'"]  # a quote that ends a text is expected only when no more of the text can follow
    ended = state.advance(" ")  # what may follow a word is expected only when no more letters can
    expected = state.expected() | (ended.expected() if ended is not None else frozenset())
    for name in sorted(expected, key=lambda name: (name.isalpha(), len(name), name)):
        if name.isalpha() and name.islower():
            texts.append(f" {name} ")
        elif not any(character.isalnum() or character.isspace() for character in name):
            texts.append(name)
    return texts


def _read_on(state: State, text: str, at: int, cursor: int, horizon: int) -> int:
    """Read up to the horizon; where reading ended, to within a few characters, before or after the cursor."""
    while at < horizon:
        end = min(at + _STEP, horizon)
        if at < cursor < end:
            end = cursor
        following = state.advance(text[at:end])
        if following is None:
            return at
        at, state = end, following
    return at


def _quoted(code: str) -> str:
    return f"'{code}'" if "`" in code else f"`{code}`"
