"""Forms that are newer than a grammar: what its parser may be shown instead, so that it reads what is around them.

A language grows faster than its grammars. Where the tables refuse a text that the language's compiler reads, some
tokens at that place are left out, or others put there, until the tables read on. No form is known by name. What is
replaced keeps its length, so that every place keeps its offset. Knows no tree, no names and no compiler.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from operator import itemgetter
from typing import TYPE_CHECKING

from context_index.symbols import CLOSES
from decoder.grammar.entry import Entries

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from context_index.symbols import Language
    from decoder.grammar.state import State

Span = tuple[int, int]
_BEFORE, _AFTER = 6, 5
"""Tokens before a refused one, and from it on, that may be replaced: the tables refuse a form at its second word, or
at the first one after it."""
_LONGEST = 6
"""Tokens in a row that are left out together."""
_GROUP = 64
"""Tokens of a bracket that is left out as a whole."""
_SOON = 8
"""Tokens: where the text is refused again within so many, another form may follow, but mostly the way is wrong."""
_REFUSED_SOON, _REFUSED_LATER = 3.0, 1.0
"""The costs of that, in tokens that are left out."""
_HORIZON = 1_000
"""Characters after it that are read, at most."""
_ANY = "x"
"""What names are made of that stand for others; no keyword is."""
_PRIVATE = "#"
_OPENS = {**{opening: closing for closing, opening in CLOSES.items()}, "<": ">"}
_UNPAIRED = frozenset((*_OPENS, *_OPENS.values(), "'", '"', "`", "#"))
"""Signs that come in pairs, or begin what goes to the end of a line."""
_LEFT_OUT, _RENAMED, _OTHER_WORD = 1.0, 1.5, 3.5
"""The costs of each token that is left out, of a name in place of a word, and of a keyword in place of one."""


@dataclass(frozen=True, slots=True)
class Replacement:
    """A part of a text, and what stands for it: as many bytes."""

    start: int
    end: int
    text: str

    @property
    def is_name(self) -> bool:
        """Whether it is a name in place of a word."""
        return self.text.startswith(_ANY)


@dataclass(frozen=True, slots=True)
class Way:
    """A way to read past a refused token."""

    cost: float
    """In tokens that are left out."""
    replacements: tuple[Replacement, ...]
    reach: int
    """Where the text that it makes is refused next, or how far it was read."""
    penalty: float
    """What it costs besides, because the text is refused again; 0 where it is not."""


class Respeller:
    """Reads the texts of one document by its language's tables. Not for several threads at once."""

    def __init__(self, language: Language) -> None:
        self._entries = Entries(language)
        self._is_indented = language.record.is_indented
        """Whether white space at the beginning of a line means something."""

    def refused(self, text: str) -> int | None:
        """The first character that no text could go on with; None where the whole text is the beginning of one."""
        read = self._entries.readable(text)
        return read if read < len(text) else None

    def unended(self, text: str) -> int | None:
        """Where the last token begins that the scanner still waits to end; None where the text is complete.

        A text may be read to its end and yet have a form above that the tables do not know: after it, a hand-written
        scanner may wait for what never comes, as it waits for `*/` after `/* a`.
        """
        state = self._entries.enter(text, len(text)).state
        if state is None or state.complete():
            return None
        window = state.window.text
        return len(text) - len(window) + min(one.position for one in state.versions)

    def ways(self, text: str, refused: int, spans: Sequence[Span]) -> Iterator[Way]:
        """The ways to read past a refused character, the cheapest first.

        Args:
            spans: The tokens around it, in order.
        """
        near = tokens_near(spans, refused)
        if not near:
            return
        start, state = self._entries.at_line(text, near[0][0])
        end = min(len(text), refused + _HORIZON)
        for cost, replacements in _cheapest_first(text, near, spans, state, start):
            if self._is_indented and any(_begins_line(text, one) for one in replacements):
                continue
            changed = text[start:end]
            for one in replacements:
                changed = changed[: one.start - start] + one.text + changed[one.end - start :]
            reach = start + state.readable(changed)
            last = max(refused, *(one.end for one in replacements))
            past = [one[1] for one in spans if one[0] >= last][:_SOON]  # where the next tokens end
            if reach >= end and (end < len(text) or _is_complete(state, changed)):
                # read to the end
                yield Way(cost, replacements, reach, 0.0)
            elif past and past[0] <= reach < end and reach > past[-1]:
                # refused later, perhaps by another form: all of the next tokens are read
                yield Way(cost, replacements, reach, _REFUSED_LATER)
            elif reach >= end or (past and reach > refused and reach >= past[0]):
                # refused soon: one of the next tokens is read, or all of a text that is not complete with them
                yield Way(cost, replacements, reach, _REFUSED_SOON)


def _begins_line(text: str, one: Replacement) -> bool:
    """Whether white space stands in place of the beginning of a line."""
    return one.text[:1].isspace() and not text[text.rfind("\n", 0, one.start) + 1 : one.start].strip()


def _is_complete(state: State, text: str) -> bool:
    after = state.advance(text)
    return after is not None and after.complete()


def tokens_near(spans: Sequence[Span], refused: int) -> Sequence[Span]:
    """The tokens that may be the cause of a refusal."""
    before = [one for one in spans if one[0] <= refused][-_BEFORE:]
    return [*before, *[one for one in spans if one[0] > refused][:_AFTER]]


def _cheapest_first(
    text: str, near: Sequence[Span], spans: Sequence[Span], state: State, start: int
) -> Iterator[tuple[float, tuple[Replacement, ...]]]:
    """What may be put in place of the tokens near a refusal, with its cost; each is made when it is asked for.

    Args:
        near: Those tokens.
        spans: All tokens around.
        state: The state at `start`, where the line of the first of those tokens begins.
    """
    kinds: list[tuple[float, Iterator[tuple[Replacement, ...]]]] = [
        *((length * _LEFT_OUT, _left_out(text, near, spans, length)) for length in range(1, _LONGEST + 1)),
        (_RENAMED, ((one,) for one in _renamed(text, near))),
        (_OTHER_WORD, ((one,) for one in _keywords(text, near, state, start))),
    ]
    for cost, proposed in sorted(kinds, key=itemgetter(0)):
        for replacements in proposed:
            yield cost, replacements


def _left_out(text: str, near: Sequence[Span], spans: Sequence[Span], length: int) -> Iterator[tuple[Replacement, ...]]:
    """Blanks in place of so many tokens in a row, the last ones first."""
    for at in range(len(near) - length, -1, -1):
        tokens = _balanced(text, near[at : at + length], spans)
        if tokens is not None:
            yield _blank(text, tokens)


def _balanced(text: str, run: Sequence[Span], spans: Sequence[Span]) -> Sequence[Span] | None:
    """The tokens to leave out so that each bracket among them has its other one: `[T = int]` for the run `[`.

    That is the run, or the run up to the bracket that closes its last token; None where neither will do.
    """
    for tokens in (run, (*run, *_group(text, run[-1], spans))):
        if not _is_unpaired(text, tokens):
            return tokens
    return None


def _is_unpaired(text: str, run: Iterable[Span]) -> bool:
    """Whether what is left out opens or closes something that is not left out."""
    open_: list[str] = []
    for span in run:
        token = text[slice(*span)]
        if open_ and token == _OPENS.get(open_[-1], open_[-1]):
            open_.pop()
        elif token in _UNPAIRED:
            open_.append(token)
    return bool(open_)


def _blank(text: str, run: Iterable[Span]) -> tuple[Replacement, ...]:
    """Blanks in place of tokens."""
    return tuple(Replacement(start, end, _blanks(text[start:end])) for start, end in run)


def _blanks(text: str) -> str:
    return "".join(" " if one.isascii() and not one.isspace() else one for one in text)


def _group(text: str, opening: Span, spans: Sequence[Span]) -> Sequence[Span]:
    """The tokens after an opening bracket, up to the one that closes it."""
    sign = text[slice(*opening)]
    if sign not in _OPENS:
        return ()
    depth, group = 1, list[Span]()
    for span in islice((one for one in spans if one[0] >= opening[1]), _GROUP):
        group.append(span)
        token = text[slice(*span)]
        depth += (token == sign) - (token == _OPENS[sign])
        if not depth:
            return group
    return ()


def _renamed(text: str, near: Sequence[Span]) -> Iterator[Replacement]:
    """A name in place of a word, and a name with `;` in place of a word and the blank after it.

    The first serves where the grammar takes a name for a keyword: `xxxxxxxx(a) {}` for the method `accessor(a) {}`. The
    second serves where a new word stands before a statement: `xxxx;import json` for `lazy import json`.
    """
    for start, end in near:
        if is_word(text[start:end]) and text[start:end].isascii():
            yield Replacement(start, end, _ANY * (end - start))
            if text[end : end + 1] == " ":
                yield Replacement(start, end + 1, _ANY * (end - start) + ";")


def _keywords(text: str, near: Sequence[Span], state: State, begin: int) -> Iterator[Replacement]:
    """Keywords that the tables read there, in place of one word or of two: `for (let   row of rows)` for `using`."""
    for at, (start, end) in enumerate(near):
        if not text[start:end].isidentifier() or (before := state.advance(text[begin:start])) is None:
            continue
        words = [one for one in sorted(before.literals()) if one.isidentifier() and one != text[start:end]]
        ends = [end, *(stop for first, stop in near[at + 1 : at + 2] if text[first:stop].isidentifier())]
        for stop in ends:
            if text[start:stop].isascii() and "\n" not in text[start:stop]:
                yield from (
                    Replacement(start, stop, one.ljust(stop - start)) for one in words if len(one) <= stop - start
                )


def is_word(text: str) -> bool:
    """Whether a token may be a name, private ones of ECMAScript among them."""
    return text.removeprefix(_PRIVATE).isidentifier()
