"""`inscope complete`: a suggestion for one place, or for each line of a batch."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from context_index import parse, path_of
from lsp_server.cli.batch import answer_lines, batch_lines
from lsp_server.cli.command_service import service_of
from lsp_server.cli.console import console_for_answers, note, working
from lsp_server.cli.deadline import DeadlineRunner
from lsp_server.cli.printing import print_json
from lsp_server.engine.controllers.from_request import controller_in, controller_of
from lsp_server.engine.controllers.from_workspace import Trust, chosen, controller_for
from lsp_server.engine.model_host import ModelState
from lsp_server.engine.site import Site
from lsp_server.engine.suggestion import ALTERNATIVES, Eagerness, Extent
from lsp_server.engine.wire.requests import line_of
from lsp_server.engine.wire.sources import document_at, syntax_at
from lsp_server.engine.wire.suggestions import answered, failure
from lsp_server.errors import ErrorCode, NotUnderstoodError, RequestError
from lsp_server.rendering.suggestion import rendered
from lsp_server.settings.engine import completion_request

if TYPE_CHECKING:
    from collections.abc import Sequence

    from context_index import Document, Syntax
    from decoder import Controller, Model
    from lsp_server.cli.arguments import Arguments
    from lsp_server.engine.service import Service
    from lsp_server.engine.suggestion import Suggestion
    from lsp_server.engine.wire import Json
    from lsp_server.engine.wire.file_place import FilePlace

_READING_SECONDS = 3.0
"""How long reading a workspace may delay the first answer; the rest is read in the background."""


def run(arguments: Arguments) -> int:
    """Complete one place, or answer a batch; the exit code is 1 if a line of the batch could not be served."""
    if arguments.batch is not None:
        return _answer_batch(arguments, arguments.batch)
    if arguments.place is None:
        raise NotUnderstoodError("name a place, FILE:LINE:COLUMN")
    return _complete_place(arguments, arguments.place)


def _complete_place(arguments: Arguments, place: FilePlace) -> int:
    syntax, offset = syntax_at(place)
    controller = _controller(arguments)
    with service_of(arguments, prior=not arguments.no_prior) as service:
        completer = _Completer(arguments, service)
        suggestion = completer.complete(syntax, offset, controller)
        if arguments.json:
            print_json(answered(None, suggestion, syntax.document, explain=arguments.explain))
        else:
            console = console_for_answers()
            console.print(rendered(suggestion, syntax.document, offset, console, explain=arguments.explain))
        if completer.runner.is_reading:
            service.host.close(0)  # the last request: what is still being read ends with the process
    return 0


def _answer_batch(arguments: Arguments, source: str) -> int:
    default = _controller(arguments)
    with batch_lines(source) as lines, service_of(arguments, prior=not arguments.no_prior) as service:
        completer = _Completer(arguments, service)

        def answer(fields: dict[str, Json]) -> dict[str, Json]:
            line = line_of(fields)
            completer.warn_of_file_outside(line.place.file)
            document, offset = document_at(line.place, line.text)
            syntax = completer.parsed(document)
            controller = controller_of(fields.get("controller")) or default
            suggestion = completer.complete(syntax, offset, controller)
            return answered(fields.get("id"), suggestion, syntax.document, explain=arguments.explain)

        return answer_lines(lines, answer, failure)


def _controller(arguments: Arguments) -> Controller | None:
    """The controller that `--controller` names, for requests that bring none; None without the option."""
    path = arguments.controller
    if path is None and arguments.params:
        raise RequestError(ErrorCode.MALFORMED_REQUEST, "--params is for the controller that --controller names")
    return None if path is None else controller_in(path, arguments.params)


def workspace_controller(arguments: Arguments, roots: Sequence[Path], uri: str) -> Controller | None:
    """The workspace's own controller for a file, if the arguments trust it. Otherwise a note mentions it once.

    Raises:
        RequestError: it is to be run, but it or the workspace's configuration cannot be read.
    """
    if arguments.workspace_controllers:
        return controller_for(roots, path_of(uri), Trust("on"))
    try:
        choice = chosen(roots, path_of(uri))
    except RequestError:  # nothing of it is run
        return None
    if choice is not None:
        _, controller, _ = choice
        _note_once(
            f"note: the workspace brings {controller.name} for this file, which is not run; --workspace-controllers "
            "runs the controllers of a workspace that you trust"
        )
    return None


@cache
def _note_once(sentence: str) -> None:
    note(sentence)


class _Completer:
    """Completes as the arguments say. The model is loaded, and names are counted, before a request's deadline starts.

    A model that cannot be loaded is not tried again in this run.
    """

    def __init__(self, arguments: Arguments, service: Service) -> None:
        self.runner = DeadlineRunner(service)
        self._arguments, self._service = arguments, service
        self._syntax: Syntax | None = None
        self._fault: Exception | None = None
        """Why the model could not be loaded."""
        self._counted = not service.policy.prior
        """Whether the workspace's names have been counted, or need not be."""
        self._warned = False

    def warn_of_file_outside(self, file: str) -> None:
        """Warn once about a file outside of the workspace that does not exist.

        It may stand for a file of the workspace, which counts as another file then.
        """
        path, roots = Path(file).resolve(), self._service.workspace.roots
        if self._warned or not roots or path.exists() or any(path.is_relative_to(root) for root in roots):
            return
        self._warned = True
        note(
            f"warning: there is no file '{file}', and it lies outside of the workspace '{roots[0]}': a file of the "
            "workspace that holds the same text counts as another. Give paths below the workspace."
        )

    def parsed(self, document: Document) -> Syntax:
        """The document, parsed; the last tree is used again if the document is the same."""
        if self._syntax is None or self._syntax.document != document:
            self._syntax = parse(document)
        return self._syntax

    def complete(self, syntax: Syntax, offset: int, controller: Controller | None) -> Suggestion:
        """The service's answer, or an empty one at the deadline; without a controller, the workspace's own is used.

        Raises:
            RequestError: the model cannot be loaded, or the controller fails.
        """
        arguments = self._arguments
        controller = controller or workspace_controller(arguments, self._service.workspace.roots, syntax.document.uri)
        self._prepare()
        workspace = self._service.workspace
        if not Site(workspace, syntax, offset).unimported[1]:  # a library may have the module whose member is typed
            workspace.read_libraries(syntax.document, _READING_SECONDS)
        request = replace(
            completion_request(arguments.settings, syntax, offset),
            extent=Extent(arguments.extent),
            eagerness=None if arguments.eagerness is None else Eagerness(arguments.eagerness),
            alternatives=ALTERNATIVES,
            deadline_ms=arguments.deadline_ms,
            checker_deadline_ms=None,
            controller=controller,
        )
        try:
            return self.runner.complete(request)
        except KeyboardInterrupt:
            request.cancel.set()  # else the model's thread would go on to the end of the suggestion
            raise

    def _prepare(self) -> None:
        """Wait for the late request before this one, load the model or raise the first try's error, and count names."""
        self.runner.wait()
        if self._fault is not None:
            raise self._fault.with_traceback(None)  # else the frames of each line would be kept
        if self._service.host.state is not ModelState.READY:
            try:
                with working("loading the model"):
                    self._service.host.submit(_nothing).result()
            except Exception as fault:
                self._fault = fault
                raise
        if not self._counted:
            self._counted = True
            self._service.read_name_counts(_READING_SECONDS)


def _nothing(_model: Model) -> None:
    """A job that only loads the model."""
