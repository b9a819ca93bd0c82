"""jedi as a source of members: where ty knows nothing, or is not there.

Lists the members of every type that the receiver may have, so it complements ty at unions and Optional. Never closed:
what jedi infers is not all that there may be. Runs in process and holds the interpreter for 40 to 500 ms.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import jedi

from context_index.oracles.description import Description
from context_index.oracles.oracle import SoFar
from context_index.oracles.overlays import line_end
from context_index.oracles.protocol import Remark
from context_index.symbols import Listed, Members, NameKind, Open, Position, Signature
from context_index.text import Document
from context_index.uris import path_of

_KINDS = {
    "function": NameKind.METHOD,
    "class": NameKind.CLASS,
    "module": NameKind.MODULE,
    "property": NameKind.PROPERTY,
}
_ANSWERED = frozenset({Position.MEMBER, Position.IMPORTED_NAME, Position.MODULE, Position.KEYWORD_ARGUMENT})


class Jedi:
    """jedi, looking into one environment."""

    name = f"jedi {jedi.__version__}"
    idle_limit = None

    def __init__(self, root: Path, environment: Path | None) -> None:
        """Nothing is read before the first question."""
        self._root = root
        self._environment = environment
        self._project: jedi.Project | None = None

    def names(self, document: Document, offset: int, position: Position, so_far: SoFar) -> Members:  # noqa: ARG002 -- part of the protocol
        """What any of the receiver's types has; the modules, exported names and parameters that it finds."""
        if position not in _ANSWERED:
            return Open(f"jedi lists no {position}")
        text = document.text
        fence = ")" if position is Position.KEYWORD_ARGUMENT else ""
        script, place = self._script(document, text[:offset] + fence + text[line_end(text, offset) :], offset)
        try:
            found = script.complete(*place)
        except Exception as fault:  # noqa: BLE001 -- inference raises what it stumbles upon; it is told, not hidden
            return Open(f"jedi: {type(fault).__name__}: {fault}")
        if position is Position.KEYWORD_ARGUMENT:
            names = {one.name[:-1]: NameKind.PARAMETER for one in found if one.name.endswith("=")}
        else:
            names = {one.name: _KINDS.get(one.type, NameKind.PROPERTY) for one in found if one.name.isidentifier()}
        if all(name.startswith("__") for name in names):
            return Open("jedi does not know the type of the receiver")
        return Listed(names)

    def prepare(self, document: Document) -> Open | None:  # noqa: ARG002 -- part of the protocol
        """Nothing is kept of a document."""
        return None

    def signature(self, document: Document, offset: int) -> Signature | Open:
        """The first that may be meant."""
        script, place = self._script(document, document.text, offset)
        try:
            found = script.get_signatures(*place)
        except Exception as fault:  # noqa: BLE001 -- as above
            return Open(f"jedi: {type(fault).__name__}: {fault}")
        if not found:
            return Open("jedi knows no function that is called here")
        one = found[0]
        parameters = tuple(parameter.to_string() for parameter in one.params)
        return Signature(one.to_string(), parameters, one.index, one.docstring(raw=True).partition("\n\n")[0])

    def describe(self, document: Document, offset: int) -> Description | Open:
        """The first thing that the name may stand for."""
        script, place = self._script(document, document.text, offset)
        try:
            found = script.help(*place)
            signatures = found[0].get_signatures() if found else []
        except Exception as fault:  # noqa: BLE001 -- as above
            return Open(f"jedi: {type(fault).__name__}: {fault}")
        if not found:
            return Open("jedi does not know the name")
        signature = signatures[0].to_string() if signatures else found[0].description
        return Description(signature, found[0].docstring(raw=True))

    def remarks(self, document: Document) -> Sequence[Remark] | Open:  # noqa: ARG002 -- part of the protocol
        """Jedi checks nothing."""
        return Open("jedi checks nothing")

    def globals(self, document: Document) -> Mapping[str, NameKind] | Open:  # noqa: ARG002 -- part of the protocol
        """The table of builtins says as much."""
        return Open("jedi is not asked for builtins")

    def stop(self) -> None:
        """Drop what was read."""
        self._project = None

    def _script(self, document: Document, text: str, offset: int) -> tuple[jedi.Script, tuple[int, int]]:
        """The text for jedi, and the place in its terms: lines from 1, columns from 0."""
        place = Document(document.uri, document.language, text).position(offset)
        script = jedi.Script(text, path=path_of(document.uri), project=self._of_project())
        return script, (place.line + 1, place.column)

    def _of_project(self) -> jedi.Project:
        if self._project is None:
            environment = str(self._environment) if self._environment is not None else None
            self._project = jedi.Project(str(self._root), environment_path=environment)
            try:
                self._project.get_environment()
            except jedi.InvalidPythonEnvironment:  # its interpreter was moved or removed
                self._project = jedi.Project(str(self._root))
        return self._project
