"""The prior of a place: how texts are read, the features of a place, and which names come out as probable."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from context_index import Document, Language, Workspace, parse
from context_index.prior.contexts import CONTEXT_KINDS, context_at_end, contexts
from context_index.prior.lexemes import lexemes
from context_index.prior.name_counts import NameCounts
from context_index.prior.place import SITUATIONS, parameter_of, place_of
from context_index.prior.uses import uses_around
from context_index.prior.words import Spellings, spelling
from context_index.symbols import NameKind

PYTHON_LEXEMES = """
total = price * 1.19  # with tax   => total = price * 0
name = f"{first}" + rb'x'          => name = " + "
call(a, 'it\\'s', b)               => call ( a , " , b )
x = '''a "b" c'''; y               => x = " ; y
broken = 'no end                   => broken = "
"""
SCRIPT_LEXEMES = """
a?.b ?? c / `x ${d} y`             => a ?. b ?? c / "
f(/* no */ 1, "t") // end          => f ( 0 , " )
$el._x1 === null                   => $el . _x1 === null
"""


def cases(table: str) -> list[tuple[str, list[str]]]:
    rows = [row.rpartition("=> ") for row in table.strip().splitlines()]
    return [(text.rstrip(), said.split()) for text, _, said in rows]


@pytest.mark.parametrize(("text", "said"), cases(PYTHON_LEXEMES))
def test_python_is_read(text: str, said: list[str]) -> None:
    assert lexemes(text, Language.PYTHON.record.lexis) == said


@pytest.mark.parametrize(("text", "said"), cases(SCRIPT_LEXEMES))
def test_scripts_are_read(text: str, said: list[str]) -> None:
    assert lexemes(text, Language.JAVASCRIPT.record.lexis) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("f(\n  a,\n  b\n)\nc", ["f", "(", "a", ",", "b", ")", "\n", "c"]),
        ("x\n  .then(y)\n\nz", ["x", ".", "then", "(", "y", ")", "\n", "z"]),
    ],
)
def test_a_line_ends_where_a_statement_may(text: str, said: list[str]) -> None:
    assert lexemes(text, Language.JAVASCRIPT.record.lexis) == said


TEXTS = st.lists(
    st.sampled_from(["a", "b", "items", "f", "(", ")", "[", "]", "{", "}", ",", ".", "=", "\n", "if", '"', "0"])
)


@given(TEXTS)
def test_a_place_is_read_as_the_whole_text_is(text: list[str]) -> None:
    read = contexts(text)
    for column, index in enumerate(read.places):
        assert context_at_end(text[:index]).tolist() == read.contexts[:, column].tolist()


@given(TEXTS, TEXTS)
def test_what_one_text_counts_is_left_out(kept: list[str], edited: list[str]) -> None:
    only, both = NameCounts(), NameCounts()
    only.add(contexts(kept))
    both.add(contexts(kept))
    both.add(contexts(edited))
    names, at = ["a", "b", "items", "f"], context_at_end(edited[:-1])
    found = both.counts(at, Spellings.of(names).numbers, contexts(edited).counts(at, names))
    expected = only.counts(at, Spellings.of(names).numbers, contexts(()).counts(at, names))
    for one, other in zip(found, expected, strict=True):
        assert one.tolist() == other.tolist()


def test_name_counts_are_counted_by_context() -> None:
    name_counts = NameCounts()
    read = contexts(lexemes("self.size = size\nself.size += 1\nself.name = name\n", Language.PYTHON.record.lexis))
    name_counts.add(read)
    at = context_at_end(["self", "."])
    names = ["size", "name", "other"]
    counts, totals = name_counts.counts(at, Spellings.of(names).numbers, contexts(()).counts(at, names))
    assert counts[0].tolist() == [3, 2, 0]
    assert counts[1 + CONTEXT_KINDS.index("two signs")].tolist() == [2, 1, 0]
    assert totals[CONTEXT_KINDS.index("two signs")] == 3
    again = NameCounts.decode(name_counts.encode())
    assert again is not None
    assert again.encode() == name_counts.encode()
    assert NameCounts.decode(b"something else") is None


PLACES = """
x = ^                       | assigned  | target=x
limit: int = ^              | assigned  | target=limit
send(user, timeout=^        | assigned  | target=timeout
send(user, ^                |           | target=address
run^(1)                     | called    |
user^.name                  | dotted    |
"""


@pytest.mark.parametrize("row", PLACES.strip().splitlines())
def test_a_place_is_reported(row: str) -> None:
    text, situation, facts = (part.strip() for part in row.split("|"))
    before, after = text.split("^")
    word = before[len(before.rstrip("run").rstrip("user")) :] if after else ""
    above = before[: len(before) - len(word)]
    place = place_of(
        lexemes("\n" + above, Language.PYTHON.record.lexis), after, {"send": "(user, address: Address)"}.get
    )
    on = {name for name, is_on in zip(SITUATIONS, place.situations, strict=True) if is_on}
    assert not situation or situation in on
    for fact in facts.split():
        name, _, value = fact.partition("=")
        assert getattr(place, name) == value


@pytest.mark.parametrize(("index", "said"), [(0, "text"), (1, "limit"), (2, ""), (9, "")])
def test_parameters(index: int, said: str) -> None:
    assert parameter_of("(text: str, *, limit: dict[str, int] = {1: (2, 3)}) -> None", index) == said


def test_names_share_words() -> None:
    user_items, items, item = spelling("userItems"), spelling("ITEMS"), spelling("item")
    assert user_items.parts & items.parts
    assert user_items.last == items.last == item.last


def probable(text: str, language: Language = Language.PYTHON) -> list[str]:
    """The names that are visible at the mark, most probable first."""
    offset = text.index("^")
    document = Document(
        "file:///shop/shop." + ("py" if language.family == "python" else "js"), language, text.replace("^", "")
    )
    workspace = Workspace([])
    visible = workspace.context(parse(document), offset).names
    found = workspace.prior(document, offset, visible).names()
    workspace.close()
    assert found is not None
    assert found.probabilities.sum() == pytest.approx(1)
    order = np.argsort(-found.probabilities)
    return [found.names[index] for index in order]


def test_what_the_file_does_is_probable() -> None:
    text = (
        "def load(path, encoding):\n    text = read(path, encoding)\n    return parse(text)\n\n"
        "def read(path, encoding):\n    return path.read_text(encoding)\n\n"
        "def parse(text):\n    return text.split()\n\n"
        "def store(path, encoding, rows):\n    text = read(^\n"
    )
    assert probable(text)[0] == "path"


def test_members_are_those_of_the_receiver() -> None:
    text = "basket.add(1)\nbasket.add(2)\nbasket.size\nbasket."
    document = Document("file:///shop/b.py", Language.PYTHON, text)
    workspace = Workspace([])
    listed = dict.fromkeys(["__init__", "add", "clear", "size"], NameKind.METHOD)
    found = workspace.prior(document, len(text), {}).members(listed)
    workspace.close()
    assert found is not None
    assert found.names[int(found.probabilities.argmax())] == "add"


def test_uses_are_counted_on_both_sides() -> None:
    uses = uses_around("a = b\nc = a\n", len("a = b\n"), Language.PYTHON.record.lexis)
    names, at = ["a", "b", "zzz"], context_at_end(["="])
    (above, _), (below, totals) = uses.above.counts(at, names), uses.below.counts(at, names)
    assert [above[0].tolist(), below[0].tolist()] == [[1, 1, 0], [1, 0, 0]]
    assert [below[1 + CONTEXT_KINDS.index("sign")].tolist(), totals[CONTEXT_KINDS.index("sign")]] == [[1, 0, 0], 1]


def test_words_outside_ascii_are_words() -> None:
    assert spelling("größe").last not in (spelling("straße").last, 0)
    assert spelling("mittlereGröße").last == spelling("größe").last
