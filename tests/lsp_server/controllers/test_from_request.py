"""A request's own program, as batches and editors name it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from context_index import Language
from decoder import Controller, SamplingOptions
from lsp_server.cli import main
from lsp_server.engine.controllers.from_request import controller_of
from lsp_server.engine.suggestion import CompletionRequest
from lsp_server.errors import ErrorCode, RequestError
from tests.decoder.scripted import letters, says
from tests.lsp_server.test_service import Shop, shared_shop, shop

__all__ = ["shared_shop", "shop"]

FAULTS = {
    "no object": (7, ErrorCode.MALFORMED_REQUEST),
    "unknown field": ({"sauce": "x"}, ErrorCode.MALFORMED_REQUEST),
    "neither": ({"language": "python"}, ErrorCode.MALFORMED_REQUEST),
    "both": ({"language": "python", "source": "x", "file": "y.py"}, ErrorCode.MALFORMED_REQUEST),
    "no text": ({"language": "python", "source": 1}, ErrorCode.MALFORMED_REQUEST),
    "no language": ({"source": "x"}, ErrorCode.MALFORMED_REQUEST),
    "unknown language": ({"language": "ruby", "source": "x"}, ErrorCode.MALFORMED_REQUEST),
    "params are a list": ({"language": "python", "source": "x", "params": []}, ErrorCode.MALFORMED_REQUEST),
    "missing file": ({"file": "missing.js"}, ErrorCode.FILE_NOT_FOUND),
    "file of no language": ({"file": "a.txt"}, ErrorCode.UNKNOWN_LANGUAGE),
    "null in the name": ({"file": "a\0.js"}, ErrorCode.FILE_NOT_FOUND),
}


@pytest.mark.parametrize("case", FAULTS)
def test_faults(case: str) -> None:
    given, code = FAULTS[case]
    with pytest.raises(RequestError) as raised:
        controller_of(given)
    assert raised.value.code is code


def test_sources_and_files(tmp_path: Path) -> None:
    assert controller_of(None) is None
    params = {"quote": "'"}
    source = controller_of({"language": "python", "source": "def step(s): pass", "params": params})
    assert source == Controller(Language.PYTHON, "def step(s): pass", params)
    (tmp_path / "a.mjs").write_text("export function step() {}")
    file = controller_of({"file": str(tmp_path / "a.mjs")})
    assert file == Controller(Language.JAVASCRIPT, "export function step() {}", {}, "a.mjs")
    (tmp_path / "a.py").write_bytes(b"'\xe9'")
    with pytest.raises(RequestError, match="is not UTF-8"):
        controller_of({"file": str(tmp_path / "a.py")})


TELLS = """
wants = ["symbols", "snippets", "prior"]
def step(s):
    symbols = s.symbols
    raise ValueError([symbols["path"][0], symbols["path"][-1], [one["name"] for one in symbols["imports"]],
        "priceOf" in symbols["snippets"][0]["text"], "total" in symbols["prior"]])
"""


@pytest.mark.slow
def test_a_step_is_reported_of_the_place(shop: Shop) -> None:
    syntax, offset = shop.place(
        "import { priceOf } from './prices';\nconst total = 1;\nfunction f() {\n  return ^\n}\n"
    )
    controller = Controller(Language.PYTHON, TELLS)
    request = CompletionRequest(syntax, offset, SamplingOptions(), controller=controller)
    with pytest.raises(RequestError) as raised:
        shop.service(says(*letters("total"))).complete(request)
    assert raised.value.code is ErrorCode.PROGRAM_FAILED
    assert "['program', 'return_statement', ['priceOf'], True, True]" in raised.value.message


EXAMPLES = Path(__file__).parents[3] / "examples" / "controllers"
README = re.findall(r" `([^`]*)` \| `([^`]*)` \|$", (EXAMPLES / "README.md").read_text("utf-8"), re.MULTILINE)
"""What the page says that the model writes without and with each."""
KEPT: dict[str, Callable[[str, dict[str, Any]], bool]] = {
    "ban_deprecated.js": lambda line, params: not any(re.search(one, line) for one in params["banned"]),
    "house_quotes.js": lambda line, params: ("'" in params["quote"]) == ("'" in line),
    "prefer_module.js": lambda line, _params: "format" in line,
}
"""What each program promises of a suggestion's first line."""


@pytest.mark.slow
def test_the_examples_keep_their_promise_where_the_model_alone_does_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cases: list[dict[str, Any]] = [json.loads(one) for one in (EXAMPLES / "cases.jsonl").read_text().splitlines()]
    asked = []
    for case in cases:
        lines = case["text"].split("\n")
        plain = {"file": str(tmp_path / "a.js"), "text": case["text"], "line": len(lines), "column": len(lines[-1]) + 1}
        controller = {"file": str(EXAMPLES / case["controller"]), "params": case["params"]}
        asked += [plain, plain | {"controller": controller}]
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(one) + "\n" for one in asked))
    assert main(["complete", "--batch", str(tmp_path / "in.jsonl")]) == 0
    answers = [json.loads(one)["text"] for one in capsys.readouterr().out.splitlines()]
    shown = [answer.replace("\n", "\u23ce") for answer in answers]
    assert [*zip(shown[::2], shown[1::2], strict=True)] == README[: len(cases)]
    for case, without, with_it in zip(cases, answers[::2], answers[1::2], strict=True):
        if "writes" in case:
            assert with_it == case["writes"] != without
            continue
        line, kept = case["text"].rpartition("\n")[2], KEPT[case["controller"]]
        assert with_it, case
        assert kept(line + with_it, case["params"]), (case, with_it)
        assert not kept(line + without, case["params"]), (case, without)


@pytest.mark.slow
def test_the_example_of_a_workspace_brings_its_own_rule(capsys: pytest.CaptureFixture[str]) -> None:
    workspace = EXAMPLES / "workspace"
    place = [f"{workspace / 'path.js'}:2:14", "--workspace", str(workspace), "--json", "--deadline-ms", "60000"]
    assert main(["complete", *place]) == 0
    assert main(["complete", *place, "--workspace-controllers"]) == 0
    without, with_it = (json.loads(line)["text"] for line in capsys.readouterr().out.splitlines())
    assert (without, with_it) == README[-1]
    assert "require" in without
    assert "require" not in with_it
