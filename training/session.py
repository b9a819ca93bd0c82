"""A whole training session in one directory: corpus, tokenizer, run, and the finished model.

A session that was stopped goes on from its last checkpoint. The last tenth of a run may use longer sequences, if the
batch size is reduced accordingly: `--length 2048 --batch-size 2`.

    DIR/manifest.jsonl   what was trained on, from which package, under which licence
    DIR/tokenizer.json
    DIR/state.pt         the last checkpoint     DIR/log.jsonl, DIR/loss.svg
    DIR/model/           the model, once its tokens are seen
"""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import torch
from tokenizers import Tokenizer
from transformers import LlamaConfig, LlamaForCausalLM

from training import tokenizer
from training.corpus import Corpus, SourceFile, collect, describe, save_manifest
from training.growth import ShapeError, check, grown
from training.licences import packages_under
from training.number_type import Measure
from training.recipe import GOING_ON, SIZES, Recipe
from training.run import Progress, export, new_model, train
from training.stream import NothingToLearnError, Sources

__all__ = [
    "GOING_ON",
    "NothingToLearnError",
    "Progress",
    "Recipe",
    "ShapeError",
    "Sources",
    "balanced",
    "prepare",
    "run",
]

_TOKENIZER_SAMPLE = 16_000_000
"""Characters that the tokenizer is made from."""


def prepare(
    roots: Sequence[Path], recipe: Recipe, directory: Path, *, start: Path | None, say: Callable[[str], None]
) -> Sources:
    """Read the source, write its manifest, and make the tokenizer if it is not there.

    Args:
        start: A model to begin with; its tokenizer is taken.
        say: Called with a sentence for each step.

    Raises:
        NothingToLearnError: there is no source that may be trained on.
        ShapeError: the model to begin with cannot become one of the recipe's size.
    """
    if start is not None and recipe.size:
        check(LlamaConfig.from_pretrained(start), SIZES[recipe.size])
    directory.mkdir(parents=True, exist_ok=True)
    say("reading the source ...")
    corpus = collect(package for root in roots for package in packages_under(root))
    if not corpus.training:
        message = f"nothing below {', '.join(map(str, roots))} may be trained on; name other directories with --root"
        raise NothingToLearnError(message)
    say(describe(corpus))
    save_manifest(corpus, directory / "manifest.jsonl")
    made = _tokenizer(corpus, directory / "tokenizer.json", start)
    return Sources(balanced(corpus.training, recipe.seed), made)


def run(
    sources: Sources,
    recipe: Recipe,
    directory: Path,
    *,
    start: Path | None,
    notify: Callable[[Progress], None],
    say: Callable[[str], None] = lambda _: None,
    device: str = "cpu",
    workers: int = 0,
    measure: Measure | None = None,
) -> Progress:
    """Train on what was prepared, and write the model when the recipe's tokens are seen.

    Args:
        start: A model to begin with.
        notify, say, workers, measure: As in `train`.

    Raises:
        NothingToLearnError: no example can be made of the sources.
        ShapeError: the run that is to go on began with a model of another size.
        KeyboardInterrupt: the same call goes on later.
    """
    torch.manual_seed(recipe.seed)
    if start is None:
        model = new_model(recipe, sources.tokenizer.get_vocab_size())
    else:
        model = LlamaForCausalLM.from_pretrained(start, dtype=torch.float32)
        model = grown(model, SIZES[recipe.size]) if recipe.size else model
        longest: int = model.config.max_position_embeddings
        model.config.max_position_embeddings = max(longest, recipe.length)  # rotary positions need no more than this
    is_mixed = start is not None and recipe.share < 1
    begun = {name: weights.detach().clone() for name, weights in model.state_dict().items()} if is_mixed else {}
    progress = train(
        model, sources, recipe, directory, notify=notify, say=say, device=device, workers=workers, measure=measure
    )
    if is_mixed:
        trained = model.state_dict()
        model.load_state_dict({name: torch.lerp(begun[name], trained[name].cpu(), recipe.share) for name in begun})
    draw_curve(directory / "log.jsonl", directory / "loss.svg")
    export(model, directory / "tokenizer.json", recipe, directory / "model")
    return progress


def balanced(files: Sequence[SourceFile], seed: int) -> list[SourceFile]:
    """The files in a seed's order, those of the smaller half (Python, the others) twice until both are as large.

    Without this a corpus with twice as much Python made the model worse in JavaScript than it had been.
    """
    sizes = {True: 0, False: 0}
    for file in files:
        sizes[file.language.is_python] += len(file.text)
    smaller = sizes[True] < sizes[False]
    missing = sizes[not smaller] - sizes[smaller]
    again = []
    for file in files:
        if file.language.is_python is smaller and missing > 0:
            again.append(file)
            missing -= len(file.text)
    both = [*files, *again]
    random.Random(seed).shuffle(both)
    return both


def _tokenizer(corpus: Corpus, path: Path, start: Path | None) -> Tokenizer:
    if start is not None:
        shutil.copyfile(start / "tokenizer.json", path)
    elif not path.is_file():
        tokenizer.make(_sample(corpus)).save(str(path))
    return Tokenizer.from_file(str(path))


def _sample(corpus: Corpus) -> list[str]:
    """Half Python, half the others, so that neither takes the vocabulary for itself."""
    texts, left = [], {True: _TOKENIZER_SAMPLE // 2, False: _TOKENIZER_SAMPLE // 2}
    for file in corpus.training:
        if left[file.language.is_python] > 0:
            texts.append(file.text)
            left[file.language.is_python] -= len(file.text)
    return texts


_WIDTH, _HEIGHT, _MARGIN = 720, 320, 44


def draw_curve(log: Path, picture: Path) -> None:
    """Draw the loss over the tokens seen as an SVG; nothing where a run was too short for two lines of log."""
    lines = [json.loads(line) for line in log.read_text("utf-8").splitlines()] if log.exists() else []
    if len(lines) > 1:
        picture.write_text(_svg([(line["tokens"] / 1e6, line["loss"]) for line in lines]), "utf-8")


def _svg(points: Sequence[tuple[float, float]]) -> str:
    """A curve through (million tokens, nats per token)."""
    (left, right), (low, high) = ((min(axis), max(axis)) for axis in zip(*points, strict=True))
    across, up = max(right - left, 1e-9), max(high - low, 1e-9)

    def place(x: float, y: float) -> str:
        return (
            f"{_MARGIN + (x - left) / across * (_WIDTH - 2 * _MARGIN):.1f},"
            f"{_HEIGHT - _MARGIN - (y - low) / up * (_HEIGHT - 2 * _MARGIN):.1f}"
        )

    line = " ".join(place(x, y) for x, y in points)
    text = 'font-family="sans-serif" font-size="12" fill="#444"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}">'
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="white"/>'
        f'<polyline fill="none" stroke="#2563a8" stroke-width="1.5" points="{line}"/>'
        f'<text x="{_MARGIN}" y="{_HEIGHT - 14}" {text}>{left:.1f}</text>'
        f'<text x="{_WIDTH - _MARGIN}" y="{_HEIGHT - 14}" text-anchor="end" {text}>{right:.1f} million tokens</text>'
        f'<text x="6" y="{_MARGIN}" {text}>{high:.2f}</text>'
        f'<text x="6" y="{_HEIGHT - _MARGIN}" {text}>{low:.2f}</text>'
        f'<text x="6" y="18" {text}>weighted loss, nats per token</text></svg>\n'
    )
