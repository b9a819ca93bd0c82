"""No rewrite is done that the language itself refuses: each result is given to Node.js or to CPython once more.

What the model wants to write is given: a parameter gets a name that the language may or may not allow there.
"""

from __future__ import annotations

import json
import keyword
import re
import subprocess
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import pytest

from context_index import on_path
from lsp_server.cli import command_service, main
from lsp_server.engine.model_host import ModelHost
from tests import needs
from tests.decoder.forced import Forced

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow

RESERVED = re.findall(
    r"\w+",
    """await yield let static implements interface package private protected public eval arguments enum async of get
    set undefined NaN null true this super new class const export import default in void with""",
)
SCRIPTS = {
    "module.mjs": "export function sleep(ms, signal) {{\n  return {name} + {i};\n}}\n",
    "arrow.mjs": "const q = (ms, signal) => {{\n  return {name} + {i};\n}};\n",
    "script.cjs": "const q = require('q');\n\nfunction sleep(ms, signal) {{\n  return {name} + {i};\n}}\n",
    "strict.cjs": "'use strict';\n\nfunction sleep(ms, signal) {{\n  return {name} + {i};\n}}\n",
    "async.cjs": "const q = require('q');\n\nasync function sleep(ms, signal) {{\n  return {name} + {i};\n}}\n",
}
PYTHON = {
    "plain.py": "def sleep(ms, signal):\n    return {name} + {i}\n",
    "other.py": "def sleep(ms, signal):\n    def inner():\n        return {name}\n    return inner\n",
}
FEWEST = 100


class Decided(Forced):
    """Never undecided between two other tokens: a search would try all that are as probable as the first."""

    def branch(self) -> Decided:
        """The same, nothing read."""
        return Decided(self._change)

    def _row(self, end: int) -> np.ndarray:
        row = super()._row(end)
        return np.where(row > 0, row, -6 * np.arange(len(row), dtype=np.float32))


@pytest.fixture
def rename(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """By the text of a file, what the model makes of it; the command uses a model that does so."""
    wanted: dict[str, str] = {}

    def load(*_: object, **__: object) -> Decided:
        return Decided(lambda text: wanted[text.strip("\n")])

    monkeypatch.setattr(command_service, "ModelHost", partial(ModelHost, load=load))
    return wanted


def test_every_rewritten_file_is_one_of_its_language(
    rename: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    needs.program("node")
    lines = []
    for names, files in ((RESERVED, SCRIPTS), ([*keyword.kwlist, *keyword.softkwlist, "signal", "print"], PYTHON)):
        for file, text in files.items():
            for i, name in enumerate(names):
                before = text.format(name="ms", i=i)
                rename[before.strip("\n")] = before.replace("ms", name).strip("\n")
                asked = {"file": str(tmp_path / file), "text": before, "instruction": f"say {name}"}
                lines.append(json.dumps({"id": [file, name], **asked}))
    batch = tmp_path / "in.jsonl"
    batch.write_text("\n".join(lines), "utf-8")
    main(["rewrite", "--batch", str(batch), "--workspace", str(tmp_path)])
    answers = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    done = [one for one in answers if one["error"] is None]
    assert len(answers) == len(lines) > FEWEST
    assert {one["id"][1] for one in done} >= {"async", "of", "match", "print"}, "what is allowed is done"
    assert not {("module.mjs", "await"), ("strict.cjs", "eval"), ("plain.py", "signal")} & {
        (*one["id"],) for one in done
    }
    refused = [one["id"] for one in done if not is_accepted(one["id"][0], one["text"], tmp_path)]
    assert refused == []


NEW_FORMS = {
    "using": "  using file = open(size);\n  return file.size;\n",
    "import type": '  const z: import("./z").Y<string> = open(size);\n  return z.size;\n',
    "defaults": "  class Box<in T> { accessor size = 1; }\n  return new Box<number>().size + size;\n",
    "accessor": "  class Box { accessor size = 1; }\n  return new Box().size + size;\n",
    "variance": "  interface Box<out T> { size: T; }\n  const box: Box<number> = open(size);\n  return box.size;\n",
    "no such form": "  const file = open size;\n  return file.size;\n",
    "half a form": "  using file = ;\n  return size;\n",
}
"""Bodies, of which our grammar reads none and the compiler all but the last two."""
HEAD = """export type * from "./z";
class Opened { size = 1; [Symbol.dispose](): void {} }
declare function open(size: number): Opened;
"""


@pytest.mark.parametrize("form", NEW_FORMS)
def test_a_form_that_only_the_compiler_reads_is_no_error_of_syntax(
    form: str, rename: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    needs.typescript()
    options = {"target": "esnext", "lib": ["esnext"], "module": "esnext", "moduleResolution": "bundler"}
    (tmp_path / "tsconfig.json").write_text(json.dumps({"compilerOptions": {**options, "types": []}}), "utf-8")
    (tmp_path / "z.ts").write_text("export interface Y<T> { size: number; of?: T; }\n", "utf-8")
    before = "export function sized(size: number): number {\n  return size;\n}\n"
    after = before.replace("  return size;\n", NEW_FORMS[form])
    rename[before.strip("\n")] = after.strip("\n")
    asked = {"file": str(tmp_path / "a.ts"), "text": HEAD + before, "lines": "4:6", "instruction": "use the new form"}
    (tmp_path / "in.jsonl").write_text(json.dumps(asked), "utf-8")
    main(["rewrite", "--batch", str(tmp_path / "in.jsonl"), "--workspace", str(tmp_path)])
    answer = json.loads(capsys.readouterr().out)
    assert (answer["error"] is None) == ("form" not in form), answer
    assert answer["error"] is None or answer["error"]["code"] == "syntax_error"


def is_accepted(name: str, text: str, folder: Path) -> bool:
    """Whether the language takes a file, by another way than ours."""
    path = folder / name
    path.write_text(text, "utf-8")
    if not name.endswith(".py"):
        node = on_path("node", ())
        assert node is not None
        return subprocess.run([node, "--check", path], check=False, capture_output=True).returncode == 0
    try:
        compile(text, name, "exec")
    except SyntaxError:
        return False
    return True
