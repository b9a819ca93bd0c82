"""Output for people: answers go to standard output, notes and progress to standard error.

Colours are the terminal's own; there are none with NO_COLOR, or in a file.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


_UNFOLDED = 10_000
"""The width without a terminal, so that files and programs get each line unfolded."""


class _Answers(Console):
    """Raises an error if the reader has closed the pipe, which `entry` handles; rich would end the process with 1."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def console_for_answers() -> Console:
    """Standard output, for answers. Names and code are printed as they are: no markup, emoji or guessed highlights."""
    console = _Answers(markup=False, emoji=False, highlight=False)
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = _UNFOLDED
    return console


def console_for_notes() -> Console:
    """Standard error, for notes and progress."""
    return Console(stderr=True, markup=False, emoji=False, highlight=False)


def note(sentence: str, style: str = "") -> None:
    """Print a sentence to standard error, on one line however narrow the terminal."""
    console_for_notes().print(sentence, style=style, soft_wrap=True)


@contextmanager
def working(what: str) -> Iterator[None]:
    """Show what is being done while the block runs, on a terminal only."""
    notes = console_for_notes()
    if notes.is_terminal:
        with notes.status(what):
            yield
    else:
        yield


@contextmanager
def counting(what: str) -> Iterator[Callable[[int, int], None]]:
    """A progress bar while the block runs, on a terminal only; yields a function of (done, total) that moves it."""
    notes = console_for_notes()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=notes, transient=True, disable=not notes.is_terminal) as progress:
        task = progress.add_task(what, total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)
