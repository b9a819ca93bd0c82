"""Real type checkers treated badly: killed, stalled, flooded, fed what kills them, and replaced by impostors."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import Any

import psutil
import pytest

from context_index.oracles import Answer, Limits, Oracle, Pending, Server, Waiting, supervised
from context_index.symbols import Closed, Listed, Members, NameKind, Open, Position
from context_index.text import Document
from tests.context_index.checkers import (
    KINDS,
    PATIENCE,
    PROVING,
    ask,
    brief,
    checker_for,
    document,
    project,
    source_for,
    stall,
    told,
)

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return project(tmp_path_factory.mktemp("project"))


GOOD = {"ts": "export {}; 'a'.^", "py": "'a'.^"}
NAMES = ["upper", "trim"]


def well(kind: str) -> tuple[str, ...]:
    """What a healthy one says of `GOOD`."""
    return tuple(f"{'closed' if kind in PROVING else 'listed'} {name}" for name in NAMES)


def until_answered(oracle: Oracle, root: Path, kind: str) -> str:
    """Ask until the checker is back."""
    give_up, suffix = time.monotonic() + PATIENCE, KINDS[kind]
    while True:
        found = told(ask(oracle, root, f"good.{suffix}", GOOD[suffix]), NAMES)
        if found != "open" or time.monotonic() > give_up:
            return found
        time.sleep(0.02)


def asked(oracle: Oracle, root: Path, kind: str) -> Pending:
    """The question whose answer is known, put without waiting."""
    suffix = KINDS[kind]
    before = GOOD[suffix].replace("^", "")
    return oracle.names(document(root, f"good.{suffix}", before), len(before), Position.MEMBER)


class Alone(Oracle):
    """An oracle with one source, whose process can be looked at."""

    def __init__(self, kind: str, root: Path, limits: Limits | None = None) -> None:
        self.server = source_for(kind, root, limits or brief(kind))
        super().__init__([self.server], remembers=0)

    @property
    def process(self) -> psutil.Process:
        assert self.server.pid is not None
        return psutil.Process(self.server.pid)


@pytest.fixture(params=KINDS)
def fresh(request: pytest.FixtureRequest, root: Path) -> Iterator[tuple[Alone, str]]:
    """A server of its own for each fault; none survives its test."""
    kind: str = request.param
    oracle = Alone(kind, root)
    yield oracle, kind
    pid = oracle.server.pid
    oracle.close()
    assert oracle.server.pid is None
    assert pid is None or not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE


def test_a_killed_server_is_started_again(fresh: tuple[Alone, str], root: Path) -> None:
    oracle, kind = fresh
    assert until_answered(oracle, root, kind) in well(kind)
    oracle.process.kill()
    assert until_answered(oracle, root, kind) in well(kind)
    assert oracle.server.starts == 2


def test_a_server_killed_while_it_works_answers_open(fresh: tuple[Alone, str], root: Path) -> None:
    oracle, kind = fresh
    until_answered(oracle, root, kind)
    process = oracle.process
    stall(process)
    pending = asked(oracle, root, kind)
    process.kill()
    assert told(pending.answer(PATIENCE), NAMES) in ("open", *well(kind))
    assert until_answered(oracle, root, kind) in well(kind)


def test_a_stalled_server_is_late_and_then_replaced(fresh: tuple[Alone, str], root: Path) -> None:
    oracle, kind = fresh
    until_answered(oracle, root, kind)
    stall(oracle.process)
    late = asked(oracle, root, kind)
    at_once = late.answer(0.01)
    assert isinstance(at_once.members, Open)
    assert "has not answered within 10 ms" in at_once.members.why
    assert isinstance(late.answer(PATIENCE).members, Open)
    assert until_answered(oracle, root, kind) in well(kind)
    assert oracle.server.starts == 2


def test_a_server_that_is_slow_and_at_work_is_not_replaced(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    oracle = Alone("py", root, replace(brief("py"), answer=0.2, busy=PATIENCE))
    assert until_answered(oracle, root, "py") in well("py")
    seconds = count()
    monkeypatch.setattr(supervised, "_used", lambda _connection: float(next(seconds)))
    process = oracle.process
    stall(process)
    late = asked(oracle, root, "py")
    assert isinstance(late.answer(1.0).members, Open)
    process.resume()
    assert told(late.answer(PATIENCE), NAMES) in well("py")
    assert oracle.server.starts == 1
    oracle.close()


DEADLY = {
    "deep nesting": "(" * 50_000,
    "a long line": "x = " + " + ".join(["1"] * 50_000) + "\n",
    "nothing closed": "[{(" * 2_000,
    "a lone surrogate": "s = '\ud800'\n",
    "zeros": "\0" * 1_000 + "\n",
}


@pytest.mark.parametrize("poison", DEADLY)
def test_texts_that_kill_servers_do_not_kill_us(poison: str, fresh: tuple[Alone, str], root: Path) -> None:
    oracle, kind = fresh
    bad = document(root, f"bad.{KINDS[kind]}", DEADLY[poison] + "x.")
    for position in (Position.MEMBER, Position.KEYWORD_ARGUMENT, Position.OBJECT_KEY):
        answer = oracle.names(bad, len(bad.text), position).answer(PATIENCE)
        assert isinstance(answer.members, Open | Listed | Closed)
    assert until_answered(oracle, root, kind) in well(kind)


def test_an_idle_server_is_stopped_and_comes_back(root: Path) -> None:
    oracle = Alone("py", root, replace(brief("py"), idle=0.05))
    assert until_answered(oracle, root, "py") in well("py")
    give_up = time.monotonic() + PATIENCE
    while oracle.server.pid is not None and time.monotonic() < give_up:
        time.sleep(0.02)
    assert oracle.server.pid is None
    assert until_answered(oracle, root, "py") in well("py")
    oracle.close()


def test_a_server_that_grows_too_large_is_replaced(root: Path) -> None:
    oracle = Alone("py", root, replace(brief("py"), memory=1))
    assert until_answered(oracle, root, "py") in well("py")
    assert oracle.server.pid is None
    assert until_answered(oracle, root, "py") in well("py")
    assert oracle.server.starts == 2
    oracle.close()


AHEAD = """
import numpy as np, os.path                => np os
import json<>x = 1                         => json
if x:<>    import a.b.c as d  # why        => d
from a import b                            => -
important = 1                              => -
"""


@pytest.mark.parametrize("case", AHEAD.strip().splitlines())
def test_names_of_imported_modules_are_listed_ahead(case: str, root: Path) -> None:
    text, modules = (part.strip() for part in case.replace("<>", "\n").split("=>"))
    ahead = checker_for("py").ahead(document(root, "a.py", text + "\n"))
    assert ahead == [f"{text}\n{module}." for module in modules.replace("-", "").split()]


@pytest.mark.parametrize("suffix", ["ts", "py"])
def test_a_document_that_is_opened_is_looked_through(suffix: str, root: Path) -> None:
    oracle = Alone(suffix, root, Limits())
    text = "x = 1\n" if suffix == "ts" else "import json\n"
    assert oracle.prepare(document(root, f"good.{suffix}", text)).wait(PATIENCE).value is None
    assert oracle.server.seconds > 0
    oracle.close()


def test_a_question_nobody_wants_any_more_costs_nothing(root: Path) -> None:
    oracle = Alone("py", root)
    pending = [oracle.names(document(root, "a.py", "'a'."), 4, Position.MEMBER) for _ in range(50)]
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

    def __getattr__(self, name: str) -> object:
        """How to ask and to read is never got to; it is ty's."""
        return getattr(checker_for("py"), name)


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
    _REPLY + "say(b'[' * 200_000); sys.stdin.read()": "the process ended",
    _REPLY + 'sys.stdin.buffer.read(1); say(b\'{"id": 1, "error": {"message": "not today"}}\'); sys.stdin.read()': (
        "not today"  # an answer to what was asked: one that comes before it is nobody's
    ),
    _REPLY + '[say(b\'{"method": "spam"}\') for _ in iter(int, 1)]': "no answer within",
    "import time; time.sleep(1000)": "no answer within",
}


@pytest.mark.filterwarnings("error::pytest.PytestUnhandledThreadExceptionWarning")
@pytest.mark.parametrize("script", IMPOSTORS)
def test_what_is_no_checker_is_told_in_one_sentence(script: str, tmp_path: Path) -> None:
    start = 1.0 if IMPOSTORS[script] == "no answer within" else PATIENCE  # what is said at once may be said late here
    server = Server(Impostor(script), tmp_path, replace(brief("py"), start=start))  # type: ignore[arg-type]  # borrows from ty
    oracle = Oracle([server])
    answer = oracle.names(document(tmp_path, "a.py", "x."), 2, Position.MEMBER).answer(PATIENCE)
    assert isinstance(answer.members, Open)
    assert IMPOSTORS[script] in answer.members.why
    oracle.close()


QUESTIONS: dict[str, Callable[[Oracle, Document], Waiting[Any] | Pending]] = {
    "names": lambda oracle, text: oracle.names(text, 4, Position.LITERAL),
    "signature": lambda oracle, text: oracle.signature(text, 4),
    "remarks": lambda oracle, text: oracle.remarks(text),
    "globals": lambda oracle, text: oracle.globals(text),
    "prepare": lambda oracle, text: oracle.prepare(text),
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_every_question_survives_a_killed_and_a_stalled_server(
    question: str, fresh: tuple[Alone, str], root: Path
) -> None:
    oracle, kind = fresh
    for harm in (psutil.Process.kill, stall):
        assert until_answered(oracle, root, kind) in well(kind)
        harm(oracle.process)
        put = QUESTIONS[question](oracle, document(root, f"harmed.{KINDS[kind]}", "f('a'"))
        found = put.answer(PATIENCE) if isinstance(put, Pending) else put.wait(PATIENCE)
        value = found.members if isinstance(found, Answer) else found.value
        assert found.by
        assert isinstance(value, Open) or harm is psutil.Process.kill or question == "prepare"
    assert until_answered(oracle, root, kind) in well(kind)


def test_a_flood_of_questions_is_answered_in_order(fresh: tuple[Alone, str], root: Path) -> None:
    oracle, kind = fresh
    flood = [asked(oracle, root, kind) for _ in range(300)]
    for one in flood[:-1]:
        one.drop()
    assert told(flood[-1].answer(PATIENCE), NAMES) in well(kind)
    assert all(one.done for one in flood)


def test_who_cannot_wait_for_the_proof_has_the_list() -> None:
    waiting = Waiting[Members]("checker")
    pending = Pending(waiting)
    assert isinstance(pending.answer(0).members, Open)
    waiting.so_far(Listed({"upper": NameKind.METHOD}), "checker")
    assert pending.answer(0).members == Listed({"upper": NameKind.METHOD})
    waiting.settle(Closed({"upper": NameKind.METHOD}))
    assert isinstance(pending.answer(0).members, Closed)
