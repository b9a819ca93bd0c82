"""What is asked of a rewrite, and what comes of it: plain data, which knows no model."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from decoder.draft import Prediction
from decoder.errors import DecoderError
from decoder.sampling import SamplingOptions

if TYPE_CHECKING:
    from context_index.symbols import SymbolContext


class RegionTooLongError(DecoderError):
    """The region does not fit into the model's context twice: read, and written."""


@dataclass(frozen=True, slots=True)
class RewriteTask:
    """A region of a file, and what is to become of it."""

    text: str
    """The region, in whole lines."""
    instruction: str
    symbols: SymbolContext | None
    """Names that are visible at its beginning; None in plain text, which is held to nothing."""
    prefix: str = ""
    """The text before the region: the result is held to it, and it is in the prompt where it fits."""
    suffix: str = ""
    names: frozenset[str] = frozenset()
    """Names that may be meant anywhere in the file, whatever the region declares."""
    words: frozenset[str] = frozenset()
    """All identifiers of the file: what may be meant where the region itself needs more than `names`."""
    prediction: Prediction = field(default_factory=Prediction)
    sampling: SamplingOptions = field(default_factory=SamplingOptions)
    constrained: bool = True
    deadline: float | None = None
    """On `time.monotonic`'s clock."""
