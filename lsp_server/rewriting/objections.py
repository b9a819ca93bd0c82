"""Words of a rewrite that the whole file shows to be wrong, for the model to write otherwise.

Knows syntax trees by their façade alone, and nothing of models.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from context_index import Document, assigned_constants, parse
from decoder import Objection

if TYPE_CHECKING:
    from context_index import Syntax

_CONST = "const"


def objections(syntax: Syntax, before: str, after: str, result: str) -> list[Objection]:
    """Each `const` of a result whose name is assigned again, unless the file does that with its name already.

    Args:
        syntax: The file as it is.
        before: What stands before the result in the file as it becomes; `after` behind it.

    Returns:
        Places in the result.
    """
    document = syntax.document
    if syntax.language.is_python or _CONST not in result:
        return []
    written = parse(Document(document.uri, document.language, before + result + after))
    start, end = len(before), len(before) + len(result)
    found = [one for one in assigned_constants(written) if start <= one.declared_at < end]
    known = {one.name for one in assigned_constants(syntax)} if found else set()
    return [
        Objection(place - start, _CONST)
        for place in sorted({one.declared_at for one in found if one.name not in known})
    ]
