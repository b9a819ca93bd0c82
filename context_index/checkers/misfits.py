"""Finds which names do not fit as the argument that is being typed.

The checker is shown a text with the call once for each candidate, and a candidate with an error in it does not fit. In
the same way the checker says whether a value may stand there at all, and which named arguments are given already.
Nothing here compares types or counts parameters.
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
"""Stands for the argument while the call is looked for in the tree."""
_CALLS = frozenset({"call_expression", "new_expression", "call"})
_ARGUMENTS = frozenset({"arguments", "argument_list"})
_MOST_CHARACTERS = 40_000
"""The most characters of all calls that the checker is shown; candidates for which there is no room are left out."""


@dataclass(frozen=True, slots=True)
class Misfits:
    """What a checker refuses as an argument."""

    names: frozenset[str] = frozenset()
    """Names in scope that it refuses by themselves; a member of such a name may fit."""
    given: frozenset[str] = frozenset()
    """Named arguments (`limit=`) that have a value already."""
    takes_value: bool = True
    """Whether a value may stand there; if not, only named arguments may."""


@dataclass(frozen=True, slots=True)
class _Variant:
    """The call with one candidate, as the checker is shown it, and where the candidate is in this text."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Call:
    """The call around the argument that is being typed. Offsets are those of the document."""

    document: Document
    start: int
    value: int
    """Where the argument's value begins."""
    argument: int
    """Where the argument begins: at its value, or at the name in `limit=`."""
    end: int
    """The offset after the call; after the half-typed word if the call is not finished."""
    rest: str
    """The arguments after this one, as they are written."""

    def with_value(self, value: str, rest: str) -> _Variant:
        """The call with a value for the argument, and with `rest` as the arguments after it."""
        text = self.document.text[self.start : self.value]
        comma = ", " if value and rest else ""
        name_length = self.value - self.argument
        return _Variant(f"{text}{value}{comma}{rest})", len(text) - name_length, len(text) + len(value))

    def with_keyword(self, written: str) -> _Variant:
        """The call with a named argument at its end: if the name is given already, the error is at this argument."""
        text = f"{self.document.text[self.start : self.argument]}{self.rest}{', ' if self.rest else ''}"
        return _Variant(f"{text}{written})", len(text), len(text) + len(written))

    def with_variants(self, variants: Sequence[_Variant]) -> tuple[Document, list[int]]:
        """The document with a list of variants in place of the call, and the offset of each variant."""
        text = self.document.text
        written, places = as_list([variant.text for variant in variants], self.document, self.start)
        whole = f"{text[: self.start]}{written}{text[self.end :]}"
        return Document(self.document.uri, self.document.language, whole, self.document.revision), places


def misfits(checker: Checker, syntax: Syntax, offset: int, texts: Sequence[str], seconds: float) -> Misfits:
    """What the checker refuses as the argument that is being typed at an offset; nothing outside of a call.

    Args:
        texts: The candidates: names in scope, and named arguments as `limit=`. Too many at the end are left out.
        seconds: How long the checker may take.

    Raises:
        CheckerError: the checker fails.
        TimeoutError: the checker takes longer.
    """
    until = time.monotonic() + seconds
    call = _call_at(syntax, offset)
    traits = syntax.language.record.checker
    if call is None or not texts or not traits.anything:
        return Misfits()
    stand_ins = ""
    if traits.reports_missing_arguments:
        signatures = checker.ask(syntax.document, lambda query: query.signatures(offset)).result(seconds)
        stand_ins = _stand_ins(signatures, traits.anything)
    variants = _variants(call, texts, stand_ins)
    shown, places = call.with_variants(variants)
    judge = partial(_judge, variants=variants, places=places, texts=texts)
    return checker.ask(shown, judge).result(max(0.0, until - time.monotonic()))


def _stand_ins(signatures: Signatures | None, anything: str) -> str:
    """Arguments that fit everything, for the parameters after the active one.

    TypeScript reports nothing else of a call that lacks arguments.
    """
    if signatures is None or (active := signatures.active_signature.active) is None:
        return ""
    following = signatures.active_signature.parameters[active + 1 :]
    return ", ".join(anything for parameter in following if not parameter.startswith("..."))


def _variants(call: _Call, texts: Sequence[str], stand_ins: str) -> list[_Variant]:
    """The call without the argument, with one that fits everything, and with each candidate for which there is room."""
    traits = call.document.language.record.checker
    anything, rest = traits.anything, stand_ins if traits.reports_missing_arguments else call.rest
    variants = [call.with_value("", rest), call.with_value(anything, rest)]
    room = _MOST_CHARACTERS - sum(len(variant.text) for variant in variants)
    for text in texts:
        is_keyword = text.endswith("=")
        variant = call.with_keyword(f"{text}{anything}") if is_keyword else call.with_value(text, stand_ins)
        room -= len(variant.text)
        if room < 0:
            break
        variants.append(variant)
    return variants


def _judge(query: Query, variants: Sequence[_Variant], places: Sequence[int], texts: Sequence[str]) -> Misfits:
    """What the checker refuses, by the errors that it reports of the variants.

    No value may stand there if one that fits everything is refused, or causes new errors in the arguments after it.

    Args:
        variants: Those of `_variants`, in the document that the checker is shown.
        places: The offset of each variant.
        texts: The candidates, of which the last may have no variant.
    """
    errors = [diagnostic for diagnostic in query.diagnostics() if diagnostic.is_error]
    placed = list(zip(variants, places, strict=True))
    _, refuses_anything, *are_refused = (_is_refused(variant, place, errors) for variant, place in placed)
    without, with_anything = (_codes_after(variant, place, errors) for variant, place in placed[:2])
    refused = frozenset(text for text, is_refused in zip(texts, are_refused, strict=False) if is_refused)
    given = frozenset(text for text in refused if text.endswith("="))
    return Misfits(refused - given, given, takes_value=not refuses_anything and not with_anything - without)


def _is_refused(variant: _Variant, place: int, errors: Sequence[Diagnostic]) -> bool:
    """Whether there is an error within the candidate of a variant that begins at a place."""
    start, end = place + variant.start, place + variant.end
    return any(start <= error.start and error.end <= end for error in errors)


def _codes_after(variant: _Variant, place: int, errors: Sequence[Diagnostic]) -> Counter[str]:
    """The codes of the errors in the arguments after the candidate of a variant, with their numbers."""
    start, end = place + variant.end, place + len(variant.text)
    return Counter(error.code for error in errors if start < error.start < end)


def _call_at(syntax: Syntax, offset: int) -> _Call | None:
    """The call with the argument that is being typed at an offset; None if there is none, or it is no single name.

    It is looked for in the document with a probe as the argument, and if need be with a bracket that closes the call.
    """
    text = syntax.document.text
    start, end = word_start(text, offset), word_end(text, offset)
    for closing in ("", ")"):
        probed = Document(syntax.document.uri, syntax.language, text[:start] + _PROBE + closing + text[end:])
        tree = parse(probed)
        argument = tree.node_at(start)
        if argument.parent is not None and argument.parent.type == "keyword_argument":
            argument = argument.parent
        around = argument.parent
        call = around.parent if around is not None and around.type in _ARGUMENTS else None
        if call is not None and call.type in _CALLS:
            break
    else:
        return None
    call_start, call_end = tree.span(call)
    is_finished = not closing and probed.text[call_end - 1] == ")"
    end_in_document = call_end - len(_PROBE) + end - start if is_finished else end
    rest = _arguments_after(tree, argument) if is_finished else ""
    return _Call(syntax.document, call_start, start, tree.start(argument), end_in_document, rest)


def _arguments_after(tree: Syntax, argument: Node) -> str:
    """The text of the arguments after one, up to the first thing that is no argument."""
    last = argument
    while (comma := last.next_sibling) is not None and comma.type == ",":
        following = comma.next_sibling
        if following is None or not following.is_named or following.is_error:
            break
        last = following
    text = tree.document.text[tree.end(argument) : tree.end(last)]
    return text.strip().removeprefix(",").strip()
