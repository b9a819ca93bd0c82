"""All ways in which a program may have meant the text so far (`Reading`), and what each of them may write next.

A reading has the patterns still to be written, as a stack, and the facts known by then. Readings are values, so they
share what they have in common. `stepped` reads a character, `settled` then expands the patterns that write nothing, and
a reading that has written a whole part waits until the program is asked for its next one (`resume_all`). Knows nothing
of tokens and limits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from decoder.errors import ProgramError
from decoder.program.pattern import (
    Again,
    Alt,
    AwaitedStep,
    Cat,
    Chars,
    End,
    GrammarRule,
    Known,
    Limited,
    Named,
    NewName,
    OfType,
    Pattern,
    PatternFacts,
    Repeat,
    When,
    Words,
)
from decoder.program.roles import Role

_MOST_READINGS = 20_000
"""The most expansions of readings between two characters; programs that people write have far fewer."""
_MOST_EMPTY_STEPS = 100
"""The most parts in a row that write nothing."""

Stack = tuple[Pattern, "Stack"] | None
"""The patterns still to be written: the next one, and those after it; None for none."""

Following = Callable[[tuple[str, ...], Role | None], Pattern | None]
"""What a program writes after its steps so far: from their texts and the last one's role, the next pattern.

None where the program is over.
"""


@dataclass(frozen=True, slots=True)
class Reading:
    """One way in which the program may have meant the text so far."""

    stack: Stack
    facts: PatternFacts

    @property
    def next(self) -> Pattern | None:
        """The pattern to write next; None where the program is over."""
        return self.stack[0] if self.stack else None

    @property
    def waits(self) -> bool:
        """Whether the program must be asked for its next step."""
        return isinstance(self.next, End)


def settled(readings: Iterable[Reading], text: str) -> tuple[Reading, ...]:
    """Expand all patterns that write nothing, until each reading waits for a character or a step, or is over.

    Args:
        text: All text up to here.

    Raises:
        ProgramError: there are too many readings.
    """
    seen: set[Reading] = set()
    result: list[Reading] = []
    expansions = 0
    pending = list(readings)
    pending.reverse()
    while pending:
        reading = pending.pop()
        match reading.next:
            case Again(Repeat(most=None)):  # only such a repetition can come to the same reading again
                if reading in seen:
                    continue
                seen.add(reading)
            case None | Chars() | End(of=AwaitedStep()):
                result.append(reading)
                continue
            case str() as text_left if text_left:
                result.append(reading)
                continue
            case Words(rests) if any(rests):  # it waits for a character, and is also complete if a rest is empty
                result.append(reading)
        expansions += 1
        if expansions > _MOST_READINGS:
            raise ProgramError("the program can be read in too many ways at one place")
        pending.extend(reversed([*_expanded(reading, text)]))
    return tuple(result) if len(result) < 2 else tuple(dict.fromkeys(result))  # noqa: PLR2004 - one has no duplicate


def _expanded(reading: Reading, text: str) -> Iterator[Reading]:  # noqa: C901, PLR0912 - one case for each kind of pattern
    """The readings in which a reading's next pattern is replaced by what it consists of, or is complete."""
    assert reading.stack is not None  # noqa: S101 - the caller looked at the pattern
    (pattern, rest), facts = reading.stack, reading.facts
    match pattern:
        case str():
            yield Reading(rest, facts)
        case Words():
            if "" in pattern.rests:
                yield Reading(rest, facts)
        case Cat():
            for part in reversed(pattern.parts):
                rest = (part, rest)
            yield Reading(rest, facts)
        case Alt():
            for option in pattern.options:
                yield Reading((option, rest), facts)
        case Repeat():
            written_before = frozenset(key for key, _ in facts.written if key in pattern.keys)
            yield Reading((Again(pattern, 0, written_before), rest), facts)
        case Again():
            yield from _repeated(pattern, rest, facts)
        case GrammarRule():
            yield Reading((pattern.item, rest), facts)
        case OfType():
            if (words := facts.words(pattern.type)) is not None:
                yield Reading((words, rest), facts)
        case Named():
            if pattern.fresh or (written := facts.of(pattern.key)) is None:
                yield Reading((pattern.item, (End(len(text), pattern), rest)), facts)
            else:
                yield Reading((written[1:-1] if pattern.bare else written, rest), facts)
        case NewName() | AwaitedStep():
            yield Reading((pattern.item, (End(len(text), pattern), rest)), facts)
        case Limited():
            yield Reading((pattern.item, (End(len(text), pattern, pattern.tokens), rest)), facts)
        case End():
            if (after := _ended(pattern, facts, text)) is not None:
                yield Reading(rest, after)
        case When():
            if pattern.test(facts):
                yield Reading(rest, facts)
        case Known():
            yield Reading(rest, facts.with_known(pattern.expressions))


def _repeated(again: Again, rest: Stack, facts: PatternFacts) -> Iterator[Reading]:
    """The readings that repeat once more, and that go on with `rest`, as far as the bounds allow both."""
    repeat = again.repeat
    if repeat.most is None or again.done < repeat.most:
        without_item = facts.without(repeat.keys - again.kept)
        # without an upper bound, equal counts let `settled` recognise equal readings
        count = again.done + 1 if repeat.most is not None else min(again.done + 1, max(repeat.least, 1))
        item = (repeat.item, (Again(repeat, count, again.kept), rest))
        yield Reading((repeat.joint, item) if again.done else item, without_item)
    if again.done >= repeat.least:
        yield Reading(rest, facts)


def _ended(end: End, facts: PatternFacts, text: str) -> PatternFacts | None:
    """The facts when a pattern is complete at the end of a text; None where what was written for it is refused."""
    written = text[end.start :]
    match end.of:
        case NewName() as new:
            is_free = written not in new.reserved and (not new.declared or facts.is_free(written))
            if not is_free:
                return None
            return replace(facts, name=written) if new.declared else facts
        case Limited():
            return replace(facts, limited=(end.start, len(text)))
        case Named(key=key, bare=bare):
            return facts.with_written(key, f'"{written}"' if bare else written)
    raise AssertionError("the end of a step waits for the program")


def stepped(reading: Reading, character: str) -> Reading | None:
    """The reading after a character, still to be settled; None where it cannot write the character."""
    if reading.stack is None:
        return None
    pattern, rest = reading.stack
    match pattern:
        case str():
            if pattern[0] == character:
                return Reading((pattern[1:], rest) if len(pattern) > 1 else rest, reading.facts)
        case Chars():
            if pattern.accepts(character):
                return Reading(rest, reading.facts)
        case Words():
            if (narrowed := pattern.step(character)) is not None:
                return Reading((narrowed, rest), reading.facts)
    return None


def begins(pattern: Pattern | None, first: str, last: str) -> bool:
    """Whether a character from `first` to `last` may come next."""
    match pattern:
        case str():
            return first <= pattern[0] <= last
        case Chars():
            return pattern.accepts_some(first, last)
        case Words(rests):
            return any(first <= rest[0] <= last for rest in rests if rest)
    return False


def resume_all(readings: tuple[Reading, ...], text: str, following: Following) -> tuple[Reading, ...]:
    """The readings, in which the program's next steps replace those that waited for them.

    Raises:
        ProgramError: the program does not come to a step that writes something.
    """
    resumed: list[Reading] = []
    for _ in range(_MOST_EMPTY_STEPS):
        waiting = [reading for reading in readings if reading.waits]
        resumed += [reading for reading in readings if not reading.waits]
        if not waiting:
            return tuple(resumed)
        readings = settled([_resume(reading, text, following) for reading in waiting], text)
    raise ProgramError(f"the program goes on for {_MOST_EMPTY_STEPS} steps without writing anything")


def _resume(reading: Reading, text: str, following: Following) -> Reading:
    """The reading with the program's next step in place of the end of the step that it has written."""
    assert reading.stack is not None  # noqa: S101 - it waits
    end, rest = reading.stack
    assert isinstance(end, End)  # noqa: S101 - likewise
    assert isinstance(end.of, AwaitedStep)  # noqa: S101 - likewise
    after = following((*end.of.history, text[end.start :]), end.of.role)
    return Reading(rest if after is None else (after, rest), reading.facts)
