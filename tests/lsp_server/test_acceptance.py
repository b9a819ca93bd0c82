"""What is shown unasked follows what is taken of it, within bounds, and nothing else is kept."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from context_index import Document, Language
from lsp_server.cli import main
from lsp_server.engine.acceptance import BOUND, FILE, AcceptanceRates, AwaitedSuggestion, PlaceKind
from lsp_server.engine.suggestion import THRESHOLDS
from lsp_server.store import CACHE

if TYPE_CHECKING:
    from pathlib import Path

KIND = PlaceKind("python", "word")
OTHER = PlaceKind("python", "blank")


@pytest.mark.parametrize("usual", THRESHOLDS.values())
@pytest.mark.parametrize("probability", [0.55, 0.7, 0.9])
def test_a_reader_moves_the_threshold_to_its_bound_and_no_further(usual: float, probability: float) -> None:
    takes_all, takes_none = AcceptanceRates(), AcceptanceRates()
    for _ in range(2_000):
        takes_none.note(KIND, probability, taken=False)
        takes_all.note(KIND, max(probability - 0.3, 0.3), taken=True)
    assert takes_all.threshold(KIND, usual) == pytest.approx(usual - BOUND)
    assert takes_none.threshold(KIND, usual) == pytest.approx(usual + BOUND)
    assert takes_all.threshold(OTHER, usual) == takes_none.threshold(OTHER, usual) == usual


def test_a_reader_who_takes_what_was_expected_moves_nothing() -> None:
    rates = AcceptanceRates()
    for number in range(1_000):
        rates.note(KIND, 0.6, taken=number % 5 < 3)
    assert rates.threshold(KIND, 0.5) == pytest.approx(0.5, abs=0.01)


def test_what_is_long_ago_fades() -> None:
    rates = AcceptanceRates()
    for _ in range(1_000):
        rates.note(KIND, 0.6, taken=False)
    for _ in range(300):
        rates.note(KIND, 0.6, taken=True)
    assert rates.threshold(KIND, 0.5) < 0.5


def test_counts_are_kept_shown_and_deleted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(CACHE, str(tmp_path))
    assert main(["stats"]) == 0
    assert "Nothing has been counted yet" in capsys.readouterr().err
    rates = AcceptanceRates.read(tmp_path / FILE)
    for _ in range(40):
        rates.note(KIND, 0.5, taken=True)
    assert main(["stats"]) == 0
    shown = capsys.readouterr().out.split()
    assert shown[: shown.index("python")][-3:] == ["quiet", "balanced", "eager"]
    assert shown[shown.index("python") :] == ["python", "word", "40", "40", "20.0", "50%", "33%", "17%"]
    assert main(["stats", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    row = {"language": "python", "place": "word", "shown": 40.0, "taken": 40.0, "expected": 20.0}
    assert said == {"file": str(tmp_path / FILE), "counts": [row]}
    assert main(["stats", "--delete"]) == 0
    assert not (tmp_path / FILE).exists()
    assert main(["stats", "--delete", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"deleted": False}


@pytest.mark.parametrize(
    "text", ["", "[", "{}", '[{"language": "python"}]', '[{"language": 1, "place": 2, "shown": "x"}]']
)
def test_a_file_that_is_none_is_counted_anew(text: str, tmp_path: Path) -> None:
    (tmp_path / FILE).write_text(text)
    rates = AcceptanceRates.read(tmp_path / FILE)
    assert rates.counts == {}
    rates.note(KIND, 0.5, taken=True)
    assert AcceptanceRates.read(tmp_path / FILE).counts == rates.counts


def test_a_place_that_cannot_be_written_ends_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    rates = AcceptanceRates(tmp_path / "file" / FILE)
    rates.note(KIND, 0.5, taken=True)
    assert rates.counts[KIND].shown == 1


@pytest.mark.parametrize(
    ("before", "text", "now", "expected"),
    [
        ("x = |\n", "foo(a)", "x = f|\n", None),
        ("x = |\n", "foo(a)", "x = foo(|)\n", None),
        ("x = |\n", "foo(a)", "x = foo(a)|\n", True),
        ("x = |\n", "foo", "x = foo.bar|\n", True),
        ("x = |\n", "foo", "x = g|\n", False),
        ("x = |\n", "foo", "y = f|\n", False),
        ("x = |\n", "foo", "x |\n", False),
        ("x = |\n", "foo", "x = |\n", None),
    ],
)
def test_what_becomes_of_a_suggestion(before: str, text: str, now: str, *, expected: bool | None) -> None:
    awaited = AwaitedSuggestion(KIND, 0.5, text, document(before), before.index("|"))
    assert awaited.outcome(document(now)) is expected


def document(marked: str) -> Document:
    return Document("file:///a.py", Language.PYTHON, marked.replace("|", ""))


def test_what_another_server_counted_or_deleted_meanwhile_counts(tmp_path: Path) -> None:
    one, other = (AcceptanceRates.read(tmp_path / FILE) for _ in range(2))
    one.note(KIND, 0.5, taken=True)
    other.note(OTHER, 0.5, taken=False)
    one.note(KIND, 0.5, taken=True)
    kept = AcceptanceRates.read(tmp_path / FILE)
    assert {kind: count.shown for kind, count in kept.counts.items()} == {KIND: 2, OTHER: 1}
    assert AcceptanceRates.read(tmp_path / FILE).delete()
    one.note(KIND, 0.5, taken=True)
    assert {kind: count.shown for kind, count in one.counts.items()} == {KIND: 1}
