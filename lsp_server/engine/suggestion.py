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
"""The same as in `decoder.models.loading`, which a test checks. Repeated, as `inscope --help` must not load the
decoder."""

ALTERNATIVES = 3
"""How many further texts an explicit request offers after the first."""


class Extent(StrEnum):
    """How long a suggestion may be."""

    AUTO = "auto"
    """A block on a blank line where one begins, else the rest of the statement."""
    LINE = "line"
    STATEMENT = "statement"
    BLOCK = "block"


class Level(StrEnum):
    """How much of a suggestion was verified, the most first."""

    TYPES = "types"
    """The checker accepts it, its errors about types reject a text in this file, and every member has a definition."""
    NAMES = "names"
    """The checker accepts it; but errors about types reject nothing in this file, or a member has no definition."""
    SYNTAX = "syntax"
    """It parses; no checker judged it."""
    NONE = "none"
    """It was rejected, or not verified."""


class Eagerness(StrEnum):
    """The setting `inline.eagerness`: how probable an automatic suggestion must be (`THRESHOLDS`)."""

    QUIET = "quiet"
    BALANCED = "balanced"
    EAGER = "eager"


class Trigger(StrEnum):
    """When ghost text is shown."""

    AUTOMATIC = "automatic"
    """While the user types, and on request."""
    MANUAL = "manual"
    """On request only."""
    OFF = "off"


class MenuMode(StrEnum):
    """What the menu lists."""

    AUTO = "auto"
    """`BEST` where another service lists names in the same file, else `ALL`."""
    BEST = "best"
    """The few most probable entries, and what other services lack."""
    ALL = "all"
    OFF = "off"


THRESHOLDS = {Eagerness.QUIET: 2 / 3, Eagerness.BALANCED: 1 / 2, Eagerness.EAGER: 1 / 3}
"""By setting: how probable it must be that the shown text is exactly what is typed next. From one half on, ghost text
saves characters on average."""


class Verify(StrEnum):
    """The setting `verify`: what the checker's answer, or its lack, means for a suggestion."""

    STRICT = "strict"
    """A suggestion that the checker rejects, or has not judged in time, is not shown."""
    MARK = "mark"
    """A suggestion that the checker has not judged in time is shown with the level `syntax`."""
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
    """It is automatic, and not probable enough (`inline.eagerness`)."""
    UNDEFINED_NAME = "undefined_name"
    """It refers to a name that is not visible at the place and that no import brings."""
    REJECTED = "rejected"
    """The language's own checker reports a new error with it."""
    LATE = "late"
    """The checker did not answer in time."""
    EXCLUDED = "excluded"
    """Suggestions are switched off for this file: by language, by glob, as a secret."""
    PLACE = "place"
    """The cursor is in a comment or a string, where suggestions are switched off; or its line is too long."""
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
    """How probable the text must be; None for an explicit request, whose answer is shown however probable it is."""
    least: float | None = None
    """The least probability at which it is shown, in place of the one in `THRESHOLDS`."""
    alternatives: int = 0
    """The most further texts that are offered."""
    deadline_ms: float | None = None
    """Wall time for the whole suggestion; at the deadline the best text so far is returned."""
    beginning: str = ""
    """Text that the suggestion must begin with (the item selected in the editor's menu)."""
    cancel: Event = field(default_factory=Event)
    verify: Verify = Verify.STRICT
    imports: bool = True
    """Whether the suggestion may use names that must be imported, and bring their imports."""
    checker_deadline_ms: float | None = None
    """The most wall time to wait for type checkers in total; None waits for every answer."""
    controller: Controller | None = None

    @property
    def least_probability(self) -> float:
        """The least probability at which a text is shown; 0 for an explicit request."""
        if self.eagerness is None:
            return 0.0
        return THRESHOLDS[self.eagerness] if self.least is None else self.least

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
    """The answer to a request. If nothing is shown, `withheld` says why and `text` is empty."""

    text: str
    stop: Stop
    tokens: int
    latency_ms: float
    first_token_ms: float | None
    """Time from the request to the first token; None if there was none."""
    replaces: int = 0
    """Code points after the cursor that the text replaces."""
    withheld: Withheld | None = None
    reason: str = ""
    """One sentence for people: why nothing is shown."""
    quotes_checker: bool = False
    """Whether the reason is in a checker's own words, which are no sentence for a status line."""
    withheld_text: str = ""
    """If `withheld` is set, what the model wrote."""
    rejected: tuple[tuple[str, str], ...] = ()
    """Texts that were not accepted, in the order in which they were judged, each with the reason."""
    unlisted: tuple[str, ...] = ()
    """Names in the text that are not in scope, where the names in scope are known to be incomplete."""
    notes: tuple[str, ...] = ()
    """Sentences about what could not be checked: a rule that was not active, names that may be missing."""
    verified: Level = Level.NONE
    """How much of it the checkers verified."""
    is_unfinished: bool = False
    """Whether more must be written after it, because the code below is not read as before until then."""
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
    """The features from which the probability of each beginning is computed, by the beginning's length."""
    readable: tuple[int, ...] = ()
    """The lengths of those beginnings that an automatic request may show."""
    continued: tuple[str, ...] = ()
    """Longer beginnings of the same accepted text: each is shown once the one before it has been taken."""
    alternatives: tuple[Alternative, ...] = ()
    """The next texts that were accepted, the most probable first."""
    trace: tuple[TokenTrace, ...] = ()
