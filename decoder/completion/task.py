"""A request for a completion as plain data. `lsp_server/engine/site.py` makes it; it knows no model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from context_index.symbols import SymbolContext
from decoder.sampling import SamplingOptions
from decoder.search import SearchBudget
from decoder.stops import Until

if TYPE_CHECKING:
    from decoder.controller.place_data import NamePrior
    from decoder.controller.protocol import Controller
    from decoder.models.vocabulary import Vocabulary
    from decoder.ngrams import WorkspaceTokens
    from decoder.search import Verify


@dataclass(frozen=True, slots=True)
class CompletionTask:
    """What is to be completed, and how."""

    prefix: str
    """The text before the cursor."""
    suffix: str
    """The text after the cursor."""
    symbols: SymbolContext
    """The names at the cursor."""
    spelling: str = ""
    """The text that the syntax automaton reads in place of prefix + suffix, as long as these; empty for themselves."""
    until: Until = Until.STATEMENT
    sampling: SamplingOptions = field(default_factory=SamplingOptions)
    constrained: bool = True
    max_tokens: int = 64
    deadline: float | None = None
    """When the completion must end, on `time.monotonic`'s clock; None for no deadline."""
    path: str = ""
    """The file's path in its workspace, for models that were trained to read it."""
    repository: str = ""
    """The workspace's name, for models that were trained to read it."""
    document: str = ""
    """The key of the document, the same from request to request; caches are kept under it."""
    beginning: str = ""
    """The text that the output must begin with after the half-typed word; empty where any will do."""
    opening: str = ""
    """Brackets, outermost first, that the cursor's line has to leave open, as a line below closes them."""
    imports: bool = False
    """Whether a reference may also be one of `symbols.importable`."""
    controller: Controller | None = None
    """The request's own controller, if it has one."""
    workspace_data: Mapping[str, Callable[[], object]] = field(default_factory=dict)
    """Further data about the place for the controller, by name; computed on the model's thread if it is wanted."""
    prior: NamePrior | None = None
    """The probabilities of names in scope, for a controller that wants them."""
    ngrams: bool = False
    """Whether tokens that followed the same tokens before become more probable."""
    workspace_tokens: Callable[[Vocabulary], WorkspaceTokens | None] | None = None
    """Returns the other files of the workspace in a model's tokens; None if they have not been read yet."""
    verify: Verify | None = None
    """Judges a text that all rules allow, on the model's thread; if it rejects the text, the search goes on."""
    least_probability: float = 0.0
    """The least probability that the text is exactly what is typed next; texts that cannot reach it are given up."""
    budget: SearchBudget = field(default_factory=SearchBudget)
    """The budget of the search."""
