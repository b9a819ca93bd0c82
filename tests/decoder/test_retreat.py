"""Going back to before a name that nobody knows."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Event

import numpy as np
import pytest

from context_index.symbols import Language, Name, NameKind, Origin
from decoder.constraint.guard import Guard
from decoder.draft.policies import Undrafted
from decoder.generation import Generation
from decoder.loop import generate
from decoder.sampling import Sampler, SamplingOptions
from tests.decoder.scope.test_scope import rule_at
from tests.decoder.scripted import END, PIECES, ScriptedModel

CASES = """
javascript | total = zz(items)     | items.length    | total = items.length      |
javascript | total = zz.length     | items.length    | total = items.length      |
javascript | total = zz => zz + 1  |                 | total = zz => zz + 1      |
javascript | f(zz, items)          | items)          | f(items)                  |
javascript | f(zz, q, items)       | items)          | f(items)                  |
javascript | total = f({ zz })     | total })        | total = f({ total })      |
javascript | total = f({ zz: 1 })  |                 | total = f({ zz: 1 })      |
python     | total = [zz for zz in items] |          | total = [zz for zz in items] |
python     | total = (zz, f)       | items)          | total = (items)           |
python     | f(zz=1)               |                 | f(zz=1)                   |
python     | f(zz, 1)              | total)          | f(total)                  |
"""


def wants(text: str, instead: str) -> ScriptedModel:
    """A model that says a text letter by letter, and once it strayed from it goes on with `instead`."""

    def script(output: Sequence[int]) -> np.ndarray:
        written = bytes(output).decode()
        shared = next((n for n, (a, b) in enumerate(zip(written, text, strict=False)) if a != b), len(written))
        logits = -np.arange(257 + len(PIECES), dtype=np.float32)
        wanted = text[len(written) :] if shared == len(written) else instead[len(written) - shared :]
        logits[ord(wanted[0]) if wanted else END] = 10
        if instead:
            logits[ord(instead[0])] = max(logits[ord(instead[0])], 6)
        return logits

    return ScriptedModel(script)


class SaysAgain:
    """A bias towards a letter, whatever the model thinks of it, as counts of what followed elsewhere are."""

    def __init__(self, letter: str, logit: float) -> None:
        self._token, self._logit = ord(letter), logit

    def applied(self, logits: np.ndarray, _written: str, _guard: Guard, _tokens: Sequence[int]) -> np.ndarray:
        changed = logits.copy()
        changed[self._token] = max(changed[self._token], self._logit)
        return changed


@pytest.mark.parametrize("bias", [None, SaysAgain("z", 9)])
@pytest.mark.parametrize("line", CASES.strip().splitlines())
def test_a_name_that_nobody_knows_is_struck_once_it_is_used(line: str, bias: SaysAgain | None) -> None:
    language, text, instead, expected = (part.strip() for part in line.split("|")[:4])
    guard = Guard((rule_at(Language(language)),))
    run = Generation(guard, None, max_tokens=40, deadline=None, cancel=Event(), goes_back=True, bias=bias)
    model = wants(text, instead)
    generate(model, [0], run, Sampler(SamplingOptions()), Undrafted())
    assert run.output.decode() == expected


@pytest.mark.parametrize("avoided", ["i", "item", "items.length"])
def test_what_is_avoided_is_not_written_although_a_bias_wants_it(avoided: str) -> None:
    run = Generation(
        Guard((rule_at(Language.JAVASCRIPT),)), None, max_tokens=40, deadline=None, cancel=Event(),
        goes_back=True, avoided=frozenset({avoided.encode()}), bias=SaysAgain(avoided[-1], 20),
    )  # fmt: skip
    generate(wants("items.length", "total"), [0], run, Sampler(SamplingOptions()), Undrafted())
    assert not run.output.startswith(avoided.encode())


@pytest.mark.parametrize(
    ("text", "instead", "expected"),
    [
        ("import { kept } from 'a'", "z } from 'a'", "import { z } from 'a'"),
        ("import { kept, z } from 'a'", "z } from 'a'", "import { z } from 'a'"),
        ("import { z, kept } from 'a'", "q } from 'a'", "import { z, q } from 'a'"),
        ("import * as kept from 'a'", "z from 'a'", "import * as z from 'a'"),
        ("import kept from 'a'", "z from 'a'", "import z from 'a'"),
        ("import { kept as z } from 'a'", "", "import { kept as z } from 'a'"),
        ("import { keep } from 'a'", "", "import { keep } from 'a'"),
        ("import { keptOn } from 'a'", "", "import { keptOn } from 'a'"),
    ],
)
def test_a_name_that_the_module_has_is_struck_in_an_import(text: str, instead: str, expected: str) -> None:
    names = {"kept": Name("kept", NameKind.FUNCTION, Origin.IMPORT, 0, 0)}
    rule = rule_at(Language.TYPESCRIPT, "\n\n", names=names)
    run = Generation(Guard((rule,)), None, max_tokens=60, deadline=None, cancel=Event(), goes_back=True)
    generate(wants(text, instead), [0], run, Sampler(SamplingOptions()), Undrafted())
    assert run.output.decode() == expected
