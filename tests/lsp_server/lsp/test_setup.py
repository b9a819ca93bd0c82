"""The question whether TypeScript shall be installed, the command that installs it unasked, and what comes of both."""

from __future__ import annotations

import shutil
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any

import pytest
from pygls.exceptions import JsonRpcMethodNotFound

from context_index import PartMissingError, parts
from context_index.parts import PinnedPart, find, part
from lsp_server.engine.service import Service
from lsp_server.errors import ErrorCode, RequestError
from lsp_server.installation.setup import SetupStep
from lsp_server.lsp.handlers import setup
from lsp_server.lsp.handlers.setup import INSTALL, NEVER, NOT_NOW, never_file
from tests.lsp_server.fakes import Editor, FakeService, conversation, on

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from lsp_server.engine.menu.candidates import MenuCandidates
    from lsp_server.engine.site import Site

Json = Any
QUESTION = "window/showMessageRequest"
ASKING: Json = {"setup.ask": True, "completion.deadlineMs": 10_000}
TYPESCRIPT = part("typescript")


class Installer:
    """Takes the place of `install`: what it is asked for, and what comes of it."""

    def __init__(self) -> None:
        self.wanted: list[list[str]] = []
        self.source: Path | None = None
        """A TypeScript that is copied into place."""
        self.fault: RequestError | None = None
        self.release = Event()
        self.release.set()

    def __call__(
        self,
        source: Path | None,
        report: Callable[[PinnedPart, SetupStep], None],
        outside_of: Sequence[Path],
        wanted: Sequence[PinnedPart],
    ) -> None:
        assert source is None
        self.outside_of = tuple(outside_of)
        self.wanted.append([one.key for one in wanted])
        for one in wanted:
            report(one, SetupStep.DOWNLOADING)
            self.release.wait(60)
            if self.fault is not None:
                raise self.fault
            if self.source is not None and one is TYPESCRIPT:
                shutil.copytree(self.source, one.folder)
            report(one, SetupStep.INSTALLED)


@pytest.fixture(autouse=True)
def installer(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Installer:
    """Nothing is installed."""
    fake = Installer()
    monkeypatch.setattr(setup, "install", fake)
    if not TYPESCRIPT.package:
        pytest.skip("there is no TypeScript for this platform")
    with pytest.MonkeyPatch.context() as patch:  # the one that the machine has
        patch.delenv(TYPESCRIPT.variable, raising=False)
        try:
            fake.source = find(TYPESCRIPT).path.parents[TYPESCRIPT.file.count("/")]
        except PartMissingError:
            fake.source = None
    request.getfixturevalue("nothing_installed")
    return fake


def questions(editor: Editor) -> list[str]:
    return [params["message"] for params in editor.params_of(QUESTION)]


def session(talk: Callable[[Editor], Awaitable[None]], answer: str | None, **settings: Json) -> Editor:
    """A session in which questions get an answer, and a document is open in the middle of each language."""
    found = []

    async def run(editor: Editor) -> None:
        found.append(editor)
        editor.replies[QUESTION] = None if answer is None else {"title": answer}
        options = {**ASKING, **settings}
        await editor.start({"window": {"workDoneProgress": True}}, settings=options)
        await editor.idle()
        await talk(editor)
        await editor.idle()

    on(run)
    return found[0]


async def all_languages(editor: Editor) -> None:
    for name, language in (("a.py", "python"), ("a.js", "javascript"), ("b.ts", "typescript"), ("c.js", "javascript")):
        editor.open("^", f"file:///shop/{name}", language)
        await editor.idle()


def test_a_person_is_asked_once_a_session_and_nothing_is_downloaded_unasked(installer: Installer) -> None:
    for _ in range(2):
        (question,) = questions(session(all_languages, NOT_NOW))
        assert question.startswith("Inscope: TypeScript 7 is not installed")
        assert f"Install TypeScript {TYPESCRIPT.version} for Inscope alone?" in question
    assert installer.wanted == []


def test_who_closes_the_question_is_asked_in_the_next_session(installer: Installer) -> None:
    assert [len(questions(session(all_languages, None))) for _ in range(2)] == [1, 1]
    assert installer.wanted == []


def test_never_is_kept_for_all_clients(installer: Installer) -> None:
    assert [len(questions(session(all_languages, NEVER))) for _ in range(2)] == [1, 0]
    assert "Delete this file to be asked again" in never_file().read_text("utf-8")
    assert installer.wanted == []


def test_a_setting_keeps_a_client_from_asking() -> None:
    assert questions(session(all_languages, INSTALL, **{"setup.ask": False})) == []


@pytest.mark.parametrize("settings", [{"languages": ["python"]}, {}])
def test_who_writes_python_is_not_asked(settings: Json) -> None:
    async def talk(editor: Editor) -> None:
        editor.open("^", "file:///shop/a.py", "python")
        if settings:
            editor.open("^")

    assert questions(session(talk, NEVER, **settings)) == []


def test_a_client_that_cannot_ask_is_served_all_the_same(installer: Installer) -> None:
    async def talk(editor: Editor) -> None:
        editor.replies[QUESTION] = JsonRpcMethodNotFound("no such method")
        await all_languages(editor)

    editor = session(talk, None)
    assert (len(questions(editor)), editor.messages(), installer.wanted) == (1, [], [])


def test_a_typescript_that_is_named_and_not_there_is_reported_of_and_not_asked_about(installer: Installer) -> None:
    editor = session(all_languages, INSTALL, **{"typescript.path": "/nowhere/tsc"})
    assert ["there is no TypeScript at '/nowhere/tsc'" in one for one in editor.messages()] == [True]
    assert (questions(editor), installer.wanted) == ([], [])


@conversation
async def test_a_typescript_of_a_workspace_that_is_not_trusted_is_reported_of(
    editor: Editor, tmp_path: Path, installer: Installer
) -> None:
    root = tmp_path / "work"
    own = root / "node_modules" / TYPESCRIPT.package / TYPESCRIPT.file
    own.parent.mkdir(parents=True)
    own.touch()
    editor.replies[QUESTION] = {"title": INSTALL}
    await editor.start(roots=[root], settings={**ASKING, "typescript.path": str(root)})
    await all_languages(editor)
    assert ["which is not trusted" in one for one in editor.messages()] == [True]
    assert (questions(editor), installer.wanted) == ([], [])


def steps(editor: Editor) -> list[str]:
    """What the bars said, without those of reading and loading."""
    bars = [one["token"] for one in editor.params_of("$/progress") if one["value"].get("title") == "Inscope: setup"]
    return [
        one["value"].get("message", one["value"]["kind"])
        for one in editor.params_of("$/progress")
        if one["token"] in bars
    ]


def test_install_fetches_typescript_alone_and_shows_each_step(installer: Installer) -> None:
    installer.source = None
    editor = session(all_languages, INSTALL)
    assert installer.wanted == [["typescript"]]
    title = f"TypeScript {TYPESCRIPT.version}"
    assert steps(editor) == ["begin", f"{title}: downloading", f"{title}: installed", "installed"]
    assert editor.messages() == [f"Inscope: installed: {title}"]


def test_a_failure_is_one_sentence_and_the_session_goes_on(installer: Installer) -> None:
    installer.fault = RequestError(ErrorCode.SETUP_FAILED, "TypeScript could not be downloaded: no network.")

    async def talk(editor: Editor) -> None:
        await all_languages(editor)
        assert (await editor.menu(editor.open("a^", "file:///shop/d.js"), "file:///shop/d.js"))["items"]
        answer = await editor.ask("workspace/executeCommand", command="inscope.setup")
        assert answer["result"] == {"installed": [], "failed": installer.fault and installer.fault.message}

    editor = session(talk, INSTALL)
    assert editor.messages() == ["Inscope: TypeScript could not be downloaded: no network."]
    assert steps(editor)[-1] == "failed"


@conversation
async def test_the_command_installs_all_parts_unasked(editor: Editor, tmp_path: Path, installer: Installer) -> None:
    installer.source = None
    await editor.start(roots=[tmp_path])
    answer = await editor.ask("workspace/executeCommand", command="inscope.setup", workDoneToken="own")
    assert answer["result"] == {"installed": [f"{one.title} {one.version}" for one in parts()], "failed": None}
    assert {one["token"] for one in editor.params_of("$/progress")} == {"own"}
    assert (questions(editor), installer.outside_of) == ([], (tmp_path,))


def test_two_setups_at_once_are_one(installer: Installer) -> None:
    installer.source = None
    installer.release.clear()

    async def talk(editor: Editor) -> None:
        await editor.start()
        first = editor.send("workspace/executeCommand", command="inscope.setup")
        second = await editor.ask("workspace/executeCommand", command="inscope.setup")
        assert "running already" in second["error"]["message"]
        installer.release.set()
        assert (await editor.answer(first))["result"]["failed"] is None

    on(talk)
    assert len(installer.wanted) == 1


class ListingService(FakeService):
    """Lists what a workspace has, as the service does."""

    def __init__(self, editor: Editor) -> None:
        super().__init__()
        self._editor = editor
        self._real: Service | None = None

    def _service(self) -> Service:
        if self._real is None:
            engine = self._editor.server.engine
            self._real = Service(engine.workspace, engine.host)
        return self._real

    def candidates(self, site: Site, patience: float | None = None) -> MenuCandidates:
        return self._service().candidates(site, patience)


@pytest.mark.slow
@pytest.mark.parametrize("elsewhere", [False, True], ids=["by the question", "in a terminal"])
@conversation
async def test_the_members_of_an_array_appear_in_the_same_session(
    editor: Editor, tmp_path: Path, installer: Installer, *, elsewhere: bool
) -> None:
    """TypeScript is asked without a restart once it is there, in documents that were open before too."""
    if installer.source is None:
        pytest.skip("TypeScript is not installed; run 'inscope setup'")
    (tmp_path / "work").mkdir()
    uri, other = ((tmp_path / "work" / name).as_uri() for name in ("a.ts", "b.ts"))
    editor.service = ListingService(editor)
    editor.replies[QUESTION] = {"title": NOT_NOW if elsewhere else INSTALL}
    installer.release.clear()
    await editor.start(roots=[tmp_path / "work"], settings=ASKING)
    text = "declare function desks(): string[];\nconst rows = desks();\nrows.^"
    place = editor.open(text, uri, "typescript")
    assert "flatMap" not in {item["label"] for item in (await editor.menu(place, uri))["items"]}
    installer.release.set()
    await editor.idle()
    if elsewhere:
        installer(None, lambda *_: None, (), [TYPESCRIPT])
        editor.open("^", other, "typescript")
        await editor.idle()
    offered = {item["label"] for item in (await editor.menu(place, uri))["items"]}
    assert {"flatMap", "length", "includes"} <= offered
    assert len(questions(editor)) == 1
