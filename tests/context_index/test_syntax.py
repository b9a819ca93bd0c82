"""Trees: offsets in code points whatever the bytes, and edits that give what parsing from scratch gives."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from context_index import Document, Edit, Language, Syntax, parse
from context_index.syntax import ancestors

SOURCES = {
    Language.JAVASCRIPT: (
        "import x, {y} from 'm';\r\nconst 名 = `a${y}é`; // 😀\n"
        "function f(a, {b} = {}) {\n  for (const c of a) { return <p k={c}>t</p>; }\n}\n"
    ),
    Language.TYPESCRIPT: (
        "enum E { A = 1 }\ninterface I<T> { m(x: T): void }\r"
        "export class C implements I<'é'> {\n  constructor(private 名: E) { super(); }\n}\n"
    ),
    Language.TSX: "const a = <T,>(x: T) => <b c='😀'>{x}</b>;\ntype U = { [k in 'a' | 'b']?: A.B<U> };\n",
    Language.PYTHON: (
        "from a import (b as 名,)\r\n@d\nclass K(b):\n    '''é 😀'''\n    def m(self, *, x: int = 1):\n"
        "        if x:\n            return f'{x!r:>{self}}'\n\n        match x:\n            case [y, *_]: pass\n"
    ),
    Language.C: (
        "#include <a.h>\r\n#define M(x) ((x) + 1)\nstatic struct s { int a[2]; } *p = 0; /* é 😀 */\n"
        "int f(const char *名, ...) {\n  for (int i = 0; i < 2; i++) { p->a[i] = M(i); }\n  return 'c';\n}\n"
    ),
    Language.CPP: (
        "template <typename T> class C : public B<T> {\n  T m(const T &x) const { return x; } // é 😀\n};\n"
        'auto g = [&](auto x) -> int { return x ? 1 : 0; };\nusing U = C<int>;\nconst char *s = R"(名)";\n'
    ),
}


def source(language: Language) -> str:
    """A text of a language; of one without a text here, statements and signs of any."""
    statement = language.record.statement
    return SOURCES.get(language, f"{statement}\r\n名 (é, [b]) {{ 'a' }} // 😀\n{statement}\n")


TYPED = st.sampled_from(
    ["x", "(", ")", "{", "}", "\n", "    ", "'", '"', "`", "foo(", "if ", "a.b",
     "/*", "#", "=>", "é😀", "\r\n", "[", "\\", ":"]
)  # fmt: skip
LANGUAGES = st.sampled_from(Language)


def syntax(text: str, language: Language = Language.PYTHON) -> Syntax:
    return parse(Document("file:///a", language, text))


def draw_edits(data: st.DataObject, text: str) -> list[Edit]:
    edits = []
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, min(start + 12, len(text))))
        edits.append(Edit(start, end, data.draw(TYPED)))
        text = text[:start] + edits[-1].text + text[end:]
    return edits


@pytest.mark.slow
@settings(max_examples=200)
@given(LANGUAGES, st.data())
def test_an_edited_tree_is_the_tree_from_scratch(language: Language, data: st.DataObject) -> None:
    """Node for node where the text is right; where it is broken, both are, though recovery may choose otherwise."""
    before = syntax(source(language), language)
    edits = draw_edits(data, before.document.text)
    document = before.document.edited(edits, 1)
    edited, fresh = before.edited(document, edits), parse(document)
    assert (edited.errors == 0) == (fresh.errors == 0)
    if fresh.errors == 0:
        assert spans(edited) == spans(fresh)
    assert str(before.root) == str(parse(before.document).root)


def spans(tree: Syntax) -> list[tuple[str, int, int, int]]:
    found, pending = [], [tree.root]
    while pending:
        node = pending.pop()
        found.append((node.type, tree.start(node), tree.end(node), node.start_point.row))
        pending.extend(node.children)
    return found


@pytest.mark.parametrize("language", list(Language))
def test_node_texts_are_slices_of_the_document(language: Language) -> None:
    tree = syntax(source(language), language)
    assert tree.errors == 0 or language not in SOURCES
    for _, start, end, _ in spans(tree):
        node = tree.node_at(start, end)
        assert tree.text(node).encode() == node.text
        assert tree.line(node) == tree.document.position(tree.start(node)).line
        assert [tree.offset(tree.byte(offset)) for offset in (start, end)] == [start, end]


@pytest.mark.parametrize(
    ("text", "language", "errors"),
    [
        ("", Language.PYTHON, 0),
        ("x = 1\n", Language.PYTHON, 0),
        ("x = (1\n", Language.PYTHON, 1),
        ("def f(:\n", Language.PYTHON, 2),
        ("let x = ;", Language.JAVASCRIPT, 1),
        ("f(1", Language.JAVASCRIPT, 1),
        ("let a: string = '\ud800'", Language.TYPESCRIPT, 0),
    ],
)
def test_errors_are_counted(text: str, language: Language, errors: int) -> None:
    assert (syntax(text, language).errors > 0) == (errors > 0)


def test_a_text_with_half_a_surrogate_pair_is_read() -> None:
    tree = syntax("x = 'é\ud800'; y = 1")
    assert [tree.text(node) for node in tree.root.named_children] == ["x = 'é\ud800'", "y = 1"]


def test_the_same_edit_is_parsed_once() -> None:
    before = parse(Document("file:///a.py", Language.PYTHON, "x = 1\n"))
    edits = [Edit(4, 5, "2")]
    after = before.edited(before.document.edited(edits, 1), edits)
    assert before.edited(before.document.edited([Edit(4, 5, "2")], 1), (Edit(4, 5, "2"),)) is after
    assert before.edited(before.document.edited(edits, 2), edits).document.revision == 2
    others = [Edit(4, 5, "3")]
    assert before.edited(before.document.edited(others, 1), others).document.text == "x = 3\n"


def test_changed_ranges_tell_where_the_structure_differs() -> None:
    before = syntax("# é\nx = 1\ny = 2\n")
    edits = [Edit(8, 9, "[1, z]")]
    after = before.edited(before.document.edited(edits, 1), edits)
    assert after.text(after.root.named_children[1]) == "x = [1, z]"
    assert before.changed_ranges(after, edits) == [(8, 14)]


def test_ancestors_go_from_the_inside_out() -> None:
    tree = syntax("def f():\n    return x\n")
    assert [node.type for node in ancestors(tree.node_at(20, named=True))] == [
        "return_statement",
        "block",
        "function_definition",
        "module",
    ]


def test_threads_parse_and_read_at_once() -> None:
    text = SOURCES[Language.PYTHON] * 30
    shared = syntax(text)
    with ThreadPoolExecutor(4) as pool:
        trees = list(pool.map(lambda _: (str(syntax(text).root), len(spans(shared))), range(16)))
    assert len(set(trees)) == 1


def test_a_respelled_text_keeps_its_places_and_its_words() -> None:
    document = Document("untitled:a", Language.TSX, "const é = <p>名 & b</p>;\nconst c = é;\n")
    place = document.text.index("&")
    broken = parse(document)
    read = broken.respelled([Edit(place, place + 1, " ")])
    assert broken.errors
    assert not read.errors
    assert read.document is document
    assert read.spelling == document.text.replace("&", " ")
    last = read.node_at(document.text.rindex("é"))
    assert (last.type, read.text(last)) == ("identifier", "é")
    edit = Edit(0, 0, "f();\n")
    after = read.edited(document.edited([edit], 1), [edit])
    assert not after.errors
    assert after.document.text == f"f();\n{document.text}"
