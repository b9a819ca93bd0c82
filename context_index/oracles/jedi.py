"""jedi as a source of members: where ty knows nothing, or is not there.

Lists the members of every type that the receiver may have, so it complements ty at unions and Optional. Never closed:
what jedi infers is not all that there may be. It takes 40 to 500 ms, seconds for what it has not read yet, in a process
of its own.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path

from context_index.oracles.description import Description
from context_index.oracles.dialects import JSON_LINES, Dialect
from context_index.oracles.errors import PutOffError
from context_index.oracles.overlays import line_end
from context_index.oracles.protocol import Program, Remark
from context_index.oracles.served import Served
from context_index.oracles.supervised import Limits
from context_index.symbols import Listed, Members, NameKind, Open, Position, Signature
from context_index.text import Document
from context_index.uris import path_of

_KINDS = {
    "function": NameKind.METHOD,
    "class": NameKind.CLASS,
    "module": NameKind.MODULE,
    "param": NameKind.PARAMETER,
}
_ANSWERED = frozenset(
    {Position.MEMBER, Position.IMPORTED_NAME, Position.MODULE, Position.KEYWORD_ARGUMENT, Position.FIXTURE}
)
_FENCES = {Position.KEYWORD_ARGUMENT: ")", Position.FIXTURE: "):"}
"""What closes the brackets that a place is in."""
_WORD = re.compile(r"\w+")
_WORKER = Path(__file__).with_name("jedi_worker.py")
_LIMITS = Limits(answer=20.0)
"""A module that it reads for the first time, with all that it imports, may take it 10 s."""
_MOST_READ = 20
"""Modules that are read ahead for one file."""
_Told = dict[str, object]


@dataclass(frozen=True)
class JediWorker:
    """The process, as a `Program`. It runs in our interpreter; the packages that it looks into are data."""

    root: Path
    packages: Sequence[Path] = ()
    """The folders of the project's environment."""
    outside_of: Sequence[Path] = ()
    name: str = f"jedi {version('jedi')}"
    environment: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, object] = field(default_factory=dict)

    @property
    def command(self) -> Sequence[str]:
        """With the folders that it looks into."""
        return (sys.executable, "-P", str(_WORKER), str(self.root), *map(str, self.packages))

    @property
    def dialect(self) -> Dialect:
        """Lines go in."""
        return JSON_LINES

    def language_id(self, document: Document) -> str:  # noqa: ARG002 -- part of the protocol
        """There is only one."""
        return "python"


class Jedi(Served):
    """jedi, looking into one environment. A `Source`."""

    def __init__(self, worker: Program, root: Path, limits: Limits = _LIMITS) -> None:
        """Nothing is started before the first question."""
        super().__init__(worker, root, limits)
        self._is_put_off = False

    def names(self, document: Document, offset: int, position: Position) -> Members:
        """What any of the receiver's types has; the modules, exported names, parameters and fixtures that it finds."""
        if position not in _ANSWERED:
            return Open(f"jedi lists no {position}")
        text = document.text
        rest = _FENCES.get(position, "") + text[line_end(text, offset) :]
        cut = Document(document.uri, document.language, text[:offset] + rest)
        told = self._asked("names", cut, offset, keywords=position is Position.KEYWORD_ARGUMENT)
        if isinstance(told, Open):
            return told
        found = told["names"]
        kinds = found if isinstance(found, dict) else {}
        names = {name: _KINDS.get(kind, NameKind.PROPERTY) for name, kind in kinds.items()}
        if position is Position.FIXTURE:
            taken = _WORD.findall(text[text.rfind("(", 0, offset) : offset])
            names = dict.fromkeys(kinds.keys() - set(taken), NameKind.PARAMETER)
            return Listed(names) if names else Open("no fixture is known")
        if all(name.startswith("__") for name in names):
            return Open("jedi does not know the type of the receiver")
        return Listed(names)

    def prepare(self, document: Document) -> Open | None:
        """Start the process, and have it read what the file imports, module by module: questions may come between.

        Asked only where nobody before it could. The first question behind `np.` takes 2 s of a processor, later ones
        0.03 s.
        """
        told = self._asked("modules", document, 0)
        if isinstance(told, Open):
            return told
        found = told["modules"]
        above = document.text.rstrip("\\ \t\n") + "\n"
        for module in found[:_MOST_READ] if isinstance(found, list) else ():
            if self._is_put_off:
                raise PutOffError("a question is waiting")  # what was read until now is not read again
            text = f"{above}{module}."
            asked = Document(document.uri, document.language, text)
            if isinstance(failed := self._asked("names", asked, len(text), keywords=False), Open):
                return failed
        return None

    def signature(self, document: Document, offset: int) -> Signature | Open:
        """The first that may be meant."""
        told = self._asked("signature", document, offset)
        if isinstance(told, Open):
            return told
        parameters, active = told["parameters"], told["active"]
        given = tuple(map(str, parameters)) if isinstance(parameters, list) else ()
        return Signature(str(told["label"]), given, active if isinstance(active, int) else None, str(told["about"]))

    def describe(self, document: Document, offset: int) -> Description | Open:
        """The first thing that the name may stand for."""
        told = self._asked("describe", document, offset)
        return told if isinstance(told, Open) else Description(str(told["label"]), str(told["about"]))

    def remarks(self, document: Document) -> Sequence[Remark] | Open:  # noqa: ARG002 -- part of the protocol
        """Jedi checks nothing."""
        return Open("jedi checks nothing")

    def globals(self, document: Document) -> Mapping[str, NameKind] | Open:  # noqa: ARG002 -- part of the protocol
        """The table of builtins says as much."""
        return Open("jedi is not asked for builtins")

    def put_off(self, *, due: bool) -> None:
        """It stops reading ahead; inferring it cannot stop, and who came after that would wait for it all the same."""
        self._is_put_off = due

    def _asked(self, method: str, document: Document, offset: int, **more: object) -> _Told | Open:
        """What the process says: of the text and the place in jedi's terms, lines from 1 and columns from 0."""
        place, path = document.position(offset), path_of(document.uri)
        where = {"path": None if path is None else str(path), "line": place.line + 1, "column": place.column}
        params = {"text": document.text, **where, **more}
        told = self._server.ask(document, lambda: self._server.result(method, params))
        if isinstance(told, Open):
            return told
        if not isinstance(told, dict):
            return Open("jedi says nothing")
        return Open(str(told["why"])) if "why" in told else told
