"""From a place in a document to a checked suggestion: the pipeline, on one screen.

Blocks until the answer is there and may be called from any thread; knows neither LSP nor the command line.
"""

from __future__ import annotations

import time
from concurrent.futures import CancelledError
from dataclasses import dataclass, replace
from functools import partial
from threading import Event
from typing import TYPE_CHECKING

from context_index import (
    Budget,
    CheckerError,
    CursorKind,
    Misfits,
    ancestors,
    parse,
    path_of,
)
from decoder import (
    CompletionTask,
    ConstraintFaultError,
    Kept,
    ProgramError,
    SearchBudget,
    Stop,
    Until,
    complete,
    rank_names,
)
from lsp_server.engine.answer import silent
from lsp_server.engine.clock import Clock
from lsp_server.engine.fallback import Fallback, model_share
from lsp_server.engine.indentation import whole_in_model
from lsp_server.engine.menu.candidates import FAR, Lister
from lsp_server.engine.model_host import ModelState
from lsp_server.engine.site import Site, has_long_line
from lsp_server.engine.snippets import SNIPPET_TOKENS, snippets_for
from lsp_server.engine.suggestion import (
    CompletionRequest,
    Extent,
    Suggestion,
    Withheld,
)
from lsp_server.engine.verification import Verifier
from lsp_server.engine.verification.judge import Judge
from lsp_server.engine.verification.own_imports import NO_IMPORTS, add_imports
from lsp_server.engine.workspace_corpus import WorkspaceCorpus
from lsp_server.errors import ErrorCode, RequestError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from concurrent.futures import Future

    from context_index import Document, SymbolContext, Syntax, Workspace
    from decoder import Completion, Model, NamePrior
    from lsp_server.engine.menu.candidates import MenuCandidates
    from lsp_server.engine.model_host import ModelHost
    from lsp_server.engine.verification.own_imports import AddedImports

_WEIGHED = frozenset({CursorKind.MEMBER, CursorKind.IMPORTED_NAME, CursorKind.OBJECT_KEY, CursorKind.ARGUMENT})
"""Places at which the prior weighs what a type checker lists."""
_MOST_FITTED = 40
"""The most names in scope that are tried as an argument."""
_MOST_VERIFIED = 40
"""Texts of one request that a checker is asked about: where all are rejected, it takes longer than the model."""
_UNTIL_ACCEPTED = 300
"""More forwards where somebody asked and nothing is accepted yet: 27 of 114 places with nothing to show get something,
for 35 % more forwards over all requests."""
_READING_SHARE = 0.2
"""The share of a request's time in which the checker may say what is no error, but newer than our grammar. It is asked
for that only where the document does not parse (`Verifier.read_at`)."""
_GRACE = 0.1
"""Seconds after its deadline in which the model's answer is waited for: it ends at its next token."""
_RANKING_FORWARDS = 8
"""Forwards spent on names of several tokens, after the one that ranks all first tokens."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """Features that a user may switch off."""

    in_comments: bool = True
    in_strings: bool = True
    prior: bool = True
    """Whether names and n-grams of the file and the workspace become more probable."""
    snippets: bool = True
    """Whether the model is shown what other files declare."""


class Service:
    """Answers questions about places in documents."""

    def __init__(
        self, workspace: Workspace, host: ModelHost, policy: Policy = Policy(), verifier: Verifier | None = None
    ) -> None:
        """A service with one model.

        Args:
            verifier: A verifier for a client that says which documents are open; the default one counts those as open
                that it is asked about.
        """
        self.workspace = workspace
        self.host = host
        self.policy = policy
        self._lister = Lister()
        self.verifier = verifier or Verifier(workspace)
        self._corpus = WorkspaceCorpus(workspace)
        self._kept = Kept()
        """Belongs to the model's thread."""

    def complete(self, request: CompletionRequest) -> Suggestion:
        """The suggestion at a cursor, or why there is none.

        Raises:
            RequestError: the model cannot be had, or the request's controller fails.
        """
        clock, site, baseline = request.clock(), Site(self.workspace, request.syntax, request.offset), None
        if refusal := site.refusal(in_comments=self.policy.in_comments, in_strings=self.policy.in_strings):
            return silent(*refusal, clock)
        if request.is_verified:  # asks for the checker's report on the document, which comes while the prompt is read
            site, baseline = self.verifier.baseline_at(site, clock.for_checkers(share=_READING_SHARE))
        judge = Judge(request, site, baseline, clock, self._brought(request, site))
        share = model_share(request)
        task = replace(self._task(request, site), verify=judge.verify, deadline=clock.until(share))
        try:
            completion = self.write(request, task, clock.left(share))
            return Fallback(self, task, judge).answered(completion)
        except ConstraintFaultError as fault:
            return silent(Withheld.CONSTRAINT_FAULT, f"Nothing is shown unchecked: {fault}.", clock)
        except ProgramError as fault:
            raise RequestError(ErrorCode.PROGRAM_FAILED, str(fault)) from fault
        except CancelledError:
            return silent(Withheld.EMPTY, "The request was cancelled.", clock, Stop.CANCELLED)

    def write(self, request: CompletionRequest, task: CompletionTask, seconds: float | None) -> Completion | None:
        """What the model writes; None where it has not ended by then. One that is loading is waited for."""
        stop = _Stop(request.cancel)
        is_timed = seconds is not None and self.host.state is ModelState.READY
        asked = self.host.submit(lambda model: complete(model, task, stop, kept=self._kept))
        try:
            return asked.result(seconds + _GRACE if seconds is not None and is_timed else None)
        except TimeoutError:
            stop.set()
            asked.cancel()
            return None

    def _brought(self, request: CompletionRequest, site: Site) -> AddedImports:
        """The import of the module whose member is written, where the file does not import it."""
        module, _ = site.unimported if request.imports else (None, True)
        if module is None:
            return NO_IMPORTS
        return add_imports(site.syntax, (module,), self.workspace.module_kind(site.document))

    def prepare(self, document: Document) -> Future[None]:
        """Read a document ahead on the model's thread and in its type checker, so that no suggestion waits for that.

        Reading the other texts of the workspace for their n-grams begins as well.
        """
        has_long = has_long_line(document.text)
        if not has_long:
            self.verifier.baseline(parse(document))

        def read_ahead(model: Model) -> None:
            if self.policy.prior and model.vocabulary.mixture is not None:
                self._corpus.workspace_tokens(model.vocabulary, path_of(document.uri))
            if not has_long:
                text = whole_in_model(document.text, language=document.language)
                self._kept.documents.read_ahead(document.uri, document.language, text)

        return self.host.submit(read_ahead)

    def read_name_counts(self, seconds: float) -> None:
        """Have the workspace's names and texts counted, and the model loaded.

        Waits for the counting for `seconds` at most, and for the model without limit. The next question to the model
        reports why it cannot be loaded.
        """
        until = time.monotonic() + seconds
        loading = self.host.submit(lambda model: model.vocabulary)
        self.workspace.read_name_counts(seconds)
        if loading.exception() is None and (vocabulary := loading.result()).mixture is not None:
            self._corpus.read(vocabulary, until - time.monotonic())

    def forget_name_counts(self) -> None:
        """Forget the counts of the names and n-grams of the workspace; counting begins anew."""
        self.workspace.forget_name_counts()
        self._corpus.forget()

    def candidates(self, site: Site, patience: float | None = None) -> MenuCandidates:
        """What a menu may list at a place; asks no model, and a type checker for `patience` seconds at most."""
        clock = Clock(patience)
        return self._lister.at(self.verifier.read_at(site, clock.left()), clock.left())

    def rank(
        self,
        site: Site,
        start: int,
        names: Sequence[str],
        cancel: Event,
        *,
        seconds: float | None = None,
        notify: Callable[[Mapping[str, float]], None] = lambda _scores: None,
    ) -> dict[str, float]:
        """The model's log-probability of each name in place of the text between `start` and the cursor.

        Args:
            seconds: How long the model may take, after which no name has a value; None waits for it.
            notify: Called on the model's thread with what is known so far.

        Raises:
            RequestError: the model cannot be had.
        """
        text, to_model = site.document.text, site.indentation.to_model
        task = site.read_by_model(self._shown_to_model(site, site.names))
        task = replace(task, prefix=to_model(text[:start]), suffix=to_model(text[site.offset :]))
        stop = _Stop(cancel)

        def job(model: Model) -> dict[str, float]:
            return rank_names(model, task, names, budget_forwards=_RANKING_FORWARDS, cancel=stop, notify=notify)

        asked = self.host.submit(job)
        try:
            return asked.result(seconds)
        except TimeoutError:
            stop.set()
            asked.cancel()
            return {}

    def misfits(self, site: Site, found: MenuCandidates, seconds: float) -> Misfits:
        """Which of the nearest names, and of those it lists, the type checker refuses as the argument at the cursor."""
        if site.cursor.kind is not CursorKind.ARGUMENT:
            return Misfits()
        listed = [item.text for item in found.items if item.listed is not None]
        near = [item.text for item in found.items if item.distance is not None and item.distance < FAR]
        try:
            return self.workspace.misfits(site.syntax, site.offset, listed + near[:_MOST_FITTED], seconds)
        except (CheckerError, TimeoutError, CancelledError):
            return Misfits()

    def prior_scores(self, site: Site, found: MenuCandidates) -> dict[str, float]:
        """How much more probable than the others each text of a menu is, in nats, by the prior alone.

        Only of names in scope and, at some kinds of places, of what the checker lists; not of names to import.
        """
        if not self.policy.prior or not found.items:
            return {}
        document = site.document
        end = document.text.find("\n", site.offset)
        following = document.text[site.offset : end if end >= 0 else None]
        prior = self.workspace.prior(document, found.start, found.visible, following)
        scores: dict[str, float] = {}
        in_scope = any(item.listed is None and item.importable is None for item in found.items)
        if in_scope and (names := prior.names()) is not None:
            scores |= names.relative()
        listed = [item for item in found.items if item.listed is not None] if found.kind in _WEIGHED else []
        if listed and (members := prior.members({item.name: item.kind for item in listed})) is not None:
            of_listed = members.relative()
            scores |= {item.text: of_listed[item.name] for item in listed}
        return scores

    def _task(self, request: CompletionRequest, site: Site) -> CompletionTask:
        # The model completes `site.bare`, without the rest of the word at the cursor: without `turn` in `re|turn`.
        symbols = self._shown_to_model(site, site.names_of_bare)
        return replace(
            site.read_by_model(symbols),
            until=_until(request.extent, site),
            sampling=request.sampling,
            constrained=request.constrained,
            max_tokens=request.max_tokens,
            beginning=request.beginning,
            opening=site.opening,
            imports=request.imports,
            controller=request.controller,
            surroundings={} if request.controller is None else self._surroundings(site),
            prior=None if request.controller is None else self._prior(site, symbols),
            ngrams=self.policy.prior,
            workspace_tokens=partial(self._corpus.workspace_tokens, path=path_of(site.document.uri)),
            least_probability=request.least_probability,
            budget=SearchBudget(
                verified=_MOST_VERIFIED,
                until_accepted=_UNTIL_ACCEPTED if request.eagerness is None else 0,
                accepted=1 + request.alternatives,
            ),
        )

    def _shown_to_model(self, site: Site, names: SymbolContext) -> SymbolContext:
        """Names, with what the model is shown of other files."""
        if not self.policy.snippets:
            return names
        model, budget = self.host.settings.name, Budget(SNIPPET_TOKENS)
        return replace(names, snippets=snippets_for(model, self.workspace, site.bare, site.cursor, budget))

    def _prior(self, site: Site, symbols: SymbolContext) -> NamePrior | None:
        """The prior that a controller may ask how probable names are."""
        if not self.policy.prior:
            return None
        return self.workspace.prior(site.document, site.offset - len(site.cursor.word), symbols.names)

    def _surroundings(self, site: Site) -> dict[str, Callable[[], object]]:
        """What a controller may ask for, besides names."""
        syntax = site.syntax

        def path() -> list[str]:
            last = max(len(syntax.document.text[: site.offset].rstrip(" \t")) - 1, 0)
            return [node.type for node in reversed(syntax.path(syntax.node_at(last))) if node.is_named]

        def snippets() -> list[dict[str, str]]:
            passages = self.workspace.snippets(syntax, site.cursor, Budget(SNIPPET_TOKENS))
            return [{"path": snippet.path, "text": snippet.text} for snippet in passages]

        return {"path": path, "snippets": snippets}


class _Stop(Event):
    """An event of ours that is also set when another is."""

    def __init__(self, other: Event) -> None:
        super().__init__()
        self._other = other

    def is_set(self) -> bool:
        """Whether either is."""
        return super().is_set() or self._other.is_set()


def _until(extent: Extent, site: Site) -> Until:
    """How far a suggestion goes; with `Extent.AUTO` a block on a blank line after an opened one or a comment."""
    if extent is not Extent.AUTO:
        return Until(extent.value)
    above = site.prefix.rstrip()
    is_opened = above[-1:] in ("{", ":") or _is_said(site.bare, site.offset)
    return Until.BLOCK if site.cursor.kind is CursorKind.BLANK_LINE and is_opened else Until.STATEMENT


def _is_said(syntax: Syntax, offset: int) -> bool:
    """Whether a comment or a documentation string is above an offset, which says what comes."""
    last = len(syntax.document.text[:offset].rstrip()) - 1
    node = syntax.node_at(last, last + 1) if last >= 0 else syntax.root
    of_string = next((around for around in (node, *ancestors(node)) if around.type == "string"), None)
    if of_string is not None and of_string.parent is not None:
        return of_string.parent.type == "expression_statement"
    return node.type == "comment"
