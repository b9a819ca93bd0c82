"""What came of a completion: the text, and what is known of all that was written for it."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import TYPE_CHECKING

from decoder.beginnings import beginnings, is_worth_reading
from decoder.calibration import Begun, features_of
from decoder.errors import constraint_faults
from decoder.observer import with_proofs

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from decoder.beginnings import Beginning
    from decoder.calibration import Calibration
    from decoder.completion.attempt import Attempt
    from decoder.completion.preparation import Preparation
    from decoder.constraint.protocol import Report
    from decoder.observer import TokenTrace
    from decoder.search import SearchResult
    from decoder.stops import Stop


@dataclass(frozen=True, slots=True)
class Completion:
    """What came of it. `text` goes in at the cursor: the half-typed word is not repeated."""

    text: str
    written: str
    """All that the model wrote; `text` is the beginning of it that may be inserted."""
    stop: Stop
    tokens: tuple[int, ...]
    report: Report
    """The report about `text`."""
    reports: tuple[tuple[int, Report], ...]
    """After no token and after each: the bytes of the output, and the report about them."""
    calibration: Calibration
    healed: str
    begun: Begun
    first_token_seconds: float | None
    seconds: float
    forward_seconds: float
    reused: int
    """Prompt tokens that the cache held already."""
    prompt_tokens: int
    is_entered: bool
    """False where the text above does not parse, so that syntax and names were judged at the end alone."""
    trace: tuple[TokenTrace, ...]
    beginnings: tuple[Beginning, ...]
    """Of `text`, the shortest first and the whole last."""
    alternatives: tuple[str, ...]
    """The texts that may be shown as well."""
    tried: int
    """Outputs that were made until one could be shown, it included."""

    def up_to(self, length: int) -> Completion:
        """The same with a beginning of the text."""
        text = self.text[:length]
        kept = tuple(one for one in self.beginnings if one.length <= length)
        return replace(self, text=text, report=self.report_of(text), beginnings=kept)

    @property
    def features(self) -> Mapping[int, Mapping[str, float]]:
        """By the length of each beginning of the text that is not blank: what its probability is computed from."""
        return features_by_length(self.text, self.beginnings, self.begun)

    @property
    def probabilities(self) -> Mapping[int, float]:
        """The same: how probable it is that exactly this is typed next. It falls with the length."""
        return probabilities(self.calibration, self.features)

    @property
    def readable(self) -> Sequence[int]:
        """The lengths of the beginnings that may be shown to somebody who has not asked, the shortest first."""
        return readable(self.text, self.beginnings, self.begun)

    def report_of(self, text: str) -> Report:
        """What could not be proven about a text with which `self.text` begins, up to the end of its last token."""
        covered = len((self.healed + text).encode())
        reports = (report for length, report in self.reports if length >= covered)
        return self.report if text == self.text else next(reports, self.report)


def completion_of(
    found: SearchResult[Attempt],
    prepared: Preparation,
    calibration: Calibration,
    started: float,
    cut: Mapping[str, int],
) -> Completion:
    """One output as the answer; no type checker is asked.

    Args:
        found: The first that may be shown is the answer; else what came first, for those who ask why nothing is shown.
        started: When the request was made, on `time.perf_counter`'s clock.
        cut: By text that was not accepted: the length of its beginning that was.
    """
    shown = found.shown
    attempt = shown[0] if shown else found.written[0]
    run, entry = attempt.run, prepared.place.entry
    first, first_at = found.written[0].run, found.written[0].record.trace.first_at
    with constraint_faults():
        reports = [state.report() for state in run.states]
    completion = Completion(
        text=attempt.text,
        written=run.output.decode("utf-8", "ignore")[len(prepared.healed.word) :],
        stop=attempt.stop,
        tokens=tuple(run.tokens),
        report=attempt.report,
        reports=tuple(zip(run.lengths, reports, strict=True)),
        calibration=calibration,
        healed=prepared.healed.word,
        begun=Begun.of(prepared.healed),
        first_token_seconds=None if first_at is None else first_at - started,
        seconds=time.perf_counter() - started,
        forward_seconds=sum(one.run.forward_seconds for one in found.written),
        reused=first.reused,  # the others find the whole prompt read
        prompt_tokens=len(prepared.place.prompt),
        is_entered=entry is None or entry.state is not None,
        trace=with_proofs(attempt.record.trace.steps(), reports),
        beginnings=tuple(beginnings_of(attempt, prepared)),
        alternatives=tuple(one.text[: cut.get(one.text)] for one in shown[1:]),
        tried=found.tried,
    )
    return completion.up_to(cut[attempt.text]) if attempt.text in cut else completion


def beginnings_of(attempt: Attempt, prepared: Preparation) -> Iterator[Beginning]:
    """The beginnings of what may be inserted."""
    output = bytes(attempt.run.output)
    ends = [len(output[:length].decode("utf-8", "ignore")) for length in attempt.run.lengths[1:]]
    return beginnings(attempt.text, prepared.place.ends.start, attempt.healed, ends, attempt.record.scores.values)


def readable(text: str, found: Iterable[Beginning], begun: Begun) -> Sequence[int]:
    """See `Completion.readable`."""
    closed = (one.length for one in found if one.is_closed)
    return [length for length in closed if is_worth_reading(text[:length], in_line=begun.line)]


def features_by_length(text: str, found: Iterable[Beginning], begun: Begun) -> Mapping[int, Mapping[str, float]]:
    """What the probability of each beginning of a text is computed from, the shortest first."""
    texts = ((one, text[: one.length]) for one in found)
    return {one.length: features_of(one.score, text, begun) for one, text in texts if text.strip()}


def probabilities(calibration: Calibration, features: Mapping[int, Mapping[str, float]]) -> Mapping[int, float]:
    """The probability of each beginning, the shortest first."""
    each = map(calibration.probability, features.values())
    return dict(zip(features, accumulate(each, min), strict=True))
