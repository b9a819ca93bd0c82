"""Controllers in real workers: what they receive, how they are rolled back, and what becomes of a completion."""

from __future__ import annotations

import struct
from collections.abc import Iterator

import pytest

from context_index.symbols import Language, Name, NameKind, Origin, SymbolContext
from decoder.completion import CompletionTask, complete
from decoder.controller.place_data import symbol_data
from decoder.controller.pool import Pool
from decoder.controller.protocol import Controller, Step
from decoder.controller.session import Limits
from decoder.errors import ProgramError
from tests.decoder.controller.steps import step_of
from tests.decoder.scripted import letters, says

pytestmark = pytest.mark.slow

LIMITS = Limits(load_seconds=20, step_seconds=5)
SOURCES = {
    Language.JAVASCRIPT: "let n = 0;"
    "export function step(s) { n += s.text.length + s.position; return {choose: n % 200} }",
    Language.PYTHON: "n = 0\ndef step(s):\n    global n\n"
    "    n += len(s.text) + s.position\n    return {'choose': n % 200}",
}


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    pool = Pool(limits=LIMITS)
    yield pool
    pool.close()


def step(position: int) -> Step:
    return step_of(position, "ab"[: position % 3], [(65, "é", -1), (66, "\U0001f600b", -2)])


@pytest.mark.parametrize("language", SOURCES)
def test_what_is_taken_back_never_was(pool: Pool, language: Language) -> None:
    controller = Controller(language, SOURCES[language])
    with pool.session(controller) as session:
        wanted = [session.step(step(position), 300) for position in range(40)]
    with pool.session(controller) as session:
        for position in range(37):
            session.step(step(position), 300)
        for count in (35, 17, 3):
            session.rollback(count)
            assert session.step(step(count), 300) == wanted[count]
            session.rollback(count)
        assert [session.step(step(position), 300) for position in range(3, 40)] == wanted[3:]


def test_a_worker_that_cannot_be_replaced_leaves_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    pool = Pool(most=1, limits=LIMITS)
    controller = Controller(Language.PYTHON, SOURCES[Language.PYTHON])

    def no_more(*_arguments: object, **_options: object) -> None:
        raise BlockingIOError("no more processes")

    with monkeypatch.context() as patched:
        with pool.session(controller):
            patched.setattr("decoder.controller.worker_process.start_python", no_more)
        assert (pool._idle, pool._lent) == ([], 0)
    with pool.session(controller) as session:
        assert session.has_steps
    pool.close()


@pytest.mark.parametrize("language", SOURCES)
def test_candidates_symbols_and_params_are_reported(pool: Pool, language: Language) -> None:
    names = {"total": Name("total", NameKind.VARIABLE, Origin.LOCAL, 0)}
    said = {
        Language.JAVASCRIPT: "export const wants = ['symbols', 'distribution'];"
        "export function step(s) { return { force: "
        "[s.candidates[1].text, s.candidates[0].id,"
        "s.symbols.names[0].name, s.distribution[3], params.of].join('|') } }",
        Language.PYTHON: "wants = ['symbols', 'distribution']\n"
        "def step(s):\n    one, two = s.candidates\n"
        "    return {'force': '|'.join(map(str, (two.text, one.id, s.symbols['names'][0]['name'], "
        "int(s.distribution[3]), params['of'])))}",
    }
    with pool.session(Controller(language, said[language], {"of": "it"})) as session:
        session.set_place(symbol_data(SymbolContext(Language.JAVASCRIPT, names)))
        logprobs = struct.pack("<6f", 0, 0, 0, -2, 0, 0)
        asked = step_of(0, "é", [(65, "a\x1f", -1), (66, "\U0001f600\0b", -2)], logprobs)
        if language is Language.PYTHON:
            with pytest.raises(ProgramError, match="force"):  # a null character was in it
                session.step(asked, 300)
        asked = step_of(1, "", [(65, "a", -1), (66, "\U0001f600b", -2)], logprobs)
        for _ in range(2):
            assert session.step(asked, 300).forced == "\U0001f600b|65|total|-2|it"
            session.rollback(0)


NAMES = {
    Language.JAVASCRIPT: "export function step(s) { return { force: Object.keys(s.symbols.prior).join() } }",
    Language.PYTHON: "def step(s): return {'force': ','.join(s.symbols['prior'])}",
}


@pytest.mark.parametrize("language", NAMES)
def test_a_place_may_have_any_name(pool: Pool, language: Language) -> None:
    with pool.session(Controller(language, NAMES[language])) as session:
        session.set_place({"prior": {"__proto__": 0.25, "a": 0.5}})
        assert session.step(step(0), 300).forced == "__proto__,a"


KEPT = {
    Language.JAVASCRIPT: "export const wants = ['distribution']; const kept = [];"
    "export function step(s) { kept.push(s); return { force: kept.map((one) => [one.position, one.text, "
    "one.candidates.map(({ id, text }) => id + text), one.candidates[0].logprob, one.distribution[0]]"
    ".join()).join('|') } }",
    Language.PYTHON: "wants, kept = ['distribution'], []\n"
    "def step(s):\n    kept.append(s)\n"
    "    each = ([one.position, one.text, *(f'{c.id}{c.text}' for c in one.candidates), "
    "int(one.candidates[0].logprob), int(one.distribution[0])] for one in kept)\n"
    "    return {'force': '|'.join(','.join(map(str, one)) for one in each)}",
}


@pytest.mark.parametrize("language", KEPT)
def test_a_step_that_a_program_keeps_stays_as_it_was(pool: Pool, language: Language) -> None:
    given = [
        step_of(0, "", [(65, "é", -1), (66, "b", -2)], struct.pack("<2f", -1, -9)),
        step_of(1, "x", [(67, "c", -3), (68, "\U0001f600", -4)], struct.pack("<2f", -3, -9)),
        step_of(2, "yz", [(69, "", -5)], struct.pack("<2f", -5, -9)),
    ]
    with pool.session(Controller(language, KEPT[language])) as session:
        said = [session.step(one, 300).forced for one in given]
    assert said[-1] == "0,,65é,66b,-1,-1|1,x,67c,68\U0001f600,-3,-3|2,xyz,69,-5,-5"
    assert said == [said[-1][: len(one)] for one in said]


PLAIN = """
export function step({ candidates }) {
  const plain = [{ id: 65, text: "a", logprob: -0.5 }, { id: 66, text: "\u00e9", logprob: -2 }];
  const ways = (list) => [
    JSON.stringify(list), JSON.stringify({ ...list[0] }), JSON.stringify([...list].sort((a, b) => b.id - a.id)),
    JSON.stringify(Object.getOwnPropertyDescriptors(list[1])), Object.keys(list).join(), Array.isArray(list),
    list.map(({ id: first, ...rest }) => first + JSON.stringify(rest)).join(), JSON.stringify(structured(list)),
  ];
  const structured = (list) => list.slice(1).concat(list).filter((one, at) => at).find((one) => "text" in one);
  return { force: String(ways(candidates).join() === ways(plain).join()) };
}
"""


def test_candidates_are_plain_objects(pool: Pool) -> None:
    with pool.session(Controller(Language.JAVASCRIPT, PLAIN)) as session:
        assert session.step(step_of(0, "", [(65, "a", -0.5), (66, "é", -2)]), 300).forced == "true"


CHANCE = {
    Language.JAVASCRIPT: "const a = [Math.random(), Date.now(), new Date().getTime()];"
    "export function step(s) { return { force: a.join() } }",
    Language.PYTHON: "import random, time\na = [random.random(), time.time(), time.monotonic_ns(), hash('a')]\n"
    "def step(s): return {'force': repr(a)}",
}


@pytest.mark.parametrize("language", CHANCE)
def test_chance_and_clocks_are_the_same_each_time(pool: Pool, language: Language) -> None:
    said = set()
    for _ in range(3):
        with pool.session(Controller(language, CHANCE[language])) as session:
            said.add(session.step(step(0), 300).forced)
            session.rollback(0)
            said.add(session.step(step(0), 300).forced)
    assert len(said) == 1


def completed(source: str, *pieces: bytes) -> str:
    controller = Controller(Language.JAVASCRIPT, source)
    symbols = SymbolContext(Language.JAVASCRIPT)
    task = CompletionTask("let x = ", "", symbols, controller=controller, constrained=False)
    return complete(says(*pieces), task).text


def test_a_completion_under_a_step() -> None:
    source = "export function step(s) { return s.text.endsWith('ab') ? { force: '!', stop: false } : {} }"
    assert completed(source, *letters(" abc")) == "ab!"


def test_a_completion_under_a_main_uses_what_was_written() -> None:
    source = "start(async () => { await $`n = `; const n = await gen({regex: /[1-9]/}); await $`; // ${n * n}` })"
    assert completed(source, *letters(" n = 7; // 49")) == "n = 7; // 49"


def test_a_completion_whose_program_fails_ends_with_its_sentence() -> None:
    with pytest.raises(ProgramError, match="on purpose"):
        completed("export function step(s) { throw new Error('on purpose') }", *letters("abc"))
    with pytest.raises(ProgramError, match="nothing can follow obj"):  # which the host's side of it knows
        completed("async function main() { await obj(); await num(1) }", *letters(" {}1"))
    assert completed("export function step(s) {}", *letters(" abc")) == "abc"
