"""A program as a constraint: an immutable state that is asked whether a text may come next.

A thread is one way in which the program may have meant the text so far: the patterns still to be written, as a stack,
and the facts known by then. A state has all threads. Both are values, so threads share what they have in common, and to
go back is to use an earlier state. Tokens are counted by `after_token`, apart from the text, so it does not matter in
which portions a text comes.

`advance` lets each thread read a character. `settled` then expands the patterns that write nothing. A thread that has
written a whole part waits until the program is asked for its next one (`_resume_all`).

A part may have a limit of tokens (`Limited`). The `End` of the part, which waits on the stack, has the tokens that are
left. Once none is, the part is brought to its end in the shortest way: from then on, of the threads only those are
followed whose way to this end is the shortest (`_without_longer_ways`): where a string may go on or be closed, it is
closed. `limited` puts such an end below the whole program.

`Program.constraint` makes the first state, and `generation` puts it into the `ConstraintState` of the program's text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from decoder.constraint import protocol
from decoder.constraint.protocol import ChecksPartialCharacters, CountsTokens, Refusal, Report
from decoder.errors import ProgramError
from decoder.program.nodes import Role
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
    shortest,
)

_MOST_THREADS = 20_000
"""The most expansions of threads between two characters; programs that people write have far fewer."""
_MOST_EMPTY_STEPS = 100
"""The most parts in a row that write nothing."""
_WHOLE = -1
"""`End.start` of the limit of the whole text: before any part, as that may begin at 0 and is another limit."""

Stack = tuple[Pattern, "Stack"] | None
"""The patterns still to be written: the next one, and those after it; None for none."""

Following = Callable[[tuple[str, ...], Role | None], Pattern | None]
"""What a program writes after its steps so far: from their texts and the last one's role, the next pattern.

None where the program is over.
"""


@dataclass(frozen=True, slots=True)
class Thread:
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


@dataclass(frozen=True, slots=True)
class ProgramConstraint(ChecksPartialCharacters, CountsTokens):
    """All ways in which a program may have meant the text so far."""

    threads: tuple[Thread, ...]
    following: Following
    text: str = ""
    """The text so far."""
    ending: int | None = None
    """The offset from which parts that have no tokens left are brought to their end; None while there is no such part.

    It is where the last token ended, or one after that if the token began a character: any way may complete it.
    """

    @classmethod
    def of(cls, following: Following, prefix: str = "") -> ProgramConstraint:
        """The state before the first character.

        Args:
            prefix: Text that is written before the program's.

        Raises:
            ProgramError: the program allows no text at all.
        """
        first = following((), None)
        stack: Stack = None if first is None else (first, None)
        begun = settled([Thread(stack, PatternFacts())], "")
        if not begun:
            raise ProgramError("the program allows no text at all")
        return cls((Thread((prefix, stack), PatternFacts()),) if prefix else begun, following)

    def limited(self, tokens: int) -> ProgramConstraint:
        """The state with a limit: after so many more tokens, the text is brought to its end in the shortest way."""
        end = End(_WHOLE, Limited("", tokens), tokens)
        threads = settled([replace(thread, stack=_above(thread.stack, end)) for thread in self.threads], self.text)
        return replace(self, threads=threads, ending=self.ending if tokens else len(self.text))

    def advance(self, text: str) -> ProgramConstraint | Refusal:
        """The state after the text; a refusal where no thread can write it."""
        threads, written = self.threads, self.text
        for index, character in enumerate(text):
            resumed = self._resumed(threads, written)
            written += character
            threads = settled(
                [after for thread in resumed if (after := _stepped(thread, character)) is not None], written
            )
            if not threads:
                return Refusal(protocol.Rule.PROGRAM, text[index:])
        return replace(self, threads=threads, text=written)

    def may_stop(self) -> Refusal | None:
        """None if the program may be over."""
        over = any(thread.stack is None for thread in _resume_all(self.threads, self.text, self.following))
        return None if over else Refusal(protocol.Rule.PROGRAM, "the program goes on")

    def may_begin(self, partial: bytes) -> bool:
        """Whether a character that begins with these bytes may come next."""
        first, last = _character_range(partial)
        return any(_begins(thread.next, first, last) for thread in self.waiting())

    def after_token(self, partial: bytes) -> ProgramConstraint:
        """The state after a token, whose whole characters `advance` has read: parts that it reached have a token less.

        Args:
            partial: The last bytes of the text, if they are no whole character yet.
        """
        # the partial character may be the first of a next step, whose limit then counts this token, too
        before = self.waiting() if partial else self.threads
        end = len(self.text) + bool(partial)
        threads = tuple(replace(thread, stack=_counted(thread.stack, end)) for thread in before)
        exhausted = any(_exhausted_limit(thread) for thread in threads)
        return replace(self, threads=threads, ending=end if exhausted else None)

    def report(self) -> Report:
        """An empty report: whatever a program allows is proven."""
        return Report()

    def waiting(self) -> tuple[Thread, ...]:
        """The threads with the program's next steps: each waits for a character or is over."""
        return self._resumed(self.threads, self.text)

    def _resumed(self, threads: tuple[Thread, ...], written: str) -> tuple[Thread, ...]:
        """The threads with the program's next steps. From `ending` on, only the shortest ways of parts are followed.

        Args:
            written: All text that the threads have written.
        """
        if self.ending is None or len(written) < self.ending:
            return _resume_all(threads, written, self.following)
        # before and after: the program is not asked how it would go on after a longer way, and its step may end a part
        threads = _without_longer_ways(threads, len(written))
        return _without_longer_ways(_resume_all(threads, written, self.following), len(written))


def settled(threads: Iterable[Thread], text: str) -> tuple[Thread, ...]:
    """Expand all patterns that write nothing, until each thread waits for a character or a step, or is over.

    Args:
        text: All text up to here.

    Raises:
        ProgramError: there are too many threads.
    """
    seen: set[Thread] = set()
    result: list[Thread] = []
    expansions = 0
    pending = list(threads)
    pending.reverse()
    while pending:
        thread = pending.pop()
        match thread.next:
            case Again(Repeat(most=None)):  # only such a repetition can come to the same thread again
                if thread in seen:
                    continue
                seen.add(thread)
            case None | Chars() | End(of=AwaitedStep()):
                result.append(thread)
                continue
            case str() as text_left if text_left:
                result.append(thread)
                continue
            case Words(rests) if any(rests):  # it waits for a character, and is also complete if a rest is empty
                result.append(thread)
        expansions += 1
        if expansions > _MOST_THREADS:
            raise ProgramError("the program can be read in too many ways at one place")
        pending.extend(reversed([*_expanded(thread, text)]))
    return tuple(result) if len(result) < 2 else tuple(dict.fromkeys(result))  # noqa: PLR2004 - one has no duplicate


def _expanded(thread: Thread, text: str) -> Iterator[Thread]:  # noqa: C901, PLR0912 - one case for each kind of pattern
    """The threads in which a thread's next pattern is replaced by what it consists of, or is complete."""
    assert thread.stack is not None  # noqa: S101 - the caller looked at the pattern
    (pattern, rest), facts = thread.stack, thread.facts
    match pattern:
        case str():
            yield Thread(rest, facts)
        case Words():
            if "" in pattern.rests:
                yield Thread(rest, facts)
        case Cat():
            for part in reversed(pattern.parts):
                rest = (part, rest)
            yield Thread(rest, facts)
        case Alt():
            for option in pattern.options:
                yield Thread((option, rest), facts)
        case Repeat():
            written_before = frozenset(key for key, _ in facts.written if key in pattern.keys)
            yield Thread((Again(pattern, 0, written_before), rest), facts)
        case Again():
            yield from _repeated(pattern, rest, facts)
        case GrammarRule():
            yield Thread((pattern.item, rest), facts)
        case OfType():
            if (words := facts.words(pattern.type)) is not None:
                yield Thread((words, rest), facts)
        case Named():
            if pattern.fresh or (written := facts.of(pattern.key)) is None:
                yield Thread((pattern.item, (End(len(text), pattern), rest)), facts)
            else:
                yield Thread((written[1:-1] if pattern.bare else written, rest), facts)
        case NewName() | AwaitedStep():
            yield Thread((pattern.item, (End(len(text), pattern), rest)), facts)
        case Limited():
            yield Thread((pattern.item, (End(len(text), pattern, pattern.tokens), rest)), facts)
        case End():
            if (after := _ended(pattern, facts, text)) is not None:
                yield Thread(rest, after)
        case When():
            if pattern.test(facts):
                yield Thread(rest, facts)
        case Known():
            yield Thread(rest, facts.with_known(pattern.expressions))


def _repeated(again: Again, rest: Stack, facts: PatternFacts) -> Iterator[Thread]:
    """The threads that repeat once more, and that go on with `rest`, as far as the bounds allow both."""
    repeat = again.repeat
    if repeat.most is None or again.done < repeat.most:
        without_item = facts.without(repeat.keys - again.kept)
        # without an upper bound, equal counts let `settled` recognise equal threads
        count = again.done + 1 if repeat.most is not None else min(again.done + 1, max(repeat.least, 1))
        item = (repeat.item, (Again(repeat, count, again.kept), rest))
        yield Thread((repeat.joint, item) if again.done else item, without_item)
    if again.done >= repeat.least:
        yield Thread(rest, facts)


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


def _stepped(thread: Thread, character: str) -> Thread | None:
    """The thread after a character, still to be settled; None where it cannot write the character."""
    if thread.stack is None:
        return None
    pattern, rest = thread.stack
    match pattern:
        case str():
            if pattern[0] == character:
                return Thread((pattern[1:], rest) if len(pattern) > 1 else rest, thread.facts)
        case Chars():
            if pattern.accepts(character):
                return Thread(rest, thread.facts)
        case Words():
            if (narrowed := pattern.step(character)) is not None:
                return Thread((narrowed, rest), thread.facts)
    return None


def _begins(pattern: Pattern | None, first: str, last: str) -> bool:
    """Whether a character from `first` to `last` may come next."""
    match pattern:
        case str():
            return first <= pattern[0] <= last
        case Chars():
            return pattern.accepts_some(first, last)
        case Words(rests):
            return any(first <= rest[0] <= last for rest in rests if rest)
    return False


def _resume_all(threads: tuple[Thread, ...], text: str, following: Following) -> tuple[Thread, ...]:
    """The threads, in which the program's next steps replace those that waited for them.

    Raises:
        ProgramError: the program does not come to a step that writes something.
    """
    resumed: list[Thread] = []
    for _ in range(_MOST_EMPTY_STEPS):
        waiting = [thread for thread in threads if thread.waits]
        resumed += [thread for thread in threads if not thread.waits]
        if not waiting:
            return tuple(resumed)
        threads = settled([_resume(thread, text, following) for thread in waiting], text)
    raise ProgramError(f"the program goes on for {_MOST_EMPTY_STEPS} steps without writing anything")


def _resume(thread: Thread, text: str, following: Following) -> Thread:
    """The thread with the program's next step in place of the end of the step that it has written."""
    assert thread.stack is not None  # noqa: S101 - it waits
    end, rest = thread.stack
    assert isinstance(end, End)  # noqa: S101 - likewise
    assert isinstance(end.of, AwaitedStep)  # noqa: S101 - likewise
    after = following((*end.of.history, text[end.start :]), end.of.role)
    return Thread(rest if after is None else (after, rest), thread.facts)


def _above(stack: Stack, end: End) -> Stack:
    """The stack with an end at its bottom: it is reached when all else is written."""
    return (end, None) if stack is None else (stack[0], _above(stack[1], end))


Distance = tuple[int, int]
"""How far the end of a limited part is, to be compared: the smaller is nearer.

First, minus the number of the step that the thread writes: a thread that is at a later step of the program is nearer to
the end. It is 0 if the part lies within one step. Second, the fewest characters that are left up to the end, without
those of steps that the program was not asked for yet.
"""
_OVER = (-1 << 30, 0)
"""The distance of a part that is complete: nearer than any other."""


def _exhausted_limit(thread: Thread) -> tuple[End, Distance] | None:
    """The outermost limited part that has no tokens left, and how far its end is; None where there is none."""
    outermost, stack = None, thread.stack
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


def _counted(stack: Stack, end: int) -> Stack:
    """The stack after a token that ended at an offset: each limited part that began before it has one token less."""
    if stack is None:
        return None
    pattern, below = stack
    rest = _counted(below, end)
    if isinstance(pattern, End) and isinstance(pattern.of, Limited) and pattern.tokens and pattern.start < end:
        return replace(pattern, tokens=pattern.tokens - 1), rest
    return stack if rest is below else (pattern, rest)


def _without_longer_ways(threads: tuple[Thread, ...], end: int) -> tuple[Thread, ...]:
    """The threads without those that do not take the shortest way to the end of a part that has no tokens left.

    Threads are compared if their outermost such parts began at the same offset. A thread in which that part has just
    become complete is the nearest; threads without such a part stay.

    Args:
        end: The end of the text so far.
    """
    limits = [_exhausted_limit(thread) for thread in threads]
    # by where a limited part began, the least distance to its end
    nearest = {thread.facts.limited[0]: _OVER for thread in threads if thread.facts.limited[1] == end}
    for limit in limits:
        if limit is not None:
            part_end, distance = limit
            nearest[part_end.start] = min(distance, nearest.get(part_end.start, distance))
    return tuple(
        thread
        for thread, limit in zip(threads, limits, strict=True)
        if limit is None or limit[1] == nearest[limit[0].start]
    )


def _character_range(partial: bytes) -> tuple[str, str]:
    """The first and the last character that begin with these bytes of UTF-8, which are no whole character."""
    size = 2 + (partial[0] >= _THREE) + (partial[0] >= _FOUR)
    code = partial[0] & (0xFF >> (size + 1))
    for byte in partial[1:]:
        code = code << 6 | byte & 0x3F
    bits_left = 6 * (size - len(partial))
    first, last = code << bits_left, (code + 1 << bits_left) - 1
    return chr(max(first, _LEAST[size])), chr(min(last, 0x10FFFF))


_THREE, _FOUR = 0xE0, 0xF0
"""The least first byte of a character of three bytes, and of four."""
_LEAST = {2: 0x80, 3: 0x800, 4: 0x10000}
"""By count of bytes, the first code point that has so many."""
