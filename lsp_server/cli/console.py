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
"""The width where there is no terminal, so that files and programs that read lines get them unfolded."""


class _Answers(Console):
    """Leaves it to the command what to do when the reader goes away; rich would end the process with an error."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def console_for_answers() -> Console:
    """Standard output. Names and code are printed as they are: no markup, no emoji, no guessed highlights."""
    console = _Answers(markup=False, emoji=False, highlight=False)
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = _UNFOLDED
    return console


def console_for_notes() -> Console:
    """Standard error."""
    return Console(stderr=True, markup=False, emoji=False, highlight=False)


def note(sentence: str, style: str = "") -> None:
    """Print a sentence to standard error; it stays on one line, however narrow the terminal."""
    console_for_notes().print(sentence, style=style, soft_wrap=True)


@contextmanager
def working(what: str) -> Iterator[None]:
    """Show what is being done, on a terminal only."""
    notes = console_for_notes()
    if notes.is_terminal:
        with notes.status(what):
            yield
    else:
        yield


@contextmanager
def counting(what: str) -> Iterator[Callable[[int, int], None]]:
    """A progress bar, on a terminal only; call the result with (done, total)."""
    notes = console_for_notes()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=notes, transient=True, disable=not notes.is_terminal) as progress:
        task = progress.add_task(what, total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)
