"""The order of the menu: what the model, the file and the scopes say of each name."""

from __future__ import annotations

import pytest

from context_index import CheckerCompletion, Importable, Misfits, NameKind
from lsp_server.engine.menu.candidates import FAR, MenuCandidate
from lsp_server.engine.menu.order import best, led_by, ordered, ranked

CASES = """
alike                       | one=-1 two=-1               |                  | one two
the model first             | one=-9 two=-1               |                  | two one
used above                  | one=-1 two=-1               | two two =        | two one
used, yet improbable        | one=-1 two=-9               | two two =        | one two
argument of a call          | one=-1 two==-1              | two (            | two= one
a part of a word is no use  | one=-1 two=-1               | twos not_two (   | one two
as it was typed             | Node=-1 node=-3             | = no             | node Node
typed otherwise, and sure   | Node=-1 node=-9             | = no             | Node node
near before global          | one@50=-1 two@1=-1          |                  | two one
near before far             | one@5=-1 two@0=-1           |                  | two one
global, yet certain         | one@50=-1 two@1=-9          |                  | one two
not spoken of comes last    | one two=-9                  |                  | two one
nothing spoken of           | one two                     | two              | one two
what all objects have last  | toString!=-1 lend=-9 back=-5 |                 | back lend toString
the same, nothing spoken of | toString! lend              |                  | lend toString
what does not fit           | one?=-1 two=-2              |                  | two one
may fit by a member         | one?=-1 two=-9              |                  | one two
misfits, nothing spoken of  | one? two                    |                  | two one
"""


@pytest.mark.parametrize("case", CASES.strip().splitlines())
def test_the_most_probable_comes_first(case: str) -> None:
    _, given, text, expected = (part.strip() for part in case.split("|"))
    candidates, scores, misfits = [], {}, set()
    typed = text.rpartition(" ")[2] if text.startswith("=") else ""
    for one in given.split():
        named, _, score = one.rpartition("=") if one[-1].isdigit() else (one, "", "")
        name, _, distance = named.partition("@")
        is_universal, name = name.endswith("!"), name.removesuffix("!")
        if name.endswith("?"):
            name = name.removesuffix("?")
            misfits.add(name)
        far = int(distance) if distance else 0 if misfits else None
        candidates.append(MenuCandidate(name, NameKind.VARIABLE, distance=far, is_universal=is_universal))
        if score:
            scores[name] = float(score)
    assert [
        one.text
        for one in ordered(
            candidates, scores, text, len(text) - len(typed), len(text), misfits=Misfits(frozenset(misfits))
        )
    ] == expected.split()
    assert FAR == 50


def test_what_the_checker_lists_comes_before_names_that_the_workspace_speaks_of() -> None:
    listed = MenuCandidate("mode=", NameKind.PARAMETER, listed=CheckerCompletion("mode=", NameKind.PARAMETER, "mode="))
    found = ordered([MenuCandidate("one", NameKind.VARIABLE, distance=0), listed], {}, prior={"one": 3.0})
    assert [one.text for one in found] == ["mode=", "one"]


def test_a_member_counts_alike_whether_its_module_is_imported_or_not() -> None:
    module = Importable("json", NameKind.MODULE, "json", is_module=True)
    for importable in (None, module):
        members = [
            MenuCandidate(one, NameKind.FUNCTION, "", importable, CheckerCompletion(one, NameKind.FUNCTION, one))
            for one in ("dumps", "dump")
        ]
        assert [one.text for one in ordered(members, {}, prior={"dumps": 0.0, "dump": 3.0})] == ["dump", "dumps"]


LED = """
dump(rows)   | dumps load dump | dump dumps load
dumps        | dump dumps      | dumps dump
dumped       | dump load       | dump load
$x           | a $x            | $x a
             | a b             | a b
"""
"""What is shown with the word before it, the entries, and their order then."""


@pytest.mark.parametrize("case", LED.strip("\n").splitlines())
def test_what_ghost_text_begins_with_leads(case: str) -> None:
    text, given, expected = (part.strip() for part in case.split("|"))
    candidates = [(MenuCandidate(one, NameKind.FUNCTION), 1 / 3) for one in given.split()]
    assert [one.text for one, _ in led_by(candidates, text)] == expected.split()


def test_a_word_of_the_grammar_stays_first() -> None:
    word, name = MenuCandidate("pass", NameKind.KEYWORD), MenuCandidate("passed", NameKind.FUNCTION)
    assert led_by([(word, 1.0), (name, 0.5)], "passed()")[0][0] is word


def test_what_cannot_be_an_argument_comes_last() -> None:
    """A name that is given already, and all values where none may stand."""
    mode, tax = (
        MenuCandidate(one, NameKind.PARAMETER, listed=CheckerCompletion(one, NameKind.PARAMETER, one))
        for one in ("mode=", "tax=")
    )
    name = MenuCandidate("one", NameKind.VARIABLE, distance=0)
    given = Misfits(given=frozenset({"mode="}))
    found = ordered([mode, name, tax], {"mode=": -1, "tax=": -20, "one": -1}, misfits=given)
    assert [one.text for one in found][-1] == "mode="
    found = ordered([name, mode, tax], {"mode=": -1, "tax=": -20, "one": -1}, misfits=Misfits(takes_value=False))
    assert [one.text for one in found] == ["mode=", "tax=", "one"]


UNTYPABLE = [
    ("Symbol", "[Symbol]", 1, True),
    ("content-type", '["content-type"]', 1, True),
    ("0", "[0]", 1, True),
    ("lines", "?.lines", 1, False),
    ("lines", "lines", 0, False),
    ("#total", "#total", 0, False),
]
"""The name of a member, what its entry writes, how far that reaches back over the dot, and whether it comes last."""


@pytest.mark.parametrize(("name", "written", "reach", "is_last"), UNTYPABLE)
def test_a_member_that_cannot_be_typed_after_a_dot_comes_last(
    name: str, written: str, reach: int, is_last: bool
) -> None:
    listed = CheckerCompletion(name, NameKind.PROPERTY, written, reach)
    odd = MenuCandidate(name, NameKind.PROPERTY, listed=listed)
    usual = MenuCandidate("length", NameKind.PROPERTY, listed=CheckerCompletion("length", NameKind.PROPERTY, "length"))
    found = ordered([odd, usual], {name: -0.1, "length": -5.0})
    assert [one.text for one in found] == (["length", name] if is_last else [name, "length"])


def test_beside_another_service_each_name_comes_once() -> None:
    def bringing(text: str, module: str) -> MenuCandidate:
        return MenuCandidate(text, NameKind.FUNCTION, importable=Importable(text, NameKind.FUNCTION, module))

    found = [
        (MenuCandidate("one", NameKind.VARIABLE), 0.9),
        (bringing("two", "./a"), 0.04),
        (bringing("one", "./a"), 0.03),
        (MenuCandidate("five", NameKind.VARIABLE), 0.02),
        (bringing("two", "./b"), 0.01),
        (bringing("three", "./a"), 0.0),
    ]
    entries, stars = best(found, "")
    shown = [(one.text, one.importable.module if one.importable else "") for one in entries]
    assert (shown, stars) == ([("one", ""), ("two", "./a"), ("three", "./a")], 1)


STARRED = [
    ("fee", {"Feed": 0.95, "feed": 0.05}, "feed"),
    ("Fee", {"Feed": 0.95, "feed": 0.05}, "Feed"),
    ("fee", {"Feed": 0.98, "feed": 0.016, "feedback": 0.004}, "feed feedback"),
    ("fee", {"Feed": 0.979, "feed": 0.02, "feedback": 0.0001}, "feed"),
    ("fee", {"Feed": 0.95, "Feeder": 0.04}, "Feed"),
    ("", {"Feed": 0.95, "feed": 0.05}, "Feed feed"),
    ("fee", {"Feed": 0.95, "feed, imported": 0.04}, "Feed"),
    ("fee", {"Feed": 0.0, "feed": 0.0}, ""),
]
"""What is typed, the names with their probabilities, and which of them get a star."""


@pytest.mark.parametrize(("typed", "names", "expected"), STARRED)
def test_a_star_begins_as_it_was_typed_where_a_name_does(typed: str, names: dict[str, float], expected: str) -> None:
    found = []
    for name, probability in names.items():
        text, imported, _ = name.partition(", imported")
        importable = Importable(text, NameKind.FUNCTION, "./a") if imported else None
        found.append((MenuCandidate(text, NameKind.FUNCTION, importable=importable), probability))
    entries, stars = best(found, typed)
    assert [one.text for one in entries[:stars]] == expected.split()


def test_a_word_of_the_grammar_is_first_and_no_name_gets_a_star_beside_it() -> None:
    names = [MenuCandidate("forty", NameKind.VARIABLE), MenuCandidate("format", NameKind.FUNCTION)]
    scores = {"forty": -0.1, "format": -3.0, "for": -9.0}
    found = ranked([*names, MenuCandidate("for", NameKind.KEYWORD)], scores, "for", 0, 3)
    assert [one.text for one, _ in found] == ["for", "forty", "format"]
    assert best(found, "for") == ([], 0)


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ({"config": -3.0, "const": -0.1}, []),
        ({"config": -0.1, "const": -3.0}, ["config"]),
        ({"config": -0.1, "const": -0.2, "connect": -0.3}, ["config", "connect"]),
        ({"config": -0.2, "const": -0.1, "connect": -0.3}, []),
    ],
)
def test_no_name_gets_a_star_where_a_word_of_the_grammar_is_more_probable(
    scores: dict[str, float], expected: list[str]
) -> None:
    kinds = {"const": NameKind.KEYWORD}
    found = ranked([MenuCandidate(name, kinds.get(name, NameKind.VARIABLE)) for name in scores], scores, "con", 0, 3)
    entries, stars = best(found, "con")
    assert ([one.text for one in entries], stars) == (expected, len(expected))


SHARES = [({"one": 0.0, "two": 0.0}, [0.5, 0.5]), ({"one": 0.0}, [1.0, 0.0]), ({}, [0.5, 0.5])]


@pytest.mark.parametrize(("scores", "expected"), SHARES)
def test_entries_share_their_probability(scores: dict[str, float], expected: list[float]) -> None:
    found = ranked([MenuCandidate(one, NameKind.VARIABLE) for one in ("one", "two")], scores)
    assert [round(probability, 6) for _, probability in found] == expected
