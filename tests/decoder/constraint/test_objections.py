"""What was objected to is written otherwise, whatever was drafted, in whatever pieces it comes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from context_index.symbols import Language, SymbolContext
from decoder.constraint.objections import Objection, Objections
from decoder.constraint.protocol import Refusal
from decoder.rewriting.rewriting import rewrite
from decoder.rewriting.task import Policy, Rewrite, RewriteTask
from decoder.stops import Stop
from tests.decoder.forced import Forced
from tests.decoder.scripted import END

JAVASCRIPT = SymbolContext(Language.JAVASCRIPT)


class Wavering(Forced):
    """Wants `const` instead of `var` most, and `let` where it cannot have that."""

    def __init__(self) -> None:
        super().__init__(lambda original: original)

    def branch(self) -> Wavering:
        return Wavering()

    def _row(self, end: int) -> np.ndarray:
        logits = np.zeros_like(super()._row(end))
        left = bytes(self._wanted[:-1] if self._wanted else b"")
        for byte in bytes(token % 256 for token in self.tokens[self._start : end]):
            word = {ord("c"): b"const", ord("l"): b"let"}.get(byte, b"")
            left = word + left[3:] if left.startswith(b"var") else left
            left = left[1:]
        if left.startswith(b"var"):
            logits[ord("c")], logits[ord("l")] = 10, 9
        else:
            logits[left[0] if left else END] = 10
        return logits


def objecting(result: str) -> Sequence[Objection]:
    """To each `const` of a name that is assigned again."""
    found = []
    for place in range(len(result)):
        name = result[place + 6 : place + 7]
        if result.startswith("const ", place) and f"\n{name} = " in result.replace("\r", ""):
            found.append(Objection(place, "const"))
    return found


@given(st.text("abcx \n", max_size=12), st.integers(0, 8), st.data())
def test_chunking_does_not_matter(text: str, offset: int, data: st.DataObject) -> None:
    rule = Objections((Objection(offset, "ab"),))
    whole = rule.feed(text)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=3)))
    pieces: Objections | Refusal = rule
    for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True):
        if isinstance(pieces, Objections):
            pieces = pieces.feed(text[start:end])
    assert isinstance(whole, Refusal) is text.startswith("a", offset) is isinstance(pieces, Refusal)
    assert isinstance(whole, Refusal) or whole == pieces


def written(text: str, **options: object) -> Rewrite:
    task = RewriteTask(text, "no var", JAVASCRIPT, **{"draft": text, "constrained": False, **options})  # type: ignore[arg-type]  # a shorthand
    return rewrite(Wavering(), task)


@pytest.mark.parametrize("policy", Policy)
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_a_word_that_cannot_stand_is_written_otherwise(policy: Policy, ends: str) -> None:
    text = ends.join(["", "var a = 1;", "var b = 2;", "var c = 3;", "b = 3;", "c = 4;", ""])
    expected = ends.join(["", "const a = 1;", "let b = 2;", "let c = 3;", "b = 3;", "c = 4;", ""])
    done = written(text, policy=policy, objections=objecting)
    assert (done.text, done.stop) == (expected, Stop.END)


def test_without_objections_all_stays() -> None:
    text = "var a = 1;\na = 2;\n"
    assert written(text).text == text.replace("var", "const")


def test_who_objects_to_all_there_is_stops_at_last() -> None:
    made = written("var a = 1;\n", objections=lambda result: [Objection(0, result[:1])])
    assert made.stop in (Stop.END, Stop.STUCK)
