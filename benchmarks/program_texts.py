"""Random texts that a program allows, drawn character by character, as if by a model that knows nothing.

For tests and for `benchmarks/random_programs.py`.
"""

from __future__ import annotations

from random import Random

from decoder.program import ProgramConstraint, pattern

_STOP_PROBABILITY = 0.3
"""How probable it is that a text ends at a place where it may end."""
_SAMPLE = "aZ09_$ .,;:'`\"\\/{}()[]<>%#~é\u4e2d\U0001f600\u00a0"


def walk(state: ProgramConstraint, draw: Random, free: int) -> str:
    """A whole text from `state` on: random for `free` characters, then ended by the shortest way.

    Raises:
        AssertionError: nothing may follow, and the text may not end.
    """
    while True:
        is_long = len(state.text) >= free
        ending = state.limited(0) if is_long else state
        may_stop = state.may_stop() is None
        if may_stop and (is_long or draw.random() < _STOP_PROBABILITY):
            return state.text
        for reader in (ending, state):  # the shortest way may end with a name that is taken
            threads = [thread for thread in reader.waiting() if thread.stack]
            draw.shuffle(threads)
            tried = (reader.advance(character(thread.stack[0], draw)) for thread in threads if thread.stack)
            following = next((after for after in tried if isinstance(after, ProgramConstraint)), None)
            if following is not None:
                break
        else:
            if not may_stop:
                raise AssertionError(f"stuck after {state.text!r}")
            return state.text
        after = state.advance(following.text[len(state.text) :])
        assert isinstance(after, ProgramConstraint)  # noqa: S101 - fewer ways allowed it
        state = after


def character(item: object, draw: Random) -> str:
    """A random character that an item of a pattern accepts."""
    match item:
        case str():
            return item[0]
        case pattern.Words(rests):
            return draw.choice([rest for rest in rests if rest])[0]
        case pattern.Chars(ranges, negated=False):
            low, high = draw.choice(ranges)
            return chr(draw.randint(ord(low), ord(high)))
        case pattern.Chars():
            return draw.choice([sample for sample in _SAMPLE if item.accepts(sample)])
    raise AssertionError(item)
