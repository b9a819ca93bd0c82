"""A program as a constraint: an immutable state that is asked whether a text may come next.

A thread is one way in which the program may have meant the text so far: the patterns still to be written, as a stack,
and the facts known by then. Both are values, so that threads with a common past share it, and going back is dropping a
reference. Tokens are counted apart from the text (`after_token`), so that it does not matter in which portions a text
is fed.
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
"""The most threads at one place; programs that people write have far fewer."""
_MOST_EMPTY_STEPS = 100
_WHOLE = -1
"""The start of the limit of the whole text: before that of any part."""

Stack = tuple[Pattern, "Stack"] | None

Following = Callable[[tuple[str, ...], Role | None], Pattern | None]
"""The pattern to write after these steps of the program, the last of which was of this role; None where it is over."""


@dataclass(frozen=True, slots=True)
class Thread:
    """One way in which the program may have meant the text so far."""

    stack: Stack
    facts: PatternFacts

    @property
    def next(self) -> Pattern | None:
        """The pattern to write next; None where all is written."""
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
    ending: int | None = None
    """The offset from which on parts without tokens left are brought to their end."""

    @classmethod
    def of(cls, following: Following, prefix: str = "") -> ProgramConstraint:
        """The state before the first character, or before the prefix after which the program begins.

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
        """The state in which, after so many tokens more, the whole is brought to its end in the shortest way."""
        end = End(_WHOLE, Limited("", tokens), tokens)
        threads = settled([replace(thread, stack=_above(thread.stack, end)) for thread in self.threads], self.text)
        return replace(self, threads=threads, ending=self.ending if tokens else len(self.text))

    def advance(self, text: str) -> ProgramConstraint | Refusal:
        """The state after the text."""
        threads, written = self.threads, self.text
        for place, character in enumerate(text):
            resumed = self._resumed(threads, written)
            written += character
            threads = settled([after for one in resumed if (after := _stepped(one, character)) is not None], written)
            if not threads:
                return Refusal(protocol.Rule.PROGRAM, text[place:])
        return replace(self, threads=threads, text=written)

    def may_stop(self) -> Refusal | None:
        """None where the program is over."""
        over = any(thread.stack is None for thread in _resume_all(self.threads, self.text, self.following))
        return None if over else Refusal(protocol.Rule.PROGRAM, "the program goes on")

    def may_begin(self, partial: bytes) -> bool:
        """Whether a character that begins with these bytes may come next."""
        first, last = _spanned(partial)
        return any(_begins(thread.next, first, last) for thread in self.waiting())

    def after_token(self, partial: bytes) -> ProgramConstraint:
        """The state after a token; `partial` are its last bytes, if they are no whole character yet."""
        begun = self.waiting() if partial else self.threads
        place = len(self.text) + bool(partial)  # a character that was begun is written
        threads = tuple(replace(one, stack=_counted(one.stack, place)) for one in begun)
        exhausted = any(_limit(thread) for thread in threads)
        return replace(self, threads=threads, ending=place if exhausted else None)

    def report(self) -> Report:
        """An empty report: whatever a program allows is proven."""
        return Report()

    def waiting(self) -> tuple[Thread, ...]:
        """The threads, each of which waits for a character or is over."""
        return self._resumed(self.threads, self.text)

    def _resumed(self, threads: tuple[Thread, ...], written: str) -> tuple[Thread, ...]:
        if self.ending is None or len(written) < self.ending:
            return _resume_all(threads, written, self.following)
        threads = _without_longer_ways(threads, len(written))  # the program is not asked how it would go on after them
        return _without_longer_ways(_resume_all(threads, written, self.following), len(written))


def settled(threads: Iterable[Thread], text: str) -> tuple[Thread, ...]:
    """The threads with all patterns expanded that write nothing: each waits for a character or a step, or is over."""
    seen: set[Thread] = set()
    found: list[Thread] = []
    expanded = 0
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
                found.append(thread)
                continue
            case str() as text_left if text_left:
                found.append(thread)
                continue
            case Words(rests) if any(rests):
                found.append(thread)
        expanded += 1
        if expanded > _MOST_THREADS:
            raise ProgramError("the program can be read in too many ways at one place")
        pending.extend(reversed([*_expanded(thread, text)]))
    return tuple(found) if len(found) < 2 else tuple(dict.fromkeys(found))  # noqa: PLR2004 - one alone has no duplicate


def _expanded(thread: Thread, text: str) -> Iterator[Thread]:  # noqa: C901, PLR0912 - one case for each kind of pattern
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
            kept = frozenset(key for key, _ in facts.written if key in pattern.keys)
            yield Thread((Again(pattern, 0, kept), rest), facts)
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
    repeat = again.repeat
    if repeat.most is None or again.done < repeat.most:
        anew = facts.without(repeat.keys - again.kept)
        counted = again.done + 1 if repeat.most is not None else min(again.done + 1, max(repeat.least, 1))
        following = (repeat.item, (Again(repeat, counted, again.kept), rest))
        yield Thread((repeat.joint, following) if again.done else following, anew)
    if again.done >= repeat.least:
        yield Thread(rest, facts)


def _ended(end: End, facts: PatternFacts, text: str) -> PatternFacts | None:
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
    """The thread after a character, not settled; None where it is refused."""
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
    """Whether some character of the range may come next."""
    match pattern:
        case str():
            return first <= pattern[0] <= last
        case Chars():
            return pattern.accepts_some(first, last)
        case Words(rests):
            return any(first <= rest[0] <= last for rest in rests if rest)
    return False


def _resume_all(threads: tuple[Thread, ...], text: str, following: Following) -> tuple[Thread, ...]:
    """The threads with the program's next steps in place of those that waited for them."""
    found: list[Thread] = []
    for _ in range(_MOST_EMPTY_STEPS):
        waiting = [thread for thread in threads if thread.waits]
        found += [thread for thread in threads if not thread.waits]
        if not waiting:
            return tuple(found)
        threads = settled([_resume(thread, text, following) for thread in waiting], text)
    raise ProgramError(f"the program goes on for {_MOST_EMPTY_STEPS} steps without writing anything")


def _resume(thread: Thread, text: str, following: Following) -> Thread:
    assert thread.stack is not None  # noqa: S101 - it waits
    end, rest = thread.stack
    assert isinstance(end, End)  # noqa: S101 - likewise
    assert isinstance(end.of, AwaitedStep)  # noqa: S101 - likewise
    after = following((*end.of.history, text[end.start :]), end.of.role)
    return Thread(rest if after is None else (after, rest), thread.facts)


def _above(stack: Stack, end: End) -> Stack:
    """The stack with an end put under it."""
    return (end, None) if stack is None else (stack[0], _above(stack[1], end))


Distance = tuple[int, int]
"""How far the end of a part is, to be compared: minus the program's steps so far, since more of them are nearer to it,
then the fewest characters that are left."""
_OVER = (-1 << 30, 0)
"""Of a part that is complete: nearer than any other."""


def _limit(thread: Thread) -> tuple[End, Distance] | None:
    """The outermost part that has no tokens left, and how far its end is; None where there is none."""
    found, stack = None, thread.stack
    steps = characters = 0
    while stack is not None:
        pattern, stack = stack
        within = pattern.of if isinstance(pattern, End) else pattern
        if isinstance(within, AwaitedStep):
            steps = -len(within.history) - 1
        elif isinstance(pattern, End) and isinstance(within, Limited) and not pattern.tokens:
            found = pattern, (steps, characters)
        characters += shortest(pattern)
    return found


def _counted(stack: Stack, place: int) -> Stack:
    """The stack after a token that ended at a place."""
    if stack is None:
        return None
    pattern, below = stack
    rest = _counted(below, place)
    if isinstance(pattern, End) and isinstance(pattern.of, Limited) and pattern.tokens and pattern.start < place:
        return replace(pattern, tokens=pattern.tokens - 1), rest
    return stack if rest is below else (pattern, rest)


def _without_longer_ways(threads: tuple[Thread, ...], place: int) -> tuple[Thread, ...]:
    """The threads without those that do not end a part without tokens in the shortest way."""
    found = [(thread, _limit(thread)) for thread in threads]
    least = {thread.facts.limited[0]: _OVER for thread in threads if thread.facts.limited[1] == place}
    for _, limit in found:
        if limit is not None:
            end, far = limit
            least[end.start] = min(far, least.get(end.start, far))
    return tuple(thread for thread, limit in found if limit is None or limit[1] == least[limit[0].start])


def _spanned(partial: bytes) -> tuple[str, str]:
    """The first and the last character that begin with these bytes of UTF-8."""
    size = 2 + (partial[0] >= _THREE) + (partial[0] >= _FOUR)
    code = partial[0] & (0xFF >> (size + 1))
    for byte in partial[1:]:
        code = code << 6 | byte & 0x3F
    bits = 6 * (size - len(partial))
    first, last = code << bits, (code + 1 << bits) - 1
    return chr(max(first, _LEAST[size])), chr(min(last, 0x10FFFF))


_THREE, _FOUR = 0xE0, 0xF0
"""The least first bytes of a character of three and of four."""
_LEAST = {2: 0x80, 3: 0x800, 4: 0x10000}
"""The first characters of so many bytes."""
