"""A request for a rewrite as plain data, which knows no model."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from decoder.draft import Prediction
from decoder.sampling import SamplingOptions

if TYPE_CHECKING:
    from context_index.symbols import SymbolContext


@dataclass(frozen=True, slots=True)
class RewriteTask:
    """A region of a file and the instruction to rewrite it."""

    text: str
    """The region, in whole lines."""
    instruction: str
    symbols: SymbolContext | None
    """The names visible at the region's beginning; None in plain text, which is not constrained."""
    wordings: tuple[str, ...] = ()
    """The instruction without words that say where, the longest first. If the instruction is strange to the built-in
    model, it is asked the first of these that is not: the region is all that it reads of the file."""
    prefix: str = ""
    """The text before the region: the result must continue it, and it is in the prompt as far as it fits."""
    suffix: str = ""
    """The text after the region; it is in the prompt as far as it fits."""
    comments: int = 0
    """The length of the comments at the region's beginning, in whole lines. The built-in model leaves them as they are:
    it was taught functions without them, and drops them."""
    names: frozenset[str] = frozenset()
    """Further names that are allowed: those of the file's outermost scope, and those it uses without declaring them."""
    words: frozenset[str] = frozenset()
    """All identifiers of the file; they are allowed if the region itself uses names that are not in scope."""
    prediction: Prediction = field(default_factory=Prediction)
    """The expected result: usually the region itself."""
    sampling: SamplingOptions = field(default_factory=SamplingOptions)
    constrained: bool = True
    deadline: float | None = None
    """When the rewrite must end, on `time.monotonic`'s clock; None for no deadline."""
