"""What does not fit an argument: the checker is shown the call with each candidate, all in one text.

Assignability is the checker's word, and so is whether a value may stand there at all, and which names of arguments
have their value already. Nothing here compares types or counts parameters.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from context_index.checkers.answers import Diagnostic
from context_index.checkers.checker import Checker
from context_index.checkers.name_types import as_list
from context_index.checkers.query import Query
from context_index.symbols import Signatures, word_end, word_start
from context_index.syntax import Node, Syntax, parse
from context_index.text import Document

_PROBE = "inscope_probe"
_CALLS = frozenset({"call_expression", "new_expression", "call"})
_ARGUMENTS = frozenset({"arguments", "argument_list"})
_ROOM = 40_000
"""Characters of all calls that a checker is shown: the call is repeated for each candidate."""


@dataclass(frozen=True, slots=True)
class Misfits:
    """What a checker refuses as an argument."""

    names: frozenset[str] = frozenset()
    """Names in scope that it refuses as they stand; a member of theirs may fit."""
    given: frozenset[str] = frozenset()
    """Names of arguments, `limit=`, that have their value already."""
    takes_value: bool = True
    """Whether any value may stand there; else names of arguments alone may."""


@dataclass(frozen=True, slots=True)
class _Shown:
    """A call that a checker is shown, and where the candidate stands in it."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Call:
    """A call around an argument that is being typed."""

    document: Document
    start: int
    argument: int
    """Where the value begins; with what it is given to, `limit=`, the argument begins at `whole`."""
    whole: int
    end: int
    """After the call, or after the half-typed word where the call is not finished."""
    rest: str
    """The arguments after this one."""

    def with_value(self, value: str, rest: str) -> _Shown:
        """The call with a value at the place, and with other arguments after it."""
        text = self.document.text[self.start : self.argument]
        between = ", " if value and rest else ""
        lead = self.argument - self.whole
        return _Shown(f"{text}{value}{between}{rest})", len(text) - lead, len(text) + len(value))

    def with_keyword(self, written: str) -> _Shown:
        """The call with one argument more at its end: if its name is there already, the error is at this one."""
        text = f"{self.document.text[self.start : self.whole]}{self.rest}{', ' if self.rest else ''}"
        return _Shown(f"{text}{written})", len(text), len(text) + len(written))

    def with_calls(self, calls: Sequence[_Shown]) -> tuple[Document, list[int]]:
        """The document with a list of calls in place of the call, and where each begins."""
        text = self.document.text
        written, places = as_list([call.text for call in calls], self.document, self.start)
        whole = f"{text[: self.start]}{written}{text[self.end :]}"
        return Document(self.document.uri, self.document.language, whole, self.document.revision), places


def misfits(checker: Checker, syntax: Syntax, offset: int, texts: Sequence[str], seconds: float) -> Misfits:
    """What the checker refuses as the argument that is being typed at an offset; nothing outside of a call.

    Args:
        texts: Names in scope, and names of arguments as `limit=`; there may not be room for the last of them.

    Raises:
        CheckerError: it fails.
        TimeoutError: it takes longer.
    """
    until = time.monotonic() + seconds
    call = _call_at(syntax, offset)
    traits = syntax.language.record.checker
    if call is None or not texts or not traits.anything:
        return Misfits()
    others = ""
    if traits.reports_missing_arguments:
        found = checker.ask(syntax.document, lambda asked: asked.signatures(offset)).result(seconds)
        others = _stand_ins(found, traits.anything)
    calls = _calls(call, texts, others)
    shown, places = call.with_calls(calls)
    judged = partial(_judged, calls=calls, places=places, texts=texts)
    return checker.ask(shown, judged).result(max(0.0, until - time.monotonic()))


def _stand_ins(found: Signatures | None, anything: str) -> str:
    """Arguments for the parameters after the active one: of a call that lacks some, TypeScript reports nothing else."""
    if found is None or (active := found.active_signature.active) is None:
        return ""
    following = found.active_signature.parameters[active + 1 :]
    return ", ".join(anything for parameter in following if not parameter.startswith("..."))


def _calls(call: _Call, texts: Sequence[str], others: str) -> list[_Shown]:
    """The calls that the checker is shown: without an argument, with one that fits everything, and with each text."""
    traits = call.document.language.record.checker
    anything, rest = traits.anything, others if traits.reports_missing_arguments else call.rest
    calls = [call.with_value("", rest), call.with_value(anything, rest)]
    room = _ROOM - sum(len(one.text) for one in calls)
    for text in texts:
        one = call.with_keyword(f"{text}{anything}") if text.endswith("=") else call.with_value(text, others)
        room -= len(one.text)
        if room < 0:
            break
        calls.append(one)
    return calls


def _judged(asked: Query, calls: Sequence[_Shown], places: Sequence[int], texts: Sequence[str]) -> Misfits:
    errors = [one for one in asked.diagnostics() if one.is_error]
    found = list(zip(calls, places, strict=True))
    _, refuses_anything, *are_refused = (_is_refused(one, place, errors) for one, place in found)
    without, with_anything = (_codes_after(one, place, errors) for one, place in found[:2])
    refused = frozenset(text for text, is_refused in zip(texts, are_refused, strict=False) if is_refused)
    given = frozenset(text for text in refused if text.endswith("="))
    return Misfits(refused - given, given, takes_value=not refuses_anything and not with_anything - without)


def _is_refused(call: _Shown, place: int, errors: Sequence[Diagnostic]) -> bool:
    """Whether there is an error within the candidate of a call that begins at a place."""
    return any(place + call.start <= one.start and one.end <= place + call.end for one in errors)


def _codes_after(call: _Shown, place: int, errors: Sequence[Diagnostic]) -> Counter[str]:
    """The errors in the arguments after the candidate."""
    return Counter(one.code for one in errors if place + call.end < one.start < place + len(call.text))


def _call_at(syntax: Syntax, offset: int) -> _Call | None:
    """The call of which an offset is in an argument that is a name so far."""
    text = syntax.document.text
    start, end = word_start(text, offset), word_end(text, offset)
    for closing in ("", ")"):
        probed = Document(syntax.document.uri, syntax.language, text[:start] + _PROBE + closing + text[end:])
        tree = parse(probed)
        node = tree.node_at(start)
        if node.parent is not None and node.parent.type == "keyword_argument":
            node = node.parent
        around = node.parent
        call = around.parent if around is not None and around.type in _ARGUMENTS else None
        if call is not None and call.type in _CALLS:
            break
    else:
        return None
    first, last = tree.span(call)
    is_whole = not closing and probed.text[last - 1] == ")"
    stop = last - len(_PROBE) + end - start if is_whole else end
    rest = _arguments_after(tree, node) if is_whole else ""
    return _Call(syntax.document, first, start, tree.start(node), stop, rest)


def _arguments_after(tree: Syntax, node: Node) -> str:
    """The arguments after one; none where something else stands there than arguments in order."""
    last = node
    while (comma := last.next_sibling) is not None and comma.type == ",":
        following = comma.next_sibling
        if following is None or not following.is_named or following.is_error:
            break
        last = following
    whole = tree.document.text[tree.end(node) : tree.end(last)]
    return whole.strip().removeprefix(",").strip()
