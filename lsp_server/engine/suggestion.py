"""A completion request and its answer, as plain data for the editor and the command line."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from threading import Event
from typing import TYPE_CHECKING

from lsp_server.engine.clock import Clock

if TYPE_CHECKING:
    from collections.abc import Mapping

    from context_index import Edit, Importable, Syntax
    from decoder import Controller, SamplingOptions, Stop, TokenTrace

DEVICES = ("auto", "cpu", "cuda", "mps")
DTYPES = ("auto", "float32", "bfloat16", "float16")
"""The same as in `decoder.models.loading`, as a test checks: `inscope --help` must not load the decoder."""

ALTERNATIVES = 3
"""How many texts an explicit request offers besides the first."""


class Extent(StrEnum):
    """How long a suggestion may be."""

    AUTO = "auto"
    """A block where one is being opened, else the rest of the statement."""
    LINE = "line"
    STATEMENT = "statement"
    BLOCK = "block"


class Level(StrEnum):
    """How much of a suggestion was verified, the most first."""

    TYPES = "types"
    """The checker accepts it, types bind in this file, and every member has a definition."""
    NAMES = "names"
    """The checker accepts it; but types do not bind in this file, or a member has no definition."""
    SYNTAX = "syntax"
    """It parses; no checker judged it."""
    NONE = "none"
    """It was rejected, or not verified."""


class Eagerness(StrEnum):
    """How likely an automatic suggestion must be right."""

    QUIET = "quiet"
    BALANCED = "balanced"
    EAGER = "eager"


class Trigger(StrEnum):
    """When ghost text comes."""

    AUTOMATIC = "automatic"
    """While one types, and when one asks for it."""
    MANUAL = "manual"
    """When one asks for it."""
    OFF = "off"


class MenuMode(StrEnum):
    """What the menu lists."""

    AUTO = "auto"
    """`BEST` where another service lists names in the same file, else `ALL`."""
    BEST = "best"
    """The few most probable entries, and what other services lack."""
    ALL = "all"
    OFF = "off"


LEAST_PROBABLE = {Eagerness.QUIET: 2 / 3, Eagerness.BALANCED: 1 / 2, Eagerness.EAGER: 1 / 3}
"""The least probability that exactly what is shown is typed next: from one half on it saves characters, on average."""


class Verify(StrEnum):
    """How the checker's answer decides whether a suggestion is shown."""

    STRICT = "strict"
    """Suggestions that it rejects or has not judged in time are not shown."""
    MARK = "mark"
    """Suggestions that it has not judged in time are shown with the level `syntax`."""
    OFF = "off"
    """The checker is not asked."""


class Withheld(StrEnum):
    """Why a suggestion is not shown. Closed: other tools rely on it."""

    EMPTY = "empty"
    """The model wrote nothing, or nothing in time, or nothing with an effect (`x = x`)."""
    SYNTAX_ERROR = "syntax_error"
    """The file would have more syntax errors with the suggestion in it than without."""
    REPEATS_FOLLOWING = "repeats_following"
    """It repeats the text after the cursor."""
    LOW_CONFIDENCE = "low_confidence"
    """It is automatic, and not likely enough to be right (`inline.eagerness`)."""
    UNDEFINED_NAME = "undefined_name"
    """It refers to a name that is visible nowhere there and that no import brings."""
    REJECTED = "rejected"
    """The language's own checker reports a new error with it."""
    LATE = "late"
    """The checker did not answer in time."""
    EXCLUDED = "excluded"
    """Suggestions are switched off for this file: by language, by glob, as a secret."""
    PLACE = "place"
    """Suggestions are switched off in comments or strings, and the cursor is in one; or its line is too long."""
    CONSTRAINT_FAULT = "constraint_fault"
    """A rule failed, so the suggestion was not checked."""


@dataclass(frozen=True, slots=True)
class CompletionRequest:
    """A request for a suggestion at an offset."""

    syntax: Syntax
    """The parsed document, with its text, language and revision."""
    offset: int
    """The cursor is before this code point."""
    sampling: SamplingOptions
    extent: Extent = Extent.AUTO
    constrained: bool = True
    max_tokens: int = 64
    eagerness: Eagerness | None = None
    """How probable the text must be; None for an explicit request, whose answer is shown in any case."""
    least: float | None = None
    """The probability that takes the place of the eagerness's own."""
    alternatives: int = 0
    """The most alternatives that are offered."""
    deadline_ms: float | None = None
    """Wall time for the whole suggestion; the best text found by then is returned."""
    beginning: str = ""
    """Text that the suggestion must begin with (the item selected in the editor's menu)."""
    cancel: Event = field(default_factory=Event)
    verify: Verify = Verify.STRICT
    imports: bool = True
    """Whether it may use names that must be imported, and bring their imports."""
    checker_deadline_ms: float | None = None
    """The most wall time to wait for type checkers in total; None waits for every answer."""
    controller: Controller | None = None

    @property
    def least_probability(self) -> float:
        """From which probability on a text is shown; 0 for an explicit request."""
        if self.eagerness is None:
            return 0.0
        return LEAST_PROBABLE[self.eagerness] if self.least is None else self.least

    @property
    def is_verified(self) -> bool:
        """Whether a checker is to be asked."""
        return self.constrained and self.verify is not Verify.OFF

    def clock(self) -> Clock:
        """A clock that runs from now on."""
        seconds, for_checkers = (
            None if limit is None else limit / 1000 for limit in (self.deadline_ms, self.checker_deadline_ms)
        )
        return Clock(seconds, cancel=self.cancel, checker_seconds=for_checkers)


@dataclass(frozen=True, slots=True)
class Alternative:
    """Another text for the same place."""

    text: str
    replaces: int = 0
    verified: Level = Level.NONE
    additional_edits: tuple[Edit, ...] = ()
    """The imports that the text needs, as edits of the present document."""
    imports: tuple[Importable, ...] = ()


@dataclass(frozen=True, slots=True)
class Suggestion:
    """The result. `text` is empty when `withheld` is set; `withheld_text` is what would have been shown."""

    text: str
    stop: Stop
    tokens: int
    latency_ms: float
    first_token_ms: float | None
    """Time until the first token; None if there was none."""
    replaces: int = 0
    """Code points after the cursor that the text replaces."""
    withheld: Withheld | None = None
    reason: str = ""
    """One sentence for people: why nothing is shown."""
    quotes_checker: bool = False
    """Whether the reason is in a checker's own words, which are no sentence for a status line."""
    withheld_text: str = ""
    rejected: tuple[tuple[str, str], ...] = ()
    """Texts that were not accepted, in order, each with the reason."""
    unlisted: tuple[str, ...] = ()
    """Names in the text that are not among those in scope, where these are known to be incomplete."""
    notes: tuple[str, ...] = ()
    """Sentences about what could not be checked: a rule that was not active, names that may be missing."""
    verified: Level = Level.NONE
    """How much of it the checkers verified."""
    is_unfinished: bool = False
    """Whether something must follow it: what the file has after it is not read as before."""
    unverified: tuple[str, ...] = ()
    """Members in the text for which the checker finds no definition."""
    additional_edits: tuple[Edit, ...] = ()
    """The imports that the text needs, as edits of the present document."""
    imports: tuple[Importable, ...] = ()
    """The names that these edits import."""
    reused_tokens: int = 0
    """Prompt tokens that were in the model's cache already."""
    forward_ms: float = 0.0
    """Time inside the model; the rest of the latency is ours."""
    checker_ms: float = 0.0
    """Time spent waiting for a type checker."""
    probability: float = 0.0
    """The probability that the text is exactly what is typed next (`decoder.calibration`)."""
    features: Mapping[int, Mapping[str, float]] = field(default_factory=dict)
    """By the length of each beginning of what the model wrote: what its probability is computed from."""
    readable: tuple[int, ...] = ()
    """The lengths of those that may be shown to somebody who has not asked."""
    continued: tuple[str, ...] = ()
    """Longer beginnings of the same accepted text: what is shown once the one before has been taken."""
    alternatives: tuple[Alternative, ...] = ()
    """The next texts that were accepted, the most probable first."""
    trace: tuple[TokenTrace, ...] = ()
