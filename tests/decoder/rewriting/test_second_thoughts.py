"""Second thoughts: a text that is more probable as a whole is found, whatever was drafted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np
import pytest

from context_index.symbols import Language, SymbolContext
from decoder.constraint.objections import Objection
from decoder.draft import Kind, Ledger
from decoder.rewriting.rewriting import rewrite
from decoder.rewriting.second_thoughts import BRANCHES, is_certain
from decoder.rewriting.task import Policy, Rewrite, RewriteTask
from decoder.sampling import SamplingOptions
from decoder.stops import Stop
from tests.decoder.forced import Forced
from tests.decoder.scripted import END, PIECES

Script = Callable[[bytes], Mapping[int, float]]


class Undecided(Forced):
    """What it wants next is a function of what it has written: logits by byte; of anything else it hardly thinks."""

    def __init__(self, script: Script) -> None:
        super().__init__(lambda _original: "")
        self._wishes = script

    def branch(self) -> Undecided:
        return Undecided(self._wishes)

    def _row(self, end: int) -> np.ndarray:
        logits = np.full(257 + len(PIECES), -30, dtype=np.float32)
        written = bytes(token % 256 for token in self.tokens[self._start : end])
        for token, value in self._wishes(written).items():
            logits[token] = value
        return logits


def among(texts: Mapping[bytes, float]) -> Script:
    """Wants one of these texts, each as much as is said."""

    def script(written: bytes) -> Mapping[int, float]:
        going_on = {text: value for text, value in texts.items() if text.startswith(written)}
        found: dict[int, float] = {}
        for text, value in going_on.items():
            following = text[len(written)] if len(text) > len(written) else END
            found[following] = max(value, found.get(following, -30))
        return found or {END: 0}

    return script


def trap(written: bytes) -> Mapping[int, float]:
    """`a` first is a little more probable than `b`; behind `a` nothing is probable, behind `b` all is certain."""
    if not written:
        return {ord("a"): 0.1, ord("b"): 0.0}
    if written.startswith(b"a") and len(written) < 5:
        return {ord("x"): 0.5, ord("y"): 0.0, ord("z"): 0.0}
    return {ord("c"): 0.0} if len(written) < 3 else {END: 0.0}


def written(script: Script, original: str = "ooo", **options: object) -> Rewrite:
    options = {"draft": original, "constrained": False, **options}
    task = RewriteTask(original, "change it", SymbolContext(Language.PYTHON), **options)  # type: ignore[arg-type]  # a shorthand
    return rewrite(Undecided(script), task)


@pytest.mark.parametrize("policy", Policy)
@pytest.mark.parametrize("draft", ["ooo", "bcc", "axxxx", "", None])
def test_the_more_probable_text_is_found_whatever_is_drafted(policy: Policy, draft: str | None) -> None:
    done = written(trap, policy=policy, draft=draft)
    assert (done.text, done.stop) == ("bcc", Stop.END)
    assert "".join(text for kind, text in done.pieces if kind is not Kind.REJECTED) == "bcc"


def test_a_sample_is_not_reconsidered() -> None:
    texts = {written(trap, sampling=SamplingOptions(temperature=0.01, seed=seed)).text for seed in range(5)}
    assert texts == {"axxxx"}


def test_what_is_far_from_being_chosen_is_not_tried() -> None:
    def surer(text: bytes) -> Mapping[int, float]:
        return {ord("a"): 4.0, ord("b"): 0.0} if not text else trap(text)

    assert written(surer).text.startswith("a")


def test_a_dead_end_is_left() -> None:
    script = among({b"yy = zz": 0.5, b"yy = yy": 0.0})
    assert written(script, original="yy = 1", constrained=True, prefix="yy = 0\n").text == "yy = yy"


def test_the_original_is_the_last_that_is_wanted() -> None:
    script = among({b"ooo": 0.0, b"ppp": 0.5})
    assert written(script).text == "ppp"
    assert written(among({b"ooo": 4.0, b"ppp": 0.0})).text == "ooo"


@pytest.mark.parametrize("policy", Policy)
def test_what_an_instruction_may_want_replaced_is_tried(policy: Policy) -> None:
    original, wanted = b"a = 1\nb = a\n", b"zz = 1\nb = zz"
    task = RewriteTask(
        original.decode(), "a -> zz", SymbolContext(Language.PYTHON), draft=original.decode(), policy=policy
    )
    done = rewrite(Undecided(among({original.strip(): 9.0, wanted: 0.0})), task)
    assert done.text == wanted.decode() + "\n"
    far = rewrite(Undecided(among({original.strip(): 14.0, wanted: 0.0})), task)
    assert far.text == original.decode()


def test_what_somebody_objects_to_is_no_better_text() -> None:
    done = written(trap, objections=lambda text: [Objection(0, "b")] if text.startswith("b") else [])
    assert done.text.startswith("a")


def test_as_many_choices_as_pay_are_made_the_other_way() -> None:
    calls: list[bytes] = []

    def wavering(text: bytes) -> Mapping[int, float]:
        calls.append(text)
        return {ord("a") + len(text): 0.01, ord("A") + len(text): 0.0} if len(text) < 12 else {END: 0.0}

    written(wavering, draft=None)
    whole = {text for text in calls if len(text) == 12 and text.lower() == b"abcdefghijkl"}
    assert 1 < len(whole) <= BRANCHES + 1


@pytest.mark.parametrize(
    ("probabilities", "certain"),
    [
        ([1.0, 1.0], True),
        ([0.9, 0.95], True),
        ([0.6, 0.5], False),  # what begins otherwise may have 0.4, this has 0.3
        ([0.5], False),
        ([], True),
    ],
)
def test_what_leaves_nothing_for_others_is_certain(probabilities: list[float], certain: bool) -> None:
    assert is_certain([float(np.log(one)) for one in probabilities]) is certain


def test_a_branch_has_its_parents_history() -> None:
    ledger = Ledger()
    ledger.take(Kind.ACCEPTED)
    ledger.take(Kind.GENERATED)
    ledger.reject([7, 8])
    ledger.take(Kind.EXTRA)
    counts = partial(ledger.beginning(2).counts, [1, 2])()
    assert (counts.accepted, counts.generated, counts.rejected, counts.extra, counts.forwards) == (1, 1, 2, 0, 0)
    assert ledger.beginning(1).counts([1]).rejected == 0
