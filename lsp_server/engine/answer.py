"""From what the decoder wrote to what is answered: a suggestion, or silence with its reason."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from decoder import Stop
from lsp_server.engine.suggestion import Alternative, Eagerness, Level, Suggestion, Withheld
from lsp_server.engine.verification.judge import Judgement

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from decoder import Completion, CompletionTask
    from lsp_server.engine.clock import Clock
    from lsp_server.engine.suggestion import CompletionRequest
    from lsp_server.engine.verification.judge import Judge

_log = logging.getLogger(__name__)
_NEAR = 0.1
"""By so much a beginning that stands alone may be more probable than a longer one that does not."""
_ALONE = 3
"""The most beginnings that are judged alone."""


def suggested(task: CompletionTask, completion: Completion, judge: Judge) -> Suggestion:
    """The suggestion that a completion makes, or why it makes none.

    Args:
        task: What was completed; where nothing was accepted, it begins with a text of the menu.
    """
    shown = _shown(completion, judge)
    judgement = shown.judgement
    withheld, reason = judgement.withheld, judgement.reason
    if withheld is Withheld.EMPTY:
        reason = _why_nothing(completion) or reason
    first = completion.first_token_seconds
    latency = judge.clock.elapsed_ms
    suggestion = Suggestion(
        text="" if withheld else judgement.text,
        replaces=0 if withheld else judgement.replaces,
        stop=completion.stop,
        tokens=len(completion.tokens),
        latency_ms=latency,
        first_token_ms=None if first is None else latency - (completion.seconds - first) * 1000,
        withheld=withheld,
        reason=reason,
        quotes_checker=judgement.quotes_checker and reason == judgement.reason,
        withheld_text=(completion.text or completion.written) if withheld else "",
        rejected=judge.rejections,
        unlisted=() if withheld else _unlisted(completion, judge, judgement),
        notes=(*_notes(task, completion), *([judgement.note] if judgement.note else ())),
        additional_edits=judgement.imports.edits,
        imports=judgement.imports.names,
        verified=Level.NONE if withheld else judgement.level,
        is_unfinished=not withheld and judgement.is_last_resort,
        unverified=judgement.unverified,
        reused_tokens=completion.reused,
        forward_ms=completion.forward_seconds * 1000,
        checker_ms=judge.waited * 1000,
        probability=completion.probabilities.get(shown.length, 0.0),
        features=_features(completion, judge),
        readable=tuple(_lengths(completion, judge, completion.readable)),
        continued=() if withheld else tuple(_continued(completion, judge, shown)),
        alternatives=() if withheld else tuple(_alternatives(completion, judge)),
        trace=completion.trace,
    )
    _log_remarks(judge.site.document.uri, suggestion)
    return suggestion


def listed_entry(judgement: Judgement, judge: Judge) -> Suggestion:
    """An entry of the menu as the suggestion, of whose probability nothing is known."""
    return Suggestion(
        text=judgement.text,
        replaces=judgement.replaces,
        stop=Stop.NONE,
        tokens=0,
        latency_ms=judge.clock.elapsed_ms,
        first_token_ms=None,
        rejected=judge.rejections,
        notes=(judgement.note,) if judgement.note else (),
        additional_edits=judgement.imports.edits,
        imports=judgement.imports.names,
        verified=judgement.level,
        is_unfinished=judgement.is_last_resort,
        unverified=judgement.unverified,
        checker_ms=judge.waited * 1000,
    )


@dataclass(frozen=True, slots=True)
class _Shown:
    """What of a completion is shown."""

    length: int
    """Characters of its text."""
    judgement: Judgement


def _shown(completion: Completion, judge: Judge) -> _Shown:
    """The whole text where somebody asked; else its longest beginning that is probable enough.

    What the request's own program writes is shown whatever the model thinks of it.
    """
    request, whole = judge.request, len(completion.text)
    if request.eagerness is None or request.controller is not None:
        return _Shown(whole, judge.of(completion.text))
    least = request.least_probability
    probabilities = completion.probabilities
    probable = completion.readable
    longest = next((length for length in reversed(probable) if probabilities[length] >= least), None)
    if longest is None:
        return _Shown(whole, Judgement("", Withheld.LOW_CONFIDENCE, _why_improbable(request, completion)))
    written = judge.of(completion.text)
    if written.is_circular:
        reason = "The function would only call itself."
        return _Shown(whole, replace(written, withheld=Withheld.REJECTED, reason=reason))
    if longest == whole:
        return _Shown(whole, written)
    near = [
        length for length in probable if length <= longest and probabilities[length] <= probabilities[longest] + _NEAR
    ]
    for length in near[: -_ALONE - 1 : -1]:
        alone = judge.of(completion.text[:length])
        if alone.rejected is None and not alone.is_last_resort:
            return _Shown(length, alone)
    return _Shown(longest, _witnessed(judge.site.indentation.to_file(completion.text[:longest]), written))


def _continued(completion: Completion, judge: Judge, shown: _Shown) -> Iterator[str]:
    """Longer beginnings of an accepted text, each as probable as is asked for once the one before it is right."""
    request, indentation = judge.request, judge.site.indentation
    if request.eagerness is None or shown.length == len(completion.text):
        return
    whole = judge.of(completion.text)
    least, probabilities, probable = request.least_probability, completion.probabilities, completion.readable
    length = shown.length
    while length < len(completion.text) and whole.rejected is None and not whole.imports.names:
        longest = max(
            [length, *(reached for reached in probable if probabilities[reached] >= least * probabilities[length])]
        )
        text = indentation.to_file(completion.text[:longest])
        if longest <= length or not whole.text.startswith(text):
            return
        yield text
        length = longest


def _witnessed(beginning: str, whole: Judgement) -> Judgement:
    """The judgement of a text, with a beginning of it; none is shown where only the rest needs what comes with it."""
    is_witness = whole.rejected is None and not whole.is_last_resort and not whole.imports.names
    if not is_witness or not whole.text.startswith(beginning):
        reason = whole.reason or "What the model is sure of is no code by itself."
        return replace(whole, withheld=whole.withheld or Withheld.REJECTED, reason=reason)
    return replace(whole, text=beginning, is_last_resort=True)


def _why_improbable(request: CompletionRequest, completion: Completion) -> str:
    """Why no beginning of a text that nobody asked for is shown, in a sentence."""
    probable = completion.probabilities.values()
    if probable and max(probable) >= request.least_probability:
        return "The model is sure of too little of it to show it unasked; ask for it to see the whole."
    bolder = "" if request.eagerness is Eagerness.EAGER else ", or set `inline.eagerness` higher"
    return f"The model is not sure enough of it to show it unasked; ask for it{bolder}."


def _features(completion: Completion, judge: Judge) -> dict[int, Mapping[str, float]]:
    """What the probability of each beginning is computed from, by its length in the file."""
    lengths = _lengths(completion, judge, completion.features)
    return dict(zip(lengths, completion.features.values(), strict=True))


def _lengths(completion: Completion, judge: Judge, lengths: Iterable[int]) -> Iterator[int]:
    """Lengths of beginnings as the file has them."""
    return (len(judge.site.indentation.to_file(completion.text[:length])) for length in lengths)


def _unlisted(completion: Completion, judge: Judge, judgement: Judgement) -> tuple[str, ...]:
    """Names in what is shown of the text that are not among those in scope, where these are known to be incomplete."""
    length = judge.site.indentation.length_in_model(completion.text, len(judgement.text))
    return completion.report_of(completion.text[:length]).unlisted


def _alternatives(completion: Completion, judge: Judge) -> Iterator[Alternative]:
    """The next texts that were accepted, in the form in which each may be shown; no two are the same."""
    seen = {judge.of(completion.text).text}
    for text in completion.alternatives:
        judgement = judge.of(text)
        if judgement.text in seen:
            continue
        seen.add(judgement.text)
        imports = judgement.imports
        yield Alternative(judgement.text, judgement.replaces, judgement.level, imports.edits, imports.names)


def _why_nothing(completion: Completion) -> str:
    """Why there is no text to offer, in a sentence; empty where there is no further reason."""
    if not completion.written.strip():
        return "Time ran out before the model wrote anything." if completion.stop is Stop.DEADLINE else ""
    if completion.stop is Stop.LENGTH:
        return "The token limit was reached before the text could end."
    if completion.stop is Stop.DEADLINE:
        return "Time ran out before the text could end."
    return "Nothing that the model wrote fits here."


def silent(withheld: Withheld, reason: str, clock: Clock, stop: Stop = Stop.NONE) -> Suggestion:
    """Nothing, with its reason."""
    latency = clock.elapsed_ms
    return Suggestion(
        text="", stop=stop, tokens=0, latency_ms=latency, first_token_ms=None, withheld=withheld, reason=reason
    )


def _notes(task: CompletionTask, completion: Completion) -> tuple[str, ...]:
    """Sentences about what the constraint could not check, and about texts that were rejected first."""
    if not task.constrained:
        return ()
    notes = [f"Names may be missing: {caveat}." for caveat in task.symbols.caveats]
    if not completion.is_entered:
        notes.append("The text above does not parse; syntax and names were only checked at the end.")
    if completion.tried > 1:
        others = completion.tried - 1
        texts = "1 text" if others == 1 else f"{others} texts"
        notes.append(f"Not accepted before this one: {texts}.")
    return tuple(notes)


def _log_remarks(uri: str, suggestion: Suggestion) -> None:
    if suggestion.withheld is not None:
        _log.info("%s: withheld (%s): %s", uri, suggestion.withheld, suggestion.reason)
    for note in suggestion.notes:
        _log.info("%s: %s", uri, note)
