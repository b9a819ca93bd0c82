"""`inscope rewrite` with a model whose words are given: what reaches the screen, the file and programs."""

from __future__ import annotations

import errno
import json
import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lsp_server.cli import command_service, main
from lsp_server.engine.model_host import ModelHost
from lsp_server.writing.page import write_page
from tests import needs
from tests.decoder.forced import BuiltIn, Forced
from tests.decoder.tiny_models import write_instruction_model

if TYPE_CHECKING:
    from collections.abc import Callable

    from decoder import Rewriting

    Change = Callable[[str], str]
    Answers = Callable[[Change], None]

pytestmark = pytest.mark.slow

CODE = "import math\n\n\ndef area(radius):\n    return math.pi * radius ** 2\n"
TWICE = CODE + "\n\ndef b(radius):\n    return radius\n"
RENAMED = CODE.replace("radius", "r")


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> Answers:
    """Have the command use a model that answers with what a function makes of the original."""

    def use(change: Change) -> None:
        monkeypatch.setattr(command_service, "ModelHost", partial(ModelHost, load=lambda *_, **__: Forced(change)))

    return use


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "area.py"
    path.write_bytes(CODE.encode())
    return path


def rename(text: str) -> str:
    return text.replace("radius", "r")


def test_a_diff_is_shown_and_nothing_is_written(
    answers: Answers, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answers(rename)
    assert main(["rewrite", str(file), "--instruction", "say r for it"]) == 0
    said = capsys.readouterr()
    assert "-    return math.pi * radius ** 2\n+def area(r):\n+    return math.pi * r ** 2\n" in said.out
    assert "accepted" in said.err
    assert file.read_bytes() == CODE.encode()


@pytest.mark.parametrize("draft", ["file", "none", "PATH"])
def test_write_changes_the_file_whatever_the_draft(answers: Answers, file: Path, tmp_path: Path, draft: str) -> None:
    answers(rename)
    other = tmp_path / "draft.py"
    other.write_text(RENAMED, "utf-8")
    said = str(other) if draft == "PATH" else draft
    file.chmod(0o640)
    assert main(["rewrite", str(file), "--instruction", "say r for it", "--write", "--draft", said]) == 0
    assert file.read_bytes() == RENAMED.encode()
    assert file.stat().st_mode & 0o777 == 0o640
    assert sorted(path.name for path in tmp_path.iterdir()) == ["area.py", "draft.py"]


def test_a_byte_order_mark_and_line_ends_stay(answers: Answers, file: Path) -> None:
    answers(rename)
    file.write_bytes(b"\xef\xbb\xbf" + CODE.replace("\n", "\r\n").encode())
    assert main(["rewrite", str(file), "--instruction", "say r for it", "--write"]) == 0
    assert file.read_bytes() == b"\xef\xbb\xbf" + RENAMED.replace("\n", "\r\n").encode()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda text: text.replace("math.pi", "pie"), "Nothing that the model wanted"),
        (lambda text: text.replace("import math", ""), "Name `math` used when not defined"),
        (lambda text: text + "\nmath = 1" * 400, "did not finish"),
    ],
    ids=["made up", "lost", "endless"],
)
def test_a_failed_attempt_has_a_reason_and_no_difference(
    answers: Answers,
    file: Path,
    capsys: pytest.CaptureFixture[str],
    change: Change,
    sentence: str,
) -> None:
    answers(change)
    assert main(["rewrite", str(file), "--instruction", "change it", "--write"]) == 1
    said = capsys.readouterr()
    (message,) = (line for line in said.err.splitlines() if line.startswith("Nothing was changed. "))
    assert sentence in message, "a sentence on one line, however wide the terminal"
    assert said.out == ""
    assert not any(line.startswith(("--- ", "+++ ", "@@ ")) for line in said.err.splitlines())
    assert file.read_bytes() == CODE.encode()


def test_lines_alone(answers: Answers, file: Path) -> None:
    answers(lambda text: text.replace("2", "3"))
    assert main(["rewrite", str(file), "--instruction", "cube it", "--lines", "5:5", "--write"]) == 0
    assert file.read_text("utf-8") == CODE.replace("2", "3")


@pytest.mark.parametrize(
    ("text", "arguments", "code", "sentence"),
    [
        (CODE, ["--rename", "radios=r"], "no_such_name", "No name `radios` is in the file."),
        (CODE, ["--rename", "radius=math"], "name_taken", "`math` already means something else in area.py, line 5"),
        (CODE, ["--rename", "radius=class"], "name_taken", "`class` is a word of Python"),
        (
            "def first(n):\n    return n\n\n\ndef second():\n    return first(1)\n",
            ["--rename", "first=second"],
            "name_taken",
            "in area.py, line 5",
        ),
        (CODE, ["--rename", "radius=radius"], "unchanged", "Both names are the same."),
        (
            TWICE,
            ["--rename", "radius=r"],
            "ambiguous",
            "a local name at 4:10, 5:22; a local name at 8:7, 9:12. Say which by one of its places (--at LINE:COLUMN).",
        ),
        ("\n \n", ["--instruction", "add a function"], "empty", "There is nothing to rewrite: the file is empty."),
    ],
)
def test_what_cannot_be_is_reported_without_a_model(
    file: Path, capsys: pytest.CaptureFixture[str], *, text: str, arguments: list[str], code: str, sentence: str
) -> None:
    """No model is given: asking it would fail otherwise."""
    file.write_text(text, "utf-8")
    arguments = ["rewrite", str(file), *arguments, "--model", "./none", "--json"]
    assert main(arguments) == 1
    answer = json.loads(capsys.readouterr().out)
    assert (answer["error"]["code"], answer["text"]) == (code, text)
    assert sentence in answer["error"]["message"]


TAKEN = {
    "a second declaration": ("a.ts", "const cart = 1;\nconst x = 2;\nconsole.log(cart);\n", "cart=x", 2),
    "an unfinished one": ("a.ts", "const cart = 1;\nconst x = ", "cart=x", 2),
    "a script's": ("a.js", "let cart = 1;\nlet x = 2;\nconsole.log(cart);\n", "cart=x", 2),
    "a parameter's": ("a.ts", "export function f(a: number, b: number) { return a; }\n", "a=b", 1),
    "a type's": ("a.ts", "class Cart {}\nclass Box {}\nexport const cart = new Cart();\n", "Cart=Box", 2),
    "a member's": ("a.ts", "export class Cart {\n  sum = 1;\n  size = 2;\n}\n", "sum=size", 3),
    "an imported one's": ("a.ts", "import { sep } from './b';\nexport const cart = 1;\n", "cart=sep", 1),
    "a parameter's in Python": ("a.py", "def f(a, b):\n    return a\n", "a=b", 1),
}


@pytest.mark.parametrize(("name", "text", "wanted", "line"), TAKEN.values(), ids=TAKEN)
def test_a_name_that_nothing_uses_is_taken_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], *, name: str, text: str, wanted: str, line: int
) -> None:
    if not name.endswith(".py"):
        needs.typescript()
    (tmp_path / "b.ts").write_text("export const sep = 1;\n", "utf-8")
    file = tmp_path / name
    file.write_text(text, "utf-8")
    assert main(["rewrite", str(file), "--rename", wanted, "--workspace", str(tmp_path), "--json"]) == 1
    answer = json.loads(capsys.readouterr().out)
    new = wanted.partition("=")[2]
    said = f"`{new}` already means something else in {name}, line {line}; choose another name."
    assert (answer["error"], answer["text"]) == ({"code": "name_taken", "message": said}, text)


def test_lines_that_do_not_parse_elsewhere_stop_nothing(answers: Answers, file: Path) -> None:
    torn = "def f(:\n    pass\n\n\n"
    file.write_text(torn + CODE, "utf-8")
    answers(lambda text: text.replace("2", "3"))
    assert main(["rewrite", str(file), "--instruction", "cube it in area", "--write"]) == 0
    assert file.read_text("utf-8") == torn + CODE.replace("2", "3")


def test_a_rename_is_the_checkers_in_all_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No model is given: asking it would fail."""
    area, user = tmp_path / "area.py", tmp_path / "user.py"
    area.write_bytes(CODE.replace("\n", "\r\n").encode())
    user.write_bytes(b"\xef\xbb\xbffrom area import area\n\nprint(area(2))  # area\n")
    arguments = ["rewrite", str(area), "--instruction", "rename area to surface", "--model", "./none"]
    assert main([*arguments, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["changes"] == {"user.py": "from area import surface\n\nprint(surface(2))  # area\n"}
    assert main([*arguments, "--write"]) == 0
    assert area.read_bytes() == CODE.replace("area(", "surface(").replace("\n", "\r\n").encode()
    assert user.read_bytes() == b"\xef\xbb\xbffrom area import surface\n\nprint(surface(2))  # area\n"


@pytest.mark.parametrize("home", ["../elsewhere", "."])
def test_without_a_project_file_the_working_directory_is_the_project(
    home: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "report").mkdir()
    (tmp_path / "report" / "records.py").write_text("class Sale:\n    pass\n", "utf-8")
    (tmp_path / "main.py").write_text("from report.records import Sale\n\nSale()\n", "utf-8")
    monkeypatch.setenv("HOME", str((tmp_path / home).resolve()))
    monkeypatch.chdir(tmp_path)
    main(["rewrite", "report/records.py", "--rename", "Sale=Receipt", "--write"])
    is_renamed = "Receipt()" in (tmp_path / "main.py").read_text("utf-8")
    assert is_renamed == (home != ".")  # nobody's project is all that is at home


def test_the_difference_of_a_rename_names_files_as_seen_from_here(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'shop'\n", "utf-8")
    (tmp_path / "area.py").write_text(CODE, "utf-8")
    (tmp_path / "user.py").write_text(
        'from area import area\n\n__all__ = ["area", "areas"]  # area\nprint(area)\n', "utf-8"
    )
    monkeypatch.chdir(tmp_path.parent)
    assert main(["rewrite", f"{tmp_path.name}/area.py", "--rename", "area=surface"]) == 0
    said = capsys.readouterr()
    before = [line for line in said.out.splitlines() if line.startswith("--- ")]
    assert before == [f"--- a/{tmp_path.name}/area.py", f"--- a/{tmp_path.name}/user.py"]
    assert '\n+__all__ = ["surface", "areas"]  # area\n' in said.out, "a string of __all__ is a name"
    (tmp_path / "sub").mkdir()
    monkeypatch.chdir(tmp_path / "sub")
    assert main(["rewrite", "../area.py", "--rename", "area=surface"]) == 0
    before = [line for line in capsys.readouterr().out.splitlines() if line.startswith("--- ")]
    assert before == [f"--- a{tmp_path.as_posix()}/area.py", f"--- a{tmp_path.as_posix()}/user.py"]
    (tmp_path / "sub" / "area.py").write_text(CODE, "utf-8")
    (tmp_path / "use.py").write_text("from sub.area import area\n\nprint(area)\n", "utf-8")
    assert main(["rewrite", "area.py", "--rename", "area=surface"]) == 0
    before = [line for line in capsys.readouterr().out.splitlines() if line.startswith("--- ")]
    assert before == [f"--- a{tmp_path.as_posix()}/sub/area.py", f"--- a{tmp_path.as_posix()}/use.py"]


def test_a_rename_has_no_draft_so_its_difference_is_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    area, page = tmp_path / "area.py", tmp_path / "page.html"
    area.write_text(f"{CODE}area(1) < 2\n", "utf-8")
    (tmp_path / "user.py").write_text("from area import area\n", "utf-8")
    assert main(["rewrite", str(area), "--rename", "area=surface", "--show-draft", "--html", str(page)]) == 0
    assert "\n+surface(1) < 2\n" in capsys.readouterr().out
    html = page.read_text("utf-8")
    assert "\n+surface(1) &lt; 2\n" in html
    assert "\n+from area import surface\n" in html
    assert "accepted 0" not in html


def test_a_rename_writes_all_files_or_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    area, user = tmp_path / "area.py", tmp_path / "user.py"
    area.write_text(CODE, "utf-8")
    user.write_text("from area import area\n\nprint(area)\n", "utf-8")
    user.chmod(0o444)
    assert main(["rewrite", str(area), "--rename", "area=surface", "--write"]) == 1
    assert "user.py' is write-protected; nothing was written" in capsys.readouterr().err
    assert area.read_text("utf-8") == CODE


def test_what_it_breaks_in_other_files_is_reported_and_needs_force(
    answers: Answers, file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "user.py").write_text("from area import area\n\nprint(area(2))\n")
    answers(lambda text: text.replace("area(radius)", "area(radius, height)"))
    arguments = ["rewrite", str(file), "--instruction", "add a height", "--write"]
    assert main(arguments) == 1
    said = capsys.readouterr().err
    assert "Breaks user.py:3: No argument provided for required parameter `height`" in said
    assert "error: nothing was written, because it brings new errors; --force writes it" in said
    assert file.read_bytes() == CODE.encode()
    assert main([*arguments, "--force"]) == 0
    assert b"height" in file.read_bytes()


@pytest.mark.parametrize("instruction", ["return early if radius is None", "say r for it"])
@pytest.mark.parametrize("surety", [3, 10])
def test_what_the_built_in_model_writes_is_a_preview_until_it_is_forced(
    monkeypatch: pytest.MonkeyPatch, file: Path, capsys: pytest.CaptureFixture[str], surety: int, instruction: str
) -> None:
    """However sure it is. The model's markers are the built-in model's, so that it is taken for that."""
    monkeypatch.setattr(command_service, "ModelHost", partial(ModelHost, load=lambda *_, **__: BuiltIn(rename, surety)))
    arguments = ["rewrite", str(file), "--instruction", instruction]
    assert main(arguments) == 0
    said = capsys.readouterr()
    assert "+def area(r):" in said.out
    assert "This is a preview, because the built-in model wrote it" in said.err
    assert main([*arguments, "--json"]) == 0
    preview = json.loads(capsys.readouterr().out)
    (doubt,) = preview["doubts"]
    assert ("probably not" in doubt) == (preview["probability"] < 0.5)
    assert preview["error"] is None
    assert main([*arguments, "--write"]) == 1
    said = capsys.readouterr()
    assert "+def area(r):" in said.out, "what is to be confirmed is shown"
    (error,) = (line for line in said.err.splitlines() if line.startswith("error: "))
    assert error == f"error: nothing was written, because {doubt}; --force writes it"
    assert file.read_bytes() == CODE.encode()
    assert main([*arguments, "--write", "--force"]) == 0
    assert file.read_bytes() == RENAMED.encode()


def test_a_batch_says_which_lines_are_previews(
    monkeypatch: pytest.MonkeyPatch, file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A rename is the checker's, in either spelling, and no preview."""
    monkeypatch.setattr(command_service, "ModelHost", partial(ModelHost, load=lambda *_, **__: BuiltIn(rename)))
    asked: list[dict[str, str]] = [
        {"instruction": "say r for it"},
        {"instruction": "rename radius to r"},
        {"rename": "radius=r"},
    ]
    batch = tmp_path / "in.jsonl"
    batch.write_text("".join(json.dumps({"file": str(file), **one}) + "\n" for one in asked), "utf-8")
    assert main(["rewrite", "--batch", str(batch)]) == 0
    answers = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [len(one["doubts"]) for one in answers] == [1, 0, 0]
    assert [one["text"] for one in answers] == [RENAMED] * 3
    assert file.read_bytes() == CODE.encode()


@pytest.mark.parametrize("change", [str, lambda text: text.replace("math.pi", "pie")], ids=["unchanged", "made up"])
def test_the_built_in_model_says_what_it_is(
    monkeypatch: pytest.MonkeyPatch, file: Path, capsys: pytest.CaptureFixture[str], change: Change
) -> None:
    monkeypatch.setattr(command_service, "ModelHost", partial(ModelHost, load=lambda *_, **__: BuiltIn(change)))
    assert main(["rewrite", str(file), "--instruction", "change it"]) == 1
    said = capsys.readouterr().err
    assert "The built-in model could not do this; instructions need a larger model (--model, in editors" in said


def test_an_instruction_model_is_asked_in_its_template_and_its_answer_is_written(file: Path, tmp_path: Path) -> None:
    """A real network with a real tokenizer; it was taught this one answer."""
    (tmp_path / "model").mkdir()
    model = write_instruction_model(tmp_path / "model", "call the radius r", CODE, RENAMED)
    arguments = ["rewrite", str(file), "--instruction", "call the radius r", "--model", str(model), "--device", "cpu"]
    assert main([*arguments, "--write"]) == 0
    assert file.read_bytes() == RENAMED.encode()


def test_any_text_is_rewritten_and_any_text_is_a_draft(
    answers: Answers, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    post = tmp_path / "post.md"
    post.write_text("# A post\n\nIt says hello.\n" * 5)
    answers(lambda text: text.replace("hello", "goodbye"))
    arguments = ["rewrite", str(post), "--instruction", "be sad", "--json", "--draft"]
    assert main([*arguments, str(post)]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["text"], answer["verified"]) == (post.read_text().replace("hello", "goodbye"), "none")
    assert answer["accepted"] > answer["generated"] + answer["copied"]
    empty = tmp_path / "empty.py"
    empty.write_text("")
    assert main([*arguments, str(empty)]) == 0
    other = json.loads(capsys.readouterr().out)
    assert (other["text"], other["accepted"], other["rejected"], other["extra"]) == (answer["text"], 0, 0, 0)
    assert other["copied"] + other["generated"] == len(answer["text"].rstrip())


def test_json_and_batch(answers: Answers, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answers(rename)
    lines: list[object] = [
        {"id": 1, "file": "area.py", "text": CODE, "instruction": "say r for it"},
        {"id": 2, "file": "area.py", "text": CODE},
        {"id": 3, "file": "area.txt", "text": CODE, "rename": "x=y"},
        {"id": 4, "file": "area.py", "text": CODE, "instruction": " "},
        7,
    ]
    batch = tmp_path / "in.jsonl"
    batch.write_text("\n".join(map(json.dumps, lines)), "utf-8")
    assert main(["rewrite", "--batch", str(batch)]) == 1
    first, *others = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert (first["id"], first["text"], first["error"]) == (1, RENAMED, None)
    assert first["accepted"] + first["extra"] + first["generated"] + first["copied"] == len(RENAMED.rstrip())
    assert first["accepted"] > 40
    assert first["latency_ms"] > 0
    fields = ["id", "text", "accepted", "rejected", "extra", "generated", "copied", "verified", "probability"]
    fields += ["doubts", "notes", "changes", "perhaps", "guessed", "latency_ms", "error"]
    assert all(sorted(one) == sorted(fields) for one in (first, *others))
    assert [(one["id"], one["error"]["code"]) for one in others] == [
        (2, "malformed_request"), (3, "unknown_language"), (4, "malformed_request"), (None, "malformed_request"),
    ]  # fmt: skip
    assert others[2]["error"]["message"] == "'instruction' is blank"


def test_a_line_of_a_batch_has_lines_a_draft_and_a_rename(
    answers: Answers, file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With lines a draft stands for those, and a name means what it means there."""
    answers(rename)
    file.write_text(TWICE, "utf-8")
    (tmp_path / "user.py").write_text("from area import area\n\nprint(area)\n", "utf-8")
    lines = [
        {"file": str(file), "instruction": "say r for it", "lines": "4:5", "draft": RENAMED.split("\n\n\n")[1]},
        {"file": str(file), "instruction": "say r for it", "lines": "4:5", "draft": ""},
        {"file": str(file), "rename": "radius=r", "lines": "8:9"},
        {"file": str(file), "instruction": "rename area to surface"},
        {"file": str(file), "rename": "radius=r", "instruction": "say r for it"},
    ]
    batch = tmp_path / "in.jsonl"
    batch.write_text("\n".join(map(json.dumps, lines)), "utf-8")
    assert main(["rewrite", "--batch", str(batch)]) == 1
    drafted, undrafted, local, everywhere, both = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert drafted["text"] == undrafted["text"] == RENAMED + TWICE[len(CODE) :]
    assert drafted["accepted"] > 30
    assert (undrafted["accepted"], undrafted["rejected"], undrafted["extra"]) == (0, 0, 0)
    assert local["text"] == CODE + TWICE[len(CODE) :].replace("radius", "r")
    assert (local["verified"], local["changes"]) == ("types", {})
    assert local["notes"] == ["`radius` stays in area.py:4, area.py:5: another name, as the checker reads it."]
    assert everywhere["changes"] == {"user.py": "from area import surface\n\nprint(surface)\n"}
    assert "either 'instruction' or 'rename'" in both["error"]["message"]


def test_another_link_to_the_same_file_is_no_other_file(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file.write_text(CODE, "utf-8")
    link = tmp_path / "link.py"
    link.symlink_to(file)
    assert main(["rewrite", str(link), "--rename", "radius=r", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["text"], answer["notes"], answer["changes"]) == (RENAMED, [], {})


@pytest.mark.parametrize("policy", [["--policy", "reference"], ["--lookahead", "2"], ["--recovery", "9"]])
def test_no_policy_changes_what_is_written(
    answers: Answers,
    file: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    policy: list[str],
) -> None:
    answers(rename)
    draft = tmp_path / "draft.py"
    draft.write_text(TWICE, "utf-8")
    arguments = ["rewrite", str(file), "--instruction", "say r for it", "--json", "--explain"]
    assert main([*arguments, "--draft", str(draft)]) == 0
    aligned = json.loads(capsys.readouterr().out)
    assert main([*arguments, "--draft", str(draft), *policy]) == 0
    other = json.loads(capsys.readouterr().out)
    assert other["text"] == aligned["text"] == RENAMED


@pytest.mark.skipif(not hasattr(Path, "symlink_to"), reason="this platform has no links")
def test_a_link_stays_one_and_its_file_is_written(answers: Answers, file: Path, tmp_path: Path) -> None:
    answers(rename)
    (tmp_path / "link.py").symlink_to(file.name)
    assert main(["rewrite", str(tmp_path / "link.py"), "--instruction", "say r for it", "--write"]) == 0
    assert (tmp_path / "link.py").is_symlink()
    assert file.read_bytes() == RENAMED.encode()


def test_the_draft_as_a_page(answers: Answers, file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answers(lambda text: rename(text).replace("math.pi", "'<b>'"))
    page = tmp_path / "draft.html"
    assert main(["rewrite", str(file), "--instruction", "<b> r", "--show-draft", "--html", str(page)]) == 0
    html = page.read_text("utf-8")
    assert "<b>" not in html
    assert "http" not in html
    assert '<span class="rejected">' in html
    assert "⟦" in capsys.readouterr().out


def test_a_failed_attempt_is_explained_in_json(
    answers: Answers, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answers(lambda text: text.replace("import math", ""))
    assert main(["rewrite", str(file), "--instruction", "change it", "--json", "--explain"]) == 1
    answer = json.loads(capsys.readouterr().out)
    assert answer["text"] == CODE
    assert answer["error"]["code"] == "rejected"
    assert answer["attempt"] == CODE.replace("import math\n\n\n", "")
    assert answer["forwards"] > 0


@pytest.mark.parametrize(
    ("page", "said"),
    [
        ("{file}", "would replace"),
        ("{folder}", "is a directory"),
        ("{folder}/no/page.html", "there is no directory"),
        ("{folder}/" + "p" * 300, "too long"),
        ("{folder}/kept.html", "is write-protected"),
    ],
)
def test_a_page_that_cannot_be_written_is_reported_before_the_work(
    file: Path, capsys: pytest.CaptureFixture[str], page: str, said: str
) -> None:
    """No model is given: asking it would fail otherwise."""
    html = page.format(file=file, folder=file.parent)
    file.with_name("kept.html").touch(0o444)
    assert main(["rewrite", str(file), "--instruction", "x", "--write", "--html", html, "--model", "./none"]) == 1
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1
    assert file.read_bytes() == CODE.encode()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this platform has no device that is always full")
def test_a_page_that_is_no_file_is_written_as_it_comes(
    answers: Answers, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answers(rename)
    assert main(["rewrite", str(file), "--instruction", "r", "--html", "/dev/full"]) == 1
    assert "cannot write '/dev/full': No space left" in capsys.readouterr().err


@pytest.mark.parametrize("before", [None, "an older page"])
def test_a_page_is_written_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: str | None
) -> None:
    page = tmp_path / "page.html"
    if before is not None:
        page.write_text(before)

    def full(_file: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("lsp_server.writing.page.os.fsync", full)
        with pytest.raises(OSError, match="No space"):
            write_page(page, "a page")
    assert {one.name: one.read_text() for one in tmp_path.iterdir()} == ({} if before is None else {page.name: before})
    write_page(page, "a page \ud800")
    assert page.read_text("utf-8") == "a page \\ud800"


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="this platform gives pipes no names")
def test_a_page_may_go_into_a_pipe() -> None:
    reader, writer = os.pipe()
    with os.fdopen(reader, "rb") as read, os.fdopen(writer, "wb"):
        write_page(Path(f"/dev/fd/{writer}"), "a page")
        assert read.read(6) == b"a page"


def test_cancelled_in_the_middle_the_file_is_as_it_was(
    answers: Answers, monkeypatch: pytest.MonkeyPatch, file: Path
) -> None:
    begun = []

    def interrupted(rewriting: Rewriting) -> None:
        begun.append(rewriting)
        raise KeyboardInterrupt

    answers(rename)
    monkeypatch.setattr("lsp_server.engine.rewriting.rewrite._SLICE", 0)
    monkeypatch.setattr("decoder.Rewriting.progress", interrupted)
    assert main(["rewrite", str(file), "--instruction", "say r for it", "--write"]) == 130
    assert begun
    assert file.read_bytes() == CODE.encode()


@pytest.mark.parametrize("write", [True, False])
def test_what_became_of_the_file_is_said(
    write: bool,
    answers: Answers,
    file: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    arguments = ["rewrite", str(file), "--instruction", "r", *(["--write"] if write else [])]
    answers(str)
    assert main(arguments) == 1
    said = capsys.readouterr()
    assert (said.out, "Nothing was changed" in said.err, "was written" in said.err) == ("", True, False)
    answers(rename)
    assert main(arguments) == 0
    said = capsys.readouterr()
    assert (not said.out, "Nothing was changed" in said.err, "was written" in said.err) == (write, False, write)
    assert main([*arguments, "--deadline-ms", "0.000001"]) == 1
    said = capsys.readouterr()
    assert (said.out, "Nothing was changed. Time ran out" in said.err) == ("", True)


def test_what_only_checked_javascript_forbids_breaks_no_plain_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By its old name TypeScript takes the function for a class; by the new one it reports untyped parameters."""
    needs.typescript()
    layer = (
        "module.exports = Layer\n\nfunction Layer (path) {\n  if (!(this instanceof Layer)) return new Layer(path)\n}\n"
    )
    (tmp_path / "layer.js").write_text(layer + "\nLayer.prototype.match = function match (path) {}\n", "utf-8")
    (tmp_path / "user.js").write_text("const Layer = require('./layer')\nnew Layer('a').match('b')\n", "utf-8")
    arguments = ["rewrite", str(tmp_path / "layer.js"), "--rename", "Layer=Lay", "--workspace", str(tmp_path), "--json"]
    assert main(arguments) == 0
    assert not any(note.startswith("Breaks") for note in json.loads(capsys.readouterr().out)["notes"])
