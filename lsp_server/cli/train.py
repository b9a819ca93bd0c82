"""`inscope train`: trains a model as the built-in one was trained, or continues a session that was stopped."""

from __future__ import annotations

import stat
import sysconfig
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from context_index import Extra
from lsp_server.cli.console import console_for_notes, note
from lsp_server.cli.printing import print_json
from lsp_server.errors import ErrorCode, RequestError
from lsp_server.paths import mode_of

if TYPE_CHECKING:
    from lsp_server.cli.arguments import Arguments
    from training.session import Progress as Step


def run(arguments: Arguments) -> int:
    """Train a model, or fit the numbers that the arguments name.

    Raises:
        RequestError: packages are missing, or there is nothing to train on.
    """
    if not Extra.TORCH.is_installed:
        sentence = f"training needs packages that are not installed. {Extra.TORCH.advice}"
        raise RequestError(ErrorCode.EXTRA_MISSING, sentence)
    _check_directories(arguments)
    roots = arguments.roots or _installed()
    if arguments.prior or arguments.ngrams or arguments.calibration:
        from lsp_server.cli import train_fits  # noqa: PLC0415 - imports what only training needs

        if arguments.calibration:
            return train_fits.fit_calibration(arguments)
        return (train_fits.fit_prior if arguments.prior else train_fits.fit_ngrams)(arguments, roots)
    from training.session import NothingToLearnError, ShapeError  # noqa: PLC0415 - imports torch

    try:
        last_step = _train(arguments, roots)
    except NothingToLearnError as error:
        raise RequestError(ErrorCode.FILE_NOT_FOUND, str(error)) from error
    except ShapeError as error:
        raise RequestError(ErrorCode.MALFORMED_REQUEST, str(error)) from error
    model = arguments.out / "model"
    if arguments.json:
        print_json({"model": str(model), "steps": last_step.steps, "loss": round(last_step.loss, 4)})
    else:
        note(f"The model is in {model}; use it with --model {model}")
    return 0


def _train(arguments: Arguments, roots: list[Path]) -> Step:
    """Prepare the corpus, and train with a bar that shows the loss; returns the last step."""
    from training import session  # noqa: PLC0415 - imports torch

    recipe = replace(
        session.Recipe(),
        size=arguments.size,
        tokens=arguments.tokens,
        length=arguments.length,
        batch=arguments.batch_size,
        seed=arguments.seed or 0,
        share=arguments.share,
        holes=arguments.holes,
        peak=session.TRAINED_PEAK if arguments.start else 1.0,
    )
    console = console_for_notes()
    say = partial(console.print, soft_wrap=True)
    sources = session.prepare(roots, recipe, arguments.out, start=arguments.start, say=say)
    columns = (
        TextColumn("{task.description}"), BarColumn(), TextColumn("loss {task.fields[loss]:.3f}"),
        TextColumn("{task.fields[pace]:,.0f} tokens/s"), TimeRemainingColumn(),
    )  # fmt: skip
    with Progress(*columns, console=console) as bar:
        task = bar.add_task("training", total=recipe.steps, loss=float("nan"), pace=0.0)

        def notify(step: Step) -> None:
            bar.update(task, completed=step.step, loss=step.loss, pace=step.tokens_per_second)

        return session.run(
            sources,
            recipe,
            arguments.out,
            start=arguments.start,
            notify=notify,
            say=say,
            device=arguments.train_device,
            workers=arguments.workers,
        )


def _check_directories(arguments: Arguments) -> None:
    """Check, before minutes of work, that the inputs exist and the output can be written."""
    for directory in (*arguments.roots, *([arguments.start] if arguments.start else [])):
        if not stat.S_ISDIR(mode_of(directory, str(directory))):
            raise RequestError(ErrorCode.FILE_NOT_FOUND, f"there is no directory '{directory}'")
    try:
        arguments.out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        why = error.strerror or error
        raise RequestError(ErrorCode.FILE_NOT_FOUND, f"cannot make the directory '{arguments.out}': {why}") from error


def _installed() -> list[Path]:
    """The folders of the standard library and of the packages that are installed beside this program."""
    paths = sysconfig.get_paths()
    return [Path(paths["stdlib"]), Path(paths["purelib"])]
