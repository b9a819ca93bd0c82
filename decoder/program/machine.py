"""Reads a text character by character, in all ways at once in which a program may have meant it.

A thread is one way: the items still to be written, as a stack, and what is known by then. Both are values, so that
threads with a common past share it, and going back is dropping a reference.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Protocol

from decoder.program import items
from decoder.program.items import Item, Words, WordSet
from decoder.program.nodes import ProgramError, Type

_MOST_THREADS = 20_000
"""A program that can be meant in more ways at one place is not one that people write."""

UNREPEATED = 0
"""The key of blanks that nothing else refers to."""
Stack = tuple[Item, "Stack"] | None
Expressions = frozenset[tuple[Type, str]]


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known at a place of the text."""

    written: tuple[tuple[int, str], ...] = ()
    """What stands for blanks, by their keys."""
    known: Expressions = frozenset()
    declared: tuple[tuple[str, Type | None], ...] = ()
    bound: str = ""
    """The name that is being declared."""
    left: tuple[int, int] = (-1, -1)
    """Where the last part with a limit of tokens began, and where it was complete."""

    def of(self, key: int) -> str | None:
        """What was written for a key."""
        return next((text for one, text in self.written if one == key), None)

    def with_written(self, key: int, text: str) -> Facts:
        """Likewise, with one more."""
        if key == UNREPEATED:
            return self
        written = (*(pair for pair in self.written if pair[0] != key), (key, text))
        return Facts(written, self.known, self.declared, self.bound, self.left)

    def without(self, keys: frozenset[int]) -> Facts:
        """Likewise, with keys that are filled in anew."""
        if not any(key in keys for key, _ in self.written):
            return self
        return replace(self, written=tuple(pair for pair in self.written if pair[0] not in keys))

    def may_declare(self, name: str) -> bool:
        """Whether the name is free."""
        return all(name != one for one, _ in self.declared) and name not in _roots(self.known)

    def words(self, kind: Type) -> WordSet | None:
        """The expressions of a type."""
        return _words(self.known, self.declared, kind)


@lru_cache(maxsize=256)
def _words(known: Expressions, declared: tuple[tuple[str, Type | None], ...], kind: Type) -> WordSet | None:
    found = (*(text for one, text in known if one is kind), *(name for name, one in declared if one is kind))
    return WordSet(found) if found else None


@lru_cache(maxsize=64)
def _roots(known: Expressions) -> frozenset[str]:
    return frozenset(text.partition(".")[0].partition("[")[0] for _, text in known)


class Source(Protocol):
    """Where the steps of a program come from."""

    def step(self, history: tuple[str, ...]) -> Item | None:
        """What is to be written after these steps; None where the program is over."""


class NoSource:
    """A program of one step."""

    def step(self, history: tuple[str, ...]) -> Item | None:
        """Nothing comes after it."""
        raise AssertionError(f"nobody waits, {history}")


@dataclass(frozen=True, slots=True)
class Thread:
    """One way."""

    stack: Stack
    facts: Facts


def settled(threads: Iterable[Thread], text: str) -> tuple[Thread, ...]:
    """The threads once all is expanded that writes nothing: each waits for a character, for the program, or is over."""
    seen: set[Thread] = set()
    found: list[Thread] = []
    expanded = 0
    pending = list(threads)
    pending.reverse()
    while pending:
        thread = pending.pop()
        item = thread.stack[0] if thread.stack else None
        if isinstance(item, items.Again) and item.repeat.most is None:  # nothing else comes round again
            if thread in seen:
                continue
            seen.add(thread)
        expanded += 1
        if expanded > _MOST_THREADS:
            raise ProgramError("the program can be read in too many ways at one place")
        if item is None or (isinstance(item, str | items.Echo | items.Chars | items.Await) and item not in _NOTHING):
            found.append(thread)
        else:
            if isinstance(item, Words) and item.last - item.first > item.ends:
                found.append(thread)
            pending.extend(reversed([*_expanded(thread, text)]))
    return tuple(found) if len(found) < 2 else tuple(dict.fromkeys(found))  # noqa: PLR2004 - one cannot be twice there


_NOTHING = ("", items.Echo(""))


def _expanded(thread: Thread, text: str) -> Iterator[Thread]:  # noqa: C901, PLR0912 - one case for each kind of item
    assert thread.stack is not None  # noqa: S101 - the caller looked at the item
    item, rest = thread.stack
    facts = thread.facts
    match item:
        case str() | items.Echo():
            yield Thread(rest, facts)
        case items.Cat():
            for part in reversed(item.parts):
                rest = (part, rest)
            yield Thread(rest, facts)
        case items.Alt():
            for option in item.options:
                yield Thread((option, rest), facts)
        case items.Repeat():
            kept = frozenset(key for key, _ in facts.written if key in item.keys) if item.keys else item.keys
            yield Thread((items.Again(item, 0, kept), rest), facts)
        case items.Again():
            yield from _repeated(item, rest, facts, text)
        case Words():
            if item.ends:
                yield Thread(rest, facts)
        case items.Blank() | items.Expression() | items.Hole() | items.Named():
            yield from _filled(item, rest, facts, len(text))
        case items.Quoted():
            for parts in _forms(item, facts):
                yield Thread((items.Cat(parts), rest), facts)
        case items.NewName():
            yield Thread((item.item, (items.End(len(text), item), rest)), facts)
        case items.Limited():
            yield Thread((item.item, (items.Limit(len(text), item.tokens), rest)), facts)
        case items.Limit():
            yield Thread(rest, replace(facts, left=(item.start, len(text))))
        case items.End():
            if (after := _ended(item, facts, text)) is not None:
                yield Thread(rest, after)
        case items.Free():
            if facts.may_declare(item.name):
                yield Thread(rest, facts)
        case items.Declare():
            yield Thread(rest, replace(facts, declared=(*facts.declared, (facts.bound, item.type)), bound=""))
        case items.Known():
            yield Thread(rest, replace(facts, known=facts.known | frozenset(item.expressions)))
        case items.Begin():
            yield Thread((item.item, (items.Await(item.history, len(text)), rest)), facts)


def _repeated(again: items.Again, rest: Stack, facts: Facts, text: str) -> Iterator[Thread]:
    repeat = again.repeat
    if repeat.most is None or again.done < repeat.most:
        anew = facts.without(repeat.keys - again.kept)
        counted = again.done + 1 if repeat.most is not None else min(again.done + 1, max(repeat.least, 1))
        following = (repeat.item, (items.Again(repeat, counted, again.kept), rest))
        if not (again.done and repeat.joint):
            yield Thread(following, anew)
        elif settled([Thread((repeat.item, None), anew)], text + repeat.joint):
            yield Thread((repeat.joint, following), anew)
    if again.done >= repeat.least:
        yield Thread(rest, facts)


def _filled(
    item: items.Blank | items.Expression | items.Hole | items.Named, rest: Stack, facts: Facts, place: int
) -> Iterator[Thread]:
    written = None if isinstance(item, items.Named) and item.fresh else facts.of(item.key)
    if written is not None:
        bare = isinstance(item, items.Hole) and item.type is Type.STRING
        yield Thread((items.Echo(written[1:-1] if bare else written), rest), facts)
        return
    ended: Stack = (items.End(place, item), rest)
    if isinstance(item, items.Blank):
        yield Thread((item.literal, ended), facts)
    if isinstance(item, items.Hole):
        yield Thread((item.content, ended), facts)
    if isinstance(item, items.Named):
        yield Thread((item.item, ended), facts)
    if isinstance(item, items.Blank | items.Expression) and (words := facts.words(item.type)) is not None:
        yield Thread((Words(words, 0, len(words.words)), ended), facts)


def _forms(item: items.Quoted, facts: Facts) -> Iterator[tuple[Item, ...]]:
    """The ways to write a string with holes; none leads to a hole that cannot be filled."""
    holes = [part for part in item.plain if isinstance(part, items.Hole)]
    written = {hole.key: text for hole in holes if (text := facts.of(hole.key)) is not None}
    expressions = {hole.key for hole in holes if hole.key in written and not _is_literal(written[hole.key], hole.type)}
    if not expressions:
        yield item.plain
    if holes and all(hole.key in expressions or hole.key not in written for hole in holes):
        unwritten = [hole for hole in holes if hole.key not in written]
        if all(facts.words(hole.type) is not None for hole in unwritten):
            yield tuple(
                items.Expression(part.key, part.type) if isinstance(part, items.Hole) else part
                for part in item.interpolated
            )


def _is_literal(text: str, kind: Type) -> bool:
    return text[:1] == '"' if kind is Type.STRING else text[:1] in "-0123456789"


def _ended(end: items.End, facts: Facts, text: str) -> Facts | None:
    of, written = end.of, text[end.start :]
    if isinstance(of, items.NewName):
        free = written not in of.taken and (not of.new or facts.may_declare(written))
        return replace(facts, bound=written) if free else None
    if isinstance(of, items.Hole) and of.type is Type.STRING:
        written = f'"{written}"'
    return facts.with_written(of.key, written)


def stepped(thread: Thread, character: str) -> Thread | None:
    """The thread after a character, not settled; None where it is refused."""
    if thread.stack is None:
        return None
    item, rest = thread.stack
    match item:
        case str():
            if item[0] == character:
                return Thread((item[1:], rest) if len(item) > 1 else rest, thread.facts)
        case items.Chars():
            if item.accepts(character):
                return Thread(rest, thread.facts)
        case items.Echo(whole):
            if whole[0] == character:
                return Thread((items.Echo(whole[1:]), rest), thread.facts)
        case Words():
            if (narrowed := item.step(character)) is not None:
                return Thread((narrowed, rest), thread.facts)
    return None


def begins(thread: Thread, first: str, last: str) -> bool:
    """Whether some character of the range may come next."""
    item = thread.stack[0] if thread.stack else None
    match item:
        case str():
            return first <= item[0] <= last
        case items.Echo(text):
            return first <= text[0] <= last
        case items.Chars():
            return item.accepts_some(first, last)
        case Words():
            words = item.of.words[item.first : item.last]
            return any(first <= word[item.depth] <= last for word in words if len(word) > item.depth)
    return False


def resumed(threads: tuple[Thread, ...], text: str, source: Source) -> tuple[Thread, ...]:
    """The threads with the program's next steps in place of those that waited for them."""
    found: list[Thread] = []
    for _ in range(_MOST_EMPTY_STEPS):
        waiting = [thread for thread in threads if _waits(thread)]
        found += [thread for thread in threads if not _waits(thread)]
        if not waiting:
            return tuple(found)
        threads = settled([_resume(thread, text, source) for thread in waiting], text)
    raise ProgramError(f"the program goes on for {_MOST_EMPTY_STEPS} steps without writing anything")


def _waits(thread: Thread) -> bool:
    return thread.stack is not None and isinstance(thread.stack[0], items.Await)


_MOST_EMPTY_STEPS = 100


def _resume(thread: Thread, text: str, source: Source) -> Thread:
    assert thread.stack is not None  # noqa: S101 - it waits
    awaited, rest = thread.stack
    assert isinstance(awaited, items.Await)  # noqa: S101 - likewise
    following = source.step((*awaited.history, text[awaited.start :]))
    return Thread(rest if following is None else (following, rest), thread.facts)
