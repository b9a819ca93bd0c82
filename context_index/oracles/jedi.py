"""jedi as a source of members: where ty knows nothing, or is not there.

Lists the members of every type that the receiver may have, so it complements ty at unions and Optional. Never closed:
what jedi infers is not all that there may be. Runs in process and holds the interpreter for 40 to 500 ms.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import jedi

from context_index.oracles.protocol import line_end
from context_index.symbols import Listed, Members, NameKind, Open
from context_index.text import Document
from context_index.uris import path_of

_KINDS = {
    "function": NameKind.METHOD,
    "class": NameKind.CLASS,
    "module": NameKind.MODULE,
    "property": NameKind.PROPERTY,
}


class Jedi:
    """jedi, looking into one environment."""

    name = f"jedi {jedi.__version__}"
    idle_limit = None

    def __init__(self, root: Path, environment: Path | None) -> None:
        self._root = root
        self._environment = environment
        self._project: jedi.Project | None = None

    def members(self, document: Document, offset: int | None) -> Members:
        """What any of the receiver's types has."""
        if offset is None:
            return Open("nothing was asked")
        text = document.text
        shown = Document(document.uri, document.language, text[:offset] + text[line_end(text, offset) :])
        place = shown.position(offset)
        try:
            script = jedi.Script(shown.text, path=path_of(document.uri), project=self._of_project())
            found = script.complete(place.line + 1, place.column)
        except Exception as fault:  # noqa: BLE001 -- inference raises what it stumbles upon; it is told, not hidden
            return Open(f"jedi: {type(fault).__name__}: {fault}")
        names = dict(_names(found))
        if all(name.startswith("__") for name in names):
            return Open("jedi does not know the type of the receiver")
        return Listed(names)

    def stop(self) -> None:
        """Drop what was read."""
        self._project = None

    def _of_project(self) -> jedi.Project:
        if self._project is None:
            environment = str(self._environment) if self._environment is not None else None
            self._project = jedi.Project(str(self._root), environment_path=environment)
        return self._project


def _names(found: Iterable[jedi.api.classes.Completion]) -> Iterable[tuple[str, NameKind]]:
    for completion in found:
        if completion.name.isidentifier():
            yield completion.name, _KINDS.get(completion.type, NameKind.PROPERTY)
