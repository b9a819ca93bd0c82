"""What is wanted of a completion, and where: plain data, which knows no model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from context_index.symbols import SymbolContext
from decoder.sampling import SamplingOptions
from decoder.search import Budget
from decoder.stops import Until

if TYPE_CHECKING:
    from decoder.bias import NamePrior
    from decoder.controller.protocol import Controller
    from decoder.models.vocabulary import Vocabulary
    from decoder.ngrams import WorkspaceTokens
    from decoder.search import Verify


@dataclass(frozen=True, slots=True)
class CompletionTask:
    """What is wanted, and where."""

    prefix: str
    suffix: str
    symbols: SymbolContext
    until: Until = Until.STATEMENT
    sampling: SamplingOptions = field(default_factory=SamplingOptions)
    constrained: bool = True
    max_tokens: int = 64
    deadline: float | None = None
    """On `time.monotonic`'s clock."""
    path: str = ""
    """Where the file stands in its workspace, for models that were trained to read it."""
    syntax_errors: int | None = None
    """ERROR and MISSING nodes of the document's tree, where they have been counted."""
    document: str = ""
    """Whose text it is, from request to request; the key of what is remembered."""
    beginning: str = ""
    """What the output must begin with, the half-typed word before the cursor not included."""
    imports: bool = False
    """Whether a reference may also be one of `symbols.importable`."""
    controller: Controller | None = None
    """The request's own program, asked at each token."""
    surroundings: Mapping[str, Callable[[], object]] = field(default_factory=dict)
    """What else the program may want to be told of the place, by name; looked up on the model's thread if it does."""
    prior: NamePrior | None = None
    """Says how probable names in scope are, to a program that wants to know."""
    ngrams: bool = False
    """Whether what has been written after the same tokens before becomes more probable."""
    workspace_tokens: Callable[[Vocabulary], WorkspaceTokens | None] | None = None
    """Gives the other files of the workspace in a model's tokens, as far as they have been read."""
    verify: Verify | None = None
    """Judges a text that keeps all rules; asked on the model's thread. Where it rejects, another is looked for."""
    least_probability: float = 0.0
    """Of being exactly right; what cannot reach it is not gone on with."""
    budget: Budget = field(default_factory=Budget)
    """How many texts may be tried for it."""
