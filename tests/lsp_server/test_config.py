"""Settings: what fits is taken, what does not is reported in one sentence and changes nothing."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsp_server.cli.configured import parse_configured
from lsp_server.settings.files import FOLDER, configured
from lsp_server.settings.table import TABLE, Settings, accepted, applied, documentation

ROOT = Path(__file__).parents[2]
DEFAULT = Settings()


def updated(settings: Settings, given: Any) -> tuple[Settings, tuple[str, ...]]:  # noqa: ANN401 - as JSON comes
    values, problems = accepted(given)
    return applied(settings, values), problems


@pytest.mark.parametrize(
    ("given", "changes"),
    [
        (None, {}),
        ({}, {}),
        ({"inline": {"deadlineMs": 300, "multiline": False}}, {"inline_deadline_ms": 300, "inline_multiline": False}),
        ({"inline.deadlineMs": 300}, {"inline_deadline_ms": 300}),
        ({"inscope": {"model": "./qwen", "temperature": 1}}, {"model": "./qwen", "temperature": 1.0}),
        ({"inscope": None}, {}),
        ({"inscope": {"completion.limit": 5}, "python": {"x": 1}}, {"completion_limit": 5}),
        ({"languages": ["python"], "exclude": ["*.gen.py"]}, {"languages": ("python",), "exclude": ("*.gen.py",)}),
        ({"model": None, "memoryCapMb": None, "seed": None}, {}),
        ({"model": {"name": "./qwen"}}, {"model": "./qwen"}),
        ({"model.name": "./qwen", "model.ends": ["<E>"]}, {"model": "./qwen", "model_ends": ("<E>",)}),
        (
            {"model": {"prompt": ["<A>", "{prefix}"], "separator": "<F>", "timeoutSeconds": 3}},
            {"model_prompt": ("<A>", "{prefix}"), "model_separator": "<F>", "model_timeout_seconds": 3.0},
        ),
        ({"modelKeyFile": "~/key", "model": "ollama:q"}, {"model_key_file": "~/key", "model": "ollama:q"}),
    ],
)
def test_taken(given: Any, changes: dict[str, Any]) -> None:  # noqa: ANN401 - as JSON comes
    assert updated(DEFAULT, given) == (replace(DEFAULT, **changes), ())


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"inline": {"deadlinMs": 1}}, "there is no setting 'inline.deadlinMs'; did you mean 'inline.deadlineMs'?"),
        ({"colour": "red"}, "there is no setting 'colour'; 'man inscope' lists them all"),
        ({"inline.deadlineMs": "fast"}, "a whole number from 10 to 60000, not 'fast'; it stays as it was"),
        ({"inline.deadlineMs": True}, "not True"),
        ({"inline.maxTokens": 0}, "from 1 to 2048, not 0"),
        ({"temperature": float("nan")}, "a number from 0 to 100"),
        ({"inline.eagerness": "loud"}, 'must be "quiet", "balanced" or "eager", not'),
        ({"secrets": 1}, "'secrets' must be true or false, not 1"),
        ({"model": " "}, "a text that is not empty, or null"),
        ({"modelSessionHeader": "x: y"}, "must be the name of a header, not 'x: y'"),
        ({"model": {"names": "x"}}, "there is no setting 'modelNames'; did you mean 'model'?"),
        ({"model": {"prompt": ["<A>", ""]}}, "a list of texts that are not empty"),
        ({"languages": ["cobol"]}, '"typescript", "tsx", "python"'),
        ({"exclude": "*.py"}, "a list of globs"),
        ({"device": "tpu"}, '"auto", "cpu", "cuda" or "mps"'),
        (["model"], "settings must be an object"),
        ({"inline": 5}, "there is no setting 'inline'"),
        ({"inscope": 5}, "settings must be an object of names and values"),
    ],
)
def test_what_is_wrong_is_reported(given: Any, sentence: str) -> None:  # noqa: ANN401 - as JSON comes
    settings, (problem,) = updated(DEFAULT, given)
    assert settings == DEFAULT
    assert sentence in problem


def test_what_fits_is_taken_beside_what_does_not() -> None:
    settings, problems = updated(DEFAULT, {"inline.maxTokens": 7, "inline.deadlineMs": "x", "foo": 1})
    assert settings == replace(DEFAULT, inline_max_tokens=7)
    assert len(problems) == 2


@given(st.dictionaries(st.sampled_from(sorted(TABLE)), st.none() | st.booleans() | st.integers() | st.text()))
def test_a_value_is_taken_or_reported_never_both(given: dict[str, Any]) -> None:
    settings, problems = updated(DEFAULT, given)
    for name in given:
        reported = any(repr(name) in problem for problem in problems)
        assert not (reported and updated(DEFAULT, {name: given[name]})[0] != DEFAULT)
    assert updated(settings, None) == (settings, ())


def test_every_setting_is_documented_and_its_default_is_one_that_it_takes() -> None:
    assert len(TABLE) == len(fields(Settings))
    for setting in TABLE.values():
        assert setting.kind.fits(setting.default), setting.name
        assert setting.does.endswith("."), setting.name
    assert documentation() in (ROOT / "docs" / "settings.md").read_text("utf-8")


FILES = [
    ("inscope.toml", "", {}),
    (
        "inscope.toml",
        "languages = ['python']\n[inline]\nmaxTokens = 7",
        {"languages": ("python",), "inline_max_tokens": 7},
    ),
    ("inscope.toml", "inline.maxTokens = 7", {"inline_max_tokens": 7}),
    ("inscope.toml", "[inscope]\nimports = 'off'", {"imports": "off"}),
    ("pyproject.toml", "[tool.inscope]\ninline.maxTokens = 7", {"inline_max_tokens": 7}),
    ("pyproject.toml", "[tool.other]\nseed = 1", {}),
    ("pyproject.toml", "tool = 1", {}),
]


@pytest.mark.parametrize(("name", "text", "changes"), FILES)
def test_a_workspace_has_a_file(name: str, text: str, changes: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    (tmp_path / "a" / "b").mkdir(parents=True)
    assert configured(tmp_path / "a" / "b") == (replace(DEFAULT, **changes), ())


def test_the_nearest_file_counts_and_goes_before_a_manifest(tmp_path: Path) -> None:
    (tmp_path / "inscope.toml").write_text("seed = 1")
    (tmp_path / "pyproject.toml").write_text("[tool.inscope]\nseed = 2")
    (tmp_path / "a").mkdir()
    assert configured(tmp_path / "a")[0].seed == 1
    (tmp_path / "a" / "pyproject.toml").write_text("[tool.black]")
    assert configured(tmp_path / "a")[0].seed == 1
    (tmp_path / "a" / "pyproject.toml").write_text("[tool.inscope]\nseed = 3")
    assert configured(tmp_path / "a")[0].seed == 3


@pytest.mark.parametrize("name", sorted(name for name, setting in TABLE.items() if not setting.shared))
def test_what_starts_or_loads_something_is_never_taken_from_a_workspace(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(FOLDER, str(tmp_path / "own"))
    written = f"{name} = {OTHERS[name]}\nseed = 5"
    for folder in ("own", "workspace"):
        (tmp_path / folder).mkdir()
    (tmp_path / "workspace" / "inscope.toml").write_text(written)
    settings, (problem,) = configured(tmp_path / "workspace")
    assert settings == replace(DEFAULT, seed=5)
    assert f"'{name}' is never taken from the file of a workspace; set it in {tmp_path / 'own'}" in problem
    (tmp_path / "workspace" / "inscope.toml").unlink()
    (tmp_path / "own" / "inscope.toml").write_text(written)
    settings, problems = configured(tmp_path / "workspace")
    assert settings != replace(DEFAULT, seed=5)
    assert problems == ()


OTHERS = {
    "model": "'./qwen'", "device": "'cpu'", "dtype": "'float32'", "idleUnloadSeconds": "5", "memoryCapMb": "100",
    "constraint.enabled": "false", "checker.deadlineMs": "5", "checker.memoryMb": "100", "verify": "'off'",
    "secrets": "true", "typescript.path": "'./tsc'", "workspace.trusted": "true", "workspace.controllers": "'on'",
    "setup.ask": "false", "logLevel": "'debug'", "modelPrompt": "['<A>', '{prefix}']", "modelSeparator": "'<F>'",
    "modelEnds": "['<E>']", "modelKeyFile": "'~/key'", "modelTimeoutSeconds": "5", "modelSessionHeader": "'x-document'",
    "completion.others": "['python']",
}  # fmt: skip
"""Another value than the default, as TOML, for each setting that no workspace may set."""


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("inline.maxTokens = 0", "setting 'inline.maxTokens' must be a whole number from 1 to 2048, not 0"),
        ("inlin.maxTokens = 5", "there is no setting 'inlin.maxTokens'; did you mean 'inline.maxTokens'?"),
        ("seed = ", "it cannot be read (Invalid value"),
        ("\udcff", "it cannot be read ('utf-8' codec can't decode"),
        ("# " + "x" * 1_000_000, "it is larger than 1,000,000 bytes"),
        ("a = " + "[" * 100_000, "it cannot be read ("),
    ],
    ids=lambda one: one[:20],
)
def test_what_is_wrong_in_a_file_is_one_sentence_with_its_name(text: str, sentence: str, tmp_path: Path) -> None:
    file = tmp_path / "inscope.toml"
    file.write_bytes(text.encode("utf-8", "surrogateescape"))
    settings, (problem,) = configured(tmp_path)
    assert settings == DEFAULT
    assert problem.startswith(f"{file}: {sentence}")


@pytest.mark.parametrize(("text", "tokens"), [("", 64), ("inline.maxTokens = 96", 96), ("inline.maxTokens = 64", 64)])
def test_a_file_that_says_an_editors_default_changes_a_commands(
    text: str, tokens: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(FOLDER, "")
    (tmp_path / "inscope.toml").write_text(text)
    arguments = parse_configured(["complete", f"{tmp_path}/a.py:1:1"])
    assert arguments.max_tokens == arguments.settings.inline_max_tokens == tokens
