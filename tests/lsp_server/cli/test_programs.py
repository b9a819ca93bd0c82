"""`inscope generate` and `inscope lower`: what they print, and what they report of a file that is no program."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from decoder.draft.window import Costs
from lsp_server.cli import main
from lsp_server.cli.printing import print_text
from tests.decoder.program.walking import AT_A_PLACE

pytestmark = pytest.mark.usefixtures("quickjs")
EXAMPLES = Path(__file__).parents[3] / "examples" / "programs"
PROGRAMS = Path(__file__).parents[3] / "docs" / "programs.md"


def test_a_program_is_lowered(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lower", str(EXAMPLES / "calculator.js"), "--to", "gbnf"]) == 0
    said = capsys.readouterr()
    assert 'root ::= ("let "' in said.out
    assert said.out.count("# approximated, wider: ") == said.err.count("note: approximated, wider: ") == 2


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("throw new Error('no luck')", "threw: no luck"),
        ("async function main() { await oneOf() }", "allows no text at all"),
        ("inscope$.question = () => '['.repeat(500000); async function main() {}", "has broken what it was run with"),
    ],
)
def test_programs_that_fail(source: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "wrong.js"
    path.write_text(source, "utf-8")
    assert main(["generate", "--program", str(path), "--json"]) == 1
    answer = json.loads(capsys.readouterr().out)
    assert answer["error"]["code"] == "program_failed"
    assert said in answer["error"]["message"]


def test_a_program_that_awaits_nothing_is_told_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "forgets.js"
    path.write_text("async function main() { $`a` }", "utf-8")
    assert main(["generate", "--program", str(path), "--json"]) == 0
    assert "only parts that it awaits" in json.loads(capsys.readouterr().out)["notes"][0]


PLACES = {
    ".js": "function bill(rate: number, to: string): void {}\nfunction f(tax: number, who: string) {\n  \n}\n",
    ".py": "def bill(rate: float, to: str) -> None: ...\ndef f(tax: float, who: str):\n  \n",
}


@pytest.mark.slow
@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.[jp]*")), ids=lambda path: path.name)
def test_every_example_runs_on_the_embedded_model_in_any_folder(
    path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(path, tmp_path)
    arguments = ["generate", "--program", path.name, "--max-tokens", "48", "--json"]
    if path.stem in AT_A_PLACE:
        place = tmp_path / ("bills" + {".js": ".ts", ".py": ".py"}[path.suffix])
        place.write_text(PLACES[path.suffix], "utf-8")
        arguments += ["--context", f"{place}:3:3", "--params", '{"function": "bill"}']
    assert main(arguments) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["error"] is None
    assert answer["text"]
    if path.stem == "here":
        assert re.fullmatch(r"bill\((tax|-?[\d.]+), (who|\".*\")\)", answer["text"])


DOCUMENTED = re.findall(r"^\| `(\w+\.js)(.*)` \| `(.*)` \|$", PROGRAMS.read_text("utf-8"), re.MULTILINE)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "options", "text"), DOCUMENTED)
def test_examples_write_what_the_documentation_says(
    name: str, options: str, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["generate", "--program", str(EXAMPLES / name), *options.split()]) == 0
    assert capsys.readouterr().out == text + "\n"


@pytest.mark.slow
def test_a_draft_makes_the_same_text_sooner(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # what forwards cost is measured, and by that windows are chosen, so that on a busy machine no draft may seem to pay
    monkeypatch.setattr("decoder.draft.prediction.costs_of", lambda _model: Costs())
    program, draft = str(EXAMPLES / "calculator.js"), tmp_path / "draft.js"

    def said(*arguments: str) -> dict[str, Any]:
        assert main(["generate", "--program", program, "--max-tokens", "48", "--json", *arguments]) == 0
        answer: dict[str, Any] = json.loads(capsys.readouterr().out)
        return answer

    alone = said()
    draft.write_text(re.sub(r"\b\d+", "7", alone["text"], count=1), "utf-8")
    drafted = {lookahead: said("--draft", str(draft), "--lookahead", lookahead) for lookahead in ("1", "16")}
    assert {one["text"] for one in drafted.values()} == {alone["text"]}
    assert alone["accepted"] == 0
    assert min(one["accepted"] for one in drafted.values()) > alone["tokens"] // 4, (alone, drafted)
    assert drafted["1"]["rejected"] < drafted["16"]["rejected"]


# a file, what a program may write at its end, and what the language's compiler takes of that
JUDGED = [
    ("a.py", "await gen(options=('return 1', 'await x', 'x = 1'))", "x = 1"),
    ("a.py", "await gen(options=('x: int = None', 'x: object = None'))", "x: object = None"),
    ("a.ts", "await gen({ options: ['return 1', 'void 1'] })", "void 1"),
    ("a.ts", "await gen({ options: ['let x: number = `a`', 'let x: string = `a`'] })", "let x: string = `a`"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "body", "text"), JUDGED)
def test_the_compiler_judges_what_stands_at_a_place(
    name: str, body: str, text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    is_python = name.endswith(".py")
    path, program = tmp_path / name, tmp_path / ("program.py" if is_python else "program.js")
    path.write_text("\n", "utf-8")
    head = "async def main():\n    " if is_python else 'import { gen } from "inscope"\nasync function main() { '
    head = "from decoder.program import gen\n" * is_python + head
    program.write_text(f"{head}{body}{'' if is_python else ' }'}\n", "utf-8")
    asked = ["generate", "--program", str(program), "--context", f"{path}:1:1", "--json"]
    assert main(asked) == 0
    answer = json.loads(capsys.readouterr().out)
    assert main([*asked, "--no-constraint"]) == 0
    alone = json.loads(capsys.readouterr().out)
    assert (alone["text"] != text, alone["verified"]) == (True, "none")
    assert (answer["text"], answer["verified"], answer["notes"]) == (text, "types", [])


@pytest.mark.parametrize(
    ("name", "source", "said"),
    [
        ("wrong.py", "x = 'caf\xe9'".encode("latin-1"), "wrong.py: the program is not UTF-8"),
        ("wrong.yaml", b"", "wrong.yaml: this is no program: programs are .js, .mjs and .py files"),
    ],
)
def test_files_that_are_no_programs_are_named_once(
    name: str, source: bytes, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / name
    path.write_bytes(source)
    assert main(["lower", str(path)]) == 1
    assert capsys.readouterr().err == f"error: {tmp_path}/{said}\n"


@pytest.mark.parametrize("is_terminal", [True, False])
def test_what_would_command_a_terminal_is_escaped_there(
    is_terminal: bool, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: is_terminal, raising=False)
    print_text("a\0b\x1b[2J\tc\n\u202ed\x9b")
    written = "a\\x00b\\x1b[2J\tc\n\\u202ed\\x9b\n" if is_terminal else "a\0b\x1b[2J\tc\n\u202ed\x9b\n"
    assert capsys.readouterr().out == written
