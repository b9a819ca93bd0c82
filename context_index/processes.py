"""Starts child processes; no other module does.

Opening a folder must run nothing from it. So a child's program has an absolute path outside every workspace. It works
in a directory of ours, gets few environment variables, and imports nothing from its working directory. It reads from a
pipe that this process holds open: however this process ends, the pipe ends, and the child with it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import platformdirs

from context_index.disk import real

Process = subprocess.Popen[bytes]
Stream = int | IO[bytes] | None

PIPE, DEVNULL = subprocess.PIPE, subprocess.DEVNULL
OURS = Path(__file__).resolve().parent
"""The folder of this package. Children work in it, unless they need another: no workspace brought what is there."""
DATA = "INSCOPE_DATA"
"""The environment variable for another folder than the user's data folder; see `data_folder`."""
_KEPT = (
    "HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "TEMP", "TMP",
    "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME",
    "SYSTEMROOT", "WINDIR", "COMSPEC", "PATHEXT", "APPDATA", "LOCALAPPDATA", "USERPROFILE", "PROGRAMDATA",
    "INSCOPE_CACHE", DATA,
)  # fmt: skip
"""Variables that children get: a person's folders, language and time zone; none that can name code to run."""
_SEARCH_PATHS = ("PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
"""Variables that name folders to run code from; children get only the folders outside every workspace."""


class ForbiddenProgramError(OSError):
    """A program that may not be started; the message says which and why."""


class LateError(Exception):
    """A child did not end in time and was killed."""


@dataclass(frozen=True, slots=True)
class ProcessResult:
    """The exit code and the output of a child process."""

    code: int
    output: bytes
    errors: bytes


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def start(
    command: Sequence[str | Path],
    *,
    outside_of: Sequence[Path],
    directory: Path = OURS,
    variables: Mapping[str, str] | None = None,
    stdin: Stream = PIPE,
    stdout: Stream = PIPE,
    stderr: Stream = DEVNULL,
    pass_fds: Sequence[int] = (),
    reads_input: bool = True,
) -> Process:
    """Start a program.

    It has a process group of its own: an interrupt that is typed at a terminal is ours to handle.

    Args:
        command: an absolute path and its arguments.
        outside_of: the workspaces that the program may not come from; empty only where a person has both trusted the
            workspace and named the program.
        directory: where it works; never a workspace.
        variables: environment variables besides the few that every child gets.
        pass_fds: descriptors that it inherits; a child that is not given a pipe as `stdin` must end with one of these.
        reads_input: whether it ends when its input does; if not, `tether` watches the pipe and ends it.

    Raises:
        ForbiddenProgramError: the path is not absolute, or is in a workspace.
        OSError: there is no such program, or it does not start.
    """
    program = Path(command[0])
    if not program.is_absolute():
        raise ForbiddenProgramError(f"'{program}' is not started: its path is not absolute")
    if not _is_ours(program) and (workspace := workspace_holding(program, outside_of)) is not None:
        raise ForbiddenProgramError(
            f"'{program}' is not started: it lies in the workspace '{workspace}'. "
            "Trust the workspace and name the program in the settings to allow it."
        )
    tether = () if reads_input else (sys.executable, "-P", "-m", "context_index.tether")
    tether_variables = {} if reads_input else {"PYTHONPATH": str(OURS.parent)}
    return subprocess.Popen(  # noqa: S603 -- checked above; there is no shell
        [*tether, *map(str, command)],
        cwd=directory,
        env=_environment(outside_of, {**tether_variables, **(variables or {})}),
        stdin=stdin,
        stdout=stdout,
        stderr=stderr,
        pass_fds=tuple(pass_fds),
        start_new_session=True,
    )


def start_python(
    module: str,
    *arguments: str,
    variables: Mapping[str, str] | None = None,
    stdin: Stream = PIPE,
    stdout: Stream = PIPE,
    stderr: Stream = DEVNULL,
    pass_fds: Sequence[int] = (),
) -> Process:
    """Start one of our own modules in our own interpreter, without our façades (`run_module`); otherwise as `start`.

    The interpreter may be in a workspace, as it runs already.

    Raises:
        OSError: the system lets us have no more processes.
    """
    return start(
        [sys.executable, "-P", OURS / "run_module.py", module, *arguments],
        outside_of=(),
        variables={"PYTHONPATH": str(OURS.parent), **(variables or {})},
        stdin=stdin,
        stdout=stdout,
        stderr=stderr,
        pass_fds=pass_fds,
    )


def start_code(code: str) -> Process:
    """Run a few lines of Python in our own interpreter; output and errors are pipes.

    Raises:
        OSError: the system lets us have no more processes.
    """
    return start(
        [sys.executable, "-P", "-c", code], outside_of=(), variables={"PYTHONPATH": str(OURS.parent)}, stderr=PIPE
    )


def finish(process: Process, seconds: float) -> ProcessResult:
    """Wait for a child to end.

    Raises:
        LateError: it had not ended after so many seconds, and was killed.
    """
    pipe, process.stdin = process.stdin, None  # `communicate` would close it, and so end a child that is tethered to it
    with process:
        try:
            output, errors = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired as late:
            raise LateError(f"no answer within {seconds:g} s") from late
        finally:
            process.kill()  # no effect if it has ended; else it must not outlive a Ctrl+C or a limit
            if pipe is not None:
                pipe.close()
    return ProcessResult(process.returncode, output or b"", errors or b"")


def exit_code_within(process: Process, seconds: float) -> int | None:
    """Wait for a child for so many seconds; its exit code, or None if it has not ended."""
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        return None


def data_folder() -> Path:
    """The folder of what `inscope setup` installs, and of what checkers need; it need not exist."""
    return Path(named) if (named := os.environ.get(DATA)) else platformdirs.user_data_path("inscope")


def on_path(program: str, outside_of: Sequence[Path]) -> Path | None:
    """A program on the path; folders that are relative, or are in a workspace, are passed over."""
    place = shutil.which(program, path=os.pathsep.join(map(str, path_folders(outside_of))))
    return None if place is None or workspace_holding(Path(place), outside_of) is not None else Path(place)


def path_folders(outside_of: Sequence[Path], variable: str = "PATH") -> Iterator[Path]:
    """The folders of a search path that are absolute and in no workspace."""
    for entry in os.environ.get(variable, "").split(os.pathsep):
        folder = Path(entry)
        if entry and folder.is_absolute() and workspace_holding(folder, outside_of) is None:
            yield folder


def workspace_holding(path: Path, workspaces: Sequence[Path]) -> Path | None:
    """The workspace that contains a path, or the file that it links to."""
    places = (path, real(path))
    for workspace in workspaces:
        roots = (workspace, real(workspace))
        if any(place.is_relative_to(root) for place in places for root in roots):
            return workspace
    return None


def _is_ours(program: Path) -> bool:
    """Whether a program came with Inscope, wherever that is: a person may open a folder that holds it, such as home.

    Our own environment counts, too: it was trusted when we were started from it.
    """
    return any(program.is_relative_to(folder) for folder in (data_folder(), Path(sys.prefix)))


def _environment(outside_of: Sequence[Path], added: Mapping[str, str]) -> dict[str, str]:
    """The environment variables of a child, with those that its caller added."""
    variables = {name: os.environ[name] for name in _KEPT if name in os.environ}
    for name in _SEARCH_PATHS:
        if folders := os.pathsep.join(map(str, path_folders(outside_of, name))):
            variables[name] = folders
    return {**variables, "PYTHONSAFEPATH": "1", **added}
