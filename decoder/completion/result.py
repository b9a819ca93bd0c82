"""What came of a completion: the text, and what is known of all that was written for it."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from decoder.calibration import features_of
from decoder.errors import constraint_faults
from decoder.observer import with_proofs

if TYPE_CHECKING:
    from collections.abc import Mapping

    from decoder.calibration import Calibration
    from decoder.completion.attempt import Attempt
    from decoder.completion.preparation import Preparation
    from decoder.constraint.protocol import Report
    from decoder.observer import TokenTrace
    from decoder.search import Found
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
    first_token_seconds: float | None
    seconds: float
    forward_seconds: float
    reused: int
    """Prompt tokens that the cache held already."""
    prompt_tokens: int
    is_entered: bool
    """False where the text above does not parse, so that syntax and names were judged at the end alone."""
    trace: tuple[TokenTrace, ...]
    features: Mapping[str, float]
    """What the search knows of how probable it is that `text` was meant; nothing where nothing was chosen."""
    alternatives: tuple[str, ...]
    """The texts that may be shown as well."""
    tried: int
    """Outputs that were made until one could be shown, it included."""

    def report_of(self, text: str) -> Report:
        """What could not be proven about a text with which `self.text` begins, up to the end of its last token."""
        covered = len((self.healed + text).encode())
        reports = (report for length, report in self.reports if length >= covered)
        return self.report if text == self.text else next(reports, self.report)


def completion_of(
    found: Found[Attempt],
    prepared: Preparation,
    calibration: Calibration,
    started: float,
) -> Completion:
    """One output as the answer; no type checker is asked.

    Args:
        found: The first that may be shown is the answer; else what came first, for those who ask why nothing is shown.
        started: When the request was made, on `time.perf_counter`'s clock.
    """
    shown = found.shown
    attempt = shown[0] if shown else found.written[0]
    run, entry = attempt.run, prepared.place.entry
    first, first_at = found.written[0].run, found.written[0].record.trace.first_at
    with constraint_faults():
        reports = [state.report() for state in run.states]
    return Completion(
        text=attempt.text,
        written=run.output.decode("utf-8", "ignore")[len(prepared.healed.word) :],
        stop=attempt.stop,
        tokens=tuple(run.tokens),
        report=attempt.report,
        reports=tuple(zip(run.lengths, reports, strict=True)),
        calibration=calibration,
        healed=prepared.healed.word,
        first_token_seconds=None if first_at is None else first_at - started,
        seconds=time.perf_counter() - started,
        forward_seconds=sum(one.run.forward_seconds for one in found.written),
        reused=first.reused,  # the others find the whole prompt read
        prompt_tokens=len(prepared.place.prompt),
        is_entered=entry is None or entry.state is not None,
        trace=with_proofs(attempt.record.trace.steps(), reports),
        features=features_in(attempt),
        alternatives=tuple(one.text for one in shown[1:]),
        tried=found.tried,
    )


def features_in(attempt: Attempt) -> dict[str, float]:
    """What the search knows of how probable an output is; nothing where it has no text."""
    line = next(iter(attempt.text.strip().splitlines()), "")
    return features_of(attempt.first_line_score, line) if line else {}
