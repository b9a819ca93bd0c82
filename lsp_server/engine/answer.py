"""Turns what the decoder wrote into the answer: a suggestion, or none with the reason.

`service.py` and `fallback.py` call it. The judge has judged most of the texts already, and returns the same judgement
again. A beginning is a part of a text from its start on; the decoder says how probable each is (`readable` has their
lengths, `probabilities` the values). A last resort is a text that is shown though something must follow it, such as
`f(`: its answer has `is_unfinished` set.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from decoder import Stop
from lsp_server.engine.suggestion import Alternative, Eagerness, Level, Suggestion, Withheld
from lsp_server.engine.verification.judge import Judgement
from lsp_server.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from decoder import Completion, CompletionTask
    from lsp_server.engine.clock import Clock
    from lsp_server.engine.suggestion import CompletionRequest
    from lsp_server.engine.verification.judge import Judge

_log = logging.getLogger(__name__)
_NEAR = 0.1
"""A shorter beginning that is accepted by itself is preferred to a longer one that is not, if it is more probable by no
more than this."""
_MOST_JUDGED = 3
"""The most beginnings of one text that are judged by themselves."""


def suggested(task: CompletionTask, completion: Completion, judge: Judge) -> Suggestion:
    """The suggestion that a completion makes, or a `Suggestion` without a text that says why.

    Args:
        task: What the model was asked. From `fallback`, its text may begin with an entry of the menu.
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
    """An entry of the menu as the suggestion. Its probability is unknown and stays 0."""
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
    """The beginning of a completion's text that is shown, or withheld as the judgement says."""

    length: int
    """Characters of the completion's text, as the model wrote it."""
    judgement: Judgement


def _shown(completion: Completion, judge: Judge) -> _Shown:
    """The whole text of an explicit request; of an automatic one the longest beginning that is probable enough.

    If a controller takes part, the whole text is shown, too, however improbable the model finds it. Nothing is shown
    if no beginning is probable enough, or if nobody means the whole text.

    If the longest probable beginning is not the whole text, it or a slightly shorter one must be accepted by itself
    (`_NEAR`, `_MOST_JUDGED`): the longest that is, and that is no last resort, is shown. If none is, the longest is
    judged `_as_part` of the whole text, unless it repeats what follows the cursor.
    """
    request, whole = judge.request, len(completion.text)
    if request.eagerness is None or request.controller is not None:
        return _Shown(whole, judge.of(completion.text))
    least = request.least_probability
    probabilities = completion.probabilities
    lengths = completion.readable
    longest = next((length for length in reversed(lengths) if probabilities[length] >= least), None)
    if longest is None:
        return _Shown(whole, Judgement("", Withheld.LOW_CONFIDENCE, _why_improbable(request, completion)))
    written = judge.of(completion.text)
    if written.unmeant:
        return _Shown(whole, replace(written, withheld=Withheld.REJECTED, reason=written.unmeant))
    if longest == whole:
        return _Shown(whole, written)
    near = [
        length for length in lengths if length <= longest and probabilities[length] <= probabilities[longest] + _NEAR
    ]
    for length in near[: -_MOST_JUDGED - 1 : -1]:  # the longest of them, the longest first
        alone = judge.of(completion.text[:length])
        if alone.rejected is None and not alone.is_last_resort:
            return _Shown(length, alone)
    if (alone := judge.of(completion.text[:longest])).withheld is Withheld.REPEATS_FOLLOWING:
        return _Shown(longest, alone)
    return _Shown(longest, _as_part(judge.site.indentation.to_file(completion.text[:longest]), written))


def _continued(completion: Completion, judge: Judge, shown: _Shown) -> Iterator[str]:
    """Longer beginnings of an accepted text, for an automatic request: each is shown once the one before it is taken.

    Given that the one before it is right, each is at least as probable as the request demands: its probability divided
    by that of the one before it. There are none if the whole text is not accepted, or brings imports.
    """
    request, indentation = judge.request, judge.site.indentation
    if request.eagerness is None or shown.length == len(completion.text):
        return
    whole = judge.of(completion.text)
    least, probabilities, lengths = request.least_probability, completion.probabilities, completion.readable
    length = shown.length
    while length < len(completion.text) and whole.rejected is None and not whole.imports.names:
        longest = max(
            [length, *(longer for longer in lengths if probabilities[longer] >= least * probabilities[length])]
        )
        text = indentation.to_file(completion.text[:longest])
        if longest <= length or not whole.text.startswith(text):
            return
        yield text
        length = longest


def _as_part(beginning: str, whole: Judgement) -> Judgement:
    """The judgement of a beginning as a part of the whole text: it may be shown if the whole is accepted.

    For example `a if b` lacks something in Python, and `a if b else c` is accepted. Such a beginning is a last resort:
    something must follow it. It is withheld if the whole brings imports, as the beginning may not need them; if the
    whole is a last resort itself; and if the judge has changed the text, so that it begins in another way.

    Args:
        beginning: With the file's white space.
    """
    is_accepted = whole.rejected is None and not whole.is_last_resort and not whole.imports.names
    if not is_accepted or not whole.text.startswith(beginning):
        reason = whole.reason or "What the model is sure of is no code by itself."
        return replace(whole, withheld=whole.withheld or Withheld.REJECTED, reason=reason)
    return replace(whole, text=beginning, is_last_resort=True)


def _why_improbable(request: CompletionRequest, completion: Completion) -> str:
    """Why no beginning of an automatic suggestion is shown, in a sentence."""
    probabilities = completion.probabilities.values()
    if probabilities and max(probabilities) >= request.least_probability:
        return "The model is sure of too little of it to show it unasked; ask for it to see the whole."
    bolder = "" if request.eagerness is Eagerness.EAGER else ", or set `inline.eagerness` higher"
    return f"The model is not sure enough of it to show it unasked; ask for it{bolder}."


def _features(completion: Completion, judge: Judge) -> dict[int, Mapping[str, float]]:
    """The features from which each beginning's probability is computed, by the beginning's length in the file."""
    lengths = _lengths(completion, judge, completion.features)
    return dict(zip(lengths, completion.features.values(), strict=True))


def _lengths(completion: Completion, judge: Judge, lengths: Iterable[int]) -> Iterator[int]:
    """The lengths of beginnings in the file, from those in the model's text; they differ in indentation."""
    return (len(judge.site.indentation.to_file(completion.text[:length])) for length in lengths)


def _unlisted(completion: Completion, judge: Judge, judgement: Judgement) -> tuple[str, ...]:
    """Names in the shown text that are not in scope, where the names in scope are known to be incomplete."""
    length = judge.site.indentation.length_in_model(completion.text, len(judgement.text))
    return completion.report_of(completion.text[:length]).unlisted


def _alternatives(completion: Completion, judge: Judge) -> Iterator[Alternative]:
    """The other accepted texts, most probable first, in the form in which each may be shown; no two are the same."""
    seen = {judge.of(completion.text).text}
    for text in completion.alternatives:
        judgement = judge.of(text)
        if judgement.text in seen:
            continue
        seen.add(judgement.text)
        imports = judgement.imports
        yield Alternative(judgement.text, judgement.replaces, judgement.level, imports.edits, imports.names)


def _why_nothing(completion: Completion) -> str:
    """Why there is no text to offer, in a sentence; empty where the judge's reason says all."""
    if not completion.written.strip():
        return "Time ran out before the model wrote anything." if completion.stop is Stop.DEADLINE else ""
    if completion.stop is Stop.LENGTH:
        return "The token limit was reached before the text could end."
    if completion.stop is Stop.DEADLINE:
        return "Time ran out before the text could end."
    return "Nothing that the model wrote fits here."


def silent(withheld: Withheld, reason: str, clock: Clock, stop: Stop = Stop.NONE) -> Suggestion:
    """A suggestion without a text, with the reason in one sentence for people."""
    latency = clock.elapsed_ms
    return Suggestion(
        text="", stop=stop, tokens=0, latency_ms=latency, first_token_ms=None, withheld=withheld, reason=reason
    )


def _notes(task: CompletionTask, completion: Completion) -> tuple[str, ...]:
    """Sentences about what the constraint could not check, and about texts that were rejected first."""
    if not task.constrained:
        return ()
    notes = [f"Names may be missing: {caveat}." for caveat in task.symbols.caveats]
    if not completion.text_above_parses:
        notes.append("The text above does not parse; syntax and names were only checked at the end.")
    if completion.tried > 1:
        notes.append(f"Not accepted before this one: {counted(completion.tried - 1, 'text')}.")
    return tuple(notes)


def _log_remarks(uri: str, suggestion: Suggestion) -> None:
    if suggestion.withheld is not None:
        _log.info("%s: withheld (%s): %s", uri, suggestion.withheld, suggestion.reason)
    for note in suggestion.notes:
        _log.info("%s: %s", uri, note)
