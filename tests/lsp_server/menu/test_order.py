"""The order of the menu: what the model, the file and the scopes say of each name."""

from __future__ import annotations

import pytest

from context_index import Completion, Misfits, NameKind
from lsp_server.menu.candidates import FAR, Candidate
from lsp_server.menu.order import ordered

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
        candidates.append(Candidate(name, NameKind.VARIABLE, distance=far, is_universal=is_universal))
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
    listed = Candidate("mode=", NameKind.PARAMETER, listed=Completion("mode=", NameKind.PARAMETER, "mode="))
    found = ordered([Candidate("one", NameKind.VARIABLE, distance=0), listed], {}, prior={"one": 3.0})
    assert [one.text for one in found] == ["mode=", "one"]


def test_what_cannot_be_an_argument_comes_last() -> None:
    """A name that is given already, and all values where none may stand."""
    mode, tax = (
        Candidate(one, NameKind.PARAMETER, listed=Completion(one, NameKind.PARAMETER, one)) for one in ("mode=", "tax=")
    )
    name = Candidate("one", NameKind.VARIABLE, distance=0)
    given = Misfits(given=frozenset({"mode="}))
    found = ordered([mode, name, tax], {"mode=": -1, "tax=": -20, "one": -1}, misfits=given)
    assert [one.text for one in found][-1] == "mode="
    found = ordered([name, mode, tax], {"mode=": -1, "tax=": -20, "one": -1}, misfits=Misfits(takes_value=False))
    assert [one.text for one in found] == ["mode=", "tax=", "one"]
