"""The state for an editor's status line: the notification `inscope/status`, which is sent whenever the state changes.

    {"state": "unloaded" | "loading" | "starting" | "ready" | "failed",
                                                               the model's state; names are offered in all of them.
                                                               It starts while it reads the first document
     "model": "built-in",                                      the model's name or directory
     "message": "...",                                         one sentence for people, or empty
     "lastWithheld": {"reason", "message", "details"},         why the last ghost text was not shown; null if it was
     "problems": [{"name": "model", "message": "..."}]}         what is broken, as `inscope doctor` finds it

`reason` is a value of `withheld` or `error.code` (docs/answers.md). `message` is a sentence. `details` has a checker's
own words, or is empty.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from lsp_server.engine.model_host import ModelState
from lsp_server.engine.suggestion import Withheld

if TYPE_CHECKING:
    from lsp_server.engine.suggestion import Suggestion

METHOD = "inscope/status"
_REJECTED: Final = "What the model wrote would be a new error here."


@dataclass(frozen=True, slots=True)
class NotShown:
    """Why the last ghost text was not shown."""

    reason: str
    """A value of `Withheld` or `ErrorCode`."""
    message: str
    """One sentence for people."""
    details: str = ""
    """A checker's own words, if the message sums them up; else empty."""

    @classmethod
    def of(cls, suggestion: Suggestion) -> NotShown:
        """Why a suggestion without a text is not shown."""
        reason = suggestion.withheld or Withheld.EMPTY
        if suggestion.quotes_checker:
            return cls(reason, _REJECTED, suggestion.reason)
        return cls(reason, suggestion.reason)


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that is broken."""

    name: str
    """The name of the finding (`lsp_server.installation.doctor`)."""
    message: str
    """One sentence: what is wrong, why, and what to do."""


@dataclass(frozen=True, slots=True)
class Status:
    """What a status line shows; the module's docstring describes the fields."""

    state: ModelState = ModelState.UNLOADED
    model: str = "built-in"
    message: str = ""
    last_withheld: NotShown | None = None
    problems: tuple[Problem, ...] = ()
    is_starting: bool = False
    """Whether the model, or the checker, reads the first document."""
