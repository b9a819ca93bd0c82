"""An editor in the same process, and a service without a model: for what the server itself does."""

from __future__ import annotations

import asyncio
import json
from concurrent.futures import Future
from dataclasses import replace
from enum import IntEnum
from functools import wraps
from inspect import signature
from pathlib import Path
from threading import Event, current_thread, main_thread
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec
from unittest.mock import patch

from pygls.exceptions import JsonRpcException

from context_index import CursorKind, Misfits, NameKind, Workspace
from decoder import Stop
from lsp_server.engine.engine import Engine, EngineSettings
from lsp_server.engine.menu.candidates import Listing, MenuCandidate, MenuCandidates
from lsp_server.engine.model_host import ModelEvent, ModelSettings, ModelState
from lsp_server.engine.service import DocumentReading
from lsp_server.engine.suggestion import Alternative, CompletionRequest, Suggestion, Withheld
from lsp_server.engine.verification import Verifier
from lsp_server.errors import ErrorCode, RequestError
from lsp_server.lsp.handlers import HANDLERS, indexing
from lsp_server.lsp.server import Server
from lsp_server.settings.table import Settings

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence

    from context_index import Document, Importable, Name
    from lsp_server.engine.site import Site
    from lsp_server.engine.verification.reports import CheckerReport
    from lsp_server.installation.doctor import Finding, Situation

Json = Any
P = ParamSpec("P")
URI = "file:///shop/cart.js"


class Code(IntEnum):
    """Error codes of JSON-RPC 2.0 and of LSP 3.18."""

    PARSE_ERROR = -32700
    INVALID_REQUEST = -32600
    METHOD_NOT_FOUND = -32601
    INVALID_PARAMS = -32602
    INTERNAL_ERROR = -32603
    SERVER_NOT_INITIALIZED = -32002
    REQUEST_CANCELLED = -32800


class FakeHost:
    """A model that is there, or is not, as the test says."""

    def __init__(self, settings: ModelSettings, notify: Callable[[FakeHost, ModelEvent], None]) -> None:
        self.settings = settings
        self.state = ModelState.READY
        self.closed = False
        self.loads = 0
        self.fault: Exception = RequestError(ErrorCode.MODEL_NOT_FOUND, "no model at './none'")
        """What a model that is not there ends in."""
        self.tell: Callable[[ModelEvent], None] = lambda event: notify(self, event)

    def submit(self, _run: object) -> Future[None]:
        self.loads += 1
        future: Future[None] = Future()
        if self.state is ModelState.FAILED:
            self.tell(ModelEvent(ModelState.FAILED, str(self.fault)))
            future.set_exception(self.fault)
        else:
            self.tell(ModelEvent(ModelState.LOADING))
            self.state = ModelState.READY
            self.tell(ModelEvent(ModelState.READY))
            future.set_result(None)
        return future

    def close(self, timeout: float = 0) -> None:
        assert timeout == 0, "the loop must not wait"
        self.closed = True


class FakeService:
    """Says `text` everywhere, at once or when `release` is set; asks nobody."""

    def __init__(self) -> None:
        self.text = "a + b"
        self.workspace: Workspace | None = None
        self.verifier: Verifier | None = None
        self.alternatives: Sequence[str] = ()
        """What else it offers whom asks for several."""
        self.replaces = 0
        """Characters after the cursor that what it says replaces."""
        self.withheld: Withheld | None = None
        self.names: Sequence[str] = ("alpha", "beta", "gamma")
        self.visible: Mapping[str, Name] = {}
        """The names in scope, beside which words of the grammar may stand."""
        self.importable: Sequence[Importable] = ()
        """What an import would bring."""
        self.scores: dict[str, float] = {}
        self.requests: list[CompletionRequest] = []
        self.ranked: list[tuple[str, ...]] = []
        """The names that the model was asked about."""
        self.forwards: list[int] = []
        """For each time, how many forwards it might take."""
        self.read: list[str] = []
        """Texts that were read ahead."""
        self.read_for_names: list[str] = []
        """The texts before the words for whose names the model read ahead."""
        self.rooms: list[int] = []
        """The room that the prompt of each ranker leaves, in tokens."""
        self.forgotten = 0
        """How often it was made to forget what it knows of the workspace."""
        self.reading_fault: Exception | None = None
        self.checker_reads: Future[CheckerReport] | None = None
        """Ends once a checker has read a document."""
        self.begun = Event()
        self.release = Event()
        self.release.set()

    def forget_name_counts(self) -> None:
        self.forgotten += 1

    def complete(self, request: CompletionRequest) -> Suggestion:
        self.requests.append(request)
        self.begun.set()
        while not self.release.wait(0.001):
            if request.cancel.is_set():
                return suggestion("", Stop.CANCELLED)
        made = suggestion(request.beginning + self.text, withheld=self.withheld)
        alternatives = tuple(map(Alternative, self.alternatives[: request.alternatives]))
        return replace(made, replaces=self.replaces, alternatives=alternatives)

    def prepare(self, document: Document) -> DocumentReading:
        assert current_thread() is not main_thread(), "the loop must not parse"
        self.read.append(document.text)
        future: Future[None] = Future()
        if self.reading_fault is None:
            future.set_result(None)
        else:
            future.set_exception(self.reading_fault)
        return DocumentReading(future, self.checker_reads)

    def listing(self, site: Site, patience: float | None = None) -> Listing:
        menu = self.candidates(site, patience)
        return Listing(site, menu.start, menu, is_asked=False, answer=None)

    def candidates(self, site: Site, _patience: float | None = None) -> MenuCandidates:
        cursor = site.cursor
        start = site.offset - len(cursor.word)
        if cursor.kind in (CursorKind.COMMENT, CursorKind.MEMBER):
            return MenuCandidates(start)
        found = tuple(MenuCandidate(text, NameKind.FUNCTION) for text in self.names if text.startswith(cursor.word))
        brought = tuple(MenuCandidate(one.text, one.kind, "", one) for one in self.importable)
        return MenuCandidates(start, found + brought, complete=bool(cursor.word), visible=self.visible)

    def misfits(self, _site: Site, _found: MenuCandidates, _seconds: float) -> Misfits:
        return Misfits()

    def prior_scores(self, _site: Site, _found: MenuCandidates) -> dict[str, float]:
        return {}

    def ranker(self, site: Site, start: int, *, max_tokens: int) -> FakeRanker:
        self.rooms.append(max_tokens)
        return FakeRanker(self, site.document.text[:start])


class FakeRanker:
    """Ranks names by the scores of its service."""

    def __init__(self, service: FakeService, prompt: str) -> None:
        self._service, self._prompt = service, prompt

    def read_ahead(self, _cancel: Event) -> None:
        self._service.read_for_names.append(self._prompt)

    def rank(self, names: Sequence[str], cancel: Event, *, forwards: int) -> dict[str, float]:
        service = self._service
        service.ranked.append(tuple(names))
        service.forwards.append(forwards)
        while not service.release.wait(0.001) and not cancel.is_set():
            pass
        return {name: service.scores[name] for name in names if name in service.scores}


class Watched(Workspace):
    """Remembers whether it was closed."""

    closed = False

    def close(self) -> None:
        assert current_thread() is not main_thread(), "the loop must not wait"
        super().close()
        self.closed = True


def suggestion(text: str, stop: Stop = Stop.STATEMENT, withheld: Withheld | None = None) -> Suggestion:
    shown = "" if withheld else text
    return Suggestion(shown, stop, 1, 1.0, 1.0, withheld=withheld, reason="a reason" if withheld else "")


class Editor:
    """The client's side of a server in the same process."""

    def __init__(self) -> None:
        self.sent: list[Json] = []
        self.service = FakeService()
        self.hosts: list[FakeHost] = []
        self.workspaces: list[Watched] = []
        self.store: Path | None = None
        self.replies: dict[str, Json] = {}
        """What the editor answers to the server's requests, by method; a `JsonRpcException` is one."""
        self.situations: list[Situation] = []
        """Those that were examined."""
        self.findings: Sequence[Finding] = ()
        """What is found in them."""
        self.server = Server(
            self._hear, HANDLERS, Settings(setup_question=False), build=self._build, examine=self._examine
        )
        self._news = asyncio.Event()
        self._ids = iter(range(1, 10_000))

    @property
    def host(self) -> FakeHost:
        return self.hosts[-1]

    def _examine(self, situation: Situation) -> Iterator[Finding]:
        """What a test says is found; no process is started."""
        self.situations.append(situation)
        return iter(self.findings)

    def _build(
        self,
        settings: EngineSettings,
        notify: Callable[[object, ModelEvent], None],
        *,
        warn: Callable[[str], None],
        before: Engine | None = None,
    ) -> Engine:
        if before is not None and before.workspace_settings == settings.workspace:
            workspace = before.workspace
        else:
            files = settings.workspace
            workspace = Watched(
                files.roots,
                settings=files.scan,
                typescript=files.typescript,
                trusted=files.trusted,
                store=self.store,
                notify=warn,
            )
            self.workspaces.append(workspace)
        if not self.hosts or self.host.settings != settings.model:
            self.hosts.append(FakeHost(settings.model, notify))
        self.service.workspace, self.service.verifier = workspace, Verifier(workspace, opens=False)
        return Engine(settings.workspace, workspace, self.host, self.service)  # type: ignore[arg-type]  # fakes of both

    def _hear(self, body: bytes) -> None:
        message = json.loads(body)
        self.sent.append(message)
        self._news.set()
        if "method" in message and "id" in message:
            said = self.replies.get(message["method"])
            reply = {"jsonrpc": "2.0", "id": message["id"]}
            if isinstance(said, JsonRpcException):
                reply["error"] = {"code": said.code, "message": said.message}
            else:
                reply["result"] = said
            asyncio.get_running_loop().call_soon(self.receive, reply)

    def receive(self, message: Json) -> None:
        self.server.protocol.receive(json.dumps(message).encode())

    def notify(self, method: str, **params: Json) -> None:
        self.receive({"jsonrpc": "2.0", "method": method, "params": params})

    def send(self, method: str, **params: Json) -> int:
        ident = next(self._ids)
        self.receive({"jsonrpc": "2.0", "id": ident, "method": method, "params": params})
        return ident

    def answers(self, ident: int) -> list[Json]:
        return [one for one in self.sent if one.get("id") == ident and "method" not in one]

    async def answer(self, ident: int) -> Json:
        """The one answer to a request."""
        while not (found := self.answers(ident)):
            self._news.clear()
            await self._news.wait()
        (only,) = found
        return only

    async def ask(self, method: str, **params: Json) -> Json:
        return await self.answer(self.send(method, **params))

    async def start(
        self, capabilities: Json = None, *, roots: Sequence[Path] = (), settings: Json = None, encoding: str = "utf-16"
    ) -> Json:
        """Begin a session in folders, with the settings that a client sends at the start."""
        capabilities = {"general": {"positionEncodings": [encoding]}} | (capabilities or {})
        answer = await self.ask(
            "initialize",
            processId=None,
            rootUri=None,
            capabilities=capabilities,
            workspaceFolders=[{"uri": root.as_uri(), "name": root.name} for root in roots] or None,
            initializationOptions=settings,
        )
        self.notify("initialized")
        await self.settle()
        return answer["result"]

    async def settle(self) -> None:
        """Let the server do what it can without anything new: until it twice had no task and sent nothing, or 20 ms."""
        quiet = 0
        for _ in range(20):
            sent = len(self.sent)
            await asyncio.sleep(0.001)
            is_quiet = len(self.sent) == sent and asyncio.all_tasks() == {asyncio.current_task()}
            quiet = quiet + 1 if is_quiet else 0
            if quiet > 1:
                return

    async def idle(self) -> None:
        """Wait until the server is done with all that notifications set going."""
        tasks: Mapping[Any, Any] = self.server.protocol._request_futures
        while running := [task for task in tasks.values() if asyncio.isfuture(task)]:
            await asyncio.wait(running)
            await asyncio.sleep(0)

    def open(self, marked: str, uri: str = URI, language: str = "javascript") -> Json:
        """Open a text with a cursor mark; the mark's position."""
        text = marked.replace("^", "")
        item = {"uri": uri, "languageId": language, "version": 1, "text": text}
        self.notify("textDocument/didOpen", textDocument=item)
        return position(marked)

    def replace(self, marked: str, version: int = 2, uri: str = URI) -> Json:
        """Send the whole text anew."""
        document = {"uri": uri, "version": version}
        self.notify("textDocument/didChange", textDocument=document, contentChanges=[{"text": marked.replace("^", "")}])
        return position(marked)

    def send_inline(self, place: Json, uri: str = URI, selected: Json = None, kind: int = 2) -> int:
        context = {"triggerKind": kind, **({"selectedCompletionInfo": selected} if selected else {})}
        return self.send("textDocument/inlineCompletion", textDocument={"uri": uri}, position=place, context=context)

    async def held_inline(self, place: Json, *, kind: int = 2) -> int:
        """Ask for ghost text that the service begins to write, and does not end before `release` is set."""
        self.service.release.clear()
        self.service.begun.clear()
        ident = self.send_inline(place, kind=kind)
        await asyncio.to_thread(self.service.begun.wait)
        return ident

    async def inline(self, place: Json, uri: str = URI, selected: Json = None) -> Json:
        return (await self.answer(self.send_inline(place, uri, selected)))["result"]["items"]

    async def menu(self, place: Json, uri: str = URI) -> Json:
        return (await self.ask("textDocument/completion", textDocument={"uri": uri}, position=place))["result"]

    def params_of(self, method: str) -> list[Json]:
        return [one["params"] for one in self.sent if one.get("method") == method]

    def messages(self) -> list[str]:
        return [params["message"] for params in self.params_of("window/showMessage")]


def position(marked: str) -> Json:
    """Where the cursor mark is, in UTF-16."""
    before = marked[: marked.index("^")]
    line = before.rpartition("\n")[2]
    return {"line": before.count("\n"), "character": len(line.encode("utf-16-le")) // 2}


def span(start: Json, end: Json) -> Json:
    return {"start": start, "end": end}


def on(talk: Callable[[Editor], Awaitable[None]]) -> None:
    """Run a conversation; every request in it must have been answered exactly once.

    The server leaves the garbage of the tests' process alone: looking through all that pytest holds takes a tenth of a
    second, which was two thirds of these tests' time.
    """

    async def run() -> None:
        editor = Editor()
        try:
            await talk(editor)
        finally:
            editor.service.release.set()
            editor.server.stop_work()
            await editor.settle()
        asked = range(1, next(editor._ids))
        assert [len(editor.answers(ident)) for ident in asked] == [1] * len(asked)

    with patch.object(indexing, "freeze_objects"):
        asyncio.run(run())


def conversation(talk: Callable[Concatenate[Editor, P], Awaitable[None]]) -> Callable[P, None]:
    """Make a test of what is said to an editor, its first parameter; fixtures are the others. Runs as `on` does."""

    @wraps(talk)
    def test(*args: P.args, **given: P.kwargs) -> None:
        on(lambda editor: talk(editor, *args, **given))

    said = signature(talk)
    vars(test)["__signature__"] = said.replace(parameters=[*said.parameters.values()][1:])
    return test
