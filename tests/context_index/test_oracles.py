"""The type checkers as oracles: real servers, asked the right things, and treated badly."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import psutil
import pytest

from context_index.oracles import (
    Answer,
    Limits,
    Oracle,
    Oracles,
    Places,
    Server,
    Ty,
    TypeScript,
    find_environment,
    find_ty,
    find_typescript,
)
from context_index.oracles.protocol import Item
from context_index.symbols import Closed, Language, Listed, Open
from context_index.text import Document, language_of

pytestmark = pytest.mark.slow
TESTS = Path(__file__).parents[1]
PATIENCE = 60.0
"""Far beyond what any answer takes; only a fault waits so long."""


def checker_for(suffix: str) -> Ty | TypeScript:
    found = find_ty(Places(())) if suffix.startswith("py") else find_typescript(Places((TESTS,)))
    if found is None:
        pytest.skip("TypeScript 7 is not installed: run `npm ci` in tests/")
    return found


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with files to import from, and Node's types beside it."""
    top = tmp_path_factory.mktemp("project")
    (top / "tsconfig.json").write_text('{"compilerOptions": {"strict": true, "allowJs": true}}')
    (top / "shop.ts").write_text(
        "export class Cart { items: string[] = []; private secret = 1; total(): number { return 1; } }\n"
    )
    (top / "cart.py").write_text("class Cart:\n    items: list[str]\n    def total(self) -> int: ...\n")
    (top / "partial.py").write_text("from nowhere import Base\nclass Partial(Base):\n    own = 1\n")
    (top / "loose.py").write_text("class Loose:\n    known = 1\n    def __getattr__(self, name: str) -> int: ...\n")
    if (TESTS / "node_modules").is_dir() and sys.platform != "win32":
        (top / "node_modules").symlink_to(TESTS / "node_modules")
    return top


@pytest.fixture(scope="module")
def oracles(root: Path) -> Iterator[Callable[[str], Oracle]]:
    started: dict[str, Oracle] = {}

    def oracle(suffix: str) -> Oracle:
        language = "py" if suffix.startswith("py") else "ts"
        if language not in started:
            started[language] = Oracle([Server(checker_for(suffix), root)])
        return started[language]

    yield oracle
    for one in started.values():
        one.close()


def document(root: Path, name: str, text: str) -> Document:
    language = language_of(name)
    assert language is not None
    return Document((root / name).as_uri(), language, text)


def ask(oracle: Oracle, root: Path, name: str, marked: str) -> Answer:
    offset = marked.index("^")
    return oracle.members(document(root, name, marked.replace("^", "", 1)), offset).answer(PATIENCE)


def told(answer: Answer, wanted: Sequence[str]) -> str:
    """The grade, and which of some names are listed."""
    names = {} if isinstance(answer.members, Open) else answer.members.names
    return " ".join([type(answer.members).__name__.lower(), *(name for name in wanted if name in names)])


CASES = """
ts   const s = 'a'; s.^                                        => closed trim slice ; push
ts   const s = 'ä€😀'; s.^                                     => closed trim ; push
ts   import { Cart } from './shop'; new Cart().^               => closed items total ; secret trim
ts   import { Cart } from './shop'; new Cart().items.^push(1)  => closed push length ; total
ts   interface A { b: number; c?: string } let a!: A; a.^      => closed b c ; d
ts   interface A { b: number } let a: A | undefined; a?.^      => closed b
ts   let u: unknown; u.^                                       => open
ts   let u: any; u.^                                           => open
ts   import { X } from './nowhere'; X.^                        => open
ts   enum Size { Small, Large } Size.^                         => closed Small Large
ts   class A { #own = 1; f() { this.^ } }                      => closed #own f
ts   const o = { 'a-b': 1, c: 2 }; o.^                         => closed c ; a-b
js   const o = { b: 1, c() {} }; o.^                           => listed b c
js   function f(x) { x.^ }                                     => open
js   'text'.^                                                  => closed trim
js   Math.^                                                    => closed floor ; trim
js   const Math = { own: 1 }; Math.^                           => listed own ; floor
js   /** @type {string[]} */ const m = x; m.^                  => listed push
jsx  const o = { b: <p>{x}</p> }; o.^                          => listed b
tsx  const o = { b: 1 }; <p>{o.^}</p>                          => closed b
ts   import { ^ } from './shop'                                => closed Cart ; items
ts   import { ^ } from './nowhere'                             => open
ts   const o: { left: number; right?: string } = { ^ }         => closed left right
js   import fs from 'node:fs'; fs.^                            => closed readFileSync
js   import * as p from "path"; p.^                            => closed join
js   const os = require('os'); os.^                            => closed cpus
js   import { Cart } from './shop'; Cart.^                     => listed prototype
js   import { ^ } from 'node:fs'                               => listed readFileSync
py   from cart import ^                                        => closed Cart ; items
py   from os import ^                                          => closed getcwd path
py   from nowhere import ^                                     => open
py   s = 'a'; s.^                                              => closed upper split ; append
py   s = 'ä€😀'; s.^                                           => closed upper
py   from cart import Cart; Cart().^                           => closed items total ; upper
py   from cart import Cart; Cart().items.^append(1)            => closed append ; total
py   s = 'a'; s.^upper().strip()                               => closed upper
py   s = 'a'; s.^ and s                                        => closed upper
py   s = 'a'; print(s.^                                        => closed upper
py   s = 'a'; print(s.^<>t = 1                                 => closed upper
py   s = 'a'<>if s.^:<>    pass                                => closed upper
py   s = 'a'; f'{s.^}'                                         => closed upper
py   s = 'a'; [s.^ for s in ('b',)]                            => closed upper
py   foo(s.^                                                   => open
py   import os; os.^path                                       => closed path getcwd ; trim
py   def f(x): x.^                                             => open
py   from partial import Partial; Partial().^                  => listed own
py   from loose import Loose; Loose().^                        => listed known
py   from nowhere import x; x.^                                => open
py   import re; re.match('a', 'b').^                           => open
"""


@pytest.mark.parametrize("case", CASES.strip().splitlines())
def test_members(case: str, root: Path, oracles: Callable[[str], Oracle]) -> None:
    left, expected = case.split("=>")
    suffix, _, marked = left.partition(" ")
    present, _, absent = expected.partition(";")
    answer = ask(
        oracles(suffix),
        root,
        f"cursor.{suffix}",
        f"export {{}};\n{marked.strip()}" if suffix != "py" else marked.strip().replace("<>", "\n"),
    )
    assert told(answer, [*present.split(), *absent.split()]) == " ".join(present.split())
    assert answer.seconds > 0


@pytest.mark.parametrize("suffix", ["ts", "py"])
def test_every_question_is_answered_for_its_own_text(suffix: str, root: Path, oracles: Callable[[str], Oracle]) -> None:
    oracle = oracles(suffix)
    texts = [
        f"class C:\n    name{n} = 1\nC().^" if suffix == "py" else f"export {{}}; const c = {{ name{n}: 1 }}; c.^"
        for n in range(30)
    ]
    pending = []
    for text in texts:
        offset = text.index("^")
        pending.append(oracle.members(document(root, f"many.{suffix}", text.replace("^", "")), offset))
    for n, one in enumerate(pending):
        assert told(one.answer(PATIENCE), [f"name{m}" for m in range(30)]) == f"closed name{n}"


@pytest.mark.parametrize("suffix", ["ts", "py"])
def test_a_long_document_may_be_edited_and_asked(suffix: str, root: Path, oracles: Callable[[str], Oracle]) -> None:
    lines = [f"x{n} = {n}" if suffix == "py" else f"export const x{n} = {n};" for n in range(5_000)]
    for n in (10, 2_500, 4_999):
        middle = "'a'.^" if suffix == "py" else "'a'.^;"
        text = "\n".join([*lines[:n], middle, *lines[n:]])
        assert told(ask(oracles(suffix), root, f"long.{suffix}", text), ["upper", "trim"]).startswith("closed ")


GOOD = {"ts": "export {}; 'a'.^", "py": "'a'.^"}
BRIEF = Limits(answer=1.0, first_pause=0.05, longest_pause=0.1)


def until_answered(oracle: Oracle, root: Path, suffix: str) -> str:
    """Ask until the checker is back."""
    give_up = time.monotonic() + PATIENCE
    while True:
        found = told(ask(oracle, root, f"good.{suffix}", GOOD[suffix]), ["upper", "trim"])
        if found != "open" or time.monotonic() > give_up:
            return found
        time.sleep(0.02)


class Alone(Oracle):
    """An oracle with a server of its own, whose process can be looked at."""

    def __init__(self, suffix: str, root: Path, limits: Limits = BRIEF) -> None:
        self.server = Server(checker_for(suffix), root, limits)
        super().__init__([self.server])

    @property
    def process(self) -> psutil.Process:
        assert self.server.pid is not None
        return psutil.Process(self.server.pid)


@pytest.fixture(params=["ts", "py"])
def fresh(request: pytest.FixtureRequest, root: Path) -> Iterator[tuple[Alone, str]]:
    """A server of its own for each fault; none survives its test."""
    suffix: str = request.param
    oracle = Alone(suffix, root)
    yield oracle, suffix
    pid = oracle.server.pid
    oracle.close()
    assert oracle.server.pid is None
    assert pid is None or not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE


def test_a_killed_server_is_started_again(fresh: tuple[Alone, str], root: Path) -> None:
    oracle, suffix = fresh
    assert until_answered(oracle, root, suffix).startswith("closed")
    oracle.process.kill()
    assert until_answered(oracle, root, suffix).startswith("closed")
    assert oracle.server.starts == 2


def test_a_server_killed_while_it_works_answers_open(fresh: tuple[Alone, str], root: Path) -> None:
    oracle, suffix = fresh
    until_answered(oracle, root, suffix)
    process = oracle.process
    process.suspend()
    text = GOOD[suffix]
    pending = oracle.members(document(root, f"good.{suffix}", text.replace("^", "")), text.index("^"))
    process.kill()
    assert isinstance(pending.answer(PATIENCE).members, Open | Closed)
    assert until_answered(oracle, root, suffix).startswith("closed")


def test_a_stalled_server_is_late_and_then_replaced(fresh: tuple[Alone, str], root: Path) -> None:
    oracle, suffix = fresh
    until_answered(oracle, root, suffix)
    oracle.process.suspend()
    text = GOOD[suffix]
    late = oracle.members(document(root, f"good.{suffix}", text.replace("^", "")), text.index("^"))
    at_once = late.answer(0.01)
    assert isinstance(at_once.members, Open)
    assert "has not answered within 10 ms" in at_once.members.why
    assert isinstance(late.answer(PATIENCE).members, Open)
    assert until_answered(oracle, root, suffix).startswith("closed")
    assert oracle.server.starts == 2


DEADLY = {
    "deep nesting": "(" * 50_000,
    "a long line": "x = " + " + ".join(["1"] * 50_000) + "\n",
    "nothing closed": "[{(" * 2_000,
    "a lone surrogate": "s = '\ud800'\n",
    "zeros": "\0" * 1_000 + "\n",
}


@pytest.mark.parametrize("poison", DEADLY)
def test_texts_that_kill_servers_do_not_kill_us(poison: str, fresh: tuple[Alone, str], root: Path) -> None:
    oracle, suffix = fresh
    answer = oracle.members(document(root, f"bad.{suffix}", DEADLY[poison] + "x."), len(DEADLY[poison]) + 2).answer(
        PATIENCE
    )
    assert isinstance(answer.members, Open | Listed | Closed)
    assert until_answered(oracle, root, suffix).startswith("closed")


def test_an_idle_server_is_stopped_and_comes_back(root: Path) -> None:
    oracle = Alone("py", root, replace(BRIEF, idle=0.05))
    assert until_answered(oracle, root, "py").startswith("closed")
    give_up = time.monotonic() + PATIENCE
    while oracle.server.pid is not None and time.monotonic() < give_up:
        time.sleep(0.02)
    assert oracle.server.pid is None
    assert until_answered(oracle, root, "py").startswith("closed")
    oracle.close()


def test_a_server_that_grows_too_large_is_replaced(root: Path) -> None:
    oracle = Alone("py", root, replace(BRIEF, memory=1))
    assert until_answered(oracle, root, "py").startswith("closed")
    assert oracle.server.pid is None
    assert until_answered(oracle, root, "py").startswith("closed")
    assert oracle.server.starts == 2
    oracle.close()


def test_a_question_nobody_wants_any_more_costs_nothing(root: Path) -> None:
    oracle = Alone("py", root)
    pending = [oracle.members(document(root, "a.py", "'a'."), 4) for _ in range(50)]
    for one in pending[:-1]:
        one.drop()
    assert isinstance(pending[-1].answer(PATIENCE).members, Closed)
    answers = [one.answer(PATIENCE).members for one in pending[1:-1]]
    assert {getattr(members, "why", "") for members in answers} <= {"no longer wanted", ""}
    oracle.close()


@dataclass(frozen=True)
class Impostor:
    """A program that is no checker."""

    script: str
    name: str = "impostor"
    environment: dict[str, str] = field(default_factory=dict)
    settings: dict[str, object] = field(default_factory=dict)

    @property
    def command(self) -> Sequence[str]:
        return (sys.executable, "-c", self.script) if self.script else ("no-such-checker",)

    def language_id(self, _: Document) -> str:
        return "python"

    def overlay(self, document: Document, offset: int) -> object:
        return checker_for("py").overlay(document, offset)

    def members(self, items: Sequence[Item], document: Document, offset: int) -> object:
        return checker_for("py").members(items, document, offset)

    def probe(self, _document: Document, _offset: int) -> None:
        return None

    def refuses_probe(self, _: Sequence[str]) -> bool:
        return False


_REPLY = (
    "import sys; o = sys.stdout.buffer; "
    "say = lambda b: (o.write(b'Content-Length: %d\\r\\n\\r\\n' % len(b) + b), o.flush()); "
)
IMPOSTORS = {
    "": "'no-such-checker' does not start",
    "pass": "the process ended",
    "print('hello' * 1000)": "the process ended",
    "while True: print('x' * 1000)": "the process ended",
    "print('Content-Length: 99999999999\\r\\n\\r\\n', flush=True); input()": "the process ended",
    "print('Content-Length: x\\r\\n\\r\\n', flush=True); input()": "the process ended",
    _REPLY + "say(b'[1]'); sys.stdin.read()": "the process ended",
    _REPLY + "say(b'{{{'); sys.stdin.read()": "the process ended",
    _REPLY + 'say(b\'{"id": 1, "error": {"message": "not today"}}\'); sys.stdin.read()': "not today",
    _REPLY + '[say(b\'{"method": "spam"}\') for _ in iter(int, 1)]': "no answer within",
    "import time; time.sleep(1000)": "no answer within",
}


@pytest.mark.parametrize("script", IMPOSTORS)
def test_what_is_no_checker_is_told_in_one_sentence(script: str, tmp_path: Path) -> None:
    server = Server(Impostor(script), tmp_path, replace(BRIEF, start=1.0))  # type: ignore[arg-type]  # borrows from ty
    oracle = Oracle([server])
    answer = oracle.members(document(tmp_path, "a.py", "x."), 2).answer(PATIENCE)
    assert isinstance(answer.members, Open)
    assert IMPOSTORS[script] in answer.members.why
    oracle.close()


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="the layout of node_modules is the same, its names are not")
def test_typescript_is_found_where_people_have_it(tmp_path: Path) -> None:
    found = checker_for("ts")
    assert isinstance(found, TypeScript)
    assert found.version.startswith("7.")
    pnpm = tmp_path / "node_modules/.pnpm/typescript@7/node_modules"
    pnpm.mkdir(parents=True)
    for name in ("typescript", "@typescript"):
        (pnpm / name).symlink_to(TESTS / "node_modules" / name)
    (tmp_path / "node_modules/typescript").symlink_to(pnpm / "typescript")
    deep = tmp_path / "packages/app"
    deep.mkdir(parents=True)
    assert find_typescript(Places((deep,))) is not None
    assert find_typescript(Places((), typescript=TESTS / "node_modules/typescript")) is not None


def test_environments_are_found_beside_the_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        monkeypatch.delenv(variable, raising=False)
    app, activated, conda = tmp_path / "app", tmp_path / "activated", tmp_path / "conda"
    for directory in (app, activated, conda / "conda-meta"):
        directory.mkdir(parents=True)
    (activated / "pyvenv.cfg").touch()
    places = Places((app,))
    assert find_environment(places) is None
    monkeypatch.setenv("CONDA_PREFIX", str(conda))
    assert find_environment(places) == conda
    monkeypatch.setenv("VIRTUAL_ENV", str(activated))
    assert find_environment(places) == activated
    (tmp_path / ".venv").mkdir()
    (tmp_path / ".venv/pyvenv.cfg").touch()
    assert find_environment(places) == tmp_path / ".venv"


JEDI = """
import re; re.match('a', 'b').^            => listed groups span
def f(x: str | None): x.^                  => listed upper
def f(x): x.^                              => open
"""


@pytest.mark.parametrize("case", JEDI.strip().splitlines())
def test_jedi_knows_where_ty_does_not(case: str, root: Path, whole: Oracles) -> None:
    marked, expected = (part.strip() for part in case.split("=>"))
    offset = marked.index("^")
    answer = whole.members(document(root, "cursor.py", marked.replace("^", "", 1)), offset).answer(PATIENCE)
    assert told(answer, expected.split()[1:]) == expected
    if expected != "open":
        assert answer.by.startswith("jedi ")


@pytest.fixture(scope="module")
def whole(root: Path) -> Iterator[Oracles]:
    oracles = Oracles([root])
    yield oracles
    oracles.close()


def test_who_answers_for_which_language(root: Path, whole: Oracles, tmp_path: Path) -> None:
    checker_for("ts")
    families = whole.names()
    assert [name.split()[0] for name in families["Python"]] == ["ty", "jedi"]
    if (root / "node_modules").exists():
        assert [name.split()[0] for name in families["JavaScript and TypeScript"]] == ["TypeScript"]
        assert whole.prepare(document(root, "cursor.ts", "let x")).answer(PATIENCE).by.startswith("TypeScript")
        answer = whole.members(document(root, "cursor.ts", "'a'."), 4).answer(PATIENCE)
        assert isinstance(answer.members, Closed)
    elsewhere = whole.members(document(tmp_path, "far.py", "'a'."), 4).answer(PATIENCE)
    assert isinstance(elsewhere.members, Closed), "a file outside of every root has a checker of its own"


def test_without_a_checker_one_sentence_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    oracles = Oracles([tmp_path])
    answer = oracles.members(document(tmp_path, "a.ts", "'a'."), 4).answer(PATIENCE)
    assert answer.members == Open("there is no type checker for this language")
    oracles.close()


def test_languages_are_told_apart() -> None:
    ids = [
        checker_for("ts").language_id(Document(f"file:///a{suffix}", language, ""))
        for suffix, language in (
            (".js", Language.JAVASCRIPT),
            (".jsx", Language.JAVASCRIPT),
            (".ts", Language.TYPESCRIPT),
            (".tsx", Language.TSX),
        )
    ]
    assert ids == ["javascript", "javascriptreact", "typescript", "typescriptreact"]
