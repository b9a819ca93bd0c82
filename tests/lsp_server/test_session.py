"""What a client sent, edit by edit, is what a snapshot shows; what makes no sense is refused, never guessed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context_index import Document, Encoding, Language, Syntax, parse
from lsp_server.engine.typed_through import ShownSuggestion
from lsp_server.errors import ErrorCode, RequestError
from lsp_server.lsp.documents.open_document import LONGEST_TEXT, ClientPosition, FullText, PartialChange
from lsp_server.lsp.session import NotServed, Session, Snapshot
from lsp_server.settings.table import Settings

URI = "file:///shop/cart.js"


def opened(text: str, encoding: Encoding = Encoding.UTF16) -> Session:
    session = Session(encoding=encoding)
    session.open(URI, "javascript", 1, text)
    return session


def seen(session: Session, uri: str = URI) -> Snapshot:
    snapshot = session.snapshot(uri)
    assert isinstance(snapshot, Snapshot)
    return snapshot


def partial(start: tuple[int, int], end: tuple[int, int], text: str) -> PartialChange:
    return PartialChange(ClientPosition(*start), ClientPosition(*end), text)


@pytest.mark.parametrize(
    ("text", "encoding", "start", "end", "new", "expected"),
    [
        ("ab\ncd", Encoding.UTF16, (0, 1), (1, 1), "X", "aXd"),
        ("ab\r\ncd", Encoding.UTF16, (0, 2), (1, 0), "+", "ab+cd"),
        ("ab\rcd", Encoding.UTF16, (1, 0), (1, 2), "", "ab\r"),
        ("😀x", Encoding.UTF16, (0, 2), (0, 3), "y", "😀y"),
        ("😀x", Encoding.UTF8, (0, 4), (0, 5), "y", "😀y"),
        ("😀x", Encoding.UTF32, (0, 1), (0, 2), "y", "😀y"),
        ("ab\ncd", Encoding.UTF16, (0, 99), (0, 99), ";", "ab;\ncd"),
        ("ab", Encoding.UTF16, (1, 0), (1, 0), "!", "ab!"),
        ("", Encoding.UTF16, (0, 0), (0, 0), "a\n", "a\n"),
    ],
)
def test_an_edit(  # noqa: PLR0917 - one column per argument
    text: str, encoding: Encoding, start: tuple[int, int], end: tuple[int, int], new: str, expected: str
) -> None:
    session = opened(text, encoding)
    session.change(URI, 2, [partial(start, end, new)])
    assert seen(session).document.text == expected
    assert seen(session).document.revision == 2


def same_tree(edited: Syntax, fresh: Syntax) -> bool:
    """Node for node where the text is right; where it is broken, both are, though recovery may choose otherwise."""
    if fresh.errors:
        return edited.errors > 0
    return str(edited.root) == str(fresh.root)


@given(
    st.text("a{}();\n\r😀é", max_size=12),
    st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12), st.text("b{;\n\r😀", max_size=4)), max_size=4),
    st.sampled_from(Encoding),
)
def test_edits_come_to_the_same_as_sending_the_whole_text(
    text: str, edits: list[tuple[int, int, str]], encoding: Encoding
) -> None:
    session = opened(text, encoding)
    changes = []
    document = Document(URI, Language.JAVASCRIPT, text)
    for one, other, new in edits:
        start, end = sorted(min(place, len(document.text)) for place in (one, other))
        first, last = (ClientPosition(*document.client_position(place, encoding)) for place in (start, end))
        change = PartialChange(first, last, new)
        start, end = (document.offset_from_client(p.line, p.character, encoding) for p in (change.start, change.end))
        document = Document(URI, Language.JAVASCRIPT, document.text[:start] + new + document.text[end:])
        changes.append(change)
    session.change(URI, 2, changes)
    assert seen(session).document.text == document.text
    assert same_tree(seen(session).syntax, parse(document))


@given(
    st.lists(
        st.tuples(st.integers(0, 30), st.integers(0, 3), st.text("a{}()=;\n é", max_size=4), st.booleans()), max_size=8
    )
)
def test_a_tree_that_is_made_late_is_the_tree_of_the_text(
    changes: list[tuple[int, int, str, bool]],
) -> None:
    session = opened("function f(a) {\n  return a;\n}\n")
    for version, (offset, length, new, asked) in enumerate(changes):
        document = seen(session).document
        start, end = (min(place, len(document.text)) for place in (offset, offset + length))
        first, last = (ClientPosition(*document.client_position(place, Encoding.UTF16)) for place in (start, end))
        session.change(URI, version + 2, [PartialChange(first, last, new)])
        if asked:
            assert seen(session).syntax.document == seen(session).document
    snapshot = seen(session)
    assert same_tree(snapshot.syntax, parse(snapshot.document))


BROKEN = [
    (1, [partial((5, 0), (5, 0), "x")], ErrorCode.POSITION_OUTSIDE, "has no line 6, only 2"),
    (1, [partial((2, 1), (2, 1), "x")], ErrorCode.POSITION_OUTSIDE, "has no line 3, only 2"),
    (1, [partial((1, 1), (0, 0), "x")], ErrorCode.MALFORMED_REQUEST, "ends before it begins"),
]


@pytest.mark.parametrize(("version", "changes", "code", "sentence"), BROKEN)
def test_what_makes_no_sense_is_refused_until_the_whole_text_comes(
    version: int, changes: list[PartialChange], code: ErrorCode, sentence: str
) -> None:
    session = opened("ab\ncd")
    with pytest.raises(RequestError, match=sentence) as refused:
        session.change(URI, version, changes)
    assert refused.value.code is code
    not_served = session.snapshot(URI)
    assert isinstance(not_served, NotServed)
    assert sentence in not_served.why
    with pytest.raises(RequestError, match=sentence):
        session.change(URI, 3, [partial((0, 0), (0, 0), "x")])
    assert session.current(URI) is None
    session.change(URI, 4, [FullText("let a;"), partial((0, 4), (0, 5), "b")])
    assert seen(session).document.text == "let b;"


def test_opening_again_begins_anew() -> None:
    session = opened("old")
    session.open(URI, "javascript", 1, "new")
    assert seen(session).document.text == "new"


def test_edits_count_in_the_order_in_which_they_come() -> None:
    """Some clients count no versions, and Helix goes back by one at times."""
    session = opened("a")
    session.change(URI, 1, [partial((0, 1), (0, 1), "b")])
    session.change(URI, None, [partial((0, 2), (0, 2), "c")])
    session.change(URI, 0, [partial((0, 3), (0, 3), "d")])
    session.change(URI, 3, [partial((0, 4), (0, 4), "e")])
    assert seen(session).document.text == "abcde"


@pytest.mark.parametrize("uri", [URI, "untitled:Untitled-1"])
def test_never_opened(uri: str) -> None:
    for ask in (Session().snapshot, Session().close):
        with pytest.raises(RequestError, match="is not open; send textDocument/didOpen"):
            ask(uri)


def test_a_snapshot_does_not_change() -> None:
    session = opened("a")
    before = seen(session)
    session.change(URI, 2, [FullText("b")])
    session.close(URI)
    assert before.document.text == "a"


@pytest.mark.parametrize(
    ("uri", "language_id", "language"),
    [
        ("untitled:Untitled-1", "python", Language.PYTHON),
        ("untitled:Untitled-1", "typescriptreact", Language.TSX),
        ("file:///a.ts", "", Language.TYPESCRIPT),
        ("file:///a.ts?version=2#here", "", Language.TYPESCRIPT),
        ("vscode-notebook-cell:/a.ipynb#ch0", "python", Language.PYTHON),
    ],
)
def test_a_language_is_what_the_client_says_or_the_suffix(uri: str, language_id: str, language: Language) -> None:
    session = Session()
    session.open(uri, language_id, 1, "x")
    assert seen(session, uri).document.language is language


@pytest.mark.parametrize(
    ("uri", "language_id", "text", "settings", "why"),
    [
        ("file:///a.rs", "rust", "fn", Settings(), "Inscope completes JavaScript, TypeScript"),
        ("file:///.env", "dotenv", "KEY=1", Settings(), "Inscope completes JavaScript, TypeScript"),
        (URI, "javascript", "x", Settings(languages=("python",)), "javascript is switched off"),
        (URI, "javascript", "x" * (LONGEST_TEXT + 1), Settings(), "more than 1,000,000 characters"),
    ],
)
def test_off(uri: str, language_id: str, text: str, settings: Settings, why: str) -> None:
    session = Session(settings)
    session.open(uri, language_id, 1, text)
    session.change(uri, 2, [partial((0, 0), (0, 0), "y")])
    off = session.snapshot(uri)
    assert isinstance(off, NotServed)
    assert why in off.why


def test_all_languages_that_are_served_are_named_where_none_is() -> None:
    session = Session()
    session.open("file:///a.rs", "rust", 1, "fn")
    off = session.snapshot("file:///a.rs")
    assert isinstance(off, NotServed)
    served = [language for language in Language if language.record.is_installed]
    assert [language for language in served if language.record.title not in off.why.replace(",", "").split()] == []


@pytest.mark.parametrize("language", [one for one in Language if one.record.extra])
def test_it_is_said_how_a_parser_is_installed(monkeypatch: pytest.MonkeyPatch, language: Language) -> None:
    monkeypatch.setattr("lsp_server.lsp.session.language_of", lambda _uri, _id: None)
    session, uri = Session(), f"file:///a{language.record.suffixes[0]}"
    session.open(uri, "", 1, "x")
    off = session.snapshot(uri)
    assert isinstance(off, NotServed)
    advice = f"Install the extra '{language.record.extra}': "
    assert off.why.startswith(f"the parser of {language.record.title} is not installed. {advice}")


def test_a_text_that_becomes_short_enough_is_served_again() -> None:
    session = opened("x" * (LONGEST_TEXT + 1))
    session.change(URI, 2, [partial((0, 0), (0, 10), "")])
    assert seen(session).syntax.document.text == "x" * (LONGEST_TEXT - 9)


def test_a_suggestion_is_forgotten_with_its_document() -> None:
    session = opened("a")
    snapshot = seen(session)
    shown = ShownSuggestion(snapshot.document, 1, "b")
    session.show(snapshot, shown)
    assert session.shown(URI) is shown
    session.close(URI)
    session.show(snapshot, shown)
    assert session.shown(URI) is None


def test_a_suggestion_made_under_other_settings_is_forgotten_even_if_it_comes_later() -> None:
    session = opened("a")
    snapshot = seen(session)
    session.forget_shown()
    session.show(snapshot, ShownSuggestion(snapshot.document, 1, "b"))
    assert session.shown(URI) is None


def notebook(*texts: str, language: str = "python") -> Session:
    session = Session()
    session.open_notebook("file:///n.ipynb", [f"cell:{place}" for place in range(len(texts))])
    for place, text in enumerate(texts):
        session.open(f"cell:{place}", language, 1, text, "file:///n.ipynb")
    return session


def test_a_cell_is_a_part_of_its_notebook() -> None:
    session = notebook("a = 1", "b = a", "c = b")
    cell = seen(session, "cell:1")
    assert cell.document.text == "b = a"
    assert cell.syntax.document.text == "a = 1\n\nb = a\n\nc = b"
    assert cell.syntax.document.text[cell.shift :].startswith("b = a")
    assert cell.offset(ClientPosition(0, 3)) == 3


def test_cells_move_and_go() -> None:
    session = notebook("a = 1", "b = a", "c = b")
    session.change_notebook("file:///n.ipynb", 0, 1, [])
    session.close("cell:0")
    session.change_notebook("file:///n.ipynb", 2, 0, ["cell:9"])
    session.open("cell:9", "python", 1, "d = c", "file:///n.ipynb")
    assert seen(session, "cell:9").syntax.document.text == "b = a\n\nc = b\n\nd = c"


def test_magics_are_no_python_but_keep_their_place() -> None:
    session = notebook("%matplotlib inline\n!ls\nx = 5 % 3", "x")
    cell = seen(session, "cell:1")
    assert cell.syntax.document.text == "#matplotlib inline\n#ls\nx = 5 % 3\n\nx"
    assert cell.syntax.errors == 0


def test_a_cell_whose_notebook_is_closed_stands_alone() -> None:
    session = notebook("a = 1", "b")
    session.close_notebook("file:///n.ipynb")
    assert seen(session, "cell:1").syntax.document.text == "b"
