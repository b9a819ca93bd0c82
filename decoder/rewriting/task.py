"""What is asked of a rewrite, and what comes of it: plain data, which knows no model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from decoder.sampling import SamplingOptions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from context_index.symbols import SymbolContext
    from decoder.constraint.objections import Objection
    from decoder.draft import Counts, Kind
    from decoder.stops import Stop


class Policy(StrEnum):
    """How a draft is made use of. No output depends on it."""

    ALIGNED = "aligned"
    REFERENCE = "reference"
    PLAIN = "plain"


@dataclass(frozen=True, slots=True)
class RewriteTask:
    """What is to be written anew, and as what."""

    text: str
    instruction: str
    symbols: SymbolContext
    prefix: str = ""
    """What stands before `text` in its file; held to, not shown to the model."""
    suffix: str = ""
    outer: frozenset[str] | None = None
    """The names that may be meant anywhere in the file (`context_index.names_from_outside`): another one must be
    declared by what is written, so that a name that has been renamed is gone. None: every word of the file may be
    one."""
    draft: str | None = None
    """What the result is expected to be, if it is."""
    meant: str | None = None
    """What the instruction surely wants the text to become, if that is known: written and weighed before all else."""
    objections: Callable[[str], Sequence[Objection]] | None = None
    """Finds words of a result that cannot stand where they do. Asked about a text that the model has ended."""
    policy: Policy = Policy.ALIGNED
    sampling: SamplingOptions = field(default_factory=SamplingOptions)
    constrained: bool = True
    deadline: float | None = None
    """On `time.monotonic`'s clock."""


@dataclass(frozen=True, slots=True)
class Rewrite:
    """What came of it."""

    text: str
    """What the model wrote, in the place of the task's text, with its blank lines around and its line ends."""
    stop: Stop
    """`Stop.END` where the model ended it; anything else is no result."""
    counts: Counts
    pieces: tuple[tuple[Kind, str], ...]
    """The output and what was rejected, in order."""
    prompt_tokens: int
    seconds: float
    forward_seconds: float
