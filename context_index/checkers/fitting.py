"""Which names do not fit an argument: the checker is shown the call with each of them, all in one text.

Assignability is the checker's word; nothing here compares types.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from context_index.checkers.checker import Asked, Checker
from context_index.symbols import continues_identifier
from context_index.syntax import Syntax, parse
from context_index.text import Document

_PROBE = "inscope_probe"
_CALLS = frozenset({"call_expression", "new_expression", "call"})
_ARGUMENTS = frozenset({"arguments", "argument_list"})
_LONGEST = 400
"""Characters of a call before the argument: it is repeated for each name."""
_ANYTHING = ", 0 as any"
"""An argument that TypeScript takes for anything: of a call that lacks some it would say nothing else."""


@dataclass(frozen=True, slots=True)
class _Call:
    """A call around an argument that is being typed."""

    document: Document
    start: int
    argument: int
    """Where the name begins; with what it is given to, `limit=`, the argument begins at `whole`."""
    whole: int
    end: int
    """After the call, or after the half-typed word where the call is not finished."""

    def with_names(self, names: Sequence[str], others: str) -> tuple[Document, list[int]]:
        """The document with a list of calls in place of the call, one for each name, and where each name stands."""
        text = self.document.text
        beginning, written, places = text[self.start : self.argument], "[", []
        for name in names:
            written += beginning
            places.append(self.start + len(written))
            written += f"{name}{others}), "
        whole = f"{text[: self.start]}{written}]{text[self.end :]}"
        return Document(self.document.uri, self.document.language, whole, self.document.revision), places


def misfits(checker: Checker, syntax: Syntax, offset: int, names: Sequence[str], seconds: float) -> frozenset[str]:
    """The names that the checker refuses as the argument that is being typed at an offset; none outside of a call.

    Raises:
        CheckerError: it fails.
        TimeoutError: it takes longer.
    """
    until, document = time.monotonic() + seconds, syntax.document
    call = _call_at(syntax, offset)
    if call is None or not names:
        return frozenset()
    others = ""
    if not document.language.is_python:
        found = checker.ask(document, lambda asked: asked.signatures(offset)).result(seconds)
        if found is not None and (active := found.meant.active) is not None:
            rest = found.meant.parameters[active + 1 :]
            others = _ANYTHING * sum(not parameter.startswith("...") for parameter in rest)
    shown, places = call.with_names(names, others)

    lead = call.argument - call.whole

    def refused(asked: Asked) -> frozenset[str]:
        errors = [one for one in asked.diagnostics() if one.is_error]
        return frozenset(
            name
            for name, place in zip(names, places, strict=True)
            if any(place - lead <= one.start and one.end <= place + len(name) for one in errors)
        )

    return checker.ask(shown, refused).result(max(0.0, until - time.monotonic()))


def _call_at(syntax: Syntax, offset: int) -> _Call | None:
    """The call of which an offset is in an argument that is a name so far."""
    text = syntax.document.text
    start = end = offset
    while start > 0 and continues_identifier(text[start - 1]):
        start -= 1
    while end < len(text) and continues_identifier(text[end]):
        end += 1
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
    if start - first > _LONGEST:
        return None
    is_whole = not closing and probed.text[last - 1] == ")"
    return _Call(syntax.document, first, start, tree.start(node), last - len(_PROBE) + end - start if is_whole else end)
