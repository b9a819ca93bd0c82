"""`textDocument/signatureHelp` over the protocol, with the real checkers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lsp_server.lsp.handlers import signature_help
from tests import needs
from tests.context_index.checkers import project
from tests.lsp_server.fakes import Editor, Json, on

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow

CASES = {
    "ts": (
        "import { place } from './shop';\nplace({} as any, ^)",
        'place(options: Options, how: "fast" | "slow"): void',
        'how: "fast" | "slow"',
    ),
    "py": (
        "from cart import Cart\nCart().total(1, mode=^",
        '(tax: float = 0, *, mode: Literal["fast", "slow"] = "fast") -> int',
        'mode: Literal["fast", "slow"] = "fast"',
    ),
}


TAKES_SPANS = {
    "textDocument": {"signatureHelp": {"signatureInformation": {"parameterInformation": {"labelOffsetSupport": True}}}}
}


def asked(root: Path, suffix: str, marked: str, monkeypatch: pytest.MonkeyPatch, capabilities: Json = None) -> Json:
    """The answer at the mark."""
    monkeypatch.setattr(signature_help, "_SECONDS", 60.0)
    answers: list[Json] = []

    async def talk(editor: Editor) -> None:
        await editor.start(capabilities, roots=[root])
        uri = (root / f"call.{suffix}").as_uri()
        place = editor.open(marked, uri, {"ts": "typescript", "py": "python"}[suffix])
        answer = await editor.ask("textDocument/signatureHelp", textDocument={"uri": uri}, position=place)
        answers.append(answer["result"])

    on(talk)
    return answers[0]


@pytest.mark.parametrize("suffix", CASES)
def test_the_call_and_its_active_parameter(suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    needs.checker(suffix)
    marked, label, parameter = CASES[suffix]
    found = asked(project(tmp_path), suffix, marked, monkeypatch)
    signature = found["signatures"][found["activeSignature"]]
    assert signature["label"] == label
    assert signature["parameters"][found["activeParameter"]]["label"] == parameter


def test_a_parameter_is_where_it_is_though_its_text_is_within_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    needs.checker("py")
    marked = "def f(ba: int, a: int) -> int: ...\nf(1, ^"
    (signature,) = asked(tmp_path, "py", marked, monkeypatch, TAKES_SPANS)["signatures"]
    assert signature["label"] == "(ba: int, a: int) -> int"
    assert [parameter["label"] for parameter in signature["parameters"]] == [[1, 8], [10, 16]]


def test_outside_of_a_call_there_is_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert asked(tmp_path, "py", "x = ^", monkeypatch) is None
