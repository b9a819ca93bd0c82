"""What VS Code's client knows of other extensions, while their answers come late."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from context_index import on_path
from context_index.parts import find, part
from tests import needs
from tests.editors import tools

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow

VSCODE = """
let answer;
exports.CompletionItemKind = { Text: 0, Keyword: 13, Snippet: 14, File: 16, Folder: 18 };
exports.commands = { executeCommand: () => new Promise((done) => { answer = done; }) };
exports.answer = (...names) => answer({ items: names.map((label) => ({ label, kind: 5 })) });
"""
"""The part of VS Code's interface that is used, where the others answer when the test says so."""
SCRIPT = """
const assert = require('node:assert');
const vscode = require('vscode');
const { Others } = require('./others.js');

const position = { isEqual: (other) => other === position };
const document = { uri: { toString: () => 'file:///cart.ts' }, languageId: 'typescript' };
const settled = () => new Promise((done) => setTimeout(done));
const others = new Others();
const learn = () => others.learn(document, position, async () => undefined);
const CASES = {
  async 'a person who asks where the others still think gets a menu'() {
    const learnt = learn();
    assert.ok(others.takeOwn(document, position), 'what VS Code passes on');
    assert.ok(!others.takeOwn(document, position), 'what the person asks');
    vscode.answer('total');
    await learnt;
    assert.deepEqual([...others.languages], ['typescript']);
  },
  async 'an answer about extensions that are no longer there is dropped'() {
    const learnt = learn();
    others.forget();
    vscode.answer('total');
    await learnt;
    assert.equal(others.languages.size, 0);
  },
  async 'nor is it known for a name, and they are asked again'() {
    const listed = others.listed(document, position, ['total']);
    others.forget();
    vscode.answer('total');
    assert.deepEqual([...await listed], ['total']);
    const again = others.listed(document, position, ['total']);
    await settled();
    vscode.answer('count');
    assert.deepEqual([...await again], []);
  },
};
CASES[process.argv[2]]().catch((fault) => { console.error(fault); process.exit(1); });
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The client's module as JavaScript, and the script."""
    needs.typescript()
    needs.program("node")
    folder = tmp_path_factory.mktemp("others")
    module = tools.ROOT / "editor_clients" / "vscode" / "src" / "others.ts"
    vscode = folder / "node_modules" / "vscode" / "index.js"
    vscode.parent.mkdir(parents=True)
    vscode.write_text(VSCODE)
    (folder / "script.js").write_text(SCRIPT)
    options = ["--module", "commonjs", "--target", "es2022", "--noCheck", "--ignoreConfig", "--outDir", str(folder)]
    subprocess.run([find(part("typescript")).path, module, *options], check=True)
    return folder


@pytest.mark.parametrize(
    "case",
    [
        "a person who asks where the others still think gets a menu",
        "an answer about extensions that are no longer there is dropped",
        "nor is it known for a name, and they are asked again",
    ],
)
def test_late_answers(case: str, folder: Path) -> None:
    node = on_path("node", ())
    assert node is not None
    done = subprocess.run([node, "script.js", case], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
