"""Where a script declares a name itself, so that its uses are no library's global: a `^` stands before each place."""

from __future__ import annotations

import pytest

from context_index import Document, Language, Trees
from context_index.checkers.name_places import NamePlaces

CASES = """
const ^name = 1; use(^name);                                       => typescript
use(^name); { let name = 2; use(name); } var ^name = 1;            => javascript
declare const name: string; use(name);                             => typescript
use(name); declare const name: string;                             => typescript
use(name); declare function name(): void;                          => typescript
const ^name = 1; use(^name); declare const other: typeof ^name;    => typescript
const ^name = 1; declare namespace Box { const name: string; }     => typescript
use(name); name = 1                                                => python
"""


@pytest.mark.parametrize("case", CASES.strip().splitlines())
def test_a_script_has_its_own_names(case: str) -> None:
    marked, _, language = case.rpartition("=>")
    pieces = marked.rstrip().split("^")
    document = Document("file:///shop/case", Language(language.strip()), "".join(pieces))
    expected = [sum(map(len, pieces[:count])) for count in range(1, len(pieces))]
    places = NamePlaces([document], "name", Trees())
    assert [offset for _, offset in places.places_of_script(0)] == expected
