"""A rename is right everywhere or is not called done: programs print the same before and after it."""

from __future__ import annotations

import json
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lsp_server.cli import main, rewrite
from lsp_server.cli.workspace import workspace_at
from tests import needs
from tests.lsp_server.rewriting.rename_cases import Case, Outcome, cases, lay_out_case

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from context_index import Workspace
    from lsp_server.cli.arguments import Arguments

pytestmark = pytest.mark.slow

FROZEN = list(cases("renames.txt"))
KINDS = list(cases("renames_by_kind.txt"))


@pytest.fixture
def one_workspace(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The commands of a test share a workspace, as the lines of a batch do: a checker of its own was half of each."""
    opened: dict[Path | None, Workspace] = {}
    with ExitStack() as stack:

        @contextmanager
        def shared(arguments: Arguments, root: Path | None) -> Iterator[Workspace]:
            if root not in opened:
                opened[root] = stack.enter_context(workspace_at(arguments, root))
            yield opened[root]

        monkeypatch.setattr(rewrite, "workspace_at", shared)
        yield


def read(root: Path, names: Iterable[str]) -> dict[str, str]:
    return {name: (root / name).read_text("utf-8") for name in names}


def renamed(case: Case, root: Path) -> bool:
    """Ask for the rename as the case says; whether it was done."""
    path, line, column = case.asked
    asked = ["rewrite", str(root / path), "--rename", f"{case.old}={case.new}", "--workspace", str(root), "--write"]
    asked += ["--at", f"{line}:{column}"]
    if case.outcome is not Outcome.DONE:
        assert main(asked) == 1
        assert read(root, case.files) == case.files, "what may be wrong is not written"
        asked.append("--all")
    if case.outcome is Outcome.HELD:
        assert main(asked) == 1
        assert read(root, case.files) == case.files
        return False
    assert main(asked) == 0
    return True


@pytest.mark.usefixtures("one_workspace")
@pytest.mark.parametrize("case", FROZEN, ids=[case.name for case in FROZEN])
def test_a_rename_is_right_everywhere_or_says_so(case: Case, tmp_path: Path) -> None:
    needs.checker(case.suffix)
    root = lay_out_case(case, tmp_path / "case")
    before = "" if case.outcome is Outcome.HELD else case.output(root)
    if renamed(case, root):
        assert read(root, case.files) == case.renamed(everywhere=True)
        assert case.output(root) == before


@pytest.mark.usefixtures("one_workspace")
@pytest.mark.parametrize("case", KINDS, ids=[case.name for case in KINDS])
def test_a_program_does_the_same_after_a_rename(case: Case, tmp_path: Path) -> None:
    needs.checker(case.suffix)
    root = lay_out_case(case, tmp_path / "case")
    before = "" if case.outcome is Outcome.HELD else case.output(root)
    if renamed(case, root):
        assert case.output(root) == before


def test_sixty_of_which_most_are_done() -> None:
    """What is never done is never wrong, either."""
    assert (len(FROZEN), sum(case.outcome is Outcome.DONE for case in FROZEN)) == (60, 48)


CART = """class Cart:
    def add(self, n):
        return n


def use(cart):
    return cart.add(1)


print(use(Cart()))
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "cart.py"
    path.write_text(CART, "utf-8")
    return path


def test_json_says_what_is_perhaps_the_name(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["rewrite", str(file), "--rename", "add=put", "--json"]
    assert main(asked) == 1
    answer = json.loads(capsys.readouterr().out)
    assert (answer["text"], answer["error"]["code"]) == (CART, "unsure")
    assert answer["perhaps"] == [{"path": "cart.py", "line": 7, "why": "its receiver has no type"}]
    places = answer["perhaps"]
    everywhere, declared = CART.replace("add", "put"), CART.replace("def add", "def put")
    for flag, text, left, guessed in (("--all", everywhere, [], places), ("--force", declared, places, [])):
        assert main([*asked, flag]) == 0
        answer = json.loads(capsys.readouterr().out)
        assert (answer["text"], answer["perhaps"], answer["guessed"]) == (text, left, guessed)
        assert answer["error"] is None


def test_what_is_written_says_what_was_guessed_or_left(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["rewrite", str(file), "--rename", "add=put", "--write"]
    assert main([*asked, "--all"]) == 0
    said = capsys.readouterr().err
    assert "Taken as the name, though it may be another: cart.py:7 (its receiver has no type)." in said
    assert "although" not in said
    file.write_text(CART, "utf-8")
    assert main([*asked, "--force"]) == 0
    said = capsys.readouterr().err
    assert "This was written although 1 place may be the same name (cart.py:7)." in said
    assert "Perhaps the same name: cart.py:7 (its receiver has no type)." in said


def test_all_places_are_listed_however_many_they_are(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "cart.py").write_text("class Cart:\n    def add(self):\n        return 1\n", "utf-8")
    for name in "abc":
        uses = "".join(f"    cart.add()  # add {name}\n" for _ in range(6))
        (tmp_path / f"{name}.py").write_text(f"def use(cart):\n{uses}", "utf-8")
    assert main(["rewrite", str(tmp_path / "cart.py"), "--rename", "add=put", "--workspace", str(tmp_path)]) == 1
    said = capsys.readouterr().err
    everywhere = ", ".join(f"{name}.py:2,3,4,5,6,7" for name in "abc")
    assert f"Perhaps the same name: {everywhere} (its receiver has no type)." in said
    assert f"The word `add` stays in strings and comments: {everywhere}." in said
    assert (
        "18 places may be the same name (a.py:2, a.py:3, a.py:4, a.py:5, a.py:6, a.py:7, b.py:2, b.py:3 and 10 more)"
        in said
    )


def test_the_places_are_listed_with_their_lines_and_nothing_is_written(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for write in ([], ["--write"]):
        assert main(["rewrite", str(file), "--rename", "add=put", *write]) == 1
        said = capsys.readouterr()
        assert (
            "1 place may be the same name (cart.py:7). --all renames these places, too; --force leaves them."
            in said.err
        )
        assert "Perhaps the same name: cart.py:7 (its receiver has no type)." in said.err
        assert said.out == "", "what is not done is no patch"
        assert "@@" not in said.err, "nor is its difference printed"
    assert file.read_text("utf-8") == CART


@pytest.mark.parametrize(("flag", "count"), [("--all", 2), ("--force", 1)])
def test_what_would_be_written_is_shown_before(
    flag: str, count: int, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["rewrite", str(file), "--rename", "add=put", flag]) == 0
    added = [line for line in capsys.readouterr().out.splitlines() if line.startswith("+ ")]
    assert (len(added), file.read_text("utf-8")) == (count, CART)


def test_files_that_are_not_read_and_have_the_word_are_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, text in {
        "pyproject.toml": "",
        "lib.py": "def total(x):\n    return x\n\n\nprint(total(1))\n",
        "page.html": "<b>{{ total(1) }}</b>\n",
        "other.txt": "totals, subtotal, $total\n",
    }.items():
        (tmp_path / name).write_text(text, "utf-8")
    assert main(["rewrite", str(tmp_path / "lib.py"), "--rename", "total=amount", "--workspace", str(tmp_path)]) == 0
    assert "The word `total` stays in files that are not read: page.html." in capsys.readouterr().err


def test_a_line_of_a_batch_takes_all_or_leaves_it(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines: list[dict[str, object]] = [{}, {"all": True}, {"force": True}, {"all": "yes"}]
    batch = tmp_path / "in.jsonl"
    batch.write_text("\n".join(json.dumps({"file": str(file), "rename": "add=put", **line}) for line in lines), "utf-8")
    assert main(["rewrite", "--batch", str(batch)]) == 1
    answers = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [one["error"] and one["error"]["code"] for one in answers] == ["unsure", None, None, "malformed_request"]
    assert [one["text"].count("put") for one in answers] == [0, 2, 1, 0]
    assert "`all` renames these places, too; `force` leaves them." in answers[0]["error"]["message"]


PLACES = {
    "at the name": ("2:9", 0, ""),
    "within it": ("2:11", 0, ""),
    "at its end": ("2:12", 0, ""),
    "beside it": ("3:9", 1, "No name `add` is at 3:9. It is at 2:9, 7:19; say one of these places."),
    "below the file": ("99:1", 1, "99"),
    "no place": ("2", 2, "LINE:COLUMN"),
    "not from 1": ("0:3", 2, "LINE:COLUMN"),
}


@pytest.mark.parametrize("case", PLACES)
def test_the_place_of_the_name(case: str, file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    at, code, sentence = PLACES[case]
    file.write_text(CART.replace("cart.add(1)", "Cart().add(1)"), "utf-8")
    asked = ["rewrite", str(file), "--rename", "add=put", "--at", at]
    assert main(asked) == code
    assert sentence in capsys.readouterr().err


@pytest.mark.parametrize("flag", [["--all"], ["--at", "1:1"]])
def test_what_is_for_renames_is_not_for_instructions(
    flag: list[str], file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["rewrite", str(file), "--instruction", "say it shorter", *flag]) == 2
    assert f"{flag[0]} is for renames" in capsys.readouterr().err


@pytest.mark.parametrize("asked", [["--rename", "add=put"], ["--instruction", "rename add to put"]])
@pytest.mark.parametrize(
    ("text", "advised"),
    [(CART, ["--all"]), ("def one(add):\n    return add\n\n\ndef two(add):\n    return add\n", ["--at", "1:9"])],
)
def test_the_advice_to_a_failed_rename_works(
    asked: list[str], text: str, advised: list[str], file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file.write_text(text, "utf-8")
    assert main(["rewrite", str(file), *asked]) == 1
    assert advised[0] in capsys.readouterr().err
    assert main(["rewrite", str(file), *asked, *advised]) == 0


@pytest.mark.parametrize("renaming", ["a=#b", "#a=b"])
def test_a_private_name_stays_private(renaming: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    needs.typescript()
    path = tmp_path / "a.js"
    path.write_text("class A {\n  a = 1;\n  #a = 2;\n  both() {\n    return this.a + this.#a;\n  }\n}\n", "utf-8")
    assert main(["rewrite", str(path), "--rename", renaming, "--write"]) == 1
    assert "A private name stays private" in capsys.readouterr().err


UNUSED = {
    "a function": ("def !load():\n    return 1\n", "tools.py:1"),
    "a class": ("class !Load:\n    size = 1\n", "tools.py:1"),
    "a method": ("class Case:\n    def !load(self):\n        return 1\n", "tools.py:2"),
    "a variable": ("limit = 1\n!load = 2\n", "tools.py:2"),
    "a method and its override": (
        "class A:\n    def !load(self):\n        pass\n\n\nclass B(A):\n    def load(self):\n        pass\n",
        "tools.py:2, tools.py:7",
    ),
}


@pytest.mark.parametrize("case", UNUSED)
@pytest.mark.parametrize("flag", ["--all", "--force"])
def test_a_name_that_nothing_uses_is_renamed_only_if_that_is_said(
    case: str, flag: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text, places = UNUSED[case]
    before, _, after = text.partition("!")
    name = after[:4]
    path = tmp_path / "tools.py"
    path.write_text(before + after, "utf-8")
    sentence = (
        f"Nothing in the project uses `{name}`, declared in {places}: what finds it by its name, as a test runner or a "
        "framework does, finds it no more."
    )
    asked = ["rewrite", str(path), "--rename", f"{name}=fetch", "--workspace", str(tmp_path), "--write"]
    assert main(asked) == 1
    said = capsys.readouterr().err
    assert f"Nothing was changed. {sentence} --all renames it all the same." in said
    assert said.count(sentence) == 1
    assert path.read_text("utf-8") == before + after
    assert main([*asked, flag]) == 0
    assert sentence in capsys.readouterr().err
    assert path.read_text("utf-8") == (before + after).replace(name, "fetch")


def test_files_that_were_not_searched_are_a_reason(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(CART.replace("cart.add(1)", "cart"), "utf-8")
    (file.parent / "old.py").write_bytes("import cart  # café\ncart.Cart().add(1)\n".encode("latin-1"))
    asked = ["rewrite", str(file), "--rename", "add=put", "--write"]
    assert main(asked) == 1
    assert "the name is in files that were not searched: old.py (not_utf8)" in capsys.readouterr().err
    assert main([*asked, "--force"]) == 0
