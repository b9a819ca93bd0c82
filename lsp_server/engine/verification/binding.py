"""Which errors of a checker may reject a text: fewer in JavaScript that nothing has checked."""

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
    """Errors that do not bind in plain JavaScript: measured, they refuse more than 0.5 % of real code there."""
    table = json.loads(Path(__file__).with_name("plain_javascript.json").read_text("utf-8"))
    return frozenset(table["reported"])


def binding_errors(found: Sequence[Diagnostic], *, is_unchecked: bool) -> list[Diagnostic]:
    """The errors that may reject a text; fewer in JavaScript that nothing has checked."""
    reported = reported_codes() if is_unchecked else frozenset()
    return [one for one in found if one.is_error and one.code not in reported]
