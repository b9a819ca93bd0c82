"""A prior over names leans the model's choice from the first token of a name on, and breaks no law of the loop."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from context_index.symbols import Language, Name, NameKind, Origin, SymbolContext
from decoder.choice import choose
from decoder.completion import CompletionTask, complete
from decoder.completion.guard import guard_at as guard_of
from decoder.completion.name_bias import NameBias
from decoder.constraint.documents import DocumentStates
from decoder.constraint.guard import Guard
from decoder.constraint.mask import allowed_tokens
from decoder.draft import Aligned, Draft, Drafter, Reference
from decoder.sampling import Sampler, SamplingOptions
from tests.decoder.drafting import PROMPT, drafted
from tests.decoder.fake_types import FakeTypes, closed
from tests.decoder.scripted import END, PIECES, ScriptedModel, byte_vocabulary, token
from tests.examples import examples

NAMES = ("f", "items", "total", "totals")
SYMBOLS = SymbolContext(Language.JAVASCRIPT, {text: Name(text, NameKind.VARIABLE, Origin.LOCAL, 0) for text in NAMES})
VOCABULARY = byte_vocabulary()
SIZE = 257 + len(PIECES)


@dataclass(frozen=True)
class Given:
    """Names and probabilities as a test wants them."""

    names: tuple[str, ...]
    probabilities: npt.NDArray[np.float64]
    share: float = 1.0


@dataclass(frozen=True)
class FixedPrior:
    """Believes the same everywhere."""

    beliefs: Mapping[str, float]
    share: float = 1.0

    def names(self, written: str) -> Given:
        del written
        return self._given(NAMES)

    def members(self, written: str, listed: Mapping[str, NameKind]) -> Given:
        del written
        return self._given(tuple(sorted(listed)))

    def _given(self, names: tuple[str, ...]) -> Given:
        weights = np.array([self.beliefs.get(name, 0.01) for name in names])
        return Given(names, weights / weights.sum(), self.share)


def guard_at(prefix: str, owed: str = "", **options: object) -> Guard:
    task = replace(CompletionTask(prefix, "", SYMBOLS), **options)  # type: ignore[arg-type]  # fields of the task
    guard, _ = guard_of(task, prefix, owed, DocumentStates())
    return guard


def bias(**beliefs: float) -> NameBias:
    return NameBias(FixedPrior(beliefs), VOCABULARY, Language.JAVASCRIPT)


def fed(guard: Guard, text: str) -> Guard:
    after = guard.feed(text.encode())
    assert isinstance(after, Guard)
    return after


CASES = """
let x = ^     | items        | i      > t
let x = ^     | items        | items  > total
let x = ^     | total        | total  > items
let x = ^total| totals       | s      > ;
let x = ^total| total        | ;      > s
let x = f(^   | f            | f      > i
"""


@pytest.mark.parametrize("case", CASES.strip().splitlines())
def test_a_probable_name_is_felt_at_each_of_its_tokens(case: str) -> None:
    place, believed, told = (part.strip() for part in case.split("|"))
    prefix, written = place.split("^")
    more, less = (one.strip().encode() for one in told.split(">"))
    guard = fed(guard_at(prefix + " " * prefix.endswith("=")), written)
    leaned = bias(**{believed: 10.0}).applied(np.zeros(SIZE, dtype=np.float32), written, guard, ())
    assert leaned[token(more)] > leaned[token(less)]


def test_members_are_leaned_among_those_listed() -> None:
    types = FakeTypes(lambda _before, _position: closed("area", "length"))
    guard = fed(guard_at("let x = ", types=types), "items.")
    leaned = bias(length=10.0).applied(np.zeros(SIZE, dtype=np.float32), "items.", guard, ())
    assert leaned[ord("l")] > leaned[ord("a")]


def test_a_habit_does_not_outweigh_a_model_that_is_certain() -> None:
    """The names that begin so differ by a factor of 32 at most, however often one was met and the other not."""
    logits = np.zeros(SIZE, dtype=np.float32)
    logits[ord("f")] = 4.0  # e**4 is more than 32, e**3 less
    leaned = bias(items=1e9, f=1e-9).applied(logits, "", guard_at("let x = "), ())
    assert leaned[ord("f")] > leaned[ord("i")]
    logits[ord("f")] = 3.0
    leaned = bias(items=1e9, f=1e-9).applied(logits, "", guard_at("let x = "), ())
    assert leaned[ord("f")] < leaned[ord("i")]


@examples(60)
@given(st.integers(0, 99), st.sampled_from(["", "t", "total", "f", "f(", "items + "]), st.floats(0.0, 1.0))
def test_names_keep_the_probability_that_the_model_gives_them_together(seed: int, written: str, share: float) -> None:
    logits = np.random.default_rng(seed).normal(size=SIZE).astype(np.float32) * 3
    guard = fed(guard_at("let x = "), written)
    beliefs = {"items": 5.0, "totals": 2.0}
    leaned = NameBias(FixedPrior(beliefs, share), VOCABULARY, Language.JAVASCRIPT).applied(logits, written, guard, ())
    changed = leaned != logits
    assert np.logaddexp.reduce(leaned[changed]) == pytest.approx(np.logaddexp.reduce(logits[changed]), abs=1e-4)
    assert np.logaddexp.reduce(leaned) == pytest.approx(np.logaddexp.reduce(logits), abs=1e-4)


@examples(60)
@given(st.integers(0, 99), st.sampled_from(["", "t", "tot", "f(", "items"]), st.sampled_from([0.0, 1.0]))
def test_lazily_checked_is_masked(seed: int, written: str, temperature: float) -> None:
    logits = np.random.default_rng(seed).normal(size=SIZE).astype(np.float32) * 6
    guard = fed(guard_at("let x = "), written)
    leaned = bias(items=9.0, total=3.0).applied(logits, written, guard, ())
    preferences = Sampler(SamplingOptions(temperature=temperature, seed=seed)).preferences(leaned, 0)
    lazy = choose(preferences, guard, VOCABULARY)
    allowed = allowed_tokens(guard, VOCABULARY)
    assert lazy is not None
    if not lazy.ends:
        assert lazy.token == int(np.where(allowed, preferences, -np.inf).argmax())


def noisy(seed: int, among: Sequence[int], prompt_length: int | None = len(PROMPT)) -> ScriptedModel:
    def script(output: Sequence[int]) -> np.ndarray:
        logits = np.full(SIZE, -20, dtype=np.float32)
        logits[list(among)] = np.random.default_rng([seed, *output[-3:]]).normal(size=len(among)) * 2
        return logits

    return ScriptedModel(script, prompt_length=prompt_length)


POLICIES: dict[str, Callable[[Sequence[int]], Drafter]] = {
    "reference": lambda draft: Reference(Draft.of(draft), lookahead=4, confirmed=3),
    "aligned": lambda draft: Aligned(Draft.of(draft), PROMPT),
}


@examples(25)
@given(st.sampled_from(sorted(POLICIES)), st.integers(0, 20), st.sampled_from([0.0, 1.0]))
def test_drafted_is_undrafted_under_a_bias(policy: str, seed: int, temperature: float) -> None:
    among = [*b"tfix();=.+ \n", *(257 + n for n in range(len(PIECES))), END]
    guard, sampling = guard_at("let x = "), SamplingOptions(temperature=temperature, seed=seed)
    leaning = bias(items=9.0)
    plain, _ = drafted(noisy(seed, among), sampling=sampling, guard=guard, max_tokens=16, bias=leaning)
    for draft in (plain, list(b"totalitems;f(items);"), [*plain[:4], 40, *plain[4:]]):
        tokens, _ = drafted(
            noisy(seed, among), POLICIES[policy](draft), sampling=sampling, guard=guard, max_tokens=16, bias=leaning
        )
        assert tokens == plain


def decided(*preferred: bytes) -> ScriptedModel:
    """Prefers tokens in this order, whatever was written."""

    def script(_output: Sequence[int]) -> np.ndarray:
        logits = np.full(SIZE, -20, dtype=np.float32)
        for rank, text in enumerate(preferred):
            logits[token(text)] = -rank
        return logits

    return ScriptedModel(script)


def test_a_suggestion_says_what_the_prior_did() -> None:
    task = CompletionTask("let x =", "", SYMBOLS, max_tokens=2)
    sure = FixedPrior({"items": 1e6})
    plain = complete(decided(b"total", b"items", b";"), task)
    leaned = complete(decided(b"total", b"items", b";"), replace(task, prior=sure))
    free = complete(decided(b"total", b"items", b";"), replace(task, prior=sure, constrained=False))
    assert {step.prior for step in (*plain.trace, *free.trace)} == {0.0}
    assert (plain.text, leaned.text) == ("total", "items")
    assert leaned.trace[0].prior > 0
    assert leaned.trace[0].favourite == "total"


@given(st.floats(0.0, 1.0), st.integers(0, 50))
def test_a_lighter_prior_leans_less(weight: float, seed: int) -> None:
    logits = np.random.default_rng(seed).normal(size=SIZE).astype(np.float32)
    guard, prior = guard_at("let x = "), FixedPrior({"items": 9.0, "total": 3.0})

    def between(bias: NameBias) -> float:
        """By how much the one name's first letter leads the other's more than before."""
        leaned = bias.applied(logits, "", guard, ()) - logits
        return float(leaned[ord("i")] - leaned[ord("t")])

    whole = between(NameBias(prior, VOCABULARY, Language.JAVASCRIPT))
    light = between(NameBias(prior, VOCABULARY, Language.JAVASCRIPT, weight))
    assert light == pytest.approx(weight * whole, abs=1e-4)
