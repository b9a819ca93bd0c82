"""Whatever a program tries, its request ends with a sentence, and the next program runs as if nothing had been."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import psutil
import pytest

from context_index.symbols import Language
from decoder.controller import sandbox
from decoder.controller.pool import Pool
from decoder.controller.protocol import Answer, Controller, Step
from decoder.controller.session import Limits
from decoder.errors import ProgramError
from tests.decoder.controller.attacks import ANSWERS, FORGERIES, FORGERY, IS_SOCKET, PYTHON, SCRIPTS
from tests.decoder.controller.steps import step_of

pytestmark = pytest.mark.slow

VOCABULARY = 300
STEP = step_of(0, "x", [(65, "a", -1), (66, "b\x1f\x1e\0", -2), (67, "c", -3)])
GOOD = {
    Language.JAVASCRIPT: "export function step(s) { return { ban: [s.candidates[1].id] } }",
    Language.PYTHON: "def step(s): return {'ban': [s.candidates[1].id]}",
}
WANTED = {
    Language.JAVASCRIPT: Answer(bans=frozenset({66})),
    Language.PYTHON: Answer(bans=frozenset({66})),
}
MOST_RESIDENT = 600 << 20
"""Of a worker: its own libraries, and what a program was given."""


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    pool = Pool(most=2, limits=Limits(load_seconds=2.0, step_seconds=0.25))
    before = children()
    yield pool
    pool.close()
    assert children() <= before  # nothing is left running


def outcome(pool: Pool, language: Language, source: str, steps: int = 2, step: Step = STEP) -> Answer | str:
    """The last answer, or the sentence with which the request ended."""
    answer = Answer()
    try:
        with pool.session(Controller(language, source)) as session:
            for _ in range(steps):
                answer = session.step(step, VOCABULARY)
    except ProgramError as error:
        return str(error)
    return answer


def children() -> set[int]:
    return {process.pid for process in psutil.Process().children(recursive=True) if process.status() != "zombie"}


def check_the_next(pool: Pool, language: Language) -> None:
    with pool.session(Controller(language, GOOD[language])) as session:
        assert session.step(STEP, VOCABULARY) == WANTED[language]
    for worker in pool._idle:
        assert psutil.Process(worker.process.pid).memory_info().rss < MOST_RESIDENT


@pytest.mark.parametrize("attack", SCRIPTS)
def test_javascript_in_a_step(pool: Pool, attack: str) -> None:
    code = json.dumps(SCRIPTS[attack])
    result = outcome(
        pool, Language.JAVASCRIPT, f"export function step(s) {{ return {{ force: String((0, eval)({code})) }} }}"
    )
    check_the_next(pool, Language.JAVASCRIPT)
    if isinstance(result, str):
        assert result
    elif attack == "globals":
        hosts = {"process", "require", "Deno", "fetch", "std", "os", "print", "load", "setTimeout", "WebAssembly"}
        assert not hosts & set(result.forced.split(","))
    elif attack == "constructor":
        assert result.forced == "undefined"


@pytest.mark.parametrize("attack", ANSWERS)
def test_an_answer_that_is_none_is_a_sentence(pool: Pool, attack: str) -> None:
    answer, word = ANSWERS[attack]
    result = outcome(pool, Language.JAVASCRIPT, f"export function step(s) {{ return {answer} }}")
    check_the_next(pool, Language.JAVASCRIPT)
    assert result == Answer() if word is None else (isinstance(result, str) and word in result)


@pytest.mark.parametrize("attack", SCRIPTS)
def test_javascript_while_it_is_loaded(pool: Pool, attack: str) -> None:
    code = json.dumps(SCRIPTS[attack])
    result = outcome(
        pool, Language.JAVASCRIPT, f"(0, eval)({code}); export function step(s) {{ return {{}} }}", steps=1
    )
    check_the_next(pool, Language.JAVASCRIPT)
    assert result == Answer() or isinstance(result, str)


@pytest.mark.skipif(bool(sandbox._MISSING), reason="without seccomp Python is held to less")
@pytest.mark.parametrize("attack", PYTHON)
def test_python_in_a_step(pool: Pool, attack: str) -> None:
    result = outcome(pool, Language.PYTHON, PYTHON[attack])
    check_the_next(pool, Language.PYTHON)
    if attack == "command":
        assert isinstance(result, str) or result.forced != "0"
    else:
        assert isinstance(result, str)


@pytest.mark.parametrize("attack", FORGERIES)
def test_forged_messages_of_a_worker(pool: Pool, attack: str) -> None:
    result = outcome(pool, Language.PYTHON, IS_SOCKET + FORGERY + FORGERIES[attack])
    check_the_next(pool, Language.PYTHON)
    assert isinstance(result, str)


READS_SLOWLY = """import sys, time
wants = ["distribution"]
def slowly(line):
    while True:
        line.recv(1000)
        time.sleep(0.01)
def step(s):
    sys.modules["__main__"].receive = slowly
"""


def test_who_reads_slowly_has_the_host_wait_no_longer(pool: Pool) -> None:
    large = replace(STEP, distribution=bytes(4 << 20))
    assert "does not listen" in str(outcome(pool, Language.PYTHON, READS_SLOWLY, step=large))
    check_the_next(pool, Language.PYTHON)


def test_a_program_that_is_not_asked_uses_no_processor(pool: Pool) -> None:
    source = "(async () => { for (;;) await new Promise(() => {}) })(); export function step(s) { return {} }"
    with pool.session(Controller(Language.JAVASCRIPT, source)) as session:
        session.step(STEP, VOCABULARY)
        process = psutil.Process(session.pid)
        before = process.cpu_times()
        time.sleep(0.5)
        after = process.cpu_times()
    assert after.user + after.system - before.user - before.system < 0.1


def test_a_worker_outlives_the_thread_that_asked_for_it() -> None:
    pool = Pool(most=1)

    def first() -> int:
        with pool.session(Controller(Language.JAVASCRIPT, "export function step(s) { return {} }")) as session:
            return session.pid

    try:
        with ThreadPoolExecutor(1) as thread:
            pid = thread.submit(first).result()
        time.sleep(0.2)  # what the system does at a thread's end is done soon, but not at once
        assert first() == pid
    finally:
        pool.close()


def test_two_hundred_programs_share_four_workers() -> None:
    pool = Pool(limits=Limits(load_seconds=20, step_seconds=5))
    pids: set[int] = set()
    running: list[int] = []

    def one(number: int) -> object:
        source = f"let n = 0; export function step(s) {{ return {{ choose: ({number} + n++) % 200 }} }}"
        if number % 20 == 7:
            source = "export function step(s) { throw new Error('on purpose') }"
        try:
            with pool.session(Controller(Language.JAVASCRIPT, source)) as session:
                pids.add(session.pid)
                running.append(sum(psutil.pid_exists(pid) for pid in tuple(pids)))
                return [session.step(STEP, VOCABULARY).choice for _ in range(3)]
        except ProgramError as error:
            return str(error)

    try:
        with ThreadPoolExecutor(50) as threads:
            found = list(threads.map(one, range(200)))
    finally:
        pool.close()
    for number, answers in enumerate(found):
        if number % 20 == 7:
            assert "on purpose" in str(answers)
        else:
            assert answers == [(number + step) % 200 for step in range(3)]
    assert max(running) <= 4  # at a time: a worker whose memory has grown is replaced
    assert len(pids) <= 8
