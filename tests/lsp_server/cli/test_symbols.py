"""`inscope symbols` at places where a type checker has something to say."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from rich.console import Console

from context_index import CheckerCompletion, Language, NameKind, Signature, Signatures, SymbolContext
from lsp_server.cli import main
from lsp_server.cli.console import console_for_answers
from lsp_server.engine.symbols import CheckerInfo
from lsp_server.engine.wire.file_place import FilePlace
from lsp_server.rendering.symbols import rendered

SHOP = """class Cart:
    items: list[str]
    def total(self, tax: float, mode: str = "") -> int: ...
Cart().
Cart().total(1, mo)
print(
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "shop.py"
    path.write_text(SHOP, encoding="utf-8")
    return path


@pytest.mark.slow
def test_members_have_types_and_who_says_so_how_fast(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["symbols", f"{file}:4:8", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["members"]
    assert (found["position"], found["by"].split()[0], found["why"]) == ("member", "ty", "")
    assert found["milliseconds"] > 0
    assert {"name": "items", "kind": "property", "type": "list[str]"} in found["names"]


@pytest.mark.slow
def test_the_signature_of_the_active_parameter_is_reported(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["symbols", f"{file}:5:19", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["signature"]["parameters"][found["signature"]["active"]] == 'mode: str = ""'
    assert {"name": "mode=", "kind": "parameter", "type": "str"} in found["members"]["names"]
    assert main(["symbols", f"{file}:5:19"]) == 0
    assert "(tax: float, mode: str" in capsys.readouterr().out


@pytest.mark.slow
def test_names_have_types_and_signatures(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text("from math import hypot\ntotal: float = hypot(1)\n\n", encoding="utf-8")
    assert main(["symbols", f"{file}:3:1", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["members"], found["signature"]) == (None, None)
    names = {one["name"]: one for one in found["names"]}
    assert (names["total"]["type"], names["total"]["signature"]) == ("float", None)
    assert names["hypot"]["type"] == "(*coordinates: SupportsFloat | SupportsIndex) -> float"
    assert names["hypot"]["signature"]["parameters"] == [
        {"name": "*coordinates", "type": "SupportsFloat | SupportsIndex", "default": None, "optional": False}
    ]
    assert names["hypot"]["signature"]["returns"] == "float"
    assert names["hypot"]["documentation"].startswith("Multidimensional Euclidean distance")
    assert (names["print"]["type"], names["print"]["why"]) == (None, "a global name: not asked")
    assert main(["symbols", f"{file}:3:1"]) == 0
    assert "total  variable     2  float" in capsys.readouterr().out


def shown(listed: tuple[CheckerCompletion, ...], why: str) -> str:
    """What people see of a list."""
    console = console_for_answers()
    console.width = 200
    signatures = Signatures((Signature("f(a)", ("a",), 0),))
    typed = CheckerInfo("member", "ty 1", 12.3, None if why else listed, signatures, why)
    with console.capture() as capture:
        console.print(rendered(FilePlace("a.py", 1, 1), SymbolContext(Language.PYTHON), typed))
    return capture.get()


def test_the_active_parameter_is_marked_once() -> None:
    signature = Signature("f(ba: int, a: int)", ("ba: int", "a: int"), 1)
    typed = CheckerInfo("argument", "ty 1", 12.3, None, Signatures((signature,)), "it is late")
    console = Console(force_terminal=True, color_system="standard", width=200)
    with console.capture() as capture:
        console.print(rendered(FilePlace("a.py", 1, 1), SymbolContext(Language.PYTHON), typed))
    assert "f(ba: int, \x1b[1ma: int\x1b[0m)" in capture.get()
    assert "global names:" not in capture.get()


TOTAL = CheckerCompletion("total", NameKind.METHOD, "total", type="() -> int")
SENTENCES = {
    "member: 1 name, says ty 1 in 12 ms": ((TOTAL,), ""),
    "total  method  () -> int": ((TOTAL,), ""),
    "member: ty 1 in 12 ms lists nothing here": ((), ""),
    "member: nothing is known, it is late": ((), "it is late"),
    "and 40 more (--json lists all)": (
        tuple(CheckerCompletion(f"name{n}", NameKind.PROPERTY, f"name{n}") for n in range(100)),
        "",
    ),
}


@pytest.mark.parametrize("sentence", SENTENCES)
def test_sentences_for_people(sentence: str) -> None:
    text = shown(*SENTENCES[sentence])
    assert sentence in text
    assert "f(a)\nsays ty 1 in 12 ms" in "\n".join(line.rstrip() for line in text.splitlines())


def test_prompt_shows_what_the_model_sees_and_what_it_costs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "shop.py").write_text(SHOP, encoding="utf-8")
    (tmp_path / "main.py").write_text("from shop import Cart\nc = Cart()\n\n", encoding="utf-8")
    asked = ["symbols", f"{tmp_path / 'main.py'}:3:1", "--workspace", str(tmp_path), "--prompt"]
    assert main([*asked, "--model", "some/model", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["snippets"]
    assert [snippet["path"] for snippet in found] == ["shop.py"]
    assert "    def total(self, tax: float" in found[0]["text"]
    assert 0 < found[0]["tokens"] < 100
    assert main([*asked, "--model", "some/model"]) == 0
    assert "def total(self, tax: float" in capsys.readouterr().out
    assert main([*asked, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["snippets"] == []
    assert main(asked) == 0
    assert "the built-in model sees nothing of other files" in capsys.readouterr().out
