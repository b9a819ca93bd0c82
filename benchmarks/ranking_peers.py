"""Menus of others: what TypeScript's and ty's servers and jedi list at a place, in the order in which they show it."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

import jedi

from context_index import Document, path_of
from context_index.oracles import Checker, Limits, Places, Server, find_ty, find_typescript
from context_index.symbols import Open, Position

_PATIENCE = 30.0
_KEYWORD = 14


class Peer(Protocol):
    """Somebody who lists names."""

    @property
    def name(self) -> str:
        """With the version."""

    def listed(self, document: Document, offset: int) -> list[str]:
        """Names in the order of the menu, nothing where none is known."""

    def close(self) -> None:
        """Let go of what is held."""


class ServedMenu(Server):
    """A checker's own answer to a completion request."""

    def __init__(self, checker: Checker, root: Path) -> None:
        super().__init__(checker, root, Limits(answer=_PATIENCE, proof=_PATIENCE))

    def listed(self, document: Document, offset: int) -> list[str]:
        """By `sortText`, as clients do; imports that it would add and keywords are not names of the place."""
        overlay = self._checker.overlay(document, offset, Position.MEMBER)
        found = self._server.ask(document, lambda: self._completions(document, overlay))
        if isinstance(found, Open):
            return []
        items = [item for item in found.items if not item.is_import and item.kind != _KEYWORD]
        ordered = sorted(items, key=lambda item: (item.sort or item.insert, item.insert))
        return list(dict.fromkeys(item.insert.removeprefix("?.") for item in ordered))

    def close(self) -> None:
        """End the process."""
        self.stop()


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
        except Exception:  # noqa: BLE001 -- inference raises what it stumbles upon; then it lists nothing
            return []
        return list(dict.fromkeys(one.name for one in found if one.type != "keyword"))

    def close(self) -> None:
        """Nothing is held."""


def peers(family: str, root: Path) -> list[Peer]:
    """Who is asked about a family of languages.

    Raises:
        SystemExit: no checker is found.
    """
    checker = find_ty(Places((root,))) if family == "python" else find_typescript(None, (), trusted=False)
    if checker is None:
        raise SystemExit(f"error: no type checker for {root}")
    found: list[Peer] = [ServedMenu(checker, root)]
    return [*found, JediMenu(root)] if family == "python" else found
