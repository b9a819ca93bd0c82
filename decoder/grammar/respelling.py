"""Syntax that is newer than a grammar: replaces it, so that the grammar's parser reads the code around it.

A language grows faster than its grammars. Where the tables refuse a text that the language's compiler accepts, some
tokens near that place are replaced by blanks or by other words until the tables read on. No new syntax is known by
name. A replacement has the length of what it replaces, so that all offsets stay the same. The callers are in
`lsp_server.engine`. This module knows no tree, no names in scope and no compiler.
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
"""A token: the offsets of its start and its end."""
_BEFORE, _AFTER = 6, 5
"""So many tokens up to a refused one, and after it, may be replaced: new syntax is refused at its second word, or at
the token after it."""
_LONGEST = 6
"""The most tokens in a row that are left out together."""
_GROUP = 64
"""The most tokens of a bracket that is left out as a whole."""
_SOON = 8
"""Tokens. A text that is refused again within so many may have more new syntax, but mostly the replacement is wrong."""
_REFUSED_SOON, _REFUSED_LATER = 3.0, 1.0
"""The penalties of a text that is refused again, within `_SOON` tokens or later, in tokens that are left out."""
_HORIZON = 1_000
"""The most characters after the refused one that are read."""
_ANY = "x"
"""A name that replaces a word consists of this letter; no keyword does."""
_PRIVATE = "#"
_OPENS = {**{opening: closing for closing, opening in CLOSES.items()}, "<": ">"}
"""By opening bracket, the closing one."""
_UNPAIRED = frozenset((*_OPENS, *_OPENS.values(), "'", '"', "`", "#"))
"""Signs that come in pairs, or that begin what goes to the end of a line."""
_LEFT_OUT, _RENAMED, _OTHER_WORD = 1.0, 1.5, 3.5
"""The costs of each token that is left out, of a name that replaces a word, and of a keyword that replaces a word."""


@dataclass(frozen=True, slots=True)
class Replacement:
    """A part of a text, and the text that replaces it, with as many bytes."""

    start: int
    end: int
    text: str

    @property
    def is_name(self) -> bool:
        """Whether a name replaces a word."""
        return self.text.startswith(_ANY)


@dataclass(frozen=True, slots=True)
class Way:
    """A way to read past a refused token."""

    cost: float
    """In tokens that are left out."""
    replacements: tuple[Replacement, ...]
    """In the order of the text."""
    reach: int
    """Where the text with these replacements is refused next, or how far it was read."""
    penalty: float
    """An additional cost if the text is refused again; 0 if it is not."""


class Respeller:
    """Reads the texts of one document by its language's tables. Not for several threads at once."""

    def __init__(self, language: Language) -> None:
        self._entries = Entries(language)
        self._is_indented = language.record.is_indented
        """Whether indentation has a meaning in the language."""

    def refused(self, text: str) -> int | None:
        """The offset of the first character that the tables refuse; None where they read the whole text."""
        readable = self._entries.readable(text)
        return readable if readable < len(text) else None

    def unended(self, text: str) -> int | None:
        """Where the unfinished last token of a text begins; None where the text is complete, or is refused.

        A text may be read to its end although it has syntax that the tables do not know: after this, a hand-written
        scanner may wait for an end that never comes, as it waits for `*/` after `/* a`.
        """
        state = self._entries.enter(text, len(text)).state
        if state is None or state.complete():
            return None
        window = state.window.text
        return len(text) - len(window) + min(version.position for version in state.versions)

    def ways(self, text: str, refused: int, spans: Sequence[Span]) -> Iterator[Way]:
        """The ways to read past a refused character, the cheapest first (without their penalties).

        Args:
            refused: The character's offset.
            spans: The tokens around it, in order.
        """
        near = tokens_near(spans, refused)
        if not near:
            return
        start, state = self._entries.at_line(text, near[0][0])
        end = min(len(text), refused + _HORIZON)
        for cost, replacements in _cheapest_first(text, near, spans, state, start):
            if self._is_indented and any(_indents_line(text, replacement) for replacement in replacements):
                continue
            changed = text[start:end]
            for replacement in replacements:
                changed = changed[: replacement.start - start] + replacement.text + changed[replacement.end - start :]
            reach = start + state.readable(changed)
            last = max(refused, *(replacement.end for replacement in replacements))
            next_ends = [token_end for token_start, token_end in spans if token_start >= last][:_SOON]
            if reach >= end and (end < len(text) or _is_complete(state, changed)):
                # read to the end
                yield Way(cost, replacements, reach, 0.0)
            elif next_ends and next_ends[0] <= reach < end and reach > next_ends[-1]:
                # refused later, perhaps because of more new syntax: all of the next tokens are read
                yield Way(cost, replacements, reach, _REFUSED_LATER)
            elif reach >= end or (next_ends and reach > refused and reach >= next_ends[0]):
                # refused soon: one of the next tokens is read; or all is read, but the text is not complete
                yield Way(cost, replacements, reach, _REFUSED_SOON)


def _indents_line(text: str, replacement: Replacement) -> bool:
    """Whether blanks replace the first token of a line, which would change the line's indentation."""
    line_start = text.rfind("\n", 0, replacement.start) + 1
    return replacement.text[:1].isspace() and not text[line_start : replacement.start].strip()


def _is_complete(state: State, text: str) -> bool:
    after = state.advance(text)
    return after is not None and after.complete()


def tokens_near(spans: Sequence[Span], refused: int) -> Sequence[Span]:
    """The tokens that may be the cause of a refusal at an offset."""
    before = [span for span in spans if span[0] <= refused][-_BEFORE:]
    return [*before, *[span for span in spans if span[0] > refused][:_AFTER]]


def _cheapest_first(
    text: str, near: Sequence[Span], spans: Sequence[Span], state: State, start: int
) -> Iterator[tuple[float, tuple[Replacement, ...]]]:
    """Possible replacements of the tokens near a refusal, with their costs; each is made when it is asked for.

    Args:
        near: The tokens near the refusal.
        spans: All tokens around.
        state: The state at `start`, where the line of the first token of `near` begins.
    """
    kinds: list[tuple[float, Iterator[tuple[Replacement, ...]]]] = [
        *((length * _LEFT_OUT, _leave_out(text, near, spans, length)) for length in range(1, _LONGEST + 1)),
        (_RENAMED, ((replacement,) for replacement in _rename(text, near))),
        (_OTHER_WORD, ((replacement,) for replacement in _replace_by_keywords(text, near, state, start))),
    ]
    for cost, proposals in sorted(kinds, key=itemgetter(0)):
        for replacements in proposals:
            yield cost, replacements


def _leave_out(
    text: str, near: Sequence[Span], spans: Sequence[Span], length: int
) -> Iterator[tuple[Replacement, ...]]:
    """Replace `length` tokens in a row by blanks, the last ones first."""
    for first in range(len(near) - length, -1, -1):
        tokens = _balanced(text, near[first : first + length], spans)
        if tokens is not None:
            yield _blank(text, tokens)


def _balanced(text: str, run: Sequence[Span], spans: Sequence[Span]) -> Sequence[Span] | None:
    """The tokens to leave out so that all brackets among them are paired: for the run `[`, those of `[T = int]`.

    These are the run itself, or the run with all tokens up to the bracket that closes its last token. None where
    neither is paired.
    """
    for tokens in (run, (*run, *_tokens_of_bracket(text, run[-1], spans))):
        if not _is_unpaired(text, tokens):
            return tokens
    return None


def _is_unpaired(text: str, run: Iterable[Span]) -> bool:
    """Whether a bracket or quote among the tokens has its partner elsewhere."""
    opened: list[str] = []
    for span in run:
        token = text[slice(*span)]
        if opened and token == _OPENS.get(opened[-1], opened[-1]):
            opened.pop()
        elif token in _UNPAIRED:
            opened.append(token)
    return bool(opened)


def _blank(text: str, run: Iterable[Span]) -> tuple[Replacement, ...]:
    """Replace tokens by blanks."""
    return tuple(Replacement(start, end, _blanks(text[start:end])) for start, end in run)


def _blanks(text: str) -> str:
    """Spaces in place of ASCII characters; others stay, as a space would have fewer bytes."""
    return "".join(" " if character.isascii() and not character.isspace() else character for character in text)


def _tokens_of_bracket(text: str, opening: Span, spans: Sequence[Span]) -> Sequence[Span]:
    """The tokens after an opening bracket, up to the one that closes it; none if `opening` is no such bracket."""
    sign = text[slice(*opening)]
    if sign not in _OPENS:
        return ()
    depth, tokens = 1, list[Span]()
    for span in islice((span for span in spans if span[0] >= opening[1]), _GROUP):
        tokens.append(span)
        token = text[slice(*span)]
        depth += (token == sign) - (token == _OPENS[sign])
        if not depth:
            return tokens
    return ()


def _rename(text: str, near: Sequence[Span]) -> Iterator[Replacement]:
    """Replace a word by a name, and a word and the blank after it by a name with `;`.

    The first helps where the grammar takes a name for a keyword: `xxxxxxxx(a) {}` for the method `accessor(a) {}`. The
    second helps where a new word comes before a statement: `xxxx;import json` for `lazy import json`.
    """
    for start, end in near:
        if is_word(text[start:end]) and text[start:end].isascii():
            yield Replacement(start, end, _ANY * (end - start))
            if text[end : end + 1] == " ":
                yield Replacement(start, end + 1, _ANY * (end - start) + ";")


def _replace_by_keywords(text: str, near: Sequence[Span], state: State, begin: int) -> Iterator[Replacement]:
    """Replace one word, or two, by each keyword that the tables read there: `for (let   row of rows)` for `using`.

    Args:
        state: The state at `begin`, which is before all tokens of `near`.
    """
    for index, (start, end) in enumerate(near):
        if not text[start:end].isidentifier() or (before := state.advance(text[begin:start])) is None:
            continue
        keywords = [word for word in sorted(before.literals()) if word.isidentifier() and word != text[start:end]]
        following = near[index + 1 : index + 2]
        for stop in [end, *(last for first, last in following if text[first:last].isidentifier())]:
            if text[start:stop].isascii() and "\n" not in text[start:stop]:
                for keyword in keywords:
                    if len(keyword) <= stop - start:
                        yield Replacement(start, stop, keyword.ljust(stop - start))


def is_word(text: str) -> bool:
    """Whether a token may be a name, or a private name of ECMAScript such as `#count`."""
    return text.removeprefix(_PRIVATE).isidentifier()
