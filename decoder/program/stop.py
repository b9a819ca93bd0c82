"""Any text up to a stop, as a pattern: the stop is written once, at the end. For `gen(stop_at=...)`."""

from __future__ import annotations

from decoder.program.pattern import Alt, Cat, Chars, Pattern, Repeat


def text_until(stop: str) -> Pattern:
    """Every text that ends with the stop and has it nowhere before.

    The pattern is made from the automaton of Knuth, Morris and Pratt. Its state is how much of the stop the end of the
    text has: each character leads to the next state, or back to the same or a lower one. The states are eliminated from
    the last to the first, as regular expressions are made from automata.

    Of `*/`, state 1 (`*` is written) stays with `*`, ends with `/`, and falls to state 0 with any other character. When
    it is eliminated, state 0 has two ways back to itself: any character but `*`; or `*`, then any number of `*`, then
    neither `*` nor `/`.

    Args:
        stop: At least one character.
    """
    ending: Pattern = ""
    falls: dict[int, Pattern] = {}
    """By target, what is read on the way to it from the state that was eliminated last. The target is this state or a
    lower one. The way may lead through higher states, which have all been eliminated."""
    for state in reversed(range(len(stop))):
        # To the next state, and any number of times from there back to itself by way of higher states.
        onward = Cat((stop[state], Repeat(falls.pop(state + 1)))) if state + 1 in falls else stop[state]
        ways: dict[int, list[Pattern]] = {}
        not_to_start = {stop[state]}  # the characters that do not lead to state 0; all others do
        for character in sorted({*stop} - not_to_start):
            if target := _overlap(stop, stop[:state] + character):
                not_to_start.add(character)
                ways.setdefault(target, []).append(character)
        ways.setdefault(0, []).append(
            Chars(tuple((character, character) for character in sorted(not_to_start)), negated=True)
        )
        for target, way in falls.items():
            ways.setdefault(target, []).append(Cat((onward, way)))
        falls = {target: options[0] if len(options) == 1 else Alt(tuple(options)) for target, options in ways.items()}
        ending = Cat((onward, ending))
    return Cat((Repeat(falls[0]), ending))


def _overlap(stop: str, written: str) -> int:
    """How many characters at the end of a text are the beginning of the stop, at most: the state after the text."""
    return next(length for length in range(len(written), -1, -1) if stop.startswith(written[len(written) - length :]))
