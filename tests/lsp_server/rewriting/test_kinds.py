"""Which kind of rewrite is asked for, and who is asked to do it."""

from __future__ import annotations

import pytest

from context_index import Document, Language, parse
from lsp_server.engine.rewriting.kinds import names_to_rename, request_of
from lsp_server.engine.rewriting.rename_request import RenameRequest
from lsp_server.engine.rewriting.rewrite import RewriteRequest

TEXT = "total = 1\nprint(total)\n"
NAMES = ("total", "amount")
CASES = [
    ("", NAMES, True, NAMES),
    ("rename total to amount", None, True, NAMES),
    ("Rename `total` to `amount`.", None, True, NAMES),
    ("RENAME total TO amount", None, True, NAMES),
    ("Rename total to amount everywhere", None, True, None),
    ("rename total.x to amount", None, True, None),
    ("rename total to amount", None, False, None),
    ("call total amount", None, True, None),
    ("", None, True, None),
]


@pytest.mark.parametrize(("instruction", "given", "is_code", "names"), CASES)
def test_what_is_asked_for_is_of_one_kind(
    instruction: str, given: tuple[str, str] | None, is_code: bool, names: tuple[str, str] | None
) -> None:
    syntax = parse(Document("untitled:a", Language.PYTHON, TEXT)) if is_code else None
    rewrite = RewriteRequest("untitled:a", TEXT, syntax, instruction, (10, 22))
    found = names_to_rename(instruction, given, is_code=is_code)
    assert found == names
    request = request_of(rewrite, found, place=16, takes_all=True)
    if names is None or syntax is None:
        assert request is rewrite
    else:
        assert request == RenameRequest(syntax, *names, (10, 22), 16, takes_all=True)


@pytest.mark.parametrize(
    ("instruction", "lines"),
    [
        ("rename size to length in area", (1, 2)),
        ("rename size to length in `Box.grow`", None),
        ("rename size to length in nothing", None),
    ],
)
def test_a_rename_within_a_declaration_looks_for_the_name_there(
    instruction: str, lines: tuple[int, int] | None
) -> None:
    text = "size = 1\ndef area(size):\n    return size\nclass Box:\n    def grow(self, size): ...\n"
    syntax = parse(Document("untitled:a", Language.PYTHON, text))
    rewrite = RewriteRequest("untitled:a", text, syntax, instruction)
    request = request_of(rewrite, names_to_rename(instruction))
    if lines is None:
        assert request is rewrite
    else:
        assert isinstance(request, RenameRequest)
        assert request.chosen == (syntax.document.lines[lines[0]], syntax.document.lines[lines[1] + 1])
