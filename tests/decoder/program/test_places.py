"""Programs at places of files, by the real checkers: paths of each kind of type, and what a call may be given."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from benchmarks.grammar_engines import GbnfEngine
from benchmarks.random_programs import python_main
from context_index import Document, Language, Workspace, parse
from decoder.program import Program, ProgramError
from tests import needs
from tests.decoder.program.walking import allows

pytestmark = pytest.mark.slow

CASES = Path(__file__).with_name("places.txt").read_text("utf-8")
FILES = {
    "desk.ts": """
export class Desk { label = "a"; lend(book: string, days: number): void {} }
""",
    "place.ts": """
import { Desk } from "./desk";
type Level = "low" | "high";
interface User { name: string; age: number; address: { city: string; zip: number }; tags: string[] }
enum Color { RED = "red", GREEN = "green" }
declare function text(a: string): void;
declare function number(a: number): void;
declare function flag(a: boolean): void;
declare function mode_of(a: "net" | "gross"): void;
declare function texts(a: string[]): void;
declare function perhaps(a: string | undefined): void;
declare function greet(a: User): void;
declare function move(a: Desk): void;
declare function paint(a: Color): void;
declare function visit(a: (text: string) => void): void;
declare function what(a: unknown): void;
declare function two(a: string, b?: number): void;
declare function point(a: { x: number; y?: string; level: Level }): void;
declare function plot(a: { x: number; kind: "bar" | "line" }): void;
declare function level(a: Level, ...rest: string[]): void;
type Tree = { of: Tree[] } | string;
declare function grow(a: Tree): void;
function place(user: User, rate: number, title: string, ok: boolean, mode: "net" | "gross", items: string[],
  maybe: string | undefined, anything: any) {
  const desk = new Desk();
  ^
}
""",
    "place.js": """
import { Desk } from "./desk";
/** @typedef {{ name: string, age: number, address: { city: string, zip: number }, tags: string[] }} User */
/** @param {string} a */
function text(a) {}
/** @param {number} a */
function number(a) {}
/** @param {boolean} a */
function flag(a) {}
/** @param {"net" | "gross"} a */
function mode_of(a) {}
/** @param {string[]} a */
function texts(a) {}
/** @param {string | undefined} a */
function perhaps(a) {}
/** @param {User} a */
function greet(a) {}
/** @param {Desk} a */
function move(a) {}
/** @param {(text: string) => void} a */
function visit(a) {}
/** @param {unknown} a */
function what(a) {}
/** @param {string} a @param {number} [b] */
function two(a, b) {}
/**
 * @param {User} user
 * @param {number} rate
 * @param {string} title
 * @param {boolean} ok
 * @param {"net" | "gross"} mode
 * @param {string[]} items
 * @param {string | undefined} maybe
 * @param {any} anything
 */
function place(user, rate, title, ok, mode, items, maybe, anything) {
  const desk = new Desk();
  ^
}
""",
    "tsconfig.json": '{"compilerOptions": {"strict": true, "target": "es2022", "allowJs": true}}',
    "desk.py": """
class Desk:
    label: str = "a"

    def lend(self, book: str, days: int) -> None: ...
""",
    "place.py": """
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any, Literal

from desk import Desk

class Color(Enum):
    RED = 1
    GREEN = 2

@dataclass
class Address:
    city: str
    zip: int

@dataclass
class User:
    name: str
    age: int
    address: Address
    tags: list[str]

def text(a: str) -> None: ...
def number(a: float) -> None: ...
def flag(a: bool) -> None: ...
def mode_of(a: Literal["net", "gross"]) -> None: ...
def texts(a: list[str]) -> None: ...
def perhaps(a: str | None) -> None: ...
def greet(a: User) -> None: ...
def move(a: Desk) -> None: ...
def paint(a: Color) -> None: ...
def visit(a: Callable[[str], None]) -> None: ...
def what(a) -> None: ...
def two(a: str, b: float = 0) -> None: ...
def named(a: str, *, deep: bool, limit: int = 3) -> None: ...
def whole(a: int) -> None: ...
def pair(a: set[str]) -> None: ...
def place(
    user: User, rate: float, title: str, ok: bool, mode: Literal["net", "gross"], items: list[str],
    maybe: str | None, anything: Any,
):
    desk = Desk()
    ^
""",
}
WORDS = {".py": {"@true": "True", "@none": "None"}, ".ts": {"@true": "true", "@none": "undefined"}}
LANGUAGES = {".py": Language.PYTHON, ".ts": Language.TYPESCRIPT, ".js": Language.JAVASCRIPT}
PLACES = ("place.py", "place.ts", "place.js")


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    needs.typescript()
    root = tmp_path_factory.mktemp("places")
    for name, content in FILES.items():
        (root / name).write_text(content.replace("^", ""), "utf-8")
    opened = Workspace([root])
    opened.index()
    yield opened
    opened.close()


@contextmanager
def program(workspace: Workspace, name: str, function: str, before: str = "") -> Iterator[Program]:
    """One that calls a function of the place with its symbols."""
    content = FILES[name]
    document = Document((workspace.roots[0] / name).as_uri(), LANGUAGES[name[-3:]], content.replace("^", ""))
    symbols = workspace.context(parse(document), content.index("^"))
    if name.endswith(".py"):
        yield Program.of(python_main(f"    {before}await call_of('{function}')(symbols)"), symbols=symbols)
        return
    script = f"async function main() {{ {before}await callOf`{function}`(symbols) }}"
    with Program.read("program.js", script, symbols=symbols) as made:
        yield made


def cases() -> Iterator[tuple[str, list[str]]]:
    """Each function, and what is said of calls of it."""
    for block in CASES.split("\n\n")[1:]:
        function, *verdicts = block.splitlines()
        yield function, verdicts


@pytest.mark.parametrize("name", PLACES)
@pytest.mark.parametrize(
    ("function", "verdicts"), [*cases()], ids=lambda value: value if isinstance(value, str) else ""
)
def test_a_call_takes_what_type_checks(workspace: Workspace, name: str, function: str, verdicts: list[str]) -> None:
    words = WORDS.get(name[-3:], WORDS[".ts"])
    with program(workspace, name, function) as made:
        for verdict in verdicts:
            text = re.sub(r"@\w+", lambda found: words[found[0]], verdict[2:])
            assert allows(made.constraint(), text) is (verdict[0] == "+"), text


OWN = {
    "place.ts paint": {"paint(Color.RED)": True, "paint(title)": False, "paint(Color)": False},
    "place.py paint": {"paint(Color.RED)": True, "paint(title)": False, "paint(Color)": False},
    "place.ts level": {'level("low")': True, 'level("other")': False, "level(title)": False},
    "place.ts grow": {'grow("a")': True, 'grow({\n  of: ["a"],\n})': True, "grow(1)": False},
    "place.ts point": {'point({\n  x: 1,\n  level: "low",\n})': True, "point({})": False, "point(user)": False},
    "place.ts plot": {
        'plot({\n  x: 1,\n  kind: "bar",\n})': True, 'plot({\n  x: 1,\n  kind: "line",\n})': True,
        'plot({\n  x: 1,\n  kind: "a",\n})': False,
    },
    "place.py named": {
        "named(title, deep=ok)": True, 'named("a", deep=True, limit=1)': True, 'named("a")': False,
        'named("a", True)': False, 'named("a", deep=ok, limit=1.5)': False,
    },
    "place.py whole": {"whole(1)": True, "whole(user.age)": True, "whole(1.5)": False, "whole(rate)": False},
}  # fmt: skip


@pytest.mark.parametrize("case", OWN)
def test_what_one_language_has(workspace: Workspace, case: str) -> None:
    name, function = case.split()
    with program(workspace, name, function) as made:
        assert {text: allows(made.constraint(), text) for text in OWN[case]} == OWN[case]


KNOWN = {
    "f(title, rate, ok)": True, "f(user.address.city, user.address.zip, ok)": True, "f(mode, 1, ok)": True,
    "f(rate, rate, ok)": False, "f(title, title, ok)": False, "f(title, ok, ok)": False, "f(anything, rate, ok)": False,
    "f(maybe, rate, ok)": False, "f(user, rate, ok)": False,
}  # fmt: skip
BLANKS = {
    ".py": "await context_of(symbols); await call_of('f')(str_(), num(), bool_()); ",
    ".ts": "await contextOf(symbols); await callOf`f`(str(), num(), bool()); ",
}


@pytest.mark.parametrize("name", PLACES)
def test_blanks_hold_what_is_of_their_type(workspace: Workspace, name: str) -> None:
    end = {".py": ""}.get(name[-3:], ";")
    with program(workspace, name, "flag", BLANKS.get(name[-3:], BLANKS[".ts"])) as made:
        assert {text: allows(made.constraint(), f"{text}{end}\nflag(ok)") for text in KNOWN} == KNOWN


@pytest.mark.parametrize("name", PLACES)
def test_what_cannot_be_called_is_said(workspace: Workspace, name: str) -> None:
    said = "nothing is known of what 'title' takes"
    with program(workspace, name, "title") as made, pytest.raises(ProgramError, match=said):
        made.constraint()


def test_a_parameter_that_nothing_fits_is_named(workspace: Workspace) -> None:
    with program(workspace, "place.py", "pair") as made, pytest.raises(ProgramError, match=r"of type set\[str\], and"):
        made.constraint()


def test_without_a_checker_a_sentence_says_why(tmp_path: Path) -> None:
    (tmp_path / "tsc").write_text("", "utf-8")
    opened = Workspace([tmp_path], typescript=tmp_path / "tsc")
    with program(opened, "place.ts", "text") as made, pytest.raises(ProgramError, match="not trusted"):
        made.constraint()
    opened.close()


def test_a_grammar_has_as_many_elements_of_a_list_as_the_program(workspace: Workspace) -> None:
    with program(workspace, "place.py", "texts") as made:
        grammar = GbnfEngine(made.lowered("gbnf").text)
        for count, is_right in {0: False, 1: True, 8: True, 9: False}.items():
            text = "texts([" + ", ".join(['"a"'] * count) + "])"
            assert (grammar.accepts(text), allows(made.constraint(), text)) == (is_right, is_right), text
