"""The records of the languages for closing; a language without one has the plain record. See `record.Record`."""

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
    """The record of a language; languages of one family share it."""
    record_of = _BY_FAMILY.get(language.family)
    return PlainRecord() if record_of is None else record_of(language)
