"""Menus of others for `inscope bench ranking`: what TypeScript's and ty's servers and jedi list, in their order."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

import jedi

from context_index import Checker, CheckerAbsentError, Document, Language, path_of
from context_index.checkers import Checkers

_PATIENCE_S = 30.0
"""How long a server may take for a menu."""
_NO_NAMES = (1, 14)
"""LSP's kinds of entries that are words of the text, and keywords."""


class Peer(Protocol):
    """Another program that lists names."""

    @property
    def name(self) -> str:
        """Its name and version."""

    def listed(self, document: Document, offset: int) -> list[str]:
        """The names of its menu at an offset, in order; empty where it knows none."""

    def close(self) -> None:
        """Release what it holds."""


class ServedMenu:
    """A checker's own answer to a completion request."""

    def __init__(self, root: Path, language: Language) -> None:
        """A peer for a project; its process is started by the first question.

        Raises:
            CheckerAbsentError: no checker of the language is installed.
        """
        self._checkers = Checkers([root])
        self._checker: Checker = self._checkers.of(Document((root / "menu").as_uri(), language, ""))
        self.name = self._checker.title

    def listed(self, document: Document, offset: int) -> list[str]:
        """The server's names in its order, without keywords and without names that it would import."""
        entries = self._checker.ask(document, lambda query: query.completions(offset)).result(_PATIENCE_S)
        names = (entry.name for entry in entries if not entry.is_import and entry.kind not in _NO_NAMES)
        return list(dict.fromkeys(names))

    def close(self) -> None:
        """End the process."""
        self._checkers.close()


class JediMenu:
    """jedi's own order, which is also that of its language server."""

    name = f"jedi {jedi.__version__}"

    def __init__(self, root: Path) -> None:
        self._project = jedi.Project(str(root))

    def listed(self, document: Document, offset: int) -> list[str]:
        """The names that jedi lists, in its order and without keywords."""
        place = document.position(offset)
        script = jedi.Script(document.text, path=path_of(document.uri), project=self._project)
        try:
            completions = script.complete(place.line + 1, place.column)
            return list(dict.fromkeys(completion.name for completion in completions if completion.type != "keyword"))
        except Exception:  # noqa: BLE001 -- jedi's inference raises errors of all types; it then lists nothing
            return []

    def close(self) -> None:
        """Do nothing: jedi holds nothing."""


def peers(family: str, root: Path) -> list[Peer]:
    """The peers that are asked about a family of languages in a project.

    Raises:
        SystemExit: no checker is found.
    """
    try:
        served = ServedMenu(root, Language.PYTHON if family == "python" else Language.TYPESCRIPT)
    except CheckerAbsentError as absent:
        raise SystemExit(f"error: {absent}") from absent
    return [served, JediMenu(root)] if family == "python" else [served]
