"""Any text up to a stop, as a pattern: the stop is written once, at the end."""

from __future__ import annotations

from decoder.program.pattern import Alt, Cat, Chars, Pattern, Repeat


def text_until(stop: str) -> Pattern:
    """Every text that ends with the stop and has it nowhere before.

    The automaton of Knuth, Morris and Pratt for the stop, whose state is how much of the stop is written, with its
    states taken out from the last to the first. Each state goes on to the next one or falls back.

    Of `*/`, state 1 (`*` is written) stays with `*`, ends with `/`, and falls to state 0 with any other character. When
    it is taken out, state 0 has two ways back to itself: any character but `*`, or `*`, then any number of `*`, then
    neither `*` nor `/`.

    Args:
        stop: At least one character.
    """
    ending: Pattern = ""
    falls: dict[int, Pattern] = {}
    """By target, what is read from the state that was taken out last to that target: a lower state or itself. The way
    there may lead through higher states, all taken out already."""
    for state in reversed(range(len(stop))):
        # To the next state, and any number of times from there back to it by way of higher states.
        onward = Cat((stop[state], Repeat(falls.pop(state + 1)))) if state + 1 in falls else stop[state]
        ways: dict[int, list[Pattern]] = {}
        not_to_start = {stop[state]}  # the characters that do not fall back to state 0; all others do
        for character in sorted({*stop} - not_to_start):
            if target := _overlap(stop, stop[:state] + character):
                not_to_start.add(character)
                ways.setdefault(target, []).append(character)
        ways.setdefault(0, []).append(Chars(tuple((one, one) for one in sorted(not_to_start)), negated=True))
        for target, way in falls.items():
            ways.setdefault(target, []).append(Cat((onward, way)))
        falls = {target: each[0] if len(each) == 1 else Alt(tuple(each)) for target, each in ways.items()}
        ending = Cat((onward, ending))
    return Cat((Repeat(falls[0]), ending))


def _overlap(stop: str, written: str) -> int:
    """How many characters at the end of a text begin the stop."""
    return next(length for length in range(len(written), -1, -1) if stop.startswith(written[len(written) - length :]))
