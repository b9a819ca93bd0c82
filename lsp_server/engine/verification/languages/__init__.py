"""What verification must know of each language: what a checker's codes mean, and what closes unfinished code.

No person sees the closing. A record adds what no grammar knows: bodies, handlers, and placeholders for what is still to
come (`fill` says how many, `opened` what the text leaves open). A language without a record has the plain one.

A code is in a record only if verification must know its meaning. Which errors may reject a text at all: `binding`.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from context_index import Language
from lsp_server.engine.verification.languages.c import CFamily
from lsp_server.engine.verification.languages.ecmascript import EcmaScript
from lsp_server.engine.verification.languages.plain import PlainRecord
from lsp_server.engine.verification.languages.python import Python

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from lsp_server.engine.verification.languages.record import Record


_BY_FAMILY: Final[Mapping[str, Callable[[Language], Record]]] = {
    Language.PYTHON.family: lambda _language: Python(),
    Language.JAVASCRIPT.family: lambda language: EcmaScript(typed=language.record.has_types),
    Language.C.family: lambda _language: CFamily(),
}


@cache
def record_of(language: Language) -> Record:
    """The record of a language; languages of one family share it."""
    make = _BY_FAMILY.get(language.family)
    return PlainRecord() if make is None else make(language)
