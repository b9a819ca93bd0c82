"""What some tests need and a machine may lack: they are skipped without it, with the reason."""

from __future__ import annotations

import pytest

from context_index.parts import PartMissingError, find, part


def typescript() -> None:
    """Skip where TypeScript is not installed."""
    try:
        find(part("typescript"))
    except PartMissingError as missing:
        pytest.skip(str(missing))
