"""The sentence about an unexpected error in Inscope itself (`unexpected`)."""

from __future__ import annotations

import os
import shlex
import sys
import traceback


def unexpected(error: Exception) -> str:
    """A sentence about an unexpected error; with INSCOPE_TRACEBACK set, its traceback is printed first."""
    if os.environ.get("INSCOPE_TRACEBACK"):
        traceback.print_exception(error)
    message = " ".join(str(error).split())
    if isinstance(error, ImportError):
        again = f"{shlex.quote(sys.executable)} -m pip install --force-reinstall inscope"
        return (
            f"Inscope's installation is broken, a package cannot be imported ({message}). Install it again: {again} "
            "(set INSCOPE_TRACEBACK=1 to see where it is wanted)"
        )
    what = f"{type(error).__name__}: {message}" if message else type(error).__name__
    return f"an error in Inscope itself, {what} (set INSCOPE_TRACEBACK=1 to see where, and please report it)"
