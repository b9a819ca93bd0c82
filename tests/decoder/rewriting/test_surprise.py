"""What the built-in model was not taught is strange to it, and then nothing that it writes is probable."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from context_index.symbols import Language
from decoder import RewriteTask, Rewriting, load_model
from decoder.prompt.rewriting import rewrite_prompt
from decoder.rewriting.probability import FEATURES, FILE, RewriteCalibration, surprise

if TYPE_CHECKING:
    from decoder import Model

# language | of a kind that it was taught | of one that it was not
PAIRS = """
javascript | return early if tag is null | return early if tag is missing
javascript | return early if tag is null | throw if tag is null
javascript | bail out if html is undefined | log html before it is used
javascript | add a parameter indent with default 0 | give it a second parameter called indent
javascript | make it an arrow function | make it a normal function
javascript | turn parse into an arrow function | turn parse into a method of the class
javascript | use const instead of var | use reduce instead of the loop
javascript | use template literals | use single quotes
javascript | remove the debug output | remove the unused variable
python | use f-strings | use logging instead of print
python | add a parameter strict with default False | make the parameters keyword only
python | if rows is None, return | if rows is None, raise a ValueError
python | add the return type | add a docstring
python | remove the debugging prints | sort the result first
python | extract 42 into a constant ANSWER | read the limit from the environment
"""
NAMES = ("radius", "is_tls_enabled", "q", "HTTPServerFactory", "max_rows")


@pytest.fixture(scope="module")
def model() -> Model:
    return load_model()


def strangeness(model: Model, language: str, instruction: str) -> float:
    prompt = rewrite_prompt(model.card, Language(language), instruction, "x\n")
    return surprise(model, prompt.tokens)


@pytest.mark.parametrize("pair", PAIRS.strip().split("\n"))
def test_what_was_not_taught_is_stranger(model: Model, pair: str) -> None:
    language, taught, other = pair.split(" | ")
    assert strangeness(model, language, taught) < strangeness(model, language, other)


@pytest.mark.parametrize(
    ("wordings", "expected"),
    [
        (("use f-strings in", "use f-strings", "use"), "use f-strings"),
        (("name it in", "name it"), "use f-strings in label"),
        ((), "use f-strings in label"),
    ],
)
def test_the_model_is_asked_the_first_wording_that_it_was_taught(
    model: Model, wordings: tuple[str, ...], expected: str
) -> None:
    task = RewriteTask("x = 1\n", "use f-strings in label", None, wordings=wordings)
    rewriting = Rewriting(model, task)
    assert rewriting.instruction == expected
    assert rewriting.surprise == pytest.approx(strangeness(model, "python", expected), rel=1e-3)
    assert Rewriting(model, replace(task, instruction="use f-strings")).instruction == "use f-strings"


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_not_strange(model: Model, name: str) -> None:
    plain = strangeness(model, "python", "return early if x is None")
    assert strangeness(model, "python", f"return early if {name} is None") < plain + 10


def test_after_a_strange_instruction_nothing_is_probable() -> None:
    """However sure the model was of each token."""
    fields = {"intercept": 9.0, "weights": dict.fromkeys(FEATURES, 0.0), "strange": 3.0, "right_of_strange": 0.01}
    calibration = RewriteCalibration.read(fields)
    known, strange = (
        calibration.probability(dict.fromkeys(FEATURES, 1.0) | {"surprise": surprise}) for surprise in (1.0, 1.5)
    )
    assert known > 0.99
    assert strange == 0.01


def test_the_fitted_numbers_say_hardly_ever_of_what_was_not_taught() -> None:
    fitted = RewriteCalibration.read(json.loads(FILE.read_text("utf-8")))
    best = {"score": 0.0, "margin": 5.0, "tokens": 6.0}
    assert fitted.probability({**best, "surprise": 0.0}) > 0.9
    assert fitted.probability({**best, "surprise": 4.0}) < 0.05
