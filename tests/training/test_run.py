"""A run of a few seconds on a toy: it learns, and a run that was stopped is the run that was not."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from lsp_server.cli import main
from tests.training.packages import javascript_package
from training import session
from training.number_type import BY_NAME, Measure
from training.recipe import Recipe
from training.run import Progress

pytestmark = pytest.mark.slow
TOY = Recipe(size="toy", tokens=64 * 4 * 15, length=64, batch=4, shuffled=16, warm_up=4)
"""Of 15 steps; every 20th is logged."""


def faster_in(name: str) -> Measure:
    """No clock decides in which type a product is faster."""
    return lambda dtype: float(dtype is not BY_NAME[name])


@pytest.fixture
def packages(tmp_path: Path) -> Path:
    root = tmp_path / "node_modules"
    javascript_package(root, "a", 200)
    return root


def test_a_toy_learns_and_its_model_completes(
    packages: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    arguments = ["train", "--out", str(out), "--root", str(packages), "--size", "toy", "--tokens", "10500"]
    assert main([*arguments, "--length", "64", "--batch-size", "4", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    log = [json.loads(line) for line in (out / "log.jsonl").read_text().splitlines()]
    assert said["loss"] < log[0]["loss"]
    assert (out / "loss.svg").read_text().startswith("<svg")
    assert {json.loads(line)["package"] for line in (out / "manifest.jsonl").read_text().splitlines()} == {"a"}
    place = tmp_path / "place.js"
    place.write_text("function f(value) {\n  return v\n}\n")
    assert main(["complete", f"{place}:2:11", "--model", said["model"], "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["error"] is None
    grown = ["train", "--out", str(tmp_path / "grown"), "--root", str(packages), "--from", said["model"]]
    assert main([*grown, "--size", "6M"]) == 1
    assert "cannot grow" in capsys.readouterr().err
    assert not (tmp_path / "grown/manifest.jsonl").exists()


def test_a_stopped_run_goes_on_as_if_it_had_not_been(packages: Path, tmp_path: Path) -> None:
    def losses(directory: Path, *stops: int) -> list[float]:
        seen: list[float] = []

        def notify(progress: Progress) -> None:
            seen.append(progress.loss)
            if len(seen) in stops:
                raise KeyboardInterrupt

        sources = session.prepare([packages], TOY, directory, start=None, say=lambda _: None)
        for _ in stops:
            with pytest.raises(KeyboardInterrupt):
                session.run(sources, TOY, directory, start=None, notify=notify, measure=faster_in("float32"))
        session.run(
            sources, TOY, directory, start=None, notify=notify, measure=faster_in("bfloat16" if stops else "float32")
        )
        return seen

    assert losses(tmp_path / "stopped", 7, 11) == pytest.approx(losses(tmp_path / "whole"), abs=1e-4)


def test_a_run_keeps_its_number_type_and_logs_it(packages: Path, tmp_path: Path) -> None:
    def notify(progress: Progress) -> None:
        if progress.step == 21:
            raise KeyboardInterrupt

    said: list[str] = []
    recipe = replace(TOY, tokens=64 * 4 * 40)
    sources = session.prepare([packages], recipe, tmp_path / "run", start=None, say=lambda _: None)
    with pytest.raises(KeyboardInterrupt):
        session.run(
            sources, recipe, tmp_path / "run", start=None, notify=notify, say=said.append, measure=faster_in("bfloat16")
        )
    session.run(
        sources, recipe, tmp_path / "run", start=None, notify=lambda _: None, say=said.append,
        measure=faster_in("float32"),
    )  # fmt: skip
    log = [json.loads(line) for line in (tmp_path / "run/log.jsonl").read_text().splitlines()]
    assert [line["number_type"] for line in log] == ["bfloat16"] * 2
    assert [line.partition(":")[0] for line in said] == [
        "training in bfloat16",
        "training in bfloat16, as the run began",
    ]


def test_a_checkpoint_that_tells_no_number_type_goes_on_in_bfloat16(packages: Path, tmp_path: Path) -> None:
    sources = session.prepare([packages], TOY, tmp_path, start=None, say=lambda _: None)
    session.run(sources, TOY, tmp_path, start=None, notify=lambda _: None, measure=faster_in("float32"))
    state = torch.load(tmp_path / "state.pt", weights_only=True)
    del state["number_type"]
    torch.save(state, tmp_path / "state.pt")
    said: list[str] = []
    session.run(
        sources, TOY, tmp_path, start=None, notify=lambda _: None, say=said.append, measure=faster_in("float32")
    )
    assert said == ["training in bfloat16, as the run began"]


def test_a_share_of_a_run_lies_between_its_beginning_and_its_end(packages: Path, tmp_path: Path) -> None:
    def weights(share: float, start: Path | None, name: str) -> dict[str, torch.Tensor]:
        recipe = replace(TOY, size=None if start else "toy", share=share)
        sources = session.prepare([packages], recipe, tmp_path / name, start=start, say=lambda _: None)
        session.run(sources, recipe, tmp_path / name, start=start, notify=lambda _: None, measure=faster_in("bfloat16"))
        return load_file(tmp_path / name / "model/model.safetensors")

    begun = weights(1.0, None, "begun")
    trained, half = (weights(share, tmp_path / "begun/model", f"share {share}") for share in (1.0, 0.5))
    for name, found in half.items():
        expected = (begun[name].float() + trained[name].float()) / 2
        assert torch.allclose(found.float(), expected, atol=1e-2), name  # each is rounded to bfloat16
    assert any(not torch.equal(begun[name], trained[name]) for name in begun)


def test_roots_without_source_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "node_modules").mkdir()
    assert main(["train", "--out", str(tmp_path / "out"), "--root", str(tmp_path / "node_modules")]) == 1
    assert "may be trained on" in capsys.readouterr().err
    assert main(["train", "--out", str(tmp_path / "out"), "--root", str(tmp_path / "none")]) == 1
    assert "there is no directory" in capsys.readouterr().err


def test_a_run_too_short_for_a_log_ends_in_a_model_and_another_size_is_reported(
    packages: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["train", "--out", str(tmp_path / "out"), "--root", str(packages), "--tokens", "500"]
    arguments += ["--length", "64", "--batch-size", "4"]
    assert main([*arguments, "--size", "toy"]) == 0
    assert (tmp_path / "out/model/model.safetensors").exists()
    assert not (tmp_path / "out/loss.svg").exists()
    before = (tmp_path / "out/state.pt").read_bytes()
    assert "shards" not in capsys.readouterr().err
    assert main([*arguments, "--size", "3M", "--json"]) == 1
    said = capsys.readouterr()
    assert json.loads(said.out)["error"]["code"] == "malformed_request"
    assert "began with a model of another size" in said.err
    assert (tmp_path / "out/state.pt").read_bytes() == before
