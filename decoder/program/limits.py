"""Limits of tokens in a program: how a part that has none left is brought to its end in the shortest way.

A part may have a limit (`Limited`). Its `End`, which waits on a reading's stack, has the tokens that are left. Once
none is, only those readings are followed whose way to this end is the shortest: where a string may go on or be closed,
it is closed.
"""

from __future__ import annotations

from dataclasses import replace

from decoder.program.pattern import AwaitedStep, End, Limited, shortest
from decoder.program.readings import Reading, Stack

WHOLE = -1
"""`End.start` of the limit of the whole text: before any part, as that may begin at 0 and is another limit."""

Distance = tuple[int, int]
"""How far the end of a limited part is, to be compared: the smaller is nearer.

First, minus the number of the step that the reading writes: a reading that is at a later step of the program is nearer
to the end. It is 0 if the part lies within one step. Second, the fewest characters that are left up to the end, without
those of steps that the program was not asked for yet.
"""
_OVER = (-1 << 30, 0)
"""The distance of a part that is complete: nearer than any other."""


def above(stack: Stack, end: End) -> Stack:
    """The stack with an end at its bottom: it is reached when all else is written."""
    return (end, None) if stack is None else (stack[0], above(stack[1], end))


def exhausted_limit(reading: Reading) -> tuple[End, Distance] | None:
    """The outermost limited part that has no tokens left, and how far its end is; None where there is none."""
    outermost, stack = None, reading.stack
    minus_step = characters = 0
    while stack is not None:  # from the innermost pattern out, so the last end is that of the outermost part
        pattern, stack = stack
        begun = pattern.of if isinstance(pattern, End) else pattern
        if isinstance(begun, AwaitedStep):
            minus_step = -len(begun.history) - 1
        elif isinstance(pattern, End) and isinstance(begun, Limited) and not pattern.tokens:
            outermost = pattern, (minus_step, characters)
        characters += shortest(pattern)
    return outermost


def counted(stack: Stack, end: int) -> Stack:
    """The stack after a token that ended at an offset: each limited part that began before it has one token less."""
    if stack is None:
        return None
    pattern, below = stack
    rest = counted(below, end)
    if isinstance(pattern, End) and isinstance(pattern.of, Limited) and pattern.tokens and pattern.start < end:
        return replace(pattern, tokens=pattern.tokens - 1), rest
    return stack if rest is below else (pattern, rest)


def without_longer_ways(readings: tuple[Reading, ...], end: int) -> tuple[Reading, ...]:
    """The readings without those that do not take the shortest way to the end of a part that has no tokens left.

    Readings are compared if their outermost such parts began at the same offset. A reading in which that part has just
    become complete is the nearest; readings without such a part stay.

    Args:
        end: The end of the text so far.
    """
    limits = [exhausted_limit(reading) for reading in readings]
    # by where a limited part began, the least distance to its end
    nearest = {reading.facts.limited[0]: _OVER for reading in readings if reading.facts.limited[1] == end}
    for limit in limits:
        if limit is not None:
            part_end, distance = limit
            nearest[part_end.start] = min(distance, nearest.get(part_end.start, distance))
    return tuple(
        reading
        for reading, limit in zip(readings, limits, strict=True)
        if limit is None or limit[1] == nearest[limit[0].start]
    )
