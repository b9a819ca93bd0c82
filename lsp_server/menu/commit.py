"""Which characters, typed while an entry of the menu is chosen, accept it before they are inserted.

Only such as can stand behind what the entry names, and only where nothing but a listed name can be meant: where a new
name or a keyword may be typed, a chosen entry must not take its place (`if(` is no `isFinite(`, `this.` no `thisArg.`).
So names in scope have none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from context_index import NameKind, NamePosition

if TYPE_CHECKING:
    from context_index import Language
    from lsp_server.menu.candidates import Candidate

_CALLED = frozenset({NameKind.FUNCTION, NameKind.METHOD, NameKind.CLASS})
_TYPES = frozenset({NameKind.INTERFACE, NameKind.TYPE, NameKind.TYPE_PARAMETER})
_BEHIND: dict[NamePosition, list[str]] = {
    NamePosition.IMPORTED_NAME: [","],
    NamePosition.PROP: ["="],
    NamePosition.OBJECT_KEY: [":"],
}


def characters(candidate: Candidate, language: Language) -> list[str]:
    """What accepts a candidate; in quotes, and behind the equals sign of an argument, nothing does."""
    position = candidate.position
    if not candidate.is_proven or position is None:
        return []
    if position is not NamePosition.MEMBER:
        return _BEHIND.get(position, [])
    if candidate.kind in _TYPES:
        return []
    ends = [] if language.is_python else [";"]
    return [".", *(["("] if candidate.kind in _CALLED else []), *ends]
