"""What some tests need and a machine may lack: they are skipped without it, with the reason."""

from __future__ import annotations

import pytest

from context_index import on_path
from context_index.parts import PartMissingError, find, part


def installed(key: str) -> None:
    """Skip where a part is not installed."""
    try:
        find(part(key))
    except PartMissingError as missing:
        pytest.skip(str(missing))


def program(name: str) -> None:
    """Skip where a program is not on the path."""
    if on_path(name, ()) is None:
        pytest.skip(f"there is no {name} here")


def typescript() -> None:
    """Skip where TypeScript is not installed."""
    installed("typescript")


def checker(suffix: str) -> None:
    """Skip where the checker of a language is not there; ty comes with us."""
    if not suffix.startswith("py"):
        typescript()
