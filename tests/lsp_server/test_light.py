"""With the packages that the wheel requires and no other, each command works, or names the extra that it needs."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from context_index.extras import Extra
from lsp_server.cli.entry import COMMANDS
from tests import needs
from tests.lsp_server.forked import Forked
from tests.lsp_server.process import ROOT, Process
from tests.lsp_server.world import World

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.slow

HIDDEN = (*Extra.TORCH.modules, *Extra.PROGRAMS.modules, *Extra.JAVASCRIPT.modules, "scipy", "httpx2", "yaml", "tqdm")
"""The modules of all extras, and some of those that these bring."""
PLACE = "src/cart.js:35:12"
CALLS: list[tuple[str, str]] = [
    (f"complete {PLACE}", "return"),
    (f"complete {PLACE} --explain --json", '"text"'),
    (f"complete {PLACE} --controller ban.js", "programs"),
    (f"complete {PLACE} --controller ban.py", "programs"),
    (f"complete {PLACE} --model ./other", "torch"),
    (f"complete {PLACE} --model no/where", "torch"),
    (f"complete {PLACE} --dtype bfloat16", "torch"),
    (f"verify {PLACE} --text count;", "accepted"),
    (f"symbols {PLACE}", "names in scope"),
    (f"symbols {PLACE} --prompt", "the built-in model sees nothing of other files"),
    ("rewrite src/cart.js --rename share=part", "+  const part"),
    ("rewrite src/cart.js --model ./other --instruction Rename", "torch"),
    ("index .", "export"),
    ("generate --program ban.js", "programs"),
    ("lower ban.py", "programs"),
    ("train --out trained", "torch"),
    ("train --prior --out trained", "torch"),
    ("train --ngrams --out trained", "torch"),
    ("train --calibration --out trained", "torch"),
    ("doctor", "numpy on cpu"),
    ("doctor --deep", "Install the extra 'programs'"),
    ("setup --check", "TypeScript"),
    ("models", "built-in"),
    ("stats", "Nothing has been counted yet"),
    ("completion bash", "inscope"),
    ("bench --help", "inscope bench"),
    ("--help", "complete"),
    ("--version", "0.1.0"),
]
"""Each with the extra that it names, or with words of its answer."""


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    needs.typescript()
    made = World(tmp_path_factory.mktemp("light") / "world")
    made.hide(*HIDDEN)
    shop = made.folder / "shop"
    shutil.copytree(ROOT / "examples/workspace/storefront", shop, dirs_exist_ok=True)
    shutil.copytree(made.model(architectures=["Qwen2ForCausalLM"]), shop / "other")
    made.settings("")
    (shop / "ban.js").write_text("export function step() { return null }\n")
    (shop / "ban.py").write_text("def step(place):\n    return None\n")
    return made


@pytest.fixture(scope="module")
def forked(world: World) -> Iterator[Forked]:
    with Forked(tuple(COMMANDS), world.interpreter, world.environment) as commands:
        yield commands


@pytest.mark.parametrize(("call", "words"), CALLS, ids=lambda one: one)
def test_each_command_works_or_names_its_extra(call: str, words: str, world: World, forked: Forked) -> None:
    done = forked.run(*call.split(), directory=world.folder / "shop")
    output, errors = done.stdout.decode(), done.stderr.decode()
    if words in tuple(Extra):
        extra = Extra(words)
        assert done.returncode == 1
        assert f"Install the extra '{extra}'" in errors
        assert f"'inscope[{extra}]'" in errors
        assert errors.startswith("error: ")
        assert errors.count("\n") == 1
    else:
        assert (done.returncode, words in output + errors) == (0, True), errors + output


def test_the_server_completes_and_says_what_is_there(world: World, forked: Forked) -> None:
    file = world.folder / "shop/src/cart.js"
    text = file.read_text("utf-8")
    with Process(world.folder / "server.log", environment=world.environment, forked=forked) as server:
        server.start(world.folder / "shop")
        server.notify("initialized")
        item = {"uri": file.as_uri(), "languageId": "javascript", "version": 1, "text": text}
        server.notify("textDocument/didOpen", textDocument=item)
        place = {"textDocument": {"uri": file.as_uri()}, "position": {"line": 34, "character": 11}}
        ghost = server.ask("textDocument/inlineCompletion", **place, context={"triggerKind": 1})
        assert [each["insertText"] for each in ghost["items"]]
        assert server.ask("textDocument/completion", **place)["items"]
        health = server.ask("workspace/executeCommand", command="inscope.health", arguments=[])
        assert (health["healthy"], server.heard("inscope/status")[-1]["problems"]) == (True, [])


def test_nothing_of_the_extras_is_imported_when_they_are_there() -> None:
    """The built-in model completes without them; only what the tests need brings them."""
    script = (
        "import json, sys\nfrom lsp_server.cli import main\n"
        f"main(['complete', {str(ROOT / 'examples/workspace/storefront/src/cart.js') + ':35:12'!r}])\n"
        f"main(['rewrite', {str(ROOT / 'examples/workspace/storefront/src/cart.js')!r}, '--rename', 'share=part'])\n"
        f"print(json.dumps([name for name in {HIDDEN!r} if name in sys.modules]))"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout.splitlines()[-1]) == []
