"""Texts in code that is unfinished: what a person would write is accepted, what nothing below can mend is refused.

A case of `cases/unfinished-*.txt` is code with a cursor, `^`, below a preamble that its language shares:

    --- its name
    connect(^)                 the editor closed the bracket: what stands after the cursor on its line
    }                          lines below are what is left of the blocks around
    rest:  "a");               what completes the texts that say nothing else
    => 3,                      a text that is accepted,
    => 3‖, "a");               with what completes it
    =/> "3",                   a text that is refused

`\\n` is a line break. With the rest in place of what the editor closed, the file is finished: without an error after
each accepted text, with one after each refused text, and nothing else that is written after a refused text mends it. A
text ends its line where no rest begins on it: `return "x"` is no part of `return "x".length`. A name that nothing
declares is refused, though a declaration may follow.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby
from pathlib import Path

import pytest

from context_index import Syntax, Workspace, parse
from context_index.parts import find, part
from lsp_server.engine.verification import Candidate, Rejected, Verification, Verified, Verifier
from tests import needs
from tests.files import document, lay_out

pytestmark = pytest.mark.slow

TABLES = sorted((Path(__file__).parent / "cases").glob("unfinished-*.txt"))
JSX = """
declare namespace JSX {
  type Child = Element | string | number | boolean | null | undefined | Child[];
  interface Element {
    type: string;
  }
  interface ElementChildrenAttribute {
    children: {};
  }
  interface IntrinsicAttributes {
    key?: string | number;
  }
  interface IntrinsicElements {
    div: { className?: string; style?: { color?: string; width?: number }; children?: Child };
    p: { id?: string; title?: string; onClick?: (event: { x: number }) => void; children?: Child };
    button: { type?: "button" | "submit"; disabled?: boolean; onClick?: () => void; children?: Child };
    input: { value?: string; onChange?: (event: { target: { value: string } }) => void };
    ul: { children?: Child };
    li: { key?: string; children?: Child };
  }
}
"""
OPTIONS = {"module": "nodenext", "target": "es2022", "types": [], "jsx": "preserve"}
FILES = {
    "tsconfig.json": json.dumps({"compilerOptions": OPTIONS | {"strict": True}, "include": ["**/*.ts", "**/*.tsx"]}),
    "package.json": '{"type": "module"}',
    "jsx.d.ts": JSX,
    "catalogue.ts": "export class Catalogue {\n  add(name: string): void {\n    void name;\n  }\n}\n"
    "export function total(a: number, b: string): number {\n  return a + b.length;\n}\n",
    "checked/jsconfig.json": json.dumps(
        {"compilerOptions": OPTIONS | {"strict": True, "checkJs": True}, "include": [".", "../jsx.d.ts"]}
    ),
    "plain/jsconfig.json": json.dumps({"compilerOptions": OPTIONS, "include": ["."]}),
    "plain/sum.js": "export function splitTotal(total) {\n  return [total];\n}\n",
}
PIECES = re.compile(r"^(===|---) (.*)\n", re.MULTILINE)
TEXT = re.compile(r"(=>|=/>) (.*)")


class State(StrEnum):
    """What stands below the cursor."""

    BELOW = "below"
    """Nothing but what the editor closed on the cursor's line."""
    BLOCK = "block"
    """What closes the blocks around, and a further declaration."""
    FINISHED = "finished"
    """The rest of the code as well."""


@dataclass(frozen=True, slots=True)
class Text:
    text: str
    accepted: bool
    rest: str


@dataclass(frozen=True, slots=True)
class Case:
    name: str
    file: str
    before: str
    closed: str
    """What an editor closed on the line of the cursor."""
    below: str
    """What is left of the blocks around, and the declaration that follows."""
    texts: tuple[Text, ...]

    def after(self, text: Text, state: State) -> str:
        """What stands after the cursor."""
        match state:
            case State.BELOW:
                return self.closed
            case State.BLOCK:
                return self.closed + self.below
            case State.FINISHED:
                return text.rest + self.below


def read_case(name: str, file: str, written: str, preamble: str, later: str) -> Case:
    lines = written.rstrip("\n").split("\n")
    first = next(at for at, line in enumerate(lines) if line.startswith(("=>", "=/>", "rest: ")))
    before, cursor, after = "\n".join(lines[:first]).partition("^")
    assert cursor, name
    closed, line_break, below = after.partition("\n")
    default, texts = "", []
    for line in lines[first:]:
        if line.startswith("rest: "):
            default = unescaped(line.removeprefix("rest: "))
            continue
        match = TEXT.fullmatch(line)
        assert match is not None, line
        text, own, rest = match[2].partition("‖")
        texts.append(Text(unescaped(text), match[1] == "=>", unescaped(rest) if own else default))
    below = f"{line_break}{below}\n\n\n{later}"
    return Case(name, file, preamble + before, closed, below, tuple(texts))


def unescaped(text: str) -> str:
    return text.replace("\\n", "\n")


def read_table(path: Path) -> Iterator[Case]:
    """The cases of a table; `===` begins what they share: a file's name and its preamble, or what follows later."""
    file = preamble = later = ""
    pieces = PIECES.split(path.read_text("utf-8"))[1:]
    for kind, name, written in zip(pieces[::3], pieces[1::3], pieces[2::3], strict=True):
        if kind == "---":
            yield read_case(name, file, written, preamble, later)
        elif name == "later":
            later = written.strip("\n") + "\n"
        else:
            file, preamble = name, written.rstrip("\n") + "\n\n\n"


CASES = [case for path in TABLES for case in read_table(path)]


def in_each_state(cases: Sequence[Case]) -> Iterator[object]:
    for case in cases:
        for state in State:
            yield pytest.param(case, state, id=f"{case.file}: {case.name}-{state}")


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    needs.typescript()
    opened = Workspace([lay_out(tmp_path_factory.mktemp("project"), FILES)])
    opened.index()
    yield opened
    opened.close()


@pytest.mark.parametrize(("case", "state"), [*in_each_state(CASES)])
def test_texts_in_unfinished_code(case: Case, state: State, workspace: Workspace) -> None:
    """The errors that a file has without a text are asked for once, for all texts with the same file around them."""
    wrong = list[str | None]()
    for after, texts in groupby(case.texts, lambda text: case.after(text, state)):
        shown = parse(document(workspace.roots[0], case.file, case.before + after))
        verifier = Verifier(workspace)
        wrong += [wrongly_judged(verifier, shown, len(case.before), text) for text in texts]
        workspace.forget(shown.document.uri)
    assert [one for one in wrong if one] == []


def wrongly_judged(verifier: Verifier, shown: Syntax, offset: int, text: Text) -> str | None:
    """A sentence about a text that is judged otherwise than the table says."""
    found = verifier.verify(shown, Candidate(offset, text.text))
    if isinstance(found, Verified if text.accepted else Rejected):
        return None
    return f"{text.text!r} must be {'accepted' if text.accepted else 'refused'}: {described(found)}"


def described(found: Verification) -> str:
    match found:
        case Rejected(rejections):
            return "; ".join(f"{one.code} {one.message}" for one in rejections)
        case _:
            return str(found)


def test_the_tables_are_long_enough() -> None:
    """Fewer would mean that a table is not read."""
    assert len(CASES) >= 100
    assert len({(case.file, case.name) for case in CASES}) == len(CASES)
    assert {case.file.rpartition(".")[2] for case in CASES} == {"py", "ts", "tsx", "js", "jsx"}
    assert all({text.accepted for text in case.texts} & {True} for case in CASES)


@dataclass(frozen=True, slots=True)
class Program:
    """A finished file, for the checker alone."""

    file: str
    text: Text
    name: str
    content: str


def programs(cases: Sequence[Case]) -> Iterator[Program]:
    for number, case in enumerate(cases):
        for index, text in enumerate(case.texts):
            folder, slash, name = case.file.rpartition("/")
            content = case.before + text.text + case.after(text, State.FINISHED)
            yield Program(f"{folder}{slash}case_{number}_{index}_{name}", text, case.name, content)


def test_the_checkers_agree_with_the_tables_in_finished_files(tmp_path: Path) -> None:
    """The programs of TypeScript and of ty, without the verifier; names in plain JavaScript by a check of its types."""
    needs.typescript()
    written = list(programs(CASES))
    looser = {"compilerOptions": OPTIONS | {"strict": False, "checkJs": True}}
    lay_out(tmp_path, FILES | {"plain/jsconfig.json": json.dumps(looser)} | {one.file: one.content for one in written})
    typescript = [str(find(part("typescript")).path), "--noEmit", "--skipLibCheck", "--pretty", "false", "-p"]
    projects = ["tsconfig.json", "checked/jsconfig.json", "plain/jsconfig.json"]
    ty = [sys.executable, "-m", "ty", "check", "--output-format", "concise", "."]
    errors: dict[str, list[str]] = {}
    for command in (*([*typescript, project] for project in projects * 2), ty):
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        for line in done.stdout.splitlines():
            if match := re.match(r"([^\s:(]+)[:(]\d+\S* error", line):
                errors.setdefault(match[1], []).append(line)
                (tmp_path / match[1]).unlink(missing_ok=True)  # where one file does not parse, TypeScript says no more
    wrong = [
        f"{one.name}: {one.text.text!r} {errors.get(one.file, 'has no error')}"
        for one in written
        if one.text.accepted == (one.file in errors)
    ]
    assert not wrong, "\n".join(wrong)
