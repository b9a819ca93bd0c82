"""Settings: what fits is taken, what does not is told in one sentence and changes nothing."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsp_server.config import TABLE, Settings, documentation, updated

DEFAULT = Settings()


@pytest.mark.parametrize(
    ("given", "changes"),
    [
        (None, {}),
        ({}, {}),
        ({"inline": {"deadlineMs": 300, "multiline": False}}, {"inline_deadline_ms": 300, "inline_multiline": False}),
        ({"inline.deadlineMs": 300}, {"inline_deadline_ms": 300}),
        ({"inscope": {"model": "./qwen", "temperature": 1}}, {"model": "./qwen", "temperature": 1.0}),
        ({"inscope": {"completion.limit": 5}, "python": {"x": 1}}, {"completion_limit": 5}),
        ({"languages": ["python"], "exclude": ["*.gen.py"]}, {"languages": ("python",), "exclude": ("*.gen.py",)}),
        ({"model": None, "memoryCapMb": None, "seed": None}, {}),
    ],
)
def test_taken(given: Any, changes: dict[str, Any]) -> None:  # noqa: ANN401 - as JSON comes
    assert updated(DEFAULT, given) == (replace(DEFAULT, **changes), ())


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"inline": {"deadlinMs": 1}}, "there is no setting 'inline.deadlinMs'; did you mean 'inline.deadlineMs'?"),
        ({"colour": "red"}, "there is no setting 'colour'; docs/settings.md lists all that there are"),
        ({"inline.deadlineMs": "fast"}, "a whole number from 10 to 60000, not 'fast'; it stays as it was"),
        ({"inline.deadlineMs": True}, "not True"),
        ({"inline.maxTokens": 0}, "from 1 to 2048, not 0"),
        ({"temperature": float("nan")}, "a number from 0 to 100"),
        ({"inline.eagerness": "loud"}, 'must be "quiet", "balanced" or "eager", not'),
        ({"secrets": 1}, "'secrets' must be true or false, not 1"),
        ({"model": " "}, "a text that is not empty, or null"),
        ({"languages": ["cobol"]}, '"typescript", "tsx", "python"'),
        ({"exclude": "*.py"}, "a list of globs"),
        ({"device": "tpu"}, '"auto", "cpu", "cuda" or "mps"'),
        (["model"], "settings must be an object"),
        ({"inline": 5}, "there is no setting 'inline'"),
        ({"inscope": 5}, "the settings of inscope must be an object"),
    ],
)
def test_told(given: Any, sentence: str) -> None:  # noqa: ANN401 - as JSON comes
    settings, (problem,) = updated(DEFAULT, given)
    assert settings == DEFAULT
    assert sentence in problem


def test_what_fits_is_taken_beside_what_does_not() -> None:
    settings, problems = updated(DEFAULT, {"inline.maxTokens": 7, "inline.deadlineMs": "x", "foo": 1})
    assert settings == replace(DEFAULT, inline_max_tokens=7)
    assert len(problems) == 2


def test_null_puts_a_setting_back() -> None:
    assert updated(replace(DEFAULT, inline_max_tokens=7), {"inline": {"maxTokens": None}}) == (DEFAULT, ())


@given(st.dictionaries(st.sampled_from(sorted(TABLE)), st.none() | st.booleans() | st.integers() | st.text()))
def test_a_value_is_taken_or_told_never_both(given: dict[str, Any]) -> None:
    settings, problems = updated(DEFAULT, given)
    for name in given:
        told = any(repr(name) in problem for problem in problems)
        assert not (told and updated(DEFAULT, {name: given[name]})[0] != DEFAULT)
    assert updated(settings, None) == (settings, ())


def test_every_setting_is_documented_and_its_default_is_one_that_it_takes() -> None:
    assert len(TABLE) == len(fields(Settings))
    for setting in TABLE.values():
        assert setting.kind.fits(setting.default), setting.name
        assert setting.does.endswith("."), setting.name
        assert f"| `{setting.name}` |" in documentation()
