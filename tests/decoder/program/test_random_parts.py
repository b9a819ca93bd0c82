"""Parts made of random pieces of text are refused when they are built, or what is written for them parses."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from importlib.resources import files
from random import Random

import pytest

from benchmarks.random_programs import python_main, reads_javascript, reads_python
from context_index.symbols import Language
from decoder.controller.quickjs import Machine
from decoder.program import Program, ProgramError
from decoder.program.nodes import ProgramNode
from decoder.program.runner import Awaited, Runner
from decoder.program.wire import from_json
from tests.decoder.program.walking import walk

COUNT = int(os.environ.get("INSCOPE_RANDOM_PARTS", "1500"))
"""A hundred thousand take a minute."""
PIECES = (
    "a", "b.c", ".", "(", ")", "[", "]", "{", "}", "//", "/*", "*/", "`", "'", '"', "\n", "=>", "...", "async ",
    "await ", "yield ", ",", ";", ":", "?", "?.", "new ", "-", "++", "1", "0x1", "1.", "#x", "#", "\\", "in ", " ", "=",
    "+", "**", "function", "class", "/", "import", "super", "this", "new.target", "let", "typeof ", "!", "\u2028",
    "<!--", "-->", "lambda x:", "*", "@", "not ", "is ", "if ", "else ", "for ", ":=", "f'", "()", "[0]", "{}", "${",
)  # fmt: skip
HOLES = {
    "javascript": (
        "num()", "str()", "id()", "callOf(T('f'))(obj(a))", "obj(a)", "str(T('a', ''), num())", "memberOf(T('u'))(a)",
    ),
    "python": ("num()", "str_()", "id_()", "call_of('f')(obj(a))", "obj(a)", "str_('a', num())", "member_of('u')(a)"),
}  # fmt: skip
PARTS = {
    "javascript": (
        "callOf({0})(1)", "membersOf({0})(a)", "obj(computedProperty({0})(1))", "obj(property({0})(1))",
        "memberOf(T('u'))(property({0}))", "variable({0})(1)", "callOf(T('f'))($({0}))", "manyOf($({0}))",
        "returnOf($({0}))", "oneOf($({0}), callOf(T('f'))())",
    ),
    "python": (
        "call_of({0})(1)", "members_of({0})(a)", "obj(computed_property({0})(1))", "obj(property_({0})(1))",
        "member_of('u')(property_({0}))", "variable({0})(1)", "call_of('f')(text({0}))", "many_of(text({0}))",
        "return_of(text({0}))", "one_of(text({0}), call_of('f')())",
    ),
}  # fmt: skip
BEGIN = {
    "javascript": "globalThis.T = (...strings) => Object.assign(strings, { raw: strings });"
    "globalThis.a = property(T('a'))(1); 0",
    "python": "    a = property_('a')(1)\n",
}


class One(Runner):
    """A program of one part."""

    def __init__(self, node: ProgramNode) -> None:
        self._node = node

    def after(self, history: tuple[str, ...]) -> Awaited | None:
        return None if history else Awaited(self._node)


def drawn(draw: Random, language: str) -> str:
    """A part with random text and blanks in it."""
    texts = ["".join(draw.choices(PIECES, k=draw.randrange(5))) for _ in range(draw.randrange(1, 4))]
    holes = draw.choices(HOLES[language], k=len(texts) - 1)
    if language == "javascript":
        given = ", ".join([f"T({', '.join(map(json.dumps, texts))})", *holes])
    else:
        given = ", ".join([repr(texts[0]), *(f"{hole}, {text!r}" for hole, text in zip(holes, texts[1:], strict=True))])
    return draw.choice(PARTS[language]).format(given)


def javascript(sources: list[str], machine: Machine) -> Iterator[tuple[str, Program]]:
    """Those that can be built, as programs."""
    machine.load('import "inscope"', "<host>")
    machine.ask(BEGIN["javascript"])
    for source in sources:
        built = machine.ask(f"(() => {{ try {{ return JSON.stringify({source}) }} catch {{ return '' }} }})()")
        if built:
            node = from_json(json.loads(built))
            assert not isinstance(node, Awaited)
            yield source, Program(One(node), Language.JAVASCRIPT)


def python(sources: list[str]) -> Iterator[tuple[str, Program]]:
    for source in sources:
        yield source, Program.of(python_main(f"{BEGIN['python']}    await {source}"))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@pytest.mark.parametrize("language", PARTS)
def test_random_parts(language: str) -> None:
    draw = Random(5)
    sources = [drawn(draw, language) for _ in range(COUNT)]
    machine = Machine({"inscope": files("decoder.program").joinpath("inscope.js").read_text("utf-8")}, deadline_s=60.0)
    wrong, written = [], 0
    for source, program in javascript(sources, machine) if language == "javascript" else python(sources):
        try:
            start = program.constraint()
            texts = {walk(start, Random(seed), free=20) for seed in range(3)}
        except ProgramError:  # a variable's name that is reserved, say
            continue
        written += 1
        for text in texts:
            reads = reads_python(text) if language == "python" else reads_javascript(machine, text)
            if not reads and not within_async(text, machine if language == "javascript" else None):
                wrong.append((source, text))
    assert wrong == []
    assert written > COUNT // 20


def within_async(text: str, machine: Machine | None) -> bool:
    """Whether it is the body of a function that is async."""
    if machine is not None:
        return reads_javascript(machine, f"async function f() {{ {text}\n}}") or reads_javascript(
            machine, f"async function f() {{ ({text}\n) }}"
        )
    body = "".join(f"    {line}\n" for line in text.split("\n"))
    try:
        compile(f"async def f():\n{body}", "<text>", "exec")
    except (SyntaxError, ValueError):
        return False
    return True
