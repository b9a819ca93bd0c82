"""From what the decoder wrote to what is answered: a suggestion, or silence with its reason."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from decoder import Stop
from lsp_server.documents.model_view import ModelView
from lsp_server.suggestion import Alternative, Level, Suggestion, Withheld
from lsp_server.verification.judge import Judgement

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from decoder import Completion, CompletionTask
    from lsp_server.suggestion import CompletionRequest
    from lsp_server.verification.judge import Judge

_log = logging.getLogger(__name__)
_NEAR = 0.1
"""By so much a beginning that stands alone may be more probable than a longer one that does not."""
_ALONE = 3
"""The most beginnings that are judged alone."""


def suggested(
    request: CompletionRequest, task: CompletionTask, completion: Completion, judge: Judge, started: float
) -> Suggestion:
    """The suggestion that a completion makes, or why it makes none.

    Args:
        task: What was completed; where nothing was accepted, it begins with a text of the menu.
        started: When the request came, on `time.perf_counter`'s clock.
    """
    shown = _shown(request, completion, judge)
    judgement = shown.judgement
    withheld, reason = judgement.withheld, judgement.reason
    if withheld is Withheld.EMPTY:
        reason = _why_nothing(completion) or reason
    first = completion.first_token_seconds
    latency = time.perf_counter() - started
    suggestion = Suggestion(
        text="" if withheld else judgement.text,
        replaces=0 if withheld else judgement.replaces,
        stop=completion.stop,
        tokens=len(completion.tokens),
        latency_ms=latency * 1000,
        first_token_ms=None if first is None else (latency - completion.seconds + first) * 1000,
        withheld=withheld,
        reason=reason,
        withheld_text=(completion.text or completion.written) if withheld else "",
        rejected=judge.rejections,
        unlisted=() if withheld else _unlisted(request, completion, judgement),
        notes=(*_notes(task, completion), *([judgement.note] if judgement.note else ())),
        additional_edits=judgement.imports.edits,
        imports=judgement.imports.names,
        verified=Level.NONE if withheld else judgement.level,
        unverified=judgement.unverified,
        reused_tokens=completion.reused,
        forward_ms=completion.forward_seconds * 1000,
        checker_ms=judge.waited * 1000,
        probability=completion.probabilities.get(shown.length, 0.0),
        features=_features(request, completion),
        readable=tuple(_lengths(request, completion, completion.readable)),
        continued=() if withheld else tuple(_continued(request, completion, judge, shown)),
        alternatives=() if withheld else tuple(_alternatives(completion, judge)),
        trace=completion.trace,
    )
    _log_remarks(request, suggestion)
    return suggestion


@dataclass(frozen=True, slots=True)
class _Shown:
    """What of a completion is shown."""

    length: int
    """Characters of its text."""
    judgement: Judgement


def _shown(request: CompletionRequest, completion: Completion, judge: Judge) -> _Shown:
    """The whole text where somebody asked; else its longest beginning that is probable enough.

    What the request's own program writes is shown whatever the model thinks of it.
    """
    whole = len(completion.text)
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
    near = [one for one in probable if one <= longest and probabilities[one] <= probabilities[longest] + _NEAR]
    for length in near[: -_ALONE - 1 : -1]:
        alone = judge.of(completion.text[:length])
        if alone.rejected is None and not alone.is_last_resort:
            return _Shown(length, alone)
    indentation = ModelView.of(request.syntax, request.offset).indentation
    return _Shown(longest, _witnessed(indentation.to_file(completion.text[:longest]), written))


def _continued(request: CompletionRequest, completion: Completion, judge: Judge, shown: _Shown) -> Iterator[str]:
    """Longer beginnings of an accepted text, each as probable as is asked for once the one before it is right."""
    if request.eagerness is None or shown.length == len(completion.text):
        return
    whole = judge.of(completion.text)
    indentation = ModelView.of(request.syntax, request.offset).indentation
    least, probabilities, probable = request.least_probability, completion.probabilities, completion.readable
    length = shown.length
    while length < len(completion.text) and whole.rejected is None and not whole.imports.names:
        longest = max([length, *(one for one in probable if probabilities[one] >= least * probabilities[length])])
        text = indentation.to_file(completion.text[:longest])
        if longest <= length or not whole.text.startswith(text):
            return
        yield text
        length = longest


def _witnessed(beginning: str, whole: Judgement) -> Judgement:
    """The judgement of a text, with a beginning of it; none is shown where only the rest needs what comes with it."""
    is_witness = whole.rejected is None and not whole.is_last_resort and not whole.imports.names
    if not is_witness or not whole.text.startswith(beginning):
        reason = whole.reason or "Its probable beginning does not stand alone."
        return replace(whole, withheld=whole.withheld or Withheld.REJECTED, reason=reason)
    return replace(whole, text=beginning)


def _why_improbable(request: CompletionRequest, completion: Completion) -> str:
    """Why no beginning of a text that nobody asked for is shown, in a sentence."""
    shows = f"`{request.eagerness}` shows what is right with {request.least_probability:.0%} or more"
    probabilities = completion.probabilities
    if not probabilities:
        return f"No text was probable enough; {shows}."
    readable = [probabilities[length] for length in completion.readable]
    if not readable or max(readable) >= request.least_probability:
        return "What is probable of it is a few signs, or a word where a line begins, or leaves a bracket open."
    return f"It is right with a probability of {max(readable):.0%}; {shows}."


def _features(request: CompletionRequest, completion: Completion) -> dict[int, Mapping[str, float]]:
    """What the probability of each beginning is computed from, by its length in the file."""
    lengths = _lengths(request, completion, completion.features)
    return dict(zip(lengths, completion.features.values(), strict=True))


def _lengths(request: CompletionRequest, completion: Completion, lengths: Iterable[int]) -> Iterator[int]:
    """Lengths of beginnings as the file has them."""
    indentation = ModelView.of(request.syntax, request.offset).indentation
    return (len(indentation.to_file(completion.text[:length])) for length in lengths)


def _unlisted(request: CompletionRequest, completion: Completion, judgement: Judgement) -> tuple[str, ...]:
    """Names in what is shown of the text that are not among those in scope, where these are known to be incomplete."""
    indentation = ModelView.of(request.syntax, request.offset).indentation
    length = indentation.length_in_model(completion.text, len(judgement.text))
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


def silent(withheld: Withheld, reason: str, started: float, stop: Stop = Stop.NONE) -> Suggestion:
    """Nothing, with its reason.

    Args:
        started: When the request came, on `time.perf_counter`'s clock.
    """
    latency = (time.perf_counter() - started) * 1000
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


def _log_remarks(request: CompletionRequest, suggestion: Suggestion) -> None:
    if suggestion.withheld is not None:
        _log.info("%s: withheld (%s): %s", request.syntax.document.uri, suggestion.withheld, suggestion.reason)
    for note in suggestion.notes:
        _log.info("%s: %s", request.syntax.document.uri, note)
