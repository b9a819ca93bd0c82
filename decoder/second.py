"""Thinking again: where nothing could be shown of what the model wrote, it begins with another token.

A greedy output is one of many. It may be withheld although the model had something to say: it ran into a comment that
never ended, repeated itself, needed a name that does not exist, or somebody objected to the finished text. Another
beginning costs as many forwards as the first did, and is tried only where there would be silence.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING

from decoder.stops import Stop

if TYPE_CHECKING:
    from collections.abc import Callable

    from decoder.constraint.members import Questions
    from decoder.constraint.protocol import Report
    from decoder.generation import Generation

MOST = 4
"""Outputs for one suggestion, the first included."""
_NOBODY_WAITS = frozenset({Stop.DEADLINE, Stop.CANCELLED})


@dataclass(frozen=True, slots=True)
class Objection:
    """Why a text that keeps all rules may not be shown all the same."""

    unknown: frozenset[str] = frozenset()
    """Members that do not exist: said once, they are not said again, and the rest of the text may be right."""


class Verdict(Enum):
    """What to do about an output."""

    SHOW = auto()
    AGAIN = auto()
    SILENCE = auto()
    """Nothing better is to be had: what came first is as good as any."""


@dataclass(slots=True)
class Thoughts:
    """What was tried for one suggestion.

    Args:
        objects: Looks at a finished text and at what was not proven of it; None where it may be shown.
        questions: What is known of members, if anybody is asked.
    """

    objects: Callable[[str, Report], Objection | None] | None
    questions: Questions | None
    avoided: frozenset[int] = frozenset()
    """Tokens that the next output does not begin with."""
    tried: int = 0

    def verdict(self, run: Generation, stop: Stop, text: str, report: Report) -> Verdict:
        """What to do about an output of which `text` may stand."""
        self.tried += 1
        objection: Objection | None = Objection()
        if text.strip():
            objection = None if self.objects is None else self.objects(text, report)
        if objection is None:
            return Verdict.SHOW
        if stop in _NOBODY_WAITS or run.retreat is None or self.tried == MOST:
            return Verdict.SILENCE
        if not run.tokens:  # it has nothing to say
            return Verdict.SILENCE
        if self.questions is not None and objection.unknown - self.questions.refuted:
            self.questions.refuted |= objection.unknown
            return Verdict.AGAIN
        if run.guards[0].owed.strip():  # a half-typed word with which it would not go on is not finished for it
            return Verdict.SILENCE
        self.avoided |= {run.tokens[0]}
        return Verdict.AGAIN
