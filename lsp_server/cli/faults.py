"""The message about an unexpected error: one sentence, and with INSCOPE_TRACEBACK its traceback."""

from __future__ import annotations

import os
import traceback


def unexpected(error: Exception) -> str:
    """A sentence; with INSCOPE_TRACEBACK set, the trace goes to standard error first."""
    if os.environ.get("INSCOPE_TRACEBACK"):
        traceback.print_exception(error)
    message = " ".join(str(error).split())
    what = f"{type(error).__name__}: {message}" if message else type(error).__name__
    return f"an error in Inscope itself, {what} (set INSCOPE_TRACEBACK=1 to see where, and please report it)"
