"""Checkers' answers in our terms: what is read of them, and that a shape which LSP does not have is ignored."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from context_index import Document, Language
from context_index.checkers.answers import (
    Description,
    Diagnostic,
    QuickFix,
    completion_items,
    described,
    diagnostics,
    edits_by_uri,
    quick_fixes,
    signatures,
)
from context_index.checkers.position_codec import PositionCodec
from context_index.symbols import Signature, Signatures
from context_index.text import Encoding

CODEC = PositionCodec(Document("file:///a.ts", Language.TYPESCRIPT, "abc"), Encoding.UTF16)
ONE = {"label": "f()"}


def read_diagnostics(answer: object) -> list[Diagnostic]:
    return list(diagnostics(answer, CODEC))


def read_fixes(answer: object) -> list[QuickFix]:
    return list(quick_fixes(answer, CODEC, lambda action: action))


@pytest.mark.parametrize(
    ("read", "answer", "expected"),
    [
        (read_diagnostics, {"items": 3}, []),
        (read_diagnostics, {"items": [3, {"message": "m", "range": 4}]}, []),
        (read_fixes, [3, {"edit": {"changes": {"file:///a.ts": 3}}}], []),
        (edits_by_uri, {"changes": {"file:///a.ts": 3}}, {}),
        (completion_items, {"items": 3}, []),
        (signatures, {"signatures": [3]}, None),
        (signatures, {"signatures": [ONE], "activeSignature": -3}, Signatures((Signature("f()", ()),), 0)),
        (signatures, {"signatures": [ONE], "activeSignature": 3}, Signatures((Signature("f()", ()),), 0)),
        (signatures, {"signatures": [{**ONE, "parameters": [4]}]}, Signatures((Signature("f()", ()),), 0)),
    ],
)
def test_a_shape_that_lsp_does_not_have_is_ignored(
    read: Callable[[object], object], answer: object, expected: object
) -> None:
    assert read(answer) == expected


@pytest.mark.parametrize(
    ("contents", "expected"),
    [
        ("```ts\nlet a: 1\n```\n", Description("let a: 1")),
        ("```ts\nlet a: {\n  b: 1\n}\n```\nWhy.\n\nMore.", Description("let a: {\n  b: 1\n}", "Why.\n\nMore.")),
        ("```python\na: int\n```\n---\nWhy.", Description("a: int", "Why.")),
        ("Why.", Description("", "Why.")),
        ([{"language": "ts", "value": "let a: 1"}, "Why."], Description("let a: 1", "Why.")),
        ({"kind": "markdown", "value": "```ts\nlet a\n```"}, Description("let a")),
        ("", None),
        ({}, None),
        ([], None),
    ],
)
def test_a_hover_is_a_signature_and_prose(contents: object, expected: Description | None) -> None:
    assert described({"contents": contents}) == expected
    assert described(None) is None
