"""The version of Inscope, and the commit of its source.

A package has the commit in a file, which `hatch_build.py` writes; in a checkout git is asked.
"""

from __future__ import annotations

from contextlib import suppress
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed
from pathlib import Path

_PACKAGED = Path(__file__).with_name("commit.txt")
_CHECKOUT = Path(__file__).parents[1]


def version() -> str:
    """Such as `0.1.0 (1a2b3c4d5)`; without the commit where it is unknown."""
    try:
        number = installed("inscope")
    except PackageNotFoundError:
        number = "from a source tree that is not installed"
    commit = _commit()
    return f"{number} ({commit})" if commit else number


def _commit() -> str:
    """The commit, shortened by git; empty where it is not known."""
    with suppress(OSError):
        return _PACKAGED.read_text("ascii").strip()
    if not (_CHECKOUT / ".git").exists():
        return ""
    from context_index import on_path, start  # noqa: PLC0415 - packages need no process

    if (git := on_path("git", ())) is None:
        return ""
    with suppress(OSError):
        output, _ = start([git, "rev-parse", "--short=9", "HEAD"], outside_of=(), directory=_CHECKOUT).communicate()
        return output.decode().strip()
    return ""
