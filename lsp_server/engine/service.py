"""From a place in a document to a checked suggestion: `Service.complete` is the whole pipeline on one screen.

`Service` also answers for the menu: its candidates, their ranking, their prior and what a checker refuses. Its methods
block until the answer is there, and may be called from any thread. `engine.engine` makes a `Service` from settings, and
`engine.wire` has its answers as JSON. Knows neither LSP nor the command line.
"""

from __future__ import annotations

import time
from concurrent.futures import CancelledError
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

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
)
from lsp_server.engine.answer import silent
from lsp_server.engine.clock import Clock
from lsp_server.engine.fallback import Fallback, model_share
from lsp_server.engine.indentation import whole_in_model
from lsp_server.engine.menu.candidates import FAR, Lister
from lsp_server.engine.menu.name_ranker import NameRanker, WordPlace
from lsp_server.engine.model_host import ModelState, StopSignal
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
    from collections.abc import Callable, Mapping
    from concurrent.futures import Future

    from context_index import Document, SymbolContext, Syntax, Workspace
    from decoder import Completion, Model, NamePrior
    from lsp_server.engine.menu.candidates import Listing, MenuCandidates
    from lsp_server.engine.model_host import ModelHost
    from lsp_server.engine.verification.own_imports import AddedImports
    from lsp_server.engine.verification.reports import CheckerReport

_WEIGHED = frozenset({CursorKind.MEMBER, CursorKind.IMPORTED_NAME, CursorKind.OBJECT_KEY, CursorKind.ARGUMENT})
"""Places at which the prior ranks what a type checker lists."""
_MOST_FITTED = 40
"""The most names in scope that are tried as an argument."""
_MOST_VERIFIED = 40
"""The most texts of one request that a checker is asked about: rejecting them all takes longer than writing them."""
_UNTIL_ACCEPTED = 300
"""Further forwards of an explicit request while nothing is accepted: 27 of 114 places with nothing to show get a text,
for 35 % more forwards over all requests."""
_READING_SHARE = 0.2
"""The share of a request's time in which the checker may say which syntax errors are only newer syntax than our grammar
knows. It is asked only where the document does not parse (`Verifier.read_at`)."""
_GRACE = 0.1
"""Seconds after a deadline in which the model's answer is still awaited: it stops at its next token."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """Features that a user may switch off."""

    in_comments: bool = True
    in_strings: bool = True
    prior: bool = True
    """Whether names and n-grams of the file and the workspace become more probable."""
    snippets: bool = True
    """Whether the model is shown what other files declare."""


class DocumentReading(NamedTuple):
    """Who reads a document before the first request for it; each may fail."""

    by_model: Future[None]
    by_checker: Future[CheckerReport] | None = None
    """None where no checker is asked."""


class Service:
    """Answers questions about places in documents, for one workspace and one model."""

    def __init__(
        self, workspace: Workspace, host: ModelHost, policy: Policy = Policy(), verifier: Verifier | None = None
    ) -> None:
        """A service with one model.

        Args:
            verifier: Asks the checkers. A client that reports which documents are open passes its own; the default one
                treats each document that it is asked about as open.
        """
        self.workspace = workspace
        self.host = host
        self.policy = policy
        self._lister = Lister()
        self.verifier = verifier or Verifier(workspace)
        self._corpus = WorkspaceCorpus(workspace)
        self._latest_scores: tuple[WordPlace | None, Mapping[str, float]] = None, {}
        """The last word whose names the model ranked, and their log-probabilities (natural)."""
        self._kept = Kept()
        """What the decoder keeps between requests; used only on the model's thread."""

    def complete(self, request: CompletionRequest) -> Suggestion:
        """The suggestion at a cursor, or why there is none.

        Raises:
            RequestError: the model cannot be loaded, or the request's controller fails.
        """
        clock, site, baseline = request.clock(), Site(self.workspace, request.syntax, request.offset), None
        if refusal := site.refusal(in_comments=self.policy.in_comments, in_strings=self.policy.in_strings):
            return silent(*refusal, clock)
        if request.is_verified:  # the checker begins to report on the document; meanwhile the model reads the prompt
            site, baseline = self.verifier.baseline_at(site, clock.for_checkers(share=_READING_SHARE))
        judge = Judge(request, site, baseline, clock, self._module_import(request, site))
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
        """What the model writes; None where it has not ended after `seconds`. A model that is loading is waited for."""
        stop = StopSignal(request.cancel)
        is_ready = self.host.state is ModelState.READY
        writing = self.host.submit(lambda model: complete(model, task, stop, kept=self._kept))
        try:
            return writing.result(seconds + _GRACE if seconds is not None and is_ready else None)
        except TimeoutError:
            stop.set()
            writing.cancel()
            return None

    def _module_import(self, request: CompletionRequest, site: Site) -> AddedImports:
        """The import of the module whose member is being written; none if the file has it or no imports are wanted."""
        module, _ = site.unimported if request.imports else (None, True)
        if module is None:
            return NO_IMPORTS
        return add_imports(site.syntax, (module,), self.workspace.module_kind(site.document))

    def prepare(self, document: Document) -> DocumentReading:
        """Have the decoder and the type checker read a document, so that no suggestion waits for that.

        This also begins to read the other texts of the workspace for their n-grams, and what is installed.
        """
        has_long = has_long_line(document.text)
        by_checker = None if has_long else self.verifier.baseline(parse(document)).own_report
        self.workspace.read_libraries(document, seconds=0)

        def read_ahead(model: Model) -> None:
            if self.policy.prior and model.card.mixture is not None:
                self._corpus.workspace_tokens(model.vocabulary, path_of(document.uri))
            if not has_long:
                text = whole_in_model(document.text, language=document.language)
                self._kept.documents.read_ahead(document.uri, document.language, text)

        return DocumentReading(self.host.submit(read_ahead), by_checker)

    def read_name_counts(self, seconds: float) -> None:
        """Have the workspace's names and texts counted, and the model loaded.

        Waits at most `seconds` for the counting, and without a limit for the model. A model that cannot be loaded is
        not reported here, but by the next request.
        """
        until = time.monotonic() + seconds
        loading = self.host.submit(lambda model: model.card)
        self.workspace.read_name_counts(seconds)
        if loading.exception() is None and (card := loading.result()).mixture is not None:
            self._corpus.read(card.vocabulary, until - time.monotonic())

    def forget_name_counts(self) -> None:
        """Forget the counts of the names and n-grams of the workspace; counting begins anew."""
        self.workspace.forget_name_counts()
        self._corpus.forget()

    def candidates(self, site: Site, patience: float | None = None) -> MenuCandidates:
        """What a menu may list at a place. Asks no model, and a type checker for at most `patience` seconds."""
        clock = Clock(patience)
        return self.listing(site, clock.left()).finished(clock.left())

    def listing(self, site: Site, patience: float | None = None) -> Listing:
        """`candidates` without the checker's, which is asked now.

        Args:
            patience: Seconds in which the checker may say which syntax errors are only newer syntax; see `candidates`.
                With 0 it is not asked, and only what it has said before counts.
        """
        return self._lister.begin(self.verifier.read_at(site, patience))

    def ranker(self, site: Site, start: int, *, max_tokens: int) -> NameRanker:
        """What has the model rank names in place of the text between `start` and the cursor.

        Args:
            max_tokens: That of the requests for suggestions, for which a prompt leaves room: so both have one prompt at
                a place, and the model reads it once.
        """

        def task() -> CompletionTask:
            text, to_model = site.document.text, site.indentation.to_model
            read = site.read_by_model(self._shown_to_model(site, site.names))
            prefix, suffix = to_model(text[:start]), to_model(text[site.offset :])
            return replace(read, prefix=prefix, suffix=suffix, max_tokens=max_tokens)

        return NameRanker(self.host, task, partial(self._note_scores, WordPlace.at(site, start)))

    def known_scores(self, site: Site, start: int) -> Mapping[str, float]:
        """What the model has said already of the names in place of the text between `start` and the cursor."""
        word, scores = self._latest_scores
        return scores if word == WordPlace.at(site, start) else {}

    def _note_scores(self, word: WordPlace, scores: Mapping[str, float]) -> None:
        self._latest_scores = word, scores

    def misfits(self, site: Site, menu: MenuCandidates, seconds: float) -> Misfits:
        """What the type checker refuses as the argument at the cursor, of what it lists and of the nearest names.

        Empty where the cursor is at no argument, or the checker fails or takes longer than `seconds`.
        """
        if site.cursor.kind is not CursorKind.ARGUMENT:
            return Misfits()
        listed = [item.text for item in menu.items if item.listed is not None]
        near = [item.text for item in menu.items if item.distance is not None and item.distance < FAR]
        try:
            return self.workspace.misfits(site.syntax, site.offset, listed + near[:_MOST_FITTED], seconds)
        except (CheckerError, TimeoutError, CancelledError):
            return Misfits()

    def prior_scores(self, site: Site, menu: MenuCandidates) -> dict[str, float]:
        """How much more probable than the others each text of a menu is, in nats, by the prior alone.

        Names in scope have a value and, at some kinds of places, what the checker lists; names to import have none.
        """
        if not self.policy.prior or not menu.items:
            return {}
        document = site.document
        end = document.text.find("\n", site.offset)
        following = document.text[site.offset : end if end >= 0 else None]
        prior = self.workspace.prior(document, menu.start, menu.visible, following)
        scores: dict[str, float] = {}
        has_names_in_scope = any(item.listed is None and item.importable is None for item in menu.items)
        if has_names_in_scope and (names := prior.names()) is not None:
            scores |= names.relative()
        listed = [item for item in menu.items if item.listed is not None] if menu.kind in _WEIGHED else []
        if listed and (members := prior.members({item.name: item.kind for item in listed})) is not None:
            by_name = members.relative()
            scores |= {item.text: by_name[item.name] for item in listed}
        return scores

    def _task(self, request: CompletionRequest, site: Site) -> CompletionTask:
        """What the decoder is asked, but for the verifier and the deadline."""
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
            workspace_data={} if request.controller is None else self._workspace_data(site),
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
        """The names, and the snippets of other files that the prompt shows."""
        if not self.policy.snippets:
            return names
        model, budget = self.host.settings.name, Budget(SNIPPET_TOKENS)
        return replace(names, snippets=snippets_for(model, self.workspace, site.bare, site.cursor, budget))

    def _prior(self, site: Site, symbols: SymbolContext) -> NamePrior | None:
        """The prior over names that a controller may ask; None where the user has switched it off."""
        if not self.policy.prior:
            return None
        return self.workspace.prior(site.document, site.offset - len(site.cursor.word), symbols.names)

    def _workspace_data(self, site: Site) -> dict[str, Callable[[], object]]:
        """What a controller may ask for besides names, each as JSON that is computed when it is asked for."""
        syntax = site.syntax

        def path() -> list[str]:
            """The types of the nodes around the last character before the cursor, outermost first."""
            last = max(len(syntax.document.text[: site.offset].rstrip(" \t")) - 1, 0)
            return [node.type for node in reversed(syntax.path(syntax.node_at(last))) if node.is_named]

        def snippets() -> list[dict[str, str]]:
            passages = self.workspace.snippets(syntax, site.cursor, Budget(SNIPPET_TOKENS))
            return [{"path": snippet.path, "text": snippet.text} for snippet in passages]

        return {"path": path, "snippets": snippets}


def _until(extent: Extent, site: Site) -> Until:
    """How far a suggestion goes.

    `Extent.AUTO` means a statement. On a blank line after a comment, or after a line that opens a block, it means a
    block.
    """
    if extent is not Extent.AUTO:
        return Until(extent.value)
    above = site.prefix.rstrip()
    begins_block = above[-1:] in ("{", ":") or _is_after_comment(site.bare, site.offset)
    return Until.BLOCK if site.cursor.kind is CursorKind.BLANK_LINE and begins_block else Until.STATEMENT


def _is_after_comment(syntax: Syntax, offset: int) -> bool:
    """Whether the last thing before an offset is a comment or a documentation string: it describes what comes next."""
    last = len(syntax.document.text[:offset].rstrip()) - 1
    node = syntax.node_at(last, last + 1) if last >= 0 else syntax.root
    string = next((around for around in (node, *ancestors(node)) if around.type == "string"), None)
    if string is not None and string.parent is not None:
        return string.parent.type == "expression_statement"
    return node.type == "comment"
