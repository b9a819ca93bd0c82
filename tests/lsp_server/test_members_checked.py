"""Suggestions held to real type checkers, and what becomes of them when a checker dies, stalls or talks nonsense."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import psutil
import pytest

from context_index import Document, Workspace, language_of, parse
from context_index.oracles import DocumentTypes, Limits, Oracle, Server
from context_index.oracles.jedi import Jedi
from context_index.oracles.protocol import Program
from context_index.symbols import Asked, Position
from decoder import Completion, CompletionTask, SamplingOptions, Stop, complete
from lsp_server.model_host import ModelHost, ModelSettings
from lsp_server.service import Service
from lsp_server.suggestion import CompletionRequest, Suggestion
from tests.context_index.checkers import (
    KINDS,
    PATIENCE,
    PROVING,
    brief,
    checker_for,
    document,
    project,
    source_for,
    stall,
)
from tests.decoder.scripted import letters, says

pytestmark = pytest.mark.slow

CASES = """
ts  import { Cart } from './shop';<>const c = new Cart();<>x=c.^         | total()    => total()      |
ts  import { Cart } from './shop';<>const c = new Cart();<>x=c.^         | zebra()    =>              |
ts  import { Cart } from './shop';<>const c = new Cart();<>c.^           | zebra = 1  =>              |
ts  import { place } from './shop';<>place({^ | left: 1, mode: 'a'}, 'fast')  => left: 1, mode: 'a'}, 'fast')  |
ts  import { place } from './shop';<>place({left: 1, mode: '^            | a'}, 'fast')       => a'}, 'fast')         |
js  exports.^                                                            | made = 1;  => made = 1;    | made
js  const fs = require('fs');<>x=fs.^                                    | readFileSync('a') => readFileSync('a') |
js  /**<> * @param {import('./shop').^<> */<>function f(a) {}            | Zebra} a   =>              |
js  /**<> * @param {import('./shop').^<> */<>function f(a) {}            | Cart} a    => Cart} a      |
js  /**<> * @import {^} from './shop'<> */                               | Zebra      =>              |
ts  import { type ^ } from './shop'                                      | Zebra      =>              |
py  from cart import Cart<>x=Cart().^                                    | total()    => total()      |
py  from cart import Cart<>x=Cart().^                                    | zebra()    =>              |
py  from cart import (^                                                  | Cart)      => Cart)        |
py  from cart import (^                                                  | Zebra)     =>              |
py  from cart import Cart<>x=Cart().total(^                              | tax=1)     => tax=1)       |
py  class A:<>    def f(self):<>        self.^                           | made = 1   => made = 1     |
py  def f(x):<>    return x.^                                            | zebra      => zebra        | zebra
"""


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return project(tmp_path_factory.mktemp("project"))


@pytest.fixture(scope="module")
def suggest(root: Path) -> Iterator[Callable[[str, str, str], Suggestion]]:
    """The whole pipeline over the project, for a model that says what it is told to."""
    workspace = Workspace([root])
    workspace.index()
    hosts: list[ModelHost] = []

    def ask(name: str, marked: str, said: str) -> Suggestion:
        host = ModelHost(ModelSettings(), load=lambda *_args, **_options: says(*letters(said)))
        hosts.append(host)
        offset = marked.index("^")
        language = language_of(name)
        assert language is not None
        syntax = parse(Document((root / name).as_uri(), language, marked.replace("^", "", 1)))
        return Service(workspace, host).complete(CompletionRequest(syntax, offset, SamplingOptions()))

    yield ask
    for host in hosts:
        host.close()
    workspace.close()


@pytest.mark.parametrize("case", CASES.strip().splitlines())
def test_suggestions_hold_to_what_the_checker_lists(case: str, suggest: Callable[[str, str, str], Suggestion]) -> None:
    left, _, right = case.rpartition("=>")
    place, _, said = left.partition("|")
    suffix, _, marked = place.partition(" ")
    expected, _, open_names = right.partition("|")
    checker_for(suffix)
    found = suggest(f"cursor.{suffix}", marked.strip().replace("<>", "\n"), said.strip() + "\n")
    if expected.strip():
        assert (found.text, found.open) == (expected.strip(), tuple(open_names.split()))
    else:
        assert "ebra" not in found.text


def test_a_name_of_another_file_brings_its_import(suggest: Callable[[str, str, str], Suggestion]) -> None:
    found = suggest("use.py", "import os\n\nx=^\n", "Cart()\n")
    assert found.additional_edits, found
    (edit,) = found.additional_edits
    assert (found.text, edit.text, edit.start) == ("Cart()", "from cart import Cart\n", 0)
    assert [name.module for name in found.imports] == ["cart"]


class Harmed:
    """A document's checker to whose process something happens as soon as it is asked."""

    def __init__(self, types: DocumentTypes, server: Server | Jedi, harm: Callable[[psutil.Process], None]) -> None:
        self._types, self._server, self._harm = types, server, harm

    def ask(self, text: str, offset: int, position: Position) -> Asked:
        pid = self._server.pid
        if pid is not None:
            self._harm(psutil.Process(pid))
        return self._types.ask(text, offset, position)


HARMS: dict[str, Callable[[psutil.Process], None]] = {
    "killed": psutil.Process.kill,
    "stalled": stall,
    "garbled": lambda _process: None,  # its `Proxied` sees to that
}
GOOD = {"ts": "export {};\nx='a'.^", "py": "x='a'.^"}


def written(oracle: Oracle, suffix: str, root: Path, types: Callable[[DocumentTypes], object]) -> Completion:
    """What a model that wants `zebra` writes behind a string."""
    text = GOOD[suffix].replace("^", "")
    asked = document(root, f"harmed.{suffix}", text)
    context = Workspace([]).context(parse(asked), len(text))
    wanted = CompletionTask(text, "", context, types=types(DocumentTypes(oracle, asked)), types_patience=0.5)  # type: ignore[arg-type]  # an oracle
    return complete(says(*letters("zebra\n")), wanted)


class Proxied:
    """A real checker behind a process that garbles what it says, from the question in mid-request on."""

    def __init__(self, checker: Program) -> None:
        self._checker = checker

    @property
    def command(self) -> Sequence[str]:
        return (sys.executable, "-c", PROXY, *self._checker.command)

    def __getattr__(self, name: str) -> object:
        return getattr(self._checker, name)


PROXY = """
import os, subprocess, sys, threading
server = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
harmed = threading.Event()
def answers():
    while data := os.read(server.stdout.fileno(), 65536):
        os.write(1, b"Content-Length: 3\\r\\n\\r\\n{[!" if harmed.is_set() else data)
threading.Thread(target=answers, daemon=True).start()
seen = b""
while data := os.read(0, 65536):
    seen = seen[-9:] + data
    if b"x='a'." in seen:
        harmed.set()
    server.stdin.write(data)
    server.stdin.flush()
server.kill()
"""


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("harm", HARMS)
def test_a_checker_that_is_harmed_in_mid_request_blocks_nothing_and_is_told_of(
    harm: str, kind: str, root: Path
) -> None:
    suffix = KINDS[kind]
    source = source_for(kind, root, brief(kind), Proxied if harm == "garbled" else lambda program: program)
    oracle = Oracle([source])
    try:
        oracle.names(document(root, f"harmed.{suffix}", "'a'."), 4, Position.MEMBER).answer(PATIENCE)
        assert source.pid is not None
        completion = written(oracle, suffix, root, lambda types: Harmed(types, source, HARMS[harm]))
    finally:
        oracle.close()
    if completion.unanswered:
        assert completion.text == "zebra"
        assert completion.report.open == ("zebra",)
        return
    assert harm == "killed"  # the process was replaced before the answer was due
    if kind in PROVING:
        assert completion.text == ""
        assert completion.stop in {Stop.STUCK, Stop.END}  # what is refused leaves the model its end, or nothing
    else:
        assert completion.report.outside == (completion.text,)


class Garbled:
    """A program that answers the first request with what no protocol knows."""

    name = "garbled"
    environment: dict[str, str] = {}  # noqa: RUF012 - as the protocol has it
    settings: dict[str, object] = {}  # noqa: RUF012 - as the protocol has it
    command: Sequence[str] = (
        sys.executable,
        "-c",
        "import sys; sys.stdin.readline(); print('{[nonsense' * 9, flush=True)",
    )

    def __getattr__(self, name: str) -> object:
        return getattr(checker_for("py"), name)


def test_a_checker_that_talks_nonsense_blocks_nothing_and_is_told_of(root: Path) -> None:
    oracle = Oracle([Server(Garbled(), root, Limits(start=5.0, answer=2.0))])  # type: ignore[arg-type]  # no checker
    try:
        completion = written(oracle, "py", root, lambda types: types)
    finally:
        oracle.close()
    assert (completion.text, completion.report.open) == ("zebra", ("zebra",))
    assert len(completion.unanswered) == 1
