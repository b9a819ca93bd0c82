"""Which errors of a checker may reject a text: fewer in JavaScript that is not checked.

Every error may by default, whatever its code. Inscope has TypeScript check plain JavaScript, too. That code was not
written for a checker, and some errors would refuse much of it. `plain_javascript.json` lists the codes that are only
reported there; `inscope bench plain_javascript --write` measures them and writes the file. Codes whose meaning
verification must know, such as those of names that nothing defines, are in the records of `verification.languages`.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from context_index import Diagnostic


@cache
def reported_codes() -> frozenset[str]:
    """The codes of errors that reject nothing in plain JavaScript; `about` in the file says how they were chosen."""
    table = json.loads(Path(__file__).with_name("plain_javascript.json").read_text("utf-8"))
    return frozenset(table["reported"])


def rejecting_errors(diagnostics: Sequence[Diagnostic], *, is_unchecked: bool) -> list[Diagnostic]:
    """The errors among a checker's diagnostics that may reject a text.

    Args:
        is_unchecked: Whether the file is JavaScript that neither its project nor a comment of its own has checked.
    """
    ignored = reported_codes() if is_unchecked else frozenset()
    return [error for error in diagnostics if error.is_error and error.code not in ignored]
