"""Files that were written anew and may not take the place of what was there, each with its reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from context_index import Document, Language, Syntax, Workspace, parse
from lsp_server.rewriting.edits import edits_between
from lsp_server.rewriting.verdict import Failed, worse
from lsp_server.verification import Rejection, Unverified, Verifier

ORIGINAL = "def f(total):\n    return total\n\n\ndef g():\n    return f(1)\n"


def new_errors(workspace: Workspace, syntax: Syntax, attempt: str) -> tuple[Rejection, ...]:
    found = Verifier(workspace).baseline(syntax).new_errors(edits_between(syntax.document.text, attempt))
    assert not isinstance(found, Unverified)
    return found


@pytest.mark.parametrize(
    ("instruction", "old", "new", "failed", "reason"),
    [
        ("make total optional", "(total)", "(total=None)", None, ""),
        ("rename total to amount", "total", "amount", None, ""),
        ("make total optional", "(total)", "(total", Failed.SYNTAX_ERROR, "one new syntax error"),
        ("tidy up", "def f", "    def f", Failed.REJECTED, "ndentation"),
        (
            "tidy up",
            "def g():\n    return f(1)\n",
            "def g():\n    return f(1)\n" * 2,
            Failed.REPEATED_NAME,
            "declare `g` twice",
        ),
        ("tidy up", "def g", "def h", Failed.LOST_NAME, "would lose `g`"),
        ("make total optional", "total", "optional", Failed.MISREAD, "`optional` would take the place of `total`"),
        ("add 1", "return total", "return total + one", Failed.REJECTED, "`one`"),
    ],
)
def test_why_a_file_is_worse(  # noqa: PLR0917 - columns of a table
    tmp_path: Path, instruction: str, old: str, new: str, failed: Failed | None, reason: str
) -> None:
    syntax = parse(Document((tmp_path / "a.py").as_uri(), Language.PYTHON, ORIGINAL))
    workspace = Workspace([tmp_path])
    attempt = ORIGINAL.replace(old, new)
    found, why = worse(workspace, new_errors(workspace, syntax, attempt), syntax, attempt, instruction)
    workspace.close()
    assert found is failed
    assert reason in why
    assert bool(why) == (failed is not None)


def test_what_the_checker_reports_is_worse_unless_it_did_before(tmp_path: Path) -> None:
    good, bad = "function f() {\n  g();\n}\n", "function f() {\n  break;\n}\n"
    workspace = Workspace([tmp_path])
    for before, after, expected in ((good, bad, Failed.REJECTED), (bad, bad.replace("f(", "h("), None)):
        syntax = parse(Document((tmp_path / "a.js").as_uri(), Language.JAVASCRIPT, before))
        assert worse(workspace, new_errors(workspace, syntax, after), syntax, after, "rename f to h")[0] is expected
    workspace.close()


def test_what_no_checker_answers_for_is_not_told_as_free_of_errors() -> None:
    """A document in no file has no project, and so no checker."""
    workspace = Workspace([])
    syntax = parse(Document("untitled:a", Language.PYTHON, ORIGINAL))
    found = Verifier(workspace).baseline(syntax).new_errors(edits_between(ORIGINAL, ORIGINAL.replace("total", "one")))
    workspace.close()
    assert isinstance(found, Unverified)
    assert "in no file" in found.why
