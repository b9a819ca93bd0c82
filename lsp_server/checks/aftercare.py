"""The last questions about a suggestion that parses: does it name only what is there, and what must it bring along?"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from context_index import Edit, Origin
from lsp_server.checks.arity import misfit
from lsp_server.checks.exporting import is_exporting
from lsp_server.checks.imports import NOTHING, Brought, brought, needed, offered
from lsp_server.checks.references import unresolved
from lsp_server.checks.used_early import used_early
from lsp_server.suggestion import Withheld

if TYPE_CHECKING:
    from context_index import SymbolContext, Syntax
    from lsp_server.suggestion import CompletionRequest


_GLUED: Final = re.compile(r"(?<![\w$.])(?:const|let|var|function|return)([a-z_$][\w$]{2,})(?![\w$])")
"""Between a keyword that was meant and the name behind it no blank could be written."""


@dataclass(frozen=True, slots=True)
class Judged:
    """Why a suggestion must not be shown, if so; else what it imports."""

    withheld: Withheld | None = None
    reason: str = ""
    brought: Brought = NOTHING


def examine(request: CompletionRequest, symbols: SymbolContext, text: str) -> Judged:
    """Look at `text` where it is to stand.

    Names are judged only where the request is constrained and all visible names are known.
    """
    if not request.constrained or not text:
        return Judged()
    syntax, start = request.syntax, request.offset
    finished = _with(syntax, [Edit(start, start, text)])
    end = start + len(text)
    missing = list(unresolved(finished, start, end, symbols.names))
    own = [one for one in missing if is_exporting(finished.document.text, one.offset)]
    brings = [one for one in missing if one not in own]
    names = needed(finished, brings, offered(symbols.importable)) if request.imports else ()
    imported = {name.text for name in names} - {one.name for one in own}
    unknown = next((one.name for one in missing if one.name not in imported), None)
    if unknown is not None and symbols.complete:
        return Judged(Withheld.UNDEFINED_NAME, f"It refers to {unknown!r}, which is not visible there.")
    if (early := next(used_early(finished, start, end, torn=bool(syntax.errors)), None)) is not None:
        return Judged(Withheld.UNDEFINED_NAME, f"It uses {early.name!r} above its declaration.")
    if (glued := _glued(finished, start, end, symbols)) is not None:
        return Judged(Withheld.UNDEFINED_NAME, f"It names a member {glued!r}, a keyword and a name in one.")
    if (sentence := misfit(finished, start, end)) is not None:
        return Judged(Withheld.WRONG_ARGUMENTS, sentence)
    imports = brought(syntax, names, symbols.module_kind)
    if imports.edits and _with(syntax, [Edit(start, start, text), *imports.edits]).errors > syntax.errors:
        return Judged(Withheld.SYNTAX_ERROR, "The file would have a new syntax error with its import.")
    return Judged(brought=imports)


def _glued(syntax: Syntax, start: int, end: int, symbols: SymbolContext) -> str | None:
    """Scripts: a member that is named like a keyword and a visible name, which no statement could be made of there."""
    text = syntax.document.text
    for found in () if syntax.language.is_python else _GLUED.finditer(text, start, end):
        word, behind = found[0], symbols.names.get(found[1])
        if (
            behind is None
            or behind.origin is Origin.GLOBAL
            or len(re.findall(rf"(?<![\w$]){re.escape(word)}(?![\w$])", text)) > 1
        ):
            continue
        if syntax.node_at(found.start(), found.end()).type == "property_identifier":
            return word
    return None


def _with(syntax: Syntax, edits: list[Edit]) -> Syntax:
    """The text after edits of it, from its end to its beginning, so that none moves another."""
    ordered = sorted(edits, key=lambda edit: -edit.start)
    return syntax.edited(syntax.document.edited(ordered, syntax.document.revision), ordered)
