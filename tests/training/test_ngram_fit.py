"""What n-gram counts are worth is found from what came and what was foretold, and is written where models are read."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import pytest

from context_index.symbols import Language
from decoder import load_model
from decoder.ngrams.mixture import ORDERS, Mixture
from lsp_server.cli import main, train_fits
from tests.training.packages import javascript_package
from training import ngram_fit
from training.corpus import SourceFile
from training.ngram_fit import ObservedTokens, fit, observe, projects

pytestmark = pytest.mark.slow


def seen(share: float, kinds: int, count: int = 400) -> ObservedTokens:
    """Tokens that a model finds improbable, and of which `share` are what followed two tokens everywhere else."""
    counts = np.zeros((2, len(ORDERS), count, 3), np.int64)
    counts[1, :2, :] = (0, 8, kinds)
    counts[1, :2, : int(share * count), 0] = 8 // kinds
    return ObservedTokens(np.full(count, 0.01), counts)


def test_counts_that_were_right_are_worth_more() -> None:
    right, wrong = (fit(seen(share, 1), say=lambda _: None) for share in (0.95, 0.05))
    assert right.here[1] < wrong.here[1]
    assert right.elsewhere[1] == pytest.approx(8, abs=0.01)  # nothing was seen elsewhere: as it was at first


def test_a_fit_makes_what_came_more_probable() -> None:
    said: list[str] = []
    fit(seen(0.8, 2), say=said.append)
    assert "400 tokens: 4.605 nats a token by the model, " in said[0]
    assert float(said[0].split(", ")[1].split(" ")[0]) < 4


def file(package: str, number: int, language: Language = Language.PYTHON) -> SourceFile:
    lines = "".join(
        f"def scale{i}(area, factor):\n    return area * factor + {i}\n\n" for i in range(number, number + 8)
    )
    return SourceFile(package, f"{package}/{number}", language, lines)


def test_as_many_projects_of_each_family() -> None:
    files = [file(package, n) for package in "abcd" for n in range(3)]
    files += [file("e", n, Language.TYPESCRIPT) for n in range(3)] + [file("lonely", 0)]
    found = projects(files, random.Random(0))
    assert len({one.package for one in found if one.language.family == "python"}) == 1
    assert {one.package for one in found if one.language.family != "python"} == {"e"}


def test_what_is_foretold_at_holes_of_repeating_files() -> None:
    model = load_model()
    found = observe(model, [file("a", n) for n in range(3)], 12, random.Random(0))
    assert found.counts.shape == (2, len(ORDERS), len(found.probabilities), 3)
    assert ((found.probabilities > 0) & (found.probabilities <= 1)).all()
    came, all_, kinds = np.moveaxis(found.counts, 3, 0)
    assert (came <= all_).all()
    assert (kinds <= all_).all()
    assert came[0, 2].sum() > 0.6 * all_[0, 2].sum()  # these files say what the others say


def test_a_hole_that_is_cut_short_does_not_end_there(monkeypatch: pytest.MonkeyPatch) -> None:
    model, files = load_model(), [file("a", n) for n in range(3)]
    whole = observe(model, files, 1, random.Random(3))
    monkeypatch.setattr(ngram_fit, "_ROOM", 1)
    cut = observe(model, files, 1, random.Random(3))
    assert len(whole.probabilities) > len(cut.probabilities) == 2
    assert (cut.counts == whole.counts[:, :, :2]).all()
    assert cut.probabilities == pytest.approx(whole.probabilities[:2], rel=1e-3)


def test_the_command_writes_what_a_model_reads(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(train_fits, "_HOLES", 20)
    for package in ("a", "b"):
        javascript_package(tmp_path / "node_modules", package, 60)
    out = tmp_path / "out"
    assert main(["train", "--ngrams", "--out", str(out), "--root", str(tmp_path / "node_modules"), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert Mixture.read(json.loads(Path(said["ngrams"]).read_text("utf-8"))).here
    assert main(["train", "--ngrams", "--out", str(out), "--root", str(tmp_path / "out")]) == 1
    assert "no project of several files" in capsys.readouterr().err
