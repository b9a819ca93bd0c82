"""What closing needs to know of the languages: a record each, and a plain one for the others."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from context_index import Language
from lsp_server.engine.verification.closings.languages.c import CFamily
from lsp_server.engine.verification.closings.languages.ecmascript import EcmaScript
from lsp_server.engine.verification.closings.languages.plain import PlainRecord
from lsp_server.engine.verification.closings.languages.python import Python

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from lsp_server.engine.verification.closings.record import Record


_BY_FAMILY: Final[Mapping[str, Callable[[Language], Record]]] = {
    Language.PYTHON.family: lambda _language: Python(),
    Language.JAVASCRIPT.family: lambda language: EcmaScript(typed=language.record.has_types),
    Language.C.family: lambda _language: CFamily(),
}


@cache
def closing_record(language: Language) -> Record:
    """What closing knows of a language; those of one family share it."""
    make = _BY_FAMILY.get(language.family)
    return PlainRecord() if make is None else make(language)
