"""Menus of others: what TypeScript's and ty's servers and jedi list at a place, in the order in which they show it."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

import jedi

from context_index import Checker, CheckerAbsentError, Document, Language, path_of
from context_index.checkers import Checkers

_PATIENCE = 30.0
_NO_NAMES = (1, 14)
"""LSP's kinds of words of the text, and of keywords."""


class Peer(Protocol):
    """Somebody who lists names."""

    @property
    def name(self) -> str:
        """With the version."""

    def listed(self, document: Document, offset: int) -> list[str]:
        """Names in the order of the menu, nothing where none is known."""

    def close(self) -> None:
        """Let go of what is held."""


class ServedMenu:
    """A checker's own answer to a completion request."""

    def __init__(self, root: Path, language: Language) -> None:
        """Start nothing yet.

        Raises:
            CheckerAbsentError: there is no checker.
        """
        self._checkers = Checkers([root])
        self._checker: Checker = self._checkers.of(Document((root / "menu").as_uri(), language, ""))
        self.name = self._checker.title

    def listed(self, document: Document, offset: int) -> list[str]:
        """As it orders them; imports that it would add and keywords are not names of the place."""
        found = self._checker.ask(document, lambda asked: asked.completions(offset)).result(_PATIENCE)
        return list(dict.fromkeys(one.name for one in found if not one.is_import and one.kind not in _NO_NAMES))

    def close(self) -> None:
        """End the process."""
        self._checkers.close()


class JediMenu:
    """jedi's own order, which its language server keeps."""

    name = f"jedi {jedi.__version__}"

    def __init__(self, root: Path) -> None:
        self._project = jedi.Project(str(root))

    def listed(self, document: Document, offset: int) -> list[str]:
        """As jedi lists them."""
        place = document.position(offset)
        script = jedi.Script(document.text, path=path_of(document.uri), project=self._project)
        try:
            found = script.complete(place.line + 1, place.column)
            return list(dict.fromkeys(one.name for one in found if one.type != "keyword"))
        except Exception:  # noqa: BLE001 -- inference, of types too, raises what it stumbles upon; then it lists nothing
            return []

    def close(self) -> None:
        """Nothing is held."""


def peers(family: str, root: Path) -> list[Peer]:
    """Who is asked about a family of languages.

    Raises:
        SystemExit: no checker is found.
    """
    try:
        served = ServedMenu(root, Language.PYTHON if family == "python" else Language.TYPESCRIPT)
    except CheckerAbsentError as absent:
        raise SystemExit(f"error: {absent}") from absent
    found: list[Peer] = [served]
    return [*found, JediMenu(root)] if family == "python" else found
