"""`inscope setup`: installs TypeScript 7 and QuickJS, reports what is installed, or removes it."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from context_index import data_folder, is_current
from lsp_server.cli.console import console_for_answers, console_for_notes, note
from lsp_server.cli.printing import print_json
from lsp_server.installation import setup
from lsp_server.installation.setup import SetupStep, parts_needed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from context_index import PinnedPart
    from lsp_server.cli.arguments import Arguments
    from lsp_server.engine.wire import Json


_USES = {"typescript": "checks JavaScript and TypeScript", "quickjs": "runs programs in JavaScript"}
"""What each part is for, by its key."""


def run(arguments: Arguments) -> int:
    """Install, check or remove the parts; the exit code is 1 if `--check` finds one missing."""
    if arguments.remove:
        removed = setup.remove()
    elif not arguments.check:
        _announce()
        with _progress() as report:
            setup.install(arguments.source, report)
    if arguments.json:
        print_json({"folder": str(data_folder() / "parts"), "parts": [_as_json(part) for part in parts_needed()]})
    elif arguments.remove:
        console_for_answers().print("removed" if removed else "nothing was installed")
    else:
        _print_parts()
    return 1 if arguments.check and not all(map(is_current, parts_needed())) else 0


def _announce() -> None:
    """Print what will be installed, how large it is and what it is for."""
    missing = [part for part in parts_needed() if not is_current(part)]
    if missing:
        sizes = ", ".join(
            f"{part.title} {part.version} ({part.bytes / 1e6:.0f} MB, {_USES[part.key]})" for part in missing
        )
        note(f"This installs {sizes} into '{data_folder() / 'parts'}'.")


def _print_parts() -> None:
    console = console_for_answers()
    for part in parts_needed():
        if is_current(part):
            console.print(f"✓ {part.title} {part.version}  {part.folder}", soft_wrap=True)
        else:
            console.print(f"✗ {part.title} {part.version}  not installed; run 'inscope setup'", soft_wrap=True)


@contextmanager
def _progress() -> Iterator[Callable[[PinnedPart, SetupStep], None]]:
    """A function that shows an installation's steps: on a terminal one live line a part, elsewhere a line for each."""
    notes = console_for_notes()
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=notes, transient=True, disable=not notes.is_terminal) as progress:
        begun = time.monotonic()
        tasks = {part.key: progress.add_task(f"{part.title} {part.version}", total=1) for part in parts_needed()}

        def report(part: PinnedPart, step: SetupStep) -> None:
            done = step in {SetupStep.INSTALLED, SetupStep.CURRENT}
            progress.update(tasks[part.key], description=f"{part.title} {part.version}: {step}", completed=int(done))
            took = f" after {time.monotonic() - begun:.0f} s" if done else ""
            if step is not SetupStep.CURRENT and (done or not notes.is_terminal):
                # on the console of the live lines, which would be drawn over it otherwise
                progress.console.print(f"{part.title} {part.version}: {step}{took}", soft_wrap=True)

        yield report


def _as_json(part: PinnedPart) -> dict[str, Json]:
    installed = is_current(part)
    return {
        "name": part.key,
        "version": part.version,
        "installed": installed,
        "path": str(part.folder / part.file) if installed else None,
    }
