"""What scanners say of texts shown together is what they say of each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from context_index.symbols import Language
from decoder.grammar import Grammar
from decoder.grammar.masks.paths import Paths
from decoder.grammar.masks.plans import Patience
from decoder.grammar.masks.scans import Scans, Start
from decoder.grammar.scanner import DECLINED, UNDECIDED, Scanned
from tests.decoder.grammar.masks.test_masker import texts

if TYPE_CHECKING:
    from decoder.grammar.scanner import Answer

IN_STRING = b'\x00\x01"'
SAVED = {Language.PYTHON: (b"\x00\x00", b"\x00\x00\x04", IN_STRING), Language.TYPESCRIPT: (b"",), Language.TSX: (b"",)}
PENDING = ("", "\n", "\n    ", "/* a", "# a", "a ", "`")


@pytest.mark.parametrize("language", SAVED)
def test_texts_shown_together(language: Language) -> None:
    grammar = Grammar.load(language)
    reader = grammar.automaton.reader
    some = texts()[::5]
    paths = Paths(grammar.tables, reader, some)
    suffixes = paths.suffixes
    numbers = [suffixes.number(text) for text in some]
    scans = Scans(suffixes, reader, Patience())
    every = paths.texts(np.array(numbers, dtype=np.int32))
    for state in sorted({mode.external_state for mode in grammar.tables.modes} - {0}):
        for saved in SAVED[language]:
            for pending in PENDING:
                start = Start(state, saved, pending, at_start=False)
                parts = scans.parts(every, start)
                found: dict[int, object] = dict.fromkeys(parts.declined.tolist(), DECLINED)
                found |= dict.fromkeys([*parts.within.tolist(), *parts.undecided.tolist()], UNDECIDED)
                for answer, (members, rests) in parts.scanned.items():
                    for index, rest in zip(members.tolist(), rests.tolist(), strict=True):
                        found[index] = (answer.symbol, answer.saved, suffixes.all[rest])
                within = set(parts.within.tolist())
                for index, text in enumerate(some):
                    whole = pending + text
                    said: Scanned | Answer = reader.scan(state, saved, whole, at_start=False)
                    more = reader.scan(state, saved, whole + "x", at_start=False)
                    told: object = said
                    if isinstance(said, Scanned):
                        told = (said.symbol, said.saved, whole[max(said.end, len(pending)) :])
                    assert found[index] == told, (start, text)
                    assert (index in within) == (more is UNDECIDED and not whole.isspace()), (start, text)
