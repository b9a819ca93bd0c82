"""The state for an editor's status line: the notification `inscope/status`, sent whenever it changes.

    {"state": "unloaded" | "loading" | "ready" | "failed",     the model's state; names are offered in all of them
     "model": "built-in",                                      its name or directory
     "message": "...",                                         one sentence for people, or empty
     "lastWithheld": {"reason": "...", "message": "..."}}       why the last ghost text was not shown; null if it was

`reason` is a value of `withheld` or `error.code` (docs/answers.md).
"""

from __future__ import annotations

from dataclasses import dataclass

from lsp_server.model_host import ModelState

METHOD = "inscope/status"


@dataclass(frozen=True, slots=True)
class NotShown:
    """Why the last ghost text was not shown."""

    reason: str
    """A value of `Withheld` or `ErrorCode`."""
    message: str


@dataclass(frozen=True, slots=True)
class Status:
    """What a status line shows."""

    state: ModelState = ModelState.UNLOADED
    model: str = "built-in"
    message: str = ""
    last_withheld: NotShown | None = None
