"""What somebody who asks gets where nothing that the model writes is accepted: what the menu brings, in time."""

from __future__ import annotations

from dataclasses import replace
from threading import Event
from typing import TYPE_CHECKING

import numpy as np
import pytest

from context_index import Workspace, parse
from decoder import SamplingOptions
from lsp_server.engine.model_host import ModelHost, ModelSettings
from lsp_server.engine.service import Service
from lsp_server.engine.site import Site
from lsp_server.engine.suggestion import CompletionRequest, Eagerness, Level, Verify, Withheld
from tests import needs
from tests.context_index.checkers import project
from tests.decoder.scripted import TOKENS, ScriptedModel, letters, says
from tests.files import document, lay_out

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

pytestmark = pytest.mark.slow

FILES = {
    "keys.ts": 'export const API_KEY = "a";\n',
    "http/fetcher.ts": "export class Fetcher {}\nexport default class Client {}\n",
    "http/index.ts": "export { Fetcher } from './fetcher';\n",
    "tools.py": "class Saw:\n    async def __aenter__(self): ...\n    async def __aexit__(self, *_: object): ...\n"
    "class Nail:\n    length = 1\ndef cut(depth: int) -> None: ...\n",
    "many.py": "def maxima() -> int: ...\ndef lengths() -> int: ...\n",
    "pkg/__init__.py": "",
    "pkg/inner.py": "class Jar: ...\n",
}
CASES = """
ts  import { API_KEY } from './keys';<>API^                                          => _KEY
ts  import { API_KEY } from './keys';<>const x: number = API_KEY.^                   => length
ts  import { Fetcher } from '^';<>new Fetcher();                                     => ./http
ts  import { Fetcher } from './http/^';                                              => fetcher
ts  import Client from "^";                                                          => ./http/fetcher
ts  import { Fetcher } from '^                                                       => ./http'
ts  export { API_KEY } from './^'                                                    => keys
ts  function find(accountId: string) {}<>function f(accountId: string) { find(^ }    => accountId
ts  const o: { wide: number } = { ^ }                                                => wide:
py  import tools<>async def f():<>    async with tools.^                             => Saw()
py  import tools<>tools.Nail().^                                                       => length
py  from ^ import Jar                                                                => pkg.inner
py  from tools import ^                                                              => Saw
py  print(json.dum^                                                                  => p)
py  print(json.dum^)                                                                 => p
py  count = 1<>print(count^                                                          => )
py  day = maxi^                                                                      => ma
"""


def stubborn() -> ScriptedModel:
    """A model that wants to write what no place takes."""
    return says(*letters("@@@"))


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    root = project(tmp_path_factory.mktemp("project"))
    lay_out(root, FILES)
    opened = Workspace([root])
    opened.index()
    for name in ("a.ts", "a.py"):
        opened.read_libraries(document(root, name, ""), 60.0)
    yield opened
    opened.close()


@pytest.fixture
def serving(workspace: Workspace) -> Iterator[Callable[[ScriptedModel], Service]]:
    hosts: list[ModelHost] = []

    def serve(model: ScriptedModel) -> Service:
        hosts.append(ModelHost(ModelSettings(), load=lambda *_args, **_options: model))
        return Service(workspace, hosts[-1])

    yield serve
    for host in hosts:
        host.close()


def asked(workspace: Workspace, suffix: str, marked: str, **options: object) -> CompletionRequest:
    needs.checker(suffix)
    marked = marked.replace("<>", "\n")
    syntax = parse(document(workspace.roots[0], f"asked.{suffix}", marked.replace("^", "", 1)))
    return CompletionRequest(syntax, marked.index("^"), SamplingOptions(), **options)  # type: ignore[arg-type] # by name


@pytest.mark.parametrize("case", CASES.strip().splitlines())
def test_the_first_entry_that_is_verified_is_shown(
    case: str, workspace: Workspace, serving: Callable[[ScriptedModel], Service]
) -> None:
    place, _, expected = (part.strip() for part in case.partition("=>"))
    suffix, _, marked = place.partition(" ")
    suggestion = serving(stubborn()).complete(asked(workspace, suffix, marked.strip()))
    assert suggestion.text.rstrip() == expected, suggestion.reason
    assert suggestion.verified is not Level.NONE
    assert suggestion.probability < 0.01  # the model would not write this


@pytest.mark.parametrize(
    "case",
    [
        ("py", "import tools\ntools.Nail().^", "length", "length"),
        ("ts", "const key = API^", "_KEY", "_KEY"),
        ("ts", "const o: { wide: number } = { ^ }", "wide", "wide:"),
        ("ts", "const cents = parseF^", "loat", "loat"),
        ("ts", "const cents = parseF^", "oat", ""),
    ],
)
def test_what_is_selected_is_shown_if_nothing_that_goes_on_from_it_is_accepted(
    case: tuple[str, str, str, str], workspace: Workspace, serving: Callable[[ScriptedModel], Service]
) -> None:
    suffix, marked, beginning, expected = case
    request = asked(workspace, suffix, marked, beginning=beginning)
    assert serving(stubborn()).complete(request).text.rstrip() == expected


@pytest.mark.parametrize("name", ["dumps", "dump"])
def test_an_entry_brings_its_import(
    name: str, workspace: Workspace, serving: Callable[[ScriptedModel], Service]
) -> None:
    suggestion = serving(says(*letters(name[3:]))).complete(asked(workspace, "py", "print(json.dum^"))
    assert "import json" in "".join(one.text for one in suggestion.additional_edits)


@pytest.mark.parametrize("marked", ["day = max^", "print(len^)"])
def test_nothing_is_imported_below_what_needs_no_import(
    marked: str, workspace: Workspace, serving: Callable[[ScriptedModel], Service]
) -> None:
    suggestion = serving(stubborn()).complete(asked(workspace, "py", marked))
    assert not suggestion.imports, suggestion.text


@pytest.mark.parametrize("marked", ["const size = 1;^", "function f(size: number) {\n  return size;\n  ^\n}"])
def test_where_anything_may_follow_no_name_is_shown_that_the_model_finds_impossible(
    marked: str, workspace: Workspace, serving: Callable[[ScriptedModel], Service]
) -> None:
    suggestion = serving(stubborn()).complete(asked(workspace, "ts", marked))
    assert suggestion.text == ""
    assert suggestion.withheld is not None


@pytest.mark.parametrize(
    "options",
    [{"eagerness": Eagerness.EAGER}, {"verify": Verify.OFF}, {"beginning": "z"}, {"constrained": False}],
)
def test_nobody_else_gets_one(
    options: dict[str, object], workspace: Workspace, serving: Callable[[ScriptedModel], Service]
) -> None:
    request = asked(workspace, "py", "import tools\ntools.Nail().^", **options)
    assert serving(stubborn()).complete(request).text != "length"


class Stuck:
    """A model that answers only when it is released.

    Args:
        favourite: The letter that it likes best.
    """

    def __init__(self, favourite: str = "") -> None:
        self.released, self.is_stuck, self.favourite = Event(), False, favourite.encode()
        self.model = ScriptedModel(self._logits)

    def _logits(self, _written: Sequence[int]) -> np.ndarray:
        if self.is_stuck:
            self.released.wait(60.0)
        logits = np.zeros(len(TOKENS), np.float32)
        logits[[*self.favourite]] = 9.0
        return logits


@pytest.mark.parametrize(
    ("suffix", "marked", "expected"),
    [
        ("ts", "import { API_KEY } from './keys';\nAPI^", "_KEY"),
        ("ts", "import { Fetcher } from '^';\n", "./http"),
        ("py", "import tools\ntools.Nail().^", "length"),
        ("py", "from ^ import Jar", "pkg.inner"),
        ("py", "from tools import Na^", "il"),
        # editors that close no bracket leave a call open to the end of the file
        ("py", "def mix(a: bytes, b: bytes) -> tuple[int, int]: ...\ndef g(bag: bytes):\n    x, y = mix(^\n", "bag"),
        ("ts", "function mix(a: string, b: string) {}\nfunction g(bag: string) {\n  mix(^\n", "bag"),
    ],
)
def test_a_model_that_does_not_answer_keeps_nobody_waiting(
    suffix: str, marked: str, expected: str, workspace: Workspace, serving: Callable[[ScriptedModel], Service]
) -> None:
    stuck = Stuck()
    service = serving(stuck.model)
    service.host.submit(lambda _model: None).result()
    service.complete(asked(workspace, suffix, marked, eagerness=Eagerness.EAGER))  # the checker has read the file
    stuck.is_stuck = True
    request = asked(workspace, suffix, marked, deadline_ms=8_000)
    suggestion = service.complete(request)
    assert not stuck.released.is_set()
    stuck.released.set()
    assert suggestion.text == expected


@pytest.mark.parametrize(("favourite", "expected"), [("S", "Saw"), ("c", "cut")])
def test_what_a_model_that_does_not_answer_said_in_the_menu_decides_which_entry_is_first(
    favourite: str, expected: str, workspace: Workspace, serving: Callable[[ScriptedModel], Service]
) -> None:
    stuck = Stuck(favourite)
    service = serving(stuck.model)
    request = asked(workspace, "py", "import tools\ntools.^", deadline_ms=8_000)
    service.complete(replace(request, eagerness=Eagerness.EAGER))  # the checker has read the file
    site = Site(workspace, request.syntax, request.offset)
    names = [item.text for item in service.candidates(site).items]
    service.ranker(site, request.offset, max_tokens=64).rank(names, Event())
    stuck.is_stuck = True
    suggestion = service.complete(request)
    stuck.released.set()
    assert suggestion.text.startswith(expected)


def test_silence_of_a_model_that_does_not_answer_says_so(
    workspace: Workspace, serving: Callable[[ScriptedModel], Service]
) -> None:
    stuck = Stuck()
    service = serving(stuck.model)
    service.host.submit(lambda _model: None).result()
    stuck.is_stuck = True
    request = asked(workspace, "py", "import tools\ntools.Nail().^", deadline_ms=50, eagerness=Eagerness.EAGER)
    suggestion = service.complete(request)
    stuck.released.set()
    assert (suggestion.text, suggestion.withheld) == ("", Withheld.EMPTY)
    assert suggestion.reason == "Time ran out before the model wrote anything."
