"""The version of Inscope, and the commit of its source.

In a package, `hatch_build.py` has written the commit into a file; in a checkout it is read from git's own files.
"""

from __future__ import annotations

from contextlib import suppress
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed
from pathlib import Path

_PACKAGED = Path(__file__).with_name("commit.txt")
_CHECKOUT = Path(__file__).parents[1]
_SHORT = 9
"""Digits of a commit that are shown."""


def version() -> str:
    """The version, such as `0.1.0 (1a2b3c4d5)`; without the commit if it is unknown."""
    try:
        number = installed("inscope")
    except PackageNotFoundError:
        number = "from a source tree that is not installed"
    commit = _commit()
    return f"{number} ({commit})" if commit else number


def _commit() -> str:
    """The commit, shortened; empty if it is unknown."""
    with suppress(OSError):
        return _PACKAGED.read_text("ascii").strip()
    with suppress(OSError, UnicodeDecodeError):
        return _checked_out(_CHECKOUT / ".git")[:_SHORT]
    return ""


def _checked_out(git: Path) -> str:
    """The commit that is checked out, from git's own files (gitrepository-layout(5)).

    The program `git` is not run: the one on the path may come from a workspace.
    """
    folder = git
    if git.is_file():  # of a worktree
        folder = git.parent / git.read_text("utf-8").removeprefix("gitdir:").strip()
    head = (folder / "HEAD").read_text("utf-8").strip()
    if not head.startswith("ref: "):
        return head
    name, common = head.removeprefix("ref: "), folder
    with suppress(OSError):
        common = folder / (folder / "commondir").read_text("utf-8").strip()
    with suppress(OSError):
        return (common / name).read_text("utf-8").strip()
    refs = (line.partition(" ") for line in (common / "packed-refs").read_text("utf-8").splitlines())
    return next((commit for commit, _, ref in refs if ref == name), "")
