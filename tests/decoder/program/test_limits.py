"""Parts for which a model has so many tokens."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decoder.constraint.protocol import Refusal
from decoder.constraint.state import ConstraintState
from decoder.draft import DraftPolicy, Prediction
from decoder.program import Program, ProgramTask, gen, num, text, variable, write
from tests.decoder.drafting import POLICIES, PROMPT, drafted
from tests.decoder.scripted import TOKENS, ScriptedModel, randomly
from tests.examples import examples

DIGITS = r"await gen({regex: /\d{4,9}!/, maxTokens: 2}); await $`.`"
OPTIONS = "await $`a`; await gen({options: ['b', 'bcdef'], maxTokens: 1}); await $`.`"
CASES: list[tuple[str, list[bytes | str], bool]] = [
    ("await gen({maxTokens: 2}); await $`!`", ["ab", "cd", "!"], True),
    ("await gen({maxTokens: 2}); await $`!`", ["ab", "cd", "e"], False),
    ("await gen({maxTokens: 2}); await $`!`", ["ab", "cd!"], True),
    ("await gen({maxTokens: 2}); await $`!`", ["ab!"], True),
    ("await gen({maxTokens: 2}); await $`!`", ["ab", b"\xc3", b"\xa9", "!"], True),  # a character is never cut
    ("await gen({maxTokens: 2}); await $`!`", ["ab", b"\xc3", b"\xa9", "x"], False),
    ("await $`<`; await gen({maxTokens: 1}); await $`>`", ["<", "ab", ">"], True),
    ("await $`<`; await gen({maxTokens: 1}); await $`>`", ["<a", "b"], False),
    ("await $`<`; await gen({maxTokens: 2}); await $`>`", ["<", b"\xc3", b"\xa9", "x"], False),
    ("await gen({stopAt: ';', maxTokens: 1}); await $`!`", ["abc", ";!"], True),
    ("await gen({stopAt: ';', maxTokens: 1}); await $`!`", ["abc", "d"], False),
    (DIGITS, ["1", "2", "34!."], True),
    (DIGITS, ["1", "2", "345"], False),
    (DIGITS, ["1", "23456", "!."], True),
    (DIGITS, ["1", "23456", "7"], False),
    (OPTIONS, ["a", "b", "."], True),
    (OPTIONS, ["a", "b", "c"], False),
    (OPTIONS, ["a", "bc", "def."], True),
    ("await gen({node: callOf`f`(num()), maxTokens: 2}); await $`.`", ["f(", "1", ")", "."], True),
    ("await gen({node: callOf`f`(num()), maxTokens: 2}); await $`.`", ["f(", "1", "2"], False),
    ("await gen({node: variable`n`(num())}); await returnOf(num())", ["let n = 3;\nreturn n;"], True),
    ("const a = await gen({maxTokens: 1}); await $`=${a}`", ["ab", "=ab"], True),
    ("await oneOf(gen({regex: /\\d+/, maxTokens: 1}), $`'ab'`)", ["'a", "b'"], True),
    ("await gen({maxTokens: 1})", ["ab"], True),
    ("await gen({maxTokens: 1})", ["ab", "c"], False),
]


STEPS = "await gen({regex: /a*|b{5}/}); await $`!`; await gen({regex: /c*/})"
INNER = "await gen({maxTokens: 3}); await $`!`; await gen()"
WHOLE: list[tuple[str, list[bytes | str], bool]] = [
    (STEPS, ["a", "a", "!"], True),
    (STEPS, ["a", "a", "a"], False),
    (STEPS, ["aaa!", "c"], True),
    (STEPS, ["aaa!", "c", "c"], False),
    (STEPS, ["b", "bb", "bb!"], True),
    (STEPS, ["b", "bb", "bb!", "c"], False),
    (INNER, ["x", "x", "!"], True),
    (INNER, ["x", "x", "x"], False),
    (INNER, ["x", b"\xc3", b"\xa9", "!"], True),
    ("await gen({maxTokens: 1}); await $`!`; await gen()", ["x", "!", "y"], False),
]


@pytest.mark.parametrize(
    ("body", "tokens", "allowed", "whole"), [*((*case, 99) for case in CASES), *((*case, 2) for case in WHOLE)]
)
def test_tokens_are_counted(body: str, tokens: list[bytes | str], allowed: bool, whole: int) -> None:
    program = Program.read("program.js", f"async function main() {{ {body} }}").constraint().limited(whole)
    constraint = ConstraintState((program,))
    for token in tokens:
        after = constraint.advance(token.encode() if isinstance(token, str) else token)
        if isinstance(after, Refusal):
            assert not allowed
            return
        constraint = after.after_token()
    assert (constraint.may_stop() is None) is allowed


async def counted() -> None:
    await text("<")
    await gen(max_tokens=3)
    await text(">")
    await variable("n")(num())
    await gen(regex=r"[a-z ]{2,8};", max_tokens=2)


def by_chance(seed: int) -> ScriptedModel:
    return ScriptedModel(randomly(seed)._script, prompt_length=len(PROMPT))


@examples(25)
@given(st.integers(0, 10_000), st.booleans(), st.sampled_from(sorted(POLICIES)))
def test_a_model_keeps_to_its_tokens_whatever_was_drafted(seed: int, is_right: bool, policy: str) -> None:
    constraint = ConstraintState((Program.of(counted).constraint(),))
    plain, _ = drafted(by_chance(seed), constraint=constraint, max_tokens=40)
    drafter = POLICIES[policy](plain if is_right else [*plain[:3], 65, *plain[4:]])
    tokens, counts = drafted(by_chance(seed), drafter, constraint=constraint, max_tokens=40)
    assert tokens == plain
    assert counts.accepted
    written = b""
    within = 0
    for token in plain:
        within += b"<" in written and b">" not in written
        written += TOKENS[token]
    assert within <= 3 + 3 + 1  # those of the part, those that end a character, and the one after it


@pytest.mark.slow
@pytest.mark.parametrize("policy", DraftPolicy)
def test_a_prediction_changes_no_text(policy: DraftPolicy) -> None:
    with Program.of(counted) as program:
        for seed in range(4):
            plain = write(randomly(seed), ProgramTask(program, max_tokens=60))
            assert (plain.text[0], plain.text[-1]) == ("<", ";"), "it is whole"
            for text in (plain.text, "", plain.text[3:]):
                task = ProgramTask(program, max_tokens=60, prediction=Prediction(text, policy))
                drafted = write(randomly(seed), task)
                counts = drafted.counts
                assert drafted.text == plain.text
                taken = counts.accepted + counts.extra + counts.generated + counts.copied
                assert taken == drafted.tokens
                if policy is not DraftPolicy.PLAIN and text == plain.text:
                    assert counts.accepted > 0


def test_a_grammar_does_not_count_tokens() -> None:
    with Program.of(counted) as program:
        assert any("maxTokens" in sentence for sentence in program.lowered("gbnf").approximated)
