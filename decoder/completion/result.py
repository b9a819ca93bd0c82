"""What is written for a completion (`Attempt`), and the answer: the text, and what is known of all that was written.

`completion_of` makes the answer from the result of the search.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import TYPE_CHECKING

from decoder.beginnings import beginnings, is_worth_reading
from decoder.calibration import Begun, features_of
from decoder.errors import constraint_faults
from decoder.observer import with_proofs
from decoder.output import Output

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from decoder.beginnings import Beginning
    from decoder.calibration import Calibration
    from decoder.completion.preparation import Preparation
    from decoder.constraint.protocol import Report
    from decoder.observer import TokenTrace, TracedRecord
    from decoder.search import SearchResult
    from decoder.stops import Stop


@dataclass(frozen=True, slots=True)
class Attempt(Output):
    """An output, and the part of it that may be shown. See `decoder.search.WrittenText`."""

    record: TracedRecord
    healed: str
    """The half-typed word. The output begins with it, and `text` does not."""
    text: str
    """The part of the output that may be inserted at the cursor; empty if the output was given up."""
    report: Report
    """The report about `text`."""

    def beginning(self, length: int) -> bytes:
        """See `decoder.search.WrittenText`."""
        return self.up_to(len((self.healed + self.text[:length]).encode()))


@dataclass(frozen=True, slots=True)
class Completion:
    """The answer to a `CompletionTask`."""

    text: str
    """The text to insert at the cursor, without the half-typed word that is there already."""
    written: str
    """All that the model wrote; `text` is the beginning of it that may be inserted."""
    stop: Stop
    tokens: tuple[int, ...]
    report: Report
    """The report about `text`."""
    reports: tuple[tuple[int, Report], ...]
    """Before the first token and after each: the output's length in bytes, and the report about it."""
    calibration: Calibration
    healed: str
    """The half-typed word."""
    begun: Begun
    first_token_seconds: float | None
    """From the request to the first token; None where there was none."""
    seconds: float
    """From the request to the answer."""
    forward_seconds: float
    """Spent in the model, for all texts."""
    reused: int
    """Prompt tokens that the cache held already."""
    prompt_tokens: int
    text_above_parses: bool
    """Whether the syntax automaton has a state at the place; True also where it is not used. If not, syntax and names
    were judged at the end alone."""
    trace: tuple[TokenTrace, ...]
    beginnings: tuple[Beginning, ...]
    """The beginnings of `text`, the shortest first and the whole last."""
    alternatives: tuple[str, ...]
    """Further texts that may be shown, the most probable first."""
    tried: int
    """See `SearchResult.tried`."""

    def up_to(self, length: int) -> Completion:
        """The same completion with the first `length` characters of the text."""
        text = self.text[:length]
        shorter = tuple(beginning for beginning in self.beginnings if beginning.length <= length)
        return replace(self, text=text, report=self.report_of(text), beginnings=shorter)

    @property
    def features(self) -> Mapping[int, Mapping[str, float]]:
        """By length of a beginning of the text that is not blank: the features from which its probability follows."""
        return features_by_length(self.text, self.beginnings, self.begun)

    @property
    def probabilities(self) -> Mapping[int, float]:
        """By length: the probability that exactly this beginning is typed next. It falls with the length."""
        return probabilities(self.calibration, self.features)

    @property
    def readable(self) -> Sequence[int]:
        """The lengths of the beginnings that may be shown to somebody who has not asked, the shortest first."""
        return readable(self.text, self.beginnings, self.begun)

    def report_of(self, text: str) -> Report:
        """The report about a beginning of `self.text`, up to the end of the token in which it ends."""
        covered = len((self.healed + text).encode())
        reports = (report for length, report in self.reports if length >= covered)
        return self.report if text == self.text else next(reports, self.report)


def completion_of(
    result: SearchResult[Attempt],
    prepared: Preparation,
    calibration: Calibration,
    started: float,
    cut: Mapping[str, int],
) -> Completion:
    """The answer: the first text that may be shown; else the first that was written, so that its trace says why not.

    Args:
        result: The result of the search, in which at least one text was begun.
        started: When the request was made, on `time.perf_counter`'s clock.
        cut: By text that was rejected: the length of its beginning that was accepted.
    """
    shown = result.shown
    attempt = shown[0] if shown else result.written[0]
    run, entry = attempt.run, prepared.place.entry
    first, first_at = result.written[0].run, result.written[0].record.trace.first_at
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
        forward_seconds=sum(candidate.run.forward_seconds for candidate in result.written),
        reused=first.reused,  # for all later texts the cache held the whole prompt
        prompt_tokens=len(prepared.place.prompt),
        text_above_parses=entry is None or entry.state is not None,
        trace=with_proofs(attempt.record.trace.steps(), reports),
        beginnings=tuple(beginnings_of(attempt, prepared)),
        alternatives=tuple(other.text[: cut.get(other.text)] for other in shown[1:]),
        tried=result.tried,
    )
    return completion.up_to(cut[attempt.text]) if attempt.text in cut else completion


def beginnings_of(attempt: Attempt, prepared: Preparation) -> Iterator[Beginning]:
    """The beginnings of an attempt's text, the shortest first and the whole last."""
    output = bytes(attempt.run.output)
    ends = [len(output[:length].decode("utf-8", "ignore")) for length in attempt.run.lengths[1:]]
    return beginnings(attempt.text, prepared.place.ends.start, attempt.healed, ends, attempt.record.scores.values)


def readable(text: str, text_beginnings: Iterable[Beginning], begun: Begun) -> Sequence[int]:
    """See `Completion.readable`."""
    closed = (beginning.length for beginning in text_beginnings if beginning.is_closed)
    return [length for length in closed if is_worth_reading(text[:length], in_line=begun.line)]


def features_by_length(
    text: str, text_beginnings: Iterable[Beginning], begun: Begun
) -> Mapping[int, Mapping[str, float]]:
    """By length of a beginning that is not blank: its features for `Calibration.probability`.

    Args:
        text_beginnings: The beginnings of `text`, the shortest first.
    """
    by_length = {beginning.length: beginning.score for beginning in text_beginnings if text[: beginning.length].strip()}
    return {length: features_of(score, text[:length], begun) for length, score in by_length.items()}


def probabilities(calibration: Calibration, features: Mapping[int, Mapping[str, float]]) -> Mapping[int, float]:
    """By length of a beginning: its probability, which is at most that of each shorter beginning.

    Args:
        features: By length, the shortest first (`features_by_length`).
    """
    uncapped = map(calibration.probability, features.values())
    return dict(zip(features, accumulate(uncapped, min), strict=True))
