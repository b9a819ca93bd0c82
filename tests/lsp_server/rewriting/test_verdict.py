"""Files that were written anew and may not take the place of what was there, each with its reason."""

from __future__ import annotations

import pytest

from context_index import Document, Language, Workspace, parse
from lsp_server.rewriting.verdict import Failed, worse

ORIGINAL = "def f(total):\n    return total\n\n\ndef g():\n    return f(1)\n"


@pytest.mark.parametrize(
    ("instruction", "old", "new", "failed", "reason"),
    [
        ("make total optional", "(total)", "(total=None)", None, ""),
        ("rename total to amount", "total", "amount", None, ""),
        ("make total optional", "(total)", "(total", Failed.SYNTAX_ERROR, "one new syntax error"),
        ("tidy up", "def f", "    def f", Failed.SYNTAX_ERROR, "a compiler would refuse it"),
        (
            "tidy up",
            "def g():\n    return f(1)\n",
            "def g():\n    return f(1)\n" * 2,
            Failed.REPEATED_NAME,
            "declare `g` twice",
        ),
        ("tidy up", "def g", "def h", Failed.LOST_NAME, "would lose `g`"),
        ("make total optional", "total", "optional", Failed.MISREAD, "`optional` would take the place of `total`"),
        ("add 1", "return total", "return total + one", Failed.UNDEFINED_NAME, "refer to `one`"),
    ],
)
def test_why_a_file_is_worse(instruction: str, old: str, new: str, failed: Failed | None, reason: str) -> None:
    syntax = parse(Document("untitled:a", Language.PYTHON, ORIGINAL))
    found, why = worse(Workspace([]), syntax, ORIGINAL.replace(old, new), instruction)
    assert found is failed
    assert reason in why
    assert bool(why) == (failed is not None)


def test_what_a_compiler_of_javascript_refuses_is_worse_unless_it_did_before() -> None:
    good, bad = "function f() {\n  g();\n}\n", "function f() {\n  break;\n}\n"
    for before, after, expected in ((good, bad, Failed.SYNTAX_ERROR), (bad, bad.replace("f(", "h("), None)):
        syntax = parse(Document("untitled:a", Language.JAVASCRIPT, before))
        assert worse(Workspace([]), syntax, after, "rename f to h")[0] is expected
