"""Scopes: each line of `cases/scopes_*.txt` is a place and what is said of the names there."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context_index import Document, Edit, Language, Name, NameKind, Origin, caveats_at, names_at, parse
from context_index.scopes import forget_statements
from tests.alone import parser_alone
from tests.context_index.test_cursor import unescaped
from tests.examples import examples

DATA = Path(__file__).parent / "cases"
CASES = [
    (language, line)
    for language in (Language.JAVASCRIPT, Language.TYPESCRIPT, Language.PYTHON)
    for line in (DATA / f"scopes_{language}.txt").read_text("utf-8").splitlines()
    if line and not line.startswith("#")
]
CLAIM = re.compile(r"(!)?([\w$]+)(?:([@~+:=#<?])(`[^`]*`|[^,]*))?")


def read(language: Language, case: str) -> tuple[Document, int, list[str]]:
    code, _, expected = case.rpartition(" => ")
    before, _, after = unescaped(code).partition("^")
    return (
        Document("file:///a", language, before + after),
        len(before),
        [claim[0] for claim in CLAIM.finditer(expected)],
    )


def holds(claim: str, names: dict[str, Name]) -> bool:
    """Whether one claim of a case, such as `a@2`, is true of the names."""
    match = CLAIM.fullmatch(claim)
    assert match, claim
    hidden, text, sign, value = match.groups()
    if hidden:
        return text not in names
    name = names.get(text)
    if name is None:
        return False
    verdicts: dict[str | None, Callable[[], bool]] = {
        None: lambda: True,
        "@": lambda: name.distance == int(value),
        "~": lambda: name.before_declaration,
        "+": lambda: not name.before_declaration,
        ":": lambda: name.kind is NameKind(value),
        "=": lambda: name.detail == value.strip("`"),
        "#": lambda: name.line == int(value),
        "<": lambda: name.origin is Origin(value),
        "?": lambda: name.is_type,
    }
    return verdicts[sign]()


@pytest.mark.parametrize(("language", "case"), CASES)
def test_names(language: Language, case: str) -> None:
    document, offset, claims = read(language, case)
    names = names_at(parse(document), offset)
    shown = {text: (name.kind.value, name.distance, name.detail) for text, name in names.items()}
    if "only" in claims:
        claims.remove("only")
        listed = {match[2] for claim in claims if (match := CLAIM.fullmatch(claim)) and not match[1]}
        assert names.keys() - {"arguments"} <= listed, shown
    assert [claim for claim in claims if not holds(claim, names)] == [], shown


@pytest.mark.parametrize(("uri", "claim"), [("file:///a.pyi", "A+"), ("file:///a.py", "A~")])
def test_a_stub_may_name_what_it_declares_below(uri: str, claim: str) -> None:
    code = "B: ^\ndef f(x: B) -> A: ...\nclass A: ...\n"
    document = Document(uri, Language.PYTHON, code.replace("^", ""))
    assert holds(claim, names_at(parse(document), code.index("^")))


@pytest.mark.parametrize("uris", [("a.pyi", "a.py"), ("a.py", "a.pyi")])
def test_a_declaration_without_a_value_has_one_in_stubs_alone(uris: tuple[str, str]) -> None:
    """Whichever is read first: what a statement declares is kept by its text."""
    code = "declared: int\n"
    for uri in uris:
        names = names_at(parse(Document(f"file:///{uri}", Language.PYTHON, code)), len(code))
        assert holds("declared+" if uri == "a.pyi" else "declared~", names)


def test_what_cannot_be_listed_is_a_caveat() -> None:
    code = "from a.b import *\ndef f():\n    "
    assert caveats_at(parse(Document("a", Language.PYTHON, code)), len(code)) == (
        "`from a.b import *` may bring more names",
    )
    code = "with (o) { f(); }"
    assert caveats_at(parse(Document("a", Language.JAVASCRIPT, code)), 11) == (
        "a `with` statement adds the properties of an object",
    )
    code = "namespace N { f(); }"
    assert caveats_at(parse(Document("a", Language.TYPESCRIPT, code)), 14) == (
        "a namespace may have other parts, whose names it sees",
    )


def test_where_no_names_are_read_it_is_said_who_judges_them() -> None:
    document = Document("a", Language.C, "int a;\n")
    assert caveats_at(parse(document), 0) == ("the names of C are not read: its checker judges them",)
    with parser_alone(Language.C):
        assert caveats_at(parse(document), 0) == ("the names of C are not read, and no checker of it is known",)


def test_a_statement_of_a_function_is_read_anew_where_it_is_in_none() -> None:
    loop = "    while a:\n        if a:\n            b = 1\n            return b\n"
    within, outside = (Document("", Language.PYTHON, f"def f(a):\n{more}{loop}") for more in ("", "pass\n"))
    answers = []
    for first in (outside, within):
        forget_statements()
        for document in (first, outside):
            names = names_at(parse(document), document.text.index("b = 1") - 1)
        answers.append(names)
    assert answers[0] == answers[1]


@examples(80)
@given(st.sampled_from(CASES), st.sampled_from(CASES), st.data())
def test_names_are_reported_anywhere_and_alike_after_edits(
    one: tuple[Language, str], other: tuple[Language, str], data: st.DataObject
) -> None:
    """Any place of any broken text has an answer; an edited tree answers as one from scratch where it is the same."""
    document, _, _ = read(*one)
    insertion = read(*other)[0].text
    place = data.draw(st.integers(0, len(document.text)))
    before = parse(document)
    names_at(before, place)
    edit = Edit(place, place, insertion)
    after = before.edited(document.edited([edit], 1), [edit])
    fresh = parse(after.document)
    offset = data.draw(st.integers(0, len(after.document.text)))
    names = names_at(after, offset)
    assert all(text == name.text and text.strip() for text, name in names.items())
    if str(after.root) == str(fresh.root):
        forget_statements()
        assert names == names_at(fresh, offset)
