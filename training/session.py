"""A whole training session of `inscope train` in one directory: corpus, tokenizer, run, and the finished model.

`run` continues from the last checkpoint in the directory, if there is one. So a person can train the last tenth of a
run on longer sequences: stop it there, and start it again with another length and as many tokens a step, such as
`--length 2048 --batch-size 2`.

    DIR/manifest.jsonl   what is trained on, from which package, under which licence
    DIR/tokenizer.json   the tokenizer
    DIR/state.pt         the last checkpoint
    DIR/log.jsonl        the loss over the tokens
    DIR/loss.svg         the same as a picture
    DIR/model/           the model, when the run is complete
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import torch
from tokenizers import Tokenizer
from transformers import LlamaConfig, LlamaForCausalLM

from context_index.symbols import Language
from training import loss_curve, tokenizer
from training.corpus import SourceFile, TrainingCorpus, collect, describe
from training.growth import ShapeError, check_size, grow
from training.licences import packages_under
from training.number_type import Measure
from training.recipe import SIZES, TRAINED_PEAK, Recipe
from training.run import Progress, train
from training.stream import NothingToLearnError, Sources
from training.trained_model import export, new_model

__all__ = [  # some of other modules, so that `inscope train` imports this one alone
    "TRAINED_PEAK",
    "NothingToLearnError",
    "Progress",
    "Recipe",
    "ShapeError",
    "Sources",
    "balance",
    "prepare",
    "run",
]

_TOKENIZER_SAMPLE = 16_000_000
"""Characters that a new tokenizer is learned from."""


def prepare(
    roots: Sequence[Path], recipe: Recipe, directory: Path, *, start: Path | None, say: Callable[[str], None]
) -> Sources:
    """Read the source files, write their manifest, and make the tokenizer if it is not there.

    Args:
        roots: Directories of packages.
        start: The directory of a model to begin with, whose tokenizer is used; None for a new model.
        say: Called with a sentence for each step.

    Raises:
        NothingToLearnError: there is no source that may be trained on.
        ShapeError: the model to begin with cannot become one of the recipe's size.
    """
    if start is not None and recipe.size:
        check_size(LlamaConfig.from_pretrained(start), SIZES[recipe.size])
    directory.mkdir(parents=True, exist_ok=True)
    say("reading the source ...")
    corpus = collect(package for root in roots for package in packages_under(root))
    if not corpus.training:
        message = f"nothing below {', '.join(map(str, roots))} may be trained on; name other directories with --root"
        raise NothingToLearnError(message)
    say(describe(corpus))
    (directory / "manifest.jsonl").write_text(corpus.manifest(), "utf-8")
    session_tokenizer = _tokenizer(corpus, directory / "tokenizer.json", start)
    return Sources(balance(corpus.training, recipe.seed), session_tokenizer)


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
    """Train on what `prepare` returned, and write the model when the run is complete.

    With a `start` and a share below 1, each weight of the written model lies between that of `start` and the trained
    one (`Recipe.share`).

    Args:
        start: The directory of a model to begin with; None for a new model.
        notify: Called after every step.
        say: Called once, with a sentence on the number type of products.
        workers: Processes that make examples; 0 to make them in this one.
        measure: Times a product to choose the number type on a CPU; None to time one of the model's products.

    Raises:
        NothingToLearnError: no example can be made of the sources.
        ShapeError: the checkpoint in `directory` is of a model of another size.
        KeyboardInterrupt: the run was interrupted; the same call continues it.
    """
    torch.manual_seed(recipe.seed)
    if start is None:
        model = new_model(recipe, sources.tokenizer.get_vocab_size())
    else:
        model = LlamaForCausalLM.from_pretrained(start, dtype=torch.float32)
        model = grow(model, SIZES[recipe.size]) if recipe.size else model
        longest: int = model.config.max_position_embeddings
        model.config.max_position_embeddings = max(longest, recipe.length)  # rotary positions need no more than this
    is_mixed = start is not None and recipe.share < 1
    initial = {name: weights.detach().clone() for name, weights in model.state_dict().items()} if is_mixed else {}
    progress = train(
        model, sources, recipe, directory, notify=notify, say=say, device=device, workers=workers, measure=measure
    )
    if is_mixed:
        trained = model.state_dict()
        model.load_state_dict({name: torch.lerp(initial[name], trained[name].cpu(), recipe.share) for name in initial})
    loss_curve.draw(directory / "log.jsonl", directory / "loss.svg")
    export(model, directory / "tokenizer.json", recipe, directory / "model")
    return progress


def balance(files: Sequence[SourceFile], seed: int) -> list[SourceFile]:
    """The files in a random order, with as much Python as other languages: some files of the smaller half come twice.

    When a trained model was trained further on a corpus with twice as much Python, it became worse in JavaScript.
    """
    sizes = {True: 0, False: 0}
    """Characters, by whether a file is Python."""
    for file in files:
        sizes[_is_python(file)] += len(file.text)
    is_python_smaller = sizes[True] < sizes[False]
    missing = sizes[not is_python_smaller] - sizes[is_python_smaller]
    repeated = []
    for file in files:
        if _is_python(file) is is_python_smaller and missing > 0:
            repeated.append(file)
            missing -= len(file.text)
    shuffled = [*files, *repeated]
    random.Random(seed).shuffle(shuffled)
    return shuffled


def _is_python(file: SourceFile) -> bool:
    """Whether a file belongs to the Python half; JavaScript and TypeScript are the other half."""
    return file.language is Language.PYTHON


def _tokenizer(corpus: TrainingCorpus, path: Path, start: Path | None) -> Tokenizer:
    """The tokenizer at a path: copied from the model `start`, or else learned from the corpus if it is not there."""
    if start is not None:
        shutil.copyfile(start / "tokenizer.json", path)
    elif not path.is_file():
        tokenizer.learn(_sample(corpus)).save(str(path))
    return Tokenizer.from_file(str(path))


def _sample(corpus: TrainingCorpus) -> list[str]:
    """Texts to learn the tokens from: half Python, half others, so that neither dominates the vocabulary."""
    texts, left = [], {True: _TOKENIZER_SAMPLE // 2, False: _TOKENIZER_SAMPLE // 2}
    for file in corpus.training:
        if left[_is_python(file)] > 0:
            texts.append(file.text)
            left[_is_python(file)] -= len(file.text)
    return texts
