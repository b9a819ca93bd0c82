"""Texts that a program allows, drawn character by character: a model that knows nothing, without its tokens."""

from __future__ import annotations

from random import Random

from decoder.program import ProgramConstraint, pattern

_STOPS = 0.3
"""How often a text ends where it may."""
_ODD = "aZ09_$ .,;:'`\"\\/{}()[]<>%#~é\u4e2d\U0001f600\u00a0"


def walk(state: ProgramConstraint, draw: Random, free: int) -> str:
    """A whole text; after `free` characters, by the shortest way."""
    while True:
        is_long = len(state.text) >= free
        ending = state.limited(0) if is_long else state
        over = state.may_stop() is None
        if over and (is_long or draw.random() < _STOPS):
            return state.text
        for one in (ending, state):  # the shortest name may be taken
            threads = [thread for thread in one.waiting() if thread.stack]
            draw.shuffle(threads)
            tried = (one.advance(character(thread.stack[0], draw)) for thread in threads if thread.stack)
            following = next((after for after in tried if isinstance(after, ProgramConstraint)), None)
            if following is not None:
                break
        else:
            if not over:
                raise AssertionError(f"stuck after {state.text!r}")
            return state.text
        after = state.advance(following.text[len(state.text) :])
        assert isinstance(after, ProgramConstraint)  # noqa: S101 - fewer ways allowed it
        state = after


def character(item: object, draw: Random) -> str:
    """One that the item accepts."""
    match item:
        case str():
            return item[0]
        case pattern.Words(rests):
            return draw.choice([rest for rest in rests if rest])[0]
        case pattern.Chars(ranges, negated=False):
            low, high = draw.choice(ranges)
            return chr(draw.randint(ord(low), ord(high)))
        case pattern.Chars():
            return draw.choice([one for one in _ODD if item.accepts(one)])
    raise AssertionError(item)
