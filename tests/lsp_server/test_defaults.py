"""Parameters that are used before they have a value, by defaults: what a call of `f` throws is refused."""

from __future__ import annotations

import json
import shutil
import subprocess

import pytest

from context_index import Document, Language, parse
from lsp_server.checks.refused import is_refused

# a function, which a call without arguments would have use what has no value
REFUSED = """
function f(a = a) {}
function f(a = b, b = 1) {}
function f(a = 1, b = [a, b]) {}
function f({ a = a } = {}) {}
function f({ a = b, b } = {}) {}
function f({ a } = a) {}
function f([a] = [a]) {}
function f({ a: c = a } = {}, a = 1) {}
function f(a = typeof b, b = 1) {}
function f(a = { b }, b = 1) {}
const b = 1; function f(b = b) {}
const f = (a = a) => a;
"""
ALLOWED = """
function f(a = 1, b = a) {}
function f(a = () => a) {}
function f(a = () => b, b = 1) {}
function f({ a, b = a } = {}, c = b) {}
function f([a, b = a] = [], c = { a, b }) {}
function f(a = (b => b)(1), b = 2) {}
function f(a = ((b = 1, c = b) => c)(), b = 2) {}
function f(a = { b: 1 }.b, b = 2) {}
function f({ b: a } = {}, c = a) {}
function f(a = f, b = 1) {}
const f = (a = 1) => { const b = a; };
const b = 1; function f(a = b) { const c = 2; }
"""
CASES = [
    (line, refused) for lines, refused in ((REFUSED, True), (ALLOWED, False)) for line in lines.strip().splitlines()
]


@pytest.mark.parametrize("language", [Language.JAVASCRIPT, Language.TYPESCRIPT])
@pytest.mark.parametrize(("line", "refused"), CASES)
def test_defaults(line: str, language: Language, *, refused: bool) -> None:
    syntax = parse(Document("file:///a", language, line))
    assert not syntax.root.has_error
    assert is_refused(syntax, 0, len(line)) is refused


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_node_says_the_same() -> None:
    """In one process; each line is run in a world of its own."""
    scripts = [f"{line}\ntry {{ f(); '' }} catch (error) {{ error.name }}" for line, _ in CASES]
    run = f"console.log(JSON.stringify({json.dumps(scripts)}.map((script) => vm.runInNewContext(script))))"
    told = subprocess.run(["node", "-e", run], capture_output=True, text=True, check=True)  # noqa: S607 - a test
    expected = [(line, "ReferenceError" if refused else "") for line, refused in CASES]
    assert [*zip((line for line, _ in CASES), json.loads(told.stdout), strict=True)] == expected
