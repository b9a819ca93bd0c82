"""From a place in a document to a checked suggestion: the pipeline, on one screen.

Blocks until the answer is there and may be called from any thread; knows neither LSP nor the command line.
"""

from __future__ import annotations

import math
import time
from concurrent.futures import CancelledError
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from context_index import (
    Budget,
    CheckerError,
    CursorKind,
    Misfits,
    ancestors,
    cursor_at,
    innermost_root,
    parse,
    path_of,
    rest_of_word,
    unopened,
)
from decoder import Budget as SearchBudget
from decoder import (
    CompletionTask,
    ConstraintFaultError,
    Kept,
    ProgramError,
    Stop,
    Until,
    complete,
    rank_names,
)
from lsp_server.answer import silent, suggested
from lsp_server.documents import long_lines
from lsp_server.documents.indentation import whole_in_model
from lsp_server.documents.model_view import ModelView
from lsp_server.errors import ErrorCode, RequestError
from lsp_server.menu.candidates import FAR, Lister
from lsp_server.snippets import SNIPPET_TOKENS, snippets_for
from lsp_server.suggestion import (
    CompletionRequest,
    Extent,
    Suggestion,
    Verify,
    Withheld,
)
from lsp_server.verification import Verifier
from lsp_server.verification.judge import Judge
from lsp_server.workspace_corpus import WorkspaceCorpus

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from concurrent.futures import Future
    from threading import Event

    from context_index import Cursor, Document, SymbolContext, Syntax, Workspace
    from decoder import Completion, Model, NamePrior
    from lsp_server.menu.candidates import Candidates
    from lsp_server.model_host import ModelHost
    from lsp_server.verification import Baseline

_WEIGHED = frozenset({CursorKind.MEMBER, CursorKind.IMPORTED_NAME, CursorKind.OBJECT_KEY, CursorKind.ARGUMENT})
"""Places at which the prior weighs what a type checker lists."""
_MOST_FITTED = 40
"""The most names in scope that are tried as an argument."""
_MOST_VERIFIED = 40
"""Texts of one request that a checker is asked about: where all are rejected, it takes longer than the model."""
_UNTIL_ACCEPTED = 300
"""More forwards where somebody asked and nothing is accepted yet: 27 of 114 places with nothing to show get something,
for 35 % more forwards over all requests."""
_MOST_LISTED = 5
"""Texts of a menu with which the model begins where nothing that it wrote is accepted."""
_FROM_MENU = SearchBudget(forwards=20)
"""The budget for what the model writes after each of these."""
_BEGINNINGS = 6
"""Beginnings that are judged of a text that is not accepted, the longest first."""
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
        self._lister = Lister(workspace)
        self.verifier = verifier or Verifier(workspace)
        self._corpus = WorkspaceCorpus(workspace)
        self._kept = Kept()
        """Belongs to the model's thread."""

    def complete(self, request: CompletionRequest) -> Suggestion:
        """The suggestion at a cursor, or why there is none.

        Raises:
            RequestError: the model cannot be had, or the request's controller fails.
        """
        started = time.perf_counter()
        deadline = None if request.deadline_ms is None else time.monotonic() + request.deadline_ms / 1000
        syntax, offset = request.syntax, request.offset
        cursor = cursor_at(syntax, offset)
        if refusal := self._refused_place(syntax, cursor):
            return silent(*refusal, started)
        baseline = self._baseline(request)  # answered while the prompt is read
        task = self._task(request, cursor, deadline)
        judge = Judge(request, task.symbols, baseline, request.checker_seconds, deadline)
        task = replace(task, verify=judge.verify)
        try:
            completion = self._complete(request, task)
            if request.eagerness is None:
                task, completion = self._with_menu(request, task, completion, judge)
        except ConstraintFaultError as fault:
            return silent(Withheld.CONSTRAINT_FAULT, f"Nothing is shown unchecked: {fault}.", started)
        except ProgramError as fault:
            raise RequestError(ErrorCode.PROGRAM_FAILED, str(fault)) from fault
        except CancelledError:
            return silent(Withheld.EMPTY, "The request was cancelled.", started, Stop.CANCELLED)
        return suggested(request, task, completion, judge, started)

    def _with_menu(
        self, request: CompletionRequest, task: CompletionTask, completion: Completion, judge: Judge
    ) -> tuple[CompletionTask, Completion]:
        """What the model has written; where that is not accepted, what it writes after a text of the menu.

        Where that is not accepted either, the longest beginning of one of these that is, or the menu's text alone.
        """
        rejected = judge.of(completion.text).rejected
        if rejected is None or rejected.final:
            return task, completion
        tried = [(task, completion)]
        for listed in self._listed(request, task):
            with_listed = replace(task, beginning=listed, budget=_FROM_MENU, verify=judge.verify_strictly)
            other = self._complete(request, with_listed)
            if judge.verify_strictly(other.text) is None:
                return with_listed, other
            tried.append((with_listed, other))
        for with_listed, other in tried:
            why = judge.of(other.text).rejected
            lengths = [] if why is not None and why.whole else [one.length for one in other.beginnings]
            for length in lengths[: -_BEGINNINGS - 1 : -1]:
                if judge.verify(other.text[:length]) is None:
                    return with_listed, other.up_to(length)
            if with_listed is not task and judge.verify(with_listed.beginning) is None:
                return with_listed, other.alone(with_listed.beginning)
        return task, completion

    def _complete(self, request: CompletionRequest, task: CompletionTask) -> Completion:
        """What the model writes."""
        return self.host.submit(lambda model: complete(model, task, request.cancel, kept=self._kept)).result()

    def _baseline(self, request: CompletionRequest) -> Baseline | None:
        """The checker's report on the unchanged document; None where no checker is to be asked."""
        is_asked = request.constrained and request.verify is not Verify.OFF
        return self.verifier.baseline(request.syntax) if is_asked else None

    def prepare(self, document: Document) -> Future[None]:
        """Read a document ahead on the model's thread and in its type checker, so that no suggestion waits for that.

        Reading the other texts of the workspace for their n-grams begins as well.
        """
        has_long_lines = long_lines.has_any(document.text)
        if not has_long_lines:
            self.verifier.baseline(parse(document))

        def read_ahead(model: Model) -> None:
            if self.policy.prior and model.vocabulary.mixture is not None:
                self._corpus.workspace_tokens(model.vocabulary, path_of(document.uri))
            if not has_long_lines:
                text = whole_in_model(document.text, python=document.language.is_python)
                self._kept.documents.read_ahead(document.uri, document.language, text)

        return self.host.submit(read_ahead)

    def read_name_counts(self, seconds: float) -> None:
        """Have the workspace's names and texts counted, and the model loaded.

        Waits for the counting for `seconds` at most. The next question to the model reports why it cannot be loaded.
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

    def candidates(self, syntax: Syntax, offset: int, patience: float | None = None) -> Candidates:
        """What a menu may list at the cursor; asks no model, and a type checker for `patience` seconds at most."""
        return self._lister.at(syntax, offset, patience)

    def rank(self, syntax: Syntax, start: int, offset: int, names: Sequence[str], cancel: Event) -> dict[str, float]:
        """The model's log-probability of each name in place of the text between `start` and the cursor.

        Raises:
            RequestError: the model cannot be had.
        """
        view = ModelView.of(syntax, start)
        symbols = self._symbols(syntax, offset, cursor_at(syntax, offset))
        path = self._place_in_workspace(syntax.document.uri)
        after = view.indentation.to_model(syntax.document.text[offset:])
        task = CompletionTask(view.prefix, after, symbols, path=path)

        def job(model: Model) -> dict[str, float]:
            return rank_names(model, task, names, budget_forwards=_RANKING_FORWARDS, cancel=cancel)

        return self.host.submit(job).result()

    def _listed(self, request: CompletionRequest, task: CompletionTask) -> Sequence[str]:
        """The most probable texts of the menu by the model, best first, each without what is typed of it.

        None inside of a word, nor where a controller or the item selected in the menu decides about the text.
        """
        text, offset = request.syntax.document.text, request.offset
        is_free = request.constrained and request.controller is None and not request.beginning
        may_ask = request.verify is not Verify.OFF  # a menu has its members from the checker
        is_late = task.deadline is not None and time.monotonic() >= task.deadline
        if not (is_free and may_ask) or is_late or rest_of_word(text, offset):
            return ()
        found = self.candidates(request.syntax, offset, request.checker_seconds)
        typed = text[found.start : offset]
        listed = dict.fromkeys(one.text for one in found.items)  # a name may be in scope and importable, too
        texts = [one for one in listed if one.startswith(typed) and one != typed]
        scores = self.rank(request.syntax, found.start, offset, texts, request.cancel)
        best = sorted(texts, key=lambda text: scores.get(text, -math.inf), reverse=True)
        return [text.removeprefix(typed) for text in best[:_MOST_LISTED]]

    def misfits(self, syntax: Syntax, found: Candidates, offset: int, seconds: float) -> Misfits:
        """Which of the nearest names, and of those it lists, the type checker refuses as the argument at the cursor."""
        if cursor_at(syntax, offset).kind is not CursorKind.ARGUMENT:
            return Misfits()
        listed = [one.text for one in found.items if one.listed is not None]
        near = [one.text for one in found.items if one.distance is not None and one.distance < FAR]
        try:
            return self.workspace.misfits(syntax, offset, listed + near[:_MOST_FITTED], seconds)
        except (CheckerError, TimeoutError, CancelledError):
            return Misfits()

    def prior_scores(self, syntax: Syntax, found: Candidates, offset: int) -> dict[str, float]:
        """How much more probable than the others each text of a menu is, in nats, by the prior alone.

        Only of names in scope and, at some kinds of places, of what the checker lists; not of names to import.
        """
        if not self.policy.prior or not found.items:
            return {}
        document = syntax.document
        end = document.text.find("\n", offset)
        following = document.text[offset : end if end >= 0 else None]
        prior = self.workspace.prior(document, found.start, found.visible, following)
        scores: dict[str, float] = {}
        in_scope = any(one.listed is None and one.importable is None for one in found.items)
        if in_scope and (names := prior.names()) is not None:
            scores |= names.relative()
        listed = [one for one in found.items if one.listed is not None] if found.kind in _WEIGHED else []
        if listed and (members := prior.members({one.name: one.kind for one in listed})) is not None:
            of_listed = members.relative()
            scores |= {one.text: of_listed[one.name] for one in listed}
        return scores

    def _prior(self, request: CompletionRequest, cursor: Cursor, symbols: SymbolContext) -> NamePrior | None:
        """The prior that the request's controller may ask how probable names are; None without a controller."""
        if not self.policy.prior or request.controller is None:
            return None
        return self.workspace.prior(request.syntax.document, request.offset - len(cursor.word), symbols.names)

    def _refused_place(self, syntax: Syntax, cursor: Cursor) -> tuple[Withheld, str] | None:
        """Why nothing is suggested at a place, with a sentence for people; None where something may be."""
        if why := why_excluded(self.workspace, syntax.document.uri):
            return Withheld.EXCLUDED, why
        if long_lines.is_in_one(syntax.document.text, cursor.offset):
            return Withheld.PLACE, f"Suggestions are off in lines of more than {long_lines.LONGEST_LINE:,} characters."
        if cursor.kind is CursorKind.COMMENT and not self.policy.in_comments:
            return Withheld.PLACE, "Suggestions are off in comments."
        if cursor.kind in (CursorKind.STRING, CursorKind.IMPORT_PATH) and not self.policy.in_strings:
            return Withheld.PLACE, "Suggestions are off in strings."
        return None

    def _task(self, request: CompletionRequest, cursor: Cursor, deadline: float | None) -> CompletionTask:
        view = ModelView.of(request.syntax, request.offset)
        syntax, prefix = view.without_rest(), view.prefix
        symbols = self._symbols(syntax, request.offset, cursor)
        return CompletionTask(
            prefix=prefix,
            suffix=view.suffix,
            symbols=symbols,
            until=_until(request.extent, cursor, prefix, syntax),
            path=self._place_in_workspace(request.syntax.document.uri),
            document=request.syntax.document.uri,
            sampling=request.sampling,
            constrained=request.constrained,
            max_tokens=request.max_tokens,
            deadline=deadline,
            beginning=request.beginning,
            opening=unopened(syntax, request.offset),
            imports=request.imports,
            controller=request.controller,
            surroundings=self._surroundings(request, cursor),
            prior=self._prior(request, cursor, symbols),
            ngrams=self.policy.prior,
            workspace_tokens=partial(self._corpus.workspace_tokens, path=path_of(request.syntax.document.uri)),
            least_probability=request.least_probability,
            budget=SearchBudget(
                verified=_MOST_VERIFIED,
                until_accepted=_UNTIL_ACCEPTED if request.eagerness is None else 0,
                accepted=1 + request.alternatives,
            ),
        )

    def _symbols(self, syntax: Syntax, offset: int, cursor: Cursor) -> SymbolContext:
        context = self.workspace.context(syntax, offset)
        if not self.policy.snippets:
            return context
        model, budget = self.host.settings.name, Budget(SNIPPET_TOKENS)
        return replace(context, snippets=snippets_for(model, self.workspace, syntax, cursor, budget))

    def _surroundings(self, request: CompletionRequest, cursor: Cursor) -> dict[str, Callable[[], object]]:
        """What the request's controller may ask for, besides names."""
        if request.controller is None:
            return {}
        syntax = request.syntax

        def path() -> list[str]:
            last = max(len(syntax.document.text[: request.offset].rstrip(" \t")) - 1, 0)
            return [node.type for node in reversed(syntax.path(syntax.node_at(last))) if node.is_named]

        def snippets() -> list[dict[str, str]]:
            found = self.workspace.snippets(syntax, cursor, Budget(SNIPPET_TOKENS))
            return [{"path": one.path, "text": one.text} for one in found]

        return {"path": path, "snippets": snippets}

    def _place_in_workspace(self, uri: str) -> str:
        """The path below the root, with forward slashes; the name alone outside of all roots."""
        path = path_of(uri)
        if path is None:
            return ""
        root = innermost_root(path, self.workspace.roots)
        return path.name if root is None else path.relative_to(root).as_posix()


def why_excluded(workspace: Workspace, uri: str) -> str:
    """One sentence why nothing is suggested in a file; empty where something may be."""
    path = path_of(uri)
    exclusion = None if path is None else workspace.excluded(path)
    return f"Suggestions are off for this file: {exclusion}." if exclusion else ""


def _until(extent: Extent, cursor: Cursor, prefix: str, syntax: Syntax) -> Until:
    """How far a suggestion goes; with `Extent.AUTO` a block on a blank line after an opened one or a comment."""
    if extent is not Extent.AUTO:
        return Until(extent.value)
    above = prefix.rstrip()
    begins = cursor.kind is CursorKind.BLANK_LINE and (above[-1:] in ("{", ":") or _is_said(syntax, cursor.offset))
    return Until.BLOCK if begins else Until.STATEMENT


def _is_said(syntax: Syntax, offset: int) -> bool:
    """Whether a comment or a documentation string is above an offset, which says what comes."""
    last = len(syntax.document.text[:offset].rstrip()) - 1
    node = syntax.node_at(last, last + 1) if last >= 0 else syntax.root
    of_string = next((one for one in (node, *ancestors(node)) if one.type == "string"), None)
    if of_string is not None and of_string.parent is not None:
        return of_string.parent.type == "expression_statement"
    return node.type == "comment"
