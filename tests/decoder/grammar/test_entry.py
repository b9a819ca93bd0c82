"""Entering a document: whole, and past a fault."""

from __future__ import annotations

import pytest

from context_index.symbols import Language
from decoder.grammar import Entries, Entry, EntryKind


def enter(language: Language, marked: str) -> Entry:
    before, _, after = marked.partition("^")
    return Entries(language).enter(before + after, len(before))


def may_stop(entry: Entry, written: str) -> bool:
    assert entry.state is not None
    state = entry.state.advance(written)
    return state is not None and entry.surroundings.accept(written, state)


# text with a cursor => kind, what may be written there, what may not
CASES = [
    (Language.JAVASCRIPT, "f(a, ^)", EntryKind.WHOLE, "b", ";"),
    (Language.JAVASCRIPT, "const x = 1 2;\nf(^)\n", EntryKind.REPAIRED, "a", ";"),
    (Language.JAVASCRIPT, "if (a {\n  b(c)\n}\nd.^\n", EntryKind.REPAIRED, "e", "]"),
    (Language.JAVASCRIPT, "functio f(a) {\n  return b\n}\nx = ^\n", EntryKind.REPAIRED, "1", ")"),
    (Language.JAVASCRIPT, "const = ;\nfunction f(a) {\n  return ^\n}\n", EntryKind.REPAIRED, "a", "1 1"),
    (Language.JAVASCRIPT, "f('a', async () = {\n  g();\n});\nb = ^\n", EntryKind.REPAIRED, "c", "1 1"),
    (Language.JAVASCRIPT, "x = 1 2;\nf(a, ^\ng();\n", EntryKind.REPAIRED, "b", ";"),
    (Language.TYPESCRIPT, "import { A } './a';\n\nfunction f(a: B^\n  b: C,\n) {}\n", EntryKind.REPAIRED, "[],", ";"),
    (Language.TYPESCRIPT, "let a: = 1;\nlet b: ^\n", EntryKind.REPAIRED, "string", ";"),
    (Language.PYTHON, "x = (1,\nfor a in b:\n    c\nif ^\n", EntryKind.REPAIRED, "d", ")"),
    (Language.PYTHON, "de f(a):\n    return a\n\ng(^)\n", EntryKind.REPAIRED, "h", ":"),
    (Language.PYTHON, "class A:\n    def f(self):\n        return ^\n", EntryKind.WHOLE, "self", ")"),
]


@pytest.mark.parametrize(("language", "marked", "kind", "good", "bad"), CASES)
def test_entry(language: Language, marked: str, kind: EntryKind, good: str, bad: str) -> None:
    entry = enter(language, marked)
    assert entry.kind is kind
    assert bool(entry.repairs) is (kind is EntryKind.REPAIRED)
    assert entry.state is not None
    assert entry.state.advance(good) is not None
    assert entry.state.advance(bad) is None


# a text with a slip above its cursor: what really follows must be accepted
CONTINUED = [
    (Language.JAVASCRIPT, "module.exports={A:{B{C:1}},D:[^1,2]};\n"),
    (Language.PYTHON, "def f(self:\n    a = np.array([1, 2, 3])\n    b = np.array([1, 2^, 3])\n    return a\n"),
]


@pytest.mark.parametrize(("language", "marked"), CONTINUED)
def test_what_really_follows_a_slip(language: Language, marked: str) -> None:
    state = enter(language, marked).state
    assert state is not None
    assert state.advance(marked.partition("^")[2]) is not None


# a text with a slip => the sentence about its repair
REPAIRS = [
    (Language.JAVASCRIPT, "a;\nx = [1, 2;\ny = 3;\nz = ^\n", "line 2 with `]` put in"),
    (Language.JAVASCRIPT, "let a ` = 1;\nb = ^\n", "line 1 without '`'"),
    (Language.PYTHON, "de f(a):\n    return a\n\ng(^)\n", "line 1 `de` as `def`"),
]


@pytest.mark.parametrize(("language", "marked", "sentence"), REPAIRS)
def test_a_repair_in_words(language: Language, marked: str, sentence: str) -> None:
    entry = enter(language, marked)
    assert [repair.described(marked.replace("^", "")) for repair in entry.repairs] == [sentence]


def test_a_stop_must_leave_the_file_no_worse() -> None:
    entry = enter(Language.JAVASCRIPT, "x = ^;\nfunction f() { return y }\n")
    assert may_stop(entry, "1")
    assert not may_stop(entry, "1 +")
    assert not may_stop(entry, "f(")


# text that does not parse, with a cursor at the end of a line => where one may stop there, and where not
UNFINISHED = [
    (Language.PYTHON, "y = x + ^", ("x", "f(x)", "[x for a in b]"), ("x +", "not", "x if a", "lambda a", "x.")),
    (Language.PYTHON, "y = ^\nz = 1\n", ("x", "(x)"), ("x and", "[a for b", "x[1:2] ==")),
    (Language.PYTHON, "f(a, ^\nreturn b\n", ("c)", "c, d)"), ("c +", "c for d")),
    (Language.PYTHON, "x = 1 1\ny = ^\nz = 2\n", ("a", "a + b"), ("a +",)),
    (Language.JAVASCRIPT, "const x = ^", ("a", "a;", "() => a", "{", "[a,"), ("a +", "() =>", "new", "a ? b")),
    (Language.JAVASCRIPT, "f(^\n", ("a", "a)", "a,"), ("a &&", "a ? b :", "(b) =>")),
    (Language.JAVASCRIPT, "x = 1 2;\nif (^\n  a) {}\n", ("b &&", "!"), ("b",)),
    (Language.TYPESCRIPT, "let a: ^", ("string", "Map<string>", "string;", "{ b: c"), ("string |", "keyof", "() =>")),
]


@pytest.mark.parametrize(
    ("language", "marked", "finished", "unfinished"), UNFINISHED, ids=[repr(marked) for _, marked, *_ in UNFINISHED]
)
def test_no_stop_amid_an_expression(
    language: Language, marked: str, finished: tuple[str, ...], unfinished: tuple[str, ...]
) -> None:
    entry = enter(language, marked)
    may_end = {written: may_stop(entry, written) for written in (*finished, *unfinished)}
    assert may_end == dict.fromkeys(finished, True) | dict.fromkeys(unfinished, False)


@pytest.mark.parametrize("marked", ["const x = ^", "x = 1 2;\nf(a +^\n"])
def test_nothing_may_always_be_said(marked: str) -> None:
    assert may_stop(enter(Language.JAVASCRIPT, marked), "")


# what an editor closed, above lines that cannot follow what is not finished yet
CLOSED = [
    (Language.TSX, "import { ^}\nimport { a } from 'a';\n", "b", True),
    (Language.TSX, "import { ^}\nimport { a } from 'a';\n", "b; c", False),
    (Language.TSX, "import { ^\nimport { a } from 'a';\n", "b", False),
    (Language.TSX, 'x = (\n  <a>\n    <b c="^"\n  </a>\n);\n', "d", True),
    (Language.TSX, "x = (\n  <a>\n    <b c={^}\n  </a>\n);\n", "d", True),
    (Language.TSX, "x = (\n  <a>\n    <b c={^}\n  </a>\n);\n", "d;", False),
    (Language.TYPESCRIPT, "function f(^)\nexport const a = 1;\n", "b: B", True),
    (Language.JAVASCRIPT, "const { ^}\nexport const a = 1;\n", "b", True),
    (Language.PYTHON, "def f(^)\n    return a\n", "a, b=1", True),
    (Language.PYTHON, "def f(^)\n    return a\n", "a +", False),
]


@pytest.mark.parametrize(("language", "marked", "written", "may"), CLOSED)
def test_a_line_whose_bracket_is_closed_may_be_unfinished(
    language: Language,
    marked: str,
    written: str,
    may: bool,
) -> None:
    assert may_stop(enter(language, marked), written) is may


def test_a_fault_within_a_fault_counts() -> None:
    """After `from`, the first `/` is an error within an error."""
    entry = enter(
        Language.JAVASCRIPT,
        "import { Observable } from '../Observable';\nexport function fromSubscribablesubscribable) {\n"
        "    return new Observable(function (subscriber) { return subscribable.subscribe(subscriber); });\n}\n"
        "^//# sourceMappingURL=fromSubscribable.js.map",
    )
    assert not may_stop(entry, "from")


def test_a_half_typed_word_is_replaced() -> None:
    entry = Entries(Language.JAVASCRIPT).enter("x = ma;\n", 4, 6)
    assert may_stop(entry, "map")
    assert not may_stop(entry, "map(")


def test_only_what_changed_is_read_again() -> None:
    entries = Entries(Language.PYTHON)
    text = "x = 1\n" * 2_000
    entries.enter(text, len(text))
    middle = len(text) // 2
    assert entries.enter(text[:middle] + "y" + text[middle:], middle + 1).reread < 100
