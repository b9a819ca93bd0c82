"""From what the decoder wrote to what is answered: a suggestion, or silence with its reason."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING

from decoder import DOUBTED, Stop
from lsp_server.documents.model_view import ModelView
from lsp_server.suggestion import LEAST_PROBABLE, Alternative, Level, Suggestion, Withheld
from lsp_server.verification.judge import Judgement

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from decoder import Completion, CompletionTask
    from lsp_server.suggestion import CompletionRequest
    from lsp_server.verification.judge import Judge

_log = logging.getLogger(__name__)


def suggested(
    request: CompletionRequest, task: CompletionTask, completion: Completion, judge: Judge, started: float
) -> Suggestion:
    """The suggestion that a completion makes, or why it makes none.

    Args:
        task: What was completed; where nothing was accepted, it begins with a text of the menu.
        started: When the request came, on `time.perf_counter`'s clock.
    """
    improbable = _why_improbable(request, completion, _features(completion, doubted=False))  # before a checker is asked
    judgement = Judgement("", Withheld.LOW_CONFIDENCE, improbable) if improbable else judge.of(completion.text)
    features = _features(completion, doubted=judgement.is_doubted or task.beginning != request.beginning)
    withheld, reason = _why_withheld(request, completion, judgement, features)
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
        probability=_probability(completion, features),
        features=features,
        alternatives=() if withheld else tuple(_alternatives(completion, judge)),
        trace=completion.trace,
    )
    _log_remarks(request, suggestion)
    return suggestion


def _why_withheld(
    request: CompletionRequest, completion: Completion, judgement: Judgement, features: Mapping[str, float]
) -> tuple[Withheld | None, str]:
    """Why nothing is shown, with a sentence for people; None where the text is shown."""
    if judgement.withheld is Withheld.EMPTY:
        return Withheld.EMPTY, _why_nothing(completion) or judgement.reason
    if judgement.withheld is None and (improbable := _why_improbable(request, completion, features)):
        return Withheld.LOW_CONFIDENCE, improbable
    return judgement.withheld, judgement.reason


def _why_improbable(request: CompletionRequest, completion: Completion, features: Mapping[str, float]) -> str:
    """Why a text that nobody asked for is not probable enough, in a sentence; empty where it may be shown.

    What the request's own program writes is shown whatever the model thinks of it.
    """
    if request.eagerness is None or request.controller is not None:
        return ""
    least = LEAST_PROBABLE[request.eagerness]
    shows = f"`{request.eagerness}` shows suggestions from {least:.0%} on"
    if not features:
        return f"No text was probable enough; {shows}." if completion.stop is Stop.UNSURE else ""
    probability = _probability(completion, features)
    return "" if probability >= least else f"It is right with a probability of {probability:.0%}; {shows}."


def _unlisted(request: CompletionRequest, completion: Completion, judgement: Judgement) -> tuple[str, ...]:
    """Names in what is shown of the text that are not among those in scope, where these are known to be incomplete."""
    indentation = ModelView.of(request.syntax, request.offset).indentation
    length = indentation.length_in_model(completion.text, len(judgement.text))
    return completion.report_of(completion.text[:length]).unlisted


def _features(completion: Completion, *, doubted: bool) -> dict[str, float]:
    """The features that the probability is computed from; none where nothing was written."""
    return {**completion.features, DOUBTED: float(doubted)} if completion.features else {}


def _probability(completion: Completion, features: Mapping[str, float]) -> float:
    """The probability that the text is exactly right; 0 where nothing was written."""
    return completion.calibration.probability(features) if features else 0.0


def _alternatives(completion: Completion, judge: Judge) -> Iterator[Alternative]:
    """The next texts that were accepted, in the form in which each may be shown."""
    for text in completion.alternatives:
        judgement = judge.of(text)
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
