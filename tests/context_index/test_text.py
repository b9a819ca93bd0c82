"""Documents: line ends, the three encodings of columns, and edits against a naive model."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context_index import Document, Edit, EditError, Encoding, Language, Position, PositionError, language_of
from context_index.text import difference
from context_index.text import lines_of as lines_without_ends

PIECES = st.sampled_from(["a", "b ", "\n", "\r\n", "\r", "é", "e\u0301", "名", "😀", "\ud800", "\t", "\u2028"])
TEXTS = st.lists(PIECES, max_size=12).map("".join)
ENCODINGS = st.sampled_from(Encoding)


def document(text: str) -> Document:
    return Document("file:///a.py", Language.PYTHON, text)


def width(character: str, encoding: Encoding) -> int:
    """Columns of one character, by the definition of each encoding."""
    if encoding is Encoding.UTF32:
        return 1
    bounds = (0x7F, 0x7FF, 0xFFFF) if encoding is Encoding.UTF8 else (0xFFFF,)
    return 1 + sum(ord(character) > bound for bound in bounds)


def lines_of(text: str) -> list[str]:
    return re.split(r"\r\n|\r|\n", text)


@pytest.mark.parametrize(
    ("text", "starts"),
    [
        ("", [0]),
        ("a", [0]),
        ("a\n", [0, 2]),
        ("a\nb", [0, 2]),
        ("a\r\nb\r\n", [0, 3, 6]),
        ("\r\r\n\n", [0, 1, 3, 4]),
        ("a\u2028b\x0c\x0bc", [0]),
    ],
)
def test_lines_end_where_lsp_says(text: str, starts: list[int]) -> None:
    assert document(text).lines == starts


@given(TEXTS)
def test_line_texts_are_what_a_split_gives(text: str) -> None:
    whole = document(text)
    assert [whole.line_text(line) for line in range(len(whole.lines))] == lines_of(text)


@given(TEXTS)
def test_positions_round_trip(text: str) -> None:
    whole = document(text)
    for offset in range(len(text) + 1):
        inside_line_end = text[offset - 1 : offset + 1] == "\r\n" and offset > 0
        assert whole.offset(whole.position(offset)) == offset - inside_line_end


@given(TEXTS, ENCODINGS)
def test_client_columns_equal_a_naive_count(text: str, encoding: Encoding) -> None:
    whole = document(text)
    for line, content in enumerate(lines_of(text)):
        units = 0
        for column, character in enumerate([*content, ""]):
            offset = whole.offset(Position(line, column))
            assert whole.client_position(offset, encoding) == (line, units)
            step = width(character, encoding) if character else 1
            for inside in range(step):
                assert whole.offset_from_client(line, units + inside, encoding) == offset
            units += step


@given(TEXTS, st.integers(-2, 20), st.integers(-2, 40), ENCODINGS)
def test_a_clamped_client_position_is_always_in_the_text(
    text: str, line: int, character: int, encoding: Encoding
) -> None:
    whole = document(text)
    offset = whole.offset_from_client(line, character, encoding)
    assert 0 <= offset <= len(text)
    assert whole.client_position(offset, encoding)[0] == min(max(line, 0), len(whole.lines) - 1)


@given(TEXTS, st.data())
def test_edits_apply_in_order_and_keep_the_lines(text: str, data: st.DataObject) -> None:
    before = document(text)
    assert before.lines
    naive, edits = text, []
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(naive)))
        end = data.draw(st.integers(start, len(naive)))
        edits.append(Edit(start, end, data.draw(TEXTS)))
        naive = naive[:start] + edits[-1].text + naive[end:]
    after = before.edited(edits, revision=7)
    assert (after.text, after.revision, before.text) == (naive, 7, text)
    assert list(after.lines) == document(naive).lines


@given(TEXTS, TEXTS, ENCODINGS, st.data())
def test_client_edits_equal_edits_on_units(text: str, new: str, encoding: Encoding, data: st.DataObject) -> None:
    """A client replaces units of a line; we replace characters; both see the same text after."""
    whole = document(text)
    line = data.draw(st.integers(0, len(whole.lines) - 1))
    content = whole.line_text(line)
    first = data.draw(st.integers(0, len(content)))
    last = data.draw(st.integers(first, len(content)))
    start = sum(width(character, encoding) for character in content[:first])
    end = start + sum(width(character, encoding) for character in content[first:last])
    first_offset, last_offset = (whole.offset_from_client(line, units, encoding) for units in (start, end))
    after = whole.edited([Edit(first_offset, last_offset, new)], 1)
    begins = whole.lines[line]
    assert after.text == text[:begins] + content[:first] + new + content[last:] + text[begins + len(content) :]


@pytest.mark.parametrize("position", [Position(0, 3), Position(2, 0), Position(-1, 0), Position(0, -1), Position(1, 2)])
def test_a_position_outside_says_so(position: Position) -> None:
    whole = document("ab\nc")
    with pytest.raises(PositionError, match=r"no (line|column)"):
        whole.offset(position)


@pytest.mark.parametrize("offset", [-1, 5])
def test_an_offset_outside_says_so(offset: int) -> None:
    with pytest.raises(PositionError, match="text of 4 characters"):
        document("ab\nc").position(offset)


@pytest.mark.parametrize("edit", [Edit(-1, 0, ""), Edit(2, 1, ""), Edit(0, 5, ""), Edit(5, 5, "x")])
def test_an_edit_outside_says_so(edit: Edit) -> None:
    with pytest.raises(EditError, match="send the whole text again"):
        document("ab\nc").edited([edit], 1)


@pytest.mark.parametrize(
    ("path", "language_id", "expected"),
    [
        ("a.js", None, Language.JAVASCRIPT),
        ("a.JSX", None, Language.JAVASCRIPT),
        ("a.mjs", None, Language.JAVASCRIPT),
        ("a.cjs", None, Language.JAVASCRIPT),
        ("lib/a.d.ts", None, Language.TYPESCRIPT),
        ("a.mts", None, Language.TYPESCRIPT),
        ("a.cts", None, Language.TYPESCRIPT),
        ("a.tsx", None, Language.TSX),
        ("a.pyi", None, Language.PYTHON),
        ("file:///a.py?version=1#part", None, Language.PYTHON),
        ("untitled:Untitled-1", "typescriptreact", Language.TSX),
        ("untitled:Untitled-1", None, None),
        ("vscode-notebook-cell:/a.ipynb#1", "python", Language.PYTHON),
        ("a.ts", "vue", Language.TYPESCRIPT),
        ("a.txt", "plaintext", None),
        ("py", None, None),
    ],
)
def test_language(path: str, language_id: str | None, expected: Language | None) -> None:
    assert language_of(path, language_id) is expected


@given(st.text("ab\n\u00e9", max_size=40), st.text("ab\n\u00e9", max_size=40))
def test_the_difference_of_two_texts_is_one_edit(before: str, after: str) -> None:
    edit = difference(before, after)
    assert before[: edit.start] + edit.text + before[edit.end :] == after
    assert (before == after) == (edit.text == "" and edit.start == edit.end)
    if edit.text and edit.end > edit.start:
        assert edit.text[0] != before[edit.start]
        assert edit.text[-1] != before[edit.end - 1]


@given(st.text("a\r\n\f\v\x1c\x85\u2028"))
def test_lines_are_those_of_a_document(text: str) -> None:
    document = Document("untitled:a", Language.PYTHON, text)
    lines = [document.line_text(line) for line in range(len(document.lines))]
    assert lines_without_ends(text) == (lines if lines[-1] else lines[:-1])
