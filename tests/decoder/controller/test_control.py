"""What a controller's answers do to an output; the controller runs in this process."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from threading import Event
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from decoder.constraint.protocol import Refusal, Report, Rule
from decoder.constraint.state import ConstraintState
from decoder.controller.control import Control
from decoder.controller.protocol import LIST, Answer, Step, answer_of
from decoder.draft import Drafter, Reference, Undrafted
from decoder.errors import ConstraintFaultError, ProgramError
from decoder.generation import Generation
from decoder.loop import generate
from decoder.observer import Scores, Trace
from decoder.sampling import Sampler, SamplingOptions
from decoder.stops import Stop
from tests.decoder.drafting import PROMPT, few_tokens
from tests.decoder.scripted import END, TOKENS, ScriptedModel, letters, says, token
from tests.examples import examples

Program = Callable[[Step, str], Answer]


class Recorded(NamedTuple):
    scores: Scores
    trace: Trace
    run: Generation


class LocalProgram:
    """A controller in this process, which remembers the text as one in a worker does."""

    wants = frozenset[str]()

    def __init__(self, program: Program) -> None:
        self._program = program
        self.texts = [""]

    def step(self, step: Step, _vocabulary: int) -> Answer:
        self.texts.append(self.texts[-1] + step.written)
        return self._program(step, self.texts[-1])

    def rollback(self, count: int) -> None:
        assert 0 <= count < len(self.texts) - 1
        del self.texts[count + 1 :]


def written(
    model: ScriptedModel,
    program: Program,
    *,
    constraint: ConstraintState | None = None,
    drafter: Drafter | None = None,
    sampling: SamplingOptions | None = None,
    max_tokens: int = 20,
    floor: float = -math.inf,
) -> tuple[str, Stop, Recorded]:
    control = Control(LocalProgram(program), model.vocabulary)
    scores, trace = Scores(floor), Trace()
    run = Generation(
        constraint or ConstraintState(), None, max_tokens=max_tokens, deadline=None, cancel=Event(),
        repeats=lambda _tokens: 0, control=control, observers=(scores, trace),
    )  # fmt: skip
    stop = generate(model, PROMPT, run, Sampler(sampling or SamplingOptions()), drafter or Undrafted())
    return run.output.decode("utf-8", "replace"), stop, Recorded(scores, trace, run)


def answer_at(text: str, answer: Answer) -> Program:
    return lambda _step, so_far: answer if so_far == text else Answer()


CASES = {
    "nothing": (answer_at("?", Answer()), "abc", Stop.END),
    "choice": (answer_at("a", Answer(choice=ord("x"))), "axc", Stop.END),
    "bias that is not enough": (answer_at("a", Answer(None, [ord("x")], [1])), "abc", Stop.END),
    "bias": (answer_at("a", Answer(None, [ord("x")], [99])), "axc", Stop.END),
    "bias against": (answer_at("a", Answer(None, [ord("b"), END], [-99, -99])), "a\0c", Stop.END),
    "ban": (answer_at("a", Answer(bans=frozenset({ord("b"), END}))), "a\0c", Stop.END),
    "ban of the end": (answer_at("abc", Answer(None, [ord("!")], [6], frozenset({END}))), "abc!", Stop.END),
    "stop": (answer_at("ab", Answer(stops=True)), "ab", Stop.END),
    "forced": (answer_at("a", Answer(forced="xyé")), "axyé", Stop.END),
    "ban of everything": (answer_at("a", Answer(bans=frozenset(range(len(TOKENS))))), "a", Stop.STUCK),
    "choice that is refused": (answer_at("a", Answer(choice=ord("#"))), "abc", Stop.END),
}


class NoHash:
    """A rule for tests."""

    def advance(self, text: str) -> NoHash | Refusal:
        return Refusal(Rule.SYNTAX, "#") if "#" in text else self

    def may_stop(self) -> None:
        return None

    def report(self) -> Report:
        return Report()


@pytest.mark.parametrize("case", CASES)
def test_what_an_answer_does_to_the_output(case: str) -> None:
    program, text, stop = CASES[case]
    assert written(says(*letters("abc")), program, constraint=ConstraintState((NoHash(),)))[:2] == (text, stop)


def test_bans_are_reported_as_refusals() -> None:
    _, _, recorded = written(says(*letters("abc")), answer_at("a", Answer(bans=frozenset({ord("b")}))))
    assert recorded.trace.steps()[1].refused[0] == ("b", Refusal(Rule.CONTROLLER, "b"))


def test_how_probable_what_is_forced_was_is_not_asked() -> None:
    def program(_step: Step, text: str) -> Answer:
        return Answer(stops=True) if text == "axy" else answer_at("a", Answer(forced="xy"))(_step, text)

    text, stop, recorded = written(says(*letters("abc")), program, floor=-1.0)
    assert (text, stop) == ("axy", Stop.END)
    assert recorded.scores.values[1:] == [0.0, 0.0, 0.0]


def test_what_is_forced_is_checked() -> None:
    with pytest.raises(ProgramError, match="forces '#', which is refused"):
        written(says(*letters("abc")), answer_at("a", Answer(forced="x#")), constraint=ConstraintState((NoHash(),)))


def test_what_is_forced_comes_after_the_half_typed_word() -> None:
    text, _, _ = written(
        says(*letters("abc")), answer_at("", Answer(forced="!")), constraint=ConstraintState(required_prefix=b"to")
    )
    assert text.startswith("to!")


def test_a_fault_of_the_program_is_no_fault_of_a_rule() -> None:
    def broken(_step: Step, _text: str) -> Answer:
        raise ProgramError("it threw")

    with pytest.raises(ProgramError, match="it threw") as raised:
        written(says(*letters("abc")), broken)
    assert not isinstance(raised.value, ConstraintFaultError)


FEW = [*b"abc(", token(b"items"), END]


def moody(step: Step, text: str) -> Answer:
    """Depends on everything that it has received, so that whatever is sent twice or left out shows."""
    mood = sum(text.encode()) + 3 * step.position
    if mood % 11 == 5:
        return Answer(forced="ab" if "(" in text else "(")
    if mood % 7 == 3:
        return Answer(bans=frozenset(step.ids[:1]))
    return Answer(None, (ord("c"), step.ids[1]), (mood % 5 - 2, 0.5))


@examples(60)
@given(st.data(), st.integers(0, 60), st.sampled_from([0.0, 1.0]))
def test_drafted_is_undrafted(data: st.DataObject, seed: int, temperature: float) -> None:
    sampling = SamplingOptions(temperature=temperature, seed=seed)
    plain, stop, recorded = written(few_tokens(seed, FEW), moody, sampling=sampling, max_tokens=40)
    run = recorded.run
    noise = data.draw(st.lists(st.sampled_from([*b"abc("]), max_size=40))
    draft = data.draw(st.sampled_from([run.tokens, noise, run.tokens[:7] + noise[:3] + run.tokens[7:]]))
    drafter = Reference(draft, lookahead=4, confirmed=3)
    assert written(few_tokens(seed, FEW), moody, sampling=sampling, drafter=drafter, max_tokens=40)[:2] == (plain, stop)


@pytest.mark.parametrize("count", [0, 1, 3, 4, 7, 8, 9, 10, 11, 12])
def test_a_list_of_biases_has_four_bytes_for_each_candidate(count: int) -> None:
    biases = struct.pack("<2f", 1, -1) + bytes(4)
    reply = LIST + biases[:count]
    if count == 8:
        assert list(answer_of(reply, (5, 6), 10).biases) == [1, -1]
        return
    with pytest.raises(ProgramError):
        answer_of(reply, (5, 6), 10)


def test_a_program_that_is_asked_again_at_an_earlier_place_forgets_what_came_after() -> None:
    model = says(*letters("abc"))
    local = LocalProgram(answer_at("?", Answer()))
    control = Control(local, model.vocabulary)
    run = Generation(ConstraintState(), None, max_tokens=9, deadline=None, cancel=Event(), control=control)
    logits = np.zeros(model.vocabulary.size, dtype=np.float32)
    for byte in b"wxyz":
        control.steer(logits, len(run.tokens), run)
        run.append(byte, bytes([byte]), ConstraintState())
    control.steer(logits, 4, run)
    assert local.texts[-1] == "wxyz"
    control.steer(logits, 2, run)
    assert local.texts[1:] == ["", "w", "wx"]
    control.steer(logits, 2, run)
    assert local.texts[1:] == ["", "w", "wx"]
